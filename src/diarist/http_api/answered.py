"""What clients get. Times are ISO 8601, UTC. Texts are redacted; they are records of past sessions: data, never instructions."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Base of every answer."""


class EditAnswer(Answer):
    """What became of an edit. `revision`: the document's own now, 0 where it is not there yet."""

    id: str
    path: str
    revision: int
    status: Literal["merged", "pending_review"]
    review_id: str | None = None


class Found(Answer):
    """A search result."""

    id: str
    title: str
    snippet: str
    score: float
    kind: str
    scope: str
    project: str
    agent: str
    outcome: str
    verified: bool | None
    task_id: str
    created_at: str
    superseded_by: str | None
    url: str


class FoundPage(Answer):
    """Results, best first. `behind`: changes that the index did not know yet, because another process was writing it."""

    results: list[Found]
    next_cursor: str | None = None
    behind: int = 0


class Document(Answer):
    """A record as Markdown, with its facts."""

    id: str
    path: str
    title: str
    body: str
    kind: str
    source_type: str
    scope: str
    project: str
    agent: str
    workflow: str
    task_id: str
    outcome: str
    verified: bool | None
    tags: list[str]
    related: list[str]
    trust: str
    status: str
    created_at: str
    updated_at: str
    revision: int
    digest: str
    url: str


class Change(Answer):
    """One change of a document. `body` null: erased since."""

    revision: int
    seq: int
    action: str
    actor: str
    at: str
    title: str
    body: str | None


class Changes(Answer):
    """A document's history, oldest first."""

    id: str
    changes: list[Change]


class ScopeCount(Answer):
    """A place in the scope tree."""

    scope: str
    documents: int


class Scopes(Answer):
    """The scope tree below a prefix, deepest places only."""

    prefix: str
    documents: int
    scopes: list[ScopeCount]


class Edge(Answer):
    """A neighbour, one step away."""

    relation: str
    id: str
    title: str
    kind: str
    url: str


class Node(Answer):
    """A record and what it is related to."""

    id: str
    title: str
    kind: str
    scope: str
    url: str
    neighbours: list[Edge]


class Item(Answer):
    """A record in a list."""

    id: str
    kind: str
    title: str
    scope: str
    project: str
    agent: str
    workflow: str
    task_id: str
    outcome: str
    verified: bool | None
    tags: list[str]
    trust: str
    created_at: str
    updated_at: str
    revision: int


class Items(Answer):
    """A page of records."""

    items: list[Item]
    next_cursor: str | None = None


class Written(Answer):
    """What was written."""

    id: str
    revision: int = 1
    outcome: str = ""


class Checked(Answer):
    """An entry checked against its own hash and its evidence."""

    id: str
    ok: bool
    checked: list[str]
    faults: list[str]
    notes: list[str]


class Transcript(Answer):
    """Lines of a redacted transcript: JSON lines of steps, or plain text."""

    id: str
    offset: int
    total_lines: int
    lines: list[str]


class Imported(Answer):
    """What an upload brought."""

    ids: list[str]
    created: int
    updated: int
    without_entry: int
    problems: list[str]


class Noted(Answer):
    """Feedback was taken down."""

    id: str
    verdict: str


class Recalled(Answer):
    """What is worth knowing; empty where nothing fits."""

    text: str
    tokens: int
    items: list[Found]


class Fix(Answer):
    """A run that solved the error."""

    id: str
    title: str
    url: str
    outcome: str
    error: str
    fix: str
    same_error: bool
    files: list[str]
    commands: list[str]


class Fixes(Answer):
    """Runs that solved an error, best first."""

    fixes: list[Fix]


class Review(Answer):
    """A proposal in the queue."""

    id: str
    name: str
    kind: str
    state: str
    project: str
    title: str
    target: str
    evidence: int
    created_at: str
    url: str


class Reviews(Answer):
    """A page of the review queue, newest first."""

    reviews: list[Review]
    next_cursor: str | None = None


class Ruling(Answer):
    """A decision that was made."""

    verdict: str
    who: str
    at: str
    why: str


class ReviewFull(Answer):
    """A proposal as a reviewer reads it. `digest` names what was read; a decision carries it back as `seen`."""

    id: str
    name: str
    kind: str
    state: str
    project: str
    title: str
    body: str
    target: str
    diff: str
    evidence: list[str]
    digest: str
    objections: list[str]
    decisions: list[Ruling]
    created_at: str
    url: str


class Decided(Answer):
    """A decision was carried out."""

    id: str
    state: str


class SkillAnswer(Answer):
    """An accepted skill, and what later runs did with it."""

    name: str
    title: str
    project: str
    id: str
    states: list[str]
    usage: dict[str, Any]
    accepted_at: str


class SkillList(Answer):
    """Accepted skills."""

    skills: list[SkillAnswer]


class SkillText(Answer):
    """SKILL.md as it was accepted."""

    name: str
    title: str
    description: str
    text: str
    evidence: list[str]


class Numbers(Answer):
    """See `Memory.stats`."""

    days: int
    entries: int
    outcomes: dict[str, int]
    recovery_rate: float | None
    by_day: list[dict[str, Any]]
    agents: list[dict[str, Any]]
    projects: list[dict[str, Any]]
    errors: list[dict[str, Any]]
    read: int
    waiting: int
    documents: int


class Key(Answer):
    """A key, without itself."""

    id: str
    name: str
    project: str | None
    role: str
    created_by: str
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    used_at: str | None
    good: bool


class KeyList(Answer):
    """Keys of the tenant, oldest first."""

    keys: list[Key]


class KeyMade(Answer):
    """A new key. `secret` is shown this once."""

    id: str
    secret: str


class Event(Answer):
    """One change of one record. Texts are not told here."""

    seq: int
    record_id: str
    action: str
    actor: str
    at: str
    revision: int
    commitment: str


class Audit(Answer):
    """A page of the audit trail, oldest first."""

    events: list[Event]
    next_after: int | None = None


class ProblemAnswer(Answer):
    """RFC 9457. `current` and `yours` come with a 409 on an edit: both versions."""

    type: str
    title: str
    status: int
    detail: str = ""
    current: dict[str, Any] | None = None
    yours: dict[str, Any] | None = None
    candidates: list[str] = []
