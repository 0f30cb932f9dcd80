"""`diarist restore`: a backup becomes the workspace, once it has been checked; the workspace that was there is kept beside it.

What was erased in the workspace that is replaced stays erased: its tombstones survive and are carried out on what comes back.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from diarist.app.backing_up import fill, read_manifest, unpack
from diarist.app.consent import PAUSES
from diarist.app.erasing import enforce
from diarist.errors import NotFoundError, StoreError, UsageError
from diarist.model.machinery import Backup

if TYPE_CHECKING:
    from diarist.app.memory import Memory
    from diarist.config import Settings
    from diarist.model.record import Tombstone

OpenMemory = Callable[[Path, bool], "Memory"]
_OF_THE_MACHINE = ("connect/*", "left-out/*", "spool/events/**/*", "projects/*/checkout", "paused", PAUSES)
"""What a workspace knows of the machine it is on: which files `connect` changed, what the user keeps out, events that wait."""


class Restored(NamedTuple):
    """What was restored where. `before`: where the workspace that was there is now; empty where there was none."""

    workspace: str
    records: int
    seq: int
    erased: int
    """Records and sessions of the backup that had been erased since, and did not come back."""
    before: str


class _Kept(NamedTuple):
    """What survives of the workspace that is replaced."""

    workspace_id: str
    secret: bytes
    keys: dict[str, bytes]
    tombstones: list[Tombstone]
    backups: list[Backup]


def restore(source: Path, settings: Settings, open_memory: OpenMemory, *, replace: bool = False) -> Restored:
    """Makes the backup the workspace. `open_memory(folder, read_only)` opens an embedded one.

    Raises
    ------
    UsageError
        There is a workspace already and `replace` was not said, or the store is on a server (`diarist import` fills an empty one).
    InvalidInputError, StoreCorruptError
        It is no backup, or damaged; the workspace is as it was.
    StoreLockedError
        Another process is writing to the workspace that would be replaced.
    """
    if settings.environ.get("DIARIST_DATABASE_URL", "").strip():
        raise UsageError("the store is on a server: `diarist import` reads an export into an empty one there")
    target = settings.workspace
    manifest = read_manifest(source, check=True)
    there = (target / "diarist.db").exists()
    if there and not replace:
        raise UsageError(f"{target} holds a workspace already; say --replace to put the backup in its place (the old one is kept)")
    draft = target.with_name(f".{target.name}.restoring-{os.getpid()}")
    draft.mkdir(parents=True, mode=0o700)
    store: Path | None = None
    try:
        store = unpack(source, draft)
        with open_memory(draft, False) as memory:
            fill(memory._box, store)
            if there:
                _keep(memory, _survivors(target, open_memory))
            receipt = enforce(memory._box)
            memory.rebuild_index()
            records = sum(scope.records for scope in memory.scopes())
        before = _swap(draft, target, open_memory) if there else _move(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        if store is not None:
            store.unlink(missing_ok=True)
    if before:
        with open_memory(target, False) as memory:
            box = memory._box
            with box.store.transaction(actor=box.actor, at=box.now()) as tx:
                tx.put_backup(Backup(box.reader().redactor.redact(before), box.now(), manifest.seq))
    erased = 0 if receipt is None else len(receipt.reached) + receipt.sessions
    return Restored(str(target), records, manifest.seq, erased, before)


def _survivors(target: Path, open_memory: OpenMemory) -> _Kept | None:
    """What must survive. A store that cannot be read has nothing to survive; that is why it is being replaced."""
    try:
        with open_memory(target, True) as memory:
            store = memory._box.store
            return _Kept(
                store.workspace_id(), store.tombstone_key(), store.list_tombstone_keys(), store.list_tombstones(), store.list_backups()
            )
    except (StoreError, NotFoundError):
        return None


def _keep(memory: Memory, kept: _Kept | None) -> None:
    """Adds the tombstones to the restored store, with the key they were made with where that is another one."""
    if kept is None:
        return
    box = memory._box
    same = box.store.workspace_id() == kept.workspace_id
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        if not same and kept.tombstones:
            tx.put_tombstone_key(kept.workspace_id, kept.secret)
        for key_id, secret in kept.keys.items():
            tx.put_tombstone_key(key_id, secret)
        for tombstone in kept.tombstones:
            key_id = tombstone.key_id or ("" if same else kept.workspace_id)
            tx.put_tombstone(msgspec.structs.replace(tombstone, key_id=key_id))
        for backup in kept.backups:
            tx.put_backup(backup)


def _move(draft: Path, target: Path) -> str:
    with suppress(OSError):
        target.rmdir()
    if target.exists():  # settings, marks or published files without a store: they stay, what comes is put beside them
        for path in sorted(draft.iterdir()):
            if not (target / path.name).exists():
                path.rename(target / path.name)
        return ""
    draft.rename(target)
    return ""


def _swap(draft: Path, target: Path, open_memory: OpenMemory) -> str:
    """Puts the draft in the place of the workspace while nobody writes to it; returns where the old one is."""
    before = target.with_name(f"{target.name}.before-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    number = 1
    while before.exists():
        number += 1
        before = before.with_name(f"{target.name}.before-{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{number}")
    with ExitStack() as stack:
        with suppress(StoreError):  # a store that cannot be opened has no writer
            memory = stack.enter_context(open_memory(target, False))
            box = memory._box
            if os.name != "nt":
                stack.enter_context(box.store.transaction(actor=box.actor, at=box.now()))
        if os.name == "nt":
            stack.close()
        _carry_over(target, draft)
        target.rename(before)
        draft.rename(target)
    return str(before)


def _carry_over(old: Path, draft: Path) -> None:
    """Takes along what is of the machine and in no backup; what the backup brought stays as it is."""
    for path in sorted({path for pattern in _OF_THE_MACHINE for path in old.glob(pattern)}):
        place = draft / path.relative_to(old)
        if path.is_file() and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            shutil.copy2(path, place)
