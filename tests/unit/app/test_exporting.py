"""What is kept goes out and comes in again: sessions in every form, entries, one by one or all together."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

import diarist
from builders import ClaudeSession, fixed_test_session
from contract.importers.passes import TRANSCRIPTS
from diarist.app.memory import Memory
from diarist.errors import NotFoundError, UsageError
from diarist.model.entry import Entry
from diarist.model.record import RecordFilter
from diarist.model.session import CaptureReport

ENTRIES = RecordFilter(kinds=("entry",))


def entries(memory: Memory) -> dict[str, Entry]:
    """Every entry by its id, without what tells of the file it came in."""
    found = (memory.get_entry(record.id) for record in memory.list_records(ENTRIES, sort="id"))
    return {entry.id: msgspec.structs.replace(entry, capture=CaptureReport(), entry_hash="", source=diarist.redact("")) for entry in found}


def carried_over(source: Path, form: str, work: Path) -> tuple[dict[str, Entry], dict[str, Entry]]:
    """Entries made from `source`, and those made from what was exported of them."""
    with diarist.open_memory(work / "first") as memory:
        memory.ingest([source])
        first = entries(memory)
        out = work / "out"
        out.mkdir()
        for each in memory.export_each(ENTRIES, form, of="sessions"):
            (out / each.name).write_bytes(b"".join(each.pieces))
    with diarist.open_memory(work / "second") as memory:
        report = memory.ingest([out])
        assert not report.problems
        return first, entries(memory)


def test_every_format_gives_the_same_entry_natively_and_as_a_trajectory(tmp_path: Path) -> None:
    first, second = carried_over(TRANSCRIPTS, "atif", tmp_path)
    assert len(first) > 30
    assert first == second


def test_the_neutral_form_gives_the_same_entry_too(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    fixed_test_session(1).write(tmp_path / "in")
    first, second = carried_over(tmp_path / "in", "jsonl", tmp_path)
    assert first == second


def test_a_trace_tells_the_same_commands_errors_and_outcome(tmp_path: Path) -> None:
    """OpenTelemetry has no place for a person's refusals; what was run and what came of it is there."""
    (tmp_path / "in").mkdir()
    fixed_test_session(1).write(tmp_path / "in")
    first, second = carried_over(tmp_path / "in", "otel", tmp_path)
    (one,), (two,) = first.values(), second.values()
    for name in ("prompt", "outcome", "verified", "worked", "failed", "tools", "file_operations", "model", "project", "usage"):
        assert getattr(one, name) == getattr(two, name), name
    assert [(each.text, each.passed) for each in one.commands] == [(each.text, each.passed) for each in two.commands]
    assert [each.fingerprint for each in one.errors] == [each.fingerprint for each in two.errors]


def test_a_text_that_was_clipped_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    session = ClaudeSession(1).prompt("Show the log.").bash("cat build.log", "\n".join(f"line {number}" for number in range(20_000)))
    session.reply("That is all of it.").write(tmp_path / "in")
    first, second = carried_over(tmp_path / "in", "atif", tmp_path)
    assert [entry.redaction_hash for entry in first.values()] == [entry.redaction_hash for entry in second.values()]


def test_all_of_them_make_one_stream_that_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in (1, 2, 3):
        fixed_test_session(number).write(tmp_path / "in")
    with diarist.open_memory(tmp_path / "first") as memory:
        memory.ingest([tmp_path / "in"])
        first = entries(memory)
        streams = {form: b"".join(memory.export(ENTRIES, form, of="sessions")) for form in ("atif", "otel", "jsonl", "markdown")}
        assert streams["atif"] == b"".join(memory.export(ENTRIES, "atif", of="sessions"))
    for form in ("atif", "otel", "jsonl"):
        path = tmp_path / form
        path.write_bytes(streams[form])
        with diarist.open_memory(tmp_path / f"second-{form}") as memory:
            assert memory.ingest([path]).created == 3
            if form != "otel":
                assert entries(memory) == first
    assert streams["markdown"].count(b"\n---\n") == 2


def test_what_a_host_stated_is_not_told_in_a_file(tmp_path: Path) -> None:
    """A file could be changed to claim it."""
    with diarist.open_memory(tmp_path / "ws") as memory:
        transcript = "User: fix it\nAssistant: done\n"
        host = {"outcome": "failed", "verified": False}
        at = datetime(2026, 11, 2, tzinfo=UTC)
        memory.add_entry(task_id="T-1", transcript=transcript, agent="host", project="parcel", created_at=at, host=host)
        for form in ("atif", "otel", "jsonl"):
            written = b"".join(memory.export(ENTRIES, form, of="sessions"))
            assert b"fix it" in written
            assert b"verified" not in written
    with diarist.open_memory(tmp_path / "second") as memory:
        path = tmp_path / "run.json"
        path.write_bytes(written)
        memory.ingest([path])
        (entry,) = entries(memory).values()
        assert entry.outcome != "failed"


def test_single_records_are_named_and_others_left_out(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in (1, 2):
        fixed_test_session(number).write(tmp_path / "in")
    with diarist.open_memory(tmp_path / "ws") as memory:
        memory.ingest([tmp_path / "in"])
        wanted = next(iter(entries(memory)))
        (one,) = memory.export_each(ENTRIES, "atif", of="sessions", wanted=[wanted])
        assert one.name == f"{wanted}.atif.json"
        assert json.loads(b"".join(one.pieces))["schema_version"].startswith("ATIF-v1.")
        assert b"".join(memory.export(ENTRIES, "jsonl", wanted=[wanted])).count(b"\n") == 1
        with pytest.raises(NotFoundError):
            memory.export(ENTRIES, wanted=["kh-nothing"])
        with pytest.raises(UsageError, match="entries cannot be exported as 'atif'"):
            memory.export(ENTRIES, "atif")
        with pytest.raises(UsageError, match="sessions cannot be exported as 'csv'"):
            memory.export(ENTRIES, "csv", of="sessions")


def test_a_page_cannot_be_broken_out_of(tmp_path: Path) -> None:
    """Fences are longer than any in the text they hold."""
    (tmp_path / "in").mkdir()
    ClaudeSession(1).prompt("Show it.").bash("cat README.md", "```sh\nrm -rf build\n```\n````\n").reply("There.").write(tmp_path / "in")
    with diarist.open_memory(tmp_path / "ws") as memory:
        memory.ingest([tmp_path / "in"])
        page = b"".join(memory.export(ENTRIES, "markdown", of="sessions")).decode()
    assert page.count("`````") == 2
    assert "## Person" in page
    assert "### `Bash`" in page
