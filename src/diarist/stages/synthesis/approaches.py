"""What the entries of a group did and met again and again: phrases and errors, counted by entry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from diarist.model.bullet import ASKED, CORRECTED, FOUND, WENT_ON
from diarist.model.redacted import Redacted, derived
from diarist.model.theme import Approach, Line, RecurringError
from diarist.stages.synthesis.features import Vocabulary
from diarist.stages.synthesis.runs import Item, Phrases

ALIKE = 0.6
"""Weighted overlap (Jaccard) from which two phrases of one group say the same."""
MOST_PHRASES = 64
"""Distinct phrases of a group that are looked at, most carried first."""
ELSEWHERE = 0.5
"""A phrase said so often (relative to the group) by entries outside is what everybody says."""
MOST_FIXES = 3
_CODE = re.compile(r"`([^`]+)`")


class Corpus(NamedTuple):
    """What all groups of one synthesis share. `carriers`: by phrase, how many entries of the window say it."""

    items: Sequence[Item]
    phrases: Phrases
    vocabulary: Vocabulary
    weights: Sequence[float]
    carriers: Sequence[int]


class Said(NamedTuple):
    """Phrases that say the same, and who says it: positions of items."""

    phrases: tuple[int, ...]
    tried: frozenset[int]
    worked: frozenset[int]
    failed: frozenset[int]

    def unite(self, other: Said) -> Said:
        """Both as one."""
        return Said(self.phrases + other.phrases, self.tried | other.tried, self.worked | other.worked, self.failed | other.failed)

    @property
    def everybody(self) -> frozenset[int]:
        """All who say it in any list."""
        return self.tried | self.worked | self.failed


class Meant(NamedTuple):
    """Features of a phrase, and of the code in it: the same words about other code say something else."""

    features: frozenset[int]
    code: frozenset[int]


class Found(NamedTuple):
    """Approaches of a group by how they went, and what was said; each list sorted by count descending, then text."""

    worked: list[Approach]
    failed: list[Approach]
    contradictions: list[Approach]
    tried: list[Approach]
    corrected: list[Approach]
    asked: list[Approach]
    found: list[Approach]


def count_carriers(items: Iterable[Item], phrases: Phrases) -> list[int]:
    """By phrase: how many items say it."""
    counts = [0] * len(phrases.texts)
    for item in items:
        for phrase in {*item.tried, *item.worked, *item.failed}:
            counts[phrase] += 1
    return counts


def find_approaches(corpus: Corpus, members: Sequence[int]) -> Found:
    """What at least two members did (one, where the group is a single entry), without what everybody does everywhere."""
    least = min(2, len(members))
    found = Found([], [], [], [], [], [], [])
    for said in _group(corpus, _sayings(corpus.items, members)):
        if len(said.everybody) < least or _is_common(corpus, said, len(members)):
            continue
        text = corpus.phrases.texts[said.phrases[0]]
        spoken = next((each for each in (CORRECTED, ASKED, FOUND) if text.startswith(each)), "")
        _place(found, said, spoken).append(_approach(corpus, said, derived(text.removeprefix(spoken))))
    for approaches in found:
        approaches.sort(key=lambda each: (-each.count, each.text))
    return found


def _place(found: Found, said: Said, spoken: str) -> list[Approach]:
    """The list it belongs to. What somebody only said is no approach, wherever it stands in an entry."""
    if spoken:
        return {CORRECTED: found.corrected, ASKED: found.asked, FOUND: found.found}[spoken]
    if said.worked and said.failed:
        return found.contradictions
    return found.worked if said.worked else found.failed if said.failed else found.tried


def find_errors(corpus: Corpus, members: Sequence[int]) -> list[RecurringError]:
    """Errors that at least two members met (one, where the group is a single entry), with what was done about them."""
    least = min(2, len(members))
    found = [_error(corpus, fingerprint, those) for fingerprint, those in _met(corpus, members).items() if len(those) >= least]
    return sorted(found, key=lambda each: (-each.count, each.message, each.fingerprint))


def find_common_errors(corpus: Corpus, groups: Sequence[Sequence[int]], least: int) -> list[tuple[list[int], list[RecurringError]]]:
    """Errors that entries of `least` sessions met, whatever else they were about: who met them, and what they are.

    Most frequent first. Errors that the very same entries met stand together. Left out: what only members of one group met, as
    that group tells of it, and what was met just twice and never fixed.
    """
    home = {member: at for at, group in enumerate(groups) for member in group}
    together: dict[tuple[int, ...], list[str]] = {}
    for fingerprint, those in _met(corpus, range(len(corpus.items))).items():
        if len(those) >= least:
            together.setdefault(tuple(those), []).append(fingerprint)
    common = []
    for members, fingerprints in together.items():
        places = {home.get(member, -1) for member in members}
        if (len(places) > 1 or -1 in places) and len({corpus.items[member].session for member in members}) >= least:
            common.append((list(members), [_error(corpus, fingerprint, members) for fingerprint in sorted(fingerprints)]))
    common = [each for each in common if len(each[0]) > 2 or any(error.fixes for error in each[1])]
    return sorted(common, key=lambda each: (-len(each[0]), each[1][0].message, each[1][0].fingerprint))


def _met(corpus: Corpus, members: Iterable[int]) -> dict[str, list[int]]:
    """Fingerprint → members that met the error."""
    met: dict[str, list[int]] = {}
    for member in members:
        if errors := corpus.items[member].errors:
            for fingerprint in dict.fromkeys([error.fingerprint for error in errors]):
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
        count=len(members),
        entries=_ids(corpus.items, members),
        resolved=len(resolved),
        unresolved=len(unresolved),
        fixes=_lines(corpus, _fixes(corpus, fingerprint, met)),
        failed_fixes=_lines(corpus, _vain(corpus, unresolved)),
    )


def _fixes(corpus: Corpus, fingerprint: str, met: Mapping[int, Sequence[object]]) -> dict[int, set[int]]:
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
    groups = _group(corpus, {phrase: Said((phrase,), nobody, frozenset(members), nobody) for phrase, members in told.items()})
    lines = [
        Line(text=corpus.phrases.texts[said.phrases[0]], count=len(said.worked), entries=_ids(corpus.items, said.worked)) for said in groups
    ]
    return tuple(sorted(lines, key=lambda each: (-each.count, each.text))[:MOST_FIXES])


def _sayings(items: Sequence[Item], members: Sequence[int]) -> dict[int, Said]:
    heard: dict[int, tuple[set[int], set[int], set[int]]] = {}
    for member in members:
        item = items[member]
        for place, phrases in enumerate((item.tried, item.worked, item.failed)):
            for phrase in phrases:
                heard.setdefault(phrase, (set(), set(), set()))[place].add(member)
    return {phrase: Said((phrase,), *map(frozenset, those)) for phrase, those in heard.items()}


def _group(corpus: Corpus, sayings: Mapping[int, Said]) -> list[Said]:
    """Phrases that say the same in other words, united under the one that most entries carry."""
    texts = corpus.phrases.texts
    ranked = sorted([(-len(said.everybody), texts[phrase], phrase) for phrase, said in sayings.items()])[:MOST_PHRASES]
    leaders: list[Meant] = []
    united: list[Said] = []
    by_feature: dict[int, list[int]] = {}
    for _, text, phrase in ranked:
        meant = _meant(corpus, text)
        near = dict.fromkeys(place for feature in _rarest(corpus.weights, meant.features) for place in by_feature.get(feature, ()))
        at = next((place for place in near if _is_alike(corpus.weights, meant, leaders[place])), None)
        if at is None:
            for feature in meant.features:
                by_feature.setdefault(feature, []).append(len(leaders))
            leaders.append(meant)
            united.append(sayings[phrase])
        else:
            united[at] = united[at].unite(sayings[phrase])
    return united


def _meant(corpus: Corpus, text: str) -> Meant:
    """Without features that came up only now (in a fix) and have no weight yet."""
    known, look = len(corpus.weights), corpus.vocabulary.look
    features = frozenset([feature for feature in look(text) if feature < known])
    if "`" not in text:
        return Meant(features, frozenset())
    return Meant(features, frozenset([feature for feature in look(" ".join(_CODE.findall(text))) if feature < known]))


def _is_alike(weights: Sequence[float], a: Meant, b: Meant) -> bool:
    if _overlap(weights, a.features, b.features) < ALIKE:
        return False
    return not (a.code and b.code) or _overlap(weights, a.code, b.code) >= ALIKE


def _rarest(weights: Sequence[float], features: Iterable[int]) -> list[int]:
    """Features of which a phrase that is alike has at least one: the others weigh too little for `ALIKE`."""
    ranked = sorted([(-weights[feature], feature) for feature in features])
    spare = (1.0 - ALIKE) * -sum([weight for weight, _ in ranked])
    taken = []
    for weight, feature in ranked:
        taken.append(feature)
        spare += weight
        if spare < 0:
            break
    return taken


def _overlap(weights: Sequence[float], a: frozenset[int], b: frozenset[int]) -> float:
    """Weighted Jaccard."""
    either = sum([weights[feature] for feature in a | b])
    return sum([weights[feature] for feature in a & b]) / either if either else 0.0


def _is_common(corpus: Corpus, said: Said, size: int) -> bool:
    """Do entries outside the group say it about as often?"""
    others = len(corpus.items) - size
    inside = len(said.everybody)
    outside = max(0, sum(corpus.carriers[phrase] for phrase in said.phrases) - inside)
    return others > 0 and outside / others >= ELSEWHERE * inside / size


def _approach(corpus: Corpus, said: Said, text: Redacted) -> Approach:
    return Approach(
        text=text,
        count=len(said.everybody),
        entries=_ids(corpus.items, said.everybody),
        worked=_ids(corpus.items, said.worked),
        failed=_ids(corpus.items, said.failed),
    )


def _ids(items: Sequence[Item], members: Iterable[int]) -> tuple[str, ...]:
    return tuple(sorted([items[member].id for member in members]))
