"""Reading leaves no trace, works where nothing can be written, and still sees what others commit."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from diarist.errors import NotFoundError, ReadOnlyError, StoreError
from diarist.model.record import RecordFilter
from diarist.stores import open_store

READ_ALL = """
import sys
from diarist.model.record import RecordFilter
from diarist.stores import open_store
store = open_store(sys.argv[1], read_only=True)
print(store.last_seq(), store.count_records(RecordFilter()), len(store.get_hits(list(range(1, 30)))), store.check_history())
store.close()
"""
MOUNT_READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"'


def test_reading_leaves_no_trace(workspace: Path, state: Callable[[Path], dict[str, Any]]) -> None:
    before = state(workspace)
    assert list(before) == ["diarist.db"]
    store = open_store(workspace, read_only=True)
    assert store.last_seq() == 20
    assert len(list(store.list_records(RecordFilter()))) == 20
    assert store.check_history() == store.check_storage() == []
    assert state(workspace) == before
    store.close()
    assert state(workspace) == before


def test_nothing_can_be_written(workspace: Path) -> None:
    store = open_store(workspace, read_only=True)
    with pytest.raises(ReadOnlyError, match="reading only"), store.transaction(actor="mate", at=datetime(2026, 1, 1, tzinfo=UTC)):
        pytest.fail("nothing may be written")
    store.close()


def test_where_there_is_no_store_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no store"):
        open_store(tmp_path / "nowhere", read_only=True)
    (tmp_path / "file").touch()
    with pytest.raises(NotFoundError, match="no store"):
        open_store(tmp_path / "file", read_only=True)
    (tmp_path / "diarist.db").touch()
    with pytest.raises(NotFoundError, match="no store"):
        open_store(tmp_path, read_only=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["diarist.db", "file"]


def test_a_tenant_without_anything_is_empty(workspace: Path) -> None:
    store = open_store(workspace, read_only=True, tenant="other")
    assert store.last_seq() == 0
    assert list(store.list_records(RecordFilter())) == []
    with pytest.raises(NotFoundError, match="other"):
        store.tombstone_key()
    store.close()


def test_what_another_process_commits_is_seen_while_it_works_and_after(workspace: Path, write: Callable[..., None]) -> None:
    reader = open_store(workspace, read_only=True)
    assert reader.last_seq() == 20
    for start in (20, 40, 60):
        writer = open_store(workspace)
        write(writer, start, start + 10)
        assert reader.last_seq() == (seen := writer.last_seq())
        write(writer, start + 10, start + 20)
        assert (reader.last_seq(), reader.count_records(RecordFilter())) == (seen + 10, seen + 10)
        writer.close()
        assert reader.last_seq() == seen + 10
    reader.close()


def test_what_a_crash_left_in_the_log_is_read(crashed: Path, python: Callable[..., str]) -> None:
    assert python(READ_ALL, crashed) == "21 19 19 []\n"


def test_a_copy_without_shared_memory_is_read_whole_and_stays_as_it_is(
    crashed: Path, python: Callable[..., str], state: Callable[[Path], dict[str, Any]]
) -> None:
    (crashed / "diarist.db-shm").unlink()
    before = state(crashed)
    assert python(READ_ALL, crashed) == "21 19 19 []\n"
    assert state(crashed) == before


def test_a_read_only_file_system_is_enough(workspace: Path, python: Callable[..., str]) -> None:
    assert python(READ_ALL, workspace, around=MOUNT_READ_ONLY) == "20 20 20 []\n"


@pytest.mark.parametrize("shared_memory", [True, False])
def test_a_read_only_file_system_with_a_log_is_enough(crashed: Path, python: Callable[..., str], shared_memory: bool) -> None:
    if not shared_memory:
        (crashed / "diarist.db-shm").unlink()
    assert python(READ_ALL, crashed, around=MOUNT_READ_ONLY) == "21 19 19 []\n"


def test_writing_on_a_read_only_file_system_is_refused_with_advice(workspace: Path, python: Callable[..., str]) -> None:
    script = (
        "import sys\n"
        "from diarist.errors import StoreError\n"
        "from diarist.stores import open_store\n"
        "try: open_store(sys.argv[1])\n"
        "except StoreError as error: print(type(error).__name__, error)\n"
    )
    told = python(script, workspace, around=MOUNT_READ_ONLY)
    assert "diarist.db cannot be" in told
    assert "write" in told


def test_every_read_is_whole_while_writers_come_and_go(workspace: Path) -> None:
    script = (
        "import sys\n"
        "from datetime import UTC, datetime\n"
        "from diarist.stores import open_store\n"
        "at, status = datetime(2026, 3, 5, tzinfo=UTC), ['retracted', 'active']\n"
        "for round_ in range(60):\n"
        "    store = open_store(sys.argv[1])\n"
        "    for _ in range(round_ % 3 + 1):\n"
        "        with store.transaction(actor='mate', at=at) as transaction:\n"
        "            for number in range(20):\n"
        "                transaction.set_status(f'kh-{number:016d}', status[0], action='flip')\n"
        "        status.reverse()\n"
        "    store.close()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(workspace)]) as writer:
        reader = open_store(workspace, read_only=True)
        seen = set()
        while writer.poll() is None:
            counts = (reader.count_records(RecordFilter()), reader.last_seq())
            assert counts[0] in (0, 20), "a transaction was seen half"
            assert counts[1] % 20 == 0
            seen.add(counts[1])
            fresh = open_store(workspace, read_only=True)
            assert fresh.check_history() == []
            fresh.close()
            time.sleep(0.001)
        assert writer.returncode == 0
        assert reader.last_seq() == 20 + 120 * 20
        assert len(seen) > 3
        reader.close()


def test_a_replaced_database_is_noticed(workspace: Path, tmp_path: Path, write: Callable[..., None]) -> None:
    reader = open_store(workspace, read_only=True)
    assert reader.last_seq() == 20
    other = open_store(tmp_path / "other")
    write(other, 0, 3)
    other.close()
    shutil.move(tmp_path / "other" / "diarist.db", workspace / "diarist.db")
    assert reader.last_seq() == 3
    reader.close()


def test_a_database_that_vanishes_is_reported(workspace: Path) -> None:
    reader = open_store(workspace, read_only=True)
    (workspace / "diarist.db").unlink()
    with pytest.raises((NotFoundError, StoreError)):
        reader.last_seq()
    reader.close()
