"""A user's `gitleaks.toml`: its rules work beside ours; Go's expressions are understood."""

from __future__ import annotations

import re

import pytest

from diarist.errors import InvalidInputError
from diarist.stages.redact import RedactionRules, Redactor
from diarist.stages.redact.gitleaks import from_go

TOML = r"""
title = "mine"
[allowlist]
stopwords = ["sample"]
regexes = ['''^zz''']

[[rules]]
id = "Badge Number"
description = "a badge"
regex = '''(?i)\b(badge_[[:alnum:]]{10})(?:['"\s]|\z)'''
keywords = ["badge_"]
entropy = 2.0

[[rules]]
id = "ticket"
regex = '''ticket:(\w+):([0-9]{4})'''
secretGroup = 2
[[rules.allowlists]]
regexTarget = "match"
regexes = ['''ticket:open''']
[[rules.allowlists]]
condition = "AND"
paths = ['''docs/''']
regexes = ['''.*''']

[[rules]]
id = "path-only"
path = '''\.pem$'''
"""
redactor = Redactor(RedactionRules(gitleaks=TOML))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("BADGE_a1b2c3d4e5 x", "[REDACTED:badge-number] x"),
        ("badge_aaaaaaaaaa x", "badge_aaaaaaaaaa x"),
        ("badge_sample1234 x", "badge_sample1234 x"),
        ("ticket:closed:1234", "ticket:closed:[REDACTED:ticket]"),
        ("ticket:open:1234", "ticket:open:1234"),
    ],
)
def test_rules_entropy_groups_and_allowlists(text: str, left: str) -> None:
    assert redactor.redact(text) == left


@pytest.mark.parametrize(
    ("go", "matches", "other"),
    [
        (r"a(?i)bc(d)", "aBCD", "ABCD"),
        (r"(?:a(?i)b|c)d", "aBd", "aBD"),
        (r"x(?-i)y\z", "xy", "xy\n"),
        (r"\Q.+\E", ".+", "ab"),
        (r"[[:digit:]x-]{2}", "1-", "ab"),
        (r"(?P<n>a)\x{2d}", "a-", "a+"),
        (r"(?<n>a)b", "ab", "b"),
        (r"[]a[]{3}", "]a[", "bbb"),
    ],
)
def test_go_expressions_are_rewritten(go: str, matches: str, other: str) -> None:
    expression = re.compile(from_go(go))
    assert expression.search(matches)
    assert not expression.search(other)


@pytest.mark.parametrize("toml", ["[[rules", '[[rules]]\nid="a"\nregex="("'])
def test_a_file_that_is_not_understood_is_refused(toml: str) -> None:
    with pytest.raises(InvalidInputError):
        Redactor(RedactionRules(gitleaks=toml)).redact("x")
