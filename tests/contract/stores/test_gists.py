"""What synthesis reads of an entry is kept beside it, and goes with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from diarist.model.record import Record, RecordFilter, SearchText
from diarist.stores import migrate, open_server, open_store
from diarist.stores.sql_store import SqlStore
from old_stores import write_old_store

Put = Callable[..., Record]


def short(body: bytes) -> bytes:
    """A gist of these tests; empty, as for what is no entry, where the body says so."""
    return b"" if b"no entry" in body else b"gist of " + body


@pytest.fixture(params=["sqlite", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., SqlStore]]:
    """Opens the same store again and again, with a maker of gists or without."""
    url = request.getfixturevalue("postgres").make_database() if request.param == "postgres" else ""
    stores: list[SqlStore] = []

    def open_it(make_gist: Callable[[bytes], bytes] | None = short) -> SqlStore:
        stores.append(open_server(url, make_gist=make_gist) if url else open_store(tmp_path / "workspace", make_gist=make_gist))
        return stores[-1]

    yield open_it
    for each in stores:
        each.close()


def listed(store: SqlStore, **where: str) -> list[tuple[str, bytes, bytes]]:
    """(end of the id, gist, body), oldest first."""
    found = store.list_gists(RecordFilter(kinds=("entry",), **where), sort="created_at")  # type: ignore[arg-type]
    return [(record_id[-1], gist, body) for record_id, _, gist, body in found]


def test_an_entry_has_a_gist_from_the_beginning(opened: Callable[..., SqlStore], put: Put) -> None:
    """Other kinds have none. Where nothing can be made of a body, the body is given."""
    store = opened()
    first = put(store, 1)
    put(store, 2, body="no entry")
    put(store, 3, kind="note")
    assert listed(store) == [("1", b"gist of " + first.body, b""), ("2", b"", b'"no entry"')]
    assert next(digest for _, digest, _, _ in store.list_gists(RecordFilter(), sort="created_at")) == first.digest
    assert listed(store, project="elsewhere") == []


def test_many_entries_written_together_have_theirs(
    opened: Callable[..., SqlStore], make_record: Callable[..., Record], make_search: Callable[..., SearchText], noon: datetime
) -> None:
    """Whatever the number; those written without a maker among them give their bodies, in the order asked for."""
    store = opened()
    written = [make_record(number) for number in range(450)]
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.put_records([(record, make_search(), "") for record in written[::3] + written[1::3]])
    with opened(None).transaction(actor="mate", at=noon) as transaction:
        transaction.put_records([(record, make_search(), "") for record in written[2::3]])
    told = [(b"", record.body) if number % 3 == 2 else (b"gist of " + record.body, b"") for number, record in enumerate(written)]
    assert [each[1:] for each in listed(store)] == told


def test_a_gist_is_of_the_newest_text(opened: Callable[..., SqlStore], put: Put, noon: datetime) -> None:
    """Also after the record was retracted and brought back, and none is left when the record is erased."""
    store = opened()
    put(store, 1, body="old")
    changed = put(store, 1, body="new")
    assert listed(store) == [("1", b"gist of " + changed.body, b"")]
    for status in ("retracted", "active"):
        with store.transaction(actor="mate", at=noon) as transaction:
            transaction.set_status(changed.id, status)
    assert listed(store) == [("1", b"gist of " + changed.body, b"")]
    with store.transaction(actor="mate", at=noon) as transaction:
        transaction.erase_record(changed.id)
    assert listed(store) == []
    assert [table for table, _ in store.dump_rows() if table == "gists"] == []


def test_a_gist_is_left_when_another_version_wrote_the_text_anew(opened: Callable[..., SqlStore], put: Put) -> None:
    """None of an older text is given in its place."""
    put(opened(), 1, body="old")
    changed = put(opened(None), 1, body="new")
    assert listed(opened()) == [("1", b"", changed.body)]


def test_gists_of_another_version_are_not_read(opened: Callable[..., SqlStore], put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    """The body is given, of which they are made anew."""
    store = opened()
    record = put(store, 1)
    monkeypatch.setattr("diarist.model.machinery.GIST_VERSION", 99)
    assert listed(store) == [("1", b"", record.body)]


def test_a_workspace_of_the_fifth_schema_has_none_and_gets_them_with_what_is_written(tmp_path: Path, put: Put) -> None:
    """Nothing else changes."""
    with closing(open_store(tmp_path / "now")) as store:
        record = put(store, 1)
        rows = [(table, row) for table, row in store.dump_rows() if table in ("records", "history", "history_payloads")]
        columns = store.list_columns()
    (tmp_path / "old").mkdir()
    write_old_store(tmp_path / "old", schema=5)
    with closing(open_store(tmp_path / "old", make_gist=short)) as store:
        store.load_rows(sorted(rows, key=lambda each: each[0]), columns)
        assert listed(store) == [("1", b"", record.body)]
        changed = put(store, 1, body="new")
        assert listed(store) == [("1", b"gist of " + changed.body, b"")]
        assert store.check_history() == store.check_storage() == []
    assert migrate.SCHEMA >= 6
