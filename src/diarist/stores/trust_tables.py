"""Tombstones, erasures, backups and corrections: what makes erasing last and corrections hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from diarist.model.machinery import Backup, Correction, Erasure
    from diarist.model.record import Part, Record, SearchText, Tombstone
    from diarist.stores.database import Row
    from diarist.text.erased import Tombstones

OWN_KEY = ""
"""Key id of tombstones that this workspace made itself."""


_NO_TEXTS = ("actor", "hash", "hint", "commitment", "chunks", "secret")


class TombstoneGuard:
    """Keeps what was erased out of a store: asked by every transaction before it writes a record or a part.

    Safe to share between threads: what it remembers is replaced as a whole.
    """

    def __init__(self, fetch: Callable[..., list[Row]]) -> None:
        self._fetch = fetch
        self._known: tuple[object, Tombstones] | None = None

    def forget(self) -> None:
        """Reads the tombstones anew next time: a transaction that may have added some was rolled back."""
        self._known = None

    def current(self) -> Tombstones:
        """All tombstones, as they stand now."""
        from diarist.text.erased import NO_TOMBSTONES

        mark = tuple(self._fetch("count_tombstones")[0])
        if not mark[0]:
            return NO_TOMBSTONES
        known = self._known
        if known is None or known[0] != mark:
            known = self._known = (mark, self._load())
        return known[1]

    def check_record(self, record: Record, search: SearchText) -> None:
        """Raises ErasedError where the record was erased, or says something that was."""
        from diarist.errors import ErasedError

        tombstones = self.current()
        if tombstones.sources and tombstones.sources.holds("record", record.id):
            raise ErasedError(f"{record.id} was erased; nothing was written.")
        if tombstones.values and tombstones.holds(_texts_of(record, search)):
            raise ErasedError("What was to be written holds a value that was erased; nothing was written.")

    def check_texts(self, parameters: Mapping[str, object]) -> None:
        """Raises ErasedError where a column is about to be given an erased value; who does it is no secret (`actor`)."""
        tombstones = self.current()
        if not tombstones.values:
            return
        texts = [value for name, value in parameters.items() if isinstance(value, str) and name not in _NO_TEXTS]
        if tombstones.holds("\x1e".join(texts)):
            from diarist.errors import ErasedError

            raise ErasedError("What was to be written holds a value that was erased; nothing was written.")

    def admits_part(self, part: Part) -> bool:
        """False for a part of a session that was erased. Raises ErasedError where the session's facts hold an erased value."""
        from diarist.errors import ErasedError

        tombstones = self.current()
        if tombstones.sources and tombstones.sources.holds("session", part.agent, part.session):
            return False
        if tombstones.values and tombstones.holds(f"{part.agent}\x1e{part.session}\x1e{part.info.decode('utf-8', 'replace')}"):
            raise ErasedError("The facts about a session hold a value that was erased; nothing was written.")
        return True

    def _load(self) -> Tombstones:
        from diarist.text.erased import Erased, ErasedSources, Tombstones, read_mark

        keys = {OWN_KEY: bytes(self._fetch("find_workspace")[0][1])}
        keys.update((row[0], bytes(row[1])) for row in self._fetch("list_tombstone_keys"))
        rows = self._fetch("list_tombstones")
        values = []
        for key_id, key in keys.items():
            marks = [read_mark(row[1], row[4]) for row in rows if row[0] == "value" and row[5] == key_id and row[4]]
            values += [Erased(key, marks)] if marks else []
        hashes = frozenset(row[1] for row in rows if row[0] == "source")
        return Tombstones(tuple(values), ErasedSources(tuple(keys.values()), hashes))


class PinnedGuard(TombstoneGuard):
    """The guard of one transaction: nobody else adds tombstones meanwhile, so they are read once."""

    def __init__(self, guard: TombstoneGuard) -> None:
        self._shared = guard
        self._pinned: Tombstones | None = None

    def current(self) -> Tombstones:
        """See `TombstoneGuard.current`."""
        if self._pinned is None:
            self._pinned = self._shared.current()
        return self._pinned

    def forget(self) -> None:
        """Reads them anew next time: this transaction has added one."""
        self._pinned = None


def _texts_of(record: Record, search: SearchText) -> str:
    """Every text of a record, told apart by what folding keeps."""
    import msgspec

    from diarist.text.lookalike import BREAK

    told: list[str] = [record.namespace, record.project, record.agent, record.workflow, record.task_id, record.session_id, record.title]
    told += [*record.tags, search.title, search.errors, search.fixes, search.tags, search.body, *search.files, *search.tools]
    try:
        told += _strings(msgspec.json.decode(record.body))
    except msgspec.DecodeError:
        told.append(record.body.decode("utf-8", "replace"))
    return BREAK.join(told)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


class TrustReads:
    """Mixed into `SqlStore`."""

    _guard: TombstoneGuard

    def tombstones(self) -> Tombstones:
        """All tombstones, ready to be looked for."""
        return self._guard.current()

    def list_tombstones(self) -> list[Tombstone]:
        """All tombstones, sorted by kind and hash."""
        from diarist.model.record import Tombstone
        from diarist.stores.rows import from_micros

        return [
            Tombstone(kind=row[0], hash=row[1], at=from_micros(row[2]), actor=row[3], hint=row[4], key_id=row[5])
            for row in self._fetch("list_tombstones")
        ]

    def list_tombstone_keys(self) -> dict[str, bytes]:
        """Keys of other workspaces whose tombstones are here, by id."""
        return {row[0]: bytes(row[1]) for row in self._fetch("list_tombstone_keys")}

    def list_erasures(self, *, pending: bool = False) -> list[Erasure]:
        """Erasures, oldest first; with `pending` those that are not done."""
        from diarist.model.machinery import Erasure
        from diarist.stores.rows import from_micros

        found = [Erasure(row[0], from_micros(row[1]), row[2], bool(row[3]), bytes(row[4])) for row in self._fetch("list_erasures_made")]
        return [each for each in found if not (pending and each.done)]

    def list_backups(self) -> list[Backup]:
        """Backups that were made of this store, oldest first."""
        from diarist.model.machinery import Backup
        from diarist.stores.rows import from_micros

        return [Backup(row[0], from_micros(row[1]), row[2]) for row in self._fetch("list_backups")]

    def list_corrections(self, targets: Sequence[str] | None = None) -> list[Correction]:
        """What was said of these records, oldest first; None: of all. Loads little, for a cold search."""
        rows: list[Row] = []
        if targets is None:
            rows = self._fetch("list_corrections")
        elif self._fetch("count_corrections")[0][0]:
            rows = [row for target in dict.fromkeys(targets) for row in self._fetch("list_corrections_of", target=target)]
        return [_correction(row) for row in rows]

    def get_link(self, seq: int) -> str:
        """The link of the history chain that change `seq` closes; empty where it closes none, or there is no such change."""
        found = self._fetch("find_link", seq=seq)
        return str(found[0][0] or "") if found else ""

    def holdings(self) -> Iterator[tuple[str, bytes]]:
        """(where, data) of every value of every row that is kept for this tenant."""
        columns = self.list_columns()
        for table, row in self.dump_rows():
            where = f"table {table}"
            if "seq" in columns[table] and table != "records":
                where += f", change {row[columns[table].index('seq')]}"
            yield where, b"\n".join(map(_bytes, row))

    def list_columns(self) -> dict[str, list[str]]:
        """See `stores.moving`."""
        raise NotImplementedError

    def dump_rows(self) -> Iterator[tuple[str, Row]]:
        """See `stores.moving`."""
        raise NotImplementedError

    def find_mentions(self, kinds: Sequence[str]) -> Iterator[tuple[str, int, bytes]]:
        """(record id, change, payload) of everything that history keeps of records of these kinds, oldest first."""
        for kind in kinds:
            after = 0
            while rows := self._fetch("list_payloads_of_kind", kind=kind, after=after, limit=200):
                for seq, record_id, payload in rows:
                    yield record_id, seq, bytes(payload)
                after = rows[-1][0]

    def _fetch(self, name: str, **parameters: object) -> list[Row]:
        raise NotImplementedError


def _correction(row: Row) -> Correction:
    """Without the rows' own module: a cold search must not load what it needs."""
    from datetime import UTC, datetime, timedelta

    from diarist.model.machinery import Correction

    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    target, record_id, shape, until, at = row
    ended = None if until is None else epoch + timedelta(microseconds=until)
    return Correction(target, record_id, shape, ended, epoch + timedelta(microseconds=at))


def _bytes(value: object) -> bytes:
    return bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode("utf-8", "replace")


class TrustWrites:
    """Mixed into `SqlTransaction`."""

    _guard: TombstoneGuard

    def put_tombstone(self, tombstone: Tombstone) -> None:
        """Adds a tombstone; one that is there stays as it is."""
        from diarist.stores.rows import to_micros

        row = {"kind": tombstone.kind, "hash": tombstone.hash, "actor": tombstone.actor}
        self._execute("add_tombstone", **row, at=to_micros(tombstone.at), hint=tombstone.hint, key_id=tombstone.key_id)
        self._guard.forget()

    def put_tombstone_key(self, key_id: str, secret: bytes) -> None:
        """Adds the key of another workspace, whose tombstones are about to be added."""
        self._execute("add_tombstone_key", key_id=key_id, secret=secret)

    def put_erasure(self, erasure: Erasure) -> None:
        """Adds or replaces what is known of an erasure."""
        from diarist.stores.rows import to_micros

        row = {"id": erasure.id, "actor": erasure.actor, "done": int(erasure.done), "receipt": erasure.receipt}
        self._execute("put_erasure", **row, at=to_micros(erasure.at))

    def forget_session(self, session: str) -> None:
        """Takes a session ("agent:native id") out of the usefulness ledger."""
        self._execute("delete_uses_of_session", old=session)
        self._execute("delete_effects_of_session", session=session)

    def put_backup(self, backup: Backup) -> None:
        """Notes that a backup was made."""
        from diarist.stores.rows import to_micros

        self._execute("put_backup", path=backup.path, at=to_micros(backup.at), seq=backup.seq)

    def put_correction(self, correction: Correction) -> None:
        """Links a correction to the record it is about."""
        from diarist.stores.rows import to_micros

        until = None if correction.until is None else to_micros(correction.until)
        row = {"target": correction.target, "record_id": correction.record_id, "shape": correction.shape}
        self._execute("put_correction", **row, until=until, at=to_micros(correction.at))

    def delete_corrections(self, record_id: str) -> None:
        """Takes the links of a record away, as a correction and as what was corrected."""
        self._execute("delete_corrections", record_id=record_id)

    def _execute(self, name: str, **parameters: object) -> int:
        raise NotImplementedError
