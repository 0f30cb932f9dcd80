"""A whole store moves between SQLite and PostgreSQL: ids, history, hashes, tombstones and decisions stay."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import pytest
import zstandard

from conftest import Run
from diarist.bootstrap import DATABASE_URL, open_memory
from diarist.errors import InvalidInputError, StoreError
from diarist.model.record import RecordFilter
from postgres_server import Server


def fill(workspace: Path) -> None:
    with open_memory(workspace) as memory, as_file(files("diarist") / "examples") as examples:
        memory.ingest([examples])
        first = next(memory.list_records(RecordFilter(kinds=("entry",))))
        memory.add_note(title="Mend sails at dawn", body="The wind is low then.")
        memory.feedback(first.id, "helpful")


def everything(workspace: Path, url: str = "") -> tuple[object, ...]:
    environ = {DATABASE_URL: url, "HOME": str(workspace.parent)}
    with open_memory(workspace, environ=environ) as memory:
        store, vault = memory._box.store, memory._box.reader().vault
        records = [(record.id, record.digest, record.revision, record.seq, record.body) for record in store.list_records(ALL, sort="id")]
        assert store.check_history() == store.check_storage() == []
        events = [(event.seq, event.commitment, event.payload) for event in store.get_history()]
        uses = store.list_uses()
        hits = [hit.id for hit in memory.search("sails wind")]
        return records, events, uses, store.tombstone_key(), [(key, vault.get(key)) for key in vault.ids()], hits


ALL = RecordFilter(include_inactive=True)


def test_there_and_back_is_the_same_store(tmp_path: Path, postgres: Server, diarist: Run, environ: dict[str, str]) -> None:
    first, node, back = tmp_path / "first", tmp_path / "node", tmp_path / "back"
    fill(first)
    there, home = tmp_path / "there.store", tmp_path / "home.store"
    url = postgres.make_database()
    assert diarist("--workspace", first, "export", "--format", "store", "-o", there).returncode == 0
    environ[DATABASE_URL] = url
    done = diarist("--workspace", node, "import", there)
    assert (done.returncode, done.stderr.count("Error")) == (0, 0), done.stderr
    assert "no fault" in (told := diarist("--workspace", node, "doctor").stdout) or "everything fits together" in told
    assert diarist("--workspace", node, "export", "--format", "store", "-o", home).returncode == 0
    del environ[DATABASE_URL]
    assert diarist("--workspace", back, "import", home).returncode == 0
    original = everything(first)
    assert original[0]
    assert original[-1]
    assert everything(node, url) == original
    assert everything(back) == original
    assert there.stat().st_mode & 0o077 == 0


def test_an_import_that_was_broken_off_goes_on_and_nothing_else_writes_meanwhile(tmp_path: Path) -> None:
    fill(tmp_path / "first")
    whole, torn = tmp_path / "whole.store", tmp_path / "torn.store"
    with open_memory(tmp_path / "first") as memory:
        memory.export_store(whole)
    lines = zstandard.ZstdDecompressor().decompressobj().decompress(whole.read_bytes()).splitlines(keepends=True)
    torn.write_bytes(zstandard.compress(b"".join(lines[: len(lines) * 2 // 3])))
    with open_memory(tmp_path / "second") as memory, pytest.raises(InvalidInputError, match="ends before its time"):
        memory.import_store(torn)
    with open_memory(tmp_path / "second") as memory:
        with pytest.raises(StoreError, match="import FILE"):
            memory.add_note(title="A note", body="Written too early.")
        memory.import_store(whole)
        assert memory.import_store(whole).added == 0
    assert everything(tmp_path / "second") == everything(tmp_path / "first")


def test_two_histories_are_not_made_one(tmp_path: Path) -> None:
    fill(tmp_path / "first")
    with open_memory(tmp_path / "first") as memory:
        memory.export_store(tmp_path / "a.store")
    with open_memory(tmp_path / "second") as memory:
        memory.add_note(title="A note", body="Mine.")
        with pytest.raises(StoreError, match="history of its own"):
            memory.import_store(tmp_path / "a.store")
        assert memory.add_note(title="Another", body="Still mine.").id


@pytest.mark.parametrize("content", [b"", b"text", b"\x28\xb5\x2f\xfd", b"{}\n"])
def test_what_is_no_store_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with open_memory(tmp_path / "w") as memory, pytest.raises(InvalidInputError, match="export --format store"):
        memory.import_store(tmp_path / "x")


def test_a_server_that_is_away_is_named(diarist: Run, environ: dict[str, str], tmp_path: Path) -> None:
    environ[DATABASE_URL] = f"postgresql://nobody:open-sesame@/x?host={tmp_path}"
    done = diarist("status")
    assert done.returncode == 1
    assert "DIARIST_DATABASE_URL" in done.stderr
    assert "sesame" not in done.stderr + done.stdout
