"""When a session is due, and what a hook leaves in the spool."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diarist.app.backlog import Dirty, Event, claim_shown, read_backlog, split_due
from diarist.app.spool import add_event, forget_shown, ignored, leave_out, left_out, to_json
from diarist.hook.payload import kind_of, parse

IDLE = 60.0


def dirty(session: str, *events: tuple[str, float], client: str = "codex") -> Dirty:
    return Dirty(client, session, tuple(Event(f"{session}{at}", at, kind, client, session) for kind, at in events))


def due(*sessions: Dirty, now: float, written: float | None = None) -> tuple[list[str], float]:
    found, next_at = split_due(sessions, now, IDLE, lambda _path: written)
    return [session.session for session in found], next_at


def test_a_session_is_due_once_it_has_been_idle() -> None:
    session = dirty("a", ("stop", 100.0))
    assert due(session, now=110.0) == ([], 160.0)
    assert due(session, now=160.0) == (["a"], float("inf"))


def test_a_session_that_ended_is_due_at_once_but_for_a_moment_to_settle() -> None:
    assert due(dirty("a", ("stop", 50.0), ("end", 100.0)), now=100.5) == ([], 101.0)
    assert due(dirty("a", ("stop", 50.0), ("end", 100.0)), now=101.0) == (["a"], float("inf"))


def test_a_session_that_was_resumed_after_its_end_is_not_over() -> None:
    assert due(dirty("a", ("end", 100.0), ("start", 101.0)), now=110.0)[0] == []


def test_the_next_session_of_the_same_client_makes_the_last_one_due() -> None:
    first, second = dirty("a", ("stop", 100.0)), dirty("b", ("start", 105.0))
    assert due(first, second, now=107.0)[0] == ["a"]
    assert due(first, dirty("b", ("start", 105.0), client="gemini"), now=107.0)[0] == []


def test_a_session_that_is_never_idle_is_read_on_after_a_while() -> None:
    events = tuple(("stop", 100.0 + 30 * turn) for turn in range(40))
    assert due(dirty("a", *events), now=events[-1][1] + 1)[0] == ["a"]


def test_a_transcript_that_is_still_written_is_waited_for(tmp_path: Path) -> None:
    session = Dirty("codex", "a", (Event("n", 100.0, "stop", "codex", "a", transcript=str(tmp_path)),))
    assert split_due([session], 170.0, IDLE, lambda _path: 150.0)[0] == []


@given(st.dictionaries(st.sampled_from(["kind", "session", "cwd", "transcript"]), st.text(max_size=80)))
def test_what_a_hook_writes_is_json_whatever_the_text(event: dict[str, str]) -> None:
    assert json.loads(to_json(event)) == event


@given(
    st.dictionaries(
        st.text(max_size=9), st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=9), st.lists, max_leaves=9)
    )
)
def test_the_light_parser_agrees_with_the_standard_one(value: dict[str, object]) -> None:
    raw = json.dumps(value).encode()
    assert parse(raw) == value
    assert parse(b"\xef\xbb\xbf \n" + raw) == value


@pytest.mark.parametrize("raw", [b"", b"[1]", b"{", b'{"a": }', b'"x"', b"{" * 100_000, b'{"a": "\xff"}', b'{"n": ' + b"9" * 5000 + b"}"])
def test_the_light_parser_never_raises(raw: bytes) -> None:
    assert isinstance(parse(raw), dict)


def test_event_names_of_all_clients_mean_the_same() -> None:
    assert {kind_of(name) for name in ("SessionEnd", "sessionEnd", "session.deleted")} == {"end"}
    assert {kind_of(name) for name in ("Stop", "AfterAgent", "agentStop", "session.idle", "stop")} == {"stop"}
    assert kind_of("PreToolUse") == ""


def test_two_hooks_for_one_event_show_a_record_once(tmp_path: Path) -> None:
    assert claim_shown(str(tmp_path), "s", "tool", ["kh-a", "kh-b"])
    assert not claim_shown(str(tmp_path), "s", "tool", ["kh-b"])
    assert claim_shown(str(tmp_path), "s", "prompt", ["kh-b"])
    assert claim_shown(str(tmp_path), "s", "tool", ["kh-b", "kh-c"])


def test_after_a_compaction_records_may_be_shown_again(tmp_path: Path) -> None:
    assert claim_shown(str(tmp_path), "s", "start", ["kh-a"])
    forget_shown(str(tmp_path), "other")
    assert not claim_shown(str(tmp_path), "s", "start", ["kh-a"])
    forget_shown(str(tmp_path), "s")
    assert claim_shown(str(tmp_path), "s", "start", ["kh-a"])


def test_events_come_back_as_they_were_left(tmp_path: Path) -> None:
    add_event(str(tmp_path), {"kind": "stop", "client": "codex", "session": "s", "cwd": "/w é", "transcript": "/t"})
    [event] = read_backlog(tmp_path).events
    assert (event.kind, event.client, event.session, event.cwd, event.transcript) == ("stop", "codex", "s", "/w é", "/t")
    assert [path.name for path in (tmp_path / "spool" / "events").iterdir()] == [event.name]


def test_a_session_that_opted_out_is_known_by_any_id(tmp_path: Path) -> None:
    for session in ("abc-1", "../../etc", "a/b\\c", "é~x", "x" * 900):
        assert not left_out(str(tmp_path), session)
        leave_out(str(tmp_path), session)
        assert left_out(str(tmp_path), session)
    assert all(path.parent == tmp_path / "left-out" for path in (tmp_path / "left-out").iterdir())


def test_an_ignore_file_counts_up_to_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".diarist").mkdir()
    (tmp_path / ".diarist" / "ignore").touch()
    inner = tmp_path / "repo" / "src"
    inner.mkdir(parents=True)
    assert ignored(str(inner))
    (tmp_path / "repo" / ".git").mkdir()
    assert not ignored(str(inner))
