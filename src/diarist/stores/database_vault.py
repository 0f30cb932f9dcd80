"""The evidence vault in the database, for server nodes that share nothing else: the same chunks under the same names."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import zstandard

from diarist.errors import InvalidInputError, NotFoundError, ReadOnlyError, StoreCorruptError
from diarist.stores.vault import COMPRESSION_LEVEL, HEX_DIGITS, MAX_CHUNK_BYTES

if TYPE_CHECKING:
    from diarist.stores.postgres import PostgresDatabase
    from diarist.stores.queries import Queries

PAGE = 1000
MAX_WAITING_BYTES = 32 * 1024 * 1024


class DatabaseVault:
    """The port `Vault` in a table. Any number of threads and processes may share it."""

    def __init__(self, database: PostgresDatabase, queries: Queries, tenant: str) -> None:
        self._database = database
        self._queries = queries
        self._tenant = tenant
        self._waiting: dict[str, bytes] = {}
        self._turn = threading.RLock()
        database.passengers.add(self)

    def put(self, content: bytes) -> str:
        """Takes a chunk and returns its id; it is durable after `flush`.

        Raises
        ------
        InvalidInputError
            It is larger than `MAX_CHUNK_BYTES`.
        ReadOnlyError, StoreError
        """
        if len(content) > MAX_CHUNK_BYTES:
            raise InvalidInputError(f"a chunk of {len(content)} bytes is too large for the vault; the limit is {MAX_CHUNK_BYTES}")
        if self._database.read_only:
            raise ReadOnlyError(f"{self._database.path} was opened for reading only; nothing in it can be changed.")
        chunk_id = hashlib.sha256(content).hexdigest()
        with self._turn:
            self._waiting[chunk_id] = zstandard.ZstdCompressor(level=COMPRESSION_LEVEL, write_content_size=True).compress(content)
            full = sum(map(len, self._waiting.values())) > MAX_WAITING_BYTES
        if full and not self._database.in_transaction:
            self._commit()
        return chunk_id

    def get(self, chunk_id: str) -> bytes:
        """Content of a chunk.

        Raises
        ------
        NotFoundError
            There is no such chunk.
        StoreCorruptError
            Its content is not what its id says.
        """
        with self._turn:
            packed = self._waiting.get(_checked(chunk_id))
        if packed is None:
            found = self._database.fetch(self._queries["find_chunk"], {"tenant": self._tenant, "id": chunk_id})
            if not found:
                raise NotFoundError(f"There is no chunk {chunk_id} in {self._database.path}.")
            packed = bytes(found[0][0])
        try:
            if not 0 <= zstandard.frame_content_size(packed) <= MAX_CHUNK_BYTES:
                raise self._damaged(chunk_id)
            content = zstandard.ZstdDecompressor(max_window_size=MAX_CHUNK_BYTES).decompress(packed, max_output_size=MAX_CHUNK_BYTES)
        except zstandard.ZstdError as error:
            raise self._damaged(chunk_id) from error
        if hashlib.sha256(content).hexdigest() != chunk_id:
            raise self._damaged(chunk_id)
        return content

    def delete(self, chunk_id: str) -> None:
        """Removes a chunk; nothing happens where there is none."""
        with self._turn:
            self._waiting.pop(_checked(chunk_id), None)
        with self._writing():
            self._database.execute(self._queries["delete_chunk"], {"tenant": self._tenant, "id": chunk_id})

    def ids(self) -> Iterator[str]:
        """Ids of all chunks, sorted."""
        if not self._database.read_only and not self._database.in_transaction:
            self._commit()
        after, page = "", [("",)]
        while page:
            parameters = {"tenant": self._tenant, "after": after, "limit": PAGE}
            page = self._database.fetch(self._queries["list_chunks"], parameters)
            for (chunk_id,) in page:
                after = chunk_id
                yield chunk_id

    def flush(self) -> None:
        """Everything put before is committed no later than any transaction that names it.

        Where a store of this process shares the database, its next transaction takes the chunks along, so that a write waits for the disk
        once; a vault by itself, as in a worker process, commits them here.
        """
        if not self._database.users:
            self._commit()

    def waits(self) -> bool:
        """Were chunks put that no transaction has taken along yet?"""
        return bool(self._waiting)

    def come_along(self) -> Callable[[], None]:
        """Writes what waits within an open transaction; it stops waiting when what is returned is called, after the commit."""
        with self._turn:
            taken = sorted(self._waiting.items())
        for chunk_id, packed in taken:
            self._database.execute(self._queries["add_chunk"], {"tenant": self._tenant, "id": chunk_id, "packed": packed})

        def settle() -> None:
            with self._turn:
                for chunk_id, _ in taken:
                    self._waiting.pop(chunk_id, None)

        return settle

    def _commit(self) -> None:
        if self._waiting:
            with self._database.transaction():  # takes us along
                pass

    def close(self) -> None:
        """Closes the connections where no store of this process uses them."""
        if not self._database.users:
            self._database.close()

    def sweep(self) -> None:
        """Nothing is ever half written here."""

    def _writing(self) -> AbstractContextManager[None]:
        """The thread's open transaction, if it has one: what is written then becomes true with it."""
        return nullcontext() if self._database.in_transaction else self._database.transaction()

    def _damaged(self, chunk_id: str) -> StoreCorruptError:
        return StoreCorruptError(
            f"Chunk {chunk_id} in {self._database.path} is damaged: its content is not what its name says. "
            "Restore it from a backup, or read the session's transcript in again."
        )


def _checked(chunk_id: str) -> str:
    if len(chunk_id) != 64 or not set(chunk_id) <= HEX_DIGITS:
        raise NotFoundError(f"{chunk_id[:80]!r} is not the id of a chunk.")
    return chunk_id
