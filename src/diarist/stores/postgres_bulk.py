"""Statements of a transaction that nothing waits for yet: rows that are alike go to the server as arrays, in one statement."""

from __future__ import annotations

import functools
import re
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from diarist.stores.database import Parameters

MOST_WAITING = 2_000
"""Rows kept back at most; a row is a few kilobytes."""
_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]+)")
_BYTES = re.compile(r"(?<![:\w]):([a-z_]+)(?=::bytea\[\])")


class Waiting:
    """Rows by statement, in the order they came. Statements that wait together must touch different tables, or different rows."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], dict[Hashable, Parameters]] = {}
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._rows)

    @property
    def full(self) -> bool:
        """Is it time to send them?"""
        return self._count >= MOST_WAITING

    def holds(self, sql: str, bulk: str, key: Hashable) -> bool:
        """Does a row of this key wait already? One statement cannot write a row twice."""
        return key in self._rows.get((sql, bulk), ())

    def add(self, sql: str, bulk: str, key: Hashable, parameters: Parameters) -> None:
        """Keeps a row back."""
        self._rows.setdefault((sql, bulk), {})[key] = parameters
        self._count += 1

    def take(self) -> list[tuple[str, Mapping[str, object]]]:
        """What to run now, as psycopg spells it; nothing waits afterwards."""
        made: list[tuple[str, Mapping[str, object]]] = []
        for (sql, bulk), rows in self._rows.items():
            kept = list(rows.values())
            if len(kept) == 1:
                made.append((spell(sql), kept[0]))
            else:
                columns = map(list, zip(*map(itemgetter(*kept[0]), kept), strict=True))  # with the tenant's: there are two at least
                made.append((spell(bulk), {**dict(zip(kept[0], columns, strict=True)), "tenant": kept[0]["tenant"]}))
        self._rows, self._count = {}, 0
        return made


@functools.lru_cache(maxsize=1024)
def spell(sql: str) -> str:
    """A query of the vocabulary with its `:name` parameters as psycopg spells them; arrays of bytes go over as they are."""
    return _PARAMETER.sub(r"%(\1)s", _BYTES.sub(r"%(\1)b", sql.replace("%", "%%")))
