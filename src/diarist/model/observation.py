"""What a completed run leaves for pattern learning: a `harn.pattern_learning.v1` observation, and the state beside it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

from diarist.model.entry import Outcome
from diarist.model.redacted import Redacted

SCHEMA = "harn.pattern_learning.v1"
NAMESPACE = "project/pattern-learning"

EvidenceKind: TypeAlias = Literal["run", "manual", "import"]
"""run: distilled from a transcript; manual: told by a host or person; import: taken over from another store."""
ToolKind: TypeAlias = Literal[
    "shell", "code", "read", "edit", "create", "delete", "move", "search", "web", "agent", "plan", "ask", "submit", "other"
]


class ToolUse(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call of a tool. The name is kept whole: "mcp__github__get_diff" is one name, and so is "read_file"."""

    name: Redacted
    kind: ToolKind = "other"
    """What it does, where its name tells; "other" for a tool of its own."""
    shape: Redacted = Redacted("")
    """What it was called with, short: a command line, the last part of a path, names of arguments."""
    error: bool = False
    skill: Redacted = Redacted("")
    """Name of the skill it loads, where it loads one."""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """One ended run, as patterns are mined from it. Once for each session and run."""

    id: str
    source_id: Redacted
    """ "<session>::<run>": names the run, so that it is observed once."""
    session_id: Redacted
    run_id: Redacted = Redacted("")
    evidence_kind: EvidenceKind = "run"
    prompt: Redacted
    tools: tuple[ToolUse, ...] = ()
    outcome: Outcome = "unknown"
    verified: bool | None = None
    observed_at: datetime
    project: Redacted = Redacted("")
    entry_id: str = ""
    """The diary entry of the same run, where there is one."""
    offered: tuple[str, ...] = ()
    """Names of the accepted skills whose cards stand in the transcript, sorted."""


class LearningState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a project learns patterns, and which matters rest after a rejection (matter → until when)."""

    enabled: bool = True
    suppressed_until: dict[str, datetime] = {}
    updated_at: datetime | None = None


def loaded_skill(tool: ToolUse) -> str:
    """Name of the skill that a call loads, by the client's own tool for it or by reading its file; empty where it loads none."""
    if tool.skill:
        return tool.skill
    if tool.name.lower().replace("-", "_") in ("skill", "load_skill", "activate_skill"):
        return tool.shape
    return tool.shape.removesuffix("/SKILL.md") if tool.kind == "read" and tool.shape.endswith("/SKILL.md") else ""
