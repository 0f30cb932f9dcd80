r"""The generic assignment parser: a key that names a secret, an operator, a value.

It starts at the operator, because that is what the prefilter finds: `key_before` reads to the left, `value_after` to the right.
Keys may be quoted, escaped, encoded, subscripted or XML tags; operators may be `=`, `:`, `=>`, `:=`, `%3D`, `\u003d`, a table's
bar, a comma between two arguments, the word "is", or the blank after a flag.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from diarist.stages.redact import context
from diarist.stages.redact.spans import Span
from diarist.stages.redact.values import LOOK, Value, bare_value, end_of, value_after
from diarist.stages.redact.verdict import is_basic, is_secret
from diarist.stages.redact.words import NO_KEY, Key, Level, read_key
from diarist.text.lazy import lazy

_NAME_CHARACTERS = bytes(code for code in range(256) if code >= 128 or chr(code).isalnum() or code in b"_.-$@")
_CLOSERS = b" \t\"'`\\])*?+!~."
_ENCODED_CLOSERS = (
    *(b"%22", b"%27", b"%5D", b"%20", b"&quot;", b"&#34;", b"&#39;", b"&apos;", b"\\u0022", b"\\u0027"),
    *(b"\\t", b"\\n", b"\\r"),
)
_TYPE_NAMES = frozenset((b"string", b"str", b"String", b"char", b"text", b"bytes", b"byte"))
_TYPE = lazy(rb"[ \t]+(?:string|str|String|(?:const )?char\s*\*|text|bytes|\[\]byte|&str|&'static str)\Z")
_WORDS_BEFORE = lazy(rb"(?:[A-Za-z0-9]{1,20}[ ]){1,2}\Z")
_REACH = 96


class Site(NamedTuple):
    """A key, its name, and where it starts."""

    key: Key
    name: bytes
    start: int


def key_before(data: bytes, at: int) -> Site:
    """The key whose operator is at `at`."""
    low = max(0, at - _REACH)
    left = _strip_closers(data[low:at])
    name = _last_name(left)
    key = read_key(name)
    if key.level == Level.NONE:
        typed = _TYPE.search(data[low:at].rstrip()) if name in _TYPE_NAMES else None
        if typed is None:
            return Site(NO_KEY, name, low)
        left = _strip_closers(data[low : low + typed.start()])
        name = _last_name(left)
        key = read_key(name)
    start = low + left.rfind(name)
    before = data[start - 1 : start]
    if before == b"\\" and name[:1] in b"ntrbf" and len(name) > 3:
        return Site(read_key(name[1:]), name[1:], start + 1)
    if before == b" " and name.isalpha():
        words = _WORDS_BEFORE.search(data, max(low, start - 42), start)
        if words is not None:
            key = read_key(words[0] + name)
    return Site(key, name, start)


def _last_name(left: bytes) -> bytes:
    return left[len(left.rstrip(_NAME_CHARACTERS)) :].strip(b"-.")


def _strip_closers(left: bytes) -> bytes:
    left = left.rstrip(_CLOSERS)
    while left.endswith(_ENCODED_CLOSERS):
        closer = next(one for one in _ENCODED_CLOSERS if left.endswith(one))
        left = left[: -len(closer)].rstrip(_CLOSERS)
    return left


_OPERATOR = lazy(
    rb"%(?:25)?3[AaDd]|\\+u003[aAdD]|&\#6[01];|\xef\xbc\x9a|=>|:=|={1,3}>?|:{1,3}=|:|\|\|?|\xe2\x94\x82|-?>|,|[ \t]+(?:is|was)\b:?|[ \t]+"
)


_AFTER_NAME = (b"=", b":", b",", b")", b";", b" ", b"\n", b"")


def _repeats(data: bytes, name: bytes, at: int) -> bool:
    """`token = token`: a quick look at what code assigns most, and at texts made of one word over and over."""
    at += data[at : at + 1] == b" "
    end = at + len(name)
    return data.startswith(name, at) and data[end : end + 1] in _AFTER_NAME


def confirm(data: bytes, operator: int) -> Span | None:
    """The span of the secret assigned at `operator`, if there is one."""
    site = key_before(data, operator)
    if site.key.level == Level.NONE or context.is_part(data, site.start):
        return None
    return assigned(data, site, operator)


def assigned(data: bytes, site: Site, operator: int) -> Span | None:
    """The span of the secret assigned at `operator` to a key that is known."""
    match = _OPERATOR.match(data, operator)
    if match is None or _repeats(data, site.name, match.end()):
        return None
    if context.is_parameter(data, site.start):
        site = site._replace(key=site.key._replace(level=max(site.key.level, Level.MEDIUM)))
    written = match[0]
    value, after_scheme = _value(data, site, match)
    if value is None or _is_hopeless(data, value) or not _fits(data, site, operator, written, value):
        return None
    if site.key.kind == "signature" and data[value.end : value.end + 1] == b"&":
        site = site._replace(key=site.key._replace(level=Level.MEDIUM))
    blank = written.isspace()
    setting = after_scheme or value.quoted or context.is_setting(data, site.start, site.name, operator, written, value)
    return judge(data, site._replace(key=site.key._replace(word=False)) if blank else site, value, setting=setting)


def _is_hopeless(data: bytes, value: Value) -> bool:
    """A quick look at what code mostly assigns: a short bare word is a name, whatever its key."""
    return not value.quoted and value.end - value.start < 8 and data[value.start : value.end].isalpha()


_ANNOTATION = lazy(rb"[ ]?[&*]?(?:'static )?[A-Za-z_][\w.\[\]<>, |?]{0,40}?[ ]?=[ ]?(?=[bBrRfFuU]{0,2}[\"'`])")
_OPTION = lazy(rb"-{1,2}(?:body|value|val|data|secret|b|v)[ =]")
_SCHEME = lazy(rb"(?i:bearer|basic|token|apikey|api-key|key|digest|ssws|negotiate|hmac|flyv1)[ \t]+(?=\S)|(?i:Bearer|Basic)%20")


def _value(data: bytes, site: Site, operator: re.Match[bytes]) -> tuple[Value | None, bool]:
    """The value, and whether the word before it was a scheme, as in `Authorization: Bearer …`."""
    written, at = operator[0], operator.end()
    between = _ANNOTATION.match(data, at) if written == b":" else _OPTION.match(data, at) if written.isspace() else None
    value = value_after(data, between.end() if between is not None else at, setting=written == b"=" and site.name.isupper())
    if value is not None and not value.quoted and _is_scheme(data, site, value):
        return bare_value(data, value.end + 1, setting=False), True
    return value, False


def _is_scheme(data: bytes, site: Site, value: Value) -> bool:
    """Whether the first word of a header's value names a scheme and the credential follows."""
    if data[value.end : value.end + 1] != b" " or value.end - value.start > 20:
        return False
    return _SCHEME.match(data, value.start) is not None or site.name.lower().endswith(b"authorization")


def _fits(data: bytes, site: Site, operator: int, written: bytes, value: Value) -> bool:
    """Whether this operator assigns here: each has its own company."""
    if written == b">":
        return context.is_element(data, site.start, value)
    if written == b"->":
        return data[operator - 1] in b" \t" and data[operator + 2 : operator + 3] in (b" ", b"\t")
    if written.startswith((b"|", b"\xe2")):
        return context.is_cell(data, site.start, operator, value)
    if written == b",":
        return context.is_last_argument(data, site.start, value)
    if written.isspace() and not context.is_operand(data, value):
        return False
    return site.name.lower() != b"pass" or _is_short_key(data, operator, written, value)


def _is_short_key(data: bytes, operator: int, written: bytes, value: Value) -> bool:
    """`pass: "…"` and `PASS=…` assign; `PASS: test_name` and `pass x on` do not."""
    tight = data[operator - 1] not in b" \t" and value.start == operator + 1
    return (value.quoted and written in (b":", b"=", b"=>", b":=")) or (written == b"=" and tight)


def judge(data: bytes, site: Site, value: Value, *, setting: bool) -> Span | None:
    """The span of `value` if it is the secret that the key at `site` promises."""
    start, key = value.start, site.key
    text = data[start : min(value.end, start + LOOK)]
    scheme = _SCHEME.match(text) if b" " in text or b"%" in text else None
    if scheme is not None and scheme.end() < len(text):
        start += scheme.end()
        text = data[start : min(value.end, start + LOOK)]
        key = key._replace(level=max(key.level, Level.MEDIUM))
    if value.template and b"{" in text:
        return None
    if site.name.lower().endswith(b"auth") and is_basic(text):
        return Span(start, value.end, "assignment", "basic-auth", rank=1, origin=site.start)
    if value.far or value.call:
        key = key._replace(level=min(key.level, Level.MEDIUM))
    if _echoes(site.name, text) or not is_secret(text, key, quoted=value.quoted, setting=setting):
        return None
    end = value.end if value.quoted else end_of(data, value)
    return Span(start, end, "assignment", key.kind, rank=1, origin=site.start)


def _echoes(name: bytes, text: bytes) -> bool:
    """`token=token`, `PASSWORD: "password"`, `apiKey: self.apiKey`, `password=user_password`."""
    last = name.rsplit(b".", 1)[-1]
    if not text.lower().replace(b"_", b"").endswith(last.lower().replace(b"_", b"")):
        return False
    before = text[: -len(last)][-1:] if len(text) > len(last) else b""
    return not before.isalnum() or text[-len(last) :][:1].isupper()
