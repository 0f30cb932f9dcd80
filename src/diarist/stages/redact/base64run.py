"""Secrets inside base64: found by the three ways a telling word looks at the three alignments, then decoded and searched.

No pass over all base64 is needed: `password` inside base64 reads `cGFzc3dvcm`, `Bhc3N3b3Jk` or `wYXNzd29yZ`, and the prefilter
looks for those as for any literal.
"""

from __future__ import annotations

import base64
from typing import NamedTuple

from diarist.text.lazy import lazy

_PLAIN_WORDS = """
password Password PASSWORD passwd PASSWD secret Secret SECRET token Token TOKEN api_key apikey apiKey API_KEY ApiKey api-key access_key
ACCESS_KEY private_key ghp_ gho_ ghs_ ghu_ ghr_ github_pat_ glpat- sk-ant- sk-proj- sk_live xoxb- xoxp- AKIA ASIA eyJhbGciOi eyJ0eXAiOi postgres://
postgresql:// mongodb mysql:// redis:// amqp:// Bearer Authorization client-key-data _authToken _PASS= AccountKey= credential machine
npm_ AIza DB_PASS pypi-AgE dop_v1_ shpat_ hvs. _PWD= -----BEGIN "auth":
"""
_WORDS = (*_PLAIN_WORDS.split(), "PRIVATE KEY")
_LONGEST = 65_536
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"
_RUN = lazy(rb"[A-Za-z0-9+/_-]{1,%d}" % _LONGEST)
_BREAK = rb"[ \t]*(?:\r?\n|(?:\\r)?\\n)[ \t]*(?:\d{1,6}(?:\xe2\x86\x92|[:|\t])[ \t]*)?(?:[+>|-][ \t]+)?"
_BREAK_AHEAD = lazy(_BREAK)
_BREAK_BEHIND = lazy(_BREAK + rb"\Z")
_LINE_END = lazy(rb"={0,2}(?:[\s\"'\\,`]|\Z)")
_WIDE = 40
"""Least length of a line of base64 that goes on in the next one."""
_FIRST_WHOLE = (0, 2, 3)
"""Per alignment: first character of the encoded word that depends on the word alone."""


class Fingerprint(NamedTuple):
    """How a word looks inside base64 at one alignment."""

    text: bytes
    into: int
    """Characters from the start of its group of four."""


_TWICE = "password PASSWORD secret token TOKEN api_key API_KEY ghp_ AKIA client-key-data eyJhbGciOi PRIVATE KEY- BEGIN"


def fingerprints() -> list[Fingerprint]:
    """Of all telling words, and of the most telling ones in base64 inside base64."""
    found = {b"ZXlK": Fingerprint(b"ZXlK", 0)}
    words = [word.encode() for word in _WORDS]
    twice = [one.text for word in _TWICE.split() for one in _encodings(word.encode())]
    for word in [*words, *twice]:
        for one in _encodings(word):
            if len(one.text) >= 4:
                found[one.text] = one
    return [found[text] for text in sorted(found)]


def _encodings(word: bytes) -> list[Fingerprint]:
    """The word at each of the three alignments: the characters that depend on nothing else."""
    result = []
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + word)
        whole = (shift + len(word)) * 8 // 6
        result.append(Fingerprint(encoded[_FIRST_WHOLE[shift] : whole], _FIRST_WHOLE[shift]))
    return result


class Run(NamedTuple):
    """A stretch of base64, line breaks included, and what it decodes to."""

    start: int
    end: int
    decoded: bytes


def run_at(data: bytes, at: int, into: int, low: int = 0) -> Run | None:
    """The run of base64 around a fingerprint that stands at `at`, `into` characters into a group of four; none of it before `low`."""
    right = _RUN.match(data, at)
    if right is None:
        return None
    start = first = _line_start(data, at, low)
    end, width = right.end(), right.end() - start
    before: list[bytes] = []
    while (line := _line_before(data, start, width, low)) is not None and at - start < _LONGEST:
        start = line[0]
        before.append(data[line[0] : line[1]])
    after: list[bytes] = []
    while (line := _line_after(data, end, width)) is not None and end - at < _LONGEST:
        end = line[1]
        after.append(data[line[0] : line[1]])
    head = b"".join(reversed(before)) + data[first:at]
    skip = (len(head) - into) % 4
    body = (head + right[0] + b"".join(after))[skip:]
    body = body[: len(body) - (len(body) % 4 == 1)].translate(_STANDARD)
    padding = len(data[end : end + 2]) - len(data[end : end + 2].lstrip(b"="))
    return Run(start + skip, end + padding, base64.b64decode(body + b"=" * (-len(body) % 4)))


_STANDARD = bytes.maketrans(b"-_", b"+/")


def _line_start(data: bytes, at: int, low: int) -> int:
    """Where the unbroken run that reaches `at` starts."""
    low = max(low, at - _LONGEST)
    size = 256
    while True:
        window = data[max(low, at - size) : at]
        kept = len(window.rstrip(_ALPHABET))
        if kept or len(window) < size:
            return at - len(window) + kept
        size *= 4


def _line_before(data: bytes, start: int, width: int, low: int) -> tuple[int, int] | None:
    """The line of base64 that goes on in the one starting at `start`, if there is one: wide, and no narrower."""
    window = data[max(low, start - 40) : start]
    gap = _BREAK_BEHIND.search(window)
    if gap is None:
        return None
    end = start - len(window) + gap.start()
    first = _line_start(data, end, low)
    return (first, end) if _WIDE <= end - first <= 200 and end - first >= width else None


def _line_after(data: bytes, end: int, width: int) -> tuple[int, int] | None:
    """The line of base64 that goes on after `end`, if there is one: no wider, and alone up to its end."""
    gap = _BREAK_AHEAD.match(data, end)
    if gap is None or width < _WIDE:
        return None
    line = _RUN.match(data, gap.end())
    if line is None or len(line[0]) > width or _LINE_END.match(data, line.end()) is None:
        return None
    return line.start(), line.end()
