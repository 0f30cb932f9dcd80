"""`diarist erase`: takes things out of everything the workspace holds, for good.

One transaction removes records, their history payloads with the salts, parts of sessions and what was derived, and sets the
tombstones; from then on nothing gets back in. What lies outside the database (files, chunks, the index, free pages, a hub) is
noted in the same transaction as left to do, and done afterwards. An erasure that was interrupted is finished by the next one,
by `finish` and by `diarist doctor --repair`.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from diarist.app.backup_drafts import sweep
from diarist.app.erasing_files import delete_chunks, files_of, forget_in_spool, hub_paths, remove_files, rewrite_targets, tell_hub
from diarist.app.erasing_reach import Reach, reach
from diarist.app.erasing_values import take_out_values
from diarist.app.indexing import catch_up, purge, rebuild
from diarist.app.tombstones import ERASED_PATH, record_tombstone, session_tombstone, value_tombstones
from diarist.errors import StoreLockedError
from diarist.model.codec import from_json, to_json
from diarist.model.erasing import EraseWish, Receipt, Todo
from diarist.model.ids import make_id
from diarist.model.machinery import Erasure
from diarist.model.record import RecordFilter

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.ports import Transaction

_FOLLOWING = ("proposal", "lesson", "skill", "state")
"""Kinds that may come again from other evidence under the same id: their ids are not barred."""


def erase(box: Toolbox, wish: EraseWish) -> Receipt:
    """Erases what the wish names and what was made from it; the receipt says what was reached.

    Raises
    ------
    UsageError, NotFoundError, InvalidInputError
        The wish names nothing, or what is not there, or a value that is too short.
    StoreLockedError
        All is erased, but free pages could not be overwritten while another process reads: run `diarist erase --finish`.
    """
    at = box.now()
    with box.store.transaction(actor=box.actor, at=at) as tx:
        found = reach(box, wish)
        receipt = _write(box, tx, found, at, values=wish.values, mask=bool(wish.values))
    receipt = _carry_out(box, receipt)
    if wish.values:
        from diarist.app.residue import find_residue

        receipt = _kept(box, msgspec.structs.replace(receipt, residue=tuple(find_residue(box, wish.values))))
    return receipt


def enforce(box: Toolbox) -> Receipt | None:
    """Erases what tombstones say was erased and what is here all the same, as after a restore; None where there is nothing of it."""
    known = box.store.tombstones()
    at = box.now()
    with box.store.transaction(actor=box.actor, at=at) as tx:
        every = box.store.list_records(RecordFilter(include_inactive=True), sort="id") if known.sources else ()
        ids = tuple(record.id for record in every if known.sources.holds("record", record.id))
        sessions = [key for key in box.store.list_sessions() if known.sources.holds("session", *key)]
        if not (ids or sessions or known.values):
            return None
        found = reach(box, EraseWish(ids=ids)) if ids else Reach({}, {}, {}, [])
        found = found._replace(sessions=list(dict.fromkeys([*found.sessions, *sessions])))
        receipt = _write(box, tx, found, at, mask=bool(known.values))
    return _carry_out(box, receipt)


def finish(box: Toolbox) -> list[Receipt]:
    """Does what interrupted erasures left undone; their receipts. Raises as `erase` does."""
    return [_carry_out(box, from_json(each.receipt, Receipt)) for each in box.store.list_erasures(pending=True)]


def list_receipts(box: Toolbox) -> list[Receipt]:
    """Receipts of all erasures, oldest first."""
    return [from_json(each.receipt, Receipt) for each in box.store.list_erasures()]


def _write(box: Toolbox, tx: Transaction, found: Reach, at: datetime, *, values: Sequence[str] = (), mask: bool = False) -> Receipt:
    """The part that becomes true at once."""
    files = [file for record in found.records for file in files_of(box, record)]
    chunks: dict[str, None] = {}
    parts = 0
    for agent, session in found.sessions:
        tx.put_tombstone(session_tombstone(box.store, agent, session, at=at, actor=box.actor))
        for part in box.store.get_parts(agent, session):
            chunks.update(dict.fromkeys(part.chunks))
            tx.delete_part(agent, session, part.key)
            parts += 1
        tx.clear_dirty(agent, session)
        tx.forget_session(f"{agent}:{session}")
    _forget_sources(box, tx, found)
    targets = {str(record.project) for record in found.records if record.kind == "lesson"}
    for record in found.records:
        tx.erase_record(record.id)
        if record.kind not in _FOLLOWING:
            tx.put_tombstone(record_tombstone(box.store, record.id, at=at, actor=box.actor))
    payloads = sum(tx.forget_payloads(record_id, seqs) for record_id, seqs in found.revisions.items())
    for tombstone in value_tombstones(box.store, values, at=at, actor=box.actor):
        tx.put_tombstone(tombstone)
    todo = Todo(
        files=tuple(dict.fromkeys(files)),
        chunks=tuple(chunks),
        sessions=tuple(found.sessions),
        targets=tuple(sorted(targets)),
        hub=hub_paths(box, found),
        values=mask,
    )
    receipt = Receipt(
        id=make_id("erasure", str(box.store.last_seq()), at.isoformat()),
        at=at,
        actor=box.actor,
        reached=found.told(),
        sessions=len(found.sessions),
        parts=parts,
        payloads=payloads,
        values=len(values),
        out_of_reach=tuple(f"backup {each.path} of {each.at:%Y-%m-%d %H:%M} UTC" for each in box.store.list_backups()),
        todo=todo,
    )
    _put(tx, receipt)
    return receipt


def _forget_sources(box: Toolbox, tx: Transaction, found: Reach) -> None:
    """Files that held the sessions stay known, so that they are not read again for nothing; their paths go."""
    gone = {f"{agent}:{session}" for agent, session in found.sessions}
    for source in list(box.store.list_sources()) if gone else ():
        if gone.intersection(source.sessions):
            left = tuple(each for each in source.sessions if each not in gone)
            path = source.path if left else ERASED_PATH
            tx.put_source(msgspec.structs.replace(source, sessions=left, path=path, state=b"", offset=0))


def _carry_out(box: Toolbox, receipt: Receipt) -> Receipt:
    """The rest, each step of which may be done again; the receipt without what is left to do."""
    todo = receipt.todo
    if todo is None:
        return receipt
    sweep(box.settings.workspace)
    files, kept = remove_files(todo.files)
    forget_in_spool(box.settings.workspace, todo.sessions)
    chunks = delete_chunks(box, todo.chunks)
    files += rewrite_targets(box, todo.targets)
    left = tell_hub(box, todo)
    rewritten = 0
    if todo.values:
        report = take_out_values(box)
        rewritten = report.records + report.parts + report.files + report.payloads
        with suppress(OSError):
            shutil.rmtree(box.settings.workspace / "vectors")
    make_sure = rebuild if todo.values else purge  # values are taken out of texts without a change in the log
    make_sure(box.store, box.search_index())
    receipt = msgspec.structs.replace(
        receipt,
        files=receipt.files + files,
        chunks=receipt.chunks + chunks,
        rewritten=receipt.rewritten + rewritten,
        kept=tuple(dict.fromkeys((*receipt.kept, *kept))),
        out_of_reach=(*receipt.out_of_reach, *(f"hub document {path}: the hub did not take the news" for path in left)),
        todo=Todo(),
    )
    _kept(box, receipt, done=False)  # without the names of files, before the pages that held them are written anew
    try:
        box.store.compact()
    except StoreLockedError as error:
        raise StoreLockedError(
            f"all is erased, but free pages could not be overwritten yet: {error} Then run `diarist erase --finish`."
        ) from error
    receipt = _kept(box, msgspec.structs.replace(receipt, todo=None))
    catch_up(box.store, box.search_index())
    return receipt


def _kept(box: Toolbox, receipt: Receipt, *, done: bool = True) -> Receipt:
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        _put(tx, receipt, done=done)
    return receipt


def _put(tx: Transaction, receipt: Receipt, *, done: bool = False) -> None:
    tx.put_erasure(Erasure(receipt.id, receipt.at, receipt.actor, done, to_json(receipt)))
