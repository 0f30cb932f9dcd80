"""Every implementation of the ports runs the same contract."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from diarist.model.record import Part, Record, SearchText, SourceState
from diarist.ports import Store, Vault
from diarist.stores import open_server, open_server_vault, open_store, open_vault

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
def noon() -> datetime:
    return NOON


@pytest.fixture(params=["sqlite-memory", "sqlite-file", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store. A further implementation joins by a name of its own."""
    if request.param == "postgres":
        opened = open_server(request.getfixturevalue("postgres").make_database())
    else:
        opened = open_store(None if request.param == "sqlite-memory" else tmp_path / "workspace")
    yield opened
    opened.close()


@pytest.fixture(params=["sqlite-file", "postgres"])
def open_again(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Store]:
    """Opens one shared store again and again, as other processes would; for any tenant."""
    if request.param == "postgres":
        url = request.getfixturevalue("postgres").make_database()
        return lambda tenant="local": open_server(url, tenant=tenant)
    return lambda tenant="local": open_store(tmp_path / "shared", tenant=tenant)


@pytest.fixture(params=["folder", "postgres"])
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Vault]:
    if request.param == "postgres":
        with closing(open_server_vault(request.getfixturevalue("postgres").make_database())) as opened:
            yield opened
    else:
        yield open_vault(tmp_path / "vault")


@pytest.fixture
def make_record() -> Callable[..., Record]:
    """Builds the nth record; any field can be given, `body` as a value to be spelled as JSON."""

    def make(number: int = 1, *, body: object = None, **fields: Any) -> Record:
        text = json.dumps({"number": number} if body is None else body).encode()
        values: dict[str, Any] = {
            "id": f"kh-{number:016d}",
            "kind": "entry",
            "project": "harbour",
            "agent": "sailor",
            "task_id": f"task-{number}",
            "session_id": f"session-{number}",
            "outcome": "completed",
            "title": f"Mend sail {number}",
            "tags": ("sail",),
            "created_at": NOON + timedelta(minutes=number),
            "updated_at": NOON,
        }
        return Record(**(values | fields), digest=hashlib.sha256(text).hexdigest(), body=text)

    return make


@pytest.fixture
def make_search() -> Callable[..., SearchText]:
    def make(number: int = 1) -> SearchText:
        values: dict[str, Any] = {
            "title": f"Mend sail {number}",
            "errors": "canvas torn",
            "fixes": "sewn",
            "tags": "sail",
            "body": f"please mend sail {number}",
            "files": ("sail.py",),
            "tools": ("needle",),
            "fingerprints": ("f1", "f2"),
            "fixed_fingerprints": ("f2",),
        }
        return SearchText(**values)

    return make


@pytest.fixture
def put(make_record: Callable[..., Record], make_search: Callable[..., SearchText]) -> Callable[..., Record]:
    """Writes the nth record in a transaction of its own and gives back what the store then holds."""

    def write(store: Store, number: int = 1, *, at: datetime = NOON, **fields: Any) -> Record:
        record = make_record(number, **fields)
        with store.transaction(actor="mate", at=at) as transaction:
            transaction.put_record(record, make_search(number))
        kept = store.get_record(record.id)
        assert kept is not None
        return kept

    return write


@pytest.fixture
def make_part() -> Callable[..., Part]:
    def make(session: str = "session-1", key: str = "main-file", **fields: Any) -> Part:
        values: dict[str, Any] = {"agent": "sailor", "role": "main", "chunks": ("aa" * 32, "bb" * 32), "steps": 7, "first_at": NOON}
        return Part(session=session, key=key, **(values | fields))

    return make


@pytest.fixture
def make_source() -> Callable[..., SourceState]:
    def make(key: str = "k1", **fields: Any) -> SourceState:
        values: dict[str, Any] = {
            "path": "/logs/a.jsonl",
            "importer": "sailor",
            "size": 10,
            "mtime_ns": 1_772_000_000_000_000_000,
            "inode": (1 << 64) - 1,
            "head": "ab",
            "offset": 9,
            "state": b"\x00\xff",
            "sessions": ("s1", "s2"),
            "read_at": NOON,
        }
        return SourceState(key=key, **(values | fields))

    return make
