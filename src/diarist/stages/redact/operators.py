"""Triggers of the generic assignment parser: a word that may name a secret, followed by something that assigns."""

from __future__ import annotations

from diarist.stages.redact import assignment
from diarist.stages.redact.spans import Span
from diarist.stages.redact.triggers import Trigger, trie

_WORDS = "pass pwd secret token key auth cred psk jwt bearer cookie session salt signature webhook dsn mnemonic seed license nonce hmac kennwort"
_SHORT = "pw pin otp sid sig sas pat pem"
_FOREIGN = "contraseña contrasena senha 密码 口令 パスワード 비밀번호 пароль"


def _any(words: str) -> bytes:
    return trie(sorted(word.encode() for word in words.split()))


NAME = rb"(?:" + _any(_WORDS + " " + _FOREIGN) + rb"[a-z0-9_.\-]*|" + _any(_SHORT) + rb"(?:[0-9_.\-][a-z0-9_.\-]*)?)"
_CLOSE = rb"""(?:[ \t\r\n"'`\\\])*?+!~.]|\\[nrt])*"""
_ENCODED = rb"(?:%22|%27|%5d|&quot;|&#3[49];|\\u0022)?"
_TYPED = rb"(?:[ \t]+(?:string|str|text|bytes|\[\]byte|&str|char ?\*))?"


def _at_operator(data: bytes, end: int) -> Span | None:
    last = data[end - 1 : end]
    if last in b"=:|>,":
        return assignment.confirm(data, end - 1)
    if last in b"dDaA":
        return assignment.confirm(data, data.rfind(b"%" if data[end - 3 : end - 2] == b"%" or data[end - 5 : end - 2] == b"%25" else b"\\", 0, end))
    return assignment.confirm(data, end - (3 if last == b"\x9a" else 5))


def _at_blank(data: bytes, end: int) -> Span | None:
    at = end - 1
    while at and data[at - 1] in b" \t":
        at -= 1
    return assignment.confirm(data, at)


def _at_quote(data: bytes, end: int) -> Span | None:
    at = end - 1
    while at and data[at - 1] in b"\\ ":
        at -= 1
    return assignment.confirm(data, at)


def _at_verb(data: bytes, end: int) -> Span | None:
    return assignment.confirm(data, end - 4)


def triggers() -> list[Trigger]:
    """All of them."""
    sign = rb"(?:[=:|>]|%(?:25)?3[ad]|\\u003[ad]|&#6[01];|\xef\xbc\x9a)"
    return [
        Trigger(NAME + _CLOSE + _ENCODED + _TYPED + rb"[ ]*" + sign, _at_operator, literal=False, caseless=True),
        Trigger(NAME + rb"\\*[\"'`][ \t]*,", _at_operator, literal=False, caseless=True),
        Trigger(NAME + rb"[\"'`*]*[ \t](?:is|was)[ :]", _at_verb, literal=False, caseless=True),
        Trigger(rb"-[a-z0-9_\-]*" + NAME + rb"[ \t]", _at_blank, literal=False, caseless=True),
        Trigger(rb"(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASS|PWD)[A-Z0-9_]*[ \t]", _at_blank, literal=False),
        Trigger(NAME + rb"(?:\t|  )", _at_blank, literal=False, caseless=True),
        Trigger(NAME + rb"[ ]\\*[\"'`]", _at_quote, literal=False, caseless=True),
        Trigger(rb"set[ ][a-z0-9_.:/\-]*" + NAME + rb"[ ]", _at_blank, literal=False, caseless=True),
    ]
