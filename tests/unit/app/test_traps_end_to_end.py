"""Traps of real transcripts that show only when a file goes all the way into the store: copies, forks, secrets, subagents, torn ends."""

from __future__ import annotations

import base64
import json
import random
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import diarist
from contract.importers.passes import TRANSCRIPTS, lines, take
from diarist.app.memory import Memory
from diarist.model.entry import Entry
from diarist.model.record import RecordFilter
from unit.importers.records import SESSION, Claude, call, rollout, text

ENTRIES = RecordFilter(kinds=("entry",))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with diarist.open_memory(tmp_path / "ws") as opened:
        yield opened


def entries(memory: Memory) -> list[Entry]:
    return [memory.get_entry(record.id) for record in memory.list_records(ENTRIES, sort="id")]


def steps(memory: Memory, entry: Entry) -> list[dict[str, Any]]:
    return [json.loads(line) for line in memory.transcript(entry.id).splitlines()]


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


# --- ends ---------------------------------------------------------------------------------------------------------------


def test_a_file_without_a_last_line_feed_is_whole() -> None:
    claude = Claude()
    data = lines(claude.user("Fix it."), claude.assistant(text("Done.")))
    with_feed, without = take(data, "claude-code"), take(data.rstrip(b"\n"), "claude-code")
    assert with_feed == without
    assert with_feed.capture.skipped == {}


def test_a_last_line_that_is_torn_is_read_once_it_is_whole(memory: Memory, tmp_path: Path) -> None:
    claude = Claude()
    data = lines(claude.user("Fix it."), claude.assistant(text("The label is mended.")))
    path = put(tmp_path / "in" / "a.jsonl", data[:-20])
    memory.ingest([path])
    (entry,) = entries(memory)
    assert entry.capture.skipped == {"unfinished": 1}
    put(path, data)
    memory.ingest([path])
    (entry,) = entries(memory)
    assert (entry.capture.seen, entry.capture.kept, entry.capture.skipped) == (2, 2, {})
    assert [step["kind"] for step in steps(memory, entry)] == ["prompt", "reply"]


# --- copies and forks -----------------------------------------------------------------------------------------------------


def test_one_session_under_several_names_is_one_entry(memory: Memory, tmp_path: Path) -> None:
    """Checkpoint copies, renamed copies, byte-identical ones, and ones that hold a part of it."""
    claude = Claude()
    records = [claude.user("Fix it."), claude.assistant(text("Step one.")), claude.user("Go on."), claude.assistant(text("Done."))]
    put(tmp_path / "in" / "a.jsonl", lines(*records))
    put(tmp_path / "in" / "copy of a.jsonl", lines(*records))
    put(tmp_path / "in" / "snapshots" / "0.jsonl", lines(*records[:2]))
    put(tmp_path / "in" / "snapshots" / "1.jsonl", lines(*records[1:3]))
    memory.ingest([tmp_path / "in"])
    (entry,) = entries(memory)
    assert [step["text"] for step in steps(memory, entry)] == ["Fix it.", "Step one.", "Go on.", "Done."]
    assert entry.usage.output_tokens == 4
    assert entry.capture.seen == 4


@pytest.mark.parametrize("copies", [1, 3])
def test_a_page_of_specstory_under_several_names_is_one_entry(memory: Memory, tmp_path: Path, copies: int) -> None:
    for number in range(copies):
        (tmp_path / "in").mkdir(exist_ok=True)
        shutil.copy(TRANSCRIPTS / "specstory.md", tmp_path / "in" / f"2026-11-0{number + 1}_page.md")
    memory.ingest([tmp_path / "in"])
    assert len(entries(memory)) == 1


def test_a_resumed_session_does_not_tell_again_what_it_copied(memory: Memory, tmp_path: Path) -> None:
    """The new file begins with records of the old one, under their old ids."""
    old = Claude()
    first = [old.user("Fix it."), old.assistant(text("Half done."))]
    new = Claude("77777777-0000-4000-8000-000000000000")
    copied = [{**record, "forkedFrom": {"sessionId": SESSION, "messageUuid": record["uuid"]}, "sessionId": new.session} for record in first]
    put(tmp_path / "in" / "old.jsonl", lines(*first))
    put(tmp_path / "in" / "new.jsonl", lines(*copied, new.user("Go on."), new.assistant(text("Done."))))
    memory.ingest([tmp_path / "in"])
    told = {str(entry.session_id): [step["text"] for step in steps(memory, entry)] for entry in entries(memory)}
    assert told == {SESSION: ["Fix it.", "Half done."], new.session: ["Go on.", "Done."]}


# --- what must not be kept ------------------------------------------------------------------------------------------------


def test_keys_are_masked_before_anything_is_written(memory: Memory, tmp_path: Path) -> None:
    key = "sk-ant-api03-" + secrets.token_urlsafe(70)[:93] + "AA"
    claude = Claude()
    records = [claude.user(f"Use {key}."), claude.assistant(call("t1", command=f"curl -H 'x-api-key: {key}' https://api.example.org"))]
    put(tmp_path / "in" / "a.jsonl", lines(*records, claude.result("t1", f"key {key} accepted")))
    memory.ingest([tmp_path / "in"])
    memory.close()
    assert not [file for file in (tmp_path / "ws").rglob("*") if file.is_file() and key.encode() in file.read_bytes()]


def test_ciphertext_that_looks_like_keys_is_dropped_and_not_counted_as_masked(memory: Memory, tmp_path: Path) -> None:
    chance = random.Random(5)
    noise = base64.b64encode(chance.randbytes(3000)).decode()
    looks = f"{noise[:40]}sk-{noise[40:90]}hf_{noise[100:140]}{noise[140:]}"
    claude = Claude()
    records = [claude.user("Fix it."), claude.assistant({"type": "thinking", "thinking": "I think.", "signature": looks}, text("Done."))]
    put(tmp_path / "in" / "a.jsonl", lines(*records))
    reasoning = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I plan."}], "encrypted_content": looks}
    prompt = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix it."}]}
    put(tmp_path / "in" / "rollout.jsonl", lines(*rollout(prompt, reasoning)))
    memory.ingest([tmp_path / "in"])
    assert [entry.capture.redacted for entry in entries(memory)] == [0, 0]
    assert not any(looks[:60] in memory.transcript(entry.id) for entry in entries(memory))


def test_base64_inside_a_text_is_cut_out(memory: Memory, tmp_path: Path) -> None:
    picture = base64.b64encode(random.Random(6).randbytes(200_000)).decode()
    claude = Claude()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture}}
    shown = claude.result("t1", [{"type": "text", "text": f"data:image/png;base64,{picture}"}, image])
    put(tmp_path / "in" / "a.jsonl", lines(claude.user("Show."), claude.assistant(call("t1", command="cat a.png")), shown))
    memory.ingest([tmp_path / "in"])
    (entry,) = entries(memory)
    assert len(memory.transcript(entry.id)) < 2000


def test_a_demonstration_of_another_task_is_not_learnt_from(memory: Memory) -> None:
    memory.ingest([TRANSCRIPTS / "swe-agent.traj"])
    (entry,) = entries(memory)
    document = json.loads((TRANSCRIPTS / "swe-agent.traj").read_bytes())
    shown = [turn["content"] for turn in document["history"] if turn.get("is_demo")]
    assert shown
    assert entry.capture.skipped["demo"] == len(shown)
    assert not any(words[:60] in memory.transcript(entry.id) for words in shown)


# --- who said it ----------------------------------------------------------------------------------------------------------


def test_a_subagent_is_counted_once_whether_inline_mirrored_or_in_a_file_of_its_own(memory: Memory, tmp_path: Path) -> None:
    claude = Claude()
    asked = [claude.user("Fix it."), claude.assistant(call("t1", "Task", prompt="Look."))]
    worker = Claude(isSidechain=True, agentId="a1")
    worker.count = 20
    below = [worker.user("Look."), worker.assistant(call("w1", command="ls")), worker.result("w1", "label.py")]
    mirrored = [
        claude.record("progress", parentToolUseID="t1", data={"type": "agent_progress", "agentId": "a1", "message": record})
        for record in below
    ]
    ended = [claude.result("t1", "Found.", toolUseResult={"agentId": "a1", "status": "completed"}), claude.assistant(text("Done."))]
    put(tmp_path / "in" / f"{SESSION}.jsonl", lines(*asked, *mirrored, *ended))
    put(tmp_path / "in" / SESSION / "subagents" / "agent-a1.jsonl", lines(*below))
    put(tmp_path / "in" / "agent-a1.jsonl", lines(*below))
    memory.ingest([tmp_path / "in"])
    (entry,) = entries(memory)
    told = steps(memory, entry)
    assert [step["call_id"] for step in told if step["kind"] == "call"] == ["t1", "w1"]
    assert {step.get("actor", "") for step in told} == {"", "a1"}
    assert [step["text"] for step in told if step["kind"] == "prompt" and not step.get("actor")] == ["Fix it."]
    assert (entry.capture.calls, entry.capture.calls_paired) == (2, 2)


@pytest.mark.parametrize(
    ("asked", "failure"),
    [
        ("L'étiquette affiche le poids deux fois, corrige-la.", "Erreur : le fichier « étiquette.py » est introuvable"),
        ("ラベルの重量が二回表示されます。直してください。", "エラー: モジュールが見つかりません"),
        ("标签上的重量显示两次，请修复。", "错误：找不到模块"),
    ],
)
def test_a_session_in_any_language_is_told_like_an_english_one(memory: Memory, tmp_path: Path, asked: str, failure: str) -> None:
    claude = Claude()
    run = claude.assistant(call("t1", command="pytest -q"))
    put(tmp_path / "in" / "a.jsonl", lines(claude.user(asked), run, claude.result("t1", f"Exit code 1\n{failure}", error=True)))
    memory.ingest([tmp_path / "in"])
    (entry,) = entries(memory)
    assert entry.prompt == asked
    assert [(command.passed, command.exit_code) for command in entry.commands] == [(False, 1)]
    assert failure in memory.transcript(entry.id)
