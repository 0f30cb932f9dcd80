"""What stands to the right of an operator: where a value starts and ends, however it is quoted, escaped or encoded."""

from __future__ import annotations

import re
from typing import NamedTuple

from diarist.text.lazy import lazy

LOOK = 256
"""Bytes of a value that are looked at to decide about it. The rest goes with them."""
_LONGEST = 65_536
_LINE = 4_096
"""Bytes within which a closing quote is looked for."""

_QUOTE = rb"\\*(?:\"\"\"|'''|[\"'`])|%(?:25)?2[27]|&quot;|&\#3[49];|&apos;|\\+u002[27]|\xe2\x80[\x98\x9c]"
_LEAD = lazy(
    rb"""
    (?:[ \t]|%(?:25)?20)*+
    (?P<far> (?: (?:\\+[nrt])+ | \r?\n ) [ \t]*+ (?: \d{1,6} (?:\xe2\x86\x92|[:|\t]) [ \t]*+ )? [+>|-]{0,2} [ \t]*+ )?+
    \*{0,2}
    (?P<call> (?: (?:await[ ]|new[ ])?+ [A-Za-z_][\w.:]{0,60}+ !?+ \( )?+ [\[(]{0,2} [ \t]*+ )
    (?P<prefix> (?: [bBrRuUfFlLN@$]{1,2} (?=["'`]) )?+ )
    (?P<quote> """
    + _QUOTE
    + rb""" )
    """,
    re.VERBOSE,
)
_GAP = lazy(
    rb"(?:[ \t]|%(?:25)?20)*+(?P<far>(?:(?:\\+[nrt])+|\r?\n)[ \t]*+(?:\d{1,6}(?:\xe2\x86\x92|[:|\t])[ \t]*+)?[+>|-]{0,2}[ \t]*+)?+\*{0,2}"
)
_BARE = lazy(rb"[^\s\"'`<>|,;&(){}\[\]\\\x1b\x00]*+(?:\\(?![nrtu\"'`\\/ \r\n])[^\s\"'`<>|,;&(){}\[\]\\\x1b\x00]*+)*+")
_SETTING = lazy(rb"[^\s\"'`<>\\\x1b\x00]*+(?:\\(?![nrtu\"'`\\ \r\n])[^\s\"'`<>\\\x1b\x00]*+)*+")
_ENCODED_END = lazy(
    rb"%(?:25)?(?:2[0267C]|0[AD]|7[DC]|5[DC]|3[BC])|&(?:quot|amp|lt|gt|\#3[49]);|\\+u00(?:2[267]|3[ce])|\xef\xbc[\x8c\x9b\x81\x9f]|\xe3\x80[\x81\x82]",
    re.IGNORECASE,
)
_TRAILING = b".,;:!?)*"


class Value(NamedTuple):
    """A value's bytes and how it was written."""

    start: int
    end: int
    quoted: bool
    far: bool = False
    """It stands on the line after its key."""
    call: bool = False
    """It is the argument of a call: `SecretStr("…")`, `getpass("…")`."""
    template: bool = False
    """An f-string or the like: names in braces are filled in."""


def value_after(data: bytes, at: int, *, setting: bool = False) -> Value | None:
    """The value that starts at or soon after `at`; `setting` lets one without quotes hold commas, semicolons and brackets."""
    while data[at : at + 1] in (b" ", b"\t"):
        at += 1
    if _may_be_quoted(data, at):
        lead = _LEAD.match(data, at, at + 256)
        if lead is not None:
            return _quoted(data, lead)
        gap = _GAP.match(data, at, at + 160)
        if gap is not None:
            return bare_value(data, gap.end(), setting=setting, far=gap["far"] is not None)
    return bare_value(data, at, setting=setting)


def _may_be_quoted(data: bytes, at: int) -> bool:
    """False where a bare word or number starts; a word may still be the prefix of a string or a call with one."""
    first = data[at : at + 1]
    if not (first.isalnum() or first == b"_"):
        return True
    if data[at + 1 : at + 2] in _MARKS or data[at + 2 : at + 3] in _MARKS:
        return True
    bracket = data.find(b"(", at, at + 64)
    return (bracket >= 0 and data[bracket + 1 : bracket + 2] in _MARKS) or data.startswith((b"await ", b"new "), at)


_MARKS = (b'"', b"'", b"`", b"\\")


def bare_value(data: bytes, start: int, *, setting: bool, far: bool = False) -> Value | None:
    """A value without quotes: up to a blank, a quote, an escape, or punctuation that ends values."""
    match = (_SETTING if setting else _BARE).match(data, start, start + LOOK)
    if match is None or not match[0] or data.startswith(b"[REDACTED:", start):
        return None
    end = match.end()
    if b"%" in match[0] or b"&" in match[0] or b"\\" in data[end - 1 : end + 2] or not match[0].isascii():
        encoded = _ENCODED_END.search(data, start, end + 6)
        if encoded is not None and encoded.start() < end:
            end = encoded.start()
    end = start + len(data[start:end].rstrip(_TRAILING))
    if end <= start or (not setting and data[end : end + 1] in (b"(", b"[")):
        return None
    return Value(start, end, quoted=False, far=far)


def end_of(data: bytes, value: Value) -> int:
    """Where a value really ends that was longer than what was looked at."""
    end = value.end
    while end - value.start >= LOOK and end - value.start < _LONGEST:
        more = _BARE.match(data, end, end + LOOK) if data[end - 1 : end] not in (b'"', b"'", b"`") else None
        if more is None or not more[0]:
            break
        end = more.end()
    return end


def _quoted(data: bytes, lead: re.Match[bytes]) -> Value | None:
    start = lead.end()
    quote = lead["quote"]
    call = lead["call"].strip(b" \t[(") != b""
    template = b"f" in lead["prefix"].lower() or lead["prefix"] == b"$" or quote.endswith(b"`")
    end = closing_quote(data, start, quote)
    if end == start:
        return None
    if end < 0:
        cut = bare_value(data, start, setting=True)
        end = cut.end if cut is not None else start
    if b"\\n" in data[start:end]:
        return None
    return Value(start, end, quoted=True, far=lead["far"] is not None, call=call, template=template) if end > start else None


def closing_quote(data: bytes, start: int, quote: bytes) -> int:
    """Where the text in `quote`s that starts at `start` ends; -1 where that is not on the same line or too far off."""
    if quote == b"\xe2\x80\x9c":
        quote = b"\xe2\x80\x9d"
    elif quote == b"\xe2\x80\x98":
        quote = b"\xe2\x80\x99"
    limit = min(len(data), start + _LINE)
    if len(quote) < 3 or quote.startswith((b"%", b"&", b"\\")):
        newline = data.find(b"\n", start, limit)
        limit = newline if newline >= 0 else limit
    at = start
    while (at := data.find(quote, at, limit)) >= 0:
        backslashes = at - len(data[start:at].rstrip(b"\\")) - start
        if backslashes % 2 == 0 or quote.startswith((b"%", b"&", b"\xe2")):
            return at
        at += 1
    return -1
