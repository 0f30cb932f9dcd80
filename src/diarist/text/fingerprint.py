"""Errors in console output, and the fingerprint by which the same fault is known elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from diarist.text.clip import clip
from diarist.text.console import Finding, find_errors
from diarist.text.lazy import lazy
from diarist.text.mask import DULL, mask
from diarist.text.phrases import wordset

_MOST = 64
"""Distinct errors of one text that are told; a log of thousands of them says no more."""

_DEEPEST = 12
"""Causes of a chain that are looked at, from the innermost."""
_CLAUSE = lazy(r": (?=\S)| - (?=\S)|\(Caused by ")
_QUOTED = lazy(r"(?<!\w)(?:'[^'\n]{1,200}'(?!\w)|\"[^\"\n]{0,300}\"|`[^`'\n]{1,200}[`'])")
_ASIDE = lazy(r"\([^()\s]*\)")
_WRAPPED_CLASS = lazy(r"\((?:\w+\.)+[A-Z]\w+\) ")
_CLASS = lazy(
    r"(?:[\w$]+[.:]+)*[A-Z]\w*(?:Error|Exception|Failure|Fault|Violation)(?: \[[\w.]+\])?\Z|(?:[\w$]+[.:]+)+[A-Z]\w+\Z|Error\Z|Failed\Z"
)
_FIELDS = lazy(r'(?:, \w+: (?:"[^"]*"|[^,"]*)){2,}\Z')
_COMMON = wordset("""
    no such file directory permission denied operation not permitted connection refused reset peer command found host route timed out exists
    already access failed error unexpected status invalid argument process broken pipe input output name service known
""")
"""Words of causes that many faults end in: "No such file or directory" alone tells nothing."""


class FoundError(NamedTuple):
    """One distinct error of a text.

    `fingerprint`: 16 hex digits; the first eight are the fault's family (the message with every name and number masked),
    so two errors that differ only in the name of a module share them. `line`: index (0-based) of the line it starts on.
    """

    message: str
    """The line a person would look for, without time stamps and prefixes, at most 300 characters."""
    fingerprint: str
    where: str
    """File and line, or the frame it came from; empty where the text does not tell."""
    line: int
    words: tuple[str, ...]
    """Words that other reports of this fault hold too, for ranking: no paths, numbers, times or addresses."""
    names: tuple[str, ...] = ()
    """Those of `words` that are identifiers somebody chose, so that another report may hold others."""


def errors_in(text: str, *, failed: bool = False) -> list[FoundError]:
    """Every distinct error that console output tells of, in order of appearance.

    Understands tracebacks, compilers, test runners, linters, package managers and the like, among progress lines, time stamps,
    colours and hard wraps. Source code, search results and "0 errors" are no errors. What only says that something else
    failed ("make: *** Error 1") is told only where nothing better is there. `failed`: the text is known to come from something
    that failed (an exit code says so), so that its last telling line counts as an error where no line looks like one.
    Linear in the length of the text.
    """
    return list(_errors_in(text, failed))


@lru_cache(maxsize=128)
def _errors_in(text: str, failed: bool) -> tuple[FoundError, ...]:
    """A check that is run again and again often says the same."""
    found: dict[str, FoundError] = {}
    for finding in find_errors(text, failed=failed):
        error = _describe(finding)
        known = found.get(error.fingerprint)
        if known is None:
            if len(found) < _MOST:
                found[error.fingerprint] = error
        elif not known.where and error.where:
            found[error.fingerprint] = known._replace(where=error.where)
    return tuple(found.values())


def fingerprint(message: str, origin: str = "") -> str:
    r"""The fingerprint of one error message: 16 hex digits, the first eight of them its family.

    `origin`: name of the library it was raised in; counts only where the message itself says next to nothing.

    >>> fingerprint("cp: cannot stat '/srv/a/x.txt'") == fingerprint("cp: cannot stat 'C:\\tmp\\y'")
    True
    """
    return _digest(message, origin)


def family(fingerprint: str) -> str:
    """What fingerprints of faults that differ only in names and numbers share."""
    return fingerprint[:8]


def _describe(finding: Finding) -> FoundError:
    message = finding.message
    if finding.details and _says_little(message):
        message = f"{message.rstrip(' :')}: {finding.details[0].removeprefix('DETAIL:').strip(' >')}"
    said = [mask(message), *(mask(line) for line in finding.details)]
    return FoundError(
        message=clip(message, 300),
        fingerprint=_digest(finding.message, finding.origin),
        where=finding.where,
        line=finding.line,
        words=tuple(dict.fromkeys([*(word for masked in said for word in masked.words), *finding.frames]))[:60],
        names=tuple(dict.fromkeys(name for masked in said for name in masked.names)),
    )


def _says_little(message: str) -> bool:
    """Whether a message is only a heading, or a word or two."""
    return message.endswith(":") or (len(_telling(mask(message).outline)) < 3 and not _QUOTED.search(message))


@lru_cache(maxsize=2_048)
def _digest(message: str, origin: str) -> str:
    """Family and fault, eight hex digits each."""
    first = _first_sentence(_FIELDS.sub("", message))
    masked = mask(first)
    template, particulars = masked.template, sorted(set(masked.particulars))
    telling = _telling(template)
    if len(telling) >= 5 and _CLASS.match(first.split(": ", 1)[0]):
        template = template[1:]  # the same message in another library's exception
    if len(telling) <= 1:
        particulars += [*(name.lower() for name in masked.names[:1]), origin]
    return _hash(_root(first)) + _hash([*template, "", *particulars])


def _first_sentence(message: str) -> str:
    """The message up to its first full stop, where that says enough."""
    at = message.find(". ")
    while 0 < at < len(message) - 2:
        if (message[at + 2].isupper() or message[at - 1] in "]})") and len(_telling(mask(message[:at]).template)) >= 3:
            return message[:at]
        at = message.find(". ", at + 2)
    return message


def _root(message: str) -> tuple[str, ...]:
    """The innermost cause a chain of messages names ("a: b: c"), in outline: its last clauses that say enough."""
    clauses = _clauses(_ASIDE.sub("", _WRAPPED_CLASS.sub("", _without_asides(message))))
    for start in range(len(clauses) - 1, max(-1, len(clauses) - _DEEPEST), -1):
        outline = mask(": ".join(clauses[start:])).outline
        telling = _telling(outline)
        enough = 2 if start == 1 and _CLASS.match(clauses[0]) else 3
        if len(telling) >= enough and not _COMMON.issuperset(telling):
            return outline
    return mask(message).outline


def _clauses(message: str) -> list[str]:
    """Cut at ": " and " - ", but not inside quotes."""
    quoted = [found.span() for found in _QUOTED.finditer(message)]
    cuts = [found.span() for found in _CLAUSE.finditer(message) if not any(start < found.start() < end for start, end in quoted)]
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(message)]
    return [message[start:end] for start, end in zip(starts, ends, strict=True)]


def _without_asides(message: str) -> str:
    """The message without the brackets it ends in: "… (_ssl.c:1006)", "… [default, releases]", "… -> [Help 1]"."""
    text = message
    for _ in range(4):
        bare = text.rstrip(" '\"`)]}>.,:;-")
        opened = max(bare.rfind(mark) for mark in (" (", " [", " {"))
        closed = max(bare.rfind(mark) for mark in ")]}")
        if not any(mark in text[len(bare) :] for mark in ")]}") or opened <= max(closed, 0) or len(bare) - opened > 160:
            break
        text = bare[:opened]
    return text if len(text) > 12 else message


def _telling(template: tuple[str, ...]) -> list[str]:
    return [token for token in template if token[0] != "<" and token not in DULL]


def _hash(parts: Sequence[str]) -> str:
    return hashlib.blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=4).hexdigest()
