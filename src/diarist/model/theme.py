"""What synthesis finds: themes over diary entries, and the report that holds them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

import msgspec

from diarist.model.redacted import Redacted

Trend: TypeAlias = Literal["new", "rising", "steady", "fading"]
"""Against the window of the same length before this one."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """Something that several entries say."""

    text: Redacted
    count: int
    """How many entries."""
    entries: tuple[str, ...]
    """Their ids, sorted."""


class Approach(msgspec.Struct, frozen=True, kw_only=True):
    """Something that several entries did, with how it went. `worked` and `failed` both filled: a contradiction."""

    text: Redacted
    count: int
    entries: tuple[str, ...]
    worked: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class RecurringError(msgspec.Struct, frozen=True, kw_only=True):
    """An error that several entries met."""

    fingerprint: str
    message: Redacted
    """The most frequent wording."""
    count: int
    entries: tuple[str, ...]
    wordings: int = 1
    """Wordings that count as this error, numbers aside: names in quotes may differ."""
    resolved: int = 0
    """Entries in which the same check passed later."""
    unresolved: int = 0
    fixes: tuple[Line, ...] = ()
    """What made it pass."""
    failed_fixes: tuple[Line, ...] = ()
    """What was done about it in vain."""


class Theme(msgspec.Struct, frozen=True, kw_only=True):
    """Entries that belong together, and what they say as a whole. Lists are sorted by count descending, then by text."""

    id: str
    """"theme-" and 10 base32 characters of a hash over the member ids: same members, same id. Of an error that runs about different
    things met: "error-" and those of a hash over its fingerprint."""
    lineage: str
    """Id of the first theme this one goes back to, from run to run; its own where there is none."""
    label: Redacted
    tags: tuple[Redacted, ...]
    """Words that mark it, most telling first."""
    size: int
    sessions: int
    task_ids: tuple[Redacted, ...]
    """One for each entry, in the order of `entries`."""
    entries: tuple[str, ...]
    """Ids, sorted."""
    agents: dict[str, int]
    projects: dict[str, int]
    first_at: datetime
    last_at: datetime
    trend: Trend
    earlier: int
    """Entries of the earlier window that would belong to it."""
    cohesion: float
    """Mean overlap (0 to 1, Jaccard) of a member with the rest."""
    outcomes: dict[str, int]
    recovery_rate: float | None
    """Of the runs that got into trouble (recovered, failed or interrupted), the share that recovered; None: none did."""
    errors: tuple[RecurringError, ...] = ()
    worked: tuple[Approach, ...] = ()
    failed: tuple[Approach, ...] = ()
    contradictions: tuple[Approach, ...] = ()
    tried: tuple[Approach, ...] = ()
    """Recurring attempts that no entry tells the end of."""
    corrected: tuple[Approach, ...] = ()
    """What people said again and again when they set a run right."""
    asked: tuple[Approach, ...] = ()
    """What people asked for again and again after the first request."""
    found: tuple[Approach, ...] = ()
    """What agents said again and again that they found. A claim: not among what worked."""
    cut: dict[str, int] = {}
    """By list: how many more lines there were."""
    target: Redacted = Redacted("")
    """What the proposed adjustment is aimed at."""
    proposed_diff: Redacted = Redacted("")
    """Markdown with + and - lines; a review aid that changes nothing by itself."""
    summary: Redacted = Redacted("")
    """A model's wording, where one is configured; empty without."""

    @property
    def is_telling(self) -> bool:
        """Does anything recur in it that has a consequence: an error, what worked, what failed, what people set right?

        Else its entries are only about the same thing: it is told, and never up for a decision.
        """
        return bool(self.errors or self.worked or self.failed or self.contradictions or self.corrected)


class Skipped(msgspec.Struct, frozen=True, kw_only=True):
    """A file or record that could not be taken into account, and why."""

    name: Redacted
    reason: Redacted


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    """What a run was asked for. Two runs with the same parameters draft the same matter."""

    since: str
    """Length of the window as it was given, as "14d"."""
    threshold: float
    min_cluster_size: int
    project: str | None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """One synthesis. Pure: the same entries, parameters and `now` give the same bytes."""

    parameters: Parameters
    window_start: datetime
    window_end: datetime
    """The run's `now`."""
    entries: int
    """Entries in the window."""
    in_themes: int
    input_digest: str
    """SHA-256 over id and digest of every entry in the window."""
    themes: tuple[Theme, ...]
    withheld: int = 0
    """Themes that were rejected before and whose evidence has not materially changed."""
    skipped: tuple[Skipped, ...] = ()
    errors: tuple[Theme, ...] = ()
    """Errors that entries of several sessions met whatever they were about, each as a theme of those entries, which may stand in
    `themes` too; most frequent first. Those that one theme tells whole are left out."""
    more_errors: int = 0
    """How many more there were."""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A report as it was written for review; body of a record of kind state in the namespace "syntheses"."""

    parameters: Parameters
    window_end: datetime
    input_digest: str
    path: str
    """Relative to the publish root, as "runtime/syntheses/2026-03-15.md"."""
    fields: dict[str, Any]
    """Front matter, without what decisions add to it."""
    body: Redacted
    """Markdown below the front matter."""
    themes: dict[str, tuple[str, str]]
    """Theme id → (id of its proposal, `review_digest` of that as it was drafted)."""
    approved: bool = False
    approved_by: Redacted = Redacted("")
    approved_at: datetime | None = None
    why: Redacted = Redacted("")
    text: Redacted = Redacted("")
    """The whole file as Diarist wrote it last; other content means that somebody edited it."""


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """Body of a record of kind lesson: what a person approved to be told to later sessions."""

    title: Redacted
    text: Redacted
    """Markdown."""
    amplify: tuple[Redacted, ...] = ()
    guard: tuple[Redacted, ...] = ()
    tags: tuple[Redacted, ...] = ()
    evidence: tuple[str, ...] = ()
    """Ids of the entries it rests on."""
    fingerprints: tuple[str, ...] = ()
    """Of the errors it tells of."""
    proposal: str = ""
    seen: str = ""
    """Digest of what was approved."""
    approved_by: Redacted = Redacted("")
    approved_at: datetime | None = None
    why: Redacted = Redacted("")
