"""Changes to a client's settings file, and back. Text that is there stays byte for byte."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from diarist.errors import InvalidInputError, StoreFullError
from diarist.text import jsonc
from diarist.text.lazy import lazy

OURS = lazy(r"diarist\S*[\"']?\s+(?:--workspace \S+ )?hook\s|-m diarist hook\s")
"""A command line of ours, whatever the path before it."""


CHECKED_CHARACTERS = 1_000_000
"""A file up to this size is read once more after the change, to be sure."""


class Edit(Protocol):
    """What is to be in one file."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    def add(self, text: str) -> str:
        """The text with our part in it; `text` has none. Raises ValueError where it cannot be read."""
        ...

    def strip(self, text: str) -> str:
        """The text without our part, as far as it is there."""
        ...


class Place(NamedTuple):
    """A value to put into a JSON document: an item of the list at `keys`, or the member that `keys` names."""

    keys: tuple[str, ...]
    value: Any
    append: bool


class JsonEdit(NamedTuple):
    """Values in a JSON file, with or without comments."""

    path: Path
    places: tuple[Place, ...]

    def add(self, text: str) -> str:
        """The text with every value in its place."""
        for place in self.places:
            text = jsonc.insert(text, place.keys, place.value, append=place.append)
        if len(text) < CHECKED_CHARACTERS:
            jsonc.parse(text)
        return text

    def strip(self, text: str) -> str:
        """Takes out hooks that run Diarist, and members named as ours; then what they left empty."""
        if not text.strip("\ufeff \t\r\n") or "diarist" not in text:
            return text
        while path := self._ours(text):
            text = jsonc.remove(text, path)
            text = _prune(text, path[:-1])
        return text

    def _ours(self, text: str) -> tuple[str | int, ...] | None:
        named = {place.keys for place in self.places if not place.append}
        lists = {place.keys for place in self.places if place.append}
        root = jsonc.parse(text)
        for path, node in jsonc.walk(root):
            if path in named and node.kind == "object":
                return path
            if path and isinstance(path[-1], int) and _under_hooks(path, lists) and _runs_us(node.plain()):
                return path
        return None


class BlockEdit(NamedTuple):
    """A managed block of lines at the end of a text file, between two marks."""

    path: Path
    begin: str
    body: str
    end: str
    check: Callable[[str], None] = lambda _text: None
    """Raises ValueError where the text with the block would not be valid."""

    def add(self, text: str) -> str:
        """The text with the block at its end."""
        newline = "\r\n" if "\r\n" in text else "\n"
        lead = "" if not text else newline if text.endswith(("\n", "\r\n")) else newline * 2
        made = text + lead + newline.join([self.begin, *self.body.strip("\n").split("\n"), self.end]) + newline
        self.check(made)
        return made

    def strip(self, text: str) -> str:
        """The text without the block and the empty line before it."""
        pattern = rf"(?:(?<=\n)\r?\n|(?<=[^\n])\r?\n\r?\n)?{re.escape(self.begin)}.*?{re.escape(self.end)}(?:\r?\n|\Z)"
        return re.sub(pattern, "", text, count=1, flags=re.DOTALL)


class WholeFile(NamedTuple):
    """A file of our own."""

    path: Path
    content: str

    def add(self, text: str) -> str:
        """The file's content. Raises ValueError for a file of somebody else's under this name."""
        if text.strip():
            raise ValueError("there is a file of this name that is not ours; move it away")
        return self.content

    def strip(self, text: str) -> str:
        """Nothing, if the file is ours."""
        return "" if "diarist" in text else text


def read_text(path: Path) -> str | None:
    """The file's text; None where there is no file. Raises InvalidInputError where it is no UTF-8 text."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{path} cannot be read ({error}). Nothing was changed.") from error


def write_text(path: Path, text: str) -> list[Path]:
    """Writes the file whole or not at all, through a link to where it lies; its mode stays. Returns the folders that were made.

    Raises StoreFullError where it cannot be written.
    """
    target = path.resolve()
    made = [folder for folder in target.parents if not folder.exists()]
    draft = target.with_name(f".{target.name}.diarist-{os.getpid()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            if target.exists():
                draft.chmod(target.stat().st_mode & 0o7777)
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise StoreFullError(f"{path} cannot be written ({error.strerror or error}).") from error
    return made


def _under_hooks(path: tuple[str | int, ...], lists: set[tuple[str, ...]]) -> bool:
    """An item of a list of hooks: of one of our lists, or of the same kind of list under an event that we no longer use."""
    return any(len(path) == len(keys) + 1 and path[: len(keys) - 1] == keys[:-1] for keys in lists)


def _runs_us(value: Any) -> bool:
    """True for a hook, or a group of hooks, all of whose commands are ours."""
    commands = list(_commands(value))
    return bool(commands) and all(OURS.search(command) for command in commands)


def _commands(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [text for name in ("command", "bash") if isinstance(text := value.get(name), str)]
        return own + [command for part in value.values() if isinstance(part, list | dict) for command in _commands(part)]
    if isinstance(value, list):
        return [command for part in value for command in _commands(part)]
    return []


def _prune(text: str, path: tuple[str | int, ...]) -> str:
    """Takes out the containers on the way that have become empty."""
    while path:
        node = jsonc.parse(text)
        for step in path:
            node = node.items[step] if isinstance(step, int) else node.member(step) or node
        if node.items:
            return text
        text = jsonc.remove(text, path)
        path = path[:-1]
    return text
