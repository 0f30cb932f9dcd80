"""Observations: one for every ended run, told or distilled."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from builders import ClaudeSession
from diarist.app.memory import Memory
from diarist.app.observing import list_observations, sweep, tool_use
from diarist.bootstrap import open_memory
from diarist.model.record import RecordFilter
from diarist.model.redacted import derived
from unit.stages.redact.secrets_made import Maker

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PARCEL = "/home/kim/work/parcel"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty workspace."""
    with open_memory(tmp_path / "ws", now=lambda: NOW) as opened:
        yield opened


def kept(memory: Memory, project: str = "demo") -> list[str]:
    """Prompts of what is observed."""
    return [each.prompt for each in list_observations(memory._box.store, project)]


def test_a_told_run_is_kept_once(memory: Memory) -> None:
    """The same session and run again replace it; another run of the session is another."""
    told = {"session_id": "s1", "prompt": "cut a release", "tools": ["Bash"], "observed_at": NOW, "project": "demo"}
    assert memory.observe(**told, run_id="1").observed
    assert memory.observe(**told, run_id="1").why == "it was known already"
    assert memory.observe(**told, run_id="2").observed
    assert kept(memory) == ["cut a release", "cut a release"]


def test_without_a_run_id_time_and_prompt_name_the_run(memory: Memory) -> None:
    """So telling it twice is telling it once."""
    for at in (NOW, NOW, NOW + timedelta(minutes=5)):
        memory.observe(session_id="s1", prompt="cut a release", observed_at=at, project="demo")
    assert len(kept(memory)) == 2


@pytest.mark.parametrize(
    "told",
    [
        {"session_id": "s", "prompt": ""},
        {"session_id": " ", "prompt": "x"},
        {"session_id": "s", "prompt": "x", "outcome": "splendid"},
        {"session_id": "s", "prompt": "x", "observed_at": datetime(2026, 1, 1)},  # noqa: DTZ001
        {"session_id": "s", "prompt": "x", "tools": [{"nothing": 1}]},
        {"session_id": "s", "prompt": "x", "tools": 7},
        {"session_id": "s"},
        {"prompt": "x", "nonsense": True},
    ],
)
def test_observing_never_raises_and_says_why(memory: Memory, told: dict[str, object]) -> None:
    """A host must not fail because learning did; and learning is not called disabled because of an error."""
    done = memory.observe(**told)
    assert not done.observed
    assert done.unavailable
    assert done.why
    assert done.enabled is not False


def test_a_read_only_workspace_observes_nothing_and_says_so(tmp_path: Path) -> None:
    """And writes nothing."""
    open_memory(tmp_path / "ws").close()
    with open_memory(tmp_path / "ws", read_only=True) as memory:
        done = memory.observe(session_id="s", prompt="x")
        assert (done.observed, done.unavailable) == (False, True)
        assert "reading only" in done.why


def test_prompts_and_arguments_are_redacted_before_they_are_kept(memory: Memory) -> None:
    """Secrets in every form."""
    secret = Maker(3).github()
    call = {"name": "Bash", "arguments": {"command": f"curl -H 'Authorization: Bearer {secret}' https://example.org"}}
    memory.observe(session_id="s1", prompt=f"use GITHUB_TOKEN={secret} to release", tools=[call], project="demo")
    body = next(iter(memory.list_records(RecordFilter(kinds=("observation",))))).body.decode()
    assert secret not in body
    assert "[REDACTED" in body


def test_a_disabled_project_is_not_observed_told_or_ingested(memory: Memory, tmp_path: Path) -> None:
    """Others are; what was kept stays; and switching on goes on where it was."""
    memory.observe(session_id="s0", prompt="before", project=PARCEL)
    memory.set_learning(False, PARCEL)
    done = memory.observe(session_id="s1", prompt="told", project=PARCEL)
    assert (done.observed, done.enabled) == (False, False)
    assert memory.observe(session_id="s1", prompt="elsewhere", project="demo").observed
    ClaudeSession(1).prompt("ingested").bash("pytest -q", "1 passed").reply("Done.").write(tmp_path / "sessions")
    assert memory.ingest([tmp_path / "sessions"]).entries
    assert kept(memory, PARCEL) == ["before"]
    memory.set_learning(True, PARCEL)
    assert memory.observe(session_id="s2", prompt="after", project=PARCEL).observed


def test_ingest_observes_every_run_with_names_shapes_and_errors(memory: Memory, tmp_path: Path) -> None:
    """Tool names whole, commands without what stands around them, failures marked; a second import changes nothing."""
    session = (
        ClaudeSession(1)
        .prompt("cut release 1.4")
        .bash(f"cd {PARCEL} && git tag v1.4", "fatal: tag exists", 1)
        .edit(f"{PARCEL}/CHANGELOG.md", "a", "b")
        .call("mcp__github__create_release", {"tag": "v1.4", "body": "x"}, "ok")
        .call("Skill", {"skill": "cut-release"}, "loaded")
        .reply("Released.")
    )
    session.write(tmp_path / "sessions")
    (entry,) = memory.ingest([tmp_path / "sessions"]).entries
    (made,) = list_observations(memory._box.store, None)
    assert (made.entry_id, made.prompt, made.evidence_kind) == (entry.id, "cut release 1.4", "run")
    assert [(tool.name, tool.kind, tool.shape, tool.error) for tool in made.tools] == [
        ("Bash", "shell", "git tag v1.4", True),
        ("Edit", "edit", "CHANGELOG.md", False),
        ("mcp__github__create_release", "other", "`body`, `tag`", False),
        ("Skill", "other", "cut-release", False),
    ]
    memory.ingest([tmp_path / "sessions"])
    memory.redistil()
    assert len(list(list_observations(memory._box.store, None))) == 1


def test_the_newest_are_kept_and_the_rest_goes_for_good(memory: Memory) -> None:
    """By time of the run, not of writing; other projects are left alone."""
    for number in (3, 1, 4, 2, 0):
        memory.observe(session_id=f"s{number}", prompt=f"run {number}", observed_at=NOW + timedelta(minutes=number), project="demo")
    memory.observe(session_id="x", prompt="other", project="other")
    assert sweep(memory._box, derived("demo"), kept=3) == 2
    assert sorted(kept(memory)) == ["run 2", "run 3", "run 4"]
    assert kept(memory, "other") == ["other"]
    assert memory._box.settings.get("patterns.keep") == 100_000


def test_states_are_replaced_in_one_write(memory: Memory) -> None:
    """There is no moment at which a disabled project has no state."""
    memory.set_learning(False, "demo")
    memory.set_learning(False, "demo")
    (state,) = memory.list_records(RecordFilter(kinds=("state",), project="demo", include_inactive=True))
    assert state.status == "active"
    assert not memory.learning("demo").enabled


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "shape"),
    [
        ("read_file", {"absolute_path": "/a/b/notes.md"}, "read", "notes.md"),
        ("run_shell_command", {"command": "npm test -- --watch=false"}, "shell", "npm test -- --watch=false"),
        ("search_direct_flight", {"origin": "FRA"}, "other", "`origin`"),
        ("mcp__files__read_file", {"path": "x"}, "other", "`path`"),
        ("Read", {"file_path": "/x/.agents/skills/cut-release/SKILL.md"}, "read", "cut-release/SKILL.md"),
    ],
)
def test_a_tool_is_called_what_it_is(name: str, arguments: dict[str, str], kind: str, shape: str) -> None:
    """Common tools by what they do, others by their own name."""
    made = tool_use(derived(name), arguments)
    assert (made.name, made.kind, made.shape) == (name, kind, shape)


def test_not_even_arguments_without_an_end_raise(memory: Memory) -> None:
    """Whatever a host hands in."""
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"a": deep}

    class Odd(dict[str, object]):
        def items(self) -> object:  # type: ignore[override]
            raise RuntimeError("no")

    for arguments in (deep, Odd(a=1)):
        done = memory.observe(session_id="s", prompt="x", tools=[{"name": "t", "arguments": arguments}], project="demo")
        assert done.observed or (done.unavailable and done.why)


def test_ingest_keeps_to_the_bound_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without anybody mining."""
    config = tmp_path / "config" / "diarist"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("patterns.keep = 3\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for number in range(6):
        start = NOW - timedelta(days=number)
        ClaudeSession(number + 1, start=start).prompt(f"run {number}").bash("ls", "x").reply("Done.").write(tmp_path / "sessions")
    with open_memory(tmp_path / "ws", now=lambda: NOW) as opened:
        assert len(opened.ingest([tmp_path / "sessions"]).entries) == 6
        assert sorted(kept(opened, PARCEL)) == ["run 0", "run 1", "run 2"]
