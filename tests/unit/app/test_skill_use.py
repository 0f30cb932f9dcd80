"""Accepted skills in use: what later runs tell of them, retirement, recall and hooks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from builders import ClaudeSession
from diarist.app.observing import tool_use
from diarist.errors import NotFoundError
from diarist.model.observation import loaded_skill
from diarist.model.record import RecordFilter
from diarist.model.redacted import derived
from unit.app.skill_shop import FILES, NAME, NOW, STEPS, Shop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """With nothing proposed yet."""
    with Shop(tmp_path) as shop:
        yield shop


# --- use and retirement ---------------------------------------------------------------------------------------------------


def load(shop: Shop, number: int, outcome: str, *, follow: bool = True) -> None:
    """A later run that loads the skill."""
    tools: list[object] = [{"name": "Skill", "arguments": {"skill": NAME}}, *(STEPS if follow else ["Read"])]
    shop.tell(f"later-{number}", "rotate the keys of the gateway", tools, outcome)


def test_later_runs_tell_whether_a_skill_was_loaded_followed_and_helped(shop: Shop) -> None:
    """Offered, loaded, followed, and how the run ended; by sessions."""
    shop.mine()
    shop.accept()
    record = next(iter(shop.memory.list_records(RecordFilter(kinds=("skill",)))))
    shop.memory.note_use([((record.id,), "claude-code:s9", NOW.timestamp(), "shown")])
    shop.at = NOW + timedelta(days=1)
    load(shop, 1, "completed")
    load(shop, 1, "completed")
    load(shop, 2, "failed", follow=False)
    (state,) = shop.memory.skills(shop.project)
    usage = state.usage
    assert (usage.offered, usage.loaded, usage.followed, usage.well, usage.badly) == (1, 2, 1, 1, 1)


def test_a_skill_that_stops_helping_gets_a_retirement_proposal(shop: Shop) -> None:
    """Which a person decides; accepting it takes the files away, undoing it brings them back."""
    shop.mine()
    shop.accept()
    shop.at = NOW + timedelta(days=1)
    for number in range(5):
        load(shop, number, "failed" if number else "completed")
    shop.memory.mine_patterns(now=shop.at, project=shop.project)
    (proposal,) = shop.memory.proposals(kinds=("retirement",))
    assert "4 ended badly and 1 well" in proposal.body
    assert (shop.checkout / FILES[0]).is_file()
    shop.memory.decide(proposal.id, "accept", cwd=str(shop.checkout))
    assert shop.states() == {}
    assert not (shop.checkout / FILES[0]).exists()
    shop.memory.decide(proposal.id, "reopen", cwd=str(shop.checkout))
    assert shop.states() == {NAME: ("accepted",)}
    shop.memory.decide(proposal.id, "reject")
    shop.memory.mine_patterns(now=shop.at, project=shop.project)
    assert not shop.memory.proposals(kinds=("retirement",))


def test_a_skill_that_helps_is_left_alone(shop: Shop) -> None:
    """No proposal without a reason."""
    shop.mine()
    shop.accept()
    shop.at = NOW + timedelta(days=1)
    for number in range(6):
        load(shop, number, "completed" if number else "failed")
    shop.memory.mine_patterns(now=shop.at, project=shop.project)
    assert not shop.memory.proposals(kinds=("retirement",))


def test_a_skill_that_helped_once_and_no_longer_does_is_proposed_too(shop: Shop) -> None:
    """The newest sessions count, however well the first ones went."""
    shop.mine()
    shop.accept()
    for number in range(22):
        shop.at = NOW + timedelta(days=1, hours=number)
        load(shop, number, "completed" if number < 16 else "failed")
    shop.memory.mine_patterns(now=shop.at, project=shop.project)
    (proposal,) = shop.memory.proposals(kinds=("retirement",))
    assert "Of the last 10 sessions that loaded it, 6 ended badly and 4 well" in proposal.body


def test_a_skill_that_nobody_needs_is_proposed_too(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """After many runs without it; never where learning is off, as then nothing is seen."""
    monkeypatch.setattr("diarist.app.skills.FEWEST_RUNS", 5)
    shop.mine()
    shop.accept()
    shop.at = NOW + timedelta(days=1)
    for number in range(5):
        shop.tell(f"n{number}", f"thing {number} of another kind", ["WebSearch"])
    shop.memory.set_learning(False, shop.project)
    shop.memory.mine_patterns(now=shop.at, project=shop.project)
    assert not shop.memory.proposals(kinds=("retirement",))
    shop.memory.set_learning(True, shop.project)
    shop.memory.mine_patterns(now=shop.at, project=shop.project)
    (proposal,) = shop.memory.proposals(kinds=("retirement",))
    assert "None of the 5 runs" in proposal.body


def test_a_person_may_retire_a_skill(shop: Shop) -> None:
    """With a reason that is kept."""
    shop.mine()
    shop.accept()
    proposal = shop.memory.retire_skill(NAME, shop.project, why="the vault is gone")
    assert "the vault is gone" in proposal.body
    with pytest.raises(NotFoundError, match="skills list"):
        shop.memory.retire_skill("nothing", shop.project)


def test_skills_of_the_user_that_hide_it_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients prefer the user's own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    own = tmp_path / "home" / ".claude" / "skills" / NAME
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("mine\n")
    with Shop(tmp_path) as shop:
        shop.mine()
        shop.accept()
        assert shop.states() == {NAME: ("shadowed",)}


# --- recall ---------------------------------------------------------------------------------------------------------------


def test_recall_names_skills_that_fit_and_no_others(shop: Shop) -> None:
    """A compact card; generic words fetch nothing; the body is never given."""
    shop.mine()
    shop.accept()
    pack = shop.memory.recall("we have to rotate the signing keys of the gateway", project=shop.project)
    assert NAME in pack.text
    assert "mcp__vault__read" not in pack.text.partition("accepted skill")[2]
    assert [hit.kind for hit in pack.items][-1] == "skill"
    for generic in ("read the files and run a command", "call this when asked", "new file please", "sessions", "rotate the screen"):
        assert NAME not in shop.memory.recall(generic, project=shop.project).text
    assert NAME not in shop.memory.recall("rotate the signing keys", project="other").text


def test_a_retired_skill_is_not_named(shop: Shop) -> None:
    """Nor found."""
    shop.mine()
    shop.accept()
    shop.memory.decide(NAME, "reopen", cwd=str(shop.checkout))
    assert NAME not in shop.memory.recall("rotate the signing keys", project=shop.project).text


def test_hooks_offer_skills_for_a_prompt(shop: Shop) -> None:
    """Within their budget."""
    shop.mine()
    shop.accept()
    pack = shop.memory.brief("prompt", "please rotate the signing keys", project=shop.project, cwd=str(shop.checkout))
    assert NAME in pack.text
    assert len(pack.text) <= 2000


def test_cards_stand_at_the_beginning_of_a_session_too(shop: Shop) -> None:
    """Where the branch or one of the last runs is about what a skill is for; else none."""
    shop.mine()
    shop.accept()
    (shop.checkout / ".git" / "HEAD").write_text("ref: refs/heads/chore/rotate-signing-keys\n")
    assert NAME in shop.memory.brief("start", "", project=shop.project, cwd=str(shop.checkout)).text
    (shop.checkout / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert NAME not in shop.memory.brief("start", "", project=shop.project, cwd=str(shop.checkout)).text
    for task, prompt in (("t1", "tidy the menu"), ("t2", "rotate the signing keys of the gateway")):
        line = json.dumps({"role": "user", "content": prompt}) + "\n" + json.dumps({"role": "assistant", "content": "Done."}) + "\n"
        shop.memory.add_entry(task_id=task, transcript=line, project=shop.project, created_at=NOW)
    shop.memory.search("menu")  # hooks leave it to others to bring the index up to date
    pack = shop.memory.brief("start", "", project=shop.project, cwd=str(shop.checkout))
    assert NAME in pack.text
    assert "tidy the menu" in pack.text
    assert len(pack.text) <= 2000


# --- what later transcripts tell ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Skill", {"skill": NAME}),
        ("Read", {"file_path": f"/home/kim/work/parcel/.claude/skills/{NAME}/SKILL.md"}),
        ("Bash", {"command": f"sed -n '1,200p' /home/kim/work/with/a/path/that/is/very/long/.agents/skills/{NAME}/SKILL.md"}),
        ("exec_command", {"cmd": f"cd /work && cat .agents/skills/{NAME}/SKILL.md"}),
        ("read_file", {"absolute_path": f"C:\\work\\parcel\\.agents\\skills\\{NAME}\\SKILL.md"}),
    ],
)
def test_every_way_to_load_a_skill_is_seen(tool: str, arguments: dict[str, str]) -> None:
    """The client's own tool, and reading its file with whatever prints files."""
    assert loaded_skill(tool_use(derived(tool), {key: derived(value) for key, value in arguments.items()})) == NAME


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Edit", {"file_path": f".claude/skills/{NAME}/SKILL.md", "old_string": "a", "new_string": "b"}),
        ("Bash", {"command": f"cat notes.md > .agents/skills/{NAME}/SKILL.md"}),
        ("Bash", {"command": f"git add .agents/skills/{NAME}/SKILL.md"}),
        ("Read", {"file_path": "README.md"}),
    ],
)
def test_to_write_or_commit_a_skill_is_not_to_load_it(tool: str, arguments: dict[str, str]) -> None:
    """Its author is no user."""
    assert not loaded_skill(tool_use(derived(tool), {key: derived(value) for key, value in arguments.items()}))


def test_a_transcript_itself_tells_that_a_skill_was_offered_and_loaded(shop: Shop, tmp_path: Path) -> None:
    """By the card in what recall gave, without any note of the hook; each session counts once."""
    shop.mine()
    shop.accept()
    card = shop.memory.recall("rotate the signing keys", project=shop.project).text
    for number in range(2):
        session = ClaudeSession(number + 1, cwd=str(shop.checkout), start=NOW + timedelta(hours=1)).prompt("rotate the keys of the gateway")
        session.call("mcp__diarist__recall", {"query": "rotate keys"}, card)
        session.call("mcp__diarist__recall", {"query": "keys"}, card)
        if number:
            session.bash(f"cat .agents/skills/{NAME}/SKILL.md", "# Rotate")
            session.call("mcp__vault__read", {}, "ok").call("mcp__vault__write", {}, "ok").bash("make", "ok")
        session.reply("Done.").write(tmp_path / "sessions")
    shop.at = NOW + timedelta(days=1)
    shop.memory.ingest([tmp_path / "sessions"])
    (state,) = shop.memory.skills(shop.project, cwd=str(shop.checkout))
    assert (state.usage.offered, state.usage.loaded, state.usage.followed) == (2, 1, 1)
    shop.memory.note_use([((state.id,), f"claude-code:{ClaudeSession(1).id}", shop.at.timestamp(), "shown")])
    (state,) = shop.memory.skills(shop.project, cwd=str(shop.checkout))
    assert state.usage.offered == 2
