"""Mining as a whole: what is filed, what stays, what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from builders import ClaudeSession
from diarist.app.memory import Memory
from diarist.app.mining import Curated
from diarist.app.skill_evidence import find_pitfalls
from diarist.bootstrap import open_memory
from diarist.errors import InvalidInputError, UsageError
from diarist.model.codec import to_json
from diarist.model.entry import Fix
from diarist.model.proposal import Proposal
from diarist.model.record import RecordFilter
from diarist.model.redacted import derived
from unit.stages.redact.secrets_made import Maker

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
STEPS = ["mcp__vault__read", "mcp__vault__write", "Bash"]
OTHERS = ("what is a monad", "draw a cat in ascii", "name three birds", "count to ten in welsh")


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> Clock:
    """The workspace's clock."""
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    """A workspace with some runs that have nothing in common."""
    with open_memory(tmp_path / "ws", now=clock) as opened:
        for number, prompt in enumerate(OTHERS):
            opened.observe(
                session_id=f"o{number}", prompt=prompt, tools=["WebSearch"], observed_at=NOW - timedelta(hours=number), project="demo"
            )
        yield opened


def habit(memory: Memory, prompt: str = "rotate the signing keys", numbers: range = range(3), at: datetime = NOW, **more: object) -> None:
    """Runs of sessions of their own."""
    for number in numbers:
        told = {"tools": STEPS, "project": "demo", **more}
        memory.observe(session_id=f"{prompt[:6]}-{number}", prompt=prompt, observed_at=at - timedelta(hours=number), **told)


def names(found: list[Proposal]) -> list[str]:
    """Their names."""
    return [each.name for each in found]


def test_a_habit_is_filed_for_review_and_changes_nothing_by_itself(memory: Memory) -> None:
    """It waits; search does not tell of it."""
    habit(memory)
    (found,) = memory.mine_patterns(now=NOW, project="demo")
    assert (found.kind, found.state, found.name) == ("skill", "pending", "rotate-signing-keys")
    assert found.session_ids == ("rotate-0", "rotate-1", "rotate-2")
    assert len(found.evidence) == 3
    assert "mcp__vault__read" in found.body
    assert memory.proposals(kinds=("skill",)) == [found]
    assert not memory.search("rotate signing keys")


def test_mining_again_keeps_id_name_history_and_bytes(memory: Memory, clock: Clock) -> None:
    """The same runs, the same proposal; more runs, the same matter."""
    habit(memory)
    first = memory.mine_patterns(now=NOW, project="demo")
    before = memory._box.store.last_seq()
    assert [to_json(each) for each in memory.mine_patterns(now=NOW, project="demo")] == [to_json(each) for each in first]
    assert memory._box.store.last_seq() == before
    clock.at = NOW + timedelta(days=1)
    habit(memory, numbers=range(3, 6), at=clock.at)
    (again,) = memory.mine_patterns(project="demo")
    assert (again.id, again.name, again.created_at) == (first[0].id, first[0].name, first[0].created_at)
    assert len(again.session_ids) == 6


def test_a_dry_run_and_a_read_only_workspace_file_nothing(memory: Memory, tmp_path: Path) -> None:
    """But tell what would be filed."""
    habit(memory)
    assert names(memory.mine_patterns(now=NOW, project="demo", write=False)) == ["rotate-signing-keys"]
    assert not memory.proposals(states=())
    memory.close()
    with open_memory(tmp_path / "ws", read_only=True) as reading:
        assert names(reading.mine_patterns(now=NOW, project="demo")) == ["rotate-signing-keys"]
        assert not reading.proposals(states=())


def test_a_disabled_project_is_not_mined(memory: Memory) -> None:
    """What waited goes on waiting."""
    habit(memory)
    memory.mine_patterns(now=NOW, project="demo")
    memory.set_learning(False, "demo")
    habit(memory, "draft the weekly letter")
    assert names(memory.mine_patterns(now=NOW, project="demo")) == ["rotate-signing-keys"]


def test_what_its_runs_no_longer_bear_out_is_superseded_softly(memory: Memory) -> None:
    """History keeps it; a reviewer's own wording is never thrown away."""
    habit(memory)
    habit(memory, "draft the weekly letter", tools=["mcp__mail__list", "mcp__mail__draft"])
    found = memory.mine_patterns(now=NOW, project="demo")
    assert len(found) == 2
    kept = next(each for each in found if "letter" in each.title)
    memory.reword(kept.id, title="Write the letter", body=None)
    assert memory.mine_patterns(now=NOW + timedelta(days=30), project="demo") == []
    states = {each.name: each.state for each in memory.proposals(states=(), kinds=("skill",))}
    assert states == {"rotate-signing-keys": "superseded", kept.name: "pending"}
    assert list(memory._box.store.get_history(found[0].id))


def test_an_edit_by_a_reviewer_survives_every_refresh(memory: Memory) -> None:
    """Evidence is refreshed, words stay."""
    habit(memory)
    (found,) = memory.mine_patterns(now=NOW, project="demo")
    memory.reword(found.id, title="Rotate keys", body="# Rotate keys\n\nAs agreed.\n")
    habit(memory, numbers=range(3, 5))
    (again,) = memory.mine_patterns(now=NOW, project="demo")
    assert (again.shown_title, again.shown_body) == ("Rotate keys", "# Rotate keys\n\nAs agreed.\n")
    assert len(again.session_ids) == 5


def test_a_rejected_habit_rests_and_comes_back_with_new_evidence_only(memory: Memory, clock: Clock) -> None:
    """Two weeks at least, whatever happens; then only if half of what there is is new."""
    habit(memory)
    (found,) = memory.mine_patterns(now=NOW, project="demo")
    memory.decide(found.id, "reject", why="not yet")
    assert memory.mine_patterns(now=NOW, project="demo") == []
    clock.at = NOW + timedelta(days=10)
    habit(memory, numbers=range(10, 16), at=clock.at)
    assert memory.mine_patterns(project="demo") == []
    clock.at = NOW + timedelta(days=15)
    (back,) = memory.mine_patterns(project="demo")
    assert (back.round, back.key) == (1, found.key)
    assert memory.get_proposal(found.id).state == "rejected"


def test_a_rejected_habit_stays_away_without_new_evidence(memory: Memory, clock: Clock) -> None:
    """However long ago that was."""
    habit(memory)
    (found,) = memory.mine_patterns(now=NOW, project="demo", window_days=100)
    memory.decide(found.id, "reject")
    clock.at = NOW + timedelta(days=40)
    assert memory.mine_patterns(project="demo", window_days=100) == []


def test_curated_proposals_are_kept_as_they_were_written(memory: Memory) -> None:
    """Their Markdown is not flattened, and neither a refresh nor a decision about another one touches them."""
    habit(memory)
    (found,) = memory.mine_patterns(now=NOW, project="demo")
    body = "# Rotate\n\n1. Read the key\n2. Write it\n\n```sh\nvault write  x\n```\n"
    told = Curated("rotate-by-hand", "Rotate by hand", "Rotates keys. Use when asked to rotate.", body, found.evidence, project="demo")
    filed = memory.propose_skill(told)
    assert filed.what == "new"
    assert filed.proposal.body == body
    memory.decide(found.id, "reject")
    memory.mine_patterns(now=NOW + timedelta(days=60), project="demo")
    assert memory.get_proposal(filed.proposal.id) == filed.proposal


@pytest.mark.parametrize("evidence", [(), ("kh-aaaaaaaaaaaaaaaa",), ("nonsense",)])
def test_a_curated_proposal_must_cite_what_there_is(memory: Memory, evidence: tuple[str, ...]) -> None:
    """By id."""
    with pytest.raises(InvalidInputError, match="cite"):
        memory.propose_skill(Curated("x", "X", "Does x when asked.", "# X\n", evidence, project="demo"))


def test_nothing_is_read_across_projects_and_namespaces(memory: Memory) -> None:
    """Two runs here and one there are no three."""
    habit(memory, numbers=range(2))
    habit(memory, numbers=range(2, 3), project="other")
    habit(memory, numbers=range(3, 4), namespace="team/pattern-learning")
    assert memory.mine_patterns(now=NOW, project="demo") == []
    assert memory.mine_patterns(now=NOW, project="other") == []


@pytest.mark.parametrize(("support", "days"), [(1, 14), (3, 0)])
def test_numbers_that_make_no_sense_are_refused(memory: Memory, support: int, days: int) -> None:
    """With the reason."""
    with pytest.raises(UsageError, match="support"):
        memory.mine_patterns(project="demo", support=support, window_days=days)


def test_entries_give_checks_pitfalls_and_counter_evidence(memory: Memory, tmp_path: Path) -> None:
    """What proved success, which errors were met and what got past them, and where it went wrong."""
    for number in range(5):
        session = ClaudeSession(number + 1, start=NOW - timedelta(days=1, hours=number)).prompt(
            f"bump the version to 2.{number} and tag it"
        )
        session.edit("/home/kim/work/parcel/pyproject.toml", f"2.{number - 1}", f"2.{number}")
        session.bash("pytest -q tests", "E   ModuleNotFoundError: No module named 'parcel'\n1 failed", 1)
        session.bash("pip install -e .", "Successfully installed")
        session.bash("pytest -q tests", "8 passed" if number else "1 failed", 0 if number else 1)
        session.bash(f"git tag v2.{number}", "")
        session.reply("Tagged." if number else "The tests fail still.").write(tmp_path / "sessions")
    memory.ingest([tmp_path / "sessions"])
    (found,) = memory.mine_patterns(now=NOW, project="/home/kim/work/parcel")
    assert "Run `git tag <number>`" in found.body
    assert "- `pytest -q tests` (passed in 4 of 4 runs)" in found.body
    assert "ModuleNotFoundError" in found.body
    assert len(found.session_ids) == 4
    assert found.payload["failed"] == 1
    assert len(found.payload["counter_evidence"]) == 1
    assert found.payload["quotes"][0]["text"].startswith("bump the version")


def test_the_proposals_of_two_shuffled_workspaces_are_the_same_bytes(tmp_path: Path) -> None:
    """Order of telling does not matter."""
    told = [(f"s{number}", "rotate the signing keys", number) for number in range(4)]
    told += [(f"o{number}", text, number) for number, text in enumerate(OTHERS)]

    def mined(name: str, order: Callable[[list[tuple[str, str, int]]], list[tuple[str, str, int]]]) -> list[bytes]:
        with open_memory(tmp_path / name, now=lambda: NOW) as opened:
            for session, prompt, hours in order(told):
                tools = STEPS if session.startswith("s") else ["WebSearch"]
                opened.observe(session_id=session, prompt=prompt, tools=tools, observed_at=NOW - timedelta(hours=hours), project="demo")
            return [to_json(each) for each in opened.mine_patterns(now=NOW, project="demo")]

    assert mined("a", list) == mined("b", lambda all_: all_[::-1])


def test_without_a_project_each_is_mined_for_itself(memory: Memory) -> None:
    """Two runs here and one there are no three, here as there."""
    habit(memory)
    habit(memory, "draft the weekly letter", project="other", tools=["mcp__mail__list", "mcp__mail__draft"])
    habit(memory, "count the parcels", numbers=range(2), tools=["mcp__store__count"])
    habit(memory, "count the parcels", numbers=range(2, 4), project="other", tools=["mcp__store__count"])
    found = memory.mine_patterns(now=NOW)
    assert sorted((each.project, each.name) for each in found) == [("demo", "rotate-signing-keys"), ("other", "draft-weekly-letter")]
    assert len(memory.proposals(kinds=("skill",))) == 2


def test_evidence_is_the_diary_entries_of_the_runs(memory: Memory, tmp_path: Path) -> None:
    """What a reviewer reads with `diary show`; a run that was only told has its observation."""
    for number in range(3):
        session = ClaudeSession(number + 1, start=NOW - timedelta(days=1, hours=number)).prompt("rotate the signing keys")
        session.call("mcp__vault__read", {}, "ok").call("mcp__vault__write", {}, "ok").reply("Done.").write(tmp_path / "sessions")
    entries = memory.ingest([tmp_path / "sessions"]).entries
    told = memory.observe(session_id="told", prompt="rotate the signing keys", tools=STEPS[:2], observed_at=NOW, project=entries[0].project)
    (found,) = memory.mine_patterns(now=NOW, project=entries[0].project)
    assert set(found.evidence) == {entry.id for entry in entries} | {told.observation_id}
    assert {quote["id"] for quote in found.payload["quotes"]} <= set(found.evidence)


def test_a_curated_proposal_rests_after_rejection_too(memory: Memory, clock: Clock) -> None:
    """It comes back with new evidence, and not the same day."""
    habit(memory)
    (found,) = memory.mine_patterns(now=NOW, project="demo")
    told = Curated("by-hand", "By hand", "Rotates keys. Use when asked.", "# X\n\n1. x\n", found.evidence, project="demo")
    memory.decide(memory.propose_skill(told).proposal.id, "reject")
    habit(memory, numbers=range(10, 16))
    (more,) = memory.mine_patterns(now=NOW, project="demo")
    fresh = told._replace(evidence=more.evidence)
    assert memory.propose_skill(fresh).what == "kept"
    clock.at = NOW + timedelta(days=15)
    assert memory.propose_skill(told).what == "kept"
    assert memory.propose_skill(fresh).what == "new"


def test_a_curated_proposal_takes_no_mined_ones_place(memory: Memory) -> None:
    """The name is taken as long as that one waits; and mining takes none of a curated one."""
    habit(memory)
    (found,) = memory.mine_patterns(now=NOW, project="demo")
    told = Curated(found.name, "Mine", "Rotates keys. Use when asked.", "# X\n\n1. x\n", found.evidence, project="demo")
    with pytest.raises(InvalidInputError, match="waits already"):
        memory.propose_skill(told)
    assert memory.get_proposal(found.id) == found
    memory.propose_skill(told._replace(name="draft-weekly-letter"))
    habit(memory, "draft the weekly letter", tools=["mcp__mail__list", "mcp__mail__draft"])
    names_found = names(memory.mine_patterns(now=NOW, project="demo"))
    assert sorted(names_found) == ["draft-weekly-letter-2", "rotate-signing-keys"]


def test_a_disabled_project_takes_no_curated_proposal(memory: Memory) -> None:
    """Disabled is disabled for models, too."""
    habit(memory)
    (found,) = memory.mine_patterns(now=NOW, project="demo")
    memory.set_learning(False, "demo")
    with pytest.raises(UsageError, match="patterns enable"):
        memory.propose_skill(Curated("x", "X", "Does x when asked.", "# X\n", found.evidence, project="demo"))


def test_how_long_a_rejected_habit_rests_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    """Fourteen days by default."""
    config = tmp_path / "config" / "diarist"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("patterns.rest_days = 1\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with open_memory(tmp_path / "ws", now=clock) as memory:
        for number, prompt in enumerate(OTHERS):
            memory.observe(session_id=f"o{number}", prompt=prompt, tools=["WebSearch"], observed_at=NOW, project="demo")
        habit(memory)
        memory.decide(memory.mine_patterns(now=NOW, project="demo")[0].id, "reject")
        clock.at = NOW + timedelta(days=2)
        habit(memory, numbers=range(10, 16), at=clock.at)
        assert names(memory.mine_patterns(project="demo")) == ["rotate-signing-keys"]


@pytest.mark.parametrize(
    ("message", "fix", "told"),
    [
        (
            "ModuleNotFoundError: No module named 'tomlkit'",
            "{0} until changed: pyproject.toml: added `tomlkit`.",
            "Changed: pyproject.toml: added `tomlkit`.",
        ),
        (
            "ModuleNotFoundError: No module named 'tomlkit'",
            "{0} and went through as `uv run pytest -q`",
            "Went through as `uv run pytest -q`",
        ),
        ("ModuleNotFoundError: No module named 'tomlkit'", "Put it into the lock file.", "Put it into the lock file."),
        ("TestParcel failed", "{0} until changed: parcel.go: added `x`.", None),
        ("+0x170", "{0} until changed: parcel.go: added `x`.", None),
    ],
)
def test_pitfalls_tell_the_error_once_and_none_that_names_but_one_test(
    memory: Memory, tmp_path: Path, message: str, fix: str, told: str | None
) -> None:
    """The fix does not begin with the error again; an error without words tells nobody anything."""
    session = ClaudeSession(1).prompt("bump the version").bash("pytest -q", "E   KeyError: 'width'\n1 failed", 1)
    session.edit("pyproject.toml", "1", "2").bash("pytest -q", "8 passed").reply("Done.").write(tmp_path / "sessions")
    (entry,) = memory.ingest([tmp_path / "sessions"]).entries
    error = msgspec.structs.replace(entry.errors[0], message=derived(message), fingerprint="f")
    fixed = Fix(error="f", text=derived(fix.format(f"`pytest -q` failed ({message})")))
    found = find_pitfalls([msgspec.structs.replace(entry, errors=(error,), fixes=(fixed,))])
    assert [pitfall.fix for pitfall in found] == ([] if told is None else [told])


def test_secrets_in_names_and_namespaces_never_reach_the_queue(memory: Memory) -> None:
    """They are masked, and a masked name is none that can be accepted."""
    secret = Maker(4).github()
    habit(memory, namespace=f"team/{secret}")
    habit(memory)
    (found,) = memory.mine_patterns(now=NOW, project="demo")
    filed = memory.propose_skill(Curated(f"x-{secret}", "X", "Does x when asked.", "# X\n\n1. x\n", found.evidence, project="demo"))
    assert any("the name must hold" in reason for reason in memory.objections(filed.proposal.id))
    for record in memory.list_records(RecordFilter(include_inactive=True)):
        assert secret not in f"{record.namespace} {record.task_id} {record.title}"
        assert secret.encode() not in record.body
