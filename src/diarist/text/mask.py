"""What stays of an error message when everything that differs from machine to machine is taken out.

A message becomes a *template* (its words, with paths, numbers, addresses, versions, times and quoted names masked) and its
*particulars*: the few masked things that make it another fault: a public name ("No module named 'yaml'"), an error code,
an HTTP status, a signal, a byte.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from diarist.text.lazy import lazy
from diarist.text.phrases import wordset

_LONGEST = 1200
"""Characters of a message that are looked at."""


class Masked(NamedTuple):
    """A message taken apart.

    `template`: lower-case words and marks such as "<path>"; `outline`: the same with every identifier masked too;
    `particulars`: what tells two faults of one template apart; `names`: other names that stood in it, as written (mostly
    chosen by a user); `words`: all words worth searching for.
    """

    template: tuple[str, ...]
    outline: tuple[str, ...]
    particulars: tuple[str, ...]
    names: tuple[str, ...]
    words: tuple[str, ...]


_TOKEN = lazy(
    r"""
    (?P<url>[a-zA-Z][\w+.-]{1,15}://[^\s'"`<>)\]]*)
    |(?P<stamp>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?|\d\d:\d\d:\d\d(?:[.,]\d+)?)
    |(?P<quoted>(?<![\w'"`])(?:'[^'\n]{1,200}'(?!\w)|"[^"\n]{0,300}"|`[^`'\n]{1,200}[`'])|[‘“«„][^’”»“\n]{1,200}[’”»“])
    |(?P<object><[A-Za-z_][\w.]*>)
    |(?P<ratio>(?<![\w/])\d+/\d+(?![\w/]))
    |(?P<path>(?:[A-Za-z]:[\\/]|\\\\|~/|\.{1,2}/|/|@/)[^\s'"`,;:()<>|\[\]{}]+|(?<![\w@])(?:[\w.@+~-]+[\\/])+[\w.@+~-]+)
    |(?P<file>[\w@+-]+(?:\.[\w-]+)*
        \.(?:py|pyx|c|cc|cpp|cxx|h|hpp|js|mjs|cjs|jsx|ts|tsx|vue|go|rs|java|kt|rb|php|cs|sh|pl|swift|scala|o|so|a|jar)\b(?::\d+)*)
    |(?P<uuid>[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})
    |(?P<hex>0[xX][0-9a-fA-F]+)
    |(?P<address>\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d+)?|::1?(?::\d+)+|:::\d+)
    |(?P<amount>[-+]?\d[\d,]*(?:\.\d+)?\s?(?:ms|us|µs|ns|[smhd]|[KMGT]i?B|[kKMG]|bytes?|%)(?![\w]))
    |(?P<version>v?\d+\.\d+(?:\.[\w-]+)*(?:[-+][\w.]+)?)
    |(?P<number>(?<!\w)[-+]?\d+(?![\w]))
    |(?P<word>[^\W\d_][\w]*(?:[.:]{1,2}\w+|-[^\W_][\w]*|['’](?:t|s|re|ll|ve)\b)*|_+\w+|\d+\w+)
    """,
    re.VERBOSE,
)
_ANGLES = lazy(r"<(?=[A-Za-z_])|>")
_CLASS_NAME = lazy(r"[A-Za-z_][\w.]*")
_DIGEST = lazy(r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\Z")
_RANDOM = lazy(r"(?=\w*\d[a-z_]+\d)[\w:-]{4,}\Z")
_CODE = lazy(r"(?:[A-Z]{1,6}[-_]?\d{2,6}|ERR(?:_[A-Z0-9]+)+|E[A-Z]{3,14}|SIG[A-Z]{2,6})\Z")
_CAPITALS = lazy(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
_IDENTIFIER = lazy(r"(?:[a-z]+[A-Z]|[A-Z]+[a-z]+[A-Z]|\w*[^\W_]_\w|_\w)")
_CLASS_ENDINGS = ("Error", "Exception", "Failure", "Fault", "Violation", "Warning", "Err")
_EXPRESSION = lazy(r"=>|[(<{\[|&]|::")
_NAME = lazy(r"[@:*&-]{0,2}[\w$][\w$.@/+:~-]*(?:\(\))?\Z")

_PUBLIC = wordset("""
    module modules named package packages crate library libraries header resolve import dependency plugin extension command program
    executable codec encoding type to extra feature scope option flag attribute directive unit mod gem generator preset loader provider
    requirement distribution not
""")
"""Words after which a quoted name is one that other people's machines have too."""

_BUILTIN = wordset("""
    string number boolean undefined null nil none nonetype void never any unknown object function symbol bigint int integer str bytes list
    dict tuple set float double bool char long short byte array map vector slice interface error event promise utf-8 utf8 ascii latin-1
    cp1252 gbk utf-16 rb wb self this main master root head origin return await async yield class const let var static export import require
    default
""")
_TELLING = wordset("code errno signal status error exit http byte state sqlstate hresult statuscode level")
"""Words after which a number is the fault itself and not a measure of it."""

DULL = wordset("a an the of in on at to for from by with and or is are was were be been it its this that as has have had")


@lru_cache(maxsize=2_048)
def mask(message: str) -> Masked:
    """Takes a message apart. Linear in its length; only the first 1,200 characters count. Each is asked about several times."""
    parts = _Parts()
    parts.read(_without_insides(message[:_LONGEST]) if "<" in message else message[:_LONGEST], 0)
    words = tuple(dict.fromkeys(parts.words))
    return Masked(tuple(parts.template), tuple(parts.outline), tuple(parts.particulars), tuple(parts.names), words)


class _Parts:
    """Collects the pieces while a message is read from left to right."""

    def __init__(self) -> None:
        self.template: list[str] = []
        self.outline: list[str] = []
        self.particulars: list[str] = []
        self.names: list[str] = []
        self.words: list[str] = []

    def read(self, text: str, depth: int) -> None:
        for found in _TOKEN.finditer(text):
            kind, value = found.lastgroup or "", found.group()
            if kind == "word":
                self.word(value)
            elif kind == "quoted":
                self.quoted(value[1:-1], depth)
            elif kind == "number":
                self.number(value)
            elif kind == "hex":
                self.hexadecimal(value)
            elif kind in ("path", "file"):
                self.path(value)
            elif kind == "object":
                self.sign(value.lower())
            else:
                self.sign(f"<{kind}>")

    def sign(self, mark: str) -> None:
        """A masked thing; the same mark twice in a row (a list of them) counts once."""
        for into in (self.template, self.outline):
            if not into or into[-1] != mark:
                into.append(mark)

    def keep(self, token: str, outline: str = "") -> None:
        """A word that stays; `outline`: what stands for it there."""
        self.template.append(token)
        if not outline:
            self.outline.append(token)
        elif not self.outline or self.outline[-1] != outline:
            self.outline.append(outline)

    def last_words(self) -> list[str]:
        """The last two words that tell something, the last one first."""
        found: list[str] = []
        for token in reversed(self.template):
            if token[0] != "<" and token not in DULL:
                found.append(token)
                if len(found) == 2:
                    break
        return found

    def is_public(self) -> bool:
        """Whether a name that comes now is one that other people's machines have too."""
        last = self.last_words()
        return bool(last) and (last[0] in _PUBLIC or last in (["name", "import"], ["symbol", "find"]))

    def word(self, value: str) -> None:
        if _DIGEST.match(value) or _RANDOM.match(value):
            self.sign("<hex>")
        elif _CODE.match(value):
            self.particulars.append(value.lower())
            self.keep(value.lower())
            self.words.append(value)
        elif value[0].isdigit():
            self.sign("<number>")
        else:
            last = _last_part(value)
            named = _CAPITALS.match(last) or ((_IDENTIFIER.match(last) or "." in last) and not last.endswith(_CLASS_ENDINGS))
            self.keep(last.lower(), "<name>" if named else "")
            if named:
                self.names.append(last)
            if last.lower() not in DULL:
                self.words.append(last if last[0].isupper() else value)

    def quoted(self, inner: str, depth: int) -> None:
        inner = inner.strip()
        if not inner:
            self.sign("<name>")
        elif depth == 0 and inner.lower() in _BUILTIN:
            self.keep(inner.lower(), "<name>")
            self.words.append(inner)
        elif _CODE.match(inner):
            self.word(inner)
        elif _is_path(inner):
            self.path(inner)
        elif _NAME.match(inner) or (depth > 0 and " " not in inner):
            self.name(inner)
        elif depth < 3:
            before = len(self.outline)
            self.read(inner, depth + 1)
            if _EXPRESSION.search(inner):
                del self.outline[before:]
                self.outline.append("<name>")

    def name(self, value: str) -> None:
        if value.replace(".", "").isdigit():
            self.number(value)
            return
        if self.is_public():
            self.particulars.append(value.lower())
        else:
            self.names.append(value)
        self.words.append(value)
        self.sign("<name>")

    def number(self, value: str) -> None:
        digits = value.lstrip("+-")
        telling = len(digits) <= 5 and any(word in _TELLING for word in self.last_words()[:1]) and digits != "1"
        if telling or (len(digits) == 3 and digits[0] in "45"):
            self.particulars.append(digits)
            self.words.append(digits)
        self.sign("<number>")

    def hexadecimal(self, value: str) -> None:
        digits = value.lower()
        if len(digits) <= 4 or (len(digits) == 10 and digits[2] in "8c"):  # a byte; an HRESULT or NTSTATUS
            self.particulars.append(digits)
            self.words.append(digits)
        self.sign("<number>")

    def path(self, value: str) -> None:
        name = value.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].split(":", 1)[0]
        self.names.append(name)
        if self.is_public() and value[0] == "@" and value.count("/") == 1 and value[1] != "/":  # an npm scope
            self.name(value)
            return
        if name and not any(char.isdigit() for char in name):
            self.words.append(name)
        self.sign("<path>")


def _without_insides(text: str) -> str:
    """Representations of objects cut down to their class: "<Task pending coro=<f() at …>>" is "<Task>"."""
    out: list[str] = []
    depth = 0
    opened = 0
    for found in _ANGLES.finditer(text):
        if found.group() != ">":
            if depth == 0:
                out.append(text[opened : found.start()])
                opened = found.start()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                name = _CLASS_NAME.match(text, opened + 1)
                out.append(f"<{name.group() if name else 'object'}>")
                opened = found.end()
    out.append(text[opened:])
    return "".join(out)


def _is_path(text: str) -> bool:
    if text[0] in "./~" or text[1:3] in (":\\", ":/") or text.startswith(("@/", "\\\\")):
        return len(text) > 1
    if " " in text or text[0] == "@":
        return False
    return "/" in text or "\\" in text


def _last_part(word: str) -> str:
    """The class of a dotted or scoped name whose last part looks like one: "requests.exceptions.SSLError" is "SSLError"."""
    for mark in (".", "::", ":"):
        if mark in word:
            last = word.rsplit(mark, 1)[-1]
            if last[:1].isupper() and not last.isupper():
                return last
    return word
