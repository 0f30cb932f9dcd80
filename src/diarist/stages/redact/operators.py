"""Triggers of the generic assignment parser: a word that may name a secret, followed by something that assigns."""

from __future__ import annotations

from diarist.stages.redact import assignment
from diarist.stages.redact.spans import Span
from diarist.stages.redact.triggers import Trigger, trie

_WORDS = (
    "pass pw secret token key auth cred pin otp psk jwt bearer cookie session sid salt sig webhook dsn mnemonic seed license nonce hmac "
    "pat sas pem passwort kennwort"
).split()
_FOREIGN = "contraseña contrasena senha 密码 口令 パスワード 비밀번호 пароль".split()

_NAME = trie(sorted({word.encode() for word in _WORDS if word != "passwort"} | {word.encode() for word in _FOREIGN}))
_TAIL = rb"[a-z0-9_.\-]*"
_CLOSE = rb"""[ \t\r\n"'`\\\])*?+!~]*"""
_ENCODED = rb"(?:%22|%27|%5d|&quot;|&#3[49];|\\u0022)?"
_TYPED = rb"(?:[ \t]+(?:string|str|text|bytes|\[\]byte|&str|char ?\*))?"


def _confirm_at(size: int) -> object:
    return lambda data, end: assignment.confirm(data, end - size)


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


def _at_verb(data: bytes, end: int) -> Span | None:
    return assignment.confirm(data, end - 4)


def triggers() -> list[Trigger]:
    """All of them."""
    sign = rb"(?:[=:|>]|%(?:25)?3[ad]|\\u003[ad]|&#6[01];|\xef\xbc\x9a)"
    return [
        Trigger(_NAME + _TAIL + _CLOSE + _ENCODED + _TYPED + rb"[ ]*" + sign, _at_operator, literal=False, caseless=True),
        Trigger(_NAME + _TAIL + rb"\\*[\"'`][ \t]*,", _at_operator, literal=False, caseless=True),
        Trigger(_NAME + _TAIL + rb"[\"'`*]*[ \t](?:is|was)[ :]", _at_verb, literal=False, caseless=True),
        Trigger(rb"-[a-z0-9_\-]*" + _NAME + rb"[a-z0-9_\-]*[ \t]", _at_blank, literal=False, caseless=True),
        Trigger(rb"(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASS|PWD)[A-Z0-9_]*[ \t]", _at_blank, literal=False),
        Trigger(_NAME + _TAIL + rb"(?:\t|  )", _at_blank, literal=False, caseless=True),
    ]
