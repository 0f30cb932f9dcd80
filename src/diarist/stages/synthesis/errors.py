"""Errors that several entries met: within a group, and whatever the entries were about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from diarist.model.bullet import WENT_ON
from diarist.model.theme import Line, RecurringError
from diarist.stages.synthesis.approaches import MOST_PHRASES, Corpus, Said, group_alike, ids_of
from diarist.stages.synthesis.thin import is_waiting
from diarist.text.lazy import lazy

MOST_FIXES = 3
SAME = 0.8
"""Overlap (Jaccard) of the entries that met two errors from which on the errors are one matter."""
LOOKED_AT = 4
"""Errors that are brought together, for each matter that may be told."""
_NUMBER = lazy(r"\d+")


class CommonErrors(NamedTuple):
    """Who met which errors, most frequent first, and how many more there are."""

    found: list[tuple[list[int], list[RecurringError]]]
    more: int


def find_errors(corpus: Corpus, members: Sequence[int]) -> list[RecurringError]:
    """Errors that at least two members met (one, where the group is a single entry), with what was done about them."""
    least = min(2, len(members))
    found = [_error(corpus, fingerprint, those) for fingerprint, those in _met(corpus, members).items() if len(those) >= least]
    return sorted(found, key=lambda each: (-each.count, each.message, each.fingerprint))


def find_common_errors(corpus: Corpus, groups: Sequence[Sequence[int]], least: int, most: int) -> CommonErrors:
    """Errors that entries of `least` sessions met, whatever else they were about; the `most` most frequent ones.

    Errors that much the same entries met stand together. Left out: what only members of one group met, as that group tells of
    it, and what was met just twice and never fixed.
    """
    home = {member: at for at, group in enumerate(groups) for member in group}
    common = []
    for fingerprint, those in _met(corpus, range(len(corpus.items))).items():
        places = {home.get(member, -1) for member in those}
        recurs = _sessions(corpus, those) >= least and (len(those) > 2 or _fixes(corpus, fingerprint, those))
        if recurs and (len(places) > 1 or -1 in places):
            common.append((-len(those), fingerprint, those))
    found = _bring_together(sorted(common)[: LOOKED_AT * most])[:most]
    told = [(members, [_error(corpus, fingerprint, those) for fingerprint, those in errors]) for members, errors in found]
    return CommonErrors(told, len(common) - sum(len(errors) for _, errors in told))


def _bring_together(common: Sequence[tuple[int, str, list[int]]]) -> list[tuple[list[int], list[tuple[str, list[int]]]]]:
    """Errors that much the same entries met, under the most frequent of them: (its entries, [(fingerprint, entries)])."""
    together: list[tuple[list[int], list[tuple[str, list[int]]]]] = []
    for _, fingerprint, those in common:
        own = set(those)
        at = next((errors for members, errors in together if len(own.intersection(members)) >= SAME * len(own.union(members))), None)
        if at is None:
            together.append((those, [(fingerprint, those)]))
        else:
            at.append((fingerprint, those))
    return together


def _sessions(corpus: Corpus, members: Iterable[int]) -> int:
    return len({corpus.items[member].session for member in members})


def _met(corpus: Corpus, members: Iterable[int]) -> dict[str, list[int]]:
    """Fingerprint → members that met the error."""
    met: dict[str, list[int]] = {}
    for member in members:
        if errors := corpus.items[member].errors:
            for fingerprint in dict.fromkeys([error.fingerprint for error in errors if not is_waiting(error.message)]):
                met.setdefault(fingerprint, []).append(member)
    return met


def _error(corpus: Corpus, fingerprint: str, members: Sequence[int]) -> RecurringError:
    met = {member: [error for error in corpus.items[member].errors if error.fingerprint == fingerprint] for member in members}
    resolved = [member for member, errors in met.items() if any(error.resolved for error in errors)]
    unresolved = [member for member, errors in met.items() if any(error.resolved is False for error in errors) and member not in resolved]
    messages = Counter(error.message for errors in met.values() for error in errors)
    return RecurringError(
        fingerprint=fingerprint,
        message=min(messages, key=lambda message: (-messages[message], message)),
        wordings=len({_NUMBER.sub("0", message) for message in messages}),
        count=len(members),
        entries=ids_of(corpus.items, members),
        resolved=len(resolved),
        unresolved=len(unresolved),
        fixes=_lines(corpus, _fixes(corpus, fingerprint, met)),
        failed_fixes=_lines(corpus, _vain(corpus, unresolved)),
    )


def _fixes(corpus: Corpus, fingerprint: str, met: Iterable[int]) -> dict[int, set[int]]:
    """Phrase → members in which it made the error go."""
    fixes: dict[int, set[int]] = {}
    for member in met:
        item = corpus.items[member]
        told = [text for error, text in item.fixes if error == fingerprint]
        told = told or [
            corpus.phrases.number(error.resolved_by)
            for error in item.errors
            if error.fingerprint == fingerprint and error.resolved_by not in ("", WENT_ON)
        ]
        for phrase in told:
            fixes.setdefault(phrase, set()).add(member)
    return fixes


def _vain(corpus: Corpus, unresolved: Iterable[int]) -> dict[int, set[int]]:
    """Phrase → members that failed with it while the error, their only one, stayed."""
    vain: dict[int, set[int]] = {}
    for member in unresolved:
        item = corpus.items[member]
        if len({error.fingerprint for error in item.errors}) == 1:
            messages = set(corpus.phrases.numbers([error.message for error in item.errors]))
            for phrase in item.failed:
                if phrase not in messages:
                    vain.setdefault(phrase, set()).add(member)
    return vain


def _lines(corpus: Corpus, told: Mapping[int, set[int]]) -> tuple[Line, ...]:
    nobody: frozenset[int] = frozenset()
    groups = group_alike(corpus, [Said((phrase,), frozenset(members), nobody, nobody) for phrase, members in told.items()][:MOST_PHRASES])
    lines = [
        Line(text=corpus.phrases.texts[said.phrases[0]], count=len(said.everybody), entries=ids_of(corpus.items, said.everybody))
        for said in groups
    ]
    return tuple(sorted(lines, key=lambda each: (-each.count, each.text))[:MOST_FIXES])
