"""The generic assignment parser: a key that names a secret, an operator, a value.

It starts at the operator, because that is what the prefilter finds: `key_before` reads to the left, `value_after` to the right.
Keys may be quoted, escaped, encoded, subscripted or XML tags; operators may be `=`, `:`, `=>`, `:=`, `%3D`, `\\u003d`, a table's
bar, a comma between two arguments, the word "is", or the blank after a flag.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from diarist.stages.redact.spans import Span
from diarist.stages.redact.verdict import is_secret
from diarist.stages.redact.words import NO_KEY, Key, Level, read_key

_NAME_CHARACTERS = bytes(code for code in range(256) if chr(code).isascii() and chr(code).isalnum() or code in b"_.-$@" or code >= 128)
_CLOSERS = b" \t\"'`\\])*?+!~"
_ENCODED_CLOSERS = (b"%22", b"%27", b"%5D", b"%20", b"&quot;", b"&#34;", b"&#39;", b"&apos;", b"\\u0022", b"\\u0027", b"&lt;/b&gt;")
_TYPE = re.compile(rb"[ \t]+(?:string|str|String|char\s*\*|const char\s*\*|text|bytes|\[\]byte|&str|&'static str)\Z")
_WORDS_BEFORE = re.compile(rb"(?:[A-Za-z0-9]{1,20}[ ]){1,3}\Z")
_REACH = 96


class Site(NamedTuple):
    """A key and where it stands."""

    key: Key
    name: bytes
    start: int


def key_before(data: bytes, at: int) -> Site:
    """The key whose operator is at `at`."""
    low = max(0, at - _REACH)
    left = _strip_closers(data[low:at])
    name = left[len(left.rstrip(_NAME_CHARACTERS)) :].strip(b"-.")
    key = read_key(name)
    if key is NO_KEY or key.level == Level.NONE:
        typed = _TYPE.search(left)
        if typed is None:
            return Site(NO_KEY, name, low)
        left = _strip_closers(left[: typed.start()])
        name = left[len(left.rstrip(_NAME_CHARACTERS)) :].strip(b"-.")
        key = read_key(name)
    start = low + left.rfind(name)
    if name.islower() or name.isalpha():
        words = _WORDS_BEFORE.search(left[: len(left) - len(name)])
        if words is not None:
            key = read_key(words[0] + name)
    return Site(key, name, start)


def _strip_closers(left: bytes) -> bytes:
    left = left.rstrip(_CLOSERS)
    while left.endswith(_ENCODED_CLOSERS):
        closer = next(one for one in _ENCODED_CLOSERS if left.endswith(one))
        left = left[: -len(closer)].rstrip(_CLOSERS)
    return left


_OPERATOR = re.compile(
    rb"""
      (?: %(?:25)?3[AaDd] | \\+u003[aAdD] | &\#6[01]; | \xef\xbc\x9a | (?:=>|:=|={1,3}|:{1,3}=|:)>? | \|\|? | -?> | , | is\b | was\b )
    """,
    re.VERBOSE,
)
_QUOTE = (
    rb"\\*(?:\"\"\"|'''|[\"'`])|%(?:25)?2[27]|&quot;|&\#3[49];|&apos;|\\+u002[27]|\xe2\x80[\x98\x9c]"
)
_LEAD = re.compile(
    rb"(?P<gap>[ \t]*(?P<far>(?:\\+[nrt]|\r?\n)[ \t\d+>|\xe2\x86\x92-]*)?)\*{0,2}[ \t]*"
    rb"(?P<call>(?:[A-Za-z_][\w.:]*!?\()?\(*[ \t]*(?:await |new )?)(?P<prefix>[bBrRuUfFlLN@$]{0,2})(?P<quote>" + _QUOTE + rb")",
    re.VERBOSE if False else 0,
)
