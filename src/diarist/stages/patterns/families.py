"""Words that are one word for a miner: inflections, typing errors, spellings, compounds. Learnt from the vocabulary itself."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from diarist.stages.patterns.words import GLYPHS, NAME

_STEM = 6
_STEM_ELSEWHERE = 5
"""Letters that are left of a word: long enough to tell words apart, short enough to lose inflections of any language."""
_ENDINGS = ("ings", "ing", "ies", "ied", "ers", "ed", "es", "en", "s")
_SHORTEST_TYPO = 5
_SHORTEST_VARIANT = 7
"""Of words this long that begin alike or hold the same letters, one edit apart, each may be a slip for the other, however frequent."""
_TYPO_RATIO = 3
"""A word is taken for a typing error of one that is at least so many times as frequent."""
_SHORTEST_COMPOUND = 8
_LONGEST_WORD = 40


def families(prompts: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """For each word of the prompts, the names of its families: mostly one, two for a compound. The same whatever the order."""
    frequency = Counter(word for words in prompts for word in words)
    plain = {word: count for word, count in frequency.items() if word[0] not in (NAME, GLYPHS)}
    correct = _corrections(plain)
    known = {word: count for word, count in plain.items() if word not in correct and count >= 2 and len(word) >= 3}
    found: dict[str, tuple[str, ...]] = {}
    for word in frequency:
        found[word] = (word,) if word not in plain else tuple(dict.fromkeys(_parts(correct.get(word, word), known)))
    return found


def stem(word: str) -> str:
    """A key for a word and its inflections in most languages: the commonest endings off, then cut to six letters (five outside
    the Latin script).

    >>> stem("dependencies"), stem("dependency"), stem("tests"), stem("failing")
    ('depend', 'depend', 'test', 'fail')
    """
    if not word.isascii() and ord(max(word)) > 0x24F:
        return word[:_STEM_ELSEWHERE]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    if len(word) > 4 and word[-1] in "ey":
        word = word[:-1]
    return word[:_STEM]


def one_edit_apart(a: str, b: str) -> bool:
    """True where one letter was added, left out, replaced, or swapped with its neighbour (or none)."""
    if len(a) > len(b):
        a, b = b, a
    if len(b) - len(a) > 1:
        return False
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) < len(b):
        return a[at:] == b[at + 1 :]
    swapped = a[at : at + 2] == b[at : at + 2][::-1] and a[at + 2 :] == b[at + 2 :]
    return a[at + 1 :] == b[at + 1 :] or swapped


def _corrections(frequency: Mapping[str, int]) -> dict[str, str]:
    """Misspelt word → the word. Found by the words that both give when one letter is left out, so in linear time.

    Of two spellings the one is right whose stem is met more often, in whatever word: "dockerfile" beside "docker" and "dockerize".
    """
    stems: Counter[str] = Counter()
    for word, count in frequency.items():
        stems[stem(word)] += count
    rank = {word: (-stems[stem(word)], -count, word) for word, count in frequency.items()}
    correct: dict[str, str] = {}
    by_rest: dict[str, list[str]] = defaultdict(list)
    for word in sorted(frequency, key=rank.__getitem__):
        if not _SHORTEST_TYPO <= len(word) <= _LONGEST_WORD:
            continue
        rests = _without_one(word)
        alike = {other for rest in rests for other in by_rest.get(rest, ()) if _is_variant(word, other, frequency)}
        meant = min(alike, key=rank.__getitem__, default=None)
        if meant is not None and all(stem(other) != stem(word) for other in alike):  # an inflection is no slip
            correct[word] = meant
            continue
        for rest in rests:
            by_rest[rest].append(word)
    return correct


def _is_variant(word: str, other: str, frequency: Mapping[str, int]) -> bool:
    if word[0] != other[0] or not one_edit_apart(word, other):
        return False
    if frequency[other] >= _TYPO_RATIO * frequency[word]:
        return True
    return len(word) >= _SHORTEST_VARIANT and (word[:3] == other[:3] or sorted(word) == sorted(other))


def _without_one(word: str) -> list[str]:
    return sorted({word, *(word[:at] + word[at + 1 :] for at in range(len(word)))})


def _parts(word: str, known: Mapping[str, int]) -> list[str]:
    """Typehints: "typehints" is "type" and "hints" where both are known; "monatsbericht" is also "bericht" where that is."""
    if len(word) >= _SHORTEST_COMPOUND:
        for cut in range(len(word) - 3, 2, -1):
            if word[:cut] in known and word[cut:] in known:
                return [stem(word[:cut]), stem(word[cut:])]
        tail = next((word[cut:] for cut in range(4, len(word) - 4) if word[cut:] in known), None)
        if tail is not None:
            return [stem(word), stem(tail)]
    return [stem(word)]
