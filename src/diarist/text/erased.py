"""Finds erased values in texts by what is kept of them: a keyed hash, a length and two bytes to look for them by.

A value counts as the same whatever its case, white space, look-alike letters and invisible characters: see `text.lookalike`.
What is kept tells nothing of a value without the key of its workspace; with the key, a guess can be confirmed, never read off.

For speed each byte of a folded text becomes one of four classes that the key chose. The classes of four neighbours make one
byte, for a whole text at once by shifting it as one large number, and those of seven one character of another text, in which
a set of characters is looked for. A place that fits the first eight bytes of a value is a candidate: there the keyed hash
decides. The cost hardly grows with the number of values.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from diarist.text.lookalike import fold, widths

SHORTEST = 4
"""Bytes of a folded value: less would fit everywhere."""
_HEAD = 8
_SHORT_WORD = 12
"""A value of letters only that is shorter must stand alone: "anna" is not in "savannah"."""
_BY_FREQUENCY = b"etaonlsrhdcumfpgwybvkxjqz-_./:,=()\"'o23456789{}[]<>;#$%&*+@\\^~?!"
_SYMBOLS = "ACGT"
_NUMBERS = bytes(_SYMBOLS.find(chr(code)) % 256 for code in range(256))
_THREE = bytes(code & 0x3F for code in range(256))
"""Of the classes of four bytes those of the first three."""
_NONE: dict[int, dict[str, bool]] = {}


class Mark(NamedTuple):
    """What is kept of an erased value."""

    hash: str
    """Keyed BLAKE2b of the folded value, 32 hex digits."""
    size: int
    """Bytes of the folded value."""
    head: str
    """Classes of its first bytes, eight at most: letters of "ACGT"."""
    alone: bool
    """It must stand alone, not within a longer word."""

    def hint(self) -> str:
        """Size, classes and whether it stands alone, as one text; `read_mark` reads it."""
        return f"{self.size}.{self.head}.{'w' if self.alone else 's'}"


def read_mark(hash_: str, hint: str) -> Mark:
    """The mark that a hash and its hint make. Raises ValueError for a hint that is none."""
    size, head, alone = hint.split(".")
    if not SHORTEST <= len(head) <= _HEAD or set(head) - set("ACGT"):
        raise ValueError("not a hint of a value")
    return Mark(hash_, int(size), head, alone == "w")


def make_marks(key: bytes, value: str) -> list[Mark]:
    """Marks of a value and of the forms in which it is often passed on: percent-encoded, as JSON or HTML spell it, hex, base64.

    Raises
    ------
    ValueError
        It is too short to be told from other texts.
    """
    folded = fold(value)
    if len(folded) < SHORTEST:
        raise ValueError(f"a value must have at least {SHORTEST} characters that can be seen; this one would be found everywhere")
    forms = {folded: len(folded) < _SHORT_WORD and all(char.isalpha() for char in value.strip())}
    for other in _spellings(value):
        if len(fold(other)) >= _HEAD:
            forms.setdefault(fold(other), False)
    classes = _classes(key)
    heads = ("".join(_SYMBOLS[each] for each in form[:_HEAD].translate(classes)) for form in forms)
    return [Mark(_hash(key, form), len(form), head, alone) for (form, alone), head in zip(forms.items(), heads, strict=True)]


class Erased:
    """The erased values of one key. Immutable; may be shared between threads and pickled."""

    def __init__(self, key: bytes, marks: Iterable[Mark]) -> None:
        self._key = key
        self._marks = tuple(marks)
        self._classes = _classes(key)
        self._by_head: dict[bytes, dict[int, dict[str, bool]]] = {}
        for mark in self._marks:
            head = mark.head.encode().translate(_NUMBERS)
            self._by_head.setdefault(_pair(head), {}).setdefault(mark.size, {})[mark.hash] = mark.alone
        self._starts = re.compile("[" + "".join(re.escape(each) for each in sorted(_starts(self._by_head))) + "]") if self._marks else None

    def __reduce__(self) -> tuple[type[Erased], tuple[bytes, tuple[Mark, ...]]]:
        return Erased, (self._key, self._marks)

    def __bool__(self) -> bool:
        return bool(self._marks)

    def holds(self, text: str) -> bool:
        """True where the text holds an erased value."""
        folded = fold(text)
        if len(folded) < SHORTEST:
            return False
        return any(not alone or _stands_alone(text, start, size) for start, size, alone in self._hits(folded))

    def find(self, text: str) -> list[tuple[int, int]]:
        """Where erased values stand in the text, as (start, end), sorted and free of overlaps."""
        folded = fold(text)
        hits = list(self._hits(folded)) if len(folded) >= SHORTEST else []
        if not hits:
            return []
        found: list[tuple[int, int]] = []
        places = _places(text)
        for start, end in sorted(
            _span(places, start, size) for start, size, alone in hits if not alone or _stands_alone(text, start, size)
        ):
            if found and start < found[-1][1]:
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
        return found

    def _hits(self, folded: bytes) -> Iterable[tuple[int, int, bool]]:
        """(start, size, must it stand alone?) of each value in the folded text."""
        classes = int.from_bytes(folded.translate(self._classes), "little")
        if self._starts is None:
            return
        codes = (classes | classes >> 6 | classes >> 12 | classes >> 18).to_bytes(len(folded), "little")
        joint = bytearray(2 * len(codes))
        joint[::2] = codes
        joint[1::2] = codes[4:].translate(_THREE) + bytes(min(4, len(codes)))
        for found in self._starts.finditer(joint.decode("utf-16-le")):
            at = found.start()
            for pair in (codes[at : at + 1], codes[at : at + 5 : 4]):
                for size, hashes in self._by_head.get(pair, _NONE).items():
                    window = folded[at : at + size]
                    alone = hashes.get(_hash(self._key, window)) if len(window) == size else None
                    if alone is not None:
                        yield at, size, alone


class ErasedSources(NamedTuple):
    """Keyed hashes of sources (sessions, records) that were erased, and the keys they may have been made with."""

    keys: tuple[bytes, ...] = ()
    hashes: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.hashes)

    def holds(self, *names: str) -> bool:
        """True where the source of these names ("session", agent, id; "record", id) was erased."""
        return bool(self.hashes) and any(hash_source(key, *names) in self.hashes for key in self.keys)


class Tombstones(NamedTuple):
    """All that was erased from a store."""

    values: tuple[Erased, ...] = ()
    sources: ErasedSources = ErasedSources()

    def holds(self, text: str) -> bool:
        """True where the text holds an erased value."""
        return any(each.holds(text) for each in self.values)


NO_TOMBSTONES = Tombstones()


def hash_source(key: bytes, *names: str) -> str:
    """Keyed hash of a source's identity (32 hex digits); names are told apart as `model.ids.make_id` does."""
    digest = hashlib.blake2b(key=key, digest_size=16, person=b"source")
    for name in names:
        data = name.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def _hash(key: bytes, folded: bytes) -> str:
    return hashlib.blake2b(folded, key=key, digest_size=16).hexdigest()


def _classes(key: bytes) -> bytes:
    """For every byte a class of four, chosen by the key; of bytes that are about as frequent each class gets one."""
    order = list(dict.fromkeys([*_BY_FREQUENCY, *range(256)]))
    noise = hashlib.blake2b(b"classes", key=key, digest_size=64).digest()
    table = bytearray(256)
    for start in range(0, len(order), 4):
        group, symbols = order[start : start + 4], list(range(4))
        for place, code in enumerate(group):
            pick = (noise[(start + place) % 64] ^ (start * 7 + place)) % len(symbols)
            table[code] = symbols.pop(pick)
    return bytes(table)


def _pair(head: bytes) -> bytes:
    """The codes of a head's two halves; of a head of fewer than eight classes the first only."""
    codes = [head[at] | head[at + 1] << 2 | head[at + 2] << 4 | head[at + 3] << 6 for at in range(0, len(head) - 3, 4)]
    return bytes(codes[:2])


def _starts(pairs: Iterable[bytes]) -> set[str]:
    """The characters that the classes of seven bytes make, for each value; any three classes may follow a head of four."""
    return {chr(pair[0] | rest << 8) for pair in pairs for rest in (range(64) if len(pair) == 1 else [_THREE[pair[1]]])}


def _places(text: str) -> list[int]:
    """Characters of the text by byte of its folded form."""
    return [number for number, width in enumerate(widths(text)) for _ in range(width)]


def _span(places: Sequence[int], start: int, size: int) -> tuple[int, int]:
    return places[start], places[start + size - 1] + 1


def _stands_alone(text: str, start: int, size: int) -> bool:
    first, last = _span(_places(text), start, size)
    before, after = text[first - 1 : first], text[last : last + 1]
    return not before.isalpha() and not after.isalpha()


def _spellings(value: str) -> list[str]:
    """The value as it is often passed on."""
    import base64
    import html
    import json
    import urllib.parse

    data = value.encode("utf-8", "surrogatepass")
    made = [urllib.parse.quote(value, safe="", errors="replace"), urllib.parse.quote_plus(value, errors="replace")]
    made.append("".join(char if char.isalnum() else "".join(f"%{code:02X}" for code in char.encode("utf-8", "replace")) for char in value))
    made += [json.dumps(value)[1:-1], html.escape(value), data.hex(), "".join(reversed(value))]
    for shift in range(3):  # where it stands in a longer text that was encoded as a whole
        encoded = base64.b64encode(b"\0" * shift + data).decode()
        stable = encoded[(8 * shift + 5) // 6 if shift else 0 : len(data + b"\0" * shift) * 8 // 6]
        if len(stable) >= 12:
            made += [stable, stable.replace("+", "-").replace("/", "_")]
    return made
