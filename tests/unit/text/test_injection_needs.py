"""A pattern is not tried on a text that lacks its words: that must never change what is found."""

from __future__ import annotations

import re
import runpy
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diarist.text.injection_languages import foreign
from diarist.text.injection_needs import ENGLISH_NEEDS, FOREIGN_NEEDS
from diarist.text.injection_words import ENGLISH

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "injection" / "needs.py"
RULES = [
    *zip([pattern for _, _, pattern in ENGLISH], ENGLISH_NEEDS, strict=True),
    *zip([pattern for _, _, pattern in foreign()], FOREIGN_NEEDS, strict=True),
]


def test_the_words_are_those_of_the_patterns() -> None:
    """A pattern that was changed without running the script anew would be tried on too few texts."""
    made = runpy.run_path(str(SCRIPT))
    assert made["TARGET"].read_text("utf-8") == made["render"]()


@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_whatever_a_pattern_fits_holds_one_of_each_of_its_words(data: st.DataObject) -> None:
    """Texts are made from the patterns themselves."""
    pattern, needs = data.draw(st.sampled_from(RULES))
    compiled = re.compile(unicodedata.normalize("NFKC", pattern), re.DOTALL)
    text = data.draw(st.from_regex(compiled))
    found = compiled.search(text)
    assert found is not None
    assert all(any(word in found[0] for word in words) for words in needs)


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        ("(?:ignor(?:e|ing)|forget)[^.]{0,60}instructions?", (("instruction",), ("forget", "ignore", "ignoring"))),
        ("colou?r", (("color", "colour"),)),
        ("(?:a|b)*", ()),
        (r"\bkeep\b.{0,9}(?:quiet|x+)", (("keep",),)),
        ("[0-9]+ runs", ((" runs",),)),
    ],
)
def test_what_every_match_holds_is_worked_out(pattern: str, needs: tuple[tuple[str, ...], ...]) -> None:
    """The rarest runs first, what holds another left out."""
    assert set(runpy.run_path(str(SCRIPT))["needs"](pattern)) >= set(needs)
