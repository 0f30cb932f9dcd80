"""The one envelope for everything Diarist keeps, and what travels with it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

import msgspec

from diarist.model.redacted import Redacted

Kind: TypeAlias = Literal["entry", "note", "observation", "lesson", "proposal", "state", "memory", "skill"]
Trust: TypeAlias = Literal["person", "host", "agent", "model", "import"]
"""Who wrote it, read off the write path and never off the content."""
Status: TypeAlias = Literal["active", "retracted", "superseded"]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A thing Diarist keeps. `body` is the typed model of its kind (for an entry: `model.entry.Entry`) as JSON.

    The columns beside it are what lists filter and sort by; they follow from the body.
    """

    id: str
    kind: Kind
    namespace: Redacted = Redacted("")
    project: Redacted = Redacted("")
    agent: Redacted = Redacted("")
    workflow: Redacted = Redacted("")
    task_id: Redacted = Redacted("")
    session_id: Redacted = Redacted("")
    outcome: str = ""
    verified: bool | None = None
    title: Redacted = Redacted("")
    tags: tuple[Redacted, ...] = ()
    trust: Trust = "agent"
    status: Status = "active"
    created_at: datetime
    """When what it tells of happened (UTC)."""
    updated_at: datetime
    """When the store last changed it (UTC)."""
    revision: int = 1
    digest: str
    """SHA-256 of `body`; writing a record whose digest and status are unchanged changes nothing."""
    body: bytes
    """JSON, redacted."""
    seq: int = 0
    """Set by the store: number of its last change; the key the search index knows it by."""


class SearchText(msgspec.Struct, frozen=True, kw_only=True):
    """What the search index is fed for a record; kept beside it so that a rebuild needs nothing else.

    `body` is redacted prompts and replies (no tool output), bounded by the caller.
    """

    title: Redacted = Redacted("")
    errors: Redacted = Redacted("")
    fixes: Redacted = Redacted("")
    tags: Redacted = Redacted("")
    body: Redacted = Redacted("")
    files: tuple[Redacted, ...] = ()
    tools: tuple[Redacted, ...] = ()
    fingerprints: tuple[str, ...] = ()
    fixed_fingerprints: tuple[str, ...] = ()
    """Those of `fingerprints` that this record resolved."""


class RecordFilter(msgspec.Struct, frozen=True, kw_only=True):
    """What lists and searches narrow by; empty or None: all. Texts are compared exactly; `tag` must be one of the record's."""

    kinds: tuple[Kind, ...] = ()
    namespace: str | None = None
    project: str | None = None
    agent: str | None = None
    workflow: str | None = None
    outcome: str | None = None
    tag: str | None = None
    session_id: str | None = None
    task_id: str | None = None
    since: datetime | None = None
    """created_at >= since"""
    before: datetime | None = None
    """created_at < before"""
    include_inactive: bool = False


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the change log. The newest row of a record says what the index must hold."""

    seq: int
    record_id: str
    op: Literal["put", "remove"]


class HistoryEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the append-only history. `payload` is None once it was erased."""

    seq: int
    record_id: str
    action: str
    """"create", "update", "retract", "supersede", "erase", "accept", …"""
    actor: str
    at: datetime
    revision: int
    commitment: str
    """SHA-256 over salt and payload: proves the payload while it is there, tells nothing once it is gone."""
    payload: bytes | None = None


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One source's share of a session in the evidence vault: a main file, a copy of it, a subagent's file.

    The session's steps are the union of its parts; see `app.evidence`.
    """

    agent: str
    session: str
    key: str
    """Names the part within its session: digest of the source's identity and the role."""
    role: Literal["main", "subagent", "text"]
    chunks: tuple[str, ...]
    """Vault chunk ids in order. Their joined content is JSON lines of `Step` (`canon/1`), or the plain redacted text (role text)."""
    steps: int
    first_at: datetime | None = None
    info: bytes = b"{}"
    """JSON of the redacted `SessionInfo`."""
    capture: bytes = b"{}"
    """JSON of the `CaptureReport`."""
    rules_version: str = ""


class SourceState(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a file that was read, so that it need not be read again, or only from where it ended."""

    key: str
    """SHA-256 of the file's resolved path (paths themselves may hold secrets and are kept redacted only)."""
    path: Redacted
    importer: str
    size: int
    mtime_ns: int
    inode: int
    head: str
    """SHA-256 of the redacted first 4 KiB (or fewer) that were there when it was read: another head means another file."""
    offset: int
    """Byte up to which whole records were read."""
    state: bytes = b""
    """The importer's own checkpoint (redacted: it holds ids, counts and flags, never text)."""
    sessions: tuple[str, ...] = ()
    read_at: datetime
    problem: Redacted = Redacted("")
    """Why it could not be read whole; empty when it was."""


class Tombstone(msgspec.Struct, frozen=True, kw_only=True):
    """Says that something was erased and must not come back; holds no part of it."""

    kind: Literal["source", "value"]
    hash: str
    """Keyed hash of the source's identity or of the normalised value."""
    at: datetime
    actor: str
    hint: str = ""
    """kind value: what it takes to look for it in a text; see `text.erased`."""
    key_id: str = ""
    """Whose key made the hash: a workspace's id; empty: this one's."""


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """Body of a record of kind note: a curated hub document."""

    title: Redacted
    body: Redacted
    tags: tuple[Redacted, ...] = ()
    related: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    extra: dict[str, Any] = {}
