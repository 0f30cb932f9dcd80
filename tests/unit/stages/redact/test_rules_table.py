"""The rule tables themselves: complete, consistent, and understood alike by both prefilters."""

from __future__ import annotations

import re

from diarist.stages.redact.backend import rulebook
from diarist.stages.redact.rules.tokens import TOKENS
from diarist.stages.redact.rules.vendors import SHAPES
from diarist.stages.redact.settings import RedactionRules
from diarist.stages.redact.triggers import escape, minimal, trie

KIND = re.compile(r"[a-z0-9][a-z0-9._-]{1,58}\Z")


def test_every_token_rule_is_complete() -> None:
    for token in TOKENS:
        assert KIND.match(token.id)
        assert token.literals
        assert all(2 <= len(literal) <= 60 for literal in token.literals)
        re.compile(f"[{token.alphabet}]+")
        assert token.length >= 8
        assert token.source in ("docs", "published", "program")


def test_every_vendor_shape_is_bounded() -> None:
    for shape, vendors in SHAPES:
        assert vendors
        assert not re.search(r"[*+](?!/)", shape.replace("+/", ""))


def test_a_trie_finds_what_its_words_find() -> None:
    words = sorted(b"ghp_ gho_ glpat- sk- AKIA SG. $2b$ a.b".split())
    expression = re.compile(trie(words))
    for word in words:
        assert expression.fullmatch(word)
        assert re.fullmatch(escape(word), word)
    assert not expression.search(b"ghx_ sk AKI SGx aXb")


def test_minimal_literals_cover_the_others() -> None:
    assert minimal([b"sk-ant-", b"sk-", b"ghp_", b"sk-"]) == [b"ghp_", b"sk-"]


def test_caseless_triggers_are_written_in_lower_case() -> None:
    for trigger in rulebook(RedactionRules()).triggers:
        if trigger.caseless:
            bare = re.sub(rb"\\.|\\x..", b"", trigger.pattern)
            assert bare == bare.lower()
            assert trigger.stem in trigger.pattern
            assert b"" not in trigger.rests
