"""The hub's keys and kept answers: the part of the store that no record depends on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from diarist.model.access import Answer, ApiKey
    from diarist.model.use import EntryCount
    from diarist.stores.database import Row


DAY = 86_400_000_000
"""Microseconds."""


class HubReads:
    """Mixed into `SqlStore`."""

    def find_api_key(self, hash_: str) -> ApiKey | None:
        """The key with this SHA-256 (hex), good or not."""
        found = self._fetch("find_api_key", hash=hash_)
        return _key(found[0]) if found else None

    def list_api_keys(self) -> list[ApiKey]:
        """All keys, oldest first; also those that are revoked or past their time."""
        return [_key(row) for row in self._fetch("list_api_keys")]

    def count_entries(self, since: datetime, project: str | None = None) -> list[EntryCount]:
        """Active entries since then, by UTC day, project, agent and outcome, sorted."""
        from diarist.model.use import EntryCount
        from diarist.stores.rows import from_micros, to_micros

        found = self._fetch("count_entries", since=to_micros(since), day=DAY, every=int(project is None), project=project or "")
        return [EntryCount(from_micros(row[0] * DAY).date().isoformat(), *row[1:]) for row in found]

    def find_answer(self, caller: str, key: str) -> Answer | None:
        """What this caller was answered under an idempotency key."""
        from diarist.model.access import Answer
        from diarist.stores.rows import from_micros

        found = self._fetch("find_answer", caller=caller, key=key)
        if not found:
            return None
        request, status, body, at = found[0]
        return Answer(request, status, bytes(body), from_micros(at))

    def _fetch(self, name: str, **parameters: object) -> list[Row]:
        raise NotImplementedError


class HubWrites:
    """Mixed into `SqlTransaction`."""

    def add_api_key(self, key: ApiKey) -> None:
        """Adds a key."""
        from diarist.stores.rows import to_micros

        row: dict[str, object] = key._asdict()
        row["label"] = row.pop("name")
        for name in ("created_at", "expires_at", "revoked_at", "used_at"):
            at: datetime | None = getattr(key, name)
            row[name] = None if at is None else to_micros(at)
        self._execute("add_api_key", **row)

    def revoke_api_key(self, key_id: str, at: datetime) -> bool:
        """False where there is no such key, or it is revoked already."""
        from diarist.stores.rows import to_micros

        return self._execute("revoke_api_key", id=key_id, at=to_micros(at)) > 0

    def touch_api_key(self, key_id: str, at: datetime) -> None:
        """Notes when a key was last used."""
        from diarist.stores.rows import to_micros

        self._execute("touch_api_key", id=key_id, at=to_micros(at))

    def put_answer(self, caller: str, key: str, answer: Answer) -> None:
        """Keeps an answer; one that is there stays."""
        from diarist.stores.rows import to_micros

        row = {"request": answer.request, "status": answer.status, "body": answer.body, "at": to_micros(answer.at)}
        self._execute("put_answer", caller=caller, key=key, **row)

    def delete_answers(self, before: datetime) -> int:
        """Forgets answers older than that; returns how many."""
        from diarist.stores.rows import to_micros

        return self._execute("delete_answers", before=to_micros(before))

    def _execute(self, name: str, **parameters: object) -> int:
        raise NotImplementedError


def _key(row: Row) -> ApiKey:
    from diarist.model.access import ApiKey
    from diarist.stores.rows import from_micros

    values: dict[str, Any] = dict(zip(ApiKey._fields, row, strict=True))
    for name in ("created_at", "expires_at", "revoked_at", "used_at"):
        values[name] = None if values[name] is None else from_micros(values[name])
    return ApiKey(**values)
