"""What clients send: query parameters and JSON bodies. These types are the OpenAPI schemas, and what is checked."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from diarist.model.access import Role

Text = Annotated[str, Meta(max_length=4_000)]
Name = Annotated[str, Meta(max_length=400)]
Id = Annotated[str, Meta(min_length=1, max_length=400, description="A kh- id, a task id, or a unique beginning of either")]
Cursor = Annotated[str, Meta(max_length=400, description="`next_cursor` of the page before")]
Limit = Annotated[int, Meta(ge=1, le=200, description="Items of a page")]
Revision = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Time = Annotated[str, Meta(max_length=40, description='A duration back from now ("14d", "36h") or an ISO date or time')]
Tags = Annotated[list[Annotated[str, Meta(max_length=200)]], Meta(max_length=40)]


class Nothing(msgspec.Struct, frozen=True, kw_only=True):
    """No parameters."""


class EditBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A document as it is to be. Below an auto-merge prefix it lands at once; else the edit waits for review."""

    path: Annotated[str, Meta(min_length=1, max_length=400, description="diaries/agents/<agent>/<date>-<slug>.md and the like")]
    title: Annotated[str, Meta(min_length=1, max_length=400)]
    body: Annotated[str, Meta(min_length=1, max_length=200_000, description="Markdown; secrets are masked")]
    tags: Tags = []
    source_type: Annotated[str, Meta(max_length=100, description="diary, note, …")] = ""
    related: Annotated[list[Annotated[str, Meta(max_length=40)]], Meta(max_length=100, description="Ids of other documents")] = []
    actor: Annotated[str, Meta(max_length=200, description="Who wrote it; goes into the history beside the key's name")] = ""
    base_revision: Revision | None = None
    """The revision it was made on; another one now is a 409. 0: it is to be new."""
    idempotency_key: Annotated[str, Meta(max_length=200, description="The same key and edit again: the same answer")] = ""
    project: Annotated[str, Meta(max_length=400, description="Where it is put, with a key for all projects")] = ""


class SearchQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A search. Words, "phrases" and filters as outcome:recovered, agent:codex, since:30d."""

    q: Annotated[str, Meta(max_length=4_000, description="What to look for; empty: the newest")] = ""
    top_k: Annotated[int, Meta(ge=1, le=50, description="Results of a page")] = 8
    scope_prefix: Annotated[str, Meta(max_length=400, description='Only below this scope, as "diaries/agents/codex"')] = ""
    cursor: Cursor = ""


class SearchBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The same as a body, for long queries."""

    query: Annotated[str, Meta(max_length=4_000)] = ""
    top_k: Annotated[int, Meta(ge=1, le=50)] = 8
    scope_prefix: Annotated[str, Meta(max_length=400)] = ""
    cursor: Cursor = ""


class PrefixQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the scope tree."""

    prefix: Annotated[str, Meta(max_length=400)] = ""


class ListQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which records. Texts are compared exactly."""

    kind: Literal["entry", "note", "lesson", "skill", "memory", "observation"] | None = None
    agent: Name | None = None
    project: Name | None = None
    workflow: Name | None = None
    outcome: Literal["completed", "recovered", "failed", "interrupted", "unknown"] | None = None
    tag: Annotated[str, Meta(max_length=200)] | None = None
    since: Time = ""
    before: Time = ""
    limit: Limit = 50
    cursor: Cursor = ""


class PageQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a list."""

    limit: Limit = 50
    cursor: Cursor = ""


class TranscriptQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a transcript, in lines."""

    offset: Annotated[int, Meta(ge=0, le=100_000_000, description="First line, from 0")] = 0
    limit: Annotated[int, Meta(ge=1, le=2_000, description="Lines")] = 200


class RevertBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The revision whose text is to come back."""

    revision: Annotated[int, Meta(ge=1, le=2**31 - 1)]


class EntryBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A finished run as its host tells it. The outcome follows from the transcript."""

    task_id: Annotated[str, Meta(min_length=1, max_length=1_000, description="The same id again replaces the entry")]
    transcript: Annotated[str, Meta(min_length=1, max_length=6_000_000, description="Plain text or JSON lines; secrets are masked")]
    agent: Annotated[str, Meta(min_length=1, max_length=100)] = "agent"
    project: Name = ""
    host: dict[str, msgspec.Raw] = {}
    """Facts of the host about the run, as `Memory.add_entry` takes them."""


class UploadQuery(msgspec.Struct, frozen=True, kw_only=True):
    """How to read an uploaded transcript."""

    project: Annotated[str, Meta(max_length=400, description="Import only sessions of this project")] = ""


class NoteBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A curated note without a path."""

    title: Annotated[str, Meta(min_length=1, max_length=400)]
    body: Annotated[str, Meta(max_length=200_000)]
    tags: Tags = []
    project: Name = ""
    workflow: Name = ""
    agent: Name = ""


class FeedbackBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What became of a record that was used."""

    id: Id
    verdict: Literal["helped", "harmful", "ignored", "followed", "refuted"]
    session: Annotated[str, Meta(max_length=400)] = ""


class RecallBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A task that is about to begin."""

    query: Annotated[str, Meta(min_length=1, max_length=20_000)]
    budget: Annotated[int, Meta(ge=100, le=20_000, description="Tokens of the answer at most")] = 2_000
    project: Name | None = None


class FixBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An error as it was printed."""

    error: Annotated[str, Meta(min_length=1, max_length=50_000)]
    project: Name | None = None
    limit: Annotated[int, Meta(ge=1, le=20)] = 5


class ReviewQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which proposals."""

    state: Literal["pending", "accepted", "rejected", "superseded", "all"] = "pending"
    kind: Literal["theme", "skill", "edit", "retirement"] | None = None
    limit: Limit = 50
    cursor: Cursor = ""


class DecisionBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision on what was read: `seen` is the `digest` of that."""

    verdict: Literal["accept", "reject", "reopen"]
    seen: Annotated[str, Meta(min_length=8, max_length=64)]
    why: Text = ""


class WordingBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reviewer's own wording."""

    title: Annotated[str, Meta(min_length=1, max_length=400)] | None = None
    body: Annotated[str, Meta(min_length=1, max_length=200_000)] | None = None


class StatsQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Over how long."""

    days: Annotated[int, Meta(ge=1, le=3_650)] = 30
    project: Name | None = None


class KeyBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key to make, for the tenant of the key that asks."""

    name: Annotated[str, Meta(min_length=1, max_length=120)]
    role: Role = "write"
    project: Name | None = None
    expires: Annotated[str, Meta(max_length=40, description='A duration from now ("90d") or an ISO time; empty: never')] = ""


class AuditQuery(msgspec.Struct, frozen=True, kw_only=True):
    """The audit trail after a change."""

    after: Annotated[int, Meta(ge=0, le=2**62, description="`seq` of the last change that is known")] = 0
    limit: Limit = 100


class JobBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which job."""

    id: Annotated[str, Meta(min_length=1, max_length=1000, description="As `GET /v1/jobs` tells it")]


Namespace = Annotated[str, Meta(min_length=1, max_length=200, description="As project/decisions")]


class CorrectionBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is wrong about a record."""

    id: Id
    shape: Literal["replaced", "reversed", "retracted", "partly", "until"]
    text: Annotated[str, Meta(max_length=20_000, description="What holds instead, or of the part")] = ""
    why: Text = ""
    until: Time = ""


class ErasureBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to erase. It is final: look at what it reaches first."""

    ids: Annotated[list[Id], Meta(min_length=1, max_length=100)]
    dry_run: bool = True


class FactBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact to keep."""

    namespace: Namespace
    key: Annotated[str, Meta(min_length=1, max_length=400)]
    value: msgspec.Raw
    """Any JSON; secrets are masked."""
    tags: Tags = []
    id: Annotated[str, Meta(max_length=200, description="Your own; the same again replaces the fact")] = ""
    project: Name = ""


class FactsQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A namespace."""

    namespace: Namespace
    project: Name = ""
    limit: Limit = 50
    cursor: Cursor = ""


class FactRecallBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to look for among the facts of a namespace."""

    namespace: Namespace
    query: Annotated[str, Meta(min_length=1, max_length=4_000)]
    k: Annotated[int, Meta(ge=1, le=100)] = 5
    project: Name = ""


class ForgetBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which facts to forget: those that fit all that is given."""

    namespace: Namespace
    id: Annotated[str, Meta(max_length=200)] = ""
    key: Annotated[str, Meta(max_length=400)] = ""
    tag: Annotated[str, Meta(max_length=200)] = ""
    query: Annotated[str, Meta(max_length=4_000)] = ""
    project: Name = ""
