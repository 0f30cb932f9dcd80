"""A huge synthesis reads its entries from a temporary file, and what comes of it is the same to the byte."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diarist.app.records import entry_record
from diarist.bootstrap import open_memory
from diarist.model.codec import seal, to_json
from diarist.model.entry import Entry, ErrorSeen
from diarist.model.ids import make_id
from diarist.model.record import SearchText
from diarist.model.redacted import derived
from diarist.stores.scratch import ScratchRows

NOW = datetime(2026, 3, 15, tzinfo=UTC)


def fill(workspace: Path, count: int) -> None:
    """Runs about thirty subjects over four weeks, so that themes, errors and an earlier window are there."""
    chance = random.Random(7)
    words = ["".join(chance.choice("bdgklmnprst") + chance.choice("aeiou") for _ in range(3)) for _ in range(400)]
    subjects = [chance.sample(words, 8) for _ in range(30)]
    with open_memory(workspace) as memory:
        store = memory._box.store
        with store.transaction(actor="test", at=NOW) as tx:
            for number in range(count):
                own = chance.choice(subjects) if chance.random() < 0.8 else chance.sample(words, 8)
                lines = [" ".join(chance.sample(own, 5)) for _ in range(4)]
                error = ErrorSeen(fingerprint="f-common", message=derived("StaleAnchorError: the anchor is stale"), tool=derived("bash"))
                entry = Entry(
                    id=make_id("spill", str(number)),
                    task_id=derived(f"task-{number}"),
                    session_id=derived(f"session-{number}"),
                    agent=derived("codex" if number % 3 else "claude-code"),
                    project=derived("team/app"),
                    title=derived(lines[0]),
                    prompt=derived(lines[1]),
                    outcome=chance.choice(("completed", "recovered", "failed")),
                    tried=(derived(lines[1]),),
                    worked=(derived(lines[2]),),
                    failed=(derived(lines[3]),),
                    errors=(error,) if chance.random() < 0.3 else (),
                    created_at=NOW - timedelta(hours=number * 27 * 24 / count),
                    redaction_hash="0" * 64,
                )
                tx.put_record(entry_record(seal(entry), trust="host", at=NOW), SearchText())


@pytest.mark.parametrize("smallest", [1, 2])
def test_a_synthesis_from_a_file_is_that_from_memory(tmp_path: Path, smallest: int) -> None:
    fill(tmp_path / "ws", 600)
    told = []
    for spill in (0, 100):
        folder = tmp_path / f"config-{spill}" / "diarist"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(f"[synthesis]\nspill = {spill}\n")
        with open_memory(tmp_path / "ws", read_only=True, environ={"XDG_CONFIG_HOME": str(folder.parent), "HOME": str(tmp_path)}) as memory:
            told.append(memory.synthesize(now=NOW, project="team/app", min_cluster_size=smallest))
    assert told[0].themes
    assert told[0].errors
    assert any(theme.earlier for theme in told[0].themes)
    assert to_json(told[0]) == to_json(told[1])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.binary(max_size=4), st.binary(max_size=40)), max_size=1200))
def test_rows_come_in_the_order_of_their_keys_and_equal_ones_as_they_were_put(rows: list[tuple[bytes, bytes]]) -> None:
    scratch = ScratchRows()
    try:
        for key, body in rows:
            scratch.put(key, body)
        scratch.settle()
        expected = [body for _, body in sorted(rows, key=lambda row: row[0])]
        assert list(scratch) == expected
        assert [scratch.get(place) for place in range(len(scratch))] == expected
        with pytest.raises(IndexError):
            scratch.get(len(rows))
    finally:
        scratch.close()
