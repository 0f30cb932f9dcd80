"""The evidence vault: redacted transcripts in compressed chunks, each named by what it holds.

    vault/ab/ab34….zst      SHA-256 of the content, one zstd frame
    vault/tmp/              chunks being written; what a crash left is swept when it is a day old

A chunk appears under its name whole or not at all. `flush` makes durable what was put since the last one: the data
first, then the names. Writers in other processes do not disturb each other: the same name always means the same content.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import zstandard

from diarist.errors import InvalidInputError, NotFoundError, ReadOnlyError, StoreCorruptError, StoreError, StoreFullError
from diarist.stores.folders import sync_folder

MAX_CHUNK_BYTES = 64 * 1024 * 1024
"""Most bytes that a chunk may unpack to; more is refused when it is put and when it is read."""
COMPRESSION_LEVEL = 3
STALE_SECONDS = 24 * 3600
SETTLED_SECONDS = 600
"""After this time the system has written a new name to the disk by itself."""
SUFFIX = ".zst"
MAX_PACKED_BYTES = MAX_CHUNK_BYTES + MAX_CHUNK_BYTES // 256 + 1024
HEX_DIGITS = frozenset("0123456789abcdef")


class FolderVault:
    """The port `Vault` in a folder. Any number of threads and processes may share it."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self._folder = folder
        self._read_only = read_only
        self._pending: dict[str, Path] = {}
        self._unsynced: set[Path] = set()
        self._folders: set[Path] = set()
        self._swept = False
        self._turn = threading.RLock()
        self._compressor = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL, write_content_size=True)
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_CHUNK_BYTES)

    def put(self, content: bytes) -> str:
        """Keeps a chunk and returns its id; it is durable after `flush`. Content that is there already is not written again.

        Raises
        ------
        InvalidInputError
            It is larger than `MAX_CHUNK_BYTES`.
        ReadOnlyError, StoreFullError
        """
        if len(content) > MAX_CHUNK_BYTES:
            raise InvalidInputError(f"a chunk of {len(content)} bytes is too large for the vault; the limit is {MAX_CHUNK_BYTES}")
        chunk_id = hashlib.sha256(content).hexdigest()
        with self._writing():
            if chunk_id not in self._pending and not self._holds(chunk_id, content):
                self._pending[chunk_id] = self._write_temporary(self._compressor.compress(content))
        return chunk_id

    def get(self, chunk_id: str) -> bytes:
        """Content of a chunk.

        Raises
        ------
        NotFoundError
            There is no such chunk.
        StoreCorruptError
            Its content is not what its id says.
        StoreError
            It cannot be read.
        """
        with self._turn:
            path = self._pending.get(chunk_id) or self._path(chunk_id)
            try:
                with path.open("rb") as file:
                    packed = file.read(MAX_PACKED_BYTES + 1)
                content = self._unpack(packed)
            except FileNotFoundError:
                raise NotFoundError(f"There is no chunk {chunk_id} in {self._folder}.") from None
            except OSError as error:
                raise StoreError(f"{path} cannot be read ({error.strerror}).") from error
            except (zstandard.ZstdError, ValueError) as error:
                raise _damaged(path) from error
        if hashlib.sha256(content).hexdigest() != chunk_id:
            raise _damaged(path)
        return content

    def delete(self, chunk_id: str) -> None:
        """Removes a chunk; nothing happens where there is none. Durable after `flush`."""
        with self._writing():
            pending, path = self._pending.pop(chunk_id, None), self._path(chunk_id)
            if pending is not None:
                pending.unlink(missing_ok=True)
            if path.exists():
                path.unlink(missing_ok=True)
                self._unsynced.add(path.parent)

    def ids(self) -> Iterator[str]:
        """Ids of all chunks, sorted."""
        for prefix in (f"{number:02x}" for number in range(256)):
            kept = {path.stem for path in (self._folder / prefix).glob("*" + SUFFIX)}
            with self._turn:
                kept.update(chunk_id for chunk_id in self._pending if chunk_id.startswith(prefix))
            yield from sorted(kept)

    def flush(self) -> None:
        """Everything put before is on disk when this returns. Must be called before a transaction names the chunks."""
        if not self._pending and not self._unsynced:
            return
        with self._writing():
            for path in self._pending.values():
                _sync_file(path)
            for chunk_id, path in list(self._pending.items()):
                target = self._path(chunk_id)
                self._make_folder(target.parent)
                _move(path, target)
                self._unsynced.add(target.parent)
                del self._pending[chunk_id]
            for folder in sorted(self._unsynced):
                sync_folder(folder)
            self._unsynced.clear()

    def _path(self, chunk_id: str) -> Path:
        if len(chunk_id) != 64 or not set(chunk_id) <= HEX_DIGITS:
            raise NotFoundError(f"{chunk_id[:80]!r} is not the id of a chunk.")
        return self._folder / chunk_id[:2] / (chunk_id + SUFFIX)

    def _holds(self, chunk_id: str, content: bytes) -> bool:
        """Whether the chunk is there and whole; a damaged one is written anew."""
        try:
            whole = self.get(chunk_id) == content
        except (NotFoundError, StoreError):
            return False
        path = self._path(chunk_id)
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_ctime < SETTLED_SECONDS:  # another writer may not have made its name durable yet
                self._unsynced.add(path.parent)
        return whole

    def _unpack(self, packed: bytes) -> bytes:
        size = zstandard.frame_content_size(packed)
        if not 0 <= size <= MAX_CHUNK_BYTES or len(packed) > MAX_PACKED_BYTES:
            raise ValueError(f"{size} bytes is not a size of a chunk")
        return self._decompressor.decompress(packed, max_output_size=MAX_CHUNK_BYTES, allow_extra_data=False)

    def _write_temporary(self, packed: bytes) -> Path:
        folder = self._folder / "tmp"
        self._make_folder(folder)
        if not self._swept:
            _sweep(folder)
            self._swept = True
        path = folder / f"{os.getpid()}-{os.urandom(8).hex()}"
        try:
            with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                file.write(packed)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path

    def _make_folder(self, folder: Path) -> None:
        if folder in self._folders:
            return
        if not folder.is_dir():
            if folder != self._folder:
                self._make_folder(self._folder)
            folder.mkdir(mode=0o700, parents=folder == self._folder, exist_ok=True)
            self._unsynced.add(folder.parent)
        self._folders.add(folder)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        if self._read_only:
            raise ReadOnlyError(f"{self._folder} was opened for reading only; nothing in it can be changed.")
        with self._turn:
            try:
                yield
            except OSError as error:
                full = error.errno in (errno.ENOSPC, errno.EDQUOT)
                advice = "Free some space and run it again." if full else "See that you may write there, and that its disk is sound."
                raise StoreFullError(f"{self._folder} cannot be written ({error.strerror}). Nothing was half written. {advice}") from error


def _damaged(path: Path) -> StoreCorruptError:
    return StoreCorruptError(
        f"{path} is damaged: its content is not what its name says. Restore it from a backup, or read the session's transcript in again."
    )


def _sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _move(path: Path, target: Path) -> None:
    try:
        path.replace(target)
    except PermissionError:  # Windows: somebody is reading the chunk that is there already, and it is the same
        if not target.exists():
            raise
        path.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Removes what writers that crashed left behind; what is young may belong to one at work."""
    limit = time.time() - STALE_SECONDS
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < limit:
                path.unlink()
