"""What Codex tools gave back, in the three ways its versions wrote it, and where the exit status stands in each."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from diarist.importers.speech import without_reminders
from diarist.importers.values import as_exit_code, as_str, compact, content_text, parse_json
from diarist.model.session import Mark

_EXIT_LINE = re.compile(r"(?:^|\n)(?:Exit code: |Process exited with code )(-?\d{1,9})[^\n]*(?=\n|\Z)")
_EXIT_NAMES = ("Exit code: ", "Process exited with code ")
_FAILED_WITH = re.compile(
    r"[^\n]{0,80}?(?:failed|exited)[^\n]{0,40}?\b(?:exit )?(?:code|status):? (-?\d{1,9})\)?[.:]?[ \t]*(?:\n|\Z)", re.IGNORECASE
)
_HEADER = re.compile(
    r"(?:Exit code|Wall time|Chunk ID|Command|Total output lines|Original token count|Process (?:exited|running))\b[^\n]*(?:\n|\Z)"
)
_FAILED = (
    "failed in sandbox",
    "execution error",
    "apply_patch verification failed",
    "failed to parse function arguments",
    "unsupported call",
    "unsupported custom tool call",
    "sandbox error",
    "command timed out",
    "error: ",
    "Error: ",
    "err: ",
    "tool call error",
    "write_stdin failed",
    "exec_command failed",
    "invalid patch",
)
_REFUSED = ("exec command rejected by user", "patch rejected by user", "rejected by user", "user rejected", "user cancelled MCP tool call")
_ABORTED = ("aborted by user", "aborted", "command was aborted by the user")
_TELLING = re.compile(
    "|".join((*map(re.escape, (*_REFUSED, *_ABORTED, *_FAILED)), r"Success\.", _HEADER.pattern, "(?i:error|command|the comma)"))
)
"""How every output begins that says more than its text."""
_TELLING_LETTERS = frozenset("aceEfpirstuwSWCTOP")
"""Their first letters."""
_LOOKED_AT = _TELLING_LETTERS | {"{"}
_STATUS_NAMES = ("exit_code", "exitCode", "returncode")
_STATUS_NAME = re.compile(r'"(?:metadata|output|exit_code|exitCode|returncode)"')


class Output(NamedTuple):
    """A tool's output understood."""

    text: str
    error: bool | None = None
    exit_code: int | None = None
    mark: Mark = ""


def is_mere_text(text: str) -> bool:
    """Whether an output is its text and nothing more, as most are: `understand_output` has nothing to find at its beginning."""
    return text[:1] not in _LOOKED_AT and "<" not in text


def understand_output(output: object) -> Output:
    """Text, error flag and exit status of the output of a call."""
    if isinstance(output, dict):
        return _from_object(output)
    text = output if isinstance(output, str) else content_text(output)
    if text.startswith("{") and _STATUS_NAME.search(text):
        parsed = parse_json(text)
        if isinstance(parsed, dict) and ("metadata" in parsed or "output" in parsed):
            return _from_object(parsed)
    return _from_text(text)


def _from_object(value: dict[str, Any]) -> Output:
    """`{output, metadata: {exit_code}}`, `{content, success}`, `{stdout, stderr, exitCode}` and their like."""
    metadata = value.get("metadata")
    holder = metadata if isinstance(metadata, dict) else value
    code = None
    for name in _STATUS_NAMES:
        if (code := as_exit_code(holder.get(name))) is not None:
            break
    if "stdout" in value or "stderr" in value:
        text = "\n".join(filter(None, (as_str(value.get("stdout")), as_str(value.get("stderr")))))
    else:
        inner = next((value[name] for name in ("output", "content", "text", "result") if value.get(name) is not None), None)
        text = content_text(inner) if inner is not None else compact({key: part for key, part in value.items() if key != "metadata"})
    success = value.get("success")
    found = _from_text(text)
    if code is not None:
        return found._replace(error=code != 0, exit_code=code)
    if isinstance(success, bool):
        return found._replace(error=found.error or not success)
    return found


def _from_text(text: str) -> Output:
    text = without_reminders(text)
    if text[:1] not in _TELLING_LETTERS or not (_HEADER.match(text) or _TELLING.match(text)):
        return Output(text)
    if text.startswith(_REFUSED):
        return Output(text, True, None, "refusal")
    if text.startswith(_ABORTED):
        return Output(text, True, None, "interrupt")
    head = text[:600]
    titled = _HEADER.match(head) is not None
    exit_line = _EXIT_LINE.search(head) if titled and any(name in head for name in _EXIT_NAMES) else None
    if exit_line:
        code = int(exit_line[1])
        return Output(_body(text), code != 0, code)
    failed_with = _FAILED_WITH.match(head) if head[:9].lower().startswith(("error", "command", "the comma")) else None
    if failed_with:
        return Output(text, int(failed_with[1]) != 0, int(failed_with[1]))
    if text.startswith(_FAILED):
        return Output(text, True)
    return Output(_body(text) if titled else text, False if text.startswith("Success.") else None)


def _body(text: str) -> str:
    """The output without the lines that Codex puts above it."""
    at = 0
    while line := _HEADER.match(text, at):
        at = line.end()
    return text[at:].removeprefix("Output:\n").removeprefix("Output:")
