"""The steps that runs of one habit share."""

from __future__ import annotations

from diarist.model.observation import ToolUse, loaded_skill
from diarist.model.redacted import derived
from diarist.model.skill import SkillStep
from diarist.stages.patterns import find_procedure, follows
from diarist.stages.patterns.procedure import lift, says_something


def shell(command: str) -> ToolUse:
    """A command line."""
    return ToolUse(name=derived("Bash"), kind="shell", shape=derived(command))


READ = ToolUse(name=derived("Read"), kind="read", shape=derived("CHANGELOG.md"))
GREP = ToolUse(name=derived("Grep"), kind="search")
EDIT = ToolUse(name=derived("Edit"), kind="edit")
PLAN = ToolUse(name=derived("TodoWrite"), kind="plan")


def told(*runs: list[ToolUse]) -> list[str]:
    """The texts of the steps."""
    return [step.text for step in find_procedure(runs)]


def test_arguments_that_vary_become_parameters() -> None:
    """The same command with another number is the same step."""
    runs = [[READ, shell(f"git tag v1.{number} -m done")] for number in range(4)]
    assert told(*runs) == ["Read `CHANGELOG.md`", "Run `git tag <number> -m done`"]


def test_gaps_and_repeats_do_not_matter() -> None:
    """What stands between the steps in some runs, and steps taken twice in a row."""
    runs = [[READ, EDIT, shell("pytest -q")], [READ, READ, PLAN, EDIT, shell("pytest -q")], [READ, GREP, EDIT, EDIT, shell("pytest -q")]]
    assert told(*runs) == ["Read `CHANGELOG.md`", "Edit the files concerned", "Run `pytest -q`"]


def test_steps_whose_order_varies_stand_together() -> None:
    """Then any order will do."""
    runs = [[READ, GREP, EDIT], [GREP, READ, EDIT], [READ, GREP, EDIT], [GREP, READ, EDIT]]
    steps = find_procedure(runs)
    assert [step.together for step in steps] == [1, 1, 0]


def test_a_telling_step_of_some_runs_is_optional() -> None:
    """And says so."""
    runs = [[READ, EDIT], [READ, shell("mypy src"), EDIT], [READ, EDIT], [READ, shell("mypy src"), EDIT]]
    steps = find_procedure(runs)
    assert [(step.tool, step.optional) for step in steps] == [("read", False), ("$ mypy src", True), ("edit", False)]


def test_most_runs_hold_the_procedure_as_a_whole() -> None:
    """Steps that are each common but hardly ever together are not put together."""
    runs = [[READ, EDIT, GREP], [READ, EDIT, GREP], [READ, EDIT], [READ, EDIT], [GREP, READ]]
    for wanted in ("read", "edit"):
        assert wanted in [step.tool for step in find_procedure(runs)]


def test_commands_of_other_lengths_keep_their_beginning() -> None:
    """What they have in common comes first."""
    assert lift([derived("go test ./a"), derived("go test -v -run X ./b"), derived("go test")]) == "go test …"
    assert lift([derived("go test ./a"), derived("go test ./b")]) == "go test <path>"
    assert lift([]) == ""


def test_nothing_comes_of_runs_without_tools() -> None:
    """No steps, no error."""
    assert find_procedure([[], []]) == ()
    assert not says_something(())


def test_a_run_follows_steps_in_their_order_whatever_stands_between() -> None:
    """But not in another one."""
    assert follows([READ, GREP, EDIT, shell("git commit -m x")], ["read", "edit", "$ git commit"])
    assert not follows([EDIT, READ], ["read", "edit"])
    assert not follows([READ], [])


def test_loading_a_skill_is_seen_by_tool_and_by_file() -> None:
    """The clients' own tools for it, or a look at the file."""
    assert loaded_skill(ToolUse(name=derived("Skill"), shape=derived("cut-release"))) == "cut-release"
    assert loaded_skill(ToolUse(name=derived("Read"), kind="read", shape=derived("cut-release/SKILL.md"))) == "cut-release"
    assert loaded_skill(READ) == ""


def test_what_is_only_now_and_then_needed_is_no_procedure() -> None:
    """Something must be done each time."""
    assert not says_something([SkillStep(text=derived("Run `x`"), tool=derived("$ x"), optional=True)])
    assert not says_something([SkillStep(text=derived("Run code"), tool=derived("code"))])
    assert says_something([SkillStep(text=derived("Run `x`"), tool=derived("$ x"))])
