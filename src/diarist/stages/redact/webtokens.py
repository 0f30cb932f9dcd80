"""JSON web tokens, and what stands in HTTP headers: `Authorization`, `Cookie`."""

from __future__ import annotations

from diarist.stages.redact.shape import is_elided, is_filler, is_template, surprise
from diarist.stages.redact.spans import Span
from diarist.stages.redact.tokens import goes_on, starts_afresh
from diarist.stages.redact.triggers import Trigger
from diarist.stages.redact.verdict import is_basic
from diarist.stages.redact.vocabulary import is_example, is_vocabulary
from diarist.text.lazy import lazy

_JWT = lazy(rb"eyJ[A-Za-z0-9_=-]{10,8000}(?:\\?\.[A-Za-z0-9_=-]{0,16000}){1,4}")
_NOISE = lazy(rb"\\[nr]|[^A-Za-z0-9_.=-]+(?:\d{1,6}(?:\xe2\x86\x92|[:|\t]))?")
_HEADER = lazy(rb"eyJ(?:hbGci|0eXAi|raWQi|4NXQi|jdHki)[A-Za-z0-9_-]{16,400}(?=\Z|\.\.\.|\xe2\x80\xa6|[\"']?\s*\Z)")
_WRAP = lazy(
    rb"[ \t]*(?:\r?\n|\\r?\\n|\\n)[ \t]*(?:\d{1,6}(?:\xe2\x86\x92|[:|\t])[ \t]*)?[+>|-]?[ \t]*"
    rb"(?P<rest>[A-Za-z0-9_.-]{4,400})(?=[\s\"'`,;)\\]|\Z)"
)


def triggers() -> list[Trigger]:
    """`eyJ`, `Bearer `, `Basic `, and the cookie headers."""
    return [
        Trigger(b"eyJ", lambda data, end: _jwt(data, end - 3)),
        Trigger(rb"bearer(?:[ ]|%20|\\u0020)", _bearer, literal=False, caseless=True, needs=(b"bearer",)),
        Trigger(rb"basic(?:[ ]|%20)", _basic, literal=False, caseless=True, needs=(b"basic",)),
        Trigger(rb"cookie2?[\"'\\]*[ ]*[:=]", _cookies, literal=False, caseless=True, needs=(b"cookie",)),
        Trigger(rb"[ ](?:-b|--cookie)[ =]", _cookies, literal=False, needs=(b" -b", b" --cookie")),
    ]


def _jwt(data: bytes, start: int) -> Span | None:
    if not starts_afresh(data, start):
        return None
    match = _JWT.match(data, start) or _HEADER.match(data, start)
    if match is None:
        return None
    end = match.end()
    for _ in range(40):
        wrap = _WRAP.match(data, end)
        if wrap is None or not goes_on(wrap["rest"]):
            break
        end = wrap.end("rest")
    parts = _NOISE.sub(b"", data[start:end]).split(b".")
    if is_filler(match[0][12:]) or (len(parts) > 1 and len(parts[1]) < 4 and data[end : end + 1] not in (b"", b".", b"\xe2")):
        return None
    return Span(start, start + len(data[start:end].rstrip(b".")), "jwt", "jwt", rank=4)


_BASE64 = lazy(rb"[A-Za-z0-9+/_-]{8,2000}={0,2}")
_CREDENTIAL = lazy(rb"[A-Za-z0-9._~+/=:|-]{12,4096}")


def _bearer(data: bytes, end: int) -> Span | None:
    """A token after the word `Bearer`, with or without its header."""
    match = _CREDENTIAL.match(data, end)
    if match is None:
        return None
    token = match[0].rstrip(b".:")
    digits = any(48 <= code <= 57 for code in token)
    if is_filler(token) or is_elided(token) or is_example(token) or is_vocabulary(token):
        return None
    if not digits and surprise(token) < 15:
        return None
    return Span(end, end + len(token), "bearer-token", "bearer-token", rank=2, origin=end - 7)


def _basic(data: bytes, end: int) -> Span | None:
    match = _BASE64.match(data, end)
    if match is None or not is_basic(match[0]):
        return None
    return Span(end, match.end(), "basic-auth", "basic-auth", rank=2, origin=end - 6)


_PAIR = lazy(
    rb"[ \t]*(?P<name>[\w.!$%*+^`|~-]{1,80})=(?P<quote>\\*\"?)(?P<value>[^\s;\"'\\,]{1,4096})(?P=quote)[ \t]*(?:;|(?=[\"'\\\s,]|\Z))"
)
_ATTRIBUTES = frozenset(b"path domain expires max-age samesite priority version comment secure httponly partitioned".split())
_NAMED = lazy(rb"(?i)sess|sid\b|sid$|token|auth|jwt|csrf|xsrf|secret|remember|credential|passw")
_DATE = lazy(rb"\d{1,4}-\w{2,3}-\d{2,4}\Z")
_QUOTED_START = lazy(rb"[ \t]*(?:\\*[\"'])?")


def _cookies(data: bytes, end: int) -> list[Span] | None:
    """The values of a cookie header: those whose name says session or token, and those that are plainly random."""
    lead = _QUOTED_START.match(data, end)
    at = lead.end() if lead is not None else end
    spans = []
    for _ in range(60):
        pair = _PAIR.match(data, at)
        if pair is None:
            break
        at = pair.end()
        if pair["name"].lower() not in _ATTRIBUTES and _is_session(pair["name"], pair["value"]):
            spans.append(Span(pair.start("value"), pair.end("value"), "cookie", "cookie", rank=2, origin=end - 8))
    return spans or None


def _is_session(name: bytes, value: bytes) -> bool:
    if is_template(value) or is_filler(value) or is_elided(value) or is_example(value) or is_vocabulary(value):
        return False
    if _NAMED.search(name):
        return len(value) >= 6 and _DATE.match(value) is None
    return len(value) >= 16 and (surprise(value) >= 15 or (len(value) >= 32 and value.isalnum()))
