"""Claude Code: who speaks, what failed, who declined, what was counted, and which session a record belongs to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from contract.importers.passes import Taken, lines, take
from diarist.importers import get_importer
from unit.importers.records import SESSION, Claude, call, marks, text

PARENT = "11111111-2222-4333-8444-555555555555"


def read(*records: dict[str, Any]) -> Taken:
    return take(lines(*records), "claude-code")


@pytest.mark.parametrize(
    ("content", "mark"),
    [
        ("<command-name>/model</command-name>\n<command-args>opus</command-args>", "command"),
        ("<command-name>/clear</command-name>", "clear"),
        ("<local-command-stdout>Set model to opus</local-command-stdout>", "machine"),
        ("<local-command-caveat>Caveat: do not answer</local-command-caveat>", "machine"),
        ("<bash-input>git status</bash-input>", "command"),
        ("<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>", "machine"),
        ("<system-reminder>\nKeep the list.\n</system-reminder>", "machine"),
        ("<task-notification>\n<status>completed</status>\n</task-notification>", "machine"),
        ("[Request interrupted by user]", "interrupt"),
        ("[Request interrupted by user for tool use]", "interrupt"),
        ("This session is being continued from a previous conversation that ran out of context.", "compaction"),
    ],
)
def test_what_the_client_wrote_into_a_user_turn_is_no_prompt(content: str, mark: str) -> None:
    taken = read(Claude().user(content))
    assert taken.texts("prompt") == []
    assert marks(taken.steps) == [mark]
    assert read(Claude().user([text(content)])).steps == taken.steps


@pytest.mark.parametrize("fields", [{"isMeta": True}, {"origin": {"kind": "task-notification"}}, {"origin": {"kind": "channel"}}])
def test_a_turn_that_its_record_calls_machine_made_is_no_prompt(fields: dict[str, Any]) -> None:
    taken = read(Claude().user("Bitte prüfe alles noch einmal.", **fields))
    assert marks(taken.steps) == ["machine"]


def test_a_prompt_is_kept_without_the_reminder_inside_it() -> None:
    taken = read(Claude().user("ラベルを直して。\n<system-reminder>\nThe list is empty.\n</system-reminder>"))
    assert taken.texts("prompt") == ["ラベルを直して。"]
    assert marks(taken.steps) == ["machine"]


def test_what_diarist_put_into_a_prompt_or_a_result_is_dropped() -> None:
    fence = '<diarist-context source="memory">Kim likes tabs.</diarist-context>'
    claude = Claude()
    taken = read(claude.user(f"Fix the label.\n{fence}"), claude.assistant(call("t1")), claude.result("t1", f"clean\n{fence}"))
    assert taken.texts("prompt") == ["Fix the label."]
    assert taken.texts("result") == ["clean"]


def test_a_compact_summary_tells_no_new_events() -> None:
    claude = Claude()
    taken = read(
        claude.record("system", subtype="compact_boundary", content="Conversation compacted", compactMetadata={"trigger": "auto"}),
        claude.user("This session is being continued. The user asked to fix it.", isCompactSummary=True),
    )
    assert marks(taken.steps) == ["compaction"]


def test_a_prompt_typed_while_the_agent_was_busy_is_told_once() -> None:
    claude = Claude()
    queued = {"type": "queue-operation", "sessionId": SESSION, "timestamp": "2026-11-02T09:05:00.000Z", "content": "And the stamp."}
    taken = read(
        claude.user("Fix the label."),
        {**queued, "operation": "enqueue"},
        {**queued, "operation": "dequeue"},
        claude.user("And the stamp."),
        claude.record("attachment", attachment={"type": "queued_command", "prompt": "And the seal.", "commandMode": "prompt"}),
    )
    assert taken.texts("prompt") == ["Fix the label.", "And the stamp.", "And the seal."]


def test_a_prompt_that_went_to_the_model_at_once_is_found_in_the_queue() -> None:
    queued = {"type": "queue-operation", "sessionId": SESSION, "timestamp": "2026-11-02T09:05:00.000Z", "content": "And the stamp."}
    taken = read(Claude().user("Fix the label."), {**queued, "operation": "enqueue"}, {**queued, "operation": "remove"})
    assert taken.texts("prompt") == ["Fix the label.", "And the stamp."]


def test_a_failed_command_has_its_exit_code() -> None:
    claude = Claude()
    taken = read(claude.assistant(call("t1", command="make")), claude.result("t1", "Exit code 127\nmake: not found", error=True))
    (result,) = [step for step in taken.steps if step.kind == "result"]
    assert (result.error, result.exit_code) == (True, 127)
    assert "make: not found" in result.text


def test_output_that_only_speaks_of_exit_codes_is_no_failure() -> None:
    claude = Claude()
    taken = read(claude.assistant(call("t1", command="cat log")), claude.result("t1", "Exit code 1\nis what the log says"))
    (result,) = [step for step in taken.steps if step.kind == "result"]
    assert (result.error, result.exit_code) == (False, None)


@pytest.mark.parametrize(
    ("content", "fields", "words"),
    [
        (
            "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nnutze den Drucker im Keller",
            {},
            "nutze den Drucker im Keller",
        ),
        ("The user doesn't want to take this action right now. STOP what you are doing.", {}, "The user doesn't want to take this action"),
        ("no", {"toolDenialKind": "user-rejected"}, "no"),
    ],
)
def test_what_a_person_declined_is_a_refusal_in_their_words(content: str, fields: dict[str, Any], words: str) -> None:
    claude = Claude()
    taken = read(claude.assistant(call("t1")), claude.result("t1", content, error=True, **fields))
    (result,) = [step for step in taken.steps if step.kind == "result"]
    assert result.mark == "refusal"
    assert result.error is True
    assert result.text.startswith(words)


def test_a_rule_that_denied_a_tool_is_no_refusal_of_a_person() -> None:
    claude = Claude()
    taken = read(claude.assistant(call("t1")), claude.result("t1", "Permission denied by a rule.", error=True, toolDenialKind="rule"))
    assert marks(taken.steps) == []


def test_the_usage_of_a_message_is_counted_once_and_by_its_last_line() -> None:
    claude = Claude()
    first = {"input_tokens": 5, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 90, "output_tokens": 1}
    taken = read(
        claude.assistant(text("One"), message="m1", usage=first),
        claude.assistant(text("Two"), message="m1", usage={**first, "output_tokens": 40}),
        claude.assistant(text("Three"), message="m2", usage=first),
    )
    usage = taken.session.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens) == (10, 41, 180, 14)


def test_thinking_without_text_and_signatures_leave_no_trace() -> None:
    claude = Claude()
    thinking = {"type": "thinking", "thinking": "", "signature": "c2lnbmF0dXJl"}
    taken = read(claude.assistant(thinking), claude.assistant({**thinking, "thinking": "Look at the template."}))
    assert [(step.kind, step.text) for step in taken.steps] == [("thought", "Look at the template.")]


def test_an_image_leaves_no_trace_but_the_words_beside_it() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 1000}}
    claude = Claude()
    taken = read(claude.user([image, text("Like here.")]), claude.assistant(call("t1")), claude.result("t1", [image, text("seen")]))
    assert taken.texts("prompt") == ["Like here."]
    assert taken.texts("result") == ["seen"]


def test_whole_files_beside_a_result_are_not_taken() -> None:
    claude = Claude()
    beside = {"filePath": "label.py", "originalFile": "the whole old file", "oldString": "a", "newString": "b"}
    taken = read(claude.assistant(call("t1", "Edit")), claude.result("t1", "updated", toolUseResult=beside))
    assert not any("whole old file" in step.text for step in taken.steps)


def test_a_stronger_model_is_an_escalation_and_another_is_a_change() -> None:
    claude = Claude()
    taken = read(
        claude.assistant(text("a"), model="claude-haiku-4-5"),
        claude.assistant(text("b"), model="claude-opus-4-5"),
        claude.assistant(text("c"), model="claude-haiku-4-5"),
        claude.assistant(text("c"), model="claude-haiku-4-5"),
    )
    assert marks(taken.steps) == ["escalation", "model"]
    assert taken.session.models == ("claude-haiku-4-5", "claude-opus-4-5")


def test_failures_of_the_service_are_told_and_its_made_up_model_is_not() -> None:
    claude = Claude()
    taken = read(
        claude.record("system", subtype="api_error", error={"status": 529}, retryAttempt=1),
        claude.assistant(text("API Error: 500 internal"), model="<synthetic>", isApiErrorMessage=True),
        claude.assistant(text("You've hit your usage limit · resets 5pm"), model="<synthetic>", isApiErrorMessage=True),
    )
    assert marks(taken.steps) == ["api-error", "api-error", "limit"]
    assert taken.session.models == ()


def test_progress_is_counted_and_passed_over() -> None:
    claude = Claude()
    mirrored = {"type": "agent_progress", "message": {"type": "assistant", "message": {"content": [text("mirrored")]}}}
    taken = read(claude.user("Fix it."), claude.record("progress", data=mirrored, toolUseID="t1"))
    assert len(taken.steps) == 1
    assert taken.capture.skipped == {"progress": 1}
    assert taken.capture.seen == 2


def test_an_inline_subagent_is_told_inside_its_parent_under_one_actor() -> None:
    claude = Claude(isSidechain=True)
    opening, following = claude.user("Search for the template."), claude.assistant(text("Found it."))
    following["parentUuid"] = opening["uuid"]
    main = {**Claude().user("Fix the label."), "uuid": "99999999-0000-4000-8000-000000000001"}
    taken = read(main, opening, following)
    actors = [step.actor for step in taken.steps]
    assert actors[0] == ""
    assert actors[1] == actors[2] != ""
    assert taken.session.role == "main"


def test_a_file_that_holds_a_subagent_only_speaks_for_it() -> None:
    claude = Claude(isSidechain=True, agentId="a1b2c3d4")
    taken = read(claude.user("Search for the template."), claude.assistant(text("Found it.")))
    assert (taken.session.session, taken.session.role, taken.session.actor) == (SESSION, "subagent", "a1b2c3d4")
    assert {step.actor for step in taken.steps} == {"a1b2c3d4"}


def test_an_agent_started_to_warm_up_was_asked_nothing() -> None:
    claude = Claude(isSidechain=True, agentId="a1b2c3d4")
    assert read(claude.user("Warmup"), claude.assistant(text("Ready."))).texts("prompt") == []
    assert read(Claude().user("Warmup")).texts("prompt") == ["Warmup"]


def test_a_forked_copy_belongs_to_its_origin_and_has_its_ids() -> None:
    origin = Claude(PARENT)
    first, second = origin.user("Fix the label."), origin.assistant(text("Fixed."))
    fork = Claude()
    copies = [
        {**record, "sessionId": SESSION, "uuid": f"77777777-0000-4000-8000-00000000000{number}"}
        | {"forkedFrom": {"sessionId": PARENT, "messageUuid": record["uuid"]}}
        for number, record in enumerate((first, second))
    ]
    taken = read(*copies, fork.user("Now the stamp."))
    assert list(taken.sessions) == [PARENT, SESSION]
    assert [step for step in taken.steps if step.session == PARENT] == read(first, second).steps


def test_copies_of_records_within_one_file_are_told_once() -> None:
    record = Claude().user("Fix the label.")
    taken = read(record, record)
    assert len(taken.steps) == 1
    assert taken.capture.skipped == {"duplicate": 1}


def test_facts_that_change_within_a_session_are_told_by_the_most_common() -> None:
    claude = Claude()
    taken = read(
        claude.user("a", cwd="/tmp/once", gitBranch="old"),
        claude.user("b"),
        claude.user("c"),
        {"type": "custom-title", "customTitle": "First name", "sessionId": SESSION},
        {"type": "custom-title", "customTitle": "Second name", "sessionId": SESSION},
    )
    session = taken.session
    assert (session.cwd, session.branch, session.agent_version) == ("/home/kim/work/parcel", "main", "2.1.120")
    assert session.title == "Second name"


def test_the_span_is_right_though_times_step_back() -> None:
    claude = Claude()
    late, early = claude.user("late", timestamp="2026-11-02T10:00:00Z"), claude.user("early", timestamp="2026-11-02T08:00:00Z")
    session = read(late, early).session
    assert session.started_at is not None
    assert session.ended_at is not None
    assert (session.started_at.hour, session.ended_at.hour) == (8, 10)
    assert read(late, early).texts("prompt") == ["late", "early"]


def test_a_pull_request_is_a_link() -> None:
    link = {"type": "pr-link", "sessionId": SESSION, "prNumber": 7, "prUrl": "https://example.org/kim/parcel/pull/7"}
    taken = read(Claude().user("Open it."), link, link)
    assert taken.marked("link") == ["https://example.org/kim/parcel/pull/7"]


def test_a_summary_of_another_session_is_not_this_ones_title() -> None:
    record = Claude().user("Fix it.")
    other = {"type": "summary", "summary": "Something else", "leafUuid": "12345678-0000-4000-8000-000000000000"}
    assert read(record, other).session.title == ""
    assert read(record, {**other, "leafUuid": record["uuid"]}).session.title == "Something else"


def test_the_folder_is_where_the_environment_says(tmp_path: Path) -> None:
    importer = get_importer("claude-code")
    assert importer is not None
    assert tmp_path / ".claude" / "projects" in list(importer.default_roots({}, tmp_path))
    moved = importer.default_roots({"CLAUDE_CONFIG_DIR": str(tmp_path / "moved")}, tmp_path)
    assert list(moved) == [tmp_path / "moved" / "projects"]


def test_the_printed_stream_unites_with_the_native_session() -> None:
    stream = [
        {"type": "system", "subtype": "init", "session_id": SESSION, "model": "claude-sonnet-4-5", "cwd": "/x", "tools": []},
        {"type": "assistant", "message": {"id": "m", "role": "assistant", "content": [text("Done.")]}, "session_id": SESSION}
        | {"uuid": "aaaaaaaa-0000-4000-8000-000000000001", "parent_tool_use_id": None},
        {"type": "result", "subtype": "success", "is_error": True, "result": "Invalid API key", "session_id": SESSION},
    ]
    native = {**Claude().assistant(text("Done.")), "uuid": "aaaaaaaa-0000-4000-8000-000000000001"}
    printed = take(lines(*stream), "claude-stream-json")
    assert printed.session.agent == read(native).session.agent
    assert {(step.session, step.rid) for step in read(native).steps} <= {(step.session, step.rid) for step in printed.steps}
    assert "api-error" in marks(printed.steps)
