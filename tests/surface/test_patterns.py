"""`diarist patterns`, `skills`, `memory` and `migrate`: what a user types and reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from builders import ClaudeSession

Run = Callable[..., "CompletedProcess[str]"]
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MINE = ("patterns", "mine", "--now", "2026-11-30T12:00")


@pytest.fixture
def shop(diarist: Run, home: Path) -> Path:
    """A checkout whose diary tells of three sessions that did the same, and of some that did other things."""
    folder = home / "shop"
    (folder / ".git").mkdir(parents=True)
    for number in range(3):
        session = ClaudeSession(number + 1, cwd=str(folder), start=NOW - timedelta(days=number + 1)).prompt(f"cut release 1.{number}")
        session.bash("pytest -q", "9 passed").edit(str(folder / "CHANGELOG.md"), "a", "b").bash(f"git tag v1.{number}", "")
        session.reply("Released.").write(home / "sessions")
    for number, prompt in enumerate(("what is a monad", "draw a cat in ascii", "name three birds")):
        ClaudeSession(number + 11, cwd=str(folder), start=NOW - timedelta(days=2)).prompt(prompt).reply("Here.").write(home / "sessions")
    done = diarist("ingest", home / "sessions", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_a_habit_becomes_a_skill_that_a_later_session_is_told_of(diarist: Run, shop: Path) -> None:
    """The whole way of a person."""
    mined = diarist(*MINE, cwd=shop)
    assert mined.returncode == 0, mined.stderr
    assert "cut-release" in mined.stdout
    assert "1 proposal waiting for review" in mined.stdout
    assert "git tag" in diarist("review", "show", "cut-release", cwd=shop).stdout
    accepted = diarist("skills", "accept", "cut-release", cwd=shop)
    assert accepted.returncode == 0, accepted.stderr
    assert ".agents/skills/cut-release/SKILL.md (accepted)" in accepted.stdout
    assert "accepted" in diarist("skills", "list", cwd=shop).stdout
    assert diarist("skills", "validate", shop / ".claude" / "skills" / "cut-release", cwd=shop).returncode == 0
    assert "cut-release" in diarist("recall", "cut release 1.7", cwd=shop).stdout
    assert diarist("skills", "show", "cut-release", cwd=shop).stdout.startswith("---\nname: cut-release\n")


def test_a_dry_run_shows_and_files_nothing(diarist: Run, shop: Path) -> None:
    """As JSON too."""
    (found,) = json.loads(diarist(*MINE, "--dry-run", "--json", cwd=shop).stdout)
    assert (found["name"], found["support"]) == ("cut-release", 3)
    assert "No skill proposal" in diarist("patterns", "list", cwd=shop).stdout


def test_from_another_folder_it_is_said_where_a_proposal_is_and_where_its_files_go(diarist: Run, shop: Path, tmp_path: Path) -> None:
    diarist(*MINE, cwd=shop)
    other = tmp_path / "elsewhere"
    other.mkdir()
    assert "in this project; --all-projects shows others" in diarist("patterns", "list", cwd=other).stdout
    (shop / ".git").rmdir()
    shop.rename(shop.with_name("moved"))
    accepted = diarist("skills", "accept", "cut-release", cwd=other).stdout
    assert "No file was written: this folder is not of" in accepted
    assert "in this project" in diarist("skills", "list", cwd=other).stdout


def test_what_stands_in_the_way_is_told(diarist: Run, shop: Path) -> None:
    """A file of somebody else: the difference, and how to choose."""
    diarist(*MINE, cwd=shop)
    file = shop / ".agents" / "skills" / "cut-release" / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text("mine\n")
    refused = diarist("review", "accept", "cut-release", cwd=shop)
    assert refused.returncode == 1
    assert "was not written by Diarist" in refused.stderr
    assert "--overwrite" in refused.stderr
    assert diarist("skills", "accept", "cut-release", "--keep", cwd=shop).returncode == 0
    assert file.read_text() == "mine\n"
    assert "foreign" in diarist("skills", "list", cwd=shop).stdout


def test_disabling_is_heeded_until_it_is_enabled_again(diarist: Run, shop: Path) -> None:
    """By mining as by everything else."""
    assert "Learning is off" in diarist("patterns", "disable", cwd=shop).stdout
    mined = diarist(*MINE, cwd=shop)
    assert "disabled" in mined.stderr
    assert "No skill proposal" in mined.stdout
    diarist("patterns", "enable", cwd=shop)
    assert "cut-release" in diarist(*MINE, cwd=shop).stdout


def test_retiring_goes_through_the_queue(diarist: Run, shop: Path) -> None:
    """And takes the files away when it is accepted."""
    diarist(*MINE, cwd=shop)
    diarist("skills", "accept", "cut-release", cwd=shop)
    assert "retire-cut-release" in diarist("skills", "retire", "cut-release", "--why", "we use CI now", cwd=shop).stdout
    assert diarist("review", "accept", "retire-cut-release", cwd=shop).returncode == 0
    assert not (shop / ".agents" / "skills" / "cut-release").exists()
    assert "No skill was accepted yet" in diarist("skills", "list", cwd=shop).stdout


def test_a_skill_of_ones_own_is_filed_with_its_evidence(diarist: Run, shop: Path) -> None:
    """And refused without."""
    text = "---\nname: tag-it\ndescription: Tags. Use when asked to tag.\n---\n\n# Tag it\n\n1. git tag\n"
    ids = [entry["id"] for entry in json.loads(diarist("diary", "list", "--json", cwd=shop).stdout) if entry["title"].startswith("cut")]
    evidence = [part for each in ids for part in ("--evidence", each)]
    done = diarist("patterns", "propose", "-", *evidence, stdin=text, cwd=shop)
    assert done.returncode == 0, done.stderr
    assert "Filed tag-it (new)" in done.stdout
    assert diarist("patterns", "propose", "-", "--evidence", "kh-aaaaaaaaaaaaaaaa", stdin=text, cwd=shop).returncode == 1
    assert diarist("patterns", "propose", "-", "--evidence", ids[0], stdin="no frontmatter", cwd=shop).returncode == 1


def test_validate_names_each_fault_and_fails(diarist: Run, home: Path) -> None:
    """For any folder, with no workspace at all."""
    folder = home / "bad"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: other\nmodel: x\ndescription: y\n---\n# z\n")
    done = diarist("skills", "validate", folder)
    assert done.returncode == 1
    assert "not that of its folder" in done.stdout
    assert "unknown-field" in done.stdout
    assert diarist("skills", "validate", home / "nowhere").returncode == 1


def test_memory_is_stored_recalled_summarized_and_forgotten(diarist: Run) -> None:
    """The four verbs, and bad use of them."""
    assert diarist("memory", "store", "project/notes", "deploy", "the gateway needs a warm-up", "--tag", "ops").returncode == 0
    assert diarist("memory", "store", "project/notes", "n", '{"a": 1}', "--json-value").returncode == 0
    assert "warm-up" in diarist("memory", "recall", "project/notes", "gateway").stdout
    assert "- deploy: the gateway" in diarist("memory", "summarize", "project/notes").stdout
    item = json.loads(diarist("memory", "recall", "project/notes", "gateway", "--json").stdout)["hits"][0]["item"]
    assert diarist("memory", "update", "project/notes", item["id"], '{"tags": ["done"]}').returncode == 0
    assert "1 item forgotten" in diarist("memory", "forget", "project/notes", "--tag", "done").stdout
    assert "Nothing fits" in diarist("memory", "recall", "project/notes", "gateway").stdout
    assert diarist("memory", "store", "../out", "k", "v").returncode == 1
    assert diarist("memory", "forget", "project/notes").returncode == 2
    assert diarist("memory", "store", "a", "k", "{", "--json-value").returncode == 2


def test_memory_goes_out_and_in_as_events(diarist: Run, home: Path) -> None:
    """Harn's form."""
    diarist("memory", "store", "a/b", "k", "v", "--id", "1")
    out = diarist("memory", "export", "a/b").stdout
    assert json.loads(out)["type"] == "store"
    file = home / "events.jsonl"
    file.write_text(out + "{torn")
    done = diarist("memory", "import", file, "c/d", "--dry-run")
    assert done.returncode == 1
    assert "torn" in done.stderr
    assert "1 stored" in diarist("migrate", "events", file, "c/d").stdout
    assert "1 known" in diarist("memory", "import", file, "c/d").stdout


def test_migration_is_tried_done_and_done_only_once(diarist: Run, home: Path) -> None:
    """Burin's legacy stores."""
    shop = home / "shop"
    legacy = shop / ".harn" / "session-store"
    legacy.mkdir(parents=True)
    record = {
        "id": "1",
        "session_id": "s",
        "prompt": "cut a release",
        "tool_sequence": ["read_file"],
        "observed_at": "2026-11-20T09:00:00Z",
    }
    line = json.dumps({"payload": {"kind": "upsert", "record": record}})
    (legacy / "burin.agent_context.pattern_learning.observations.jsonl").write_text(line + "\n")
    assert "Would take over 1 observation" in diarist("migrate", "burin", shop, "--dry-run", cwd=shop).stdout
    assert json.loads(diarist("migrate", "burin", shop, "--json", cwd=shop).stdout) == {"migrated": True, "observations": 1}
    assert json.loads(diarist("migrate", "burin", shop, "--json", cwd=shop).stdout) == {"migrated": False, "already_done": True}
    assert diarist("migrate", "burin", home / "nowhere").returncode == 2
    assert diarist("migrate", "sessions", home / "none.sqlite").returncode == 1


def test_a_skill_that_was_accepted_elsewhere_comes_with_the_next_sync(diarist: Run, shop: Path, home: Path) -> None:
    """Into a checkout that holds nothing of Diarist's yet; edited files stay, and a second time there is nothing to do."""
    diarist(*MINE, cwd=shop)
    assert diarist("skills", "accept", "cut-release", cwd=home).returncode == 0
    assert not (shop / ".agents").exists()
    assert "missing" in diarist("skills", "list", "--project", str(shop), cwd=home).stdout
    done = diarist("sync", cwd=shop)
    assert done.returncode == 0, done.stderr
    assert "Wrote .agents/skills/cut-release/SKILL.md" in done.stdout
    assert (shop / ".claude" / "skills" / "cut-release" / "SKILL.md").is_file()
    assert diarist("sync", cwd=shop).returncode == 2


def test_the_review_of_a_skill_shows_what_it_rests_on_and_what_stands_in_the_way(diarist: Run, shop: Path) -> None:
    """Entries to look up, quotes, and reasons; for a new version the difference to the one that is accepted."""
    diarist(*MINE, cwd=shop)
    shown = diarist("review", "show", "cut-release", cwd=shop).stdout
    (proposal,) = json.loads(diarist("patterns", "list", "--json", cwd=shop).stdout)
    assert shown.count("# Cut release") == 1
    assert all(f"  {each}" in shown for each in proposal["evidence"])
    assert '"cut release 1.0"' in shown
    assert diarist("diary", "show", proposal["evidence"][0], cwd=shop).returncode == 0
    diarist("review", "edit", "cut-release", "-", stdin="no heading\n" * 600, cwd=shop)
    assert "It cannot be accepted as it is: it has" in diarist("review", "show", "cut-release", cwd=shop).stdout


def test_every_project_is_mined_at_once(diarist: Run, shop: Path, home: Path) -> None:
    """Each for itself."""
    assert "cut-release" in diarist(*MINE, "--all-projects", cwd=home).stdout
    assert diarist(*MINE, "--all-projects", "--project", "x", cwd=home).returncode == 2
    assert "cut-release" in diarist("patterns", "list", cwd=shop).stdout


def test_a_bernstein_tree_is_tried_before_it_is_taken_over(diarist: Run, home: Path) -> None:
    """The dry run looks at what is here already; the tree stays as it is."""
    folder = home / "shop" / ".sdd" / "runtime" / "diaries"
    folder.mkdir(parents=True)
    diary = {
        "task_id": "t1",
        "tried": ["a"],
        "worked": ["b"],
        "failed": [],
        "tags": [],
        "rationale": "",
        "created_at": "2026-11-20T09:00:00Z",
    }
    (folder / "t1.json").write_text(json.dumps(diary))
    sdd = home / "shop" / ".sdd"
    assert "Would take over 1 entry" in diarist("migrate", "sdd", sdd, "--dry-run").stdout
    assert diarist("diary", "list").stdout.count("t1") == 0
    assert "1 entry added" in diarist("migrate", "sdd", sdd).stdout
    assert "Would take over 0 entries; 0 would change; 1 known before" in diarist("migrate", "sdd", sdd, "--dry-run").stdout
    assert json.loads((folder / "t1.json").read_text()) == diary
