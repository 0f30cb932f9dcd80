"""What a search gives back. No dependency beyond the standard library: a cold search loads only this of the model."""

from __future__ import annotations

from typing import NamedTuple


class Query(NamedTuple):
    """A search, already taken apart: `terms` and `phrases` are analysed tokens (see `text.analyse`).

    Filters are as in `model.record.RecordFilter`, times as integer Unix seconds.
    """

    terms: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    kinds: tuple[str, ...] = ()
    project: str | None = None
    agent: str | None = None
    workflow: str | None = None
    outcome: str | None = None
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    since: int | None = None
    before: int | None = None
    fingerprints: tuple[str, ...] = ()
    """Error look-up: records that met one of these are found whatever their words are. Each is a whole fingerprint, its first
    eight digits (the family), or "+" and a whole one: records that solved it."""
    errors_only: bool = False
    """Look for the terms among errors alone."""
    about: tuple[str, ...] = ()
    """Only records that say of one of these ids that it is superseded, or that it stands."""


class Match(NamedTuple):
    """What the index answers: `seq` names the record (`Record.seq`)."""

    seq: int
    score: float


class Frequencies(NamedTuple):
    """In how many records each of some terms stands, of how many there are. `typical`: different terms of a usual record."""

    records: int
    counts: dict[str, int]
    typical: float = 0.0


class HitRow(NamedTuple):
    """What the store tells of a record that was found, before ranking makes a `Hit` of it. Texts are redacted."""

    seq: int
    """The number it was asked for; the record may have changed since (an index lags)."""
    id: str
    kind: str
    status: str
    trust: str
    namespace: str
    project: str
    agent: str
    workflow: str
    task_id: str
    session_id: str
    outcome: str
    verified: bool | None
    title: str
    tags: tuple[str, ...]
    created_at: str
    """ISO 8601, UTC; so is `updated_at`."""
    updated_at: str
    errors: str
    """With `fixes` and `text`: what was searched, for snippets (see `model.record.SearchText`)."""
    fixes: str
    text: str


SAME_ERROR = "met the same error"
"""How the reason of a hit begins that met the very error which was looked up."""
RESEMBLES = "resembles the best hit"
"""How the reason of a hit begins that shares words with the best one, and perhaps none with the question."""


class Hit(NamedTuple):
    """A ranked result. Texts are redacted. `superseded_by` is the id of the record that replaced this one, or None."""

    id: str
    score: float
    kind: str
    title: str
    superseded_by: str | None = None
    project: str = ""
    agent: str = ""
    outcome: str = ""
    verified: bool | None = None
    task_id: str = ""
    created_at: str = ""
    """ISO 8601, UTC."""
    snippet: str = ""
    reasons: tuple[str, ...] = ()
    """Why it ranks where it does, for people; filled on request."""


class ContextPack(NamedTuple):
    """What an agent is given: `text`, fenced and cited, within the token budget; `items` are the hits it cites. May be empty."""

    text: str
    items: tuple[Hit, ...]
    tokens: int = 0
    """Conservative estimate of the tokens in `text`."""
    mode: str = "bm25"
    """How it was really found: bm25 (by words) or hybrid (by words and meaning)."""
    mode_reason: str = ""
    """Why so."""
