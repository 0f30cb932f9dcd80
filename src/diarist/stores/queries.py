"""Named queries: SQL lives in `sql/<dialect>.sql`, never in code.

    -- name: find_part
    SELECT … WHERE tenant = :tenant AND part = :part;

A name in braces is a slot. It is filled with the query of that name where there is one, else by the caller of
`Queries.fill` (with text from this vocabulary, never from a user).
"""

# pathlib would cost a cold search more than SQLite does.
# ruff: noqa: PTH118, PTH120, PTH123
from __future__ import annotations

import functools
import os

MARK = "-- name: "


class Queries:
    """The vocabulary of one dialect."""

    def __init__(self, text: str, otherwise: str = "") -> None:
        self._texts = parse(text, otherwise)

    def __getitem__(self, name: str) -> str:
        return self._texts[name]

    def find(self, name: str) -> str:
        """The query of this name, empty where the dialect has none."""
        return self._texts.get(name, "")

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._texts)

    def fill(self, name: str, **slots: str) -> str:
        """The query with the slots that its file leaves open filled in."""
        text = self._texts[name]
        for slot, value in slots.items():
            text = text.replace("{" + slot + "}", value)
        return text


@functools.cache
def load(dialect: str) -> Queries:
    """Reads the vocabulary of a dialect from the package, once in a process.

    `sql/sqlite.sql` holds every query; another dialect's file says only what must be said otherwise, and what it has beyond.
    """
    return Queries(_read("sqlite"), "" if dialect == "sqlite" else _read(dialect))


def _read(dialect: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), "sql", dialect + ".sql"), encoding="utf-8") as file:
        return file.read()


def parse(text: str, otherwise: str = "") -> dict[str, str]:
    """Name to statement, without comments and closing semicolon; slots that name another query are filled in.

    What `otherwise` calls by the same name takes the place of what stands in `text`.

    Raises
    ------
    ValueError
        A name appears twice in one of the texts.
    """
    found = _split(text) | _split(otherwise)
    for name, body in found.items():
        if "{" in body:
            found[name] = _fill_from(body, found)
    return found


def _split(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for block in text.split(MARK)[1:]:
        name, _, body = block.partition("\n")
        if name in found:
            raise ValueError(f"two queries are called {name!r}")
        lines = [line for line in body.splitlines() if line and not line.startswith("--")]
        found[name] = "\n".join(lines).rstrip(";")
    return found


def _fill_from(body: str, known: dict[str, str]) -> str:
    for name, text in known.items():
        slot = "{" + name + "}"
        if slot in body:
            body = body.replace(slot, text)
    return body
