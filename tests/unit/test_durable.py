"""Files that are put on the disk together."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from diarist.durable import sync_together, write_together


@pytest.mark.parametrize("count", [0, 1, 3, 100])
def test_all_files_are_written_whole_and_for_their_owner_only(tmp_path: Path, count: int) -> None:
    for again in ("first", "second"):  # how quick the disk was the first time decides how it is asked the second
        files = {str(tmp_path / f"{again}-{number}"): bytes(range(256)) * number + b"\r\n" for number in range(count)}
        write_together(files.items(), 0o600)
        assert {name: Path(name).read_bytes() for name in files} == files
        assert all(stat.S_IMODE(Path(name).stat().st_mode) == 0o600 for name in files)


def test_one_that_cannot_be_written_is_told_of_and_the_others_are_there(tmp_path: Path) -> None:
    (tmp_path / "5").write_bytes(b"there already")
    with pytest.raises(FileExistsError):
        write_together([(str(tmp_path / str(number)), b"new") for number in range(20)], 0o600)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(map(str, range(20)))
    assert (tmp_path / "5").read_bytes() == b"there already"


def test_a_file_that_is_gone_does_not_keep_the_others_from_the_disk(tmp_path: Path) -> None:
    names = [str(tmp_path / str(number)) for number in range(20)]
    for name in names[1:]:
        Path(name).write_bytes(b"")
    with pytest.raises(FileNotFoundError):
        sync_together(names, [str(tmp_path)])
