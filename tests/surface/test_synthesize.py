"""`diarist synthesize` and `diarist review`: what a user types and reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., "CompletedProcess[str]"]
NOW = "2026-11-30T12:00"
TEXT = "Fix the deadlock of two checkouts, case {}\nWorked:\n- lock the order rows in id order\nFailed:\n- retrying hid the deadlock\n"


@pytest.fixture
def shop(diarist: Run, home: Path) -> Path:
    """A checkout of which the diary tells three runs about one thing."""
    folder = home / "shop"
    (folder / ".git").mkdir(parents=True)
    for number in range(3):
        done = diarist(
            "diary",
            "add",
            "-",
            "--task-id",
            f"t{number}",
            "--created-at",
            f"2026-11-29T1{number}:00",
            stdin=TEXT.format(number),
            cwd=folder,
        )
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def synthesize(diarist: Run, shop: Path) -> Run:
    """The command, in that checkout, at that time."""
    return lambda *arguments, **options: diarist("synthesize", "--now", NOW, *arguments, cwd=shop, **options)


def test_a_draft_is_read_approved_and_found(diarist: Run, synthesize: Run, shop: Path) -> None:
    """The whole way of a person."""
    drafted = synthesize()
    assert drafted.returncode == 0, drafted.stderr
    assert "Wrote synthesis report: " in drafted.stdout
    assert "approved: False" in drafted.stdout
    file = Path(drafted.stdout.split("report: ")[1].splitlines()[0])
    assert file.name == "2026-11-30.md"
    listed = diarist("review", "list", cwd=shop)
    assert "theme-" in listed.stdout
    assert "1 proposal" in listed.stdout
    approved = synthesize("--apply", "--why", "read it")
    assert approved.returncode == 0, approved.stderr
    assert "1 theme became a lesson" in approved.stdout
    assert file.read_text().startswith("---\napproved: true\n")
    found = diarist("search", "deadlock checkouts", "--kind", "lesson", cwd=shop).stdout
    assert "Do: lock the order rows" in found or "Avoid: retrying hid" in found
    again = synthesize("--apply")
    assert again.returncode == 0
    assert "approved already" in again.stdout


def test_dry_run_prints_the_report_and_writes_nothing(synthesize: Run, home: Path) -> None:
    """As JSON too."""
    before = sorted(home.rglob("*"))
    done = synthesize("--dry-run")
    assert done.stdout.startswith("---\napproved: false\n")
    assert "+ lock the order rows in id order (3 of 3" in done.stdout
    [theme] = json.loads(synthesize("--dry-run", "--json").stdout)["themes"]
    assert theme["size"] == 3
    assert [path for path in sorted(home.rglob("*")) if "diarist.db" not in path.name] == [p for p in before if "diarist.db" not in p.name]


def test_apply_without_a_draft_makes_one_shows_it_and_asks(diarist: Run, synthesize: Run, shop: Path) -> None:
    """Where nobody can answer, it stays a draft unless --yes was given."""
    asked = synthesize("--apply")
    assert asked.returncode == 1
    assert "lock the order rows" in asked.stdout
    assert "Not approved" in asked.stderr
    assert "theme-" in diarist("review", "list", cwd=shop).stdout
    assert synthesize("--apply").returncode == 0  # the draft has been shown: it is what is approved now
    told = synthesize("--since", "2d", "--apply", "--yes", "--json")
    assert json.loads(told.stdout)["approved"] is True


def test_json_tells_the_report_and_where_it_is(synthesize: Run) -> None:
    """One document."""
    told = json.loads(synthesize("--json").stdout)
    assert Path(told["path"]).is_file()
    assert told["approved"] is False
    assert told["report"]["themes"][0]["size"] == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--dry-run", "--apply"), "give one of them"),
        (("--write-targets",), "--apply"),
        (("--since", "xyz"), "xyz"),
        (("--since", ""), "span of time"),
        (("--since", "99999999999d"), "hundred years"),
        (("--threshold", "nan"), "threshold"),
        (("--threshold", "2"), "threshold"),
        (("--min-cluster-size", "0"), "at least 1"),
        (("--now", "noon"), "--now"),
        (("--all-projects", "--apply"), "--project NAME"),
    ],
)
def test_bad_usage_is_exit_code_2_and_says_what_is_wrong(synthesize: Run, arguments: tuple[str, ...], says: str) -> None:
    """Bernstein takes some of them silently, and ends others with a traceback."""
    done = synthesize(*arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_another_projects_report_and_all_of_them(diarist: Run, synthesize: Run, shop: Path, home: Path) -> None:
    """By name, from anywhere."""
    nothing = diarist("synthesize", "--now", NOW, "--dry-run")
    assert "No diary entries within the last 14d" in nothing.stdout
    named = diarist("synthesize", "--now", NOW, "--dry-run", "--project", str(shop))
    assert "deadlock" in named.stdout
    everything = diarist("synthesize", "--now", NOW, "--all-projects")
    assert everything.stdout.count("Wrote synthesis report") == 1


def test_targets_are_shown_written_and_taken_back(diarist: Run, synthesize: Run, shop: Path, home: Path) -> None:
    """On request only."""
    config = home / ".config" / "diarist" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[synthesis]\ntargets = ["AGENTS.md"]\n')
    (shop / "AGENTS.md").write_text("# Rules\n")
    synthesize()
    refused = synthesize("--apply", "--write-targets")
    assert refused.returncode == 1
    assert "+- Do: lock the order rows in id order" in refused.stderr
    assert (shop / "AGENTS.md").read_text() == "# Rules\n"
    done = synthesize("--apply", "--write-targets", "--yes")
    assert done.returncode == 0, done.stderr
    assert "diarist:begin" in (shop / "AGENTS.md").read_text()
    back = diarist("review", "revert-targets", "--yes", cwd=shop)
    assert back.returncode == 0, back.stderr
    assert (shop / "AGENTS.md").read_text() == "# Rules\n"
    assert "nothing to take back" in diarist("review", "revert-targets", cwd=shop).stdout


def test_nothing_is_approved_where_there_is_no_target_to_write(diarist: Run, synthesize: Run, shop: Path) -> None:
    """Bad usage is told before anything is done."""
    synthesize()
    done = synthesize("--apply", "--yes", "--write-targets")
    assert done.returncode == 2
    assert "no target is configured" in done.stderr
    assert "1 proposal" in diarist("review", "list", cwd=shop).stdout


def test_a_projects_own_settings_hold_in_it(synthesize: Run, shop: Path) -> None:
    """From a folder below too; and a report that was drafted where it was published before is drafted anew at the new place."""
    synthesize()
    (shop / ".diarist").mkdir()
    (shop / ".diarist" / "config.toml").write_text('[synthesis]\ntargets = ["AGENTS.md"]\n', encoding="utf-8")
    drafted = synthesize()
    assert Path(drafted.stdout.split("report: ")[1].splitlines()[0]).is_file(), drafted.stdout
    done = synthesize("--apply", "--yes", "--write-targets")
    assert done.returncode == 0, done.stderr
    assert "Do: lock the order rows" in (shop / "AGENTS.md").read_text(encoding="utf-8")


def test_a_draft_is_told_from_an_older_one_of_the_day_with_a_higher_number(diarist: Run, shop: Path) -> None:
    """What was written last is what --apply approves, whatever its number."""
    first = diarist("synthesize", "--now", "2026-11-30T12:00", cwd=shop).stdout.split("report: ")[1].splitlines()[0]
    with Path(first).open("a", encoding="utf-8") as file:
        file.write("a remark\n")
    assert "2026-11-30-2.md" in diarist("synthesize", "--now", "2026-11-30T12:10", cwd=shop).stdout
    Path(first).unlink()
    assert f"{first}\n" in diarist("synthesize", "--now", "2026-11-30T12:20", cwd=shop).stdout
    assert f"Approved: {first}" in diarist("synthesize", "--apply", cwd=shop).stdout


def test_review_shows_edits_accepts_rejects_and_reopens(diarist: Run, synthesize: Run, shop: Path) -> None:
    """One theme, its whole life."""
    synthesize()

    def review(*arguments: str, stdin: str | None = None) -> CompletedProcess[str]:
        return diarist("review", *arguments, cwd=shop, stdin=stdin)

    shown = review("show", "theme-")
    assert "+ lock the order rows in id order" in shown.stdout
    digest = json.loads(review("show", "theme-", "--json").stdout)["digest"]
    assert f"digest: {digest}" in shown.stdout
    edited = review("edit", "theme-", "-", "--title", "Mind the locks", stdin="Take the rows in id order.")
    assert "Mind the locks" in edited.stdout
    stale = review("accept", "theme-", "--seen", digest[:10])
    assert stale.returncode == 1
    assert "changed since you read it" in stale.stderr
    accepted = json.loads(review("accept", "theme-", "--why", "true", "--by", "kim", "--json").stdout)
    assert (accepted["state"], accepted["decisions"][0]["who"], accepted["decisions"][0]["why"]) == ("accepted", "kim", "true")
    twice = review("reject", "theme-")
    assert twice.returncode == 1
    assert "accepted already" in twice.stderr
    assert review("reopen", "theme-").returncode == 0
    assert review("reject", "theme-", "--why", "known").returncode == 0
    assert "Nothing waits for review." in review("list").stdout
    assert [each["state"] for each in json.loads(review("list", "--all", "--json").stdout)] == ["rejected"]
    assert "withheld_themes: 1" in synthesize("--dry-run").stdout


def test_review_accept_takes_a_whole_report_by_its_day(diarist: Run, synthesize: Run, shop: Path) -> None:
    """As --apply does."""
    synthesize()
    done = diarist("review", "accept", "2026-11-30", "--why", "read", cwd=shop)
    assert done.returncode == 0, done.stderr
    assert "Approved: " in done.stdout
    unknown = diarist("review", "accept", "2026-11-01", cwd=shop)
    assert unknown.returncode == 1
    assert "review list" in unknown.stderr


def test_a_report_that_cannot_be_written_is_an_error_with_a_cause_and_cannot_be_approved(synthesize: Run, shop: Path) -> None:
    """Bernstein ends with a traceback. Once the way is free, the next run writes it."""
    (shop / ".sdd" / "runtime").mkdir(parents=True)
    blocking = shop / ".sdd" / "runtime" / "syntheses"
    blocking.write_text("in the way")
    failed = synthesize()
    assert failed.returncode == 1
    assert "cannot write" in failed.stderr
    assert "Traceback" not in failed.stderr
    refused = synthesize("--apply", "--yes")
    assert refused.returncode == 1
    assert "gone" in refused.stderr
    blocking.unlink()
    assert synthesize().returncode == 0
    assert synthesize("--apply").returncode == 0


def test_terminal_escapes_in_a_transcript_reach_no_terminal(diarist: Run, shop: Path) -> None:
    """Bernstein prints them as they are."""
    evil = "Fix the \x1b]0;owned\x07 pager \x1b[2J scrolling\nWorked:\n- reset \x1b[31mthe pager\n"
    for number in range(2):
        diarist("diary", "add", "-", "--task-id", f"e{number}", "--created-at", "2026-11-29T12:00", stdin=evil, cwd=shop)
    for arguments in (
        ("synthesize", "--now", NOW, "--dry-run"),
        ("synthesize", "--now", NOW),
        ("review", "list"),
        ("review", "list", "--json"),
    ):
        done = diarist(*arguments, cwd=shop)
        assert done.returncode == 0
        assert "\x1b" not in done.stdout + done.stderr
