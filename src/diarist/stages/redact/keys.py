"""Private keys in PEM and OpenSSH form: escaped, numbered, diffed, quoted, cut off at either end, or without their banner.r"""

from __future__ import annotations

from diarist.stages.redact.spans import Span
from diarist.stages.redact.triggers import Confirm, Trigger
from diarist.text.lazy import lazy

_LONGEST = 24_000
_WIDEST = 160
_BREAK = rb"(?:\\+r)?(?:\\+n|\r?\n)"
_MARGIN = (
    rb"(?:[ \t\"',+>|*#\\-]|\xe2\x94\x82|\xe2\x86\x92"
    rb"|\d{1,6}(?:[ \t]*(?:\xe2\x86\x92|[:|])|\t|[ ]{1,4}(?=[A-Za-z0-9+/=])))*"
)
"""What may stand before a line: indentation, quotes, line numbers, diff and quotation marks."""
_HEADER = rb"(?:Proc-Type|DEK-Info|Comment|Version|Subject|Hash|MessageID|Charset|Key-[A-Za-z]+)[^\n\\]{0,120}"
_LINE = rb"(?:[A-Za-z0-9+/=]{1,2000}(?:\.\.\.|\xe2\x80\xa6)?|" + _HEADER + rb")"
_NEXT = lazy(
    rb"[\"']?[ \t]*[+,\\]?[ \t]*"
    + _BREAK
    + rb"(?:"
    + _MARGIN
    + _BREAK
    + rb")?"
    + _MARGIN
    + rb"(?P<line>"
    + _LINE
    + rb")(?=[\s\"'\\,+|]|\Z)"
)
_LAST_LINES = lazy(rb"(?P<margin>" + _MARGIN + rb")(?P<line>[A-Za-z0-9+/]{1,120}={0,2})[\"',+\\ \t\r]*\Z")
_START = lazy(rb"-{4,5}BEGIN[ A-Z0-9]{0,30}PRIVATE KEY(?: BLOCK)?-{0,5}")
_BODY = lazy(rb"[A-Za-z0-9+/]{16}")
_RUN = lazy(rb"[A-Za-z0-9+/=]+")
_ON_ONE_LINE = lazy(rb"[ ]+[A-Za-z0-9+/=]{16,}")

_BARE_STARTS = (
    b"MIIEpAIBAAKCAQEA",
    b"MIIEowIBAAKCAQEA",
    b"MIIEogIBAAKCAQEA",
    b"MIIEpQIBAAKCAQEA",
    b"MIIJKQIBAAKCAgEA",
    b"MIIJKAIBAAKCAgEA",
    b"MIIJJwIBAAKCAgEA",
    b"MIICXQIBAAKBgQ",
    b"MIICXAIBAAKBgQ",
    b"MIICWwIBAAKBgQ",
    b"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
    b"MIIEvgIBADANBgkqhkiG9w0BAQEFAASC",
    b"MIIEvAIBADANBgkqhkiG9w0BAQEFAASC",
    b"MIIJQgIBADANBgkqhkiG9w0BAQEFAASC",
    b"MIIJQwIBADANBgkqhkiG9w0BAQEFAASC",
    b"MHcCAQEEI",
    b"MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg",
    b"MC4CAQAwBQYDK2VwBCIEI",
    b"b3BlbnNzaC1rZXktdjEA",
    b"lQWGB",
)
"""How the DER of private keys starts in base64: RSA of 1024, 2048 and 4096 bits, PKCS #8, EC, Ed25519, OpenSSH, PGP."""


def triggers() -> list[Trigger]:
    """At the banners, and at bodies that lost theirs."""
    banner = Trigger(b"PRIVATE KEY", _at_banner, family="private-key")
    return [banner, *(Trigger(start, _bare_of(len(start)), family="private-key") for start in _BARE_STARTS)]


def _at_banner(data: bytes, end: int) -> Span | None:
    opening = _START.search(data, max(0, end - 64), end + 16)
    if opening is not None and opening.end() >= end:
        return _after(data, opening.start(), opening.end())
    closing = data.rfind(b"END", max(0, end - 64), end)
    return _before(data, closing) if closing > 0 else None


def _after(data: bytes, banner: int, start: int) -> Span | None:
    """The body below a BEGIN line: base64 lines, whatever stands in their margins."""
    at = start
    limit = min(len(data), start + _LONGEST)
    first = 0
    inline = _RUN.match(data, start + (data[start : start + 1] == b" "), limit)
    if inline is not None:
        at, first = inline.end(), inline.start()
        while (more := _ON_ONE_LINE.match(data, at, limit)) is not None:
            at = more.end()
    while (line := _NEXT.match(data, at, limit)) is not None:
        first = first or line.start("line")
        at = line.end("line")
    if not first or _BODY.search(data, first, at) is None:
        return None
    return Span(first, at, "private-key", "private-key", rank=9, origin=banner)


def _before(data: bytes, closing: int) -> Span | None:
    """The body above an END line whose BEGIN was cut off, read backwards line by line."""
    at = closing - len(data[max(0, closing - 6) : closing]) + len(data[max(0, closing - 6) : closing].rstrip(b"-"))
    low = max(0, at - _LONGEST)
    first = last = 0
    broken = _line_break_before(data, low, at)
    while broken is not None:
        at = broken
        line = _LAST_LINES.search(data, max(low, _line_start(data, low, at)), at)
        if line is None or (last and len(line["line"]) < 40):
            break
        first, last = line.start("line"), last or line.end("line")
        broken = _line_break_before(data, low, line.start())
    if not last or _BODY.search(data, first, last) is None or b"BEGIN" in data[max(0, first - 60) : first]:
        return None
    return Span(first, last, "private-key", "private-key", rank=9)


def _line_start(data: bytes, low: int, at: int) -> int:
    """Where the line that ends at `at` starts; its line break may be written out."""
    low = max(low, at - _WIDEST)
    real, written = data.rfind(b"\n", low, at), data.rfind(b"\\n", low, at)
    return max(low, real + 1, written + 2)


def _line_break_before(data: bytes, low: int, at: int) -> int | None:
    """Where the line break before the line around `at` starts."""
    start = _line_start(data, low, at)
    if data[start - 1 : start] == b"\n":
        return start - 1
    return start - 2 if data[start - 2 : start] == b"\\n" else None


def _bare_of(size: int) -> Confirm:
    def confirm(data: bytes, end: int) -> Span | None:
        """A body that starts like a private key and has no banner at all."""
        start = end - size
        if data[start - 1 : start].isalnum() and data[start - 2 : start] not in (b"\\n", b"\\r", b"\\t"):
            return None
        run = _RUN.match(data, start, start + _LONGEST)
        if run is None or len(run[0]) < 40:
            return None
        at = run.end()
        while (line := _NEXT.match(data, at, start + _LONGEST)) is not None and len(line["line"]) >= 4:
            at = line.end("line")
        return Span(start, at, "private-key", "private-key", rank=8)

    return confirm
