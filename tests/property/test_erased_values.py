"""Erased values are found in whatever way they are spelled, at whatever place, and nothing else is."""

from __future__ import annotations

import pickle
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from diarist.text.erased import SHORTEST, Erased, make_marks, read_mark
from diarist.text.lookalike import fold, widths

KEY = bytes(range(32))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
VALUES = st.text(st.characters(exclude_categories=["Cs"]), min_size=6, max_size=40).filter(lambda value: len(fold(value)) >= SHORTEST)


@given(VALUES, TEXTS, TEXTS)
def test_a_value_is_found_wherever_it_stands(value: str, before: str, after: str) -> None:
    erased = Erased(KEY, make_marks(KEY, value))
    text = f"{before} {value} {after}"
    assert erased.holds(text)
    places = erased.find(text)
    assert places
    assert any(start <= len(before) + 1 + len(value) and end > len(before) for start, end in places)
    masked = text
    for start, end in reversed(places):
        masked = masked[:start] + "\x1e" + masked[end:]
    assert not erased.holds(masked)


@given(VALUES)
def test_spelling_it_otherwise_does_not_hide_it(value: str) -> None:
    erased = Erased(KEY, make_marks(KEY, value))
    spaced = "\u200b \u00ad".join(value)
    for variant in (value.upper(), value.lower(), spaced, unicodedata.normalize("NFD", value), unicodedata.normalize("NFKC", value)):
        if fold(variant) == fold(value):
            assert erased.holds(variant)
    assert fold(spaced) == fold(value)


@given(TEXTS, TEXTS)
def test_folding_goes_character_by_character(one: str, other: str) -> None:
    assert fold(one + other) == fold(one) + fold(other)
    assert sum(widths(one)) == len(fold(one))


@given(st.lists(VALUES, min_size=1, max_size=30), TEXTS)
def test_any_number_of_values_is_looked_for_at_once(values: list[str], text: str) -> None:
    """All are found; a text that holds none is left alone; a copy in another process finds the same."""
    erased = Erased(KEY, [mark for value in values for mark in make_marks(KEY, value)])
    for value in values:
        assert erased.holds(f"x {value} y")
    one_by_one = any(Erased(KEY, make_marks(KEY, value)).holds(text) for value in values)
    assert erased.holds(text) == one_by_one
    assert pickle.loads(pickle.dumps(erased)).find(text) == erased.find(text)


@given(VALUES)
def test_what_is_kept_of_a_value_is_read_back(value: str) -> None:
    for mark in make_marks(KEY, value):
        assert read_mark(mark.hash, mark.hint()) == mark
        assert value not in f"{mark.hash}{mark.hint()}"
