"""The generic assignment parser: a key that names a secret, an operator, a value.

It starts at the operator, because that is what the prefilter finds: `key_before` reads to the left, `value_after` to the right.
Keys may be quoted, escaped, encoded, subscripted or XML tags; operators may be `=`, `:`, `=>`, `:=`, `%3D`, `\\u003d`, a table's
bar, a comma between two arguments, the word "is", or the blank after a flag.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from diarist.stages.redact.lazy import Lazy
from diarist.stages.redact.spans import Span
from diarist.stages.redact.values import Value, bare_value, value_after
from diarist.stages.redact.verdict import is_basic, is_secret
from diarist.stages.redact.words import NO_KEY, Key, Level, read_key

_NAME_CHARACTERS = bytes(code for code in range(256) if code >= 128 or chr(code).isalnum() or code in b"_.-$@")
_CLOSERS = b" \t\"'`\\])*?+!~."
_ENCODED_CLOSERS = (b"%22", b"%27", b"%5D", b"%20", b"&quot;", b"&#34;", b"&#39;", b"&apos;", b"\\u0022", b"\\u0027", b"\\t", b"\\n", b"\\r")
_TYPE_NAMES = frozenset((b"string", b"str", b"String", b"char", b"text", b"bytes", b"byte", b"str"))
_TYPE = Lazy(rb"[ \t]+(?:string|str|String|(?:const )?char\s*\*|text|bytes|\[\]byte|&str|&'static str)\Z")
_WORDS_BEFORE = Lazy(rb"(?:[A-Za-z0-9]{1,20}[ ]){1,2}\Z")
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
    name = left[len(left.rstrip(_NAME_CHARACTERS)) :].strip(b"-.")
    key = read_key(name)
    if key.level == Level.NONE:
        typed = _TYPE.search(data[low:at].rstrip()) if name in _TYPE_NAMES else None
        if typed is None:
            return Site(NO_KEY, name, low)
        left = _strip_closers(data[low : low + typed.start()])
        name = left[len(left.rstrip(_NAME_CHARACTERS)) :].strip(b"-.")
        key = read_key(name)
    start = low + left.rfind(name)
    if data[start - 1 : start] == b"\\" and name[:1] in b"ntrbf" and len(name) > 3:
        start, name = start + 1, name[1:]
        key = read_key(name)
    if name.isalpha() and data[start - 1 : start] == b" ":
        words = _WORDS_BEFORE.search(data[max(low, start - 42) : start])
        if words is not None:
            key = read_key(words[0] + name)
    return Site(key, name, start)


def _strip_closers(left: bytes) -> bytes:
    left = left.rstrip(_CLOSERS)
    while left.endswith(_ENCODED_CLOSERS):
        closer = next(one for one in _ENCODED_CLOSERS if left.endswith(one))
        left = left[: -len(closer)].rstrip(_CLOSERS)
    return left


_OPERATOR = Lazy(
    rb"%(?:25)?3[AaDd]|\\+u003[aAdD]|&\#6[01];|\xef\xbc\x9a|=>|:=|={1,3}>?|:{1,3}=|:|\|\|?|-?>|,|[ \t]+(?:is|was)\b:?|[ \t]+"
)
_ARN = Lazy(rb"arn:[\w-]*:[\w-]*:[\w-]*:\d*:\Z")
_SCHEME = Lazy(rb"(?i:bearer|basic|token|apikey|api-key|key|digest|ssws|negotiate|hmac|flyv1)[ \t]+(?=\S)|(?i:Bearer|Basic)%20")
_LINE_NOISE = Lazy(rb"(?:\A|[\n\r\x00]|\\[nrt])[^\w\n]*(?:\d{1,6}[^\w\n]{1,4})?(?:export |set |setx |ENV |ARG |env |- )?[\"']?\Z")
_BARE_NAME = Lazy(rb"[A-Za-z_]+\Z")
_LINE_END = Lazy(rb"[ \t]*(?:\Z|[\r\n]|\\[nr]|#| //|\x1b)")


def confirm(data: bytes, operator: int) -> Span | None:
    """The span of the secret assigned at `operator`, if there is one."""
    site = key_before(data, operator)
    if site.key.level == Level.NONE or _is_part(data, site.start):
        return None
    match = _OPERATOR.match(data, operator)
    if match is None:
        return None
    written = match[0]
    if (written == b">" and not _is_tag(data, site.start)) or (written == b"|" and not _is_cell(data, site.start)):
        return None
    setting = _is_setting(data, site, operator, written)
    if data[site.start - 1 : site.start] in _PARAMETER_ENDS and _PARAMETER.search(data, max(0, site.start - 6), site.start) is not None:
        site = site._replace(key=site.key._replace(level=max(site.key.level, Level.MEDIUM)))
    value = value_after(data, _after_annotation(data, match), setting=setting and site.name.isupper())
    if value is not None and not value.quoted and _is_scheme(data, site, value):
        value, setting = bare_value(data, value.end + 1, setting=False), True
    if value is None or (written == b">" and _CLOSING_TAG.match(data, value.end) is None):
        return None
    if site.name.lower() in (b"pass", b"pw") and not _is_short_key(data, operator, written, value):
        return None
    if written == b"," and not _is_last_argument(data, site, value):
        return None
    if written.isspace() and (_NAMED.match(data, value.start) is not None or data[value.start : value.start + 1] in b"-=:<>|&"):
        return None
    setting = setting or _is_whole_line(data, site, value, written)
    return judge(data, site, value, setting=setting, blank=written.isspace())


def _is_short_key(data: bytes, operator: int, written: bytes, value: Value) -> bool:
    """`pass: "…"` and `PASS=…` assign; `PASS: test_name` and `pass x on` do not."""
    tight = data[operator - 1 : operator] not in b" \t" and value.start == operator + 1
    return (value.quoted and written in (b":", b"=", b"=>", b":=")) or (written == b"=" and tight)


_ARGUMENTS_END = Lazy(rb"\\*[\"'`]?[ \t\r\n]*(?:[)\]]|,[ \t\r\n]*[^\"'`\s\\])")


def _is_last_argument(data: bytes, site: Site, value: Value) -> bool:
    """`setItem("token", "…")`, and no list of names such as `["token", "secret", "id"]`."""
    before = data[max(0, site.start - 4) : site.start].rstrip(b"\"'`\\")
    return value.quoted and before.endswith((b"(", b"[")) and _ARGUMENTS_END.match(data, value.end) is not None


_NAMED = Lazy(rb"\w+=")
_CLOSING_TAG = Lazy(rb"[.,;:!?)*]*(?:\s|\\+[nrt])*(?:<|&lt;|\\u003[cC])\\*/")


def _is_scheme(data: bytes, site: Site, value: Value) -> bool:
    """Whether the first word of a header's value names a scheme and the credential follows."""
    if _SCHEME.match(data, value.start) is not None:
        return True
    return site.name.lower().endswith(b"authorization") and data[value.end : value.end + 1] == b" " and value.end - value.start <= 20


def _is_part(data: bytes, start: int) -> bool:
    """Whether what starts here is part of a type's name, of an address or of an Amazon resource name, and no key."""
    before = data[max(0, start - 2) : start]
    if before in (b"::", b"//"):
        return True
    return before.endswith(b":") and _ARN.search(data, max(0, start - 100), start) is not None


def judge(data: bytes, site: Site, value: Value, *, setting: bool, blank: bool = False) -> Span | None:
    """The span of `value` if it is the secret that the key at `site` promises."""
    start, key = value.start, site.key
    if blank:
        key = key._replace(word=False)
    text = data[start : value.end]
    scheme = _SCHEME.match(text)
    if scheme is not None and scheme.end() < len(text):
        start += scheme.end()
        text = data[start : value.end]
        key = key._replace(level=max(key.level, Level.MEDIUM))
    if value.template and (b"{" in text):
        return None
    if site.name.lower().endswith(b"auth") and is_basic(text):
        return Span(start, value.end, "assignment", "basic-auth", rank=1, origin=site.start)
    if value.far or value.call:
        key = key._replace(level=min(key.level, Level.MEDIUM))
    if _echoes(site.name, text):
        return None
    if not is_secret(text, key, quoted=value.quoted, setting=setting):
        return None
    return Span(start, value.end, "assignment", key.kind, rank=1, origin=site.start)


_PARAMETER_ENDS = (b"?", b"&", b"6", b"F", b"f", b";")
_PARAMETER = Lazy(rb"(?:[?&]|%(?:25)?(?:26|3[fF])|&amp;|\\u0026)\Z")
_ANNOTATION = Lazy(rb"[ ]?[&*]?(?:'static )?[A-Za-z_][\w.\[\]<>, |?]{0,40}?[ ]?=[ ]?(?=[bBrRfFuU]{0,2}[\"'`])")
_OPTION = Lazy(rb"-{1,2}(?:body|value|val|data|secret|b|v)[ =]")


def _after_annotation(data: bytes, operator: re.Match[bytes]) -> int:
    """Behind the operator and what may stand between it and the value: a type (`: str =`), an option (`--body`)."""
    end = operator.end()
    between = _ANNOTATION.match(data, end) if operator[0] == b":" else _OPTION.match(data, end) if operator[0].isspace() else None
    return between.end() if between is not None else end


def _echoes(name: bytes, text: bytes) -> bool:
    """`token=token`, `PASSWORD: "password"`, `apiKey: self.apiKey`."""
    return text.lower().replace(b"_", b"").endswith(name.lower().replace(b"_", b"").split(b".")[-1])


def _is_tag(data: bytes, start: int) -> bool:
    return data[start - 1 : start] in (b"<", b":") or data[start - 4 : start] == b"&lt;"


_CELL = Lazy(rb"(?:\||\xe2\x94\x82|\A|[\r\n]|\\n)[ \t*`]*\Z")


def _is_cell(data: bytes, start: int) -> bool:
    """Whether the key stands in a table, after a bar or at the start of a row."""
    return _CELL.search(data, max(0, start - 40), start) is not None


def _is_setting(data: bytes, site: Site, operator: int, written: bytes) -> bool:
    """Whether an unquoted word after this operator is a value and no code."""
    if written in (b">", b"|") or written.startswith(b"%"):
        return True
    before = data[max(0, site.start - 2) : site.start]
    if before.endswith((b";", b"&", b"?", b"--")):
        return True
    tight = data[operator - 1 : operator] not in b" \t" and data[operator + 1 : operator + 2] not in (b" ", b"\t")
    if written == b"=" and tight and site.name.isupper():
        return True
    return written == b"=" and tight and _LINE_NOISE.search(data[max(0, site.start - 24) : site.start]) is not None


def _is_whole_line(data: bytes, site: Site, value: Value, written: bytes) -> bool:
    """`key: value` alone on its line, as in YAML, or `--flag value`; a bare name after `=` or `:` would be code."""
    if written.isspace():
        return True
    if not written.startswith((b":", b"=", b"\xef")) or _LINE_END.match(data, value.end) is None:
        return False
    if data[value.start : value.end].isalpha() or _BARE_NAME.match(data[value.start : value.end]) is not None:
        return False
    return _LINE_NOISE.search(data[max(0, site.start - 24) : site.start]) is not None
