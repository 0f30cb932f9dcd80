"""Imports a `gitleaks.toml` that a user has: its rules are used beside ours, and none of them is part of this program.

Paths, commits and `extend` are not looked at: a transcript is no repository. Go's expressions are rewritten for Python.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

from diarist.errors import InvalidInputError
from diarist.stages.redact.engine import Finder
from diarist.stages.redact.settings import UserPattern
from diarist.stages.redact.user import Allowed, PatternFinder, compiled
from diarist.text.lazy import lazy

_POSIX = {
    "alnum": "A-Za-z0-9",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": r"\w",
    "xdigit": "0-9A-Fa-f",
}
_FLAGS = lazy(r"\(\?(?P<on>[imsU]*)(?:-(?P<off>[imsU]+))?\)")
_WIDE = lazy(r"\\x\{(?P<hex>[0-9A-Fa-f]{1,6})\}")
_LETTERS = lazy(r"\\[pP](?:\{\^?\w+\}|\w)")
_NAMED = lazy(r"\(\?<(?![=!])")


def finders(toml: str) -> list[Finder]:
    """One for each rule that has an expression. Raises InvalidInputError where the file or a rule is not understood."""
    try:
        config = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError(f"gitleaks.toml is not valid TOML: {error}.") from error
    everywhere = _allowed(config, "the file")
    return [_finder(rule, everywhere) for rule in config.get("rules", []) if isinstance(rule, dict) and rule.get("regex")]


def _finder(rule: dict[str, Any], everywhere: tuple[Allowed, ...]) -> Finder:
    name = str(rule.get("id") or "gitleaks-rule")
    pattern = UserPattern(name, from_go(str(rule["regex"])), tuple(str(word) for word in rule.get("keywords", [])))
    group = rule.get("secretGroup")
    allowed = (*everywhere, *_allowed(rule, name))
    return PatternFinder(pattern, group=int(group) if group else None, least_entropy=float(rule.get("entropy", 0)), allowed=allowed)


def _allowed(table: dict[str, Any], rule: str) -> tuple[Allowed, ...]:
    """The allowlists of a rule or of the file; those that hang on a path or a commit never apply."""
    lists = table.get("allowlists", [])
    single = table.get("allowlist")
    found = []
    for entry in [*lists, *([single] if isinstance(single, dict) else [])]:
        if entry.get("condition", "OR").upper() == "AND" and (entry.get("paths") or entry.get("commits")):
            continue
        expressions = tuple(compiled(from_go(str(regex)), rule) for regex in entry.get("regexes", []))
        words = tuple(str(word).lower().encode() for word in entry.get("stopwords", []))
        target = entry.get("regexTarget", "secret")
        values, matches, lines = (expressions if target == name else () for name in ("secret", "match", "line"))
        found.append(Allowed(values=values, matches=matches, lines=lines, words=words))
    return tuple(found)


def from_go(regex: str) -> str:
    r"""An expression of Go (RE2) as one of Python: scoped flags, `\z`, `\Q…\E`, named groups, POSIX and Unicode classes."""
    regex = _WIDE.sub(lambda match: re.escape(chr(int(match["hex"], 16))), regex)
    regex = _LETTERS.sub(r"[A-Za-z\\x80-\\xff]", _NAMED.sub("(?P<", regex))
    out: list[str] = []
    closers = [0]
    at = 0
    while at < len(regex):
        piece, at = _next(regex, at, closers)
        out.append(piece)
    return "".join(out) + ")" * closers[0]


def _next(regex: str, at: int, closers: list[int]) -> tuple[str, int]:
    """The next piece, rewritten, and where it ends. `closers` counts, for each open group, the flag groups opened in it."""
    flags = _FLAGS.match(regex, at)
    if flags is not None:
        closers[-1] += 1
        on, off = flags["on"].replace("U", ""), (flags["off"] or "").replace("U", "")
        return f"(?{on}{'-' + off if off else ''}:", flags.end()
    char = regex[at]
    if char == "\\":
        return _escape(regex, at)
    if char == "[":
        return _character_class(regex, at)
    if char == "(":
        closers.append(0)
    elif char == ")" and len(closers) > 1:
        return ")" * closers.pop() + ")", at + 1
    return char, at + 1


def _escape(regex: str, at: int) -> tuple[str, int]:
    if regex.startswith(r"\Q", at):
        end = regex.find(r"\E", at)
        end = end if end >= 0 else len(regex)
        return re.escape(regex[at + 2 : end]), end + 2
    pair = regex[at : at + 2]
    return (r"\Z" if pair == r"\z" else pair), at + 2


def _character_class(regex: str, at: int) -> tuple[str, int]:
    """`[…]`, with POSIX classes written out."""
    end = at + 1 + regex.startswith("^", at + 1)
    end += regex.startswith("]", end)
    while end < len(regex) and regex[end] != "]":
        if regex.startswith("[:", end):
            end = regex.find(":]", end) + 1
        end += 2 if regex[end] == "\\" else 1
    inside = re.sub(r"\[:(\w+):\]", lambda match: _POSIX.get(match[1], ""), regex[at + 1 : end])
    return "[" + re.sub(r"(?<!\\)\[", r"\\[", inside) + "]", end + 1
