"""Entries as synthesis reads them: few of their fields, texts that repeat kept once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from diarist.model.gist import Gist, RunError
from diarist.model.redacted import Redacted, derived
from diarist.stages.synthesis.features import Features, Numbers, Vocabulary

Bullets = tuple[int, ...]


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
        self.number: Callable[[Redacted], int] = Numbers(self._add).__getitem__
        """The number of a text, given to it now if it is new."""

    def numbers(self, texts: Sequence[Redacted]) -> Bullets:
        """Distinct numbers, in order."""
        return tuple(dict.fromkeys(map(self.number, texts))) if texts else ()

    def _add(self, text: str) -> int:
        number = self._keys.setdefault(text.casefold().strip(" .;:"), len(self.texts))
        if number == len(self.texts):
            self.texts.append(derived(text))
        return number


class Intake:
    """Takes runs in. Feed it in an order that follows from the runs alone: wordings and ties follow from it."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.phrases = Phrases()

    def take(self, record_id: str, digest: str, gist: Gist) -> Item:
        """One run, whose record has this id and digest."""
        numbers, fixes = self.phrases.numbers, gist.fixes
        return Item(
            record_id,
            digest,
            gist.task_id,
            (gist.agent, gist.session_id),
            gist.project,
            gist.title,
            gist.created_at,
            gist.outcome,
            self.vocabulary.take(gist.words, gist.marks),
            numbers(gist.tried),
            numbers(gist.worked),
            numbers(gist.failed),
            gist.errors,
            tuple([(fix.error, self.phrases.number(fix.text)) for fix in fixes]) if fixes else (),
        )
