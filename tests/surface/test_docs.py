"""The documents: every command in them exists and takes the options shown, every link leads somewhere, every command is documented."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from diarist.cli import cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
_FENCE = re.compile(r"^```(?:sh|console|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


def commands() -> Iterator[tuple[str, str]]:
    """(page, command line) for each `diarist …` in a shell block."""
    for page in PAGES:
        for block in _FENCE.findall(page.read_text("utf-8")):
            for line in block.replace("\\\n", " ").splitlines():
                text = re.sub(r"\s+#\s.*$", "", line.strip().removeprefix("$ "))
                for part in re.split(r"\s*(?:\||&&|;)\s*", text):
                    if part.startswith("diarist "):
                        yield str(page.relative_to(ROOT)), part


@pytest.mark.parametrize(("page", "line"), sorted(set(commands())))
def test_a_command_in_the_docs_parses(page: str, line: str) -> None:
    """Names and options as the program has them."""
    line = re.sub(r"\s*(?:<<<|[<>]).*$", "", line)
    arguments = shlex.split(line)[1:]
    command: click.Command = cli
    ctx = cli.make_context("diarist", list(arguments), resilient_parsing=False)
    while isinstance(command, click.Group):
        rest = [*ctx._protected_args, *ctx.args]
        if not rest:
            return
        _, found, left = command.resolve_command(ctx, rest)
        assert found is not None
        command, ctx = found, found.make_context(found.name, left, parent=ctx, resilient_parsing=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Relative links name files that exist."""
    for target in _LINK.findall(page.read_text("utf-8")):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_docs_hold_commands_to_check() -> None:
    """An empty list would check nothing."""
    assert len(list(commands())) >= 10
