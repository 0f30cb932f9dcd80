"""The doctor: every file accounted for, and what nobody knew told without its words."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import diarist
from builders import ClaudeSession, fixed_test_session
from diarist.app.memory import Memory
from diarist.importers import _load
from diarist.model.erasing import EraseWish
from diarist.model.record import RecordFilter


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A workspace that read two sessions, a picture, and JSON that nobody knows."""
    folder = tmp_path / "in"
    for number in (1, 2):
        fixed_test_session(number).write(folder)
    (folder / "odd.jsonl").write_text('{"kind": "tick", "body": "private words"}\n' * 3, "utf-8")
    (folder / "odd-too.jsonl").write_text('{"kind": "tick", "body": "other words.."}\n', "utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n")
    with diarist.open_memory(tmp_path / "ws") as opened:
        opened.ingest([folder])
        yield opened


def test_every_file_is_accounted_for(memory: Memory, tmp_path: Path) -> None:
    before = memory.doctor()
    assert before["faults"] == []
    counts = before["counts"]
    assert counts["source_files"] == counts["source_files_parsed"] + counts["source_files_skipped"] == 5
    assert (counts["source_files_parsed"], counts["source_files_that_are_no_json"]) == (2, 1)
    assert counts["records_seen"] == counts["records_kept"]
    next((tmp_path / "in").glob("0*1-*.jsonl")).unlink()
    (tmp_path / "in" / "odd.jsonl").write_text("{}\n", "utf-8")
    after = memory.doctor()
    assert (after["counts"]["source_files_vanished"], after["counts"]["source_files_changed_since"]) == (1, 1)
    assert [note.split(" source")[0] for note in after["notes"]] == ["1", "1"]
    assert after["faults"] == []


def test_a_file_of_which_all_was_erased_is_not_told_to_be_kept(memory: Memory) -> None:
    entry = next(iter(memory.list_records(RecordFilter(kinds=("entry",)))))
    memory.erase(EraseWish(ids=(entry.id,)))
    report = memory.doctor()
    assert "source_files_vanished" not in report["counts"]
    assert not any("not there any more" in note for note in report["notes"])


def test_published_files_that_are_missing_are_counted_and_told(memory: Memory, tmp_path: Path) -> None:
    counts = memory.doctor()["counts"]
    assert counts["published_files"]
    assert not counts["published_files_missing"]
    next((tmp_path / "ws").rglob("runtime/diaries/*.json")).unlink()
    told = memory.doctor()
    assert (told["counts"]["published_files_missing"], told["faults"]) == (1, [])
    assert any("1 published files are not there" in note for note in told["notes"])


def test_what_nobody_knew_is_told_by_its_shape(memory: Memory) -> None:
    (unknown,) = memory.doctor()["unknown"]
    assert (unknown["of"], unknown["number"]) == ("", 2)
    assert unknown["shape"] == ('{"kind": "tick", "body": "<text, 13>"}',)
    assert "private" not in json.dumps(unknown)


def test_a_type_of_record_that_is_new_is_told_with_its_line(tmp_path: Path) -> None:
    session = ClaudeSession(3).prompt("Fix it.").reply("Done.")
    session.records.append({"type": "brand-new", "sessionId": session.id, "words": "never seen", "n": 4})
    path = session.write(tmp_path / "in")
    with diarist.open_memory(tmp_path / "ws") as memory:
        memory.ingest([path])
        (unknown,) = memory.doctor()["unknown"]
    assert (unknown["of"], unknown["number"]) == ("claude-code/jsonl", 1)
    assert unknown["example"] == f"{path}:3"
    assert '"type": "brand-new"' in unknown["shape"][0]
    assert "never seen" not in unknown["shape"][0]


def test_evidence_that_is_gone_is_a_fault(memory: Memory) -> None:
    agent, session = next(iter(memory._box.store.list_sessions()))
    (part,) = memory._box.store.get_parts(agent, session)
    with memory._box.store.transaction(actor="test", at=memory._box.now()) as tx:
        tx.delete_part(agent, session, part.key)
    assert [fault for fault in memory.doctor()["faults"] if f"({agent}:{session}) is not there" in fault]


def test_an_importer_of_another_package_that_is_broken_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "parcel_agent-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: parcel-agent\nVersion: 1.0\n", "utf-8")
    (package / "entry_points.txt").write_text("[diarist.importers]\nparcel = parcel_agent.nothing:IMPORTER\n", "utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "site")])
    _load.cache_clear()
    try:
        with diarist.open_memory(tmp_path / "ws") as memory:
            (note,) = memory.doctor()["notes"]
    finally:
        _load.cache_clear()
    assert note.startswith("importer parcel (parcel_agent.nothing:IMPORTER) cannot be used: ModuleNotFoundError")
