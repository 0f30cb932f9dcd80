"""The managed block of approved lessons in a file the user named."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diarist.app.memory import Memory
from diarist.app.targets import Before, Change, _before, _restore, _with_block
from diarist.bootstrap import open_memory
from diarist.errors import InvalidInputError, StaleReviewError, UsageError
from diarist.model.redacted import Redacted
from diarist.stages.synthesis.lessons import BEGIN, END

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
RUN = "Fix the deadlock of two checkouts\nWorked:\n- lock the order rows in id order\nFailed:\n- retrying hid the deadlock\n"
OWN = "# House rules\n\nBe kind.\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A project's checkout with instructions of its own."""
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    (folder / "AGENTS.md").write_text(OWN)
    return folder


Opener = Callable[..., Memory]


@pytest.fixture
def opener(tmp_path: Path) -> Opener:
    """Opens the workspace with these targets."""

    def make(*targets: str) -> Memory:
        config = tmp_path / "config" / "diarist" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        names = ", ".join(f'"{name}"' for name in targets)
        config.write_text(f"[synthesis]\ntargets = [{names}]\n")
        return open_memory(tmp_path / "ws", environ={"XDG_CONFIG_HOME": str(config.parent.parent), "HOME": str(tmp_path)}, now=lambda: NOW)

    return make


def approve(memory: Memory, checkout: Path, runs: int = 3) -> None:
    """One theme, approved."""
    for number in range(runs):
        at = NOW - timedelta(hours=number + 1)
        memory.add_entry(task_id=f"t{number}", transcript=RUN, project=str(checkout), created_at=at)
    memory.synthesize(project=str(checkout), write=True)
    written = memory.find_report(project=str(checkout))
    assert written is not None
    memory.approve_report(written)


def test_the_block_is_planned_shown_written_and_taken_back(opener: Opener, checkout: Path) -> None:
    """Byte for byte; planning writes nothing."""
    file = checkout / "AGENTS.md"
    file.chmod(0o640)
    with closing(opener("AGENTS.md")) as memory:
        approve(memory, checkout)
        project = str(checkout)
        changes = memory.plan_targets(project, cwd=project)
        assert file.read_text() == OWN
        assert "+- Do: lock the order rows in id order" in changes[0].diff
        assert memory.write_targets(project, changes) == [file]
        assert file.read_text().startswith(OWN)
        assert file.read_text().count(BEGIN) == file.read_text().count(END) == 1
        assert file.stat().st_mode & 0o777 == 0o640
        assert memory.plan_targets(project, cwd=project) == []
        memory.write_targets(project, memory.plan_targets(project, cwd=project, revert=True), revert=True)
        assert file.read_text() == OWN
        assert memory.plan_targets(project, cwd=project, revert=True) == []


def test_approval_alone_touches_no_file(opener: Opener, checkout: Path) -> None:
    """Nothing else ever touches a prompt."""
    with closing(opener("AGENTS.md")) as memory:
        approve(memory, checkout)
    assert (checkout / "AGENTS.md").read_text() == OWN


def test_a_file_that_was_made_for_the_block_goes_with_it(opener: Opener, checkout: Path) -> None:
    """And one that a person wrote into since stays."""
    with closing(opener("docs/CLAUDE.md", "OTHER.md")) as memory:
        (checkout / "docs").mkdir()
        approve(memory, checkout)
        project = str(checkout)
        memory.write_targets(project, memory.plan_targets(project, cwd=project))
        (checkout / "OTHER.md").write_text("Mine.\n\n" + (checkout / "OTHER.md").read_text())
        memory.write_targets(project, memory.plan_targets(project, cwd=project, revert=True), revert=True)
        assert not (checkout / "docs" / "CLAUDE.md").exists()
        assert (checkout / "OTHER.md").read_text() == "Mine."


def test_later_writes_replace_the_block_only_and_are_taken_back_one_by_one(opener: Opener, checkout: Path) -> None:
    """What a person changed around it stays."""
    file = checkout / "AGENTS.md"
    project = str(checkout)
    with closing(opener("AGENTS.md")) as memory:
        approve(memory, checkout)
        memory.write_targets(project, memory.plan_targets(project, cwd=project))
        first = file.read_text()
        file.write_text("Above.\n" + first + "Below.\n")
        memory.decide(memory.proposals(states=("accepted",))[0].id, "reopen")
        memory.reword(memory.proposals()[0].id, title="Mind the locks", body="In id order.")
        memory.decide(memory.proposals()[0].id, "accept")
        memory.write_targets(project, memory.plan_targets(project, cwd=project))
        assert file.read_text().startswith("Above.\n" + OWN)
        assert file.read_text().endswith("Below.\n")
        assert "Mind the locks" in file.read_text()
        for expected in ("Above.\n" + first + "Below.\n", f"Above.\n{OWN}\nBelow.\n"):
            memory.write_targets(project, memory.plan_targets(project, cwd=project, revert=True), revert=True)
            assert file.read_text() == expected


def test_a_retracted_lesson_leaves_the_block(opener: Opener, checkout: Path) -> None:
    """With the last one the block goes."""
    project = str(checkout)
    with closing(opener("AGENTS.md")) as memory:
        approve(memory, checkout)
        memory.write_targets(project, memory.plan_targets(project, cwd=project))
        memory.decide(memory.proposals(states=("accepted",))[0].id, "reopen")
        memory.write_targets(project, memory.plan_targets(project, cwd=project))
        assert BEGIN not in (checkout / "AGENTS.md").read_text()


def test_a_file_that_changed_after_its_diff_was_shown_is_not_written(opener: Opener, checkout: Path) -> None:
    """Neither is any other of the plan."""
    project = str(checkout)
    with closing(opener("AGENTS.md", "OTHER.md")) as memory:
        approve(memory, checkout)
        changes = memory.plan_targets(project, cwd=project)
        (checkout / "AGENTS.md").write_text("Rewritten.\n")
        with pytest.raises(StaleReviewError, match="changed since its diff was shown"):
            memory.write_targets(project, changes)
        assert not (checkout / "OTHER.md").exists()


@pytest.mark.parametrize("name", ["../outside.md", "/etc/motd", "", "link/inside.md"])
def test_a_target_outside_the_checkout_is_refused(opener: Opener, checkout: Path, tmp_path: Path, name: str) -> None:
    """By a path, and by a link."""
    (tmp_path / "elsewhere").mkdir()
    (checkout / "link").symlink_to(tmp_path / "elsewhere")
    with closing(opener(name)) as memory:
        approve(memory, checkout)
        with pytest.raises(UsageError, match="inside the checkout"):
            memory.plan_targets(str(checkout), cwd=str(checkout))


def test_without_targets_or_a_known_checkout_it_says_what_to_do(opener: Opener, checkout: Path, tmp_path: Path) -> None:
    """Bad usage both."""
    with closing(opener()) as memory, pytest.raises(UsageError, match=r"synthesis\.targets"):
        memory.plan_targets(str(checkout), cwd=str(checkout))
    with closing(opener("AGENTS.md")) as memory, pytest.raises(UsageError, match="diarist init"):
        memory.plan_targets("github.com/team/shop", cwd=str(tmp_path))


@pytest.mark.parametrize("text", [f"{BEGIN}\nno end\n", f"{END}\n", f"{BEGIN}\n{END}\n{BEGIN}\n{END}\n"])
def test_a_damaged_block_is_reported_and_left_alone(text: str) -> None:
    """Nobody guesses where it ends."""
    with pytest.raises(InvalidInputError, match="damaged"):
        _with_block("AGENTS.md", text, f"{BEGIN}\nx\n{END}\n")


blocks = st.sampled_from(["", "one", "two\nlines"]).map(lambda inner: f"{BEGIN}\n{inner}\n{END}\n" if inner else "")
texts = st.text(alphabet="ab \n", max_size=30) | st.none()


@given(texts, blocks)
def test_taking_a_block_back_gives_the_text_it_was_put_behind(text: str | None, block: str) -> None:
    """Exactly, whatever the file ended with."""
    after = _with_block("x", text, block)
    change = Change("x", Path("x"), text, after)
    if after is None or after == text:
        return
    assert _restore("x", after, _before(change, Redacted)) == text


@given(texts, blocks, blocks)
def test_replacing_a_block_keeps_all_around_it(text: str | None, first: str, second: str) -> None:
    """And can be taken back too."""
    if not first or not second:
        return
    once = _with_block("x", text, first)
    twice = _with_block("x", once, second)
    assert once is not None
    assert twice is not None
    assert twice == once.replace(first, second)
    assert _restore("x", twice, Before(block=Redacted(first), tail="", existed=True)) == once


def test_line_ends_of_the_file_are_kept() -> None:
    """A Windows file stays one."""
    text = "# Rules\r\n"
    after = _with_block("x", text, f"{BEGIN}\nx\n{END}\n")
    assert after is not None
    assert "\n" not in after.replace("\r\n", "")
    assert _restore("x", after, _before(Change("x", Path("x"), text, after), Redacted)) == text
