"""Words of a text: of plain ASCII they are found without a pattern, and are the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from diarist.stages.distil import words

TEXTS = st.lists(st.sampled_from([*"aZ09_.+#- \n,/'", "scikit-learn", "C++", "next.js", "x" * 45, "12px"]), max_size=30).map("".join)


@given(TEXTS)
def test_words_of_ascii_are_those_of_the_patterns(text: str) -> None:
    """With marks within and behind them, digits before them, and longer ones than are kept whole."""
    assert words._words(text) == words._WORD.findall(text)
    assert words.whole_words(text) == words._WHOLE.findall(text)
    assert words.long_words(text) == words._LONG.findall(text)


def test_words_in_other_scripts_are_found_too() -> None:
    """A single accent does not lose the rest."""
    assert words.whole_words("Größe: 12px in next.js.") == ["Größe", "px", "in", "next.js"]
    assert words.long_words("länger als kurz") == ["länger"]
