"""Which of many short strings a text holds, told at once.

Asking a text for hundreds of strings one by one takes longer than anything that is done with those it holds. A string without white
space stands within one word of a text, and the words of texts come again and again: what a word holds is remembered.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import add

from diarist.text.remembered import Remembered

_MOST = 1 << 14
_LONGEST = 64
"""Characters of a word that is remembered: longer ones do not come again."""


class Needles:
    """A fixed set of strings, each a bit of what `perhaps` answers. Each holds something else than white space."""

    def __init__(self, strings: Iterable[str]) -> None:
        self._bits = {string: 1 << number for number, string in enumerate(dict.fromkeys(strings))}
        self._parts: dict[str, list[tuple[str, int]]] = {}
        """By its first two characters, or the one it has, the longest word of each string."""
        for string, bit in self._bits.items():
            part = max(string.split(), key=len)
            self._parts.setdefault(part[:2], []).append((part, bit))
        self._starts = self._parts.keys()
        self._in_word = Remembered(self._look, _MOST, _LONGEST)
        self._spaced = {bit: string for string, bit in self._bits.items() if string.split() != [string]}
        self._any_spaced = sum(self._spaced)

    def mask(self, strings: Iterable[str]) -> int:
        """The bits of some of the strings."""
        found = 0
        for string in strings:
            found |= self._bits[string]
        return found

    def perhaps(self, text: str) -> int:
        """The bits of all strings that the text holds, in time that grows with the text and not with their number.

        Of a string with white space: where one of the text's words holds its longest word; `holds` knows whether it is there.
        """
        found = 0
        for bits in map(self._in_word.__getitem__, set(text.split())):
            found |= bits
        return found

    def holds(self, text: str, perhaps: int, mask: int) -> bool:
        """Whether a text, of which `perhaps` is known, holds one of the strings of a mask."""
        asked = perhaps & mask
        doubtful = asked & self._any_spaced
        if asked != doubtful:
            return True
        while doubtful:
            bit = doubtful & -doubtful
            if self._spaced[bit] in text:
                return True
            doubtful ^= bit
        return False

    def _look(self, word: str) -> int:
        """The bits of the strings that a word holds, of those with white space as far as one word can tell."""
        found = 0
        for start in self._starts & {*word, *map(add, word, word[1:])}:
            for part, bit in self._parts[start]:
                if part in word:
                    found |= bit
        return found
