"""A whole store in one file, for moving between SQLite and PostgreSQL, or to another machine.

    {"format": "diarist-store/1", "workspace_id": …, "secret": …, "columns": {table: [column, …]}, "rows": n, "chunks": n}
    ["chunk", base64]                   each chunk of the evidence vault
    ["records", [value, …]]             each row of each table; bytes as {"b": base64}
    {"end": lines}

JSON lines in one zstd stream. It is as confidential as the store itself: it holds the key of the tombstones.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import msgspec

from diarist.app.indexing import rebuild
from diarist.errors import InvalidInputError, UsageError

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.ports import WholeStore

FORMAT = "diarist-store/1"
BATCH = 2000
MAX_LINE = 256 * 1024 * 1024
Progress = Callable[[int, int], None]
"""Told lines done and lines in all."""


class Moved(NamedTuple):
    """What was written or read: lines in all, and of an import how many rows were new here."""

    lines: int
    added: int = 0


def export_store(box: Toolbox, target: Path, on_progress: Progress | None = None) -> Moved:
    """Writes the whole store to a file, as it is at one moment. Raises StoreError where it cannot be written."""
    import zstandard

    store, chunks = whole(box), list(box.reader().vault.ids())

    def write() -> int:
        rows = sum(1 for _ in store.dump_rows())
        with _private(target) as file, zstandard.ZstdCompressor(level=6, threads=-1).stream_writer(file) as stream:
            head = {
                "format": FORMAT,
                "workspace_id": store.workspace_id(),
                "secret": base64.b64encode(store.tombstone_key()).decode(),
                "columns": store.list_columns(),
                "rows": rows,
                "chunks": len(chunks),
            }
            lines = 0
            for line in _lines(box, store, head, chunks):
                stream.write(msgspec.json.encode(line) + b"\n")
                lines += 1
                if on_progress is not None and lines % BATCH == 0:
                    on_progress(lines, rows + len(chunks))
            stream.write(msgspec.json.encode({"end": lines}) + b"\n")
        return lines

    return Moved(store.snapshot(write))


def import_store(box: Toolbox, source: Path, on_progress: Progress | None = None) -> Moved:
    """Reads such a file into an empty store, or goes on with an import that was broken off: rows that are there are left.

    Until it is done nothing else can write to the store, for it would write into a history that is not whole.

    Raises
    ------
    InvalidInputError
        It is no such file, it is damaged, or it comes from another version.
    StoreError
        The store holds something of its own.
    """
    lines = _read(source)
    head = next(lines, None)
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise InvalidInputError(f"{source} is not a store written by `diarist export --format store`.")
    store = whole(box)
    name, secret = str(head["workspace_id"]), base64.b64decode(head["secret"])
    store.begin_import(name, secret, empty=_is_empty(box))
    total, done, added, ended = int(head["rows"]) + int(head["chunks"]), 0, 0, False
    batch: list[Any] = []
    for line in lines:
        if isinstance(line, dict):
            ended = line.get("end") == done + 1
            break
        done += 1
        batch.append(line)
        if len(batch) == BATCH:
            added += _load(box, batch, head["columns"])
            batch = []
            if on_progress is not None:
                on_progress(done, total)
    added += _load(box, batch, head["columns"])
    if not ended:
        raise InvalidInputError(f"{source} ends before its time ({done:,} of {total:,} lines). Copy it again; the import then goes on.")
    store.end_import(name, secret)
    rebuild(box.store, box.search_index())  # an index that saw a part of the history would take it for the whole
    return Moved(done + 1, added)


def _lines(box: Toolbox, store: WholeStore, head: dict[str, Any], chunks: list[str]) -> Iterator[Any]:
    yield head
    vault = box.reader().vault
    for chunk_id in chunks:
        yield ["chunk", base64.b64encode(vault.get(chunk_id)).decode()]
    for table, row in store.dump_rows():
        yield [table, [{"b": base64.b64encode(value).decode()} if isinstance(value, bytes) else value for value in row]]


def _load(box: Toolbox, batch: list[Any], columns: dict[str, list[str]]) -> int:
    vault = box.reader().vault
    for line in batch:
        if line[0] == "chunk":
            vault.put(base64.b64decode(line[1]))
    vault.flush()
    rows = [(table, [base64.b64decode(v["b"]) if isinstance(v, dict) else v for v in row]) for table, row in batch if table != "chunk"]
    return whole(box).load_rows(rows, columns)


def whole(box: Toolbox) -> WholeStore:
    """The store without limits. Raises UsageError where only one project of it is seen."""
    if box.whole is None:
        raise UsageError("only the whole store can be moved, not what a key for one project sees of it")
    return box.whole


def _is_empty(box: Toolbox) -> bool:
    return box.store.last_seq() == 0 and next(iter(box.store.list_sources()), None) is None and not any(box.store.list_sessions())


def _private(target: Path) -> IO[bytes]:
    import os

    try:
        return os.fdopen(os.open(target, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb")
    except OSError as error:
        raise InvalidInputError(f"{target} cannot be written ({error.strerror}).") from error


def _read(source: Path) -> Iterator[Any]:
    import zstandard

    try:
        with source.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
            buffered = io.BufferedReader(stream)
            while line := buffered.readline(MAX_LINE):
                yield msgspec.json.decode(line)
    except OSError as error:
        raise InvalidInputError(f"{source} cannot be read ({error.strerror or error}).") from error
    except (zstandard.ZstdError, msgspec.DecodeError) as error:
        raise InvalidInputError(f"{source} is damaged or no store written by `diarist export --format store` ({error}).") from error
