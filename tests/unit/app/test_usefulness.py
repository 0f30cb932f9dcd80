"""What later sessions make of what they were shown, from their own transcripts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import permutations
from pathlib import Path

import pytest

from builders import START, ClaudeSession
from diarist.app.memory import Memory
from diarist.bootstrap import open_memory
from diarist.errors import InvalidInputError, NotFoundError
from diarist.model.use import Effect, Told, Use

ERROR = "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree"
FIX = "npm install --legacy-peer-deps"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path / "ws", environ={"USER": "kim", "HOME": str(tmp_path)}) as opened:
        yield opened


@pytest.fixture
def fixed(memory: Memory, tmp_path: Path) -> str:
    """Id of a run that met the error and got past it."""
    session = ClaudeSession(1).prompt("The shop does not build, make it build").bash("npm run build", ERROR, 1)
    session.bash(FIX, "added 12 packages").bash("npm run build", "built in 2 s").reply("It builds with the old rules for peers.")
    return memory.ingest([session.write(tmp_path / "t")]).entries[0].id


def later(number: int = 2) -> ClaudeSession:
    """A session on the next day that meets the same error."""
    return ClaudeSession(number, start=START + timedelta(days=number)).prompt("Build the shop").bash("npm run build", ERROR, 1)


def follow(session: ClaudeSession) -> ClaudeSession:
    return session.bash(FIX, "added 12 packages").bash("npm run build", "built in 2 s").reply("Built.")


def shown_at(session: ClaudeSession, seconds: float) -> float:
    return (session.start + timedelta(seconds=seconds)).timestamp()


def the_effect(memory: Memory, record_id: str) -> Effect:
    (effect,) = memory.worth(record_id).effects
    return effect


def test_a_fix_shown_by_a_hook_and_done_is_followed_and_its_error_gone(memory: Memory, fixed: str, tmp_path: Path) -> None:
    session = follow(later())
    memory.note_use([Told([fixed], f"claude-code:{session.id}", shown_at(session, 25), "shown", "hook:tool")])
    assert memory.worth(fixed).effects == (), "nothing came of it yet"
    entry = memory.ingest([session.write(tmp_path / "t")]).entries[0]
    effect = the_effect(memory, fixed)
    assert (effect.followed, effect.error_gone, effect.outcome, effect.points) == ("command", True, "recovered", 2)
    assert effect.entry_id == entry.id
    assert memory.worth(fixed).reason == "useful so far: 1 session for it, 0 against (score × 1.02)"
    (use,) = memory.uses(fixed)
    assert (use.surface, use.place) == ("hook:tool", 1)


def test_the_order_of_import_and_showing_does_not_matter_and_nothing_counts_twice(fixed: str, memory: Memory, tmp_path: Path) -> None:
    """A hook's note may arrive before, after or between imports of a growing session."""
    session = later(3)
    half = session.write(tmp_path / "half")
    whole = follow(session).write(tmp_path / "whole")
    note = Told([fixed], f"claude-code:{session.id}", shown_at(session, 25), "shown", "hook:tool")
    steps: list[Callable[[Memory], object]] = [
        lambda opened: opened.note_use([note]),
        lambda opened: opened.ingest([whole]),
        lambda opened: opened.note_use([note]),
        lambda opened: opened.redistil(),
    ]
    found = set()
    for number, order in enumerate(permutations(steps)):
        with open_memory(tmp_path / f"ws{number}", environ={"USER": "kim", "HOME": str(tmp_path)}) as opened:
            opened.ingest([tmp_path / "t", half])
            for step in order:
                step(opened)
            found.add((opened.worth(fixed).effects, tuple(opened.uses(fixed)), opened.worth(fixed).factor))
    assert len(found) == 1
    ((effects, uses, _),) = found
    assert len(effects) == len(uses) == 1
    assert effects[0].points == 2


def test_what_an_agent_looked_up_itself_is_read_off_its_transcript(memory: Memory, fixed: str, tmp_path: Path) -> None:
    other = memory.add_note(title="Peers", body="Run `npm dedupe --legacy` first.").id
    session = later()
    session.call("mcp__diarist__find_fix", {"error": "ERESOLVE"}, json.dumps({"fixes": [{"id": fixed, "fix": "words of the past"}]}))
    session.bash("diarist recall 'build the shop'", f"<diarist-context>\n- [{other}] words\n- [{fixed}] words\n</diarist-context>")
    session.call("mcp__diarist__kb_fetch", {"kh_id": other}, json.dumps({"id": other, "text": f"see {fixed}"}))
    session.reply(f"{fixed} did it with older rules.").bash("npm dedupe --legacy", "ok")
    entry = memory.ingest([follow(session).write(tmp_path / "t")]).entries[0]
    assert {(use.event, use.surface, use.place) for use in memory.uses(fixed)} == {
        ("shown", "mcp:find_fix", 1),
        ("shown", "cli:recall", 2),
    }
    assert [(use.event, use.surface, use.place) for use in memory.uses(other)] == [
        ("shown", "cli:recall", 1),
        ("fetched", "mcp:kb_fetch", 1),
    ]
    assert the_effect(memory, fixed).cited
    assert the_effect(memory, other).followed == "command", "a note tells what to do in `code`"
    assert "words" not in memory.transcript(entry.id)
    assert memory.worth(entry.id).shown.times == 0


def test_an_entry_that_was_shown_and_left_alone_gets_no_vote(memory: Memory, fixed: str, tmp_path: Path) -> None:
    session = later().bash("npm install react@17", "added 1 package").bash("npm run build", "built").reply("Pinned it.")
    memory.note_use([([fixed], f"claude-code:{session.id}", shown_at(session, 1), "shown")])
    memory.ingest([session.write(tmp_path / "t")])
    effect = the_effect(memory, fixed)
    assert (effect.cited, effect.followed, effect.error_gone, effect.points) == (False, "", True, 0)
    assert memory.worth(fixed).factor == 1.0


def test_feedback_of_an_agent_is_one_vote_however_it_was_told(memory: Memory, fixed: str, tmp_path: Path) -> None:
    """Over the server, under the session's own id and under none; and read off the transcript."""
    session = later()
    session.call("mcp__diarist__record_feedback", {"kh_id": fixed, "verdict": "harmful"}, json.dumps({"id": fixed}))
    told = shown_at(session, 10 * (len(session.records) - 2))
    memory.note_use([Told([fixed], "mcp:mcp-4711", told, "harmful", "mcp"), Told([fixed], session.id, told + 1, "harmful", "mcp")])
    assert memory.worth(fixed).tally.harmed == 2
    memory.ingest([session.reply("It broke more.").write(tmp_path / "t")])
    effect = the_effect(memory, fixed)
    assert (effect.session, effect.verdict, effect.points) == (f"claude-code:{session.id}", "harmful", -2)


def test_a_person_has_one_vote_and_may_change_their_mind(memory: Memory, fixed: str) -> None:
    assert memory.feedback(fixed, "harmful") == memory.uses(fixed)[-1]
    for _ in range(5):
        memory.feedback(fixed, "helpful")
    effect = the_effect(memory, fixed)
    assert (effect.session, effect.verdict, effect.points) == ("person:kim", "helped", 2)
    with pytest.raises(InvalidInputError, match="use one of helpful"):
        memory.feedback(fixed, "shown")


def test_the_clients_name_for_an_agent_may_differ(memory: Memory, fixed: str, tmp_path: Path) -> None:
    """A client may drive another one's agent; the session is known by its native id."""
    session = follow(later())
    entry = memory.ingest([session.write(tmp_path / "t")]).entries[0]
    memory.note_use([Told([fixed], f"codex:{session.id}", shown_at(session, 25), "shown", "hook:tool")])
    effect = the_effect(memory, fixed)
    assert (effect.session, effect.entry_id, effect.points) == (f"claude-code:{session.id}", entry.id, 2)


def test_what_is_erased_or_no_record_leaves_nothing(memory: Memory, fixed: str) -> None:
    assert (
        memory.note_use([(["kh-aaaaaaaaaaaaaaaa", "nothing"], "claude-code:s", 0.0, "shown"), ([fixed], "claude-code:s", 0.0, "looked")])
        == 0
    )
    assert memory.uses() == []


def test_the_overview_counts_surfaces_and_names_the_most_useful(memory: Memory, fixed: str, tmp_path: Path) -> None:
    bad = memory.add_note(title="Delete the lock file", body="Always.").id
    session = follow(later())
    memory.note_use([Told([fixed, bad], f"claude-code:{session.id}", shown_at(session, 25), "shown", "hook:tool")])
    memory.ingest([session.write(tmp_path / "t")])
    memory.feedback(bad, "refuted", surface="cli")
    told = memory.usefulness()
    assert [(each.event, each.surface, each.rows, each.sessions) for each in told.surfaces] == [
        ("refuted", "cli", 1, 1),
        ("shown", "hook:tool", 2, 1),
    ]
    assert [(each.id, each.factor) for each in told.best] == [(fixed, 1.02)]
    assert [(each.id, each.title) for each in told.worst] == [(bad, "Delete the lock file")]
    assert (told.records, told.total.followed, told.total.helped, told.total.harmed) == (2, 1, 1, 1)


def test_an_entry_says_nothing_about_itself(memory: Memory, tmp_path: Path) -> None:
    session = later()
    entry = memory.ingest([session.write(tmp_path / "t")]).entries[0].id
    memory.note_use([Told([entry], f"claude-code:{session.id}", shown_at(session, 25), "shown", "hook:prompt")])
    memory.ingest([follow(session).write(tmp_path / "t")])
    assert memory.worth(entry).effects == ()
    assert isinstance(memory.uses(entry)[0], Use)


def test_what_helped_passes_its_like_and_says_why(memory: Memory, tmp_path: Path) -> None:
    """Of two records that say the same, the newer one stands first until sessions found the older one of use."""
    older = memory.add_note(title="Reset the queue of the press", body="Drain it, then start it.", created_at=START).id
    newer = memory.add_note(title="Reset the queue of the press", body="Drain it, then start it.", created_at=START + timedelta(1)).id
    assert [hit.id for hit in memory.search("reset press queue")] == [newer, older]
    memory.feedback(older, "helpful")
    hits = memory.search("reset press queue", explain=True)
    assert [hit.id for hit in hits] == [older, newer]
    assert "useful so far: 1 session for it, 0 against (score × 1.02)" in hits[0].reasons
    for number in range(4):
        memory.feedback(older, "harmful", session=f"claude-code:s{number}")
    assert [hit.id for hit in memory.search("reset press queue")] == [newer, older]
    assert memory.recall("reset the queue of the press").items[0].id == newer


def test_one_vote_never_lifts_a_run_that_did_not_solve_an_error_above_one_that_did(memory: Memory, fixed: str, tmp_path: Path) -> None:
    session = later(7).reply("I cannot make it build.")
    unsolved = memory.ingest([session.write(tmp_path / "u")]).entries[0].id
    for number in range(40):
        memory.feedback(unsolved, "helpful", session=f"claude-code:s{number}")
        memory.feedback(fixed, "harmful", session=f"claude-code:s{number}")
    hits = memory.search_error(ERROR)
    assert [hit.id for hit in hits] == [fixed, unsolved]
    assert any("0 sessions for it, 40 against" in reason for reason in hits[0].reasons)


def test_a_key_of_one_project_speaks_about_its_own_records_only(memory: Memory, tmp_path: Path) -> None:
    ours = memory.add_note(title="Ours", body="Text.", project="ours").id
    theirs = memory.add_note(title="Theirs", body="Text.", project="theirs").id
    for each in (ours, theirs):
        memory.feedback(each, "helpful", session="claude-code:s1")
    with open_memory(tmp_path / "ws", project="ours", environ={"USER": "kim", "HOME": str(tmp_path)}) as limited:
        limited.feedback(ours, "harmful", session="claude-code:s1")
        assert [effect.points for effect in limited.worth(ours).effects] == [-2]
        with pytest.raises(NotFoundError):
            limited.feedback(theirs, "harmful", session="claude-code:s1")
    assert [effect.points for effect in memory.worth(theirs).effects] == [2]
    assert the_effect(memory, ours).verdict == "harmful"


def test_evidence_that_is_damaged_holds_up_no_note(memory: Memory, fixed: str, tmp_path: Path) -> None:
    """The worker applies notes before it imports: one broken session must not stop the others."""
    session = follow(later())
    memory.ingest([session.write(tmp_path / "t")])
    for chunk in (tmp_path / "ws" / "vault").rglob("*.zst"):
        chunk.write_bytes(b"broken")
    assert memory.note_use([Told([fixed], f"claude-code:{session.id}", shown_at(session, 25), "shown", "hook:tool")]) == 1
    assert memory.worth(fixed).shown.times == 1
    memory.feedback(fixed, "helpful", session=f"claude-code:{session.id}")
    assert the_effect(memory, fixed).points == 2


def test_a_verdict_may_be_said_as_people_say_it_and_a_session_by_its_id_alone(memory: Memory, fixed: str) -> None:
    assert memory.note_use([Told([fixed], "s1", 0.0, "helpful", "mcp")]) == 1
    (use,) = memory.uses(fixed)
    assert (use.event, use.session) == ("helped", "mcp:s1")
    assert the_effect(memory, fixed).points == 2
