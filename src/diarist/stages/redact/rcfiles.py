"""Passwords in files that programs read: `.netrc`, `.pgpass`, `.htpasswd`, password databases."""

from __future__ import annotations

import re

from diarist.stages.redact.shape import is_elided, is_filler, is_template
from diarist.stages.redact.spans import Span
from diarist.stages.redact.triggers import Confirm, Trigger
from diarist.stages.redact.vocabulary import is_example, is_vocabulary
from diarist.text.lazy import lazy

_GAP = rb"(?:[ \t]|(?:\\+r)?\\+n|\\+t|\r?\n[ \t]*(?:\d{1,6}(?:[ \t]*\xe2\x86\x92|[:|\t]))?[ \t]*(?:[+>|-][ \t]*)?)+"
_NETRC = lazy(
    rb"(?:machine"
    + _GAP
    + rb"[\w.:/*-]{1,200}|default)"
    + _GAP
    + rb"(?:(?:login|account)"
    + _GAP
    + rb"[^\s\\]{1,200}"
    + _GAP
    + rb"){0,2}password"
    + _GAP
    + rb"(?P<value>(?:[^\s\\\"']|\\(?![nrt]))[^\s\\\"']{0,200})"
)
_LOGIN = lazy(
    rb"login"
    + _GAP
    + rb"[^\s\\]{1,200}"
    + _GAP
    + rb"password"
    + _GAP
    + rb"(?P<value>[^\s\\\"']{3,200})(?=\s*(?:\Z|[\r\n]|\\[nr]|account|machine|default|[\"']))"
)
_PGPASS = lazy(
    rb"(?:\A|[\n\r]|\\[nr]|[\"'`])[ \t]*(?:\d{1,6}(?:[ \t]*\xe2\x86\x92|[:|\t])[ \t]*)?(?:[+>|-][ \t]*)?"
    rb"(?P<host>[A-Za-z*][\w.*-]{0,200}|\d{1,3}(?:\.\d{1,3}){3}):(?P<port>\d{4,5}|\*):(?P<database>[A-Za-z_*][\w*-]{0,64}):(?P<user>[A-Za-z_*][\w.*@-]{0,64}):\Z"
)
_PGVALUE = lazy(rb"(?:[^\s:\"'\\`]|\\[:\\])(?:[^\s\"'\\`]|\\[:\\])*(?=\s|\\[nr]|[\"'`]|\Z)")


def triggers() -> list[Trigger]:
    """Where such files can be told."""
    return [
        Trigger(b"machine", lambda data, end: _plain(_NETRC.match(data, end - 7, end + 1200))),
        Trigger(b"login", lambda data, end: _plain(_LOGIN.match(data, end - 5, end + 700))),
        Trigger(rb":(?:[0-9][0-9][0-9][0-9][0-9]?|\*):[A-Za-z_*][\w*\-]*:[A-Za-z_*][\w.*@\-]*:", _pgpass, literal=False, needs=(b":",)),
        *(Trigger(mark, _hash_of(len(mark))) for mark in _HASHES),
    ]


def _shown(value: bytes) -> bool:
    return is_template(value) or is_elided(value) or is_example(value) or is_filler(value) or value.startswith(b"[REDACTED:")


def _plain(match: re.Match[bytes] | None) -> Span | None:
    if match is None or _shown(match["value"]) or is_vocabulary(match["value"]):
        return None
    return Span(match.start("value"), match.end("value"), "netrc", "password", rank=2, origin=match.start())


def _pgpass(data: bytes, end: int) -> Span | None:
    """`host:5432:database:user:password`."""
    left = _PGPASS.search(data, max(0, end - 500), end)
    right = _PGVALUE.match(data, end, end + 300)
    if left is None or right is None or len(right[0]) < 3 or _shown(right[0]) or is_vocabulary(right[0]):
        return None
    return Span(end, right.end(), "pgpass", "password", rank=2, origin=left.start("host"))


_HASHES = {
    b"$apr1$": lazy(rb"[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"),
    b"$1$": lazy(rb"[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"),
    b"$2a$": lazy(rb"\d\d\$[./A-Za-z0-9]{53}"),
    b"$2b$": lazy(rb"\d\d\$[./A-Za-z0-9]{53}"),
    b"$2y$": lazy(rb"\d\d\$[./A-Za-z0-9]{53}"),
    b"$5$": lazy(rb"(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}"),
    b"$6$": lazy(rb"(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}"),
    b"$y$": lazy(rb"[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{1,90}\$[./A-Za-z0-9]{43}"),
    b"$argon2": lazy(rb"(?:id|i|d)\$(?:v=\d+\$)?m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{16,180}"),
    b"{SSHA}": lazy(rb"[A-Za-z0-9+/]{28,100}={0,2}"),
    b"pbkdf2_sha256$": lazy(rb"\d{4,8}\$[A-Za-z0-9]{4,64}\$[A-Za-z0-9+/]{43}="),
}


def _hash_of(size: int) -> Confirm:
    def confirm(data: bytes, end: int) -> Span | None:
        start = end - size
        match = _HASHES[data[start:end]].match(data, end)
        return Span(start, match.end(), "password-hash", "password-hash", rank=3) if match is not None else None

    return confirm
