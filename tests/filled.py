"""A workspace with weeks of made-up runs, for tests of what becomes of many entries. The same count gives the same runs."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from diarist.app.records import entry_record
from diarist.bootstrap import open_memory
from diarist.model.codec import seal
from diarist.model.entry import Entry, ErrorSeen
from diarist.model.ids import make_id
from diarist.model.record import SearchText
from diarist.model.redacted import derived

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
