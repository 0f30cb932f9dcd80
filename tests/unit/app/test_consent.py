"""What a user keeps out stays out of every import."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from builders import ClaudeSession
from diarist.app.consent import may_capture, pause, resume, withhold_rules
from diarist.app.spool import leave_out, paused
from diarist.bootstrap import open_memory
from diarist.config import Settings, load_settings
from diarist.errors import InvalidInputError


def settings_of(tmp_path: Path, toml: str = "") -> Settings:
    config = tmp_path / "config"
    (config / "diarist").mkdir(parents=True, exist_ok=True)
    (config / "diarist" / "config.toml").write_text(toml, encoding="utf-8")
    return load_settings(tmp_path / "ws", environ={"HOME": "/home/kim", "XDG_CONFIG_HOME": str(config), "APPDATA": str(config)})


def test_nothing_is_kept_out_by_default(tmp_path: Path) -> None:
    assert may_capture(settings_of(tmp_path), "s", "/home/kim/work")
    assert may_capture(settings_of(tmp_path), "", "")


@pytest.mark.parametrize(
    ("cwd", "allowed"),
    [
        ("/home/kim/clients/acme", False),
        ("/home/kim/clients/acme/src/deep", False),
        ("/home/kim/work", True),
        ("/home/kim/client", True),
        ("/srv/secret-one/x", False),
        ("/srv/open/x", True),
        ("", True),
    ],
)
def test_folders_that_fit_a_pattern_are_left_alone(tmp_path: Path, cwd: str, allowed: bool) -> None:
    settings = settings_of(tmp_path, '[capture]\nignore_paths = ["~/clients/*", "/srv/secret-*"]\n')
    assert may_capture(settings, "s", cwd) is allowed


def test_a_projects_own_patterns_count_below_it(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".diarist").mkdir(parents=True)
    (project / ".diarist" / "ignore").write_text("# comment\n\nprivate/*\n", encoding="utf-8")
    for name, allowed in (("private/plans", False), ("private/plans/deep", False), ("src", True), (".", True)):
        folder = project / name
        folder.mkdir(parents=True, exist_ok=True)
        assert may_capture(settings_of(tmp_path), "s", str(folder.resolve())) is allowed
    (project / ".diarist" / "ignore").write_text("\n", encoding="utf-8")
    assert not may_capture(settings_of(tmp_path), "s", str(project / "src"))


def test_a_session_that_opted_out_is_left_out_of_an_import(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    private, public = (ClaudeSession(number).prompt(f"Work {number}").bash("ls", "a").reply("Done.") for number in (1, 2))
    leave_out(str(tmp_path / "ws"), private.id)
    with open_memory(tmp_path / "ws") as memory:
        report = memory.ingest([private.write(tmp_path / "t"), public.write(tmp_path / "t")])
        assert [entry.session_id for entry in report.entries] == [public.id]
        assert not list(memory.search("Work 1", limit=5))[1:]


def test_what_happened_in_a_pause_is_not_imported_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = ClaudeSession(1, start=datetime(2026, 11, 2, 9, tzinfo=UTC))
    session.prompt("Before the pause").bash("make", "ok")
    first = len(session.records)
    session.prompt("During the pause").reply("hidden words")
    times = [datetime.fromisoformat(record["timestamp"]).timestamp() for record in session.records]
    (tmp_path / "ws").mkdir()
    clock = iter([times[first] - 1, times[-1] + 1])
    monkeypatch.setattr(time, "time", lambda: next(clock))
    pause(tmp_path / "ws", None)
    resume(tmp_path / "ws")
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    with open_memory(tmp_path / "ws") as memory:
        [entry] = memory.ingest([session.write(tmp_path / "t")]).entries
        text = memory.transcript(entry.id)
    assert "Before the pause" in text
    assert "hidden words" not in text
    assert "During the pause" not in text


def test_a_pause_ends_by_itself_or_when_told(tmp_path: Path) -> None:
    place = tmp_path / "ws"
    assert not resume(tmp_path)
    pause(place, time.time() + 60)
    assert paused(str(place))
    pause(place, time.time() - 1)
    assert not paused(str(place))
    pause(place, None)
    assert paused(str(place))
    assert resume(place)
    assert not paused(str(place))
    assert all(end <= datetime.now(UTC) for _, end in withhold_rules(settings_of(tmp_path)).pauses)


def test_private_parts_and_withheld_turns_are_in_no_evidence(tmp_path: Path) -> None:
    settings_of(tmp_path, '[capture]\nignore_prompts = ["salar(y|ies)"]\nignore_paths = ["*/.env"]\n')
    environ = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config"), "APPDATA": str(tmp_path / "config")}
    session = ClaudeSession(1).prompt("Fix it <private>for Jo</private> please").bash("cat app/.env", "word-in-env").reply("Fixed.")
    session.prompt("What about salaries?").reply("word-in-reply").prompt("Next").reply("word-kept")
    with open_memory(tmp_path / "ws", environ=environ) as memory:
        [entry] = memory.ingest([session.write(tmp_path / "t")]).entries
        text = memory.transcript(entry.id)
        assert memory.verify(entry.id).ok
    assert "word-kept" in text
    assert not [word for word in ("for Jo", "word-in-env", "salaries", "word-in-reply") if word in text]


def test_a_pattern_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="ignore_prompts"):
        withhold_rules(settings_of(tmp_path, '[capture]\nignore_prompts = ["("]\n'))
