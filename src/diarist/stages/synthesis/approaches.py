"""What the entries of a group did and said again and again, counted by entry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from diarist.model.bullet import ASKED, CORRECTED, FOUND
from diarist.model.redacted import Redacted, derived
from diarist.model.theme import Approach
from diarist.stages.synthesis.features import Vocabulary
from diarist.stages.synthesis.runs import Item, Phrases

ALIKE = 0.6
"""Weighted overlap (Jaccard) from which two phrases of one group say the same."""
MOST_PHRASES = 64
"""Distinct phrases of a group that are looked at, most carried first."""
ELSEWHERE = 0.5
"""A phrase said so often (relative to the group) by entries outside is what everybody says."""
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
    for said in group_alike(corpus, _sayings(corpus.items, members)):
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


def _sayings(items: Sequence[Item], members: Sequence[int]) -> dict[int, Said]:
    heard: dict[int, tuple[set[int], set[int], set[int]]] = {}
    for member in members:
        item = items[member]
        for place, phrases in enumerate((item.tried, item.worked, item.failed)):
            for phrase in phrases:
                heard.setdefault(phrase, (set(), set(), set()))[place].add(member)
    return {phrase: Said((phrase,), *map(frozenset, those)) for phrase, those in heard.items()}


def group_alike(corpus: Corpus, sayings: Mapping[int, Said]) -> list[Said]:
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
        entries=ids_of(corpus.items, said.everybody),
        worked=ids_of(corpus.items, said.worked),
        failed=ids_of(corpus.items, said.failed),
    )


def ids_of(items: Sequence[Item], members: Iterable[int]) -> tuple[str, ...]:
    """Entry ids of these members, sorted."""
    return tuple(sorted([items[member].id for member in members]))
