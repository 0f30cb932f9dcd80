"""What logs, CI systems and container tools put in front of a line."""

from __future__ import annotations

import re
from typing import NamedTuple


class Bare(NamedTuple):
    """A line without what stood in front of it. `level`: "error" where a log level said so, "other" for another level."""

    text: str
    level: str


_DATE = r"\d{4}[-/.]\d\d[-/.]\d\d"
_TIME = r"\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?"
_STAMP = re.compile(
    rf"(?:\[?(?:{_DATE}[T ]{_TIME}(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?|{_TIME}|\d\d/[A-Z][a-z]{{2}}/\d{{4}}:{_TIME}(?: [+-]\d{{4}})?)\]?(?: - (?:[\w.]+ - )?| ?\| ?|:? ?))"
)
_SYSLOG = re.compile(rf"[A-Z][a-z]{{2}} [ \d]\d {_TIME} [\w.-]+ [\w./@-]+(?:\[\d+\])?: ?")
_SERVICE = re.compile(r"[\w.@/-]+\[\d+\]: (?=\S)")
_TAG = re.compile(r"\[[A-Za-z@][\w@./:-]*(?: [\w@./:-]+){0,3}\] (?=\S)")
_KLOG = re.compile(r"([IWEF])\d{4} [\d:.]+ +\d+ [\w./-]+:\d+\] ")
_BUILDKIT = re.compile(r"#\d+ (?:\d+\.\d+ )?")
_COMPOSE = re.compile(r"[\w.-]+(?:-\d+)? +\| ?")
_CI = re.compile(r"(?:##\[(\w+)\]|::(error|warning|notice|debug|group)(?: [^:\n]*)?::)")
_RANK = re.compile(r"\[(?:rank ?\d+|\d+)\]:? ?")
_LEVEL = re.compile(
    r"[ \t]{0,2}(?:[✘✖❌✗×⨯❯>]+ +)?(?:[a-z][\w-]{1,14}: (?=\[))?"
    r"(?:\[ ?(ERROR|ERR|FATAL|CRITICAL|CRIT|ALERT|EMERG|PANIC|SEVERE|error|err|fatal|crit|alert|emerg|critical"
    r"|WARN|WARNING|INFO|DEBUG|NOTICE|TRACE|warn|warning|info|debug|notice|trace) ?\]:?"
    r"|(ERROR(?! \S+\.py\b)|FATAL|CRITICAL|SEVERE|WARN|WARNING|INFO|DEBUG|NOTICE|TRACE)(?=[ \t:]{1,8}\S)[ \t]?:?)[ \t]{0,7}(?:\d+#\d+: (?:\*\d+ )?)?"
)
_ERROR_LEVELS = frozenset("error err fatal critical crit alert emerg panic severe".split())


def strip(line: str) -> Bare:
    """The line without time stamps, host and service names, CI marks, log levels and the like; its indentation is kept.

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
    head = line[:1]
    if head.isdigit() or head == "[":
        found = _STAMP.match(line) or _RANK.match(line)
        if found:
            return line[found.end() :], ""
    if head == "#" or head == ":":
        if found := _CI.match(line):
            return line[found.end() :], _kind(found.group(1) or found.group(2))
        if found := _BUILDKIT.match(line):
            return line[found.end() :], ""
    if head.isupper():
        if found := _SYSLOG.match(line):
            return line[found.end() :], ""
        if found := _KLOG.match(line):
            return line[found.end() :], "error" if found.group(1) in "EF" else "other"
    if found := _LEVEL.match(line):
        return line[found.end() :], _kind(found.group(1) or found.group(2))
    if "│" in line[:2] or "┃" in line[:2] or "║" in line[:2]:
        return line.lstrip("│┃║ "), ""
    if "]: " in line[:60] and (found := _SERVICE.match(line)):
        return line[found.end() :], ""
    if head == "[" and (found := _TAG.match(line)):
        return line[found.end() :], ""
    if "|" in line[:40] and (found := _COMPOSE.match(line)) and not found.group()[0].isdigit():
        return line[found.end() :], ""
    return line, ""


def _kind(level: str) -> str:
    return "error" if level.lower() in _ERROR_LEVELS else "other"
