"""`Memory.rescan`: after a rule is added, what it masks is nowhere any more, and everything else holds."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import diarist
import residue
from builders import ClaudeSession, fixed_test_session
from diarist.app.memory import Memory
from diarist.errors import ReadOnlyError
from diarist.model.record import RecordFilter
from unit.stages.redact.secrets_made import Maker

SECRET = "GRAMPUS-4711"
OTHER = "GRAMPUS-0815"
VALUES = [SECRET, OTHER]
RULE = "[[pattern]]\nid = 'codename'\nregex = 'GRAMPUS-[0-9]+'\n"
START = datetime(2026, 11, 30, 12, tzinfo=UTC)

Open = Callable[..., Memory]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Opens the workspace, with the rule or without; each call of the clock is a second later, or fails after so many calls."""

    def open_(*, rule: bool = False, fail_after: int | None = None, workspace: str = "ws") -> Memory:
        rules = tmp_path / "rules.toml"
        rules.write_text(RULE)
        environ = {"HOME": str(tmp_path / "home"), **({"DIARIST_REDACT_RULES": str(rules)} if rule else {})}
        calls = count()

        def now() -> datetime:
            number = next(calls)
            if fail_after is not None and number >= fail_after:
                raise KeyboardInterrupt
            return START + timedelta(seconds=number)

        return diarist.open_memory(tmp_path / workspace, environ=environ, now=now)

    return open_


def fill(memory: Memory, folder: Path) -> None:
    """A workspace that holds the value in every kind of thing it keeps, and things that have nothing to do with it."""
    session = fixed_test_session(1, module="parser")
    session.bash(f"deploy --to {SECRET}", f"Error: host {SECRET} refused\nConnectionError: {SECRET}", 1)
    session.edit(f"/home/kim/work/{SECRET}/hosts.py", "HOST = ''", f"HOST = '{SECRET}'").bash(f"deploy --to {SECRET}", "done")
    titled = ClaudeSession(2, cwd=f"/home/kim/work/{SECRET}").prompt(f"Deploy {SECRET}").bash("make", "done").reply("Done.")
    plain = fixed_test_session(3, module="router")
    named = [json.loads(line.replace(ClaudeSession(4).id, SECRET)) for line in fixed_test_session(4, module="mailer").lines()]
    twin = [json.loads(line.replace(ClaudeSession(5).id, OTHER)) for line in fixed_test_session(5, module="sender").lines()]
    paths = [session.write(folder), titled.write(folder, f"{SECRET}.jsonl"), plain.write(folder)]
    for name, records in (("named", named), ("twin", twin)):
        paths.append(folder / f"{name}.jsonl")
        paths[-1].write_text("".join(json.dumps(record) + "\n" for record in records))
    memory.ingest(paths)
    memory.add_entry(task_id=f"Fix {SECRET}", transcript=f"User: fix {SECRET}\n$ make\nerror: {SECRET}\n$ make\nok", project=f"p {SECRET}")
    memory.add_entry(task_id=f"Fix {OTHER}", transcript="User: fix it\n$ make\nerror: no rule\n$ make\nok", project=f"p {SECRET}")
    memory.add_entry(task_id="T-1", transcript="User: fix it\n$ make\nerror: no rule\n$ make\nok", host={"model": SECRET})
    note = memory.add_note(title=f"About {SECRET}", body=f"It is {SECRET}.", tags=[SECRET, "hosts"], project=f"p {SECRET}")
    memory.edit_note(note.id, body=f"It still is {SECRET}.")
    edited = memory.add_note(title="A clean note", body=f"Once it said {SECRET}.")
    memory.edit_note(edited.id, body="It says nothing any more.")
    diary = {"task_id": f"S {SECRET}", "tried": [f"used {SECRET}"], "worked": ["make"], "failed": [], "tags": [SECRET], "schema_version": 1}
    diary |= {"rationale": SECRET, "redaction_hash": "ab" * 32, "created_at": "2026-03-04T12:00:00+00:00"}
    (folder / "sdd/runtime/diaries").mkdir(parents=True)
    (folder / "sdd/runtime/diaries/s.json").write_text(json.dumps(diary))
    memory.sync(folder / "sdd", f"p {SECRET}")
    memory.feedback("T-1", "helped", session=f"claude:{SECRET}")
    memory.synthesize(since="3000d", write=True, project=memory.get_entry("T-1").project)
    memory.synthesize(since="3000d", write=True, project=f"p {SECRET}", min_cluster_size=1)
    memory.search("deploy")


def entry_ids(memory: Memory) -> set[str]:
    return {record.id for record in memory.list_records(RecordFilter(include_inactive=True)) if record.namespace != "redaction"}


def check(memory: Memory) -> None:
    """Everything fits together, and what is there can be verified and found."""
    report = memory.doctor()
    assert report["faults"] == []
    assert report["counts"]["sessions_to_distil"] == 0
    assert memory.verify_index() == []
    check_entries(memory)
    assert memory.search("parser tests")


def check_entries(memory: Memory) -> None:
    for record in memory.list_records(RecordFilter(kinds=("entry",))):
        assert memory.verify(record.id).faults == (), record.title


def test_a_new_rule_reaches_everything_that_is_kept(opened: Open, tmp_path: Path) -> None:
    """Database, log, vault, history, index, published files and their names; ids stay; the second time there is nothing to do."""
    with opened() as memory:
        fill(memory, tmp_path / "in")
        before = entry_ids(memory)
    found = {found.where.split(" ")[0].split("/")[0] for found in residue.find(tmp_path / "ws", VALUES)}
    assert {"diarist.db", "vault", "projects", "name", "table", "index"} <= found
    with opened(rule=True) as memory:
        report = memory.rescan()
        assert residue.find(tmp_path / "ws", VALUES) == []
        assert report.parts >= 5
        assert report.records >= 8
        assert report.payloads >= 8
        assert report.files >= 8
        assert report.places > 50
        assert entry_ids(memory) == before
        check(memory)
        assert memory.rescan().current
        assert memory.search("codename")
        check(memory)
    assert residue.find(tmp_path / "ws", VALUES) == []


def test_what_the_rules_leave_alone_is_left_alone(opened: Open, tmp_path: Path) -> None:
    """Entries, revisions and files without the value are byte for byte what they were."""

    def state(memory: Memory) -> dict[str, Any]:
        records = {record.id: record for record in memory.list_records(RecordFilter(kinds=("entry", "note")))}
        clean = {key: record for key, record in records.items() if "router" in record.title or record.task_id == "T-2"}
        files = {path: path.read_bytes() for path in (tmp_path / "ws" / "projects").rglob("*router*") if path.is_file()}
        return {"records": clean, "files": files}

    with opened() as memory:
        fill(memory, tmp_path / "in")
        memory.add_entry(task_id="T-2", transcript="User: fix it\n$ make\nerror: no rule\n$ make\nok")
        before = state(memory)
        assert len(before["records"]) == 2
        assert before["files"]
    with opened(rule=True) as memory:
        memory.rescan()
        assert state(memory) == before


def test_history_says_what_was_rewritten_and_keeps_what_was_clean(opened: Open, tmp_path: Path) -> None:
    with opened() as memory:
        note = memory.add_note(title="A note", body="Clean at first.")
        memory.edit_note(note.id, body=f"Then {SECRET}.")
        memory.edit_note(note.id, body="Clean again.")
    with opened(rule=True) as memory:
        assert memory.rescan().payloads == 1
        assert memory.get(note.id).body == memory.get(note.id).body
        history = [(event.action, event.payload is None) for event in memory._box.store.get_history(note.id)]
    assert history == [("create", False), ("update", True), ("update", False), ("rescan", False)]


def test_a_rescan_that_is_interrupted_anywhere_is_finished_by_the_next(opened: Open, tmp_path: Path) -> None:
    """Cut off at every call of the clock, which is asked before each transaction."""
    with opened() as memory:
        fill(memory, tmp_path / "in")
        before = entry_ids(memory)
    for number in count():
        workspace = f"ws-{number}"
        shutil.copytree(tmp_path / "ws", tmp_path / workspace)
        memory = opened(rule=True, fail_after=2 + 7 * number, workspace=workspace)
        try:
            memory.rescan()
            done = True
        except KeyboardInterrupt:
            done = False
        memory._box.store.close()
        with opened(rule=True, workspace=workspace) as memory:
            assert memory.rescan().current is done
            assert residue.find(tmp_path / workspace, VALUES) == []
            assert entry_ids(memory) == before
            check(memory)
        shutil.rmtree(tmp_path / workspace)
        if done:
            assert number > 3
            return


def test_a_growing_session_whose_name_was_masked_goes_on_as_one(opened: Open, tmp_path: Path) -> None:
    """The file is read on from where it ended, and its entry keeps its id."""
    lines = [line.replace(ClaudeSession(4).id, SECRET) for line in fixed_test_session(4).lines()]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(lines[:6]))
    with opened() as memory:
        before = memory.ingest([path]).entries[0].id
    with opened(rule=True) as memory:
        memory.rescan()
        with path.open("a") as file:
            file.write("".join(lines[6:]))
        assert [entry.id for entry in memory.ingest([path]).entries] == [before]
        assert memory.redistil().updated == 0
        check(memory)
        assert not memory.rescan().places


def test_evidence_read_before_and_after_a_change_of_rules_is_looked_at_whole(opened: Open, tmp_path: Path) -> None:
    """A file that was read on under newer rules still holds what the older ones let through."""
    lines = fixed_test_session(4).prompt(f"Use {SECRET}").reply("Fine.").lines()
    path = tmp_path / "in.jsonl"
    path.write_text("".join(lines[:-1]))
    with opened() as memory:
        memory.ingest([path])
    with opened(rule=True) as memory:
        path.write_text("".join(lines))
        memory.ingest([path])
        memory.rescan()
        assert residue.find(tmp_path / "ws", VALUES) == []


@pytest.mark.parametrize("name", ["harbour", SECRET])
def test_files_in_a_checkout_are_rewritten_where_they_lie(opened: Open, tmp_path: Path, name: str) -> None:
    """Under a name without the value; where the checkout's own path holds it, they go to the workspace."""
    checkout = tmp_path / name
    for folder in (".git", ".diarist"):
        (checkout / folder).mkdir(parents=True)
    session = ClaudeSession(2, cwd=str(checkout)).prompt(f"Deploy {SECRET}").bash("make", "done").reply(f"{SECRET} is done.")
    with opened() as memory:
        entry = memory.ingest([session.write(tmp_path / "in")]).entries[0]
        files = [path for path in (checkout / ".diarist").rglob("*") if path.is_file()]
        assert len(files) == 2
    with opened(rule=True) as memory:
        memory.rescan()
        assert residue.find(tmp_path / "ws", VALUES, also=[checkout / ".diarist"]) == []
        left = [path for root in (checkout / ".diarist", tmp_path / "ws" / "projects") for path in root.rglob("*") if path.is_file()]
        assert sorted(path.suffix for path in left) == [".json", ".md"]
        assert memory.get(entry.id).title == "Deploy [REDACTED:codename]"
        check_entries(memory)


def test_a_value_that_is_allowed_no_longer_is_masked(opened: Open, tmp_path: Path) -> None:
    """Compiled tables of the earlier rules, which held the value, are gone too."""
    rules = tmp_path / "allow.toml"
    secret = Maker(1).github()
    rules.write_text(f"allow_values = ['{secret}']\n")
    with diarist.open_memory(tmp_path / "ws", environ={"HOME": str(tmp_path), "DIARIST_REDACT_RULES": str(rules)}) as memory:
        memory.add_note(title="A note", body=f"The token is {secret}.")
        memory.search("note")
    assert residue.find(tmp_path / "ws", [secret])
    with opened() as memory:
        assert memory.rescan().places
    assert residue.find(tmp_path / "ws", [secret]) == []


def test_a_workspace_without_anything_is_up_to_date(opened: Open) -> None:
    with opened(rule=True) as memory:
        report = memory.rescan()
        assert (report.places, report.records, report.dropped) == (0, 0, 0)
        assert memory.rescan().current


def test_a_workspace_opened_for_reading_is_not_rescanned(opened: Open, tmp_path: Path) -> None:
    with opened() as memory:
        memory.add_note(title="A note", body="Some words.")
    with diarist.open_memory(tmp_path / "ws", read_only=True) as memory, pytest.raises(ReadOnlyError):
        memory.rescan()
