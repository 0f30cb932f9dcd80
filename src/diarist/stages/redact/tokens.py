"""Layer A: tokens that carry their vendor's prefix, confirmed where a literal of the rule table stands."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from diarist.stages.redact.rules.tokens import ANYTHING, TOKENS, Token
from diarist.stages.redact.shape import is_filler, surprise
from diarist.stages.redact.spans import Span
from diarist.stages.redact.triggers import Trigger, minimal
from diarist.stages.redact.vocabulary import is_example
from diarist.text.lazy import lazy

_LOOK = 512
"""Characters of a token that are looked at to decide about it; the rest of a longer one goes with them."""
_LONGEST = 65_536
_WORDY = -18.0
"""Bits below which a body reads like words, so that it needs digits to count."""
_ESCAPE_BEFORE = lazy(
    rb"(?:\\[nrtbfv0'\"/]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\0\d\d|(?:\x1b|\\e|\\033|\\x1b|\\u001[bB])?\[[0-9;]{1,12}m|&[a-z]{2,5};)\Z"
)
_CUT_AFTER = lazy(rb"\Z|\.{2,}|\xe2\x80\xa6|\[?\(?(?:truncated|\.\.\.)|\x1b|<truncated|[\"']?\s*\Z")
_WRAP = lazy(rb"[ \t]*(?:\r?\n|\\r?\\n|\\n)[ \t]*(?:\d{1,6}(?:\xe2\x86\x92|[:|\t ])[ \t]*)?[+>|-]?(?:\xe2\x94\x82)?[ \t]*")


class _Rule(NamedTuple):
    token: Token
    literal: bytes
    run: re.Pattern[bytes]


@lru_cache(maxsize=1)
def _rules() -> dict[bytes, list[_Rule]]:
    """By the literal that the prefilter looks for: the rules to try there, the longest literal first."""
    pairs = [(literal.encode(), token) for token in TOKENS for literal in token.literals]
    table: dict[bytes, list[_Rule]] = {root: [] for root in minimal(literal for literal, _ in pairs)}
    for literal, token in sorted(pairs, key=lambda pair: -len(pair[0])):
        root = next(literal[:size] for size in range(1, len(literal) + 1) if literal[:size] in table)
        table[root].append(_Rule(token, literal, _run_of(token.alphabet)))
    return table


@lru_cache(maxsize=256)
def _run_of(alphabet: str) -> re.Pattern[bytes]:
    return lazy(b"[" + alphabet.encode() + b"]{0,%d}" % _LOOK)


def triggers() -> list[Trigger]:
    """One for each literal."""

    def at(root: bytes) -> Trigger:
        rules = _rules()[root]
        size = len(root)
        return Trigger(root, lambda data, end: confirm(data, end - size, rules), family="token")

    return [at(root) for root in _rules()]


def confirm(data: bytes, start: int, rules: list[_Rule]) -> Span | None:
    """The token that starts at `start`."""
    if data.endswith(rules[-1].literal, 0, start):
        return None  # a prefix after itself starts nothing
    afresh = starts_afresh(data, start)
    for rule in rules:
        if (afresh or rule.token.anywhere) and data.startswith(rule.literal, start):
            end = _end(data, start + len(rule.literal), rule)
            if end > 0:
                shown = len(rule.literal) if rule.token.shown else 0
                return Span(start + shown, end, rule.token.id, rule.token.id, rank=5, origin=start)
    return None


def starts_afresh(data: bytes, start: int) -> bool:
    """Whether no word runs into `start`: before it stands no letter or digit, or one that belongs to an escape."""
    if start == 0 or not data[start - 1 : start].isalnum():
        return True
    return _ESCAPE_BEFORE.search(data, max(0, start - 12), start) is not None


def _end(data: bytes, start: int, rule: _Rule) -> int:
    """Where the token ends whose literal ends at `start`; 0 where there is none."""
    match = rule.run.match(data, start)
    end = start + len(match[0].rstrip(b".")) if match is not None else start
    token = rule.token
    body = data[start:end]
    if len(body) < token.length:
        joined = _wrapped(data, end, token.length - len(body), rule)
        if joined:
            if _holds(body + data[joined[0] : joined[1]], token):
                return joined[1]
            return 0
        return end if _is_cut(data, end, body, token) else 0
    if token.exact and len(body) != token.length:
        return 0
    if not _holds(body, token):
        return 0
    return end if token.exact or token.fixed else extended(data, _whole(data, start, end, rule.run), rule)


def _whole(data: bytes, start: int, end: int, run: re.Pattern[bytes]) -> int:
    """Where a token ends that is longer than what was looked at."""
    while end - start >= _LOOK and end - start < _LONGEST and end < len(data):
        more = run.match(data, end)
        if more is None or not more[0]:
            break
        end = more.end()
    return end


_ALONE = lazy(rb"[\"'`]?,?[ \t]*(?:\Z|[\r\n]|\\[nr])|[\"'`]")


def extended(data: bytes, end: int, rule: _Rule) -> int:
    """The end of a token of any length that a terminal broke over several lines: lines that hold nothing but more of it."""
    for _ in range(60):
        wrap = _WRAP.match(data, end)
        more = rule.run.match(data, wrap.end()) if wrap is not None else None
        if more is None or more[0].startswith(rule.literal) or _ALONE.match(data, more.end()) is None or not goes_on(more[0]):
            break
        end = more.end()
    return end


def goes_on(line: bytes) -> bool:
    """Whether a line below a token looks like more of it: random, and no word."""
    mixed = line.lower() != line and line.upper() != line and not line.istitle()
    if len(line) < 10:
        return len(line) >= 4 and (mixed or _digits(line) > 0) and surprise(line) >= 0
    return surprise(line[:60]) >= (8 if _digits(line) else 9) and (mixed or _digits(line) > 0)


def _holds(body: bytes, token: Token) -> bool:
    if token.floor <= ANYTHING:
        return True
    bits = surprise(body[:80])
    if bits < token.floor:
        return False
    if is_filler(body[:256]):
        return token.filled and not body.strip(b"ABCDEFGHIJKLMNOPQRSTUVWYZabcdefghijklmnopqrstuvwyz123456789-_")
    return not is_example(body) and (bits >= _WORDY or _digits(body) >= 2)


def _digits(body: bytes) -> int:
    return sum(48 <= code <= 57 for code in body)


def _wrapped(data: bytes, end: int, missing: int, rule: _Rule) -> tuple[int, int] | None:
    """The rest of a token that a line wrap cut in two."""
    if end - 4 < 0 or rule.token.exact:
        return None
    wrap = _WRAP.match(data, end)
    if wrap is None:
        return None
    rest = rule.run.match(data, wrap.end())
    if rest is None or len(rest[0]) < missing:
        return None
    if rule.token.fixed and len(rest[0]) != missing:
        return None
    return rest.start(), rest.end()


def _is_cut(data: bytes, end: int, body: bytes, token: Token) -> bool:
    """Whether `body` is the start of a token that was cut off, rather than a name or an example."""
    size = len(body)
    if size < 8 or is_filler(body) or is_example(body) or token.exact:
        return False
    digits = _digits(body)
    bits = surprise(body)
    if digits and bits >= max(8.0, token.floor) and _CUT_AFTER.match(data, end) is not None:
        return True
    if size < token.short:
        return False
    return (digits > 0 and bits >= max(14.0, token.floor)) or (size >= 16 and digits >= 4 and token.floor < 0)
