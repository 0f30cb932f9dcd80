"""The vocabulary of named queries."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from diarist.stores import migrate, queries
from diarist.stores.sql_store import FROM_THE_FIRST


def test_a_block_is_named_by_its_first_line_and_loses_comments_and_semicolon() -> None:
    text = "-- about the file\n-- name: find_part\n-- why\nSELECT 1\nFROM parts;\n\n-- Heading\n\n-- name: list_parts\nSELECT 2;\n"
    assert queries.parse(text) == {"find_part": "SELECT 1\nFROM parts", "list_parts": "SELECT 2"}


def test_a_slot_that_names_a_query_is_filled_with_it_and_others_stay_open() -> None:
    known = queries.Queries("-- name: columns\na, b\n-- name: list\nSELECT {columns} FROM t ORDER BY {order};\n")
    assert known["list"] == "SELECT a, b FROM t ORDER BY {order}"
    assert known.fill("list", order="a") == "SELECT a, b FROM t ORDER BY a"


def test_a_name_is_used_once() -> None:
    with pytest.raises(ValueError, match="find"):
        queries.parse("-- name: find\nSELECT 1;\n-- name: find\nSELECT 2;\n")


def test_every_query_is_valid_in_the_schema_and_tied_to_the_tenant() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate.bring_up_to_date(connection, ":memory:")
    known = queries.load("sqlite")
    for name in known.names():
        if name.startswith("where_") or name.endswith("_columns"):
            continue
        slots = {"columns": '"target"', "table": "corrections", "key": '"target"', "beyond": "", "values": ":id"}  # of moving
        sql = known.fill(name, where="", order="r.id", **slots)
        parameters = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
        assert "tenant" in parameters, name
        connection.execute("EXPLAIN " + sql, parameters).fetchall()
    connection.close()


def test_every_query_is_used() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in Path(queries.__file__).parent.glob("*.py"))
    used = set(re.findall(r'"(\w+)"', code))
    unused = [
        name
        for name in queries.load("sqlite").names()
        if name not in used and not name.startswith("where_") and not name.endswith("_columns")
    ]
    assert unused == []


@pytest.mark.parametrize(
    ("name", "where", "steps"),
    [
        ("list_exact_ids", "", ["PRIMARY KEY (tenant=? AND id=?)", "records_by_task (tenant=? AND task_id=?)"]),
        (
            "list_ids_with_prefix",
            "",
            ["PRIMARY KEY (tenant=? AND id>? AND id<?)", "records_by_task (tenant=? AND task_id>? AND task_id<?)"],
        ),
        ("list_seqs", FROM_THE_FIRST + " AND r.status = 'active'", ["records_by_time (tenant=? AND created_at>?)"]),
        ("list_seqs", " AND r.created_at >= :since", ["records_by_time (tenant=? AND created_at>?)"]),
        ("list_seqs", FROM_THE_FIRST + " AND r.session_id = :session_id", ["records_by_session (tenant=? AND session_id=?)"]),
        ("list_hits", "", ["PRIMARY KEY (tenant=? AND seq=?)", "PRIMARY KEY (tenant=? AND id=?)"]),
        ("list_scopes", "", ["PRIMARY KEY (tenant=?)"]),
        ("find_last_payload", "", ["history_by_record (tenant=? AND record_id=?)"]),
    ],
)
def test_the_planner_takes_the_index_that_was_made_for_a_query(name: str, where: str, steps: list[str], tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "plan.db", isolation_level=None)
    migrate.bring_up_to_date(connection, "plan.db")
    sql = queries.load("sqlite").fill(name, where=where, order="r.created_at DESC, r.id")
    plan = " | ".join(row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + sql, dict.fromkeys(re.findall(r":(\w+)", sql), 1)))
    connection.close()
    assert [step for step in steps if step not in plan] == [], plan
