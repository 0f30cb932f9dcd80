"""What the session was about: its prompt without wrappers, and a title of one line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from diarist.model.bullet import UNASKED
from diarist.stages.distil.bullets import one_line
from diarist.stages.distil.prose import is_no_prose
from diarist.text.clip import clip
from diarist.text.fingerprint import errors_in
from diarist.text.lazy import lazy

LONGEST = 120
_LONGEST_LEAD = 80
_LEAST_EXPLAINING = 60
"""Characters of a sentence that is worth more than the names of files."""
_LOOKED_AT = 4000
_SAME = 15
"""Characters by which an error is known in the line above it."""
_FRAME = "Traceback (most recent call last)"
_PRINTED = frozenset("•│┃┌└├✓✔✗✘⨯⠋●")
"""Signs that programs begin lines with, and people do not."""
_WRAPPED = lazy(
    r"<(issue|pr_description|problem_statement|task|user_query|question|user_request|instruction|request|goal)>(.*?)</\1>",
    re.DOTALL | re.IGNORECASE,
)
_DESCRIBED = lazy(r"<(\w{0,12}(?:description|statement|report|issue|problem|task)\w{0,12})>\s*(.{15,}?)\s*</\1>", re.DOTALL | re.IGNORECASE)
"""What a template only introduces: the part that says what the task is, for the title."""
_LABELLED = lazy(r"^(?:ISSUE|TASK|PROBLEM(?: STATEMENT)?|QUESTION|REQUEST|USER REQUEST|GOAL)\s*:\s*\n?(.+)", re.MULTILINE | re.DOTALL)
_LABEL = lazy(r"ISSUE|TASK|PROBLEM|QUESTION|REQUEST|GOAL")
_BARE_PATHS = lazy(r"(?:/(?:add|read-only|drop|clear|ls)\s+)?(?:[\w.@~-]*[/.][\w./~-]+\s*)+$")
_MARKS = lazy(r"^[\s>❯»›$#*_`\-=]+|[\s*_`=]+$")
_EMPTY_LINE = lazy(
    r"\s*(?:(?:hi|hello|hey|hallo|bonjour|hola|こんにちは|你好)\b.{0,20}|implement the following(?: plan| changes?)?|please (?:implement|"
    r"do) the following.*|here(?:'s| is) (?:the|a|my) .{0,40}|context|background|description|summary|overview|plan|"
    r"bug report|steps to reproduce|<[^>]+>|\[?image.*\]?|\[[^\]]*pasted[^\]]*\])\s*[:.!]?\s*$",
    re.IGNORECASE,
)
_PREAMBLE = lazy(
    r"(?:system\s*:|you(?: a|')re (?:a|an|the|now)\b|session\s*$|"
    r"(?:agent|model|role|repo(?:sitory)?|project|workspace|branch(?: policy)?|cwd|directory|environment|session|date|version)\s*:\s)",
    re.IGNORECASE,
)
"""What stands before a task: who the agent is and where it works."""
_NO_TITLE = lazy(r"(?:untitled|new (?:session|chat|conversation)|session|conversation|chat)\b.{0,30}$|[\w-]{30,}$", re.IGNORECASE)


def bare_prompt(text: str) -> str:
    """What was asked, without the template that a harness puts around it."""
    wrapped = _WRAPPED.search(text) if "</" in text else None
    if wrapped and len(inside := wrapped[2].strip()) >= 15:
        return inside
    labelled = _LABELLED.search(text) if _LABEL.search(text) else None
    if labelled and len(labelled[1]) >= 15 and labelled.start() > 20:
        return labelled[1].strip()
    return text.strip()


def is_bare_names(prompt: str) -> bool:
    """Names of files (or of a model) that were added to the chat, and no request."""
    return _BARE_PATHS.match(prompt.strip()) is not None


def requests_of(prompts: Sequence[str]) -> list[str]:
    """The prompts from the first one that asks for something: names of files that were only added to the chat come before it."""
    first = next((at for at, prompt in enumerate(prompts) if not is_bare_names(prompt)), 0)
    return list(prompts[first:])


def make_title(given: str, prompts: Sequence[str], reply: str, files: Sequence[str]) -> str:
    """The client's own title, else the first line of the request that says something, else the agent's first words."""
    if given.strip() and not _NO_TITLE.match(given.strip()):
        return clip(one_line(given), LONGEST)
    title = next((line for prompt in prompts if (line := _title_line(prompt))), "") or _title_line(reply) or _first_words(prompts)
    title = clip(title, LONGEST) if title else UNASKED
    named = list(dict.fromkeys(path.rsplit("/", 1)[-1] for path in files[:2]))
    if named and len(title) < 70 and not any(name in title for name in named):
        title += f" ({', '.join(named)})"
    return title


def _first_words(prompts: Sequence[str]) -> str:
    return next((words for prompt in prompts if (words := one_line(prompt))), "")


def _announced(lines: Sequence[str], line: str, asked: str) -> str:
    """What a sentence that ends in a colon leads to: "Let's look at these two:" alone says nothing. Of pasted output, its error."""
    if " " not in line or len(line) > _LONGEST_LEAD or line == lines[-1]:
        return ""
    following = lines[lines.index(line) + 1]
    if not is_no_prose(following, following):
        return following
    error = _error_of(asked)
    return error if error[:_SAME] not in line else ""


def _explained(lines: Sequence[str], line: str) -> str:
    """What stands below a line of a word or two: "Low Severity" is said of something."""
    if line.count(" ") > 1 or line[-1] in ".!?…" or line == lines[-1]:
        return ""
    following = lines[lines.index(line) + 1]
    return "" if len(following) < _LEAST_EXPLAINING or is_no_prose(following, following) else following


def _error_of(asked: str) -> str:
    return next((error.message for error in errors_in(asked[:_LOOKED_AT])), "")


def _title_line(prompt: str) -> str:
    asked = bare_prompt(prompt)
    described = _DESCRIBED.search(asked) if "</" in asked else None
    lines = (one_line(_MARKS.sub("", line)) for line in (described[2] if described else asked).split("\n")[:40])
    telling = [line for line in lines if len(line) >= 4 and not _EMPTY_LINE.match(line) and re.search(r"\w\w", line)]
    line = next((line for line in telling if not _PREAMBLE.match(line)), telling[0] if telling else "")
    if line and (line[0] in _PRINTED or line.startswith(_FRAME) or is_no_prose(line, line)):
        line = _error_of(asked) or line
    elif line.endswith((":", "：")):
        line = f"{line} {_announced(telling, line, asked)}".rstrip()
    elif line and (more := _explained(telling, line)):
        line = f"{line}: {more}"
    return f"Asked to solve “{clip(line, LONGEST - 17)}”" if line and described else line
