"""Secrets as transcripts hold them go, their surroundings stay; harmless texts stay as they are."""

from __future__ import annotations

import re

import pytest

from diarist.stages.redact import redact
from unit.stages.redact.harmless_cases import HARMLESS
from unit.stages.redact.secrets_made import Maker
from unit.stages.redact.transcript_cases import POSITIVE

PLACEHOLDER = re.compile(r"\[REDACTED:[a-z0-9._-]+\]")
SEEDS = range(2)


@pytest.mark.parametrize("category", POSITIVE)
def test_secrets_go_and_context_stays(category: str) -> None:
    """At least 98.5% of a category's cases lose every secret, and all of those keep everything else; masking twice changes nothing."""
    missed, lost, unstable, count = [], [], [], 0
    for seed in SEEDS:
        for case in POSITIVE[category](Maker(seed)):
            safe = redact(case.text)
            bare = PLACEHOLDER.sub("", safe)
            count += 1
            missed += [case.text] if any(secret in bare for secret in case.secrets) else []
            lost += [case.text] if any(kept not in safe for kept in case.keep) else []
            unstable += [case.text] if redact(safe) != safe else []
    assert len(missed) <= 0.02 * count, missed
    assert not lost
    assert not unstable


@pytest.mark.parametrize("category", HARMLESS)
def test_harmless_texts_stay(category: str) -> None:
    for seed in SEEDS:
        for text in HARMLESS[category](Maker(seed)):
            assert redact(text) == text


def test_cases_without_listed_secrets_are_masked_somewhere() -> None:
    """Where a case does not say which string is the secret, something in it is masked all the same."""
    shown = {'{"text":"line\\nghp' + "_" + 'x"}'}
    for category in POSITIVE.values():
        for case in category(Maker(0)):
            assert case.secrets or case.text in shown or redact(case.text) != case.text, case.text
