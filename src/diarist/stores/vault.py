"""The evidence vault: redacted transcripts in compressed chunks, each named by what it holds.

    vault/ab/ab34….zst      SHA-256 of the content, one zstd frame
    vault/tmp/              chunks being written; what a crash left is swept when it is a day old

A chunk appears under its name whole or not at all. `flush` makes durable what was put since the last one: the data
first, then the names. Writers in other processes do not disturb each other: the same name always means the same content.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
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


class FolderVault:
    """The port `Vault` in a folder. One object belongs to one thread; any number of processes may share the folder."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self._folder = folder
        self._read_only = read_only
        self._pending: dict[str, Path] = {}
        self._unsynced: set[Path] = set()
        self._compressor = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL, write_checksum=False, write_content_size=True)
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_CHUNK_BYTES)
        self._swept = read_only

    def put(self, content: bytes) -> str:
        """Keeps a chunk and returns its id; it is durable after `flush`. Content that is there already is not written again.

        Raises
        ------
        InvalidInputError
            It is larger than `MAX_CHUNK_BYTES`.
        ReadOnlyError, StoreFullError
        """
        if self._read_only:
            raise ReadOnlyError(f"{self._folder} was opened for reading only; nothing can be kept in it.")
        if len(content) > MAX_CHUNK_BYTES:
            raise InvalidInputError(f"a chunk of {len(content)} bytes is too large for the vault; the limit is {MAX_CHUNK_BYTES}")
        chunk_id = hashlib.sha256(content).hexdigest()
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
        path = self._pending.get(chunk_id) or self._path(chunk_id)
        try:
            with path.open("rb") as file:
                packed = file.read(MAX_CHUNK_BYTES + 1024 * 1024)
        except FileNotFoundError:
            raise NotFoundError(f"There is no chunk {chunk_id} in {self._folder}.") from None
        except OSError as error:
            raise StoreError(f"{path} cannot be read ({error.strerror}).") from error
        try:
            content = self._unpack(packed)
        except (zstandard.ZstdError, ValueError) as error:
            raise self._damaged(path) from error
        if hashlib.sha256(content).hexdigest() != chunk_id:
            raise self._damaged(path)
        return content

    def delete(self, chunk_id: str) -> None:
        """Removes a chunk; nothing happens where there is none."""
        if self._read_only:
            raise ReadOnlyError(f"{self._folder} was opened for reading only; nothing can be removed from it.")
        with contextlib.suppress(FileNotFoundError), self._writing():
            (self._pending.pop(chunk_id, None) or self._path(chunk_id)).unlink()
            self._unsynced.add(self._path(chunk_id).parent)

    def ids(self) -> Iterator[str]:
        """Ids of all chunks, sorted."""
        yield from sorted(self._pending)
        for folder in sorted(path for path in self._folder.glob("[0-9a-f][0-9a-f]") if path.is_dir()):
            yield from sorted(path.stem for path in folder.glob("*" + SUFFIX))

    def flush(self) -> None:
        """Everything put before is on disk when this returns. Must be called before a transaction names the chunks."""
        with self._writing():
            for path in self._pending.values():
                _sync_file(path)
            for chunk_id, path in self._pending.items():
                target = self._path(chunk_id)
                self._make_folder(target.parent)
                _replace(path, target)
                self._unsynced.add(target.parent)
            self._pending.clear()
            for folder in sorted(self._unsynced):
                sync_folder(folder)
            self._unsynced.clear()
