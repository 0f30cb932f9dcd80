"""The evidence vault in the database, for server nodes that share nothing else: the same chunks under the same names."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from diarist.errors import NotFoundError, ReadOnlyError, StoreCorruptError
from diarist.stores.chunks import Packer, check_id, name_chunk

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
        self._packer = Packer()
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
        chunk_id = name_chunk(content)
        if self._database.read_only:
            raise ReadOnlyError(f"{self._database.path} was opened for reading only; nothing in it can be changed.")
        with self._turn:
            self._waiting[chunk_id] = self._packer.pack(content)
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
            packed = self._waiting.get(check_id(chunk_id))
        if packed is None:
            found = self._database.fetch(self._queries["find_chunk"], {"tenant": self._tenant, "id": chunk_id})
            if not found:
                raise NotFoundError(f"There is no chunk {chunk_id} in {self._database.path}.")
            packed = bytes(found[0][0])
        try:
            return self._packer.unpack(packed, chunk_id)
        except ValueError as error:
            raise self._damaged(chunk_id) from error

    def delete(self, chunk_id: str) -> None:
        """Removes a chunk; nothing happens where there is none."""
        with self._turn:
            self._waiting.pop(check_id(chunk_id), None)
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
            row = {"tenant": self._tenant, "id": chunk_id, "packed": packed}
            self._database.defer(self._queries["add_chunk"], row, self._queries["add_chunk_many"], chunk_id)

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
