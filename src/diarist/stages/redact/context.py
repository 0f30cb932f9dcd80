"""What stands around an assignment: whether a word without quotes is a value there, or code."""

from __future__ import annotations

from diarist.stages.redact.values import Value
from diarist.text.lazy import lazy

_LINE_START = lazy(rb"(?:\A|[\n\r\x00]|\\[nrt])[^\w\n]*(?:\d{1,6}[^\w\n]{1,4})?(?:export |set |setx |ENV |ARG |env |- )?[\"']?\Z")
_LINE_END = lazy(rb"[ \t]*(?:\Z|[\r\n]|\\[nr]|#| //|\x1b)")
_BARE_NAME = lazy(rb"[A-Za-z_]+\Z")
_CELL_START = lazy(rb"(?:\||\xe2\x94\x82|\A|[\r\n]|\\n)[ \t*`]*\Z")
_ARN = lazy(rb"arn:[\w-]*:[\w-]*:[\w-]*:\d*:\Z")
_PARAMETER = lazy(rb"(?:[?&]|%(?:25)?(?:26|3[fF])|&amp;|\\u0026)\Z")
_PARAMETER_ENDS = frozenset(b"?&6Ff;")
_ARGUMENTS_END = lazy(rb"\\*[\"'`]?[ \t\r\n]*(?:[)\]]|,[ \t\r\n]*[^\"'`\s\\])")
_CLOSING_TAG = lazy(rb"[.,;:!?)*]*(?:\s|\\+[nrt])*(?:<|&lt;|\\u003[cC])\\*/")
_NAMED_ARGUMENT = lazy(rb"\w+=")


def is_part(data: bytes, start: int) -> bool:
    """Whether what starts here is part of a type's name, of an address or of an Amazon resource name, and no key."""
    if data[start - 1 : start] not in (b":", b"/"):
        return False
    return data[max(0, start - 2) : start] in (b"::", b"//") or _ARN.search(data, max(0, start - 100), start) is not None


def is_parameter(data: bytes, start: int) -> bool:
    """Whether the key is a parameter of an address: `?key=`, `&sig=`."""
    return start > 0 and data[start - 1] in _PARAMETER_ENDS and _PARAMETER.search(data, max(0, start - 6), start) is not None


def is_element(data: bytes, start: int, value: Value) -> bool:
    """`<password>…</password>`, `<string name="api_key">…</string>`."""
    before = data[max(0, start - 6) : start]
    opens = before.endswith((b"<", b"</", b":", b"&lt;", b'="', b"='", b'=\\"'))
    return opens and _CLOSING_TAG.match(data, value.end) is not None


def is_cell(data: bytes, start: int, operator: int, value: Value) -> bool:
    """`| DB_PASSWORD | … |`, and no alternatives of a regular expression; or `||`, as in JavaScript."""
    if data[operator : operator + 2] == b"||":
        return value.quoted
    width = 3 if data[operator : operator + 1] == b"\xe2" else 1
    after = data[value.end : value.end + 40].lstrip(b" \t*`")
    return (
        data[operator + width : operator + width + 1] in (b" ", b"\t")
        and (not after or after.startswith((b"|", b"\xe2\x94\x82", b"\n", b"\r", b"\\n")))
        and _CELL_START.search(data, max(0, start - 40), start) is not None
    )


def is_last_argument(data: bytes, start: int, value: Value) -> bool:
    """`setItem("token", "…")`, and no list of names such as `["token", "secret", "id"]`."""
    before = data[max(0, start - 6) : start].rstrip(b"\"'`\\#.")
    return value.quoted and before.endswith((b"(", b"[")) and _ARGUMENTS_END.match(data, value.end) is not None


def is_operand(data: bytes, value: Value) -> bool:
    """Whether a word after a blank may be a value: no option, no operator, no named argument."""
    return data[value.start : value.start + 1] not in b"-=:<>|&" and _NAMED_ARGUMENT.match(data, value.start) is None


def is_setting(data: bytes, start: int, name: bytes, operator: int, written: bytes, value: Value) -> bool:
    """Whether an unquoted value stands where settings stand: `.env`, YAML, INI, a flag, a table, an address, a connection string."""
    if written in (b">", b"|", b"\xe2\x94\x82") or written.startswith(b"%") or written.isspace():
        return True
    if data[max(0, start - 2) : start].endswith((b";", b"&", b"?", b"--")):
        return True
    if not written.startswith((b"=", b":", b"\xef")):
        return False
    tight = written == b"=" and value.start == operator + 1 and data[operator - 1] not in b" \t"
    if tight and name.isupper():
        return True
    if not tight and (_LINE_END.match(data, value.end) is None or _BARE_NAME.match(data[value.start : value.end]) is not None):
        return False
    return _LINE_START.search(data, max(0, start - 24), start) is not None
