"""A run that goes on and turns out otherwise: its hub document is withdrawn, and comes back with it."""

from __future__ import annotations

from pathlib import Path

import pytest

import diarist
from builders import ClaudeSession, fixed_test_session
from diarist.bootstrap import repair
from diarist.model.entry import Entry

FAILED = "E   KeyError: 'depth'\n1 failed in 0.10s"
CHECK = "python -m pytest -q tests/test_parser.py"


def told(memory: diarist.Memory, session: ClaudeSession, folder: Path) -> str:
    """The outcome after the session was written and read."""
    return read(memory, session, folder).outcome


def read(memory: diarist.Memory, session: ClaudeSession, folder: Path) -> Entry:
    """Its entry then."""
    (entry,) = memory.ingest([str(session.write(folder))]).entries
    return entry


def documents(workspace: Path) -> list[Path]:
    """Hub documents there are."""
    return sorted(workspace.glob("projects/*/diaries/**/*.md"))


def test_a_document_is_withdrawn_while_its_run_has_failed(tmp_path: Path) -> None:
    """The name stays: a run that turns out well after all is told under it again."""
    session = fixed_test_session(1)
    with diarist.open_memory(tmp_path / "ws") as memory:
        assert told(memory, session, tmp_path) == "recovered"
        (first,) = documents(tmp_path / "ws")
        session.prompt("And the depth?").edit("/home/kim/work/parcel/src/parser.py", "box.get('width', 0)", "box['depth']")
        session.bash(CHECK, FAILED, 1)
        assert told(memory, session, tmp_path) == "failed"
        assert documents(tmp_path / "ws") == []
        assert memory.verify_all().faults == ()
        assert not any("published" in note for note in memory.doctor()["notes"])
        session.edit("/home/kim/work/parcel/src/parser.py", "box['depth']", "box.get('depth', 0)").bash(CHECK, "4 passed in 0.10s")
        assert told(memory, session, tmp_path) == "recovered"
        assert documents(tmp_path / "ws") == [first]


def test_a_document_left_behind_by_a_crash_is_found_and_removed(tmp_path: Path) -> None:
    """The store had committed, the file was still there."""
    session = fixed_test_session(1)
    with diarist.open_memory(tmp_path / "ws") as memory:
        told(memory, session, tmp_path)
        (document,) = documents(tmp_path / "ws")
        old = document.read_bytes()
        session.edit("/home/kim/work/parcel/src/parser.py", "a", "b").bash(CHECK, FAILED, 1)
        told(memory, session, tmp_path)
        document.write_bytes(old)
        (fault,) = memory.verify_all().faults
        assert "turned out otherwise" in fault
    repair(tmp_path / "ws")
    assert not document.exists()
    with diarist.open_memory(tmp_path / "ws") as memory:
        assert memory.verify_all().faults == ()


@pytest.mark.parametrize("switched_on", [True, False])
def test_a_hub_elsewhere_is_told_how_it_ended(switched_on: bool, tmp_path: Path) -> None:
    """It was told of a success; nothing is sent of a run that was a failure all along."""
    environ = {"KB_DIARIES_ENABLED": "1"} if switched_on else {}
    session, other = fixed_test_session(1), ClaudeSession(2).prompt("Mend it.").bash(CHECK, FAILED, 1)
    with diarist.open_memory(tmp_path / "ws", environ=environ) as memory:
        told(memory, session, tmp_path)
        store = memory._box.store
        for delivery in store.list_deliveries(memory._box.now()):
            with store.transaction(actor="test", at=memory._box.now()) as tx:
                tx.delete_delivery(delivery.record_id)  # as if it was sent
        session.edit("/home/kim/work/parcel/src/parser.py", "a", "b").bash(CHECK, FAILED, 1)
        assert told(memory, other, tmp_path) == "failed"
        entry = read(memory, session, tmp_path)
        assert entry.outcome == "failed"
        waiting = [delivery.record_id for delivery in store.list_deliveries(memory._box.now())]
        assert waiting == ([entry.id] if switched_on else [])
