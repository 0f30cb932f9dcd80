"""Keeping the search index in step with the store's change log."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from diarist.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from diarist.model.record import Change, Record, SearchText
    from diarist.ports import Index, Store

_PAGE = 1_000
_WORTH = 0.5
"""Share of the records up to which writing single parts of the index anew is less work than making all of it."""
_COMMIT_EVERY = 50_000
"""Changes of one commit: few enough that a crash costs little, many enough that a rebuild is fast."""


def catch_up(store: Store, index: Index) -> int:
    """Applies what the change log holds beyond the index; returns how many changes that were.

    Raises
    ------
    IndexUnavailableError
        Another process is writing the index (it will do this work), or it cannot be written.
    """
    start, last = index.position(), store.last_seq()
    if start > last:  # the store was restored from an older copy
        rebuild(store, index)
        return last
    at = start
    while at < last:
        upto = min(last, _end_of_batch(store, at))
        index.apply(_items(store, at, upto), upto)
        at = upto
    return last - start


def rebuild(store: Store, index: Index) -> int:
    """Makes the index anew beside the old one, which is searched until the new one is whole; returns how many records it holds."""
    with index.renewed() as fresh:
        catch_up(store, fresh)
    return index.record_count()


def purge(store: Store, index: Index) -> None:
    """Brings it up to date and sees to it that no word of a removed record is left in its files.

    Only the parts that held such records are written anew, if that is less work than making it anew as a whole.
    """
    try:
        catch_up(store, index)
        seqs = index.beside_removed()
        if len(seqs) <= _WORTH * index.record_count():
            index.apply(_current(store, seqs), index.position())
            if index.is_pure():
                return
    except IndexUnavailableError:  # another process is writing it, or it is damaged
        pass
    rebuild(store, index)


def _current(store: Store, seqs: Sequence[int]) -> Iterator[tuple[Record, SearchText] | Change]:
    """The records as they were indexed; those that changed since are left to the next catching up."""
    for start in range(0, len(seqs), _PAGE):
        page = seqs[start : start + _PAGE]
        found = store.get_indexed(page)
        for seq in page:
            record, search = found.get(seq, (None, None))
            if record is not None and search is not None:
                yield record, search


def index_status(store: Store, open_index: Callable[[], Index]) -> dict[str, Any]:
    """`position` in the change log, its `last_change`, how many changes the index is `behind`, and the `records` it holds.

    Where there is no usable index, `problem` says why; the next search that may write makes it.
    """
    last = store.last_seq()
    try:
        index = open_index()
        position, records = index.position(), index.record_count()
    except IndexUnavailableError as error:
        return {"position": 0, "last_change": last, "behind": last, "records": 0, "problem": str(error)}
    return {"position": position, "last_change": last, "behind": max(0, last - position), "records": records}


def verify(store: Store, index: Index) -> list[str]:
    """What is wrong with the index, one line each: damaged files, and differences from the store.

    It is brought up to date first, where it can be.
    """
    from diarist.model.hit import Query

    faults = index.check()
    if faults:
        return faults  # what it holds cannot be told
    with suppress(IndexUnavailableError):
        catch_up(store, index)
    behind = store.last_seq() - index.position()
    if behind:
        faults.append(f"the index is {behind:,} changes behind the store")
    wanted = _newest_changes(store, index.position())
    held = {match.seq for match in index.search(Query(), max(index.record_count(), 1) + 1)}
    faults += [f"missing in the index: {wanted[seq]}" for seq in sorted(wanted.keys() - held)]
    faults += [f"not in the store any more: change {seq}" for seq in sorted(held - wanted.keys())]
    return faults


def _newest_changes(store: Store, upto: int) -> dict[int, str]:
    """Of every record that is searched its newest change and its id, as the change log tells it."""
    newest: dict[str, int] = {}
    at = 0
    while changes := store.get_changes(at, _PAGE):
        for change in changes:
            if change.seq > upto:
                break
            if change.op == "put":
                newest[change.record_id] = change.seq
            else:
                newest.pop(change.record_id, None)
        at = changes[-1].seq
    return {seq: record_id for record_id, seq in newest.items()}


def _is_indexed(record: Record) -> bool:
    return record.status != "retracted"


def _end_of_batch(store: Store, after: int) -> int:
    """The last `seq` of the next batch: numbers may have gaps."""
    end, left = after, _COMMIT_EVERY
    while left > 0:
        changes = store.get_changes(end, min(_PAGE, left))
        if not changes:
            break
        end, left = changes[-1].seq, left - len(changes)
    return end


def _items(store: Store, after: int, upto: int) -> Iterator[tuple[Record, SearchText] | Change]:
    """What to do to the index for the changes in (after, upto]: only a record's newest change counts."""
    at = after
    while at < upto:
        changes = [change for change in store.get_changes(at, _PAGE) if change.seq <= upto]
        if not changes:
            return
        seqs = [change.seq for change in changes if change.op == "put"]
        found = store.get_indexed(seqs)
        for change in changes:
            record, search = found.get(change.seq, (None, None))
            if record is None or not _is_indexed(record):
                yield change
            elif search is not None:
                yield record, search
        at = changes[-1].seq
