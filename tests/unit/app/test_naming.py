"""Sessions that have no name of their own: named after how they begin, but never by a digest of a secret."""

from __future__ import annotations

import hashlib
import json
import secrets
from pathlib import Path
from typing import Any

import msgspec
import pytest

import diarist
from diarist.app.memory import Memory
from diarist.importers.values import MadeId
from diarist.model.record import RecordFilter

ENTRIES = RecordFilter(kinds=("entry",))


def token() -> str:
    return "ghp_" + secrets.token_hex(18)


def messages(secret: str = "", more: int = 0) -> list[dict[str, str]]:
    turns = [{"role": "user", "content": f"Fix the label. {secret}"}, {"role": "assistant", "content": "I look."}]
    for number in range(more):
        turns += [{"role": "user", "content": f"And now {number}?"}, {"role": "assistant", "content": f"Yes {number}."}]
    return turns


def as_document(turns: list[dict[str, str]]) -> str:
    return json.dumps(turns)


def as_lines(turns: list[dict[str, str]]) -> str:
    return "".join(json.dumps(turn) + "\n" for turn in turns)


def as_conversations(turns: list[dict[str, str]]) -> str:
    return json.dumps({"messages": turns}) + "\n" + json.dumps({"messages": [*turns[:1], {"role": "assistant", "content": "No."}]}) + "\n"


def as_text(turns: list[dict[str, str]]) -> str:
    return "".join(f"{turn['role'].title()}: {turn['content']}\n" for turn in turns)


FORMS = pytest.mark.parametrize("form", [as_document, as_lines, as_conversations, as_text])


def names(memory: Memory) -> list[str]:
    return sorted(str(record.session_id) for record in memory.list_records(ENTRIES))


def raw_names(data: str) -> list[str]:
    """What the importer calls the sessions, before anything is stored."""
    import io

    from diarist.importers import find_importer

    importer = find_importer(data.encode(), None)
    assert importer is not None
    reading = importer.read(io.BytesIO(data.encode()), None)
    list(reading)
    return sorted(reading.sessions)


@FORMS
def test_without_a_secret_the_name_is_what_it_always_was(form: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text(form(messages()), "utf-8")
    with diarist.open_memory(tmp_path / "ws") as memory:
        memory.ingest([path])
        assert names(memory) == raw_names(form(messages()))


@FORMS
def test_a_digest_of_a_secret_is_stored_nowhere(form: Any, tmp_path: Path) -> None:
    """Whoever guesses the secret could prove it by such a digest."""
    path = tmp_path / "run.txt"
    path.write_text(form(messages(token())), "utf-8")
    with diarist.open_memory(tmp_path / "ws") as memory:
        memory.ingest([path])
        told = raw_names(path.read_text("utf-8"))
        assert len(names(memory)) == len(told)
        assert not set(names(memory)) & set(told)
    for file in (each for each in (tmp_path / "ws").rglob("*") if each.is_file()):
        data = file.read_bytes()
        assert not any(name.encode() in data for name in told), file


@FORMS
def test_copies_and_runs_that_differ_in_their_secret_only_have_one_name(form: Any, tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"{number}.txt").write_text(form(messages(token())), "utf-8")
    with diarist.open_memory(tmp_path / "ws") as memory:
        memory.ingest([tmp_path / "0.txt", tmp_path / "1.txt"])
        assert len(names(memory)) == len(raw_names(form(messages())))


def test_a_file_that_grows_keeps_its_name_whatever_stands_in_it(tmp_path: Path) -> None:
    turns = messages(token(), more=40)
    path = tmp_path / "run.jsonl"
    found = set()
    with diarist.open_memory(tmp_path / "ws") as memory:
        for count in (2, 10, 41, len(turns)):
            path.write_text(as_lines(turns[:count]), "utf-8")
            memory.ingest([path])
            found.update(names(memory))
        entry = memory.get_entry(next(iter(memory.list_records(ENTRIES))).id)
        assert entry.capture.seen == len(turns)
        assert memory.doctor()["faults"] == []
        states = [source.state for source in memory._box.store.list_sources()]
    assert len(found) == 1
    assert not any(raw_names(as_lines(turns))[0].encode() in state for state in states)


def test_what_is_stored_under_a_former_name_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids stay: earlier versions named the session by the digest of the text as it was."""
    turns = messages(token(), more=4)
    path = tmp_path / "run.jsonl"
    path.write_text(as_lines(turns[:4]), "utf-8")
    with diarist.open_memory(tmp_path / "ws") as memory:
        with monkeypatch.context() as before:
            before.setattr("diarist.app.reading.stored_names", lambda *_: {})
            memory.ingest([path])
        (old,) = names(memory)
        assert old == raw_names(as_lines(turns[:4]))[0]
        ids = [record.id for record in memory.list_records(ENTRIES)]
        path.write_text(as_lines(turns), "utf-8")
        memory.ingest([path])
        (tmp_path / "copy.jsonl").write_text(as_lines(turns), "utf-8")
        memory.ingest([tmp_path / "copy.jsonl"])
        assert names(memory) == [old]
        assert [record.id for record in memory.list_records(ENTRIES)] == ids
        assert memory.get_entry(ids[0]).capture.seen == len(turns)


def test_a_trajectory_that_was_stored_under_a_name_of_its_own_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = {
        "schema_version": "ATIF-v1.6",
        "session_id": "s-1",
        "agent": {"name": "claude-code", "version": "1"},
        "steps": [{"step_id": 1, "source": "user", "message": "Fix."}, {"step_id": 2, "source": "agent", "message": "Done."}],
    }
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document), "utf-8")
    with diarist.open_memory(tmp_path / "ws") as memory:
        memory.ingest([path])
        (part,) = memory._box.store.get_parts("claude-code", "s-1")
        info = msgspec.json.encode({**msgspec.json.decode(part.info), "session": "atif:s-1"})
        with memory._box.store.transaction(actor="test", at=memory._box.now()) as tx:
            tx.delete_part("claude-code", "s-1", part.key)
            tx.put_part(msgspec.structs.replace(part, session="atif:s-1", info=info))
        (tmp_path / "copy.json").write_text(json.dumps(document), "utf-8")
        memory.ingest([tmp_path / "copy.json"])
        assert memory._box.store.get_parts("claude-code", "s-1") == []
        assert len(memory._box.store.get_parts("claude-code", "atif:s-1")) == 2


def test_a_made_name_knows_what_it_was_made_of() -> None:
    made = MadeId.of(hashlib.sha256(b"x").hexdigest()[:8], ("x",)).within("console:", "#2")
    assert made == f"console:{made.naming.digest}#2"
    assert made.naming.opening == ("x",)
