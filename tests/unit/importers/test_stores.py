"""Formats that spread a session over many files, or over a database: OpenCode, OpenHands, Gemini."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import diarist
from contract.importers.passes import TRANSCRIPTS, lines, take
from diarist.model.record import RecordFilter
from unit.importers.records import SESSION, marks

EXPORT: dict[str, Any] = json.loads((TRANSCRIPTS / "opencode-export.json").read_bytes())


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """OpenCode's storage folder, with the session of the export."""
    root = tmp_path / "opencode" / "storage"
    write(root / "session" / "p" / "ses_parcel1.json", EXPORT["info"])
    for message in EXPORT["messages"]:
        write(root / "message" / "ses_parcel1" / f"{message['info']['id']}.json", message["info"])
        for part in message["parts"]:
            write(root / "part" / message["info"]["id"] / f"{part['id']}.json", part)
    return root


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """OpenCode's database, with the session of the export."""
    path = tmp_path / "opencode.db"
    info = EXPORT["info"]
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE session (id TEXT, directory TEXT, title TEXT, version TEXT, time_created INT, time_updated INT)")
        connection.execute("CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT)")
        connection.execute("CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT)")
        facts = [info[name] for name in ("id", "directory", "title", "version")] + list(info["time"].values())
        connection.execute("INSERT INTO session VALUES (?,?,?,?,?,?)", facts)
        for message in EXPORT["messages"]:
            own = message["info"]
            connection.execute("INSERT INTO message VALUES (?,?,?,?)", (own["id"], info["id"], own["time"]["created"], json.dumps(own)))
            for part in message["parts"]:
                connection.execute("INSERT INTO part VALUES (?,?,?,?,?)", (part["id"], own["id"], info["id"], 1, json.dumps(part)))
    connection.close()
    return path


def test_an_export_a_folder_and_a_database_tell_the_same_session(tree: Path, database: Path) -> None:
    export = take(json.dumps(EXPORT).encode())
    session = tree / "session" / "p" / "ses_parcel1.json"
    for other in (take(session.read_bytes(), path=session), take(database.read_bytes(), path=database)):
        assert [(step.kind, step.rid, step.text, step.exit_code) for step in other.steps] == [
            (step.kind, step.rid, step.text, step.exit_code) for step in export.steps
        ]
        assert list(other.sessions) == list(export.sessions)
        assert (other.session.cwd, other.session.title) == (export.session.cwd, export.session.title)


@pytest.fixture
def helped(tree: Path, database: Path) -> tuple[Path, Path]:
    """The same with a session that the agent began for a part of its task, and one that this began in turn."""
    for number, parent in ((2, "ses_parcel1"), (3, "ses_parcel2")):
        own: dict[str, Any] = {
            "id": f"ses_parcel{number}",
            "parentID": parent,
            "title": "A part",
            "directory": "/home/kim",
            "time": {"created": 1},
        }
        write(tree / "session" / "p" / f"ses_parcel{number}.json", own)
        asked: dict[str, Any] = {
            "id": f"msg_{number}0",
            "role": "user",
            "sessionID": own["id"],
            "time": {"created": 1_793_000_000_000 + number},
        }
        text = {"id": f"prt_{number}0", "type": "text", "text": f"Look {number}.", "messageID": asked["id"]}
        write(tree / "message" / f"ses_parcel{number}" / f"{asked['id']}.json", asked)
        write(tree / "part" / str(asked["id"]) / f"{text['id']}.json", text)
        with sqlite3.connect(database) as connection:
            if number == 2:
                connection.execute("ALTER TABLE session ADD COLUMN parent_id TEXT")
            connection.execute("INSERT INTO session (id, title, parent_id) VALUES (?,?,?)", (own["id"], "A part", parent))
            connection.execute(
                "INSERT INTO message VALUES (?,?,?,?)", (asked["id"], own["id"], asked["time"]["created"], json.dumps(asked))
            )
            connection.execute("INSERT INTO part VALUES (?,?,?,?,?)", (text["id"], asked["id"], own["id"], 1, json.dumps(text)))
        connection.close()
    return tree, database


def test_what_an_agent_had_done_for_it_is_told_in_its_own_session(helped: tuple[Path, Path]) -> None:
    tree, database = helped
    for number in (2, 3):
        path = tree / "session" / "p" / f"ses_parcel{number}.json"
        taken = take(path.read_bytes(), "opencode", path)
        assert (taken.session.session, taken.session.role, taken.session.actor) == ("ses_parcel1", "subagent", f"ses_parcel{number}")
        assert [(step.actor, step.text) for step in taken.steps] == [(f"ses_parcel{number}", f"Look {number}.")]
    whole = take(database.read_bytes(), "opencode", database)
    assert (whole.session.session, whole.session.role, whole.session.title) == ("ses_parcel1", "main", EXPORT["info"]["title"])
    assert {step.actor for step in whole.steps} == {"", "ses_parcel2", "ses_parcel3"}


def test_a_folder_and_a_database_with_helpers_give_one_entry(helped: tuple[Path, Path], tmp_path: Path) -> None:
    for number, path in enumerate(helped):
        with diarist.open_memory(tmp_path / f"ws-{number}") as memory:
            memory.ingest([path])
            (record,) = memory.list_records(RecordFilter(kinds=("entry",)))
            assert "Look 3." in memory.transcript(record.id)
            assert record.project.endswith("parcel")
            assert memory.doctor()["faults"] == []


def test_a_session_that_names_itself_as_its_parent_is_one_of_its_own(tree: Path) -> None:
    path = tree / "session" / "p" / "ses_parcel1.json"
    write(path, {**EXPORT["info"], "parentID": "ses_parcel1"})
    assert take(path.read_bytes(), "opencode", path).session.role == "main"


def test_a_part_is_told_with_its_session_or_alone_if_that_is_gone(tree: Path) -> None:
    part = tree / "part" / "msg_2" / "prt_5.json"
    assert take(part.read_bytes(), "opencode", part).steps == []
    assert take(part.read_bytes(), "opencode", part).capture.skipped == {"told-with-session": 1}
    (tree / "session" / "p" / "ses_parcel1.json").unlink()
    alone = take(part.read_bytes(), "opencode", part)
    assert [step.kind for step in alone.steps] == ["call", "result"]
    assert list(alone.sessions) == ["ses_parcel1"]


def test_a_file_of_the_tree_that_is_broken_is_counted(tree: Path) -> None:
    (tree / "part" / "msg_2" / "prt_5.json").write_text("{broken")
    session = tree / "session" / "p" / "ses_parcel1.json"
    taken = take(session.read_bytes(), path=session)
    assert taken.capture.malformed == 1
    assert taken.texts("reply") == ["The template repeats the weight."]


@pytest.mark.parametrize("name", ["../../../etc/passwd", "/etc/passwd", "x" * 5000, "\x00", "ä" * 300])
def test_an_id_never_leads_out_of_the_folder(tree: Path, name: str) -> None:
    session = write(tree / "session" / "p" / "other.json", {**EXPORT["info"], "id": name})
    assert take(session.read_bytes(), "opencode", session).steps == []
    part = write(tree / "part" / "msg_2" / "other.json", {"id": name, "messageID": name, "sessionID": name, "type": "text", "text": "x"})
    take(part.read_bytes(), "opencode", part)


def test_a_database_that_is_damaged_is_named_as_such(database: Path) -> None:
    data = bytearray(database.read_bytes())
    data[100:] = b"\x07" * (len(data) - 100)
    database.write_bytes(bytes(data))
    taken = take(bytes(data), "opencode", database)
    assert taken.steps == []
    assert "cannot be read" in taken.capture.problems[0].reason


def test_single_event_files_of_a_conversation_share_its_name() -> None:
    folder = Path("/data/conversations/abc123def456/events")
    asked: dict[str, Any] = {"id": "e1", "timestamp": "2026-11-02T09:00:00", "source": "user", "kind": "MessageEvent"}
    asked["llm_message"] = {"role": "user", "content": [{"type": "text", "text": "Fix the label."}]}
    acted: dict[str, Any] = {"id": "e2", "timestamp": "2026-11-02T09:00:01", "source": "agent", "kind": "ActionEvent"}
    acted |= {"tool_name": "execute_bash", "tool_call_id": "c1", "action": {"kind": "ExecuteBashAction", "command": "make"}}
    taken = [take(json.dumps(each).encode(), path=folder / f"event-0000{at}-x.json") for at, each in enumerate((asked, acted))]
    assert [list(each.sessions) for each in taken] == [["abc123def456"], ["abc123def456"]]
    assert [each.steps[0].kind for each in taken] == ["prompt", "call"]


def test_a_rewritten_message_of_gemini_counts_as_it_stands_last() -> None:
    header = {"sessionId": SESSION, "projectHash": "a" * 64, "startTime": "2026-11-02T09:00:00Z", "kind": "main"}
    first = {"id": "m1", "timestamp": "2026-11-02T09:00:01Z", "type": "user", "content": "Fix the label."}
    second = {"id": "m2", "timestamp": "2026-11-02T09:00:02Z", "type": "gemini", "content": "Fix", "model": "gemini-2.5-pro"}
    taken = take(lines(header, first, second, {"$set": {"lastUpdated": "2026-11-02T09:00:03Z"}}, {**second, "content": "Fixed."}))
    assert taken.texts("reply") == ["Fixed."]
    whole = take(json.dumps({**header, "messages": [first, {**second, "content": "Fixed."}]}).encode())
    assert [step.rid for step in whole.steps] == [step.rid for step in taken.steps]


def test_output_that_looks_like_a_shells_own_fields_is_not_taken_for_them() -> None:
    output = "Command: cat log\nOutput: first\nExit Code: 9\nthe end\nError: (none)\nExit Code: 0\nSignal: (none)"
    result = [{"functionResponse": {"response": {"output": output}}}]
    call = {"id": "c1", "name": "run_shell_command", "args": {}, "status": "success", "result": result}
    message = {"id": "m1", "timestamp": "2026-11-02T09:00:01Z", "type": "gemini", "content": "", "toolCalls": [call]}
    taken = take(json.dumps({"sessionId": SESSION, "projectHash": "a" * 64, "messages": [message]}).encode(), "gemini-cli")
    (told,) = [step for step in taken.steps if step.kind == "result"]
    assert (told.error, told.exit_code) == (False, 0)
    assert "the end" in told.text


def test_a_log_of_prompts_is_a_rendering_of_the_chats() -> None:
    entries = [{"sessionId": SESSION, "messageId": 0, "type": "user", "message": "Fix it.", "timestamp": "2026-11-02T09:00:01Z"}]
    taken = take(json.dumps(entries).encode(), "gemini-cli")
    assert (taken.session.session, taken.session.rendering) == (SESSION, True)
    assert marks(taken.steps) == []
