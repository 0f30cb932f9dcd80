"""The ports and settings that the use cases of `app` share, wired by `bootstrap`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from diarist.config import Settings
from diarist.model.privacy import WithholdRules

if TYPE_CHECKING:
    from sqlite3 import Connection

    from diarist.ports import Completer, Embedder, HubClient, Importer, Index, JobBoard, Publisher, Scratch, Store, Vault, WholeStore
    from diarist.stages.redact import Redactor
    from diarist.text.erased import ErasedSources

FindImporter = Callable[[bytes, Path | None], "Importer | None"]


class Reader(NamedTuple):
    """What it takes to turn files into redacted evidence; also built anew in each worker process."""

    find_importer: FindImporter
    redactor: Redactor
    vault: Vault
    clip: int
    withhold: WithholdRules
    erased: ErasedSources
    """Sessions that must not be read again; the redactor masks erased values."""


class Embedders(NamedTuple):
    """One embedding model in its two roles: some models read a question otherwise than a text that may answer it."""

    name: str
    """What its vectors are tagged with: another name means other vectors."""
    passages: Embedder
    queries: Embedder
    costs: bool = False
    """True where calls count against a daily cap."""


def _no_embedders() -> Embedders | None:
    return None


class Toolbox(NamedTuple):
    """Everything the use cases need. `now` is the only clock."""

    settings: Settings
    store: Store
    search_index: Callable[[], Index]
    """Opens the search index on first use."""
    reader: Callable[[], Reader]
    """Built on first use: reading loads modules that a search has no need of."""
    make_reader: Callable[[], Reader]
    """Picklable; worker processes call it."""
    importers: Callable[[], Sequence[Importer]]
    publisher: Callable[[], Publisher]
    completer: Callable[[], Completer | None]
    """The model that reflects; None where none is configured."""
    hub: Callable[[], HubClient | None]
    """The hub elsewhere; None where no address is set."""
    now: Callable[[], datetime]
    jobs: Callable[[], JobBoard]
    """What the background work is at."""
    scratch: Callable[[], Scratch]
    """A place for rows that are too many for memory."""
    open_database: Callable[[Path], Connection]
    """Another program's SQLite database, read in place: nothing is written beside it or anywhere. Raises sqlite3.Error, OSError."""
    actor: str
    environ: Mapping[str, str]
    importer_problems: Callable[[], Sequence[str]] = tuple
    """One line for each importer of another package that cannot be used."""
    embedders: Callable[[], Embedders | None] = _no_embedders
    """The embedding model; None where none is configured. Raises ModelError where one is and cannot be had."""
    whole: WholeStore | None = None
    """The store as a whole, for moving it; None where only a project of it is seen."""
