"""Secrets of every kind, in every string position of sessions of several formats: nothing a workspace holds has any of them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import diarist
import residue
from builders import ClaudeSession, codex_rollout, fixed_test_session
from diarist.model.record import RecordFilter
from unit.stages.redact import transcript_cases
from unit.stages.redact.secrets_made import Maker

PLANTS = 8
seeds = st.integers(0, 2**32)
Node = dict[Any, Any] | list[Any]
Place = tuple[Node, Any]


def places(value: Any) -> Iterator[Place]:
    """Every text in a JSON value: (what holds it, key or index); texts that hold JSON themselves are entered by `planted`."""
    if isinstance(value, dict | list):
        for key, part in list(value.items() if isinstance(value, dict) else enumerate(value)):
            if isinstance(part, str):
                yield value, key
            else:
                yield from places(part)


def planted(records: Any, seed: int) -> set[str]:
    """Puts secrets into texts of the records, whatever they are there for, and into names of arguments; returns the secrets."""
    make, chance = Maker(seed), Random(seed)
    secrets = set()
    for node, key in chance.sample(found := list(places(records)), min(PLANTS, len(found))):
        secret = make.vendor()
        secrets.add(secret)
        old = node[key]
        node[key] = chance.choice([secret, f"{old} {secret}", f"{old}/{secret}/more", f"{secret}\n{old}", f"({secret}) {old}"])
        if isinstance(node, dict) and chance.random() < 0.3:
            secrets.add(name := make.vendor())
            node[name] = "value"
    return secrets


def told(seed: int) -> tuple[str, set[str]]:
    """A text in which transcripts hold secrets, with those of its secrets that redaction knows in it, also spelled as JSON in JSON.

    What redaction knows is tested beside it; here it is to be seen that all texts come to it.
    """
    make = Maker(seed)
    generator = make.random.choice([value for name, value in sorted(vars(transcript_cases).items()) if name in NAMES])
    case = make.random.choice(list(generator(make)))
    spelled = [case.text, json.dumps(json.dumps(case.text)), f"Error:\n{case.text}\n", f"Please look at this:\n{case.text}"]
    safe = "\n".join(map(diarist.redact, spelled))
    return case.text, {secret for secret in case.secrets if len(secret) >= 8 and secret not in safe}


NAMES = {
    name
    for name, value in vars(transcript_cases).items()
    if callable(value) and getattr(value, "__module__", "") == transcript_cases.__name__ and not name.startswith("_") and name != "Case"
}


def claude(text: str) -> list[Any]:
    session = ClaudeSession(7).prompt(f"Please look at this:\n{text}\n").reply(f"I see.\n{text}\n")
    session.bash("env | sort", text).bash("make deploy", f"Error: deploy failed\n{text}", 2)
    session.edit("/home/kim/work/parcel/settings.py", "OLD = 1", text)
    session.call("WebFetch", {"url": "https://example.com", "headers": {"Accept": "text/html"}, "list": ["a", {"b": "c"}]}, text)
    session.bash("make deploy", "done").reply("It is deployed.")
    title = {"type": "summary", "summary": "Deploying the parcel service", "leafUuid": session.records[-1]["uuid"]}
    return [title, *session.records]


def codex(text: str) -> list[Any]:
    items = [
        ("user", f"Deploy this.\n{text}\n"),
        ("run", ("make deploy", f"error: no credentials\n{text}", 1)),
        ("say", f"It failed:\n{text}\n"),
    ]
    records = [json.loads(line) for line in codex_rollout(3, items)]
    records[0]["payload"]["git"] = {"branch": "main", "repository_url": "https://example.com/crane.git", "commit_hash": "ab" * 20}
    return records


def chat(text: str) -> list[Any]:
    call = {"id": "call_1", "type": "function", "function": {"name": "run", "arguments": json.dumps({"cmd": "deploy", "note": text})}}
    return [
        {"role": "system", "content": "You are an agent."},
        {"role": "user", "content": f"Deploy it.\n{text}\n"},
        {"role": "assistant", "content": "On it.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": f"Traceback (most recent call last):\nKeyError: 'x'\n{text}"},
        {"role": "assistant", "content": f"It failed:\n{text}\n"},
    ]


FORMATS = {"claude": claude, "codex": codex, "chat": chat}


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=12, deadline=None)
@given(seed=seeds, whole=st.booleans())
def test_no_string_position_of_a_session_lets_a_secret_through(name: str, seed: int, whole: bool) -> None:
    """Ids, times and types among them: where one makes a record unreadable, nothing of it is quoted anywhere."""
    text, secrets = told(seed)
    records = FORMATS[name](text)
    secrets |= planted(records, seed)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # the index may still be putting its files away
        file_secret = Maker(seed + 1).vendor()
        path = Path(folder, "in", file_secret.replace("/", "_"), "session.jsonl" if name != "chat" else "session.json")
        path.parent.mkdir(parents=True)
        lines = [json.dumps(record, ensure_ascii=whole) + "\n" for record in records]
        path.write_text(json.dumps(records) if name == "chat" else "".join(lines), encoding="utf-8")
        with diarist.open_memory(Path(folder, "ws")) as memory:
            memory.ingest([path])
            assert residue.find(Path(folder, "ws"), secrets) == []
        assert residue.find(Path(folder, "ws"), {*secrets, path.parent.name}) == []


@settings(max_examples=12, deadline=None)
@given(seed=seeds)
def test_nothing_that_hosts_people_and_teammates_hand_over_lets_a_secret_through(seed: int) -> None:
    """Task ids, agents, projects, tags, titles, plain transcripts, facts of a host, published diaries of others."""
    text, secrets = told(seed)
    host: dict[str, Any] = {"model": "m-1", "route": "direct", "workflow": "w-1", "tests": {"summary": "2 failed"}}
    calls: dict[str, Any] = {
        "entry": {"task_id": "T-1", "agent": "builder", "project": "parcel", "transcript": f"User: deploy\n$ make\n{text}\nerror: failed"},
        "note": {"title": "How to deploy", "body": f"Run make.\n{text}", "tags": ["deploy", "make"], "project": "parcel"},
    }
    diary: dict[str, Any] = {"task_id": "T-9", "tried": [f"tried {text}"], "worked": ["make"], "failed": ["wait"], "tags": ["deploy"]}
    diary |= {"rationale": "because", "redaction_hash": "ab" * 32, "created_at": "2026-03-04T12:00:00+00:00", "schema_version": 1}
    for part in (calls, host, diary):
        secrets |= planted(part, seed + len(secrets))
    extra = {key: calls["entry"].pop(key) for key in list(calls["entry"]) if key not in ("task_id", "agent", "project", "transcript")}
    for key in [key for key in calls["note"] if key not in ("title", "body", "tags", "project")]:
        calls["note"].pop(key)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = Path(folder, "sdd", "runtime", "diaries")
        root.mkdir(parents=True)
        (root / "T-9.json").write_text(json.dumps(diary), encoding="utf-8")
        with diarist.open_memory(Path(folder, "ws")) as memory:
            memory.add_entry(**calls["entry"])
            memory.record(**{**calls["entry"], "task_id": "T-2", "host": host | extra})
            memory.add_note(**calls["note"])
            memory.sync(Path(folder, "sdd"), "parcel")
            memory.search("deploy")
            assert residue.find(Path(folder, "ws"), secrets) == []
        assert residue.find(Path(folder, "ws"), secrets) == []


@pytest.mark.parametrize("seed", range(3))
def test_the_search_finds_what_is_let_through(tmp_path: Path, seed: int) -> None:
    """The control: a value that the user allows is found in database, vault, published files and in plain sight."""
    secret = Maker(seed).github()
    rules = tmp_path / "rules.toml"
    rules.write_text(f"allow_values = ['{secret}']\n")
    session = fixed_test_session(1).prompt(f"Also use {secret} there.").write(tmp_path / "in")
    with diarist.open_memory(tmp_path / "ws", environ={"HOME": str(tmp_path), "DIARIST_REDACT_RULES": str(rules)}) as memory:
        memory.ingest([session])
        memory.add_note(title="A note", body=f"It is {secret}.")
        memory.search("note")
    places = {found.where.split()[0].split("/")[0] for found in residue.find(tmp_path / "ws", [secret])}
    assert {"diarist.db", "vault", "table", "index"} <= places


def test_the_search_finds_what_lies_about(tmp_path: Path) -> None:
    """The control: names, packed files, escaped and encoded forms."""
    secret = "quince" + '"' + "marmalade"
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "a").write_text(json.dumps({"x": json.dumps([secret.upper()])}))
    (tmp_path / "quince%22marmalade").touch()
    assert {found.where for found in residue.find(tmp_path, [secret])} == {"log/a", "name of quince%22marmalade"}


def test_an_index_that_was_fed_a_value_shows_it(tmp_path: Path) -> None:
    """The control: a word of a note is among the terms of the index."""
    with diarist.open_memory(tmp_path / "ws") as memory:
        memory.add_note(title="A note", body="Take the quincemarmalade out of the oven.")
        memory.search("note")
        assert len(list(memory.list_records(RecordFilter()))) == 1
    assert "index" in {found.where for found in residue.find(tmp_path / "ws", ["quincemarmalade"])}
