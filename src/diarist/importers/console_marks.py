"""The marks with which terminal agents draw their screens."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from diarist.text.lazy import lazy

Mark = Literal["prompt", "agent", "result", "thought", "box", "client", "outside"]

CLOSED = lazy(r"\s{0,2}[╭╰][─╮╯]*")
_CALL = lazy(r"((?:[A-Z]\w*|mcp__\w+)(?: [A-Z]\w*)?|[\w-]+:[\w-]+)\((.*)\Z", re.DOTALL)
_ARGUMENT = lazy(r'\b(\w{1,60}): ("(?:[^"\\]|\\.)*"|[^,]*)(?:, |\Z)')
MAX_NAMED = 4000
_NO_TOOL = frozenset(("I", "A", "The", "This", "Note", "OK", "Yes", "No"))
_PLAIN_NAMES = {
    "Bash": "command",
    "Read": "file_path",
    "Write": "file_path",
    "Update": "file_path",
    "Edit": "file_path",
    "Create": "file_path",
}


class Call(NamedTuple):
    """A tool call as the screen shows it."""

    tool: str
    arguments: dict[str, str]


def classify(line: str) -> Mark:
    """What a line of a screen begins; "outside" for lines without a mark of their own."""
    head = line.lstrip()[:1]
    if line.startswith(("> ", "❯ ")) or line in (">", "❯"):
        return "prompt"
    if head in ("⏺", "●", "✦"):
        return "agent"
    if head == "⎿":
        return "result"
    if line.startswith(("✻ Thinking", "∴ Thinking", "✻ Thought")):
        return "thought"
    if (head == "╭" and not line.startswith("╭──")) or line.startswith(" ╭"):
        return "box"
    return "client" if line.startswith(("ℹ ", "✕ ", "⚠ ", "⚡ ")) else "outside"


def is_closing(line: str) -> bool:
    """True for the lower edge of a frame."""
    return line.lstrip().startswith("╰")


def unframe(line: str) -> str:
    """The content of a framed line."""
    return re.sub(r"\A\s{0,2}│ ?", "", line.rstrip().removesuffix("│").rstrip())


def without_description(command: str) -> str:
    """A command without the description in brackets that the screen shows behind it."""
    if not command.endswith(")"):
        return command
    depth = 0
    for at in range(len(command) - 1, 0, -1):
        depth += (command[at] == ")") - (command[at] == "(")
        if not depth:
            return command[:at].rstrip() if command[at - 1].isspace() else command
    return command


def parse_call(text: str) -> Call | None:
    """The call that an agent's line shows, as `Read(file_path: "x")…`; None for words."""
    found = _CALL.match(text)
    if found is None or found[1] in _NO_TOOL:
        return None
    inner = found[2].strip()
    closed = inner.removesuffix("…").rstrip()
    inner = closed.removesuffix(")") if closed.endswith(")") else inner
    if inner == found[2].strip() and "\n" not in found[2] and not text.rstrip().endswith("…"):
        return None
    inner = re.sub(r"\n\s*", " ", inner) if found[1] != "Bash" else re.sub(r"\n {0,6}", "\n", inner)
    named = _ARGUMENT.findall(inner[:MAX_NAMED]) if found[1] != "Bash" and re.match(r"\w+: ", inner) else []
    if named:
        return Call(found[1], {name: value.strip('"') for name, value in named})
    return Call(found[1], {_PLAIN_NAMES.get(found[1], "input"): inner} if inner else {})
