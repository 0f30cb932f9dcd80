"""The usefulness ledger: what was shown, and what came of it. Outside the history chain.

Loads nothing of the model when it is loaded, as `sql_store`: a cold search asks it for a few tallies.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diarist.model.use import Effect, Shown, Tally, Use
    from diarist.stores.database import Row

UseCount = tuple[str, str, int, int, int]


class UseReads:
    """Mixed into `SqlStore`."""

    def list_use_sessions(self) -> list[str]:
        """Every session that the usefulness ledger names, sorted."""
        return [row[0] for row in self._fetch("list_use_sessions")]

    def list_uses(self, record_id: str | None = None, limit: int = 1000) -> list[Use]:
        """The usefulness ledger of one record, oldest first; of all records the newest `limit` rows, newest first."""
        found = self._fetch("list_last_uses", limit=limit) if record_id is None else self._fetch("list_uses", record_id=record_id)
        return [_use(row) for row in found]

    def list_uses_of_sessions(self, sessions: Sequence[str]) -> list[Use]:
        """What the ledger holds of these sessions ("agent:native id"), oldest first."""
        return [_use(row) for row in self._fetch("list_uses_of_sessions", sessions=json.dumps(list(sessions)))]

    def count_uses(self) -> list[UseCount]:
        """By event and surface, sorted: how many rows, of how many sessions, on how many records."""
        return [(row[0], row[1], row[2], row[3], row[4]) for row in self._fetch("count_uses")]

    def count_shown(self, record_id: str) -> Shown:
        """How often a record was shown, and to how many sessions."""
        from diarist.model.use import Shown

        found = self._fetch("count_shown", record_id=record_id)
        return Shown(*found[0]) if found else Shown(record_id)

    def list_effects(self, record_id: str) -> list[Effect]:
        """What came of a record in each session that was shown it, oldest first."""
        return [_effect(row) for row in self._fetch("list_effects", record_id=record_id)]

    def list_effects_of_session(self, session: str) -> list[Effect]:
        """What came of each record in one session, by record id."""
        return [_effect(row) for row in self._fetch("list_effects_of_session", session=session)]

    def list_tallies(self, record_ids: Sequence[str] | None = None, limit: int = 10) -> list[Tally]:
        """Effects counted by record, for these records by id; None: the `limit` most useful ones. Records without any are left out."""
        if record_ids is None:
            found = self._fetch("list_last_tallies", limit=limit)
        else:
            found = self._fetch("list_tallies", ids=json.dumps(list(record_ids)))
        if not found:
            return []
        from diarist.model.use import Tally

        return [Tally(*row) for row in found]

    def _fetch(self, name: str, **parameters: object) -> list[Row]:
        raise NotImplementedError


class UseWrites:
    """Mixed into `SqlTransaction`."""

    def rename_use_session(self, old: str, new: str) -> None:
        """Calls a session of the usefulness ledger otherwise; rows that become the same are kept once."""
        if old != new:
            self._execute("copy_uses", old=old, new=new)
            self._execute("delete_uses_of_session", old=old)
            self._execute("copy_effects", old=old, new=new)
            self._execute("delete_effects_of_session", session=old)

    def add_use(self, use: Use) -> bool:
        """Adds to the usefulness ledger; False where it stands there already or the record is gone."""
        from diarist.stores.rows import to_micros

        return self._execute("add_use", **{**use._asdict(), "at": to_micros(use.at)}) > 0

    def replace_uses_read_off(self, session: str, uses: Sequence[Use]) -> None:
        """What the transcript of a session tells of records it was shown takes the place of what it told before."""
        self._execute("delete_uses_read_off", session=session)
        for use in uses:
            self.add_use(use)

    def replace_effects(self, session: str, effects: Sequence[Effect]) -> None:
        """What came of records in a session takes the place of what was known before. Records that are gone are left out."""
        from diarist.stores.rows import to_micros

        self._execute("delete_effects_of_session", session=session)
        for effect in effects:
            row = {**effect._asdict(), "at": to_micros(effect.at), "cited": int(effect.cited)}
            for name in ("error_gone", "verified"):
                row[name] = None if row[name] is None else int(row[name])
            self._execute("add_effect", **row)

    def _execute(self, name: str, **parameters: object) -> int:
        raise NotImplementedError


def _use(row: Row) -> Use:
    from diarist.model.use import Use
    from diarist.stores.rows import from_micros

    record_id, session, at, event, surface, place = row
    return Use(record_id, session, from_micros(at), event, surface, place)


def _effect(row: Row) -> Effect:
    from diarist.model.use import Effect
    from diarist.stores.rows import from_micros

    record_id, session, at, entry_id, cited, followed, error_gone, outcome, verified, verdict, points = row
    gone, sound = (None if flag is None else bool(flag) for flag in (error_gone, verified))
    return Effect(record_id, session, from_micros(at), entry_id, bool(cited), followed, gone, outcome, sound, verdict, points)
