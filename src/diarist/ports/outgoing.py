"""What leaves the core: published files, documents for a hub, prompts for a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from diarist.model.completion import Completion
from diarist.model.record import Record
from diarist.model.redacted import Redacted


class Publisher(Protocol):
    """Writes projections of a record below a publish root, where people and other tools look."""

    def plan(self, record: Record) -> list[tuple[str, str]]:
        """(kind of projection, wanted path relative to the root) for each file this record should have."""
        ...

    def render(self, record: Record, kind: str, related: Sequence[str] = ()) -> bytes:
        """The projection itself, whether or not the record would be published as that kind. `related`: ids for a hub document."""
        ...

    def is_current(self, record: Record, kind: str, data: bytes) -> bool:
        """Is a published file what the record is rendered as? What it was found to be related to may stand in it."""
        ...

    def write(self, record: Record, kind: str, root: Path, path: str) -> Path:
        """Renders and writes one projection atomically. Raises StoreFullError where it cannot be written."""
        ...

    def write_all(self, wanted: Iterable[tuple[Record, str, Path, str]]) -> None:
        """Many of them, (record, kind, root, path) each: the disk is asked to keep them all at once, not one by one."""
        ...

    def put(self, target: Path, data: bytes, *, mode: int = 0o600) -> None:
        """Writes one file that is no projection, atomically. Raises StoreFullError where it cannot be written."""
        ...

    def remove(self, root: Path, path: str) -> bool:
        """Removes a published file; False where there was none."""
        ...


class HubClient(Protocol):
    """Hands documents to a knowledge hub elsewhere."""

    def put(self, document: Mapping[str, object]) -> None:
        """One document, as `/v1/kb/edit` takes it. Raises HubError, which says whether a later try may help."""
        ...


class Completer(Protocol):
    """A language model that answers one prompt. Called after redaction only, under a cap."""

    name: str
    """Of the model, as it is sent and stored."""

    def complete(self, prompt: Redacted, *, max_tokens: int) -> Completion:
        """One answer. Raises ModelError for whatever goes wrong; never asks twice."""
        ...
