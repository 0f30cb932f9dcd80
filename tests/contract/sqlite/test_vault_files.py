"""What a folder on a disk can do to the vault."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import zstandard

from diarist.errors import NotFoundError, ReadOnlyError, StoreCorruptError, StoreFullError
from diarist.stores import open_vault
from diarist.stores.chunks import MAX_CHUNK_BYTES
from diarist.stores.vault import STALE_SECONDS


def only_chunk(folder: Path) -> Path:
    (path,) = folder.glob("??/*.zst")
    return path


def test_a_chunk_is_one_file_named_by_its_content(tmp_path: Path) -> None:
    vault = open_vault(tmp_path / "vault")
    chunk_id = vault.put(b"words")
    vault.flush()
    path = tmp_path / "vault" / chunk_id[:2] / f"{chunk_id}.zst"
    assert zstandard.ZstdDecompressor().decompress(path.read_bytes()) == b"words"
    assert list((tmp_path / "vault" / "tmp").iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_only_the_owner_may_look(tmp_path: Path) -> None:
    vault = open_vault(tmp_path / "vault")
    vault.put(b"words")
    vault.flush()
    path = only_chunk(tmp_path / "vault")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in (tmp_path / "vault", path.parent)} == {0o700}


def test_the_same_content_is_written_once(tmp_path: Path) -> None:
    vault = open_vault(tmp_path / "vault")
    vault.put(b"words")
    vault.flush()
    before = only_chunk(tmp_path / "vault").stat()
    vault.put(b"words")
    vault.flush()
    other = open_vault(tmp_path / "vault")
    other.put(b"words")
    other.flush()
    after = only_chunk(tmp_path / "vault").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize("damage", ["flip", "cut", "grow", "empty", "swap", "text"])
def test_damage_is_found_and_healed_by_the_same_content(tmp_path: Path, damage: str) -> None:
    vault = open_vault(tmp_path / "vault")
    content = os.urandom(3000)
    chunk_id = vault.put(content)
    vault.flush()
    path = only_chunk(tmp_path / "vault")
    packed = path.read_bytes()
    path.write_bytes(
        {
            "flip": packed[:1500] + bytes([packed[1500] ^ 4]) + packed[1501:],
            "cut": packed[:-100],
            "grow": packed + b"more",
            "empty": b"",
            "swap": zstandard.ZstdCompressor().compress(b"other"),
            "text": b"not a frame at all",
        }[damage]
    )
    with pytest.raises(StoreCorruptError, match=chunk_id):
        vault.get(chunk_id)
    assert vault.put(content) == chunk_id
    vault.flush()
    assert vault.get(chunk_id) == content


def test_unpacking_is_bounded(tmp_path: Path) -> None:
    vault = open_vault(tmp_path / "vault")
    chunk_id = vault.put(b"words")
    vault.flush()
    compressor = zstandard.ZstdCompressor(level=1)
    only_chunk(tmp_path / "vault").write_bytes(compressor.compress(bytes(MAX_CHUNK_BYTES + 1)))
    with pytest.raises(StoreCorruptError):
        vault.get(chunk_id)
    stream = zstandard.ZstdCompressor(level=1, write_content_size=False).compressobj()
    only_chunk(tmp_path / "vault").write_bytes(stream.compress(bytes(MAX_CHUNK_BYTES + 1)) + stream.flush())
    with pytest.raises(StoreCorruptError):
        vault.get(chunk_id)


def test_a_chunk_that_could_not_be_flushed_is_written_anew(tmp_path: Path) -> None:
    vault = open_vault(tmp_path / "vault")
    lost, kept = vault.put(b"lost"), vault.put(b"kept")
    (tmp_path / "vault" / lost[:2] / f"{lost}.zst").unlink()
    with pytest.raises(StoreFullError, match="vault"):
        vault.flush()
    before = (tmp_path / "vault" / kept[:2] / f"{kept}.zst").stat().st_ino
    assert [vault.put(b"lost"), vault.put(b"kept")] == [lost, kept]
    vault.flush()
    assert vault.get(lost) == b"lost"
    assert (tmp_path / "vault" / kept[:2] / f"{kept}.zst").stat().st_ino != before, "whether it reached the disk was unknown"


def test_what_a_crash_left_is_swept_when_it_is_old(tmp_path: Path) -> None:
    folder = tmp_path / "vault" / "tmp"
    folder.mkdir(parents=True)
    old, young = folder / "1-old", folder / "2-young"
    for path in (old, young):
        path.write_bytes(b"half a chunk")
    past = time.time() - STALE_SECONDS - 60
    os.utime(old, (past, past))
    vault = open_vault(tmp_path / "vault")
    vault.put(b"words")
    assert not old.exists()
    assert young.exists(), "it may belong to a writer at work"


def test_reading_makes_no_folder_and_refuses_to_write(tmp_path: Path) -> None:
    vault = open_vault(tmp_path / "vault", read_only=True)
    assert list(vault.ids()) == []
    with pytest.raises(NotFoundError):
        vault.get("ab" * 32)
    with pytest.raises(ReadOnlyError):
        vault.put(b"words")
    with pytest.raises(ReadOnlyError):
        vault.delete("ab" * 32)
    vault.flush()
    assert not (tmp_path / "vault").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreFullError, match="file"):
        open_vault(tmp_path / "file" / "vault").put(b"words")


def test_processes_that_put_the_same_chunks_disturb_nobody(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from diarist.stores import open_vault\n"
        "vault = open_vault(Path(sys.argv[1]))\n"
        "for number in range(150):\n"
        "    vault.put(str(number).encode() * 50)\n"
        "    if number % 5 == 0: vault.flush()\n"
        "vault.flush()\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "vault")]) for _ in range(3)]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    vault = open_vault(tmp_path / "vault", read_only=True)
    assert sorted(vault.get(chunk_id) for chunk_id in vault.ids()) == sorted(str(number).encode() * 50 for number in range(150))
    assert list((tmp_path / "vault" / "tmp").iterdir()) == []
