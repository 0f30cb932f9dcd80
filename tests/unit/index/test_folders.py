"""Which generation of the index counts while several processes make, mend and replace it."""

from __future__ import annotations

import shutil
from pathlib import Path

from diarist.index import folders


def made(root: Path, name: str) -> str:
    draft = folders.draft(str(root))
    (Path(draft) / name).touch()
    return draft


def test_one_that_another_process_made_meanwhile_is_taken_and_not_replaced(tmp_path: Path) -> None:
    missing = folders.current(str(tmp_path))
    first = folders.claim(str(tmp_path), made(tmp_path, "quick"), missing, damaged=False)
    assert folders.claim(str(tmp_path), made(tmp_path, "late"), missing, damaged=False) == first == missing
    assert [entry.name for entry in tmp_path.iterdir()] == [Path(first).name]
    assert (Path(first) / "quick").exists()


def test_one_that_was_replaced_by_a_newer_meanwhile_gives_the_newer(tmp_path: Path) -> None:
    missing = folders.current(str(tmp_path))
    folders.claim(str(tmp_path), made(tmp_path, "quick"), missing, damaged=False)
    newer = folders.publish(str(tmp_path), made(tmp_path, "newer"))
    assert folders.claim(str(tmp_path), made(tmp_path, "late"), missing, damaged=False) == newer
    folders.sweep(str(tmp_path), newer)
    assert folders.claim(str(tmp_path), made(tmp_path, "later"), missing, damaged=False) == newer


def test_a_damaged_one_is_replaced_once(tmp_path: Path) -> None:
    damaged = folders.claim(str(tmp_path), made(tmp_path, "torn"), folders.current(str(tmp_path)), damaged=False)
    mended = folders.claim(str(tmp_path), made(tmp_path, "whole"), damaged, damaged=True)
    assert mended != damaged
    assert folders.claim(str(tmp_path), made(tmp_path, "late"), damaged, damaged=True) == mended
    shutil.rmtree(damaged)
    assert folders.current(str(tmp_path)) == mended
