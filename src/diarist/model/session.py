"""The neutral transcript: what every importer makes of its format, before and after redaction.

An importer yields `RawStep`s; `stages.redact` turns each into a `Step`. Nothing but a `Step` goes on.
Close to the Agent Trajectory Interchange Format, so that sessions can be written back out as it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, TypeAlias

import msgspec

from diarist.model.redacted import Redacted, RedactedJson

StepKind: TypeAlias = Literal["prompt", "reply", "thought", "call", "result", "notice"]
"""Who says what.

prompt   a person (or the host that drives the agent) asks; text that the client typed for the user is a notice
reply    the agent's visible text
thought  the agent's reasoning
call     the agent calls a tool: `tool`, `arguments`, `call_id`
result   what the tool gave back: `call_id`, `error`, `exit_code`
notice   what the client or system reports; `mark` says what
"""

Mark: TypeAlias = Literal[
    "",
    "refusal",  # result or notice: the person declined the call or corrected it
    "interrupt",  # notice: the person stopped the run
    "api-error",  # notice: the model's service failed (text: message)
    "model-refusal",  # notice: the model declined to answer
    "limit",  # notice: the run ended at a limit (turns, tokens, cost, time)
    "give-up",  # notice: the agent or host ended the run without a result
    "escalation",  # notice: a stronger model or more effort took over, or another agent or person (text: "from -> to")
    "handover",  # notice: work went to another agent
    "model",  # notice: the model in use changed (text: "from -> to"), direction unknown
    "compaction",  # notice: earlier steps were summarised (text: the summary; nothing new happened)
    "clear",  # notice: the format's own mark of a new task in the same file
    "command",  # notice: a slash command of the client typed by the person (text: the command)
    "machine",  # notice: text put into a user turn by the client, hooks or instructions files
    "title",  # notice: the client's title for the session
    "link",  # notice: a pull request or issue the session made (text: its address)
    "submit",  # notice: the agent handed in its work
    "end",  # notice: the format's own record of a normal end
    "error-end",  # notice: the format's own record that the run ended by an error
]


class RawStep(msgspec.Struct, frozen=True, gc=False):
    """One thing that happened, as the source tells it. Unredacted: it must not be kept, logged or shown."""

    kind: StepKind
    session: str
    """Native id of the session this belongs to; a file may hold several."""
    rid: str
    """Id of the step, unique within its session and the same in every copy of the session (record id, plus block number)."""
    text: str = ""
    at: datetime | None = None
    tool: str = ""
    arguments: dict[str, Any] | None = None
    call_id: str = ""
    error: bool | None = None
    """result: what the format's own flag says; None where it has none."""
    exit_code: int | None = None
    mark: Mark = ""
    actor: str = ""
    """Subagent that did this; empty for the session's main agent."""
    line: int = 0
    """Line (1-based) or record number in the source; 0 where there is none."""


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A `RawStep` after redaction. `stages.redact.redact_step` makes it.

    `clipped` counts the characters cut out of a long text or argument (after redaction).
    """

    kind: StepKind
    rid: Redacted
    text: Redacted = Redacted("")
    at: datetime | None = None
    tool: Redacted = Redacted("")
    arguments: RedactedJson | None = None
    call_id: Redacted = Redacted("")
    error: bool | None = None
    exit_code: int | None = None
    mark: Mark = ""
    actor: Redacted = Redacted("")
    clipped: int = 0


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens counted once per model reply; cost in US dollars; latency in milliseconds. None or 0: not told."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    cost_usd: float | None = None
    latency_ms: int | None = None


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Something in a source that could not be used: where (1-based line, 0 unknown) and why. Never its text."""

    line: int
    reason: str


class Naming(msgspec.Struct, frozen=True, kw_only=True):
    """How an importer came to the name of a session that has none itself, or had another name in earlier versions.

    Unredacted: it is used while a source is read and then forgotten. See `app.naming`.
    """

    opening: tuple[str, ...] = ()
    """Texts, or JSON texts, that the name was made of."""
    digest: str = ""
    """The part of the name that was made of them (hex digits)."""
    former: str = ""
    """What earlier versions called the session: what is stored under that name keeps it."""


class CaptureReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a source held for one session and what became of it.

    `seen == kept + sum(skipped.values()) + malformed`, counted in records of the source (JSON lines, messages, …).
    A record is kept if at least one step or a fact about the session was taken from it.
    """

    seen: int = 0
    kept: int = 0
    skipped: dict[str, int] = {}
    """Reason to count: "progress", "duplicate", "state", "snapshot", "unknown-type", …"""
    malformed: int = 0
    truncated: int = 0
    """Texts that were longer than the limit and were clipped."""
    redacted: int = 0
    """Places that were masked."""
    calls: int = 0
    calls_paired: int = 0
    """Tool calls for which a result was found."""
    problems: tuple[Problem, ...] = ()
    """The first twenty."""


class SessionInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts about one session as one source tells them. Raw from an importer; `redact_info` makes every string safe.

    A session may have several sources (copies, subagent files); `merge_infos` in `app.ingest` unites them.
    """

    session: str
    agent: str
    """"claude-code", "codex", …"""
    format: str
    """Name and generation of the format, as "codex/bare"."""
    role: Literal["main", "subagent"] = "main"
    actor: str = ""
    """role subagent: its id."""
    parent_session: str = ""
    workflow: str = ""
    agent_version: str = ""
    models: tuple[str, ...] = ()
    """Models used, most used first."""
    cwd: str = ""
    """Most common working directory."""
    repository: str = ""
    """Git remote, where the source tells it."""
    branch: str = ""
    title: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    usage: Usage = Usage()
    rendering: bool = False
    """Another program's account of the session: it is told only where the session's own transcript is not there."""
    split_of: str = ""
    """Task key where the format itself splits a file or session into tasks; else empty."""
    task: str = ""
    """Task id where a host gave one."""
    project: str = ""
    """Project where a host stated it; else it follows from `repository` and `cwd`."""
    host: dict[str, Any] = {}
    """JSON of the `HostFacts` that a host stated about the run; empty for transcripts."""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One redacted session, ready to be distilled. `steps` can be iterated again; they are never all in memory."""

    info: SessionInfo
    project: Redacted
    capture: CaptureReport
    steps: Iterable[Step]
    redaction_hash: str
    """SHA-256, 64 hex digits, of the session's canonical rendering (`canon/1`) or of the plain redacted text."""
