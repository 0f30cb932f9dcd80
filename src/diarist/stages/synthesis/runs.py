"""Entries as synthesis reads them: few of their fields, texts that repeat kept once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from diarist.model.bullet import UNASKED
from diarist.model.redacted import Redacted
from diarist.stages.synthesis.features import Features, Meaning, Vocabulary
from diarist.text.remembered import Remembered

PROMPT = 2000
"""Characters of the prompt that count."""
FILES = 12
"""Changed files that count."""
SHORT, REMEMBERED = 240, 1 << 13
"""Characters of a title, a reason and the like that may come again, and how many of them are remembered."""
Bullets = tuple[int, ...]


class RunError(msgspec.Struct, frozen=True, gc=False):
    """The part of `model.entry.ErrorSeen` that is read."""

    fingerprint: str
    message: Redacted
    resolved: bool | None = None
    resolved_by: Redacted = Redacted("")


class RunFix(msgspec.Struct, frozen=True, gc=False):
    """The part of `model.entry.Fix` that is read."""

    error: str
    text: Redacted


class RunFile(msgspec.Struct, frozen=True, gc=False):
    """The part of `model.entry.FileTouched` that is read."""

    path: Redacted
    operations: tuple[str, ...] = ()


class Run(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The part of `model.entry.Entry` that is read; decodes from its JSON."""

    id: str
    task_id: Redacted
    session_id: Redacted
    agent: Redacted
    project: Redacted
    title: Redacted
    created_at: datetime
    prompt: Redacted = Redacted("")
    outcome: str = "unknown"
    tried: tuple[Redacted, ...] = ()
    worked: tuple[Redacted, ...] = ()
    failed: tuple[Redacted, ...] = ()
    rationale: Redacted = Redacted("")
    learned: Redacted = Redacted("")
    errors: tuple[RunError, ...] = ()
    fixes: tuple[RunFix, ...] = ()
    files: tuple[RunFile, ...] = ()
    tags: tuple[Redacted, ...] = ()


class Item(NamedTuple):
    """A run, taken in: texts are numbers in the intake's `Phrases`."""

    id: str
    digest: str
    """Of the record, as it was read."""
    task_id: Redacted
    session: tuple[Redacted, Redacted]
    """(agent, session id)"""
    project: Redacted
    title: Redacted
    created_at: datetime
    outcome: str
    features: Features
    tried: Bullets
    worked: Bullets
    failed: Bullets
    errors: tuple[RunError, ...]
    fixes: tuple[tuple[str, int], ...]
    """(fingerprint of the error, text)"""


class Ranked(Sequence[Item]):
    """Items in the order of their hashed ids, kept elsewhere than in memory: each is read when it is asked for."""

    @abstractmethod
    def features(self) -> Iterator[Features]:
        """Features of each item, in order; equal numbers are one and the same object."""


class Column(Collection[Features]):
    """The features of many items, read as they are needed."""

    def __init__(self, *sources: Sequence[Item]) -> None:
        self._sources = sources

    def __len__(self) -> int:
        return sum(map(len, self._sources))

    def __iter__(self) -> Iterator[Features]:
        for source in self._sources:
            yield from source.features() if isinstance(source, Ranked) else (item.features for item in source)

    def __contains__(self, features: object) -> bool:
        return any(each == features for each in self)


class Phrases:
    """Texts by number. What differs in case or the full stop only is the same phrase, worded as it was met first."""

    def __init__(self) -> None:
        self.texts: list[Redacted] = []
        self._keys: dict[str, int] = {}
        self._known = _Known(self._add)
        self.number: Callable[[Redacted], int] = self._known.__getitem__
        """The number of a text, given to it now if it is new."""

    def numbers(self, texts: Sequence[Redacted]) -> Bullets:
        """Distinct numbers, in order."""
        return tuple(dict.fromkeys(map(self.number, texts))) if texts else ()

    def _add(self, text: Redacted) -> int:
        number = self._keys.setdefault(text.casefold().strip(" .;:"), len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
        return number


class _Known(dict[Redacted, int]):
    """Asks for the number of a text that it does not hold, once."""

    def __init__(self, add: Callable[[Redacted], int]) -> None:
        super().__init__()
        self._add = add

    def __missing__(self, text: Redacted) -> int:
        number = self[text] = self._add(text)
        return number


class Intake:
    """Takes runs in. Feed it in an order that follows from the runs alone: wordings and ties follow from it."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.phrases = Phrases()
        self.meanings: list[Meaning] = []
        """By phrase: its features."""
        self._meant = Remembered(self.vocabulary.mean, REMEMBERED, SHORT)
        """What titles, reasons and the like mean: many entries have the same ones."""

    def take(self, run: Run, digest: str) -> Item:
        """One run. Texts that were met before are not taken apart again."""
        number, features, vocabulary = self.phrases.number, self.meanings, self.vocabulary
        tried = tuple(dict.fromkeys(map(number, run.tried)))
        worked = tuple(dict.fromkeys(map(number, run.worked)))
        failed = tuple(dict.fromkeys(map(number, run.failed)))
        fixes = tuple([(fix.error, number(fix.text)) for fix in run.fixes]) if run.fixes else ()
        texts = self.phrases.texts
        if len(features) < len(texts):
            features += map(vocabulary.mean, texts[len(features) :])
        said = [self._meant[run.title.removeprefix(UNASKED)]]
        if run.prompt:
            said.append(vocabulary.mean(run.prompt[:PROMPT]))
        if run.rationale:
            said.append(self._meant[run.rationale])
        if rest := _rest(run):
            said.append(self._meant[rest])
        said += map(features.__getitem__, tried + worked + failed)
        if fixes:
            said += [features[text] for _, text in fixes]
        return Item(
            run.id,
            digest,
            run.task_id,
            (run.agent, run.session_id),
            run.project,
            run.title,
            run.created_at,
            run.outcome,
            vocabulary.unite(said, _marks(run) if run.files or run.errors else ()),
            tried,
            worked,
            failed,
            run.errors,
            fixes,
        )


def _rest(run: Run) -> str:
    """What else says what a run is about, but for its bullets and fixes."""
    parts: list[str] = [tag for tag in run.tags if ":" not in tag]  # "task:…" and the like say where an entry comes from
    if run.files:
        parts = [file.path for file in run.files[:FILES]] + parts
    if run.errors:
        parts = [error.message for error in run.errors] + parts
    if run.learned:
        parts.insert(0, run.learned)
    return "\n".join(parts)


def _marks(run: Run) -> Sequence[str]:
    changed = [file.path for file in run.files if any(operation != "read" for operation in file.operations)]
    return [f"error:{error.fingerprint}" for error in run.errors if error.fingerprint] + [f"file:{path}" for path in changed[:FILES]]
