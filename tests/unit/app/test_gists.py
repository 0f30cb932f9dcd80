"""What synthesis reads of entries may be kept or not: what it says is the same."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from diarist.bootstrap import open_memory
from diarist.model.codec import to_json
from filled import NOW, fill

DAMAGES = {
    "none is missing": "SELECT 1",
    "all are missing": "DELETE FROM gists",
    "some are missing": "DELETE FROM gists WHERE seq % 3 = 0",
    "some are of another version": "UPDATE gists SET version = 99 WHERE seq % 7 < 3",
    "some are damaged": "UPDATE gists SET gist = x'93c0' WHERE seq % 5 = 1",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A workspace, and its report when all gists are as they were written."""
    workspace = tmp_path_factory.mktemp("gists") / "ws"
    fill(workspace, 300)
    with open_memory(workspace, read_only=True) as memory:
        made = memory.synthesize(now=NOW, project="team/app")
    assert made.themes
    assert made.errors
    return workspace, to_json(made)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_the_report_does_not_depend_on_which_gists_are_kept(report: tuple[Path, bytes], damage: str) -> None:
    """They only save time."""
    workspace, told = report
    with closing(sqlite3.connect(workspace / "diarist.db")) as database:
        kept = database.execute("SELECT * FROM gists").fetchall()
        assert len(kept) == 300
        database.execute(damage)
        database.commit()
    try:
        with open_memory(workspace, read_only=True) as memory:
            assert to_json(memory.synthesize(now=NOW, project="team/app")) == told
    finally:
        with closing(sqlite3.connect(workspace / "diarist.db")) as database:
            database.execute("DELETE FROM gists")
            database.executemany("INSERT INTO gists VALUES (?, ?, ?, ?)", kept)
            database.commit()
