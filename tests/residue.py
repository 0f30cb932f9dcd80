"""Searches everything a workspace holds for values that must not be there, in whatever form they are kept.

Raw bytes of every file come first: database pages, free ones too, write-ahead log, index segments, temporary files, and their
names. Then what is packed: vault chunks, history payloads, columns of every table, and the index through its own reader.
"""

from __future__ import annotations

import base64
import json
import shutil
import sqlite3
import tempfile
import urllib.parse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import tantivy
import zstandard

from diarist.text.analyse import analyse

_TABLE_NAMES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
FIELDS = ("text", "errors", "marks", "record", "aside")
_ZSTD = b"\x28\xb5\x2f\xfd"


class Found(NamedTuple):
    """A value and where it was: a file below the workspace, a table, a chunk, an index field."""

    value: str
    where: str


def find(workspace: Path, values: Iterable[str], *, also: Iterable[Path] = ()) -> list[Found]:
    """Every place that holds one of the values. `also`: further folders where files of this workspace are published."""
    forms = {value: _forms(value) for value in values}
    found = []
    for where, data in _holdings([workspace, *also]):
        lowered = data.lower()
        found += [Found(value, where) for value, shapes in forms.items() if any(shape in lowered for shape in shapes)]
    for index in sorted(workspace.glob("index/*/meta.json")):
        known = _terms(index.parent)
        found += [Found(value, "index") for value in forms if (terms := analyse(value)) and known.issuperset(terms)]
    return found


def _forms(value: str) -> list[bytes]:
    """The value in lower case: as it is, as JSON spells it (once and twice), and as names of files and addresses do."""
    once = json.dumps(value, ensure_ascii=False)[1:-1]
    ascii_only = json.dumps(value)[1:-1]
    spelled = [value, once, ascii_only, json.dumps(once)[1:-1], urllib.parse.quote(value, safe=""), value.encode().hex()]
    spelled += [base64.b64encode(value.encode()).decode().rstrip("=")[:-1]]
    return sorted({each.lower().encode() for each in spelled if len(each) >= 4})


def _holdings(folders: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            yield f"name of {name}", name.encode() + b"\n" + urllib.parse.unquote(name).encode()
            if path.is_file():
                data = path.read_bytes()
                yield name, data
                if data.startswith(_ZSTD):
                    yield f"{name} unpacked", zstandard.ZstdDecompressor().decompress(data, max_output_size=1 << 27)
        database = folder / "diarist.db"
        if database.exists():
            yield from _database(database)
        for index in sorted(folder.glob("index/*/meta.json")):
            yield from _index(index.parent)


def _database(path: Path) -> Iterator[tuple[str, bytes]]:
    """Every value of every row, decoded by SQLite; payloads are whole even where they are spread over pages."""
    with tempfile.TemporaryDirectory() as copy:  # opening it where it lies would leave files there
        for each in path.parent.glob(f"{path.name}*"):
            if not each.name.endswith("-shm"):
                shutil.copy(each, copy)
        connection = sqlite3.connect(Path(copy) / path.name)
        try:
            for (table,) in connection.execute(_TABLE_NAMES).fetchall():
                for row in connection.execute(f"SELECT * FROM {table}"):
                    yield f"table {table}", b"\n".join(_bytes(value) for value in row)
        finally:
            connection.close()


def _index(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every term and every stored field, as far as the engine's reader gives them."""
    yield "index terms", "\n".join(sorted(_terms(folder))).encode()
    searcher = tantivy.Index.open(str(folder)).searcher()
    for _, address in searcher.search(tantivy.Query.all_query(), max(searcher.num_docs, 1)).hits:
        yield "index documents", json.dumps(searcher.doc(address).to_dict(), default=str).encode()


def _terms(folder: Path) -> set[str]:
    """All that can be looked up, in every field. Words are stemmed and taken apart there: see `analyse`."""
    searcher = tantivy.Index.open(str(folder)).searcher()
    return {term for field in FIELDS for term, _ in searcher.terms_with_prefix(field, "", limit=10_000_000)}


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
