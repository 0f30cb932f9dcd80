"""When a server drafts synthesis reports by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from diarist.app.memory import Memory
from diarist.bootstrap import open_memory
from diarist.errors import UsageError

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
RUN = "Fix the deadlock of two checkouts, case {}\nWorked:\n- lock the order rows in id order\nFailed:\n- retrying hid the deadlock\n"


class Clock:
    """The time, as the test sets it."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> Clock:
    """Noon."""
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    """A workspace without a schedule that holds three runs about one thing."""
    with closing(open_memory(tmp_path / "ws", environ={"HOME": str(tmp_path)}, now=clock)) as made:
        add(made, 3)
        yield made


def add(memory: Memory, count: int, project: str = "demo", at: datetime = NOW) -> None:
    """So many runs, an hour apart."""
    for number in range(count):
        name = f"{project}-{at:%d}-{number}"
        created = at - timedelta(hours=number + 1)
        memory.add_entry(task_id=name, transcript=RUN.format(number), project=project, created_at=created)


def scheduled(tmp_path: Path, clock: Clock, every: str) -> Memory:
    """The workspace as a server with this setting opens it."""
    config = tmp_path / "config" / "diarist" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f"[synthesis]\nevery = '{every}'\n")
    return open_memory(tmp_path / "ws", environ={"XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": str(tmp_path)}, now=clock)


def test_a_server_drafts_when_a_projects_last_report_is_old_enough(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    """As `synthesis.every` says; never by default; no report about nothing."""
    assert memory.draft_due_reports() == memory.due_projects() == []
    with closing(scheduled(tmp_path, clock, "7d")) as server:
        assert server.due_projects() == ["demo"]
        assert server.draft_due_reports() == ["demo"]
        assert server.draft_due_reports() == server.due_projects() == []
        clock.at = NOW + timedelta(days=6, hours=23)
        assert server.draft_due_reports() == []
        clock.at = NOW + timedelta(days=7)
        assert server.draft_due_reports() == ["demo"]
        clock.at = NOW + timedelta(days=60)
        assert server.draft_due_reports() == []
    names = sorted(path.name for path in (tmp_path / "ws" / "projects" / "demo" / "runtime" / "syntheses").iterdir())
    assert names == ["2026-11-30.md", "2026-12-07.md"]


def test_each_project_has_a_schedule_of_its_own(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    """A report that a person drafted puts off that project's next one, not another's; one of another window puts off none."""
    add(memory, 3, project="other")
    memory.synthesize(project="demo", write=True)
    memory.synthesize(project="other", since="2d", write=True)
    with closing(scheduled(tmp_path, clock, "1d")) as server:
        assert server.draft_due_reports() == ["other"]


def test_the_window_of_a_rare_schedule_leaves_no_gap(memory: Memory, clock: Clock, tmp_path: Path) -> None:
    """Every 30 days looks back 30 days, not 14; a setting that is no span is named."""
    add(memory, 3, at=NOW - timedelta(days=20))
    with closing(scheduled(tmp_path, clock, "30d")) as server:
        assert server.draft_due_reports() == ["demo"]
        written = server.find_report(project="demo", since="30d")
        assert written is not None
        assert "entries: 6\n" in written.file.read_text()
    with closing(scheduled(tmp_path, clock, "soon")) as server, pytest.raises(UsageError, match="soon"):
        server.draft_due_reports()
