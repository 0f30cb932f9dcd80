"""A user's own patterns. Each is a pass of its own over the text."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from diarist.errors import InvalidInputError
from diarist.stages.redact.settings import RedactionRules, UserPattern
from diarist.stages.redact.shape import entropy
from diarist.stages.redact.spans import Span
from diarist.text.lazy import lazy

_KIND = lazy(r"[^a-z0-9._-]+")
_REACH_BEFORE = 512
_PIECE = 8_192
_OVERLAP = 2_048
"""A pattern is tried piece by piece, pieces overlapping by as much as a secret may be long: its cost is bounded, whatever the text."""
_ENDLESS = lazy(r"\((?:\?:|\?P?<\w+>)?(?:\[\^?\]?[^\]]*\]|\\?.)[+*]\)[+*]")


def digest(rules: RedactionRules) -> str:
    """12 hex digits that change with the user's rules."""
    return hashlib.sha256(json.dumps(rules).encode()).hexdigest()[:12]


def kind_of(rule: str) -> str:
    """A rule's id as the kind in a placeholder: lower case, digits, `.`, `_` and `-`, sixty characters at most."""
    return _KIND.sub("-", rule.lower()).strip("-")[:60] or "secret"


class Allowed(NamedTuple):
    """What an imported rule does not count, by what is looked at."""

    values: tuple[re.Pattern[bytes], ...] = ()
    matches: tuple[re.Pattern[bytes], ...] = ()
    lines: tuple[re.Pattern[bytes], ...] = ()
    words: tuple[bytes, ...] = ()
    """In lower case; a value that holds one is allowed."""

    def holds(self, data: bytes, match: re.Match[bytes], value: bytes) -> bool:
        """True where the match is allowed."""
        lowered = value.lower()
        return (
            any(word in lowered for word in self.words)
            or any(expression.search(value) for expression in self.values)
            or any(expression.search(match[0]) for expression in self.matches)
            or any(expression.search(_line(data, match)) for expression in self.lines)
        )


def _line(data: bytes, match: re.Match[bytes]) -> bytes:
    end = data.find(b"\n", match.end())
    return data[data.rfind(b"\n", 0, match.start()) + 1 : end if end >= 0 else len(data)]


class PatternFinder:
    """Tries one regular expression around its keywords. `group` is the secret; None: the first, where there is one."""

    def __init__(
        self, pattern: UserPattern, *, group: int | None = None, least_entropy: float = 0.0, allowed: tuple[Allowed, ...] = ()
    ) -> None:
        self._rule = pattern.id
        self._kind = kind_of(pattern.id)
        self._expression = compiled(pattern.regex, pattern.id)
        self._keywords = tuple(keyword.lower().encode() for keyword in pattern.keywords if keyword)
        self._group = min(1, self._expression.groups) if group is None else group
        self._least_entropy = least_entropy
        self._allowed = allowed

    def __call__(self, data: bytes) -> list[Span]:
        """The spans of all matches."""
        found: dict[Span, None] = {}
        for low, high in self._windows(data):
            for match in self._expression.finditer(data, low, high):
                span = self._span(data, match)
                if span is not None:
                    found[span] = None
        return list(found)

    def _windows(self, data: bytes) -> Iterator[tuple[int, int]]:
        stretches = [(0, len(data))]
        if self._keywords:
            stretches = []
            for at in sorted({at for keyword in self._keywords for at in _places(data.lower(), keyword)}):
                low = max(0, at - _REACH_BEFORE)
                if stretches and low <= stretches[-1][1]:
                    low = stretches.pop()[0]
                stretches.append((low, min(len(data), at + _OVERLAP)))
        for low, high in stretches:
            for start in range(low, high, _PIECE):
                yield start, min(high, start + _PIECE + _OVERLAP)

    def _span(self, data: bytes, match: re.Match[bytes]) -> Span | None:
        start, end = match.span(self._group)
        if start < 0:
            start, end = match.span()
        value = data[start:end]
        if not value or b"[REDACTED:" in value or any(allowed.holds(data, match, value) for allowed in self._allowed):
            return None
        if self._least_entropy and entropy(value) < self._least_entropy:
            return None
        return Span(start, end, self._rule, self._kind, rank=6, origin=match.start())


def _places(data: bytes, keyword: bytes) -> Iterator[int]:
    at = data.find(keyword)
    while at >= 0:
        yield at
        at = data.find(keyword, at + 1)


def compiled(regex: str, rule: str) -> re.Pattern[bytes]:
    """The user's expression. Raises InvalidInputError where it is none, or would take forever on some text."""
    if _ENDLESS.search(regex):
        raise InvalidInputError(f"redaction rule {rule!r}: a repeat of a repeat, as in (a+)+, can take forever. Write it without.")
    try:
        return re.compile(regex.encode("utf-8"))
    except re.error as error:
        raise InvalidInputError(
            f"redaction rule {rule!r}: its regular expression is not understood ({error}). Correct it or leave it out."
        ) from error
