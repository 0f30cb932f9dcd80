"""Rows of the store's machinery: what models cost and what a hub has yet to take. No dependency beyond the standard library."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

GIST_VERSION = 1
"""To be raised with whatever changes the gist of an entry (`stages.gist`, `text.terms`, `text.stem`): others are made anew, not read."""


class Spending(NamedTuple):
    """What calls to models took. `micro_usd`: millionths of a US dollar."""

    calls: int = 0
    tokens: int = 0
    micro_usd: int = 0


class Delivery(NamedTuple):
    """A record whose document a hub has yet to take. `problem`: why the last try failed; never its text."""

    record_id: str
    attempts: int
    next_at: datetime
    problem: str = ""


class Erasure(NamedTuple):
    """That something was erased. `receipt`: JSON of what was reached, in counts and ids, and while it is not `done` what is left to do."""

    id: str
    at: datetime
    actor: str
    done: bool
    receipt: bytes


class Backup(NamedTuple):
    """A backup that was made: where it was put, when, and the last change it holds."""

    path: str
    at: datetime
    seq: int


SHAPES = ("replaced", "reversed", "retracted", "partly", "until")
"""replaced: something else holds; reversed: the opposite holds; retracted: it does not hold, and nothing takes its place;
partly: a part of it no longer holds; until: it holds up to a time."""


class Correction(NamedTuple):
    """The link from a correction to the record it is about. `shape`: one of `SHAPES`; `until`: shape until only."""

    target: str
    record_id: str
    shape: str
    until: datetime | None
    at: datetime


class ImportMark(NamedTuple):
    """How far the import of a store's file is: what stands in the place of the workspace's id until it is whole."""

    workspace_id: str
    secret: bytes
    """The workspace's key of tombstones."""
    file: str = ""
    """Random name of the file (letters and digits); empty for one that has none."""
    lines: int = 0
    """Lines after the first that are in."""

    def text(self) -> str:
        """As it is kept."""
        return f"importing-{self.workspace_id}" + (f"-{self.file}-{self.lines}" if self.file else "")


class Salvaged(NamedTuple):
    """What could be read of a damaged database: by table the columns and the rows; what could not, one line each."""

    columns: dict[str, list[str]]
    rows: dict[str, list[tuple[Any, ...]]]
    lost: tuple[str, ...]
