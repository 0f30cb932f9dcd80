"""What the entries of a group did and said again and again, counted by entry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from diarist.model.bullet import ASKED, CORRECTED, FOUND
from diarist.model.redacted import Redacted, derived
from diarist.model.theme import Approach
from diarist.stages.synthesis.features import Vocabulary
from diarist.stages.synthesis.runs import Item, Phrases
from diarist.stages.synthesis.thin import is_bare

ALIKE = 0.6
"""Weighted overlap (Jaccard) from which two phrases of one group say the same."""
SAME_CODE = 0.9
"""And that of the code in them: one word of a command can turn it round."""
MOST_PHRASES = 40
"""Distinct phrases of a group that are looked at, most carried first."""
ELSEWHERE = 0.5
"""A phrase said so often (relative to the group) by entries outside is what everybody says."""
SPOKEN = ((CORRECTED, "corrected"), (ASKED, "asked"), (FOUND, "found"))
"""First words of what somebody only said, which is no approach wherever it stands in an entry; and the list it belongs to."""
LISTS = ("worked", "failed", "contradictions", "tried", "corrected", "asked", "found")
_CODE = re.compile(r"`([^`]+)`")


class Corpus(NamedTuple):
    """What all groups of one synthesis share. `carriers`: by phrase, how many entries of the window say it."""

    items: Sequence[Item]
    phrases: Phrases
    vocabulary: Vocabulary
    weights: Sequence[float]
    carriers: Sequence[int]
    meant: dict[int, Meant]
    """By phrase: what it means, kept from group to group, as many say the same."""


class Said(NamedTuple):
    """Phrases that say the same, and who says it: positions of items."""

    phrases: tuple[int, ...]
    everybody: frozenset[int]
    """All who say it in any list."""
    worked: frozenset[int]
    failed: frozenset[int]

    def unite(self, other: Said) -> Said:
        """Both as one."""
        everybody, worked, failed = self.everybody | other.everybody, self.worked | other.worked, self.failed | other.failed
        return Said(self.phrases + other.phrases, everybody, worked, failed)


class Meant(NamedTuple):
    """Features of a phrase, and of the code in it: the same words about other code say something else."""

    features: frozenset[int]
    code: frozenset[int]
    rarest: Sequence[int]
    """Those of its features of which two phrases that are alike share one: all others weigh too little for `ALIKE`."""


class Found(NamedTuple):
    """Approaches of a group, and what was said in it, by list of `model.theme.Theme`; sorted by count descending, then text."""

    lines: dict[str, tuple[Approach, ...]]
    cut: dict[str, int]
    """By list: how many more there were."""


def count_carriers(items: Iterable[Item], phrases: Phrases) -> list[int]:
    """By phrase: how many items say it."""
    counts = Counter(chain.from_iterable({*item.tried, *item.worked, *item.failed} for item in items))
    return [counts[phrase] for phrase in range(len(phrases.texts))]


def find_approaches(corpus: Corpus, members: Sequence[int], most: int) -> Found:
    """What at least two members did (one, where the group is a single entry).

    Without what everybody does everywhere, and what only tells that something was called or changed, and did not go wrong.
    """
    least = min(2, len(members))
    lists: dict[str, list[tuple[int, Redacted, Said]]] = {name: [] for name in LISTS}
    for said in group_alike(corpus, _sayings(corpus, members)):
        text = corpus.phrases.texts[said.phrases[0]]
        if len(said.everybody) >= least and (said.failed or not is_bare(text)) and not _is_common(corpus, said, len(members)):
            name, prefix = next(((name, prefix) for prefix, name in SPOKEN if text.startswith(prefix)), ("", ""))
            lists[name or _list_of(said)].append((-len(said.everybody), derived(text.removeprefix(prefix)), said))
    for each in lists.values():
        each.sort(key=lambda line: line[:2])
    return Found(
        {name: tuple([_approach(corpus, text, said) for _, text, said in each[:most]]) for name, each in lists.items()},
        {name: len(each) - most for name, each in lists.items() if len(each) > most},
    )


def _list_of(said: Said) -> str:
    if said.worked and said.failed:
        return "contradictions"
    return "worked" if said.worked else "failed" if said.failed else "tried"


def _sayings(corpus: Corpus, members: Sequence[int]) -> list[Said]:
    """The phrases that members carry most, with those who do."""
    items, texts = [corpus.items[member] for member in members], corpus.phrases.texts
    counts = Counter(chain.from_iterable([item.tried + item.worked + item.failed for item in items]))
    chosen = sorted(counts, key=lambda phrase: (-counts[phrase], texts[phrase], phrase))[:MOST_PHRASES]
    heard: dict[int, tuple[set[int], set[int], set[int]]] = {phrase: (set(), set(), set()) for phrase in chosen}
    for member, item in zip(members, items, strict=True):
        for place, phrases in enumerate((item.tried, item.worked, item.failed)):
            for phrase in phrases:
                if phrase in heard:
                    heard[phrase][place].add(member)
    return [
        Said((phrase,), frozenset(tried | worked | failed), frozenset(worked), frozenset(failed))
        for phrase, (tried, worked, failed) in heard.items()
    ]


def group_alike(corpus: Corpus, sayings: Iterable[Said]) -> list[Said]:
    """Phrases that say the same in other words, united under the one that most entries carry."""
    texts = corpus.phrases.texts
    leaders: list[Meant] = []
    united: list[Said] = []
    by_feature: dict[int, list[int]] = {}
    for said in sorted(sayings, key=lambda said: (-len(said.everybody), texts[said.phrases[0]], said.phrases[0])):
        meant = _meant(corpus, said.phrases[0])
        near = dict.fromkeys(chain.from_iterable([by_feature[feature] for feature in meant.rarest if feature in by_feature]))
        at = next((place for place in near if _is_alike(corpus.weights, meant, leaders[place])), None)
        if at is None:
            for feature in meant.rarest:
                by_feature.setdefault(feature, []).append(len(leaders))
            leaders.append(meant)
            united.append(said)
        else:
            united[at] = united[at].unite(said)
    return united


def _meant(corpus: Corpus, phrase: int) -> Meant:
    meant = corpus.meant.get(phrase)
    if meant is None:
        meant = corpus.meant[phrase] = _mean(corpus, phrase)
    return meant


def _mean(corpus: Corpus, phrase: int) -> Meant:
    """Without features that came up only now (in a fix) and have no weight yet."""
    known, look, text = len(corpus.weights), corpus.vocabulary.look, corpus.phrases.texts[phrase]
    features = frozenset([feature for feature in look(text) if feature < known])
    code = frozenset([feature for feature in look(" ".join(_CODE.findall(text))) if feature < known]) if "`" in text else frozenset()
    return Meant(features, code, _rarest(corpus.weights, features))


def _is_alike(weights: Sequence[float], a: Meant, b: Meant) -> bool:
    if _overlap(weights, a.features, b.features) < ALIKE:
        return False
    return not (a.code and b.code) or _overlap(weights, a.code, b.code) >= SAME_CODE


def _rarest(weights: Sequence[float], features: Iterable[int]) -> list[int]:
    """The heaviest features, as many as weigh more than a phrase that is alike may lack."""
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


def _approach(corpus: Corpus, text: Redacted, said: Said) -> Approach:
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
