"""Loosely typed values are read without trust."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diarist.importers.draft import Draft
from diarist.importers.ledger import Facts, Ledger, Tally, Tokens
from diarist.importers.switches import effort_change, model_change
from diarist.importers.transcript_marks import exit_mark, turn_mark, typed_command
from diarist.importers.values import (
    as_arguments,
    as_exit_code,
    as_int,
    as_time,
    clean_text,
    content_text,
    is_storable,
    parse_json,
    storable,
    text_id,
)

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-02T12:00:00Z",
        "2026-11-02T12:00:00.000000000Z",
        "2026-11-02T14:00:00+02:00",
        "2026-11-02 12:00:00",
        1793620800,
        1793620800.0,
        1793620800000,
        1793620800000000,
        1793620800000000000,
        "1793620800",
        "1793620800000000000",
    ],
)
def test_a_moment_is_read_in_every_spelling(value: object) -> None:
    assert as_time(value) == NOON


@pytest.mark.parametrize(
    "value", [None, True, "", "soon", "2026", 0, -1, 2**80, float("inf"), float("nan"), "9" * 400, [], {}, "1900-01-01"]
)
def test_what_is_no_moment_is_none(value: object) -> None:
    assert as_time(value) is None


@given(JSON)
def test_no_value_of_any_kind_is_a_surprise(value: object) -> None:
    as_time(value)
    assert 0 <= as_int(value) < 2**63
    assert as_exit_code(value) is None or isinstance(as_exit_code(value), int)
    assert isinstance(content_text(value), str)
    arguments = as_arguments(value)
    assert arguments is None or isinstance(arguments, dict)


@pytest.mark.parametrize(
    ("value", "expected"),
    [('{"a": 1}', {"a": 1}), ("ls -l", {"input": "ls -l"}), ([1], {"input": [1]}), ("", None), (None, None), ({}, {})],
)
def test_arguments_are_objects(value: object, expected: object) -> None:
    assert as_arguments(value) == expected


def test_deep_nesting_is_cut() -> None:
    deep = json.loads("[" * 400 + "]" * 400)
    assert not is_storable(deep)
    assert is_storable([[1], {"a": [2]}])
    assert is_storable(storable({"tree": deep}))


@pytest.mark.parametrize("number", [2**70, -(2**70), float("nan"), float("inf")])
def test_numbers_that_cannot_be_stored_are_left_out(number: float) -> None:
    assert storable({"limit": number, "paths": ["label.py"]}) == {"limit": None, "paths": ["label.py"]}


def test_lone_surrogates_are_replaced_and_pairs_are_not() -> None:
    assert clean_text("a\ud800b") == "a\ufffdb"
    assert clean_text("\U0001f600") == "\U0001f600"
    parsed = parse_json('{"a\\ud800": "\\udfff", "b": "\\ud83d\\ude00"}')
    assert parsed == {"a\ufffd": "\ufffd", "b": "\U0001f600"}


@pytest.mark.parametrize(
    ("before", "after", "mark"),
    [
        ("claude-haiku-4-5", "claude-opus-4-5", "escalation"),
        ("claude-opus-4-5", "claude-sonnet-4-5", "model"),
        ("gpt-5-mini", "gpt-5", "escalation"),
        ("gemini-2.5-pro", "gemini-2.5-flash", "model"),
        ("gpt-5", "claude-sonnet-4-5", "model"),
    ],
)
def test_a_stronger_model_of_the_same_family_is_an_escalation(before: str, after: str, mark: str) -> None:
    assert model_change(before, after) == mark


@pytest.mark.parametrize(("before", "after", "mark"), [("low", "high", "escalation"), ("high", "medium", "model")])
def test_more_effort_is_an_escalation(before: str, after: str, mark: str) -> None:
    assert effort_change(before, after) == mark


@pytest.mark.parametrize(
    ("line", "speaker"),
    [
        ("User: fix it", "user"),
        ("**Human:** fix it", "user"),
        ("Benutzer: repariere es", "user"),
        ("用户：修复", "user"),
        ("Утилизатор: нет", None),
        ("Пользователь: почини", "user"),
        ("## Assistant", "agent"),
        ("[assistant]", "agent"),
        ("ChatGPT (4o): done", "agent"),
        ("http://example.org", None),
        ("Note: this is text", None),
        ("Error: no such file", None),
    ],
)
def test_labels_of_turns_in_many_languages(line: str, speaker: str | None) -> None:
    found = turn_mark(line)
    assert (found.speaker if found else None) == speaker


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("$ make test", "make test"),
        ("kim@box:~/parcel$ make test", "make test"),
        ("root@box:/app# make test", "make test"),
        ("> npm test", "npm test"),
        ("> quoted words of somebody", None),
        ("% pytest -q", "pytest -q"),
        ("(.venv) kim@box:~$ pytest", "pytest"),
        ("$ 12.50 per label", None),
        ("# a heading", None),
    ],
)
def test_commands_at_a_prompt(line: str, command: str | None) -> None:
    found = typed_command(line, False)
    assert (found.command if found else None) == command


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("[exit code 1]", 1),
        ("exit code: 0", 0),
        ("Process exited with code 137", 137),
        ("(exited with status 2)", 2),
        ("it returned 3 labels", None),
    ],
)
def test_exit_statuses(line: str, status: int | None) -> None:
    assert exit_mark(line) == status


def test_facts_rank_by_count_and_remember_the_last() -> None:
    facts = Facts()
    for at, value in enumerate(["a", "b", "b", "c", "a", "b"]):
        facts.tell("model", value, at)
    assert facts.ranked("model") == ["b", "a", "c"]
    assert (facts.most("model"), facts.latest("model")) == ("b", "b")
    assert (facts.most("cwd"), facts.latest("cwd")) == ("", "")


def test_usage_of_a_message_is_corrected_until_it_is_settled() -> None:
    tally = Tally()
    tally.use("m1", Tokens(output=1))
    tally.use("m1", Tokens(output=9))
    tally.use("", Tokens(output=2))
    for number in range(2000):
        tally.use(f"x{number}", Tokens(input=1))
    assert tally.usage().output_tokens == 11
    assert tally.usage().input_tokens == 2000


def test_what_comes_before_the_first_session_is_counted_for_it() -> None:
    ledger = Ledger()
    ledger.open("").skip("state")
    ledger.open("one").keep()
    ledger.open("").keep()
    assert list(ledger.tallies) == ["one"]
    assert (ledger.tallies["one"].seen, ledger.tallies["one"].kept) == (3, 2)


def test_a_step_names_its_session_plainly_though_the_name_was_made() -> None:
    draft = Draft(text_id("Weigh the parcels"), "r1")
    draft.user(0, "Weigh the parcels")
    assert [type(step.session) for step in draft.steps] == [str]
    assert Draft("s", "r2").steps == []
