"""Rows that come from elsewhere: out of a file, or saved from a damaged database."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diarist.errors import InvalidInputError
from diarist.model.record import Record
from diarist.stores.sql_store import SqlStore


@pytest.mark.parametrize("value", [None, ["a", "list"], 1 << 70])
def test_a_row_that_does_not_fit_its_table_is_refused(store: SqlStore, put: Callable[..., Record], value: object) -> None:
    """Whatever the driver says of it; and nothing of what came with it is there."""
    put(store, 1)
    columns = store.list_columns()
    row = dict(zip(columns["history"], next(row for table, row in store.dump_rows() if table == "history"), strict=True))
    rows = [tuple({**row, "seq": number, "at": row["at"] if number < 3 else value}.values()) for number in (2, 3)]
    before = store.count_rows()
    with pytest.raises(InvalidInputError, match="history"):
        store.load_rows([("history", row) for row in rows], columns)
    assert store.count_rows() == before
