"""Triggers of the generic assignment parser: a word that may name a secret, followed by something that assigns."""

from __future__ import annotations

import re

from diarist.stages.redact import assignment, pairs
from diarist.stages.redact.spans import Span
from diarist.stages.redact.triggers import Trigger, trie
from diarist.stages.redact.words import read_key
from diarist.text.lazy import lazy

_WORDS = "pass pwd secret token key auth cred psk jwt bearer cookie session salt signature webhook dsn mnemonic seed license hmac kennwort"
_SHORT = "pw pin otp sid sig sas pat pem"
"""Words that would be found inside many others; nothing but a separator may follow them."""
_FOREIGN = "contraseña contrasena senha 密码 口令 パスワード 비밀번호 пароль"


_LONG_WORD = lazy(rb"[ ][a-zA-Z0-9_+/=.\-]{20}\Z")
"""What may be a credential after a name and a blank; see `_rests`."""


def _any(words: str) -> bytes:
    return trie(sorted(word.encode() for word in words.split()))


_NAME = rb"(?:" + _any(_WORDS + " " + _FOREIGN) + rb"[a-z0-9_.\-]*|" + _any(_SHORT) + rb"(?:[0-9_.\-][a-z0-9_.\-]*)?)"
_ENCODED = rb"(?:%22|%27|%5d|&quot;|&#3[49];|\\u0022)"
_TYPE = rb"(?:string|str|text|bytes|\[\]byte|&str|char ?\*)"
_SIGN = rb"(?:[=:|]|-?>|\xe2\x94\x82|%(?:25)?3[ad]|\\u003[ad]|&#6[01];|\xef\xbc\x9a)"


def _rests(atomic: bytes) -> tuple[bytes, ...]:
    """What may follow a name. No name can reach into one: they share no character with its end.

    `atomic` is put behind repeats: "+" for Python, where a repeat that gives nothing back keeps a failing match linear; nothing
    for Hyperscan, which does not backtrack. Both match the same, because no part starts with what the repeat before it takes;
    for a backslash, which starts two of them, that has to be said.
    """
    backslash = rb"\\(?!u00)" if atomic else rb"\\"
    closed = rb"""(?:\\[nrt]|""" + backslash + rb"""|[ \t\r\n"'`\])*?+!~.])*""" + atomic
    return (
        closed + _ENCODED + b"?" + atomic + rb"[ \t]*" + atomic + _TYPE + b"?" + atomic + b"[ ]*" + atomic + _SIGN,
        rb"\\*" + atomic + rb"[\"'`][ \t]*" + atomic + b",",
        rb"[\"'`*]*" + atomic + rb"[ \t](?:is|was)[ :]",
        rb"(?:\t|  )",
        rb"[ ]\\*" + atomic + rb"[\"'`]",
        rb"[ ][a-z0-9_+/=.\-]{20}",
        rb"[\"'\]]*" + atomic + rb"\)\.(?:send_?keys|fill|type|set_?value)\([\"'`]",
        rb"\\*" + atomic + rb"[\"']?" + atomic + rb"[\s,;\\nrt\-]*" + atomic + pairs.VALUE,
    )


def _escaped(words: str) -> bytes:
    r"""The words as JSON writes them that keeps to ASCII, also inside other JSON: `\u043f\u0430\u0440…`, `contrase\u00f1a`."""
    spelled = (b"".join(char.encode() if char.isascii() else rb"\\+u%04x" % ord(char) for char in word) for word in words.split())
    return b"(?:" + b"|".join(spelled) + b")"


_ESCAPED = _escaped(" ".join(word for word in _FOREIGN.split() if not word.isascii()))
_ESCAPED_NAME = lazy(_ESCAPED + rb"[\\\"'`\] \t]*\Z", re.IGNORECASE)
_SPELLED = lazy(rb"\\+u([0-9a-fA-F]{4})")


def triggers() -> list[Trigger]:
    """All of them."""
    pattern = _NAME + b"(?:" + b"|".join(_rests(b"")) + b")"
    return [
        Trigger(pattern, _after_name, literal=False, caseless=True, family="assignment", stem=_NAME, rests=_rests(b"+")),
        Trigger(
            rb"-[a-z0-9_\-]*" + _NAME + rb"[ \t]", _after_flag, literal=False, caseless=True, needs=(b"-",), stem=_NAME, rests=(rb"[ \t]",)
        ),
        Trigger(rb"set[ ][a-z0-9_.:/\-]*" + _NAME + rb"[ ]", _at_blank, literal=False, caseless=True, needs=(b"set ",)),
        Trigger(
            rb"(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASS|PWD)[A-Z0-9_]*[ \t]",
            _at_blank,
            literal=False,
            needs=(b"TOKEN", b"KEY", b"SECRET", b"PASS", b"PWD"),
        ),
        Trigger(_ESCAPED + rb"[\\\"'`\] \t]*[=:]", _after_escaped, literal=False, caseless=True, needs=(b"\\u",)),
    ]


def _after_name(data: bytes, end: int) -> Span | None:
    """Tells by its last character what followed the name."""
    last = data[end - 1]
    if last == ord(">") and data[end - 2] == ord("-"):
        return assignment.confirm(data, end - 2)
    if last in b"\"'`" and data[end - 2] == ord("("):
        return pairs.confirm_input(data, end - 1)
    if last not in b"=:|>, \t\"'`" and _LONG_WORD.match(data, max(0, end - 21), end) is not None:
        return assignment.confirm(data, end - 21)
    if last in b"=:|>,":
        return assignment.confirm(data, end - 1) or _after_word(data, end)
    if last in b" \t":
        return _at_verb(data, end) or _at_blank(data, end)
    if last in b"\"'`":
        return _at_blank(data, end)
    return assignment.confirm(data, _encoded_operator(data, end))


def _after_escaped(data: bytes, end: int) -> Span | None:
    """A name in a script other than Latin, spelled out."""
    found = _ESCAPED_NAME.search(data, max(0, end - 200), end - 1)
    if found is None:
        return None
    word = found[0].rstrip(b"\\\"'`] \t")
    name = _SPELLED.sub(lambda code: chr(int(code[1], 16)).encode(), word)
    span = assignment.assigned(data, assignment.Site(read_key(name), name, found.start()), end - 1)
    if span is None or not any(code < 128 and chr(code).isalnum() for code in _SPELLED.sub(b"", data[span.start : span.end])):
        return None  # words in that script, spelled out too: a form's label
    return span


def _after_word(data: bytes, end: int) -> Span | None:
    """Where the word before the operator is no key itself: `"name": "API_KEY", "value":`, `the token was:`."""
    if b"alue" in data[max(0, end - 14) : end] or data[end - 8 : end] == b"<string>":
        return pairs.confirm(data, end)
    return _at_verb(data, end) if data[end - 3 : end - 1] in (b"is", b"as") else None


def _encoded_operator(data: bytes, end: int) -> int:
    r"""Where `%3D`, `%253D`, `\u003d`, `&#61;` or a wide colon starts."""
    for size in (3, 5, 6):
        if data[end - size : end - size + 1] in (b"%", b"\\", b"&", b"\xef", b"\xe2"):
            return end - size
    return end - 1


_FLAG_CHARACTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"


def _after_flag(data: bytes, end: int) -> Span | None:
    """`--token …`: the word before the blank starts with a dash."""
    word = data[max(0, end - 80) : end - 1]
    return _at_blank(data, end) if word[len(word.rstrip(_FLAG_CHARACTERS)) :].startswith(b"-") else None


def _at_blank(data: bytes, end: int) -> Span | None:
    """The blank after a flag, in a column, before a quote."""
    at = end - 1
    while at and data[at - 1] in b"\\ \t":
        at -= 1
    return assignment.confirm(data, at)


def _at_verb(data: bytes, end: int) -> Span | None:
    """` is ` and ` was `, where the operator starts with the blank."""
    for size, verb in ((4, b"is"), (5, b"was")):
        if data[end - size + 1 : end - 1].lower() == verb and data[end - size : end - size + 1] in (b" ", b"\t"):
            return assignment.confirm(data, end - size)
    return None
