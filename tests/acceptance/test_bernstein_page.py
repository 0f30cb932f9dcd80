"""Every command, field, path and default of Bernstein's page on diary and synthesis works here."""

from __future__ import annotations

import hashlib
import json
import random
import stat
import string
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import yaml

Run = Callable[..., "CompletedProcess[str]"]
NOW = datetime.now(UTC).replace(microsecond=0)
FIELDS = {"task_id", "tried", "worked", "failed", "rationale", "tags", "redaction_hash", "created_at", "schema_version"}
TEXT = """Fix the backend retry storm, case {}
Tried:
- add jitter to the retry
- raise the retry limit
Worked:
- add jitter to the retry
Failed:
- raise the retry limit
Rationale: all clients of the backend retried in the same second
"""


@pytest.fixture
def tree(diarist: Run, home: Path) -> Path:
    """A project with an active SDD tree, and three tasks closed in it."""
    folder = home / "service"
    (folder / ".git").mkdir(parents=True)
    (folder / ".sdd").mkdir()
    for number in range(40, 43):
        done = diarist(
            "diary", "add", "-", "--task-id", f"task-{number}", "--created-at", ago(hours=number), stdin=TEXT.format(number), cwd=folder
        )
        assert done.returncode == 0, done.stderr
    return folder


def ago(**span: int) -> str:
    """A time so long before now, as an option."""
    return (NOW - timedelta(**span)).isoformat()


def knowledge(diarist: Run, tree: Path, *arguments: str) -> CompletedProcess[str]:
    """`bernstein knowledge …`, as `diarist knowledge …`."""
    return diarist("knowledge", *arguments, cwd=tree)


def report_file(tree: Path) -> Path:
    """The day's report."""
    return tree / ".sdd" / "runtime" / "syntheses" / f"{datetime.now(UTC):%Y-%m-%d}.md"


def test_diary_list_lists_every_entry(diarist: Run, tree: Path) -> None:
    """As a table and as JSON."""
    listed = knowledge(diarist, tree, "diary", "list")
    assert listed.returncode == 0
    assert listed.stdout.count("retry storm") == 3
    assert [each["task_id"] for each in json.loads(knowledge(diarist, tree, "diary", "list", "--json").stdout)] == [
        "task-40",
        "task-41",
        "task-42",
    ]


def test_diary_show_takes_a_task_id(diarist: Run, tree: Path) -> None:
    """With all nine fields."""
    shown = json.loads(knowledge(diarist, tree, "diary", "show", "task-42", "--json").stdout)
    assert set(shown) >= FIELDS
    assert "add jitter to the retry" in shown["worked"]
    assert "raise the retry limit" in shown["failed"]
    assert "same second" in shown["rationale"]
    assert shown["schema_version"] == 1
    assert all(tag == tag.lower() for tag in shown["tags"])
    assert len(set(shown["tags"])) == len(shown["tags"])
    assert len(shown["redaction_hash"]) == 64
    assert datetime.fromisoformat(shown["created_at"]).utcoffset() == timedelta(0)
    unknown = knowledge(diarist, tree, "diary", "show", "nope")
    assert unknown.returncode == 1
    assert "nope" in unknown.stderr


def test_synthesize_writes_an_unapproved_report_of_the_window(diarist: Run, tree: Path) -> None:
    """Under runtime/syntheses of the active tree."""
    done = knowledge(diarist, tree, "synthesize", "--since", "14d")
    assert done.returncode == 0, done.stderr
    assert f"Wrote synthesis report: {report_file(tree)}" in done.stdout
    assert "approved: False" in done.stdout
    front = yaml.safe_load(report_file(tree).read_text().split("---\n")[1])
    assert front["approved"] is False
    assert front["theme_count"] == 1
    assert stat.S_IMODE(report_file(tree).stat().st_mode) == 0o600
    assert [path.name for path in report_file(tree).parent.iterdir()] == [report_file(tree).name]


def test_dry_run_renders_to_standard_output_without_writing(diarist: Run, tree: Path) -> None:
    """The same report."""
    done = knowledge(diarist, tree, "synthesize", "--since", "7d", "--dry-run")
    assert done.returncode == 0
    assert "# Diary synthesis report" in done.stdout
    assert "## Proposed adjustment: " in done.stdout
    assert not report_file(tree).exists()


def test_apply_is_the_gate(diarist: Run, tree: Path) -> None:
    """It approves what was read, and a later run does not take that back."""
    knowledge(diarist, tree, "synthesize", "--since", "7d")
    read = report_file(tree).read_text().split("---\n", 2)[2]
    done = knowledge(diarist, tree, "synthesize", "--since", "7d", "--apply")
    assert done.returncode == 0, done.stderr
    approved = report_file(tree).read_text()
    assert yaml.safe_load(approved.split("---\n")[1])["approved"] is True
    assert approved.split("---\n", 2)[2] == read
    knowledge(diarist, tree, "synthesize", "--since", "7d")
    assert report_file(tree).read_text() == approved


@pytest.mark.parametrize("since", ["2d", "48h", "2880m", "172800s", "2"])
def test_since_accepts_days_hours_minutes_seconds_and_bare_days(diarist: Run, tree: Path, since: str) -> None:
    """Exactly: tasks of 40 to 42 hours ago."""
    told = json.loads(knowledge(diarist, tree, "synthesize", "--since", since, "--dry-run", "--json").stdout)
    assert told["entries"] == 3
    start, end = (datetime.fromisoformat(told[name]) for name in ("window_start", "window_end"))
    assert end - start == timedelta(days=2)
    assert json.loads(knowledge(diarist, tree, "synthesize", "--since", "41h", "--dry-run", "--json").stdout)["entries"] < 3


def test_defaults_are_those_of_the_page(diarist: Run, tree: Path) -> None:
    """But for the size: one entry is no pattern."""
    told = json.loads(knowledge(diarist, tree, "synthesize", "--dry-run", "--json").stdout)["parameters"]
    assert (told["since"], told["threshold"], told["min_cluster_size"]) == ("14d", 0.34, 2)


def test_clusters_below_the_least_size_are_dropped_and_the_largest_come_first(diarist: Run, tree: Path) -> None:
    """By size descending."""
    for number in range(2):
        text = f"Renew the tls certificate of the proxy\nWorked:\n- reload the proxy from a hook {number}\n"
        diarist("diary", "add", "-", "--task-id", f"cert-{number}", "--created-at", ago(hours=5), stdin=text, cwd=tree)

    def sizes(*arguments: str) -> list[int]:
        told = json.loads(knowledge(diarist, tree, "synthesize", "--dry-run", "--json", *arguments).stdout)
        return [theme["size"] for theme in told["themes"]]

    assert sizes() == [3, 2]
    assert sizes("--min-cluster-size", "3") == [3]
    assert sizes("--min-cluster-size", "4") == []


def test_the_proposed_diff_is_markdown_with_plus_and_minus_lines(diarist: Run, tree: Path) -> None:
    """A review aid, never applied."""
    [theme] = json.loads(knowledge(diarist, tree, "synthesize", "--dry-run", "--json").stdout)["themes"]
    lines = theme["proposed_diff"].splitlines()
    assert any(line.startswith("+ add jitter to the retry (3 of 3") for line in lines)
    assert any(line.startswith("- raise the retry limit (3 of 3") for line in lines)


def test_entries_stand_where_the_page_says_and_verify(diarist: Run, home: Path) -> None:
    """runtime/diaries/<task_id>.json; two transcripts that differ only in what is masked verify against one entry."""
    folder = home / "masked"
    (folder / ".git").mkdir(parents=True)
    (folder / ".sdd").mkdir()
    keys = ["ghp_" + "".join(random.Random(seed).choices(string.ascii_letters + string.digits, k=36)) for seed in (1, 2)]
    texts = [f"Deploy with {key}\nWorked:\n- rotate it\n" for key in keys]
    assert diarist("diary", "add", "-", "--task-id", "task-42", stdin=texts[0], cwd=folder).returncode == 0
    published = [path for path in home.rglob("task-42.json") if path.parts[-3:-1] == ("runtime", "diaries")]
    assert len(published) == 1
    entry = json.loads(published[0].read_text())
    assert set(entry) >= FIELDS
    assert keys[0] not in published[0].read_text()
    masked = texts[0].replace(keys[0], diarist("redact", "-", stdin=keys[0]).stdout.strip())
    assert entry["redaction_hash"] == hashlib.sha256(masked.encode()).hexdigest()
    for text in texts:
        assert diarist("diary", "verify", "task-42", "--transcript", "-", stdin=text, cwd=folder).returncode == 0
    assert diarist("diary", "verify", "task-42", "--transcript", "-", stdin=texts[0] + "more", cwd=folder).returncode == 1


def test_a_tree_of_bernsteins_own_is_taken_over_and_synthesized(diarist: Run, home: Path) -> None:
    """Bad files are named and skipped, whatever they hold."""
    folder = home / "theirs"
    diaries = folder / ".sdd" / "runtime" / "diaries"
    diaries.mkdir(parents=True)
    (folder / ".git").mkdir()
    for number in range(3):
        entry = {
            "created_at": ago(hours=number + 1),
            "failed": ["raise the retry limit"],
            "rationale": "all clients retried at once",
            "redaction_hash": "0" * 64,
            "schema_version": 1,
            "tags": ["backend", "retry"],
            "task_id": f"their-{number}",
            "tried": ["add jitter"],
            "worked": ["add jitter to the backend retry"],
        }
        (diaries / f"their-{number}.json").write_text(json.dumps(entry))
    for name, content in (("a.json", b"42"), ("b.json", b"null"), ("c.json", b"\xff\xfe"), ("d.json", b"[" * 5000), ("e.json", b"")):
        (diaries / name).write_bytes(content)
    synced = diarist("sync", ".sdd", cwd=folder)
    assert "Traceback" not in synced.stderr
    for name in "abcde":
        assert f"{name}.json" in synced.stdout + synced.stderr
    [theme] = json.loads(knowledge(diarist, folder, "synthesize", "--dry-run", "--json").stdout)["themes"]
    assert theme["size"] == 3
