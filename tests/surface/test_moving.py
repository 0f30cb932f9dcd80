"""A whole store moves between SQLite and PostgreSQL: ids, history, hashes, tombstones and decisions stay."""

from __future__ import annotations

import signal
import subprocess
import sys
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


DYING = """
import os, signal, sys
from diarist.app import moving
from diarist.bootstrap import open_memory

moving.BATCH = 7
batches = 0

def tell(done, total):
    global batches
    batches += 1
    print(done, total, flush=True)
    if batches > int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

with open_memory(sys.argv[1]) as memory:
    memory.import_store(sys.argv[2], tell)
"""


@pytest.mark.parametrize("server", [False, True], ids=["to SQLite", "to PostgreSQL"])
def test_an_import_that_is_killed_again_and_again_ends_where_it_would_have(
    tmp_path: Path, postgres: Server, environ: dict[str, str], server: bool
) -> None:
    """Each run goes on behind what the one before had committed; nothing is lost, doubled or read in twice."""
    fill(tmp_path / "first")
    with open_memory(tmp_path / "first") as memory:
        memory.export_store(tmp_path / "a.store")
    url = postgres.make_database() if server else ""
    command = [sys.executable, "-c", DYING, str(tmp_path / "node"), str(tmp_path / "a.store"), "3"]
    starts = []
    for _ in range(100):
        done = subprocess.run(command, env={**environ, **({DATABASE_URL: url} if server else {})}, capture_output=True, text=True)
        lines = [int(line.split()[0]) for line in done.stdout.splitlines()]
        assert lines == sorted(set(lines)), done.stderr
        starts.append(lines[0])
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
    assert len(starts) > 2
    assert starts == sorted(set(starts))
    assert everything(tmp_path / "node", url) == everything(tmp_path / "first")


def test_a_part_of_one_file_is_not_filled_up_from_another(tmp_path: Path, environ: dict[str, str]) -> None:
    fill(tmp_path / "first")
    with open_memory(tmp_path / "first") as memory:
        memory.export_store(tmp_path / "a.store")
        memory.add_note(title="Later", body="Written after the first file.")
        memory.export_store(tmp_path / "b.store")
    command = [sys.executable, "-c", DYING, str(tmp_path / "second"), str(tmp_path / "a.store"), "3"]
    assert subprocess.run(command, env=environ, capture_output=True).returncode == -signal.SIGKILL
    with open_memory(tmp_path / "second") as memory:
        with pytest.raises(StoreError, match="another file"):
            memory.import_store(tmp_path / "b.store")
        assert memory.import_store(tmp_path / "a.store").added > 0
        with pytest.raises(StoreError, match="history of its own"):  # a whole copy, of an earlier time
            memory.import_store(tmp_path / "b.store")


def test_a_move_tells_how_far_it_is(tmp_path: Path, diarist: Run) -> None:
    fill(tmp_path / "first")
    told = diarist("--workspace", tmp_path / "first", "export", "--format", "store", "-o", tmp_path / "a.store").stderr
    assert "lines written" in told
    told = diarist("--workspace", tmp_path / "second", "import", tmp_path / "a.store").stderr
    last = [line.split() for line in told.replace("\r", "\n").splitlines() if " of " in line][-1]
    assert last[0] == last[2] != "0"


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


@pytest.mark.parametrize("value", ["true", "[1]", '{"x": 1}', '{"b": "%"}', "7", "9" * 30])
def test_a_row_that_no_table_holds_is_refused_in_plain_words(tmp_path: Path, postgres: Server, value: str) -> None:
    """A file that somebody made up or that is damaged inside a line, which zstd's checksum need not tell."""
    fill(tmp_path / "first")
    with open_memory(tmp_path / "first") as memory:
        memory.export_store(tmp_path / "a.store")
    lines = zstandard.ZstdDecompressor().decompressobj().decompress((tmp_path / "a.store").read_bytes()).splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if line.startswith(b'["records",'))
    lines[place] = b'["records",[' + value.encode() + b"]]\n"
    (tmp_path / "b.store").write_bytes(zstandard.compress(b"".join(lines)))
    for environ in ({}, {DATABASE_URL: postgres.make_database()}):
        opened = open_memory(tmp_path / f"node-{len(environ)}", environ={**environ, "HOME": str(tmp_path)})
        with opened as memory, pytest.raises(InvalidInputError):
            memory.import_store(tmp_path / "b.store")
