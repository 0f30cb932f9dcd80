"""What may follow a write: a model's reflection under a cap, documents for a hub, and a host's call that never raises."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from diarist.app.memory import Memory
from diarist.app.records import entry_record
from diarist.bootstrap import open_memory
from diarist.model.codec import seal
from diarist.model.record import RecordFilter, SearchText
from diarist.model.redacted import derived
from stub_server import StubServer, stub_server

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
RUN = """User: The parser tests fail, please fix them.
$ pytest -q tests/test_parser.py
E   KeyError: 'width'
1 failed in 0.10s
[exit code 1]
Assistant: The box may lack a width. I read it with a default now.
$ pytest -q tests/test_parser.py
3 passed in 0.08s
[exit code 0]
Assistant: The tests pass.
"""


@pytest.fixture
def server() -> Iterator[StubServer]:
    """A model service or hub on loopback."""
    with stub_server() as running:
        yield running


def answer(text: str) -> tuple[int, bytes]:
    """As an OpenAI-compatible service answers."""
    return 200, json.dumps(
        {"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 400, "completion_tokens": 100}}
    ).encode()


def reflecting(server: StubServer, config: str = "enabled = true") -> dict[str, str]:
    """An environment whose settings name the stub as the model."""
    import os

    home = Path(os.environ["XDG_CONFIG_HOME"]) / "diarist"
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(f"[reflect]\nmodel = 'small'\nbase_url = '{server.url}'\n{config}\n")
    return {"HOME": os.environ["HOME"], "XDG_CONFIG_HOME": os.environ["XDG_CONFIG_HOME"], "DIARIST_REFLECT_KEY": "k"}


def open_with(tmp_path: Path, environ: dict[str, str], now: datetime = NOW) -> Memory:
    """A workspace under this environment and clock."""
    return open_memory(tmp_path / "ws", environ=environ, now=lambda: now)


def test_a_reflection_is_written_redacted_marked_and_survives_redistilling(server: StubServer, tmp_path: Path) -> None:
    """The answer replaces `learned` and nothing else; asking twice costs once."""
    secret = "ghp_" + "".join(chr(97 + (number * 5) % 26) for number in range(36))
    server.answer = answer(f"The width was optional all along. It leaked {secret}.")
    with open_with(tmp_path, reflecting(server)) as memory:
        done = memory.record(task_id="t1", transcript=RUN)
        assert (done.recorded, done.problem) == (True, "")
        entry = memory.get_entry("t1")
        assert entry.learned.startswith("The width was optional all along.")
        assert secret not in entry.learned
        assert entry.learned_by == "small"
        assert memory.verify("t1").ok
        assert memory.reflect(["t1"])["known"] == 1
        memory.redistil()
        assert memory.get_entry("t1") == entry
        (reflection,) = [json.loads(record.body) for record in memory.list_records(RecordFilter(kinds=("state",)))]
        assert (reflection["role"], reflection["model"], reflection["input_tokens"]) == ("diary.reflection", "small", 400)
    assert len(server.asked) == 1
    assert "transcript" not in server.asked[0][2]["messages"][0]["content"]


@pytest.mark.parametrize("bad", [(500, b""), (200, b"[]"), answer("   ")])
def test_a_failing_model_changes_nothing_but_that_prose(server: StubServer, tmp_path: Path, bad: tuple[int, bytes]) -> None:
    """The entry is as it would be without a model."""
    with open_with(tmp_path / "without", {"HOME": str(tmp_path)}) as memory:
        expected = memory.add_entry(task_id="t1", transcript=RUN, created_at=NOW)
    server.answer = bad
    with open_with(tmp_path, reflecting(server)) as memory:
        assert memory.record(task_id="t1", transcript=RUN, created_at=NOW).recorded
        assert memory.get_entry("t1") == expected
    assert len(server.asked) == 1


def test_the_daily_cap_holds_over_processes_and_ends_with_the_day(server: StubServer, tmp_path: Path) -> None:
    """What a call can take is reserved before it is made."""
    server.answer = answer("One sentence.")
    environ = reflecting(server, "enabled = true\ndaily_tokens = 1500")
    for number in range(4):
        with open_with(tmp_path, environ) as memory:
            memory.record(task_id=f"t{number}", transcript=RUN.replace("width", f"width{number}"))
    spent = len(server.asked)
    assert 1 <= spent < 4
    with open_with(tmp_path, environ, NOW + timedelta(days=1)) as memory:
        memory.record(task_id="t9", transcript=RUN.replace("width", "height"))
    assert len(server.asked) == spent + 1


def test_nothing_is_asked_unless_it_is_switched_on(server: StubServer, tmp_path: Path) -> None:
    """Off by default; the hub's switch turns it on; `reflect.enabled` has the last word."""
    server.answer = answer("One sentence.")
    environ = reflecting(server, "")
    with open_with(tmp_path / "1", environ) as memory:
        memory.record(task_id="t", transcript=RUN)
    assert server.asked == []
    environ = reflecting(server, "enabled = false")
    with open_with(tmp_path / "2", {**environ, "KB_DIARIES_ENABLED": "1"}) as memory:
        memory.record(task_id="t", transcript=RUN)
    assert server.asked == []
    environ = reflecting(server, "")
    with open_with(tmp_path / "3", {**environ, "KB_DIARIES_ENABLED": "1"}) as memory:
        memory.record(task_id="t", transcript=RUN)
    assert len(server.asked) == 1


def hub(server: StubServer, **more: str) -> dict[str, str]:
    """An environment whose hub is the stub."""
    return {"HOME": "/nonexistent", "KB_DIARIES_ENABLED": "true", "MOTHER_AI_URL": server.url + "/", "MOTHER_AI_API_KEY": "hub-key", **more}


def test_a_hub_document_is_posted_with_the_key(server: StubServer, tmp_path: Path) -> None:
    """Path below diaries/, outcome and task among the tags, once per state of the entry."""
    with open_with(tmp_path, hub(server)) as memory:
        memory.record(task_id="t1", transcript=RUN, agent="worker")
        memory.record(task_id="t1", transcript=RUN, agent="worker")
    assert len({body["idempotency_key"] for _, _, body in server.asked}) == 1
    path, headers, body = server.asked[0]
    assert path == "/v1/kb/edit"
    assert headers["x-api-key"] == "hub-key"
    assert body["path"].startswith("diaries/agents/worker/2026-11-30-")
    assert body["source_type"] == "diary"
    assert "task:t1" in body["tags"]
    assert {"outcome:completed", "outcome:recovered"} & set(body["tags"])


def test_a_posted_document_names_older_ones_like_it(server: StubServer, tmp_path: Path) -> None:
    """The ids stand in `related` and under the document's last heading."""
    with open_with(tmp_path, hub(server)) as memory:
        first = memory.record(task_id="t1", transcript=RUN, created_at=NOW - timedelta(hours=1)).id
        memory.record(task_id="t2", transcript=RUN.replace("width", "height"), created_at=NOW)
    posted = [body for _, _, body in server.asked]
    assert [body["related"] for body in posted] == [[], [first]]
    assert posted[1]["body"].endswith(f"## Related\n- {first}\n")


@pytest.mark.parametrize("jobs", [1, 2])
def test_redistilling_with_a_newer_version_keeps_ids(tmp_path: Path, jobs: int) -> None:
    """What an older version told is told anew under the same id; a second run changes nothing."""
    with open_with(tmp_path, {}) as memory:
        known = memory.record(task_id="t1", transcript=RUN).id
        now = memory.get_entry(known)
        older = seal(msgspec.structs.replace(now, worked=(derived("told otherwise"),), distil_version=0, evidence={}))
        with memory._box.store.transaction(actor="test", at=NOW) as tx:
            tx.put_record(entry_record(older, trust="host", at=NOW), SearchText())
        seen: list[tuple[int, int]] = []
        done = memory.redistil(jobs=jobs, on_progress=lambda done, total: seen.append((done, total)))
        assert (done.created, done.updated, seen) == (0, 1, [(1, 1)])
        assert memory.get_entry(known) == now
        assert memory.redistil(jobs=jobs).updated == 0


def test_a_hub_that_is_down_gets_it_later(server: StubServer, tmp_path: Path) -> None:
    """Queued durably, tried again after a pause that grows, and the task never hears of it."""
    server.answer = (503, b"")
    with open_with(tmp_path, hub(server)) as memory:
        assert memory.record(task_id="t1", transcript=RUN).problem == ""
        assert any("hub answered 503" in fault for fault in memory.doctor()["faults"])
    server.answer = (200, b"{}")
    with open_with(tmp_path, hub(server), NOW + timedelta(seconds=10)) as memory:
        assert memory.deliver() == {"sent": 0, "failed": 0, "waiting": 0}
    with open_with(tmp_path, hub(server), NOW + timedelta(minutes=2)) as memory:
        assert memory.deliver()["sent"] == 1
        assert memory.doctor()["faults"] == []


@pytest.mark.parametrize("switch", ["", "0", "false", "no", "OFF"])
def test_the_switch_off_means_nothing_is_done(server: StubServer, tmp_path: Path, switch: str) -> None:
    """No call, nothing queued; local capture does not depend on it."""
    with open_with(tmp_path, hub(server, KB_DIARIES_ENABLED=switch)) as memory:
        assert memory.record(task_id="t1", transcript=RUN).recorded
    assert server.asked == []
    with open_with(tmp_path, hub(server), NOW + timedelta(days=1)) as memory:
        assert memory.deliver()["sent"] == 0


def test_a_missing_address_is_logged_and_nothing_else(server: StubServer, tmp_path: Path) -> None:
    """One line, without any text of the run."""
    with open_with(tmp_path, hub(server, MOTHER_AI_URL="")) as memory:
        assert memory.record(task_id="t1", transcript=RUN).recorded
    lines = (tmp_path / "ws" / "log" / "diarist.log").read_text().splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["hub-not-configured"]
    assert "parser" not in lines[0]


@pytest.mark.parametrize(
    "run",
    [
        {"task_id": " ", "transcript": RUN},
        {"task_id": "t", "transcript": ""},
        {"task_id": "t"},
        {"task_id": "t", "transcript": RUN, "created_at": 5},
    ],
)
def test_record_never_raises_and_says_what_went_wrong(tmp_path: Path, run: dict[str, Any]) -> None:
    """The host's task goes on."""
    with open_with(tmp_path, {"HOME": str(tmp_path)}) as memory:
        done = memory.record(**run)
    assert not done.recorded
    assert done.problem


def test_a_run_whose_host_says_that_verification_failed_is_never_completed(tmp_path: Path) -> None:
    """Whatever the transcript shows."""
    with open_with(tmp_path, {"HOME": str(tmp_path)}) as memory:
        assert memory.record(task_id="t", transcript=RUN, host={"verified": False}).outcome not in ("completed", "recovered")


def test_task_ids_that_a_rule_masks_alike_stay_different_tasks(tmp_path: Path) -> None:
    """Each run has its entry, the same id again replaces it, and no id is told."""
    rules = tmp_path / "rules.toml"
    rules.write_text('[[pattern]]\nid = "order"\nregex = "ORD-[0-9]{4}"\n', encoding="utf-8")
    with open_memory(tmp_path / "w", environ={"DIARIST_REDACT_RULES": str(rules)}) as memory:
        talk = "user: Mend the sail.\nassistant: It is sewn."
        ids = [memory.record(task_id=f"mend-ORD-{number}", transcript=talk, agent="worker").id for number in (1111, 2222, 1111)]
        names = {str(entry.task_id) for entry in memory.list_records(RecordFilter(kinds=("entry",)))}
    assert ids[0] == ids[2] != ids[1]
    assert len(names) == 2
    assert all(name.startswith("mend-[REDACTED:order]~") for name in names)
