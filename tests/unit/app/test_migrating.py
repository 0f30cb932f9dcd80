"""Taking over what Burin and Harn kept."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from diarist.app.memory import Memory
from diarist.app.migrating import LEGACY, migrate_burin
from diarist.app.migration_marks import MARKER
from diarist.app.mining import Curated
from diarist.app.observing import list_observations
from diarist.bootstrap import open_memory
from diarist.errors import InvalidInputError, ReadOnlyError, ReviewError
from diarist.model.observation import NAMESPACE
from unit.stages.redact.secrets_made import Maker

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PROJECT = "shop"
Event = tuple[str, str, dict[str, Any], dict[str, Any]]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty workspace."""
    with open_memory(tmp_path / "ws", now=lambda: NOW) as opened:
        yield opened


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with legacy stores."""
    folder = tmp_path / "shop"
    legacy = folder / ".harn" / "session-store"
    legacy.mkdir(parents=True)

    def write(stream: str, *payloads: Any) -> None:
        lines = [json.dumps({"payload": each}) + "\n" for each in payloads]
        (legacy / f"{LEGACY}.{stream}.jsonl").write_text("".join(lines), encoding="utf-8")

    camel = {"id": "3", "sessionId": "s3", "prompt": "cut release 3", "toolSequence": ["read_file"], "observedAt": "2026-11-20T10:00:00Z"}
    write(
        "observations",
        {"kind": "upsert", "record": run("1", "cut a release")},
        {"kind": "upsert", "record": run("2", "gone soon")},
        {"kind": "upsert", "record": run("1", "cut a release, please")},
        {"kind": "delete", "id": "2"},
        {"kind": "upsert", "record": camel},
    )
    write("pending", {"kind": "replace", "records": [pending("old"), pending("cut-release")]}, {"kind": "delete", "id": "p-old"})
    write("state", {"kind": "replace", "value": {"enabled": True, "suppressed_until": {"prompt-1": "2026-12-24T00:00:00Z"}}})
    return folder


def run(number: str, prompt: str) -> dict[str, Any]:
    """A legacy observation."""
    told = {"session_id": f"s{number}", "prompt": prompt, "observed_at": "2026-11-20T09:00:00Z"}
    return {"id": number, "tool_sequence": ["read_file", "mcp__git__tag"], **told}


def pending(name: str) -> dict[str, Any]:
    """A legacy proposal."""
    told = {"description": "Does it.", "when_to_use": "When asked.", "body": "# Do\n\n- x\n"}
    return {"id": f"p-{name}", "name": name, "title": f"Do {name}", **told}


def marker(memory: Memory, namespace: str = NAMESPACE) -> Path:
    """Where the marker lies."""
    return memory._box.settings.workspace / "memory" / Path(*namespace.split("/")) / MARKER


def prompts(memory: Memory, namespace: str = NAMESPACE) -> list[str]:
    """What is observed."""
    return sorted(each.prompt for each in list_observations(memory._box.store, PROJECT, namespace=namespace))


def digests(folder: Path) -> dict[str, str]:
    """Every file below it."""
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_legacy_stores_are_folded_and_taken_over_once(memory: Memory, checkout: Path) -> None:
    """The last word on each record, in the order in which they first appeared; sources stay as they were."""
    before = digests(checkout)
    done = memory.migrate_burin(checkout, PROJECT)
    assert done.as_dict() == {"migrated": True, "observations": 2, "proposals": 1, "states": 1}
    assert prompts(memory) == ["cut a release, please", "cut release 3"]
    (waiting,) = memory.proposals(kinds=("skill",))
    assert (waiting.name, waiting.body) == ("cut-release", "# Do\n\n- x\n")
    assert memory.learning(PROJECT).suppressed_until == {"prompt-1": datetime(2026, 12, 24, tzinfo=UTC)}
    assert json.loads(marker(memory).read_text())["migrated_at"] == "2026-11-30T12:00:00Z"
    assert digests(checkout) == before
    assert memory.migrate_burin(checkout, PROJECT).as_dict() == {"migrated": False, "already_done": True}
    assert prompts(memory) == ["cut a release, please", "cut release 3"]


def test_tool_names_stay_whole_and_camel_case_is_understood(memory: Memory, checkout: Path) -> None:
    """As they were written."""
    memory.migrate_burin(checkout, PROJECT)
    tools = {tool.name for each in list_observations(memory._box.store, PROJECT) for tool in each.tools}
    assert tools == {"read_file", "mcp__git__tag"}


def test_a_proposal_that_was_taken_over_is_not_accepted_unseen(memory: Memory, checkout: Path) -> None:
    """Nothing here bears it out."""
    memory.migrate_burin(checkout, PROJECT)
    with pytest.raises(ReviewError, match="independent ones"):
        memory.accept_skill("cut-release")


def test_a_project_that_never_had_such_stores_pays_nothing(memory: Memory, tmp_path: Path) -> None:
    """No state, no marker."""
    seq = memory._box.store.last_seq()
    (tmp_path / "plain").mkdir()
    assert memory.migrate_burin(tmp_path / "plain", PROJECT).as_dict()["skipped"]
    assert memory._box.store.last_seq() == seq
    assert not marker(memory).exists()


def test_a_denied_look_at_the_marker_ends_it_with_nothing_written(memory: Memory, checkout: Path) -> None:
    """The status says why."""
    folder = marker(memory).parent
    folder.mkdir(parents=True)
    expected = "denied"
    if os.name == "nt" or os.geteuid() == 0:
        marker(memory).mkdir()
        expected = "other"
    else:
        folder.chmod(0)
    try:
        seq = memory._box.store.last_seq()
        assert memory.migrate_burin(checkout, PROJECT).as_dict() == {"migrated": False, "unavailable": True, "marker_status": expected}
        assert memory._box.store.last_seq() == seq
    finally:
        folder.chmod(stat.S_IRWXU)


def test_what_was_taken_over_is_not_taken_over_into_another_namespace(memory: Memory, checkout: Path) -> None:
    """Once is once."""
    memory.migrate_burin(checkout, PROJECT)
    assert migrate_burin(memory._box, checkout, PROJECT, namespace="team/pattern-learning").skipped
    assert prompts(memory, "team/pattern-learning") == []


def test_a_run_that_died_before_the_marker_is_finished_without_taking_over_again(memory: Memory, checkout: Path) -> None:
    """The data and the note that it is here are one transaction."""
    memory.migrate_burin(checkout, PROJECT)
    marker(memory).unlink()
    seq = memory._box.store.last_seq()
    assert memory.migrate_burin(checkout, PROJECT).already_done
    assert marker(memory).is_file()
    assert memory._box.store.last_seq() == seq


def test_a_dry_run_writes_nothing(memory: Memory, checkout: Path) -> None:
    """But counts."""
    seq = memory._box.store.last_seq()
    done = memory.migrate_burin(checkout, PROJECT, dry_run=True)
    assert (done.migrated, done.observations, done.proposals) == (False, 2, 1)
    assert memory._box.store.last_seq() == seq
    assert not marker(memory).exists()


def test_bad_lines_and_records_are_named(memory: Memory, checkout: Path) -> None:
    """And the good ones taken over."""
    file = checkout / ".harn" / "session-store" / f"{LEGACY}.observations.jsonl"
    bad = ["{torn", '{"payload": {"kind": "dance"}}', '{"payload": {"kind": "upsert", "record": {"id": "9", "prompt": "x"}}}', "[]"]
    file.write_text("\n".join(bad) + "\n" + file.read_text(), encoding="utf-8")
    done = memory.migrate_burin(checkout, PROJECT)
    assert done.observations == 2
    assert len(done.problems) == 4


def test_mining_migrates_by_itself_where_the_checkout_is_known(memory: Memory, checkout: Path) -> None:
    """On writable paths only."""
    memory.init_project(checkout, PROJECT)
    memory.mine_patterns(now=NOW, project=PROJECT, write=False)
    assert prompts(memory) == []
    memory.mine_patterns(now=NOW, project=PROJECT)
    assert len(prompts(memory)) == 2


def test_reading_never_migrates(tmp_path: Path, checkout: Path) -> None:
    """Nor writes."""
    with open_memory(tmp_path / "ws") as memory:
        memory.init_project(checkout, PROJECT)
    before = digests(tmp_path / "ws")
    with open_memory(tmp_path / "ws", read_only=True) as memory:
        assert memory.mine_patterns(now=NOW, project=PROJECT) == []
        with pytest.raises(ReadOnlyError):
            memory.migrate_burin(checkout, PROJECT)
    assert digests(tmp_path / "ws") == before


def test_harns_own_tree_is_written_on_request(memory: Memory, checkout: Path, tmp_path: Path) -> None:
    """Events that read back as the same records, and the marker."""
    root = tmp_path / "harn"
    memory.migrate_burin(checkout, PROJECT, harn_root=root)
    lines = [json.loads(line) for line in (root / "memory" / "project" / "pattern-learning" / "events.jsonl").read_text().splitlines()]
    assert sorted(line["value"]["record_kind"] for line in lines) == ["observation", "observation", "pending", "state"]
    assert all(line["value"]["schema"] == "harn.pattern_learning.v1" for line in lines)
    assert lines[0]["tags"] == ["pattern_learning", "pattern_learning:observation", "schema:harn.pattern_learning.v1"]
    assert (root / "memory" / "project" / "pattern-learning" / MARKER).is_file()


def test_secrets_in_legacy_prompts_are_masked(memory: Memory, checkout: Path) -> None:
    """Harn's own redaction missed most of them."""
    secret = Maker(11).github()
    file = checkout / ".harn" / "session-store" / f"{LEGACY}.observations.jsonl"
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({"payload": {"kind": "upsert", "record": run("8", f"use Bearer {secret}")}}) + "\n")
    memory.migrate_burin(checkout, PROJECT)
    assert len(prompts(memory)) == 3
    assert not any(secret in prompt for prompt in prompts(memory))


# --- session store --------------------------------------------------------------------------------------------------------


def session_store(path: Path, events: list[Event]) -> Path:
    """A store as Harn's: (session, kind, payload, headers)."""
    columns = "session_id TEXT, event_id INTEGER, kind TEXT, payload TEXT, tags TEXT, headers TEXT, created_at TEXT"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"CREATE TABLE session_events ({columns})")
        for number, (session, kind, payload, headers) in enumerate(events):
            at = (NOW - timedelta(days=1) + timedelta(seconds=number)).isoformat()
            row = (session, number, kind, json.dumps(payload), json.dumps(headers), at)
            database.execute("INSERT INTO session_events VALUES (?, ?, ?, ?, '[]', ?, ?)", row)
    return path


def run_events(session: str, name: str, *, eligible: str = "eligible", terminal: str = "natural") -> list[Event]:
    """A run of it."""
    headers = {"run_id": name, "harn.workflow_learning.eligibility": eligible}
    return [
        (session, "user_message", {"role": "user", "content": f"cut the release {name}"}, headers),
        (session, "tool_call", {"name": "read_file"}, headers),
        (session, "tool_call", {"name": "git.tag"}, headers),
        (session, "agent_run_terminal", {"terminal_kind": terminal}, headers),
    ]


def test_only_eligible_runs_that_ended_by_themselves_are_taken(memory: Memory, tmp_path: Path) -> None:
    """Once for each session and run; the store is opened for reading."""
    events = run_events("s1", "r1") + run_events("s1", "r2")
    events += run_events("s2", "r1", eligible="excluded") + run_events("s3", "r1", terminal="error")
    path = session_store(tmp_path / "session-store.sqlite", events)
    before = path.read_bytes()
    assert memory.migrate_session_store(path, PROJECT, dry_run=True).observations == 2
    assert prompts(memory) == []
    assert memory.migrate_session_store(path, PROJECT).observations == 2
    assert prompts(memory) == ["cut the release r1", "cut the release r2"]
    assert memory.migrate_session_store(path, PROJECT).known == 2
    assert path.read_bytes() == before


def test_a_disabled_project_takes_nothing_over_from_a_session_store(memory: Memory, tmp_path: Path) -> None:
    """Disabled means disabled."""
    path = session_store(tmp_path / "session-store.sqlite", run_events("s1", "r1"))
    memory.set_learning(False, PROJECT)
    assert memory.migrate_session_store(path, PROJECT).skipped
    assert prompts(memory) == []


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough to be looked at", None])
def test_a_file_that_is_no_session_store_is_refused(memory: Memory, tmp_path: Path, content: bytes | None) -> None:
    """With its name."""
    path = tmp_path / "x.sqlite"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InvalidInputError, match="session store"):
        memory.migrate_session_store(path, PROJECT)


def test_pattern_records_come_back_from_events(memory: Memory, checkout: Path, tmp_path: Path) -> None:
    """What one workspace projects, another takes over as observations, proposals and state; and projects the same again."""
    memory.migrate_burin(checkout, PROJECT)
    memory.set_learning(True, PROJECT)
    out = tmp_path / "events.jsonl"
    out.write_bytes(b"".join(memory.export_memory(NAMESPACE, project=PROJECT)))
    with open_memory(tmp_path / "other", now=lambda: NOW) as other:
        assert not other.import_memory(out, NAMESPACE, project=PROJECT).problems
        assert prompts(other) == prompts(memory)
        assert [each.name for each in other.proposals(kinds=("skill",))] == ["cut-release"]
        assert other.learning(PROJECT).suppressed_until == memory.learning(PROJECT).suppressed_until
        kinds = [json.loads(line)["value"]["record_kind"] for line in other.export_memory(NAMESPACE, project=PROJECT)]
        assert kinds == ["observation", "observation", "pending", "state"]


def test_what_comes_back_never_replaces_what_was_told_here(memory: Memory, tmp_path: Path) -> None:
    """A projection knows less than the source."""
    tool = {"name": "Bash", "arguments": {"command": "git tag v1"}}
    memory.observe(session_id="s1", prompt="cut a release", tools=[tool], observed_at=NOW, project=PROJECT)
    out = tmp_path / "events.jsonl"
    out.write_bytes(b"".join(memory.export_memory(NAMESPACE, project=PROJECT)))
    memory.import_memory(out, NAMESPACE, project=PROJECT)
    (kept,) = list_observations(memory._box.store, PROJECT)
    assert kept.tools[0].shape == "git tag v1"


def test_a_disabled_project_takes_no_legacy_store_over_and_what_was_set_here_holds(memory: Memory, checkout: Path) -> None:
    """Until it is enabled again; the store's own idea of it counts only where nobody decided here."""
    memory.set_learning(False, PROJECT)
    done = memory.migrate_burin(checkout, PROJECT)
    assert (done.skipped, done.why) == (True, "learning is disabled for this project")
    assert not marker(memory).exists()
    memory.set_learning(True, PROJECT)
    file = checkout / ".harn" / "session-store" / f"{LEGACY}.state.jsonl"
    file.write_text(json.dumps({"payload": {"kind": "replace", "value": {"enabled": False}}}) + "\n")
    assert memory.migrate_burin(checkout, PROJECT).migrated
    assert memory.learning(PROJECT).enabled


def test_a_state_that_only_the_legacy_store_knows_is_taken_over(memory: Memory, checkout: Path) -> None:
    """Who disabled learning there meant it."""
    file = checkout / ".harn" / "session-store" / f"{LEGACY}.state.jsonl"
    file.write_text(json.dumps({"payload": {"kind": "replace", "value": {"enabled": False}}}) + "\n")
    memory.migrate_burin(checkout, PROJECT)
    assert not memory.learning(PROJECT).enabled


def test_a_copy_of_the_checkout_is_not_taken_over_elsewhere(memory: Memory, checkout: Path, tmp_path: Path) -> None:
    """The same data is known by what it holds, not only by where it lies."""
    memory.migrate_burin(checkout, PROJECT)
    copy = shutil.copytree(checkout, tmp_path / "copy")
    assert migrate_burin(memory._box, copy, PROJECT, namespace="team/pattern-learning").skipped
    assert "of the project shop already" in memory.migrate_burin(copy, "other").why
    assert prompts(memory, "team/pattern-learning") == []
    assert memory.migrate_burin(copy, PROJECT).already_done


def test_mutations_are_understood_in_the_form_of_their_own_language(memory: Memory, checkout: Path) -> None:
    """As `{"upsert": {"record": …}}`."""
    payloads: list[dict[str, Any]] = [
        {"upsert": {"record": run("1", "old")}},
        {"clear": {}},
        {"upsert": {"record": run("2", "cut a release")}},
        {"upsert": {"record": run("3", "gone")}},
        {"delete": {"id": "3"}},
    ]
    file = checkout / ".harn" / "session-store" / f"{LEGACY}.observations.jsonl"
    file.write_text("".join(json.dumps({"payload": each}) + "\n" for each in payloads))
    assert not memory.migrate_burin(checkout, PROJECT).problems
    assert prompts(memory) == ["cut a release"]


def test_what_harn_has_in_its_tree_stays(memory: Memory, checkout: Path, tmp_path: Path) -> None:
    """Its log is added to, a torn last line included; and where its own marker lies, nothing is added."""
    folder = tmp_path / "harn" / "memory" / "project" / "pattern-learning"
    folder.mkdir(parents=True)
    own = b'{"type":"store","id":"theirs","namespace":"project/pattern-learning","key":"k","value":1}\n{"type":"sto'
    (folder / "events.jsonl").write_bytes(own)
    memory.migrate_burin(checkout, PROJECT, harn_root=tmp_path / "harn")
    written = (folder / "events.jsonl").read_bytes()
    assert written.startswith(own + b"\n")
    assert len(written.splitlines()) == 2 + 4
    memory.migrate_burin(checkout, PROJECT, harn_root=tmp_path / "harn")
    assert (folder / "events.jsonl").read_bytes() == written
    (folder / MARKER).unlink()
    memory.migrate_burin(checkout, PROJECT, harn_root=tmp_path / "harn")
    assert (folder / "events.jsonl").read_bytes() == written
    assert (folder / MARKER).is_file()


@pytest.mark.parametrize("how", ["observe", "enable", "propose"])
def test_whatever_writes_patterns_migrates_first(memory: Memory, checkout: Path, how: str) -> None:
    """Lazily, where the checkout is known."""
    memory.init_project(checkout, PROJECT)
    if how == "observe":
        memory.observe(session_id="s9", prompt="draw a cat", observed_at=NOW, project=PROJECT)
    elif how == "enable":
        memory.set_learning(True, PROJECT)
    else:
        with pytest.raises(InvalidInputError, match="cite"):
            memory.propose_skill(Curated("x", "X", "Does x when asked.", "# X\n", (), project=PROJECT))
    assert {"cut a release, please", "cut release 3"} <= set(prompts(memory))


def add_sessions(path: Path, rows: list[tuple[str, str, str]]) -> None:
    """The table of sessions: (id, tenant, status)."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE sessions (session_id TEXT, tenant_id TEXT, status TEXT)")
        database.executemany("INSERT INTO sessions VALUES (?, ?, ?)", rows)


def test_a_store_of_several_tenants_gives_the_one_that_is_named(memory: Memory, tmp_path: Path) -> None:
    """Never a mixture; deleted sessions stay deleted."""
    path = session_store(tmp_path / "x.sqlite", [event for name in ("s1", "s2", "s3") for event in run_events(name, f"r-{name}")])
    add_sessions(path, [("s1", "acme", "closed"), ("s2", "globex", "closed"), ("s3", "acme", "soft_deleted")])
    with pytest.raises(InvalidInputError, match=r"acme, globex"):
        memory.migrate_session_store(path, PROJECT)
    assert memory.migrate_session_store(path, PROJECT, tenant="acme").observations == 1
    assert prompts(memory) == ["cut the release r-s1"]
    assert memory.migrate_session_store(path, PROJECT, tenant="nobody").observations == 0


def test_a_store_with_a_write_ahead_log_is_read_whole_and_left_as_it_is(memory: Memory, tmp_path: Path) -> None:
    """No file is added beside it, and what only the log holds is seen."""
    (tmp_path / "store").mkdir()
    path = session_store(tmp_path / "store" / "x.sqlite", run_events("s1", "r1"))
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA wal_autocheckpoint=0")
        row = ("s1", 99, "tool_call", json.dumps({"name": "late"}), json.dumps({"run_id": "r1"}), NOW.isoformat())
        with database:
            database.execute("INSERT INTO session_events VALUES (?, ?, ?, ?, '[]', ?, ?)", row)
        shutil.copytree(path.parent, tmp_path / "crashed")
    for folder, count in ((tmp_path / "crashed", 3), (path.parent, 3)):
        for shared in folder.glob("*-shm"):
            shared.unlink()
        before = digests(folder)
        assert not memory.migrate_session_store(folder / "x.sqlite", PROJECT).problems
        assert digests(folder) == before
        (made,) = list_observations(memory._box.store, PROJECT)
        assert len(made.tools) == count


def test_messages_in_parts_and_arguments_of_calls_are_read(memory: Memory, tmp_path: Path) -> None:
    """What an event tells of a call is its shape."""
    headers = {"run_id": "r", "harn.workflow_learning.eligibility": "eligible"}
    events: list[Event] = [
        (
            "s",
            "user_message",
            {"role": "user", "content": [{"type": "text", "text": "cut a"}, {"type": "text", "text": "release"}]},
            headers,
        ),
        ("s", "tool_call", {"name": "run", "arguments": {"command": "git tag v1"}}, headers),
        ("s", "agent_run_terminal", {"terminal_kind": "natural"}, headers),
    ]
    memory.migrate_session_store(session_store(tmp_path / "x.sqlite", events), PROJECT)
    (made,) = list_observations(memory._box.store, PROJECT)
    assert made.prompt == "cut a release"
    assert made.tools[0].name == "run"
