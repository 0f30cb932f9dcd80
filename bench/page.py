"""The page of benchmarks, as Markdown."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
_HEAD = """\
# Benchmarks

`python bench/run.py` wrote this page: each benchmark below ran once, as the command above its figures says, on the machine named with
it. What is timed, on what data, and the budget stand in the program's own words. Data is made by the program itself from a fixed seed,
so anybody can run the same. Times are CPU seconds of the process unless a line says otherwise. Where the machine was busy (its load is
told) they are longer than on an idle one, which is why most benchmarks also tell how long two million additions took (*floor*), or a
ratio to a peer within the same run.
"""


class Told(NamedTuple):
    """What came of one benchmark. `trouble`: why it failed; empty: it did not. `figures`: its JSON, if it writes any."""

    name: str
    title: str
    command: str
    seconds: int
    output: str
    trouble: str
    figures: Any


def render_page(found: Sequence[Mapping[str, Any]], versions: Mapping[str, str], plots: Mapping[str, Path]) -> str:
    """The whole page. `found`: `Told` as dictionaries, with size and machine; `plots`: by benchmark."""
    parts = [_HEAD, "## Versions", _table([versions])]
    parts += [_section(each, plots.get(each["name"])) for each in found]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _section(each: Mapping[str, Any], plot: Path | None) -> str:
    machine = ", ".join(f"{name}: {value}" for name, value in each["machine"].items())
    parts = [f"## {each['title']}", _method(each["name"]), f"```\n{each['command']}\n```", f"{each['seconds']} s. {machine}."]
    if each["trouble"]:
        parts.append(f"**Failed, or missed its budget:** `{each['trouble']}`")
    parts += [f"```\n{each['output']}\n```"] if each["output"] else []
    parts += [f"![{each['title']}: cost by size]({plot.parent.name}/{plot.name})"] if plot is not None else []
    return "\n\n".join(parts)


def _method(name: str) -> str:
    """The program's own words: its docstring without the command lines."""
    text = ast.get_docstring(ast.parse((HERE / f"{name}.py").read_text("utf-8"))) or ""
    return "\n\n".join(part for part in text.split("\n\n") if not part.startswith("    "))


def _table(rows: Sequence[Mapping[str, str]]) -> str:
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "| " + " | ".join("---" for _ in names) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row[name] for name in names) + " |" for row in rows])
