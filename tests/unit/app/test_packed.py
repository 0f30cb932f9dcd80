"""Compressed transcripts are read as if they were not, and nothing is unpacked to a disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

import diarist
from builders import fixed_test_session
from diarist.app import packed
from diarist.app.packed import is_packed, open_source

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "zst": lambda data: (
        zstandard.ZstdCompressor().compress(data[: len(data) // 2]) + zstandard.ZstdCompressor().compress(data[len(data) // 2 :])
    ),
    "bz2": bz2.compress,
    "xz": lzma.compress,
}
TEXT = b"".join(b"line %d of many\n" % number for number in range(60_000))


@pytest.mark.parametrize("kind", PACKERS)
def test_a_packed_file_is_read_like_the_plain_one(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"notes.{kind}"
    path.write_bytes(PACKERS[kind](TEXT))
    with open_source(path) as stream:
        assert is_packed(stream)
        assert stream.readline() == b"line 0 of many\n"
        stream.seek(500_000)
        assert stream.read(10) == TEXT[500_000:500_010]
        stream.seek(-5, io.SEEK_CUR)
        assert stream.read(5) == TEXT[500_005:500_010]
        stream.seek(0)
        assert stream.read() == TEXT
        assert stream.read() == b""


def test_a_plain_file_is_opened_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(TEXT)
    with open_source(path) as stream:
        assert not is_packed(stream)
        assert stream.read() == TEXT


@pytest.mark.parametrize("kind", PACKERS)
def test_a_packed_session_gives_the_entry_of_the_plain_one_and_is_read_once(kind: str, tmp_path: Path) -> None:
    plain = fixed_test_session(1).write(tmp_path / "plain")
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / f"{plain.name}.{kind}").write_bytes(PACKERS[kind](plain.read_bytes()))
    with diarist.open_memory(tmp_path / "one") as memory:
        wanted = memory.ingest([str(plain)]).entries
    with diarist.open_memory(tmp_path / "two") as memory:
        first, second = memory.ingest([str(folder)]), memory.ingest([str(folder)])
    assert [(each.id, each.redaction_hash, each.title) for each in first.entries] == [
        (each.id, each.redaction_hash, each.title) for each in wanted
    ]
    assert (second.files_read, second.files_unchanged) == (0, 1)
    assert sorted(path.name for path in folder.iterdir()) == [f"{plain.name}.{kind}"]


@pytest.mark.parametrize("kind", PACKERS)
def test_a_packed_file_that_is_damaged_is_named_with_the_reason(kind: str, tmp_path: Path) -> None:
    plain = fixed_test_session(1).write(tmp_path / "plain").read_bytes() * 50
    path = tmp_path / f"session.jsonl.{kind}"
    path.write_bytes(PACKERS[kind](plain)[:-30])
    with diarist.open_memory(tmp_path / "ws") as memory:
        report = memory.ingest([str(path)])
    (problem,) = report.problems
    assert problem.path == str(path)
    assert problem.lost
    assert "cannot be read" in problem.reason


def test_a_file_that_unpacks_without_end_is_not_read_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "MAX_UNPACKED", 1 << 20)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(4 << 20)))
    with open_source(path) as stream, pytest.raises(OSError, match="unpacks to more"):
        stream.read()
