"""What every importer owes, shown on a transcript of every format."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from contract.importers.passes import TRANSCRIPTS, known_importer, take
from diarist.importers import all_importers

ASKED = "prints the weight twice"
FAILURE = "AssertionError: '2 kg 2 kg' == '2 kg'"

EXPECTED = {
    "aider.chat.history.md": "aider",
    "amp-thread.json": "amp",
    "antigravity-steps.jsonl": "antigravity",
    "atif.json": "atif",
    "claude-code.jsonl": "claude-code",
    "claude-stream.jsonl": "claude-stream-json",
    "cline-api.json": "cline",
    "codex-bare.jsonl": "codex",
    "codex-envelope.jsonl": "codex",
    "codex-legacy.json": "codex",
    "console-copy.md": "console-copy",
    "copilot-events.jsonl": "copilot",
    "cursor.jsonl": "cursor",
    "droid-session.jsonl": "droid",
    "droid-stream.jsonl": "droid",
    "gemini-chat.json": "gemini-cli",
    "gemini-chat.jsonl": "gemini-cli",
    "gemini-saved-chat.json": "gemini-cli",
    "grok-chat.jsonl": "grok",
    "hermes.json": "hermes",
    "inspect-log.eval": "inspect-eval",
    "inspect-log.json": "inspect-eval",
    "kimi-wire.jsonl": "kimi",
    "messages.json": "messages",
    "messages.jsonl": "messages",
    "mini-swe-agent.traj.json": "mini-swe-agent",
    "neutral.jsonl": "neutral",
    "opencode-export.json": "opencode",
    "openhands-events.json": "openhands",
    "openhands-output.jsonl": "openhands",
    "otel-traces.json": "otel",
    "pi.jsonl": "pi",
    "plain.txt": "plain",
    "qwen.jsonl": "qwen",
    "specstory.md": "specstory-md",
    "swe-agent.traj": "swe-agent",
    "tau-bench.json": "tau-bench",
    "terminal.cast": "terminal-log",
    "terminal.log": "terminal-log",
    "vscode-chat.json": "vscode-copilot",
    "who-and-when.json": "multi-agent-chat",
}
TEXTS = frozenset(("aider", "console-copy", "plain", "specstory-md", "terminal-log"))
SILENT = frozenset(("swe-agent.traj", "aider.chat.history.md", "terminal.cast", "terminal.log", "cursor.jsonl"))
"""Formats that flag no failure of a tool (Cursor keeps no results at all)."""
UNASKED = frozenset(("claude-stream.jsonl", "terminal.cast", "terminal.log"))
"""Formats that hold no prompt."""

RUBBISH = (
    *(b"", b"\n\n", b"\x00" * 40, b"\xff\xfe", b"{", b"[", b"[]", b"{}", b"null", b"1\n2\n", b'"text"\n', b"NaN"),
    b"[" * 5000,
    b'{"a":' * 5000,
)

transcripts = pytest.mark.parametrize("name", sorted(EXPECTED))


def read(name: str) -> bytes:
    return (TRANSCRIPTS / name).read_bytes()


def test_there_is_a_transcript_of_every_format() -> None:
    assert {path.name for path in TRANSCRIPTS.iterdir()} == set(EXPECTED)
    assert {importer.name for importer in all_importers()} == set(EXPECTED.values())


@transcripts
def test_the_content_tells_the_format_whatever_the_file_is_called(name: str) -> None:
    data = read(name)
    assert known_importer(data).name == EXPECTED[name]
    assert known_importer(data, Path("/elsewhere/notes.txt")).name == EXPECTED[name]


@transcripts
def test_the_first_importer_that_is_sure_is_the_surest(name: str) -> None:
    """So that the others need not look."""
    head = read(name)[:65536]
    sure = {importer.name: importer.sniff(head, None) for importer in all_importers()}
    assert EXPECTED[name] == max(sure, key=lambda each: sure[each])


@transcripts
def test_counts_add_up_and_every_session_has_facts_and_counts(name: str) -> None:
    taken = take(read(name))
    assert list(taken.sessions) == list(taken.captures)
    assert {step.session for step in taken.steps} <= set(taken.sessions)
    for session, capture in taken.captures.items():
        assert capture.seen == capture.kept + sum(capture.skipped.values()) + capture.malformed
        assert capture.kept
        assert not capture.malformed
        assert taken.sessions[session].session == session
        assert taken.sessions[session].format


@transcripts
def test_every_step_has_an_id_of_its_own_within_its_session(name: str) -> None:
    ids = Counter((step.session, step.rid) for step in take(read(name)).steps)
    assert max(ids.values()) == 1


@transcripts
def test_every_call_is_counted_and_finds_its_result(name: str) -> None:
    taken = take(read(name))
    calls = [step.call_id for step in taken.steps if step.kind == "call"]
    results = {step.call_id for step in taken.steps if step.kind == "result" and step.call_id}
    assert sum(capture.calls for capture in taken.captures.values()) == len(calls) == len(set(calls))
    assert sum(capture.calls_paired for capture in taken.captures.values()) == len(results & set(calls))
    if name not in {"cursor.jsonl", "mini-swe-agent.traj.json"}:  # one keeps no results, the other none of the submission
        assert results == set(calls)
    assert all(step.tool for step in taken.steps if step.kind == "call")


@transcripts
def test_what_was_asked_is_a_prompt_and_nothing_else_is(name: str) -> None:
    taken = take(read(name))
    prompts = taken.texts("prompt")
    if EXPECTED[name] == "tau-bench":
        assert prompts == ["I want my money back for parcel 12."]
    elif name in UNASKED:
        assert prompts == []
    else:
        assert ASKED in prompts[0]
        assert not any(mark in prompt for prompt in prompts for mark in ("<", "AGENTS", "Called the", "tool"))


@transcripts
def test_a_failed_command_is_an_error_with_its_output(name: str) -> None:
    results = [step for step in take(read(name)).steps if step.kind == "result"]
    if EXPECTED[name] in {"tau-bench", "multi-agent-chat"} or name == "gemini-saved-chat.json":
        assert any(step.error for step in results)
    elif name not in SILENT:
        assert [step.error for step in results if FAILURE in step.text] == [True]
    if name not in SILENT:
        assert all(step.error is (step.exit_code != 0) for step in results if step.exit_code is not None)


@transcripts
def test_arguments_are_objects_and_not_texts_of_objects(name: str) -> None:
    for step in take(read(name)).steps:
        if step.kind == "call":
            assert not any(isinstance(value, str) and value.startswith('{"') for value in (step.arguments or {}).values())


@transcripts
def test_steps_facts_and_counts_can_be_stored(name: str) -> None:
    taken = take(read(name))
    for value in (taken.steps, taken.sessions, taken.captures):
        encoded = msgspec.json.encode(value)
        assert msgspec.json.decode(encoded) is not None


@transcripts
def test_a_copy_at_another_place_gives_the_same(name: str, tmp_path: Path) -> None:
    data = read(name)
    copy = tmp_path / "kept" / f"copy of {name}"
    assert take(data, EXPECTED[name], copy) == take(data, EXPECTED[name])


@transcripts
def test_windows_line_ends_and_a_byte_order_mark_change_nothing(name: str) -> None:
    if name.endswith(".eval"):
        return
    data = read(name)
    plain = data.replace(b"\r\n", b"\n")
    changed = b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n")
    first, second = take(plain, EXPECTED[name]), take(changed, EXPECTED[name])
    assert known_importer(changed).name == EXPECTED[name]
    assert [(step.kind, step.text, step.call_id) for step in first.steps] == [(step.kind, step.text, step.call_id) for step in second.steps]
    assert [capture.seen for capture in first.captures.values()] == [capture.seen for capture in second.captures.values()]


@transcripts
def test_utf16_is_read_too(name: str) -> None:
    if name.endswith(".eval"):
        return
    text = read(name).decode()
    taken = take(text.encode("utf-16"), EXPECTED[name])
    assert [step.text for step in taken.steps] == [step.text for step in take(text.encode(), EXPECTED[name]).steps]
    assert known_importer(text.encode("utf-16")).name == EXPECTED[name]


@transcripts
def test_a_file_cut_off_anywhere_is_read_as_far_as_it_goes(name: str) -> None:
    data = read(name)
    for cut in range(0, len(data), max(1, len(data) // 40)):
        taken = take(data[:cut], EXPECTED[name])
        for capture in taken.captures.values():
            assert capture.seen == capture.kept + sum(capture.skipped.values()) + capture.malformed
        if cut and data[:cut].strip() and EXPECTED[name] not in TEXTS:
            assert sum(capture.seen for capture in taken.captures.values())


@pytest.mark.parametrize("importer", [importer.name for importer in all_importers()])
@pytest.mark.parametrize("data", RUBBISH)
def test_rubbish_is_counted_and_never_fails(importer: str, data: bytes) -> None:
    taken = take(data, importer)
    assert list(taken.sessions) == list(taken.captures)
    assert taken.steps == [] or importer in TEXTS
