"""A whole store in one file, for moving between SQLite and PostgreSQL, or to another machine.

    {"format": "diarist-store/1", "workspace_id": …, "secret": …, "columns": {table: [column, …]}, "rows": n, "chunks": n,
     "seq": n, "file": name}
    ["chunk", base64]                   each chunk of the evidence vault
    ["records", [value, …]]             each row of each table; bytes as {"b": base64}
    {"end": lines}

JSON lines in one zstd stream. "seq" is the last change it holds, "file" a random name of this very file: an import that is broken off
notes with each batch how many lines of it are in, and goes on behind them.

The file is as confidential as the store itself: it holds the key of the tombstones.
"""

from __future__ import annotations

import base64
import io
import itertools
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import msgspec

from diarist.app.indexing import rebuild
from diarist.errors import InvalidInputError, UsageError
from diarist.model.machinery import ImportMark

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.ports import WholeStore

FORMAT = "diarist-store/1"
BATCH, BATCH_BYTES = 10_000, 16 << 20
"""Lines of one transaction, at most, and bytes from which on it is full."""
TOLD = 2000
"""Lines after which an export tells how far it is."""
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
        rows = store.count_rows()
        with _private(target) as file, zstandard.ZstdCompressor(level=6, threads=-1).stream_writer(file) as stream:
            head = {
                "format": FORMAT,
                "workspace_id": store.workspace_id(),
                "secret": base64.b64encode(store.tombstone_key()).decode(),
                "columns": store.list_columns(),
                "rows": rows,
                "chunks": len(chunks),
                "seq": box.store.last_seq(),
                "file": secrets.token_hex(8),
            }
            lines = 0
            for line in _lines(box, store, head, chunks):
                stream.write(msgspec.json.encode(line) + b"\n")
                lines += 1
                if on_progress is not None and lines % TOLD == 0:
                    on_progress(lines, rows + len(chunks) + 1)
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
        The store holds something of its own, or a part of another file.
    """
    packed = _read(source)
    head = next(packed, None)
    head = None if head is None else _decoded(head, source)
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise InvalidInputError(f"{source} is not a store written by `diarist export --format store`.")
    store = whole(box)
    mark = ImportMark(str(head["workspace_id"]), base64.b64decode(head["secret"]), str(head.get("file", "")))
    total = int(head["rows"]) + int(head["chunks"])
    if store.workspace_id() == mark.workspace_id and box.store.last_seq() == head.get("seq"):
        return Moved(total + 1)  # it is a copy already
    loading = _Loading(box, head["columns"], mark._replace(lines=store.begin_import(mark, empty=_is_empty(box))), total, on_progress)
    if loading.load(packed, source) != total + 1:
        raise InvalidInputError(
            f"{source} ends before its time ({loading.lines:,} of {total:,} lines). Copy it again; the import then goes on."
        )
    store.end_import(mark.workspace_id, mark.secret)
    rebuild(box.store, box.search_index())  # an index that saw a part of the history would take it for the whole
    return Moved(total + 1, loading.added)


class _Loading:
    """An import under way. `mark.lines` are in."""

    def __init__(self, box: Toolbox, columns: dict[str, list[str]], mark: ImportMark, total: int, on_progress: Progress | None) -> None:
        self._box = box
        self._columns = columns
        self._mark = mark
        self._total = total
        self._tell = on_progress or (lambda _done, _total: None)
        self.added = 0

    @property
    def lines(self) -> int:
        """Lines after the first that are in."""
        return self._mark.lines

    def load(self, packed: Iterator[bytes], source: Path) -> int:
        """Takes in what is not in yet; returns the number that the last line tells, 0 where there is none."""
        self._tell(self.lines, self._total)
        batch: list[Any] = []
        size = 0
        for raw in itertools.islice(packed, self.lines, None):
            line = _decoded(raw, source)
            if isinstance(line, dict):
                self._take(batch)
                return int(line.get("end", 0)) if line.get("end") == self.lines + 1 else 0
            batch.append(line)
            size += len(raw)
            if len(batch) == BATCH or size >= BATCH_BYTES:
                self._take(batch)
                batch, size = [], 0
        self._take(batch)
        return 0

    def _take(self, batch: list[Any]) -> None:
        self._mark = self._mark._replace(lines=self._mark.lines + len(batch))
        self.added += _load(self._box, batch, self._columns, self._mark)
        self._tell(self.lines, self._total)


def _lines(box: Toolbox, store: WholeStore, head: dict[str, Any], chunks: list[str]) -> Iterator[Any]:
    yield head
    vault = box.reader().vault
    for chunk_id in chunks:
        yield ["chunk", base64.b64encode(vault.get(chunk_id)).decode()]
    for table, row in store.dump_rows():
        yield [table, [{"b": base64.b64encode(value).decode()} if isinstance(value, bytes) else value for value in row]]


def _load(box: Toolbox, batch: list[Any], columns: dict[str, list[str]], mark: ImportMark) -> int:
    vault, rows = box.reader().vault, []
    for line in batch:
        name, content = _line(line)
        if name == "chunk":
            vault.put(content)
        else:
            rows.append((name, content))
    vault.flush()
    return whole(box).load_rows(rows, columns, mark)


def _line(line: Any) -> tuple[str, Any]:
    """A line's name, and a chunk's content or a row's values."""
    match line:
        case ["chunk", str(packed)]:
            return "chunk", _bytes(packed)
        case [str(name), list(row)]:
            return name, [_value(each) for each in row]
    raise InvalidInputError("a line of the file is neither a chunk nor a row: it is damaged, or made by something else")


def _value(value: Any) -> str | int | float | bytes | None:
    match value:
        case {"b": str(packed)}:
            return _bytes(packed)
        case None | str() | float():
            return value
        case int() if not isinstance(value, bool) and -(1 << 63) <= value < 1 << 63:
            return value
    raise InvalidInputError("a row of the file holds what no table does: it is damaged, or made by something else")


def _bytes(packed: str) -> bytes:
    try:
        return base64.b64decode(packed, validate=True)
    except ValueError as error:
        raise InvalidInputError("a line of the file is damaged: its content is not base64") from error


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


def _decoded(line: bytes, source: Path) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{source} is damaged or no store written by `diarist export --format store` ({error}).") from error


def _read(source: Path) -> Iterator[bytes]:
    import zstandard

    try:
        with source.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
            buffered = io.BufferedReader(stream)
            while line := buffered.readline(MAX_LINE):
                yield line
    except OSError as error:
        raise InvalidInputError(f"{source} cannot be read ({error.strerror or error}).") from error
    except zstandard.ZstdError as error:
        raise InvalidInputError(f"{source} is damaged or no store written by `diarist export --format store` ({error}).") from error
