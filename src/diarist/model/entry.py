"""The diary entry: one finished run, as a pure function of one session."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

from diarist.model.redacted import Redacted
from diarist.model.session import CaptureReport, Usage

Outcome: TypeAlias = Literal["completed", "recovered", "failed", "interrupted", "unknown"]
CommandKind: TypeAlias = Literal["test", "build", "lint", "typecheck", "install", "run", "vcs", "search", "other"]
FileOperation: TypeAlias = Literal["read", "edit", "create", "delete", "move"]

SCHEMA_VERSION = 1
"""Version of the published diary JSON (Bernstein's nine fields and ours)."""


class Signal(msgspec.Struct, frozen=True, kw_only=True):
    """An observable fact that the outcome rests on, and the steps it comes from."""

    name: str
    """"check-passed", "check-failed", "api-error", "interrupted", "escalation", "refusal", "limit", "host:…", …"""
    detail: Redacted = Redacted("")
    steps: tuple[int, ...] = ()


class ErrorSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One distinct error of a run."""

    fingerprint: str
    """`text.fingerprint.fingerprint` of the error: the same for the same fault elsewhere."""
    message: Redacted
    """The first line a person would look for."""
    tool: Redacted = Redacted("")
    where: Redacted = Redacted("")
    steps: tuple[int, ...] = ()
    count: int = 1
    resolved: bool | None = None
    """True: the same check passed later; False: it did not; None: cannot be told."""
    resolved_by: Redacted = Redacted("")


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A command that was run (each text once, with the result of its last run)."""

    text: Redacted
    kind: CommandKind
    passed: bool | None = None
    exit_code: int | None = None
    runs: int = 1
    steps: tuple[int, ...] = ()


class FileTouched(msgspec.Struct, frozen=True, kw_only=True):
    """A file and what the run did to it, in order."""

    path: Redacted
    operations: tuple[FileOperation, ...]


class Fix(msgspec.Struct, frozen=True, kw_only=True):
    """What made a failing check pass: the edits and commands between the last failing and the first passing run."""

    error: str
    """Fingerprint of the error it fixed; empty where the check failed without a readable error."""
    text: Redacted
    files: tuple[Redacted, ...] = ()
    commands: tuple[Redacted, ...] = ()
    steps: tuple[int, ...] = ()


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a bullet rests on: the exact redacted words and the steps they stand in."""

    bullet: int
    """Position of the bullet in its list, from 0."""
    quote: Redacted
    steps: tuple[int, ...] = ()


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One finished run. Steps are numbered from 0 in the order of the session's canonical rendering."""

    id: str
    """"kh-" and 16 lower-case base32 characters; see `model.ids`."""
    task_id: Redacted
    session_id: Redacted
    workflow: Redacted = Redacted("")
    agent: Redacted
    model: Redacted = Redacted("")
    route: Redacted = Redacted("")
    project: Redacted
    title: Redacted
    prompt: Redacted = Redacted("")
    outcome: Outcome = "unknown"
    signals: tuple[Signal, ...] = ()
    verified: bool | None = None
    tried: tuple[Redacted, ...] = ()
    worked: tuple[Redacted, ...] = ()
    failed: tuple[Redacted, ...] = ()
    rationale: Redacted = Redacted("")
    learned: Redacted = Redacted("")
    learned_by: Redacted = Redacted("")
    """Model that wrote `learned`; empty where no model did."""
    errors: tuple[ErrorSeen, ...] = ()
    fixes: tuple[Fix, ...] = ()
    tools: tuple[Redacted, ...] = ()
    commands: tuple[Command, ...] = ()
    files: tuple[FileTouched, ...] = ()
    file_operations: int = 0
    escalations: int = 0
    build_attempts: int = 0
    build_tail: Redacted = Redacted("")
    tags: tuple[Redacted, ...] = ()
    usage: Usage = Usage()
    started_at: datetime | None = None
    created_at: datetime
    """End of the run, UTC, whole seconds."""
    redaction_hash: str
    entry_hash: str = ""
    """SHA-256 of the entry's own JSON without this field; see `model.codec.seal`."""
    evidence: dict[str, tuple[Evidence, ...]] = {}
    """By list: tried, worked, failed, rationale, learned."""
    capture: CaptureReport = CaptureReport()
    source: Redacted = Redacted("")
    """Format the session came in, as "claude-code/jsonl"; "host" where a host told the run itself."""
    rules_version: str = ""
    """Version of the redaction rules."""
    distil_version: int = 0
    schema_version: int = SCHEMA_VERSION
