"""`diarist search` and `diarist recall` as people and programs call them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import pytest

import diarist
from diarist.asking import OPTIONS, read_plain
from diarist.cli.search import recall_command, search_command

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
RUN = """\
User: The import of the price list does not run.
$ python load.py
Traceback (most recent call last):
  File "load.py", line 1, in <module>
ModuleNotFoundError: No module named 'parcels'
[exit code 1]
Assistant: Installing what is missing.
$ pip install parcels
[exit code 0]
$ python load.py
done
[exit code 0]
"""
HOLDER = """
import sys, tantivy, glob
writer = tantivy.Index.open(glob.glob(sys.argv[1] + "/v-*")[0]).writer(15_000_000, 1)
print("held", flush=True)
sys.stdin.read()
"""
"""Another process that is writing the index."""
Ask = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Holds two notes and a run."""
    with diarist.open_memory(tmp_path / "ws") as memory:
        memory.add_note(title="Basket", body="Basket totals are cached in Redis.", project="shop", tags=("cache",), created_at=START)
        memory.add_note(title="Stock", body="Stock levels are cached too.", project="depot", created_at=START + timedelta(days=9))
        memory.add_entry(task_id="t1", transcript=RUN, project="shop", agent="codex", created_at=START + timedelta(days=3))
    return tmp_path / "ws"


@pytest.fixture
def ask(workspace: Path) -> Ask:
    def run(*arguments: str, stdin: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "diarist", *arguments]
        told = {**os.environ, "DIARIST_HOME": str(workspace), **environ}
        return subprocess.run(command, input=stdin, env=told, capture_output=True, text=True, timeout=60)

    return run


def titles(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return [hit["title"] for hit in json.loads(done.stdout)]


def test_words_find_and_matches_are_told(ask: Ask) -> None:
    done = ask("search", "basket", "totals", "--json")
    hit = json.loads(done.stdout)[0]
    assert [hit["snippet"][start:end] for start, end in hit["highlights"]] == ["Basket", "totals"]
    assert "Basket totals are cached in Redis." in ask("search", "basket totals").stdout


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--project", "shop"), ["Basket"]),
        (("--project=depot",), ["Stock"]),
        (("--tag", "cache"), ["Basket"]),
        (("--since", "2026-01-10"), ["Stock"]),
        (("--before", "2026-01-10"), ["Basket"]),
        (("--kind", "note", "--kind", "lesson"), ["Basket", "Stock"]),
        (("--kind", "entry"), []),
        (("--agent", "codex"), []),
        (("--limit", "1"), ["Basket"]),
    ],
)
def test_filters_as_options_are_those_of_the_query(ask: Ask, options: tuple[str, ...], found: list[str]) -> None:
    assert titles(ask("search", "cached", *options, "--json")) == found
    in_query = [f"{name.removeprefix('--')}:{value}" for name, value in zip(options[::2], options[1::2], strict=False)]
    if len(options) == 2 and "--limit" not in options:
        assert titles(ask("search", "cached", *in_query, "--json")) == found


def test_an_error_by_any_surface_form_and_narrowed(ask: Ask, tmp_path: Path) -> None:
    pasted = "ModuleNotFoundError: No module named 'parcels'\n"
    assert len(titles(ask("search", "--error", "-", "--json", stdin=pasted))) == 1
    (tmp_path / "out.txt").write_text(pasted)
    assert len(titles(ask("search", "--error", str(tmp_path / "out.txt"), "--agent", "codex", "--json"))) == 1
    assert titles(ask("search", "--error", "-", "--agent", "gemini", "--json", stdin=pasted)) == []
    recalled = ask("recall", "--error", "-", stdin=pasted)
    assert "pip install parcels" in recalled.stdout
    assert ask("recall", "--error", "-", "--project", "depot", stdin=pasted).stdout == ""


def test_of_an_error_it_is_said_who_met_that_very_one(ask: Ask) -> None:
    met = ask("search", "--error", "-", stdin="ModuleNotFoundError: No module named 'parcels'\n").stdout
    assert "    met this very error and solved it\n" in met
    assert "No run met" not in met
    alike = ask("search", "--error", "-", stdin="ImportError: cannot import the parcels module\n").stdout
    assert alike.startswith("No run met this very error. These met something in like words:\nkh-")
    assert "met this very error and" not in alike


def test_the_parts_of_a_score_are_printed_on_request(ask: Ask) -> None:
    shown = ask("search", "basket elephant", "--explain").stdout
    assert "words" in shown
    assert "does not hold elephant" in shown
    assert "does not hold" not in ask("search", "basket elephant").stdout


def test_a_typo_is_answered_in_words_that_records_use(ask: Ask) -> None:
    assert ask("search", "baskte").stdout == "Nothing found. Did you mean: basket?\n"
    assert ask("search", "elephants").stdout == "Nothing found.\n"


@pytest.mark.parametrize(
    ("arguments", "explained"),
    [
        (('"open',), "quote at character 1 is not closed"),
        (("outcome:great", "x"), "outcome is one of completed"),
        (("x", "--kind", "poem"), "kind is one of entry"),
        (("x", "--since", "soon"), "is not a date or a span of time"),
        (("agent:a", "agent:b"), "given twice"),
        (("x", "--limit", "0"), "range"),
        (("x", "--colour"), "No such option"),
        ((), "give a QUERY"),
        (("x", "--error", "-"), "not both"),
        (("--error", "/nothing/there"), "cannot read"),
    ],
)
def test_a_mistake_is_explained(ask: Ask, arguments: tuple[str, ...], explained: str) -> None:
    done = ask("search", *arguments)
    assert done.returncode == 2
    assert explained in done.stderr
    assert "Traceback" not in done.stderr


def test_what_the_index_does_not_know_yet_is_said(ask: Ask, workspace: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(workspace / "index")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as held:
        assert held.stdout is not None
        assert held.stdout.readline() == "held\n"
        with diarist.open_memory(workspace) as memory:
            memory.add_note(title="New", body="Another basket.")
        done = ask("search", "basket", "--json")
        assert "New" not in titles(done)
        assert "1 change is too new for the search index" in done.stderr
        held.communicate("")
    done = ask("search", "basket", "--json")
    assert {"Basket", "New"} <= set(titles(done))
    assert done.stderr == ""


def test_a_plain_search_loads_no_command_line_library(workspace: Path) -> None:
    told = {**os.environ, "DIARIST_HOME": str(workspace)}
    for arguments in (
        ["search", "basket"],
        ["recall", "how are basket totals cached"],
        ["--workspace", str(workspace), "search", "basket"],
    ):
        command = [sys.executable, "-X", "importtime", "-m", "diarist", *arguments]
        done = subprocess.run(command, env=told, capture_output=True, text=True, check=True, timeout=60)
        names = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
        assert not names & {"click", "rich", "msgspec", "inspect", "typing_extensions", "hashlib"}
        assert "Redis" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["basket"],
        ["basket", "totals", "--limit", "3", "--json"],
        ["--project=shop", "basket", "--here", "--explain"],
        ["basket", "--tag", "a", "--tag=b", "--file", "x.py", "--tool", "Bash", "--since", "3d"],
        ["--error", "-", "--kind", "entry"],
        ["basket", "--mode", "hybrid", "--outcome", "failed", "--workflow", "w", "--agent", "a", "--before", "1d"],
    ],
)
def test_both_ways_of_reading_a_command_line_agree(arguments: list[str]) -> None:
    assert read_plain("search", arguments) == by_click(search_command, arguments)


def test_recall_is_read_alike(capsys: pytest.CaptureFixture[str]) -> None:
    assert read_plain("recall", ["a", "b", "--budget", "500"]) == by_click(recall_command, ["a", "b", "--budget", "500"])
    for unusual in (
        ["x", "--budget", "1"],
        ["--help"],
        ["x", "-h"],
        ["x", "--", "y"],
        ["x", "--json=1"],
        ["x", "--mode", "best"],
        ["--error"],
    ):
        assert read_plain("recall", unusual) is None


def by_click(command: click.Command, arguments: list[str]) -> tuple[list[str], dict[str, Any]]:
    """What the full reader makes of it."""
    values = dict(command.make_context("x", list(arguments)).params)
    return list(values.pop("query")), values


def test_every_option_is_documented() -> None:
    assert all(option.help for options in OPTIONS.values() for option in options)


def test_an_amendment_can_be_looked_into_and_corrected(ask: Ask, workspace: Path) -> None:
    with diarist.open_memory(workspace) as memory:
        old = memory.add_note(title="Voucher limit", body="One voucher an order.", project="shop", created_at=START).id
        new = memory.add_note(title="Several", body="Customers may add what they like.", project="shop", created_at=START + timedelta(1)).id
    assert ask("hub", "node", new, "--supersedes", old).returncode == 0
    node = json.loads(ask("hub", "node", old, "--json").stdout)
    assert [(each["relation"], each["id"]) for each in node["neighbours"]] == [("superseded by", new)]
    assert node["neighbours"][0]["why"].startswith("said by ")
    assert json.loads(ask("search", "voucher limit", "--json").stdout)[0]["id"] == new
    assert "does not supersede" in ask("hub", "node", new, "--does-not-supersede", old).stdout
    assert json.loads(ask("search", "voucher limit", "--json").stdout)[0]["id"] == old
    assert ask("hub", "node", new, "--undecided", old).stdout.endswith("related to nothing\n")
    assert ask("hub", "node", new, "--supersedes", new).returncode == 1
