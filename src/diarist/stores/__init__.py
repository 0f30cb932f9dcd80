"""Where the truth is kept. Adapters are loaded when they are opened, so that importing this costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diarist.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from pathlib import Path

    from diarist.stores.database_vault import DatabaseVault
    from diarist.stores.postgres import PostgresDatabase
    from diarist.stores.sql_store import SqlStore
    from diarist.stores.vault import FolderVault


def open_store(
    workspace: str | PathLike[str] | None,
    *,
    read_only: bool = False,
    tenant: str = "local",
    make_gist: Callable[[bytes], bytes] | None = None,
) -> SqlStore:
    """Opens the store of a workspace folder, making both if they are missing; None: one in memory, gone when it is closed.

    `read_only` writes nothing, not even a lock file, and works on a read-only folder. `make_gist`: as `SqlStore` has it.

    Raises
    ------
    NotFoundError
        Opened for reading, and there is no store.
    SchemaTooNewError
        A newer Diarist wrote it.
    StoreError
        It is damaged, not Diarist's, locked, or the folder cannot be written.
    """
    from diarist.stores.sql_store import SqlStore
    from diarist.stores.sqlite import open_file, open_memory

    database = open_memory() if workspace is None else open_file(workspace, read_only=read_only)
    return SqlStore(database, tenant=tenant, make_gist=make_gist)


def open_vault(folder: Path, *, read_only: bool = False) -> FolderVault:
    """Opens an evidence vault, making the folder when the first chunk is put.

    `read_only` refuses to write; a missing folder is then an empty vault.
    """
    from diarist.stores.vault import FolderVault

    return FolderVault(folder, read_only=read_only)


def open_server(url: str, *, read_only: bool = False, tenant: str = "local", make_gist: Callable[[bytes], bytes] | None = None) -> SqlStore:
    """Opens the store of a tenant in a PostgreSQL database, bringing the schema up to date. `make_gist`: as `SqlStore` has it.

    Raises
    ------
    StoreError
        The server cannot be reached or refuses us, the database is not Diarist's, or the extra `postgres` is not installed.
    SchemaTooNewError
        A newer Diarist wrote it.
    """
    from diarist.stores.sql_store import SqlStore

    return SqlStore(_open_postgres(url, read_only, tenant), tenant=tenant, make_gist=make_gist)


def open_server_vault(url: str, *, read_only: bool = False, tenant: str = "local") -> DatabaseVault:
    """Opens the evidence vault of a tenant in a PostgreSQL database, on the connections of the store if that is open.

    It closes with the store; by itself only if there is none. Raises as `open_server` does.
    """
    from diarist.stores.database_vault import DatabaseVault
    from diarist.stores.queries import load

    return DatabaseVault(_open_postgres(url, read_only, tenant, borrow=True), load("postgres"), tenant)


def _open_postgres(url: str, read_only: bool, tenant: str, *, borrow: bool = False) -> PostgresDatabase:
    try:
        from diarist.stores.postgres import share
    except ImportError as error:
        raise StoreError(f"PostgreSQL needs the extra `postgres`: pip install 'diarist[postgres]' ({error}).") from error

    return share(url, tenant=tenant, read_only=read_only, borrow=borrow)
