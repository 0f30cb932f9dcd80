"""What the documents show works: every command line is understood, every program runs, every piece of settings is read."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
import yaml

from diarist.cli import cli as root_command

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)?[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


class Snippet(NamedTuple):
    page: str
    line: int
    language: str
    text: str


def snippets(*languages: str) -> list[Any]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            if (match.group(1) or "") in languages:
                line = text.count("\n", 0, match.start()) + 1
                name = page.relative_to(ROOT).as_posix()
                found.append(pytest.param(Snippet(name, line, match.group(1) or "", match.group(2)), id=f"{name}:{line}"))
    return found


def command_lines(script: str) -> Iterator[list[str]]:
    """Words of every `diarist …` in a script, whatever it is piped to or from."""
    for line in logical_lines(script):
        words: list[str] = []
        for word in [*line, ";"]:
            if set(word) <= set("|&;<>()"):
                while words and re.fullmatch(r"[A-Z_]+=.*|env|exec|nice", words[0]):
                    words = words[1:]
                if words and words[0] == "diarist":
                    yield words[1:]
                words = [] if set(word) <= set("|&;()") else ["<redirection>"]
            else:
                words.append(word)


def logical_lines(script: str) -> Iterator[list[str]]:
    """Words of each line; one that ends within quotation marks goes on."""
    waiting = ""
    for line in script.replace("\\\n", " ").splitlines():
        waiting += line + "\n"
        lexer = shlex.shlex(waiting, posix=True, punctuation_chars="|&;<>()")
        lexer.whitespace_split = True
        try:
            words = list(lexer)
        except ValueError:  # no closing quotation mark yet
            continue
        yield words
        waiting = ""
    assert not waiting, f"a quotation mark is not closed: {waiting}"


def understand(words: list[str]) -> None:
    """Parses a command line as the program would, without running it. Files that are not there are no fault of the line."""
    command: click.Command = root_command
    context = command.make_context("diarist", list(words), resilient_parsing=False)
    while isinstance(command, click.Group):
        rest = [*context._protected_args, *context.args]
        if not rest:
            return
        name, found, rest = command.resolve_command(context, rest)
        assert found is not None
        command = found
        try:
            context = command.make_context(name, rest, parent=context)
        except click.BadParameter as error:
            if not isinstance(error.param and error.param.type, click.Path | click.File):
                raise
            return


@pytest.mark.parametrize("snippet", snippets("sh", "console", "bash"))
def test_every_command_line_is_understood(snippet: Snippet) -> None:
    for words in command_lines(snippet.text):
        if words and words[-1] in ("--help", "--version"):
            continue
        try:
            understand(words)
        except click.exceptions.NoArgsIsHelpError:
            continue
        except click.UsageError as error:
            pytest.fail(f"{snippet.page}:{snippet.line}: diarist {shlex.join(words)}: {error.format_message()}")


def test_command_lines_are_found_in_scripts() -> None:
    script = "make 2>&1 | diarist search --error - # why?\nX=1 diarist status && diarist doctor\necho diarist is no command here\n"
    assert list(command_lines(script)) == [["search", "--error", "-"], ["status"], ["doctor"]]


@pytest.mark.parametrize("line", ["serach x", "search --limt 3 x", "diary lst", "synthesize --since"])
def test_a_line_that_would_fail_is_noticed(line: str) -> None:
    with pytest.raises((click.UsageError, AssertionError)):
        understand(shlex.split(line))


@pytest.mark.parametrize("snippet", snippets("python"))
def test_every_program_runs(snippet: Snippet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "DIARIST_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    (tmp_path / ".claude" / "projects").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    exec(compile(snippet.text, f"{snippet.page}:{snippet.line}", "exec"), {"__name__": "snippet"})


@pytest.mark.parametrize("snippet", snippets("toml", "json", "jsonl", "yaml"))
def test_every_piece_of_settings_is_read(snippet: Snippet) -> None:
    read: dict[str, Callable[[str], object]] = {
        "toml": tomllib.loads,
        "json": json.loads,
        "jsonl": lambda text: [json.loads(line) for line in text.splitlines()],
        "yaml": yaml.safe_load,
    }
    assert read[snippet.language](snippet.text)
