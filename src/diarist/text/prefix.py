"""What logs, CI systems and container tools put in front of a line."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from diarist.text.lazy import lazy
from diarist.text.phrases import wordset


class Bare(NamedTuple):
    """A line without what stood in front of it. `level`: "error" where a log level said so, "other" for another level."""

    text: str
    level: str


_DATE = r"\d{4}[-/.]\d\d[-/.]\d\d"
_TIME = r"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?"
_CLOCK = rf"\d\d/[A-Z][a-z]{{2}}/\d{{4}}:{_TIME}(?: [+-]\d{{4}})?"
_STAMP = lazy(rf"\[?(?:{_DATE}[T ]{_TIME}(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?|{_TIME}|{_CLOCK})\]?(?: - (?:[\w.]+ - )?| ?\| ?|:? ?)")
_SYSLOG = lazy(rf"[A-Z][a-z]{{2}} [ \d]\d {_TIME} [\w.-]+ [\w./@-]+(?:\[\d+\])?: ?")
_SERVICE = lazy(r"[\w.@/-]+\[\d+\]: (?=\S)")
_TAG = lazy(r"\[[A-Za-z@][\w@./:-]*(?: [\w@./:-]+){0,3}\] (?=\S)")
_KLOG = lazy(r"([IWEF])\d{4} [\d:.]+ +\d+ [\w./-]+:\d+\] ")
_BUILDKIT = lazy(r"#\d+ (?:\d+\.\d+ )?")
_COMPOSE = lazy(r"[\w.-]+(?:-\d+)? +\| ?")
_CI = lazy(r"(?:##\[(\w+)\]|::(error|warning|notice|debug|group)(?: [^:\n]*)?::)")
_RANK = lazy(r"\[(?:rank ?\d+|\d+)\]:? ?")
_LEVEL = lazy(
    r"[ \t]{0,2}(?:[✘✖❌✗×⨯❯>]+ +)?(?:[a-z][\w-]{1,14}: (?=\[))?"
    r"(?:\[ ?(ERROR|ERR|FATAL|CRITICAL|CRIT|ALERT|EMERG|PANIC|SEVERE|error|err|fatal|crit|alert|emerg|critical"
    r"|WARN|WARNING|INFO|DEBUG|NOTICE|TRACE|warn|warning|info|debug|notice|trace) ?\]:?"
    r"|(ERROR(?! \S+\.py\b)|FATAL|CRITICAL|SEVERE|WARN|WARNING|INFO|DEBUG|NOTICE|TRACE)(?=[ \t:]{1,8}\S)[ \t]?:?)"
    r"[ \t]{0,7}(?:\d+#\d+: (?:\*\d+ )?)?"
)
_ERROR_LEVELS = wordset("error err fatal critical crit alert emerg panic severe")
_BY_HEAD: tuple[tuple[Callable[[str], bool], tuple[re.Pattern[str], ...]], ...] = (
    (lambda head: head.isdigit() or head == "[", (_STAMP, _RANK)),
    (lambda head: head == "#", (_BUILDKIT,)),
    (lambda head: head.isupper(), (_SYSLOG,)),
)
"""What first character a pattern needs: most lines are tried against none."""


@lru_cache(maxsize=4_096)
def strip(line: str) -> Bare:
    """The line without time stamps, host and service names, CI marks, log levels and the like; its indentation is kept.

    Logs repeat their lines, and a line is looked at from several sides.

    >>> strip("2026-03-04T07:43:48.095Z ##[error]Process completed")
    Bare(text='Process completed', level='error')
    """
    level = ""
    for _ in range(5):
        before = line
        line, said = _strip_once(line)
        level = said or level
        if line == before:
            break
    return Bare(line, level)


def _strip_once(line: str) -> tuple[str, str]:
    """The line without its first prefix, and the level that prefix told ("" where it told none)."""
    head = line[:1]
    if head in ("#", ":") and (found := _CI.match(line)):
        return line[found.end() :], _kind(found.group(1) or found.group(2))
    for fits, patterns in _BY_HEAD:
        if fits(head):
            for pattern in patterns:
                if found := pattern.match(line):
                    return line[found.end() :], ""
    if head in "IWEF" and (found := _KLOG.match(line)):
        return line[found.end() :], "error" if found.group(1) in "EF" else "other"
    if found := _LEVEL.match(line):
        return line[found.end() :], _kind(found.group(1) or found.group(2))
    return _strip_name(line, head), ""


def _strip_name(line: str, head: str) -> str:
    """Without the box, service, tag or container it stands in."""
    if any(bar in line[:2] for bar in "│┃║"):
        return line.lstrip("│┃║ ")
    if "]: " in line[:60] and (found := _SERVICE.match(line)):
        return line[found.end() :]
    if head == "[" and (found := _TAG.match(line)):
        return line[found.end() :]
    if "|" in line[:40] and not head.isdigit() and (found := _COMPOSE.match(line)):
        return line[found.end() :]
    return line


def _kind(level: str) -> str:
    return "error" if level.lower() in _ERROR_LEVELS else "other"
