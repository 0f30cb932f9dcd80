"""Many strings looked for at once: the answer is that of looking for each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from diarist.text.needles import Needles

STRINGS = ("no", "note", "do not ", " ai ", "<", "<|", "é", "rm -rf", "a b c", "指示", "x" * 70)
TEXTS = st.lists(st.sampled_from([*STRINGS, " ", "\n", "n", "do  not", "ai", "-rf rm", "xé", "b"]), max_size=12).map("".join)


@given(TEXTS, st.sets(st.sampled_from(STRINGS)))
def test_it_holds_what_looking_for_each_finds(text: str, asked: set[str]) -> None:
    """Whatever white space the strings hold or stand between."""
    needles = Needles(STRINGS)
    perhaps = needles.perhaps(text)
    assert needles.holds(text, perhaps, needles.mask(asked)) == any(string in text for string in asked)


@given(TEXTS)
def test_perhaps_leaves_nothing_out(text: str) -> None:
    """What is there is always among it, and without white space nothing else is."""
    needles = Needles(STRINGS)
    perhaps = needles.perhaps(text)
    for string in STRINGS:
        told = bool(perhaps & needles.mask([string]))
        assert told or string not in text
        assert string in text or not told or string.split() != [string]


def test_words_are_remembered_and_forgotten() -> None:
    """A word that came before, among more others than are remembered, is told the same."""
    needles = Needles(["17"])
    numbers = [str(number) for number in range(40_000)]
    assert [bool(needles.perhaps(number)) for number in numbers] == ["17" in number for number in numbers]
    assert needles.perhaps("217")
    assert not needles.perhaps("271")
