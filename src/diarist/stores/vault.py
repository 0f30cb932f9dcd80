"""The evidence vault: redacted transcripts in compressed chunks, each named by what it holds.

    vault/ab/ab34….zst      SHA-256 of the content, one zstd frame
    vault/tmp/              chunks being written; what a crash left is swept when it is a day old

`put` gives a chunk its name at once, `flush` waits until data and names are on the disk, for many chunks in one go. After a
power cut a chunk that was not flushed may hold anything: its name gives it away, nothing refers to it yet, and putting
the content again heals it. Writers in other processes do not disturb each other: the same name always means the same
content, and who finds a chunk that is younger than `SETTLED_SECONDS` flushes it too.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from diarist.durable import sync_together
from diarist.errors import NotFoundError, ReadOnlyError, StoreCorruptError, StoreError, StoreFullError
from diarist.stores.chunks import MAX_PACKED_BYTES, Packer, check_id, name_chunk

STALE_SECONDS = 24 * 3600
SETTLED_SECONDS = 600
"""After this time the system has written a file and its name to the disk by itself."""
SUFFIX = ".zst"


class FolderVault:
    """The port `Vault` in a folder. Any number of threads and processes may share it."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self._folder = Path(folder).absolute()
        self._read_only = read_only
        self._unsynced_files: set[str] = set()
        self._unsynced_folders: set[str] = set()
        self._doubtful: set[str] = set()
        self._folders: set[str] = set()
        self._turn = threading.RLock()
        self._packer = Packer()

    def put(self, content: bytes) -> str:
        """Keeps a chunk and returns its id; it is durable after `flush`. Content that is there already is not written again.

        Raises
        ------
        InvalidInputError
            It is larger than `MAX_CHUNK_BYTES`.
        ReadOnlyError, StoreFullError
        """
        chunk_id = name_chunk(content)
        path = self._path(chunk_id)
        with self._writing():
            if not self._holds(chunk_id, content):
                self._write(path, self._packer.pack(content))
                self._doubtful.discard(chunk_id)
            elif time.time() - os.stat(path).st_ctime < SETTLED_SECONDS:  # noqa: PTH116 - another writer may not have flushed it yet
                self._must_sync(path)
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
        path = self._path(chunk_id)
        try:
            with open(path, "rb") as file:  # noqa: PTH123
                packed = file.read(MAX_PACKED_BYTES + 1)
            return self._packer.unpack(packed, chunk_id)
        except FileNotFoundError:
            raise NotFoundError(f"There is no chunk {chunk_id} in {self._folder}.") from None
        except OSError as error:
            raise StoreError(f"{path} cannot be read ({error.strerror}).") from error
        except ValueError as error:
            raise _damaged(path) from error

    def delete(self, chunk_id: str) -> None:
        """Removes a chunk; nothing happens where there is none. Durable after `flush`."""
        path = self._path(chunk_id)
        with self._writing():
            try:
                os.unlink(path)  # noqa: PTH108
            except (FileNotFoundError, NotADirectoryError):
                return
            self._unsynced_files.discard(path)
            self._unsynced_folders.add(path.rpartition(os.sep)[0])

    def ids(self) -> Iterator[str]:
        """Ids of all chunks, sorted."""
        for prefix in (f"{number:02x}" for number in range(256)):
            yield from sorted(path.stem for path in (self._folder / prefix).glob("*" + SUFFIX))

    def flush(self) -> None:
        """Everything put before is on disk when this returns. Must be called before a transaction names the chunks.

        Raises
        ------
        StoreFullError
            The disk did not take it; put it again.
        """
        if not self._unsynced_files and not self._unsynced_folders:
            return
        with self._writing():
            files, folders = sorted(self._unsynced_files), sorted(self._unsynced_folders)
            self._unsynced_files.clear()
            self._unsynced_folders.clear()
            try:
                sync_together(files, folders)
            except BaseException:  # the system may have dropped what it could not write: only writing anew is safe
                self._doubtful.update(Path(file).stem for file in files)
                self._unsynced_folders.update(folders)
                raise

    def sweep(self) -> None:
        """Removes what writers that died left half written; what is younger than `SETTLED_SECONDS` may belong to one at work."""
        waiting = self._folder / "tmp"
        with self._writing():
            if waiting.is_dir():
                _sweep(waiting, SETTLED_SECONDS)

    def _path(self, chunk_id: str) -> str:
        return f"{self._folder}{os.sep}{check_id(chunk_id)[:2]}{os.sep}{chunk_id}{SUFFIX}"

    def _holds(self, chunk_id: str, content: bytes) -> bool:
        """Whether the chunk is there and whole; a damaged one is written anew."""
        if chunk_id in self._doubtful:
            return False
        try:
            return self.get(chunk_id) == content
        except (NotFoundError, StoreError):
            return False

    def _write(self, path: str, packed: bytes) -> None:
        waiting = f"{self._folder}{os.sep}tmp"
        if waiting not in self._folders:
            self._make_folder(waiting)
            _sweep(Path(waiting))
        self._make_folder(path.rpartition(os.sep)[0])
        temporary = f"{waiting}{os.sep}{os.getpid()}-{os.urandom(8).hex()}"
        try:
            with os.fdopen(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                file.write(packed)
            _move(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        self._must_sync(path)

    def _must_sync(self, path: str) -> None:
        self._unsynced_files.add(path)
        self._unsynced_folders.add(path.rpartition(os.sep)[0])

    def _make_folder(self, name: str) -> None:
        if name in self._folders:
            return
        folder = Path(name)
        if not folder.is_dir():
            if folder != self._folder:
                self._make_folder(str(self._folder))
            folder.mkdir(mode=0o700, parents=folder == self._folder, exist_ok=True)
            self._unsynced_folders.add(str(folder.parent))
        self._folders.add(name)

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


def _damaged(path: str) -> StoreCorruptError:
    return StoreCorruptError(
        f"{path} is damaged: its content is not what its name says. Restore it from a backup, or read the session's transcript in again."
    )


def _move(temporary: str, path: str) -> None:
    try:
        os.replace(temporary, path)  # noqa: PTH105
    except PermissionError:  # Windows: somebody is reading the chunk that is there already, and it is the same
        if not os.path.exists(path):  # noqa: PTH110
            raise
        os.unlink(temporary)  # noqa: PTH108


def _sweep(folder: Path, age: float = STALE_SECONDS) -> None:
    """Removes what writers that crashed left behind; what is young may belong to one at work."""
    limit = time.time() - age
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < limit:
                path.unlink()
