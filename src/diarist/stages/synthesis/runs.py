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

PROMPT = 2000
"""Characters of the prompt that count."""
FILES = 12
"""Changed files that count."""
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

    def take(self, run: Run, digest: str) -> Item:
        """One run. Phrases that were met before are not taken apart again."""
        phrases, features = self.phrases, self.meanings
        tried, worked, failed = phrases.numbers(run.tried), phrases.numbers(run.worked), phrases.numbers(run.failed)
        fixes = tuple([(fix.error, phrases.number(fix.text)) for fix in run.fixes]) if run.fixes else ()
        if len(features) < len(phrases.texts):
            features += [dict.fromkeys(self.vocabulary.look(text)) for text in phrases.texts[len(features) :]]
        bullets = tried + worked + failed + tuple([text for _, text in fixes]) if fixes else tried + worked + failed
        return Item(
            run.id,
            digest,
            run.task_id,
            (run.agent, run.session_id),
            run.project,
            run.title,
            run.created_at,
            run.outcome,
            self.vocabulary.look(_text(run), _marks(run), map(features.__getitem__, bullets)),
            tried,
            worked,
            failed,
            run.errors,
            fixes,
        )


def _text(run: Run) -> str:
    """What says what a run is about, but for its bullets and fixes."""
    text = f"{run.title.removeprefix(UNASKED)}\n{run.prompt[:PROMPT]}\n{run.rationale}\n{run.learned}"
    parts: list[str] = []
    if run.errors:
        parts += [error.message for error in run.errors]
    if run.files:
        parts += [file.path for file in run.files[:FILES]]
    parts += [tag for tag in run.tags if ":" not in tag]  # "task:…" and the like say where an entry comes from, not what it is about
    return "\n".join([text, *parts]) if parts else text


def _marks(run: Run) -> Sequence[str]:
    if not (run.files or run.errors):
        return ()
    changed = [file.path for file in run.files if any(operation != "read" for operation in file.operations)]
    return [f"error:{error.fingerprint}" for error in run.errors if error.fingerprint] + [f"file:{path}" for path in changed[:FILES]]
