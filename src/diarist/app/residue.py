"""Looks through everything a workspace holds for values that must not be there, and says where they are.

The store is read column by column, free pages and logs of the database byte by byte, the vault unpacked, the index by its
terms, and every file below the workspace and where its projects publish.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from diarist.app.publishing import publish_root
from diarist.errors import DiaristError, InvalidInputError
from diarist.model.redacted import derived
from diarist.text.analyse import analyse
from diarist.text.erased import Erased, make_marks
from diarist.text.lookalike import BREAK, fold

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox

_BLOCK = 16 << 20
_UNPACKED_ELSEWHERE = ("vault",)
_SHORTEST_RAW = 6
"""Bytes of a value that is looked for in raw pages: shorter ones are there by chance."""
_LONGEST_TEXT = 8 << 20


def find_residue(box: Toolbox, values: Sequence[str] = ()) -> Iterator[str]:
    """Places that hold one of the values, one line each, never quoting it; without values: any value that was erased.

    Raises
    ------
    InvalidInputError
        A value is too short to be looked for.
    """
    finders = box.store.tombstones().values if not values else (_finder(box, values),)
    if not finders:
        return
    search = _Search(finders, [_raw_forms(value) for value in values], {term for value in values for term in analyse(value)})
    yield from search.store(box)
    yield from search.vault(box)
    yield from search.files(box)
    yield from search.index(box)


def _finder(box: Toolbox, values: Sequence[str]) -> Erased:
    key = box.store.tombstone_key()
    try:
        return Erased(key, [mark for value in values for mark in make_marks(key, value)])
    except ValueError as error:
        raise InvalidInputError(str(error)) from error


def _raw_forms(value: str) -> list[bytes]:
    """The value as bytes of a page may hold it, in lower case."""
    spelled = {value.lower().encode("utf-8", "replace"), value.lower().encode("utf-16-le", "replace")}
    spelled.add(msgspec.json.encode(value.lower())[1:-1])
    return sorted(each for each in spelled if len(each) >= _SHORTEST_RAW)


class _Search:
    def __init__(self, finders: Sequence[Erased], raw: Sequence[Sequence[bytes]], terms: set[str]) -> None:
        self._finders = finders
        self._raw = [form for forms in raw for form in forms]
        self._unexplained = {term: folded for term in terms if (folded := fold(term))}
        """Words of the values that no text of the store has shown yet: the index may not know them either."""

    def store(self, box: Toolbox) -> Iterator[str]:
        """Every column of every table."""
        for where, data in box.store.holdings():
            text = data.decode("utf-8", "replace")
            if self._holds(text):
                yield where
            if self._unexplained:
                folded = fold(text)
                self._unexplained = {term: each for term, each in self._unexplained.items() if each not in folded}

    def vault(self, box: Toolbox) -> Iterator[str]:
        """Every chunk, unpacked, whether or not a part names it."""
        vault = box.reader().vault
        for chunk in vault.ids():
            try:
                content = vault.get(chunk)
            except DiaristError as error:
                yield f"vault chunk {chunk} cannot be looked through: {error}"
                continue
            if self._holds(content.decode("utf-8", "replace")):
                yield f"vault chunk {chunk}"

    def files(self, box: Toolbox) -> Iterator[str]:
        """Raw bytes and names of every file below the workspace, and of what is published elsewhere."""
        workspace = box.settings.workspace
        folders = [workspace]
        for project in sorted({scope.project for scope in box.store.list_scopes()}):
            root = publish_root(box, derived(project))
            if not root.is_relative_to(workspace):
                folders.append(root)
        for folder in folders:
            for path in _files(folder):
                name = str(path.relative_to(folder))
                if self._holds(name):
                    yield f"name of a file in {folder}"
                if folder != workspace or path.relative_to(folder).parts[0] not in _UNPACKED_ELSEWHERE:
                    yield from (f"file {path}" for _ in range(self._file_holds(path)))

    def index(self, box: Toolbox) -> Iterator[str]:
        """Words of the values that only the index still knows."""
        if self._unexplained:
            known = box.search_index().frequencies(sorted(self._unexplained)).counts
            if any(known.get(term) for term in self._unexplained):
                yield "search index: words that no record holds any more"

    def _holds(self, text: str) -> bool:
        if any(finder.holds(text) for finder in self._finders):
            return True
        if "\\" not in text:
            return False
        told = BREAK.join(_told(text))
        return bool(told) and any(finder.holds(told) for finder in self._finders)

    def _file_holds(self, path: Path) -> bool:
        try:
            if path.stat().st_size <= _LONGEST_TEXT and self._holds(path.read_bytes().decode("utf-8", "replace")):
                return True
            return bool(self._raw) and self._raw_holds(path)
        except OSError:
            return False

    def _raw_holds(self, path: Path) -> bool:
        longest = max(map(len, self._raw))
        rest = b""
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                data = rest + block.lower()
                if any(form in data for form in self._raw):
                    return True
                rest = data[-longest:]
        return False


def _told(text: str) -> Iterator[str]:
    """The strings of JSON lines, unescaped."""
    for line in text.splitlines():
        if line.startswith(("{", "[", '"')):
            try:
                yield from _strings(msgspec.json.decode(line))
            except (msgspec.DecodeError, RecursionError, ValueError):
                continue


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from (key, *_strings(part))
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def _files(folder: Path) -> Iterator[Path]:
    """All files below a folder, sorted; links are not followed."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (path for name in sorted(names) if not (path := Path(place, name)).is_symlink())
