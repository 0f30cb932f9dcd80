"""The schema is brought up to date in one step, and files that are not ours are left alone."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from diarist.errors import SchemaTooNewError, StoreCorruptError, StoreError
from diarist.stores import migrate, open_store


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(":memory:", isolation_level=None)
    yield opened
    opened.close()


@pytest.fixture
def make_database(tmp_path: Path) -> Callable[..., Path]:
    """Writes a workspace's database by hand, from statements."""

    def make(*statements: str) -> Path:
        opened = sqlite3.connect(tmp_path / "diarist.db", isolation_level=None)
        for statement in statements:
            opened.execute(statement)
        opened.close()
        return tmp_path

    return make


def test_the_newest_step_has_a_file_and_the_last_file_is_a_step() -> None:
    names = sorted(path.name for path in (Path(migrate.__file__).parent / "migrations" / "sqlite").glob("*.sql"))
    assert [int(name[:4]) for name in names] == list(range(1, migrate.SCHEMA + 1))


def test_a_script_is_taken_apart_at_whole_statements() -> None:
    script = "-- a; b\nCREATE TABLE t (a TEXT DEFAULT ';');\nCREATE TRIGGER g AFTER INSERT ON t BEGIN\nDELETE FROM t;\nEND;\n-- end\n"
    assert [statement.split()[-1] for statement in migrate.statements(script)] == ["';');", "END;"]


def test_a_step_that_fails_undoes_all_steps(connection: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.OperationalError):
        migrate.bring_up_to_date(connection, "x", lambda _: "CREATE TABLE t (a);\nCREATE TABLE t (a);\n")
    assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    assert connection.execute("PRAGMA user_version").fetchone() == (0,)
    migrate.bring_up_to_date(connection, "x")
    assert connection.execute("PRAGMA user_version").fetchone() == (migrate.SCHEMA,)


def test_only_missing_steps_are_taken(connection: sqlite3.Connection) -> None:
    migrate.bring_up_to_date(connection, "x")
    migrate.bring_up_to_date(connection, "x", lambda number: pytest.fail(f"step {number} was taken again"))


@pytest.mark.parametrize("read_only", [False, True])
def test_another_programs_database_is_left_alone(make_database: Callable[..., Path], read_only: bool) -> None:
    folder = make_database("CREATE TABLE bookmarks (url)", "PRAGMA user_version = 1")
    before = (folder / "diarist.db").read_bytes()
    with pytest.raises(StoreError, match="another program"):
        open_store(folder, read_only=read_only)
    assert (folder / "diarist.db").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["diarist.db"]


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_schema_is_refused(make_database: Callable[..., Path], read_only: bool) -> None:
    folder = make_database(
        "CREATE TABLE wonders (of_the_future)",
        f"PRAGMA application_id = {migrate.APPLICATION_ID}",
        f"PRAGMA user_version = {migrate.SCHEMA + 1}",
    )
    before = (folder / "diarist.db").read_bytes()
    with pytest.raises(SchemaTooNewError, match="Upgrade Diarist"):
        open_store(folder, read_only=read_only)
    assert (folder / "diarist.db").read_bytes() == before


def test_reading_an_older_schema_says_how_to_bring_it_up_to_date(make_database: Callable[..., Path]) -> None:
    folder = make_database("CREATE TABLE t (a)", f"PRAGMA application_id = {migrate.APPLICATION_ID}")
    with pytest.raises(StoreError, match="older form"):
        open_store(folder, read_only=True)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, read_only: bool) -> None:
    (tmp_path / "diarist.db").write_text("Dear diary, " * 1000)
    with pytest.raises(StoreCorruptError, match="is not a database"):
        open_store(tmp_path, read_only=read_only)
    assert (tmp_path / "diarist.db").read_text().startswith("Dear diary")


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "diarist.db").touch()
    store = open_store(tmp_path)
    assert store.last_seq() == 0
    store.close()


def test_processes_that_make_the_same_workspace_at_once_agree(tmp_path: Path) -> None:
    script = "import sys; from diarist.stores import open_store; print(open_store(sys.argv[1]).tombstone_key().hex())"
    command = [sys.executable, "-c", script, str(tmp_path / "new" / "workspace")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    keys = {process.communicate(timeout=60)[0] for process in running}
    assert len(keys) == 1
    assert len(keys.pop().strip()) == 64


def test_a_store_that_is_open_stops_writing_when_a_newer_diarist_changed_the_schema(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    store = open_store(tmp_path)
    newer = sqlite3.connect(tmp_path / "diarist.db", isolation_level=None)
    newer.execute(f"PRAGMA user_version = {migrate.SCHEMA + 1}")
    newer.close()
    with pytest.raises(SchemaTooNewError), store.transaction(actor="mate", at=datetime(2026, 1, 1, tzinfo=UTC)):
        pytest.fail("nothing may be written")
    store.close()
