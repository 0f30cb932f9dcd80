"""Codex: three generations of files, and of what its tools give back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contract.importers.passes import Taken, lines, take
from diarist.importers import get_importer
from diarist.importers.tool_output import understand_output
from unit.importers.records import SESSION, called, event, gave, marks, rollout, said, turn


def read(*items: dict[str, Any], **meta: Any) -> Taken:
    return take(lines(*rollout(*items, **meta)), "codex")


@pytest.mark.parametrize(
    ("output", "error", "code", "words"),
    [
        (json.dumps({"output": "no such file", "metadata": {"exit_code": 2, "duration_seconds": 0.1}}), True, 2, "no such file"),
        (json.dumps({"output": "ok", "metadata": {"exit_code": 0}}), False, 0, "ok"),
        ("Exit code: 1\nWall time: 0.2 seconds\nOutput:\nno such file", True, 1, "no such file"),
        ("Exit code: 0\nWall time: 0.2 seconds\nTotal output lines: 3\nOutput:\nok", False, 0, "ok"),
        ("Chunk ID: 3fa\nWall time: 0.2 seconds\nProcess exited with code 101\nOriginal token count: 4\nOutput:\nno", True, 101, "no"),
        ("Chunk ID: 3fa\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\nwaiting", None, None, "waiting"),
        ("failed in sandbox LinuxSeccomp with execution error", True, None, "failed in sandbox"),
        ("execution error: Io(Os { code: 2 })", True, None, "execution error"),
        ("apply_patch verification failed: no such line", True, None, "apply_patch verification failed"),
        ("Success. Updated the following files:\nM label.py", False, None, "Success."),
        ({"content": "gone", "success": False}, True, None, "gone"),
        ([{"type": "input_text", "text": "seen"}], None, None, "seen"),
        ("the log says: Process exited with code 3", None, None, "the log says"),
    ],
)
def test_errors_and_exit_codes_of_every_generation(output: object, error: bool | None, code: int | None, words: str) -> None:
    found = understand_output(output)
    assert (found.error, found.exit_code) == (error, code)
    assert found.text.startswith(words)


@pytest.mark.parametrize("output", ["exec command rejected by user", "patch rejected by user"])
def test_what_the_person_declined_is_a_refusal(output: str) -> None:
    taken = read(called("c1", "shell", "{}"), gave("c1", output))
    assert marks(taken.steps) == ["refusal"]


def test_arguments_are_parsed_and_broken_ones_are_kept_as_they_are() -> None:
    taken = read(called("c1", "shell", '{"command": ["ls", "-l"]}'), called("c2", "shell<|channel|>", '{"command": ["ls"'))
    assert [step.arguments for step in taken.steps] == [{"command": ["ls", "-l"]}, {"input": '{"command": ["ls"'}]


def test_a_patch_is_an_argument() -> None:
    patch = "*** Begin Patch\n*** Update File: label.py\n*** End Patch"
    taken = read({"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": "c1", "status": "completed"})
    assert taken.steps[0].arguments == {"patch": patch}


@pytest.mark.parametrize(
    "words",
    [
        "<user_instructions>\nUse tabs.\n</user_instructions>",
        "<environment_context>\n<cwd>/x</cwd>\n</environment_context>",
        "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>",
        "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
        "<subagent_notification>done</subagent_notification>",
    ],
)
def test_what_the_client_wrote_for_the_user_is_no_prompt(words: str) -> None:
    assert read(said("user", words)).texts("prompt") == []


def test_what_an_event_repeats_is_told_once() -> None:
    taken = read(
        said("user", "Fix the label."),
        event("user_message", message="Fix the label."),
        event("agent_message", message="Fixed."),
        said("assistant", "Fixed."),
        event("task_complete", last_agent_message="Fixed."),
    )
    assert taken.texts("prompt") == ["Fix the label."]
    assert taken.texts("reply") == ["Fixed."]


def test_reasoning_is_told_by_its_summary_and_never_by_its_ciphertext() -> None:
    sealed = {"type": "reasoning", "summary": [], "encrypted_content": "gAAAA" * 20}
    taken = read(sealed, {**sealed, "summary": [{"type": "summary_text", "text": "Look at the template."}]})
    assert [(step.kind, step.text) for step in taken.steps] == [("thought", "Look at the template.")]
    assert taken.capture.skipped == {"encrypted": 1}


def test_usage_is_the_last_running_total_without_cached_input() -> None:
    def count(total: int, cached: int, output: int) -> dict[str, Any]:
        usage = {"input_tokens": total, "cached_input_tokens": cached, "output_tokens": output}
        return event("token_count", info={"total_token_usage": usage})

    taken = read(said("user", "a"), count(100, 40, 5), event("token_count", info=None), count(300, 200, 9))
    usage = taken.session.usage
    assert (usage.input_tokens, usage.cache_read_tokens, usage.output_tokens) == (100, 200, 9)


def test_a_change_of_model_or_effort_is_told() -> None:
    settings = [("gpt-5-mini", "low"), ("gpt-5", "low"), ("gpt-5", "high"), ("gpt-5-mini", "high")]
    taken = read(*(item for model, effort in settings for item in (turn(model, effort), said("assistant", "done"))))
    assert [mark for mark in marks(taken.steps) if mark in {"model", "escalation"}] == ["escalation", "escalation", "model"]
    assert set(taken.session.models) == {"gpt-5-mini", "gpt-5"}


def test_an_interrupted_turn_is_told() -> None:
    assert marks(read(said("user", "a"), event("turn_aborted", reason="interrupted")).steps) == ["interrupt"]


def test_a_title_comes_from_the_event_that_names_the_thread() -> None:
    assert read(said("user", "a"), event("thread_name_updated", thread_name="Weight twice")).session.title == "Weight twice"


def test_the_header_tells_repository_branch_folder_and_version() -> None:
    git = {"branch": "main", "repository_url": "https://example.org/kim/parcel.git", "commit_hash": "0" * 40}
    session = read(said("user", "a"), git=git).session
    assert (session.session, session.cwd, session.branch) == (SESSION, "/home/kim/work/parcel", "main")
    assert session.repository == "https://example.org/kim/parcel.git"
    assert session.agent_version == "0.98.0"


def test_a_thread_that_another_spawned_is_a_subagent_of_it() -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "99999999-1111-7222-8333-444455556666", "depth": 1}}}
    taken = read(said("user", "Search."), said("assistant", "Found."), source=spawn)
    assert taken.session.role == "subagent"
    assert {step.actor for step in taken.steps} != {""}


def test_the_bare_generation_has_no_times_and_pairs_all_the_same() -> None:
    header: dict[str, Any] = {"id": SESSION, "timestamp": "2026-11-02T09:00:00.000Z", "instructions": None, "git": {}}
    output = gave("c1", json.dumps({"output": "ok", "metadata": {"exit_code": 0}}))
    taken = take(lines(header, {"record_type": "state"}, said("user", "Fix it."), called("c1", "shell", "{}"), output), "codex")
    assert taken.capture.skipped == {"state": 1}
    assert (taken.capture.calls, taken.capture.calls_paired) == (1, 1)
    assert taken.session.started_at is not None


def test_folders_honor_the_environment(tmp_path: Path) -> None:
    importer = get_importer("codex")
    assert importer is not None
    assert tmp_path / ".codex" / "sessions" in list(importer.default_roots({}, tmp_path))
    assert tmp_path / "moved" / "sessions" in list(importer.default_roots({"CODEX_HOME": str(tmp_path / "moved")}, tmp_path))
