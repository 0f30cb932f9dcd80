"""A readable label for a group, and the words that mark it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt

from diarist.model.redacted import Redacted, derived
from diarist.stages.synthesis.approaches import Corpus
from diarist.stages.synthesis.cluster import Group
from diarist.stages.synthesis.features import Vocabulary
from diarist.text.clip import clip

MOST_TITLES = 64
"""Distinct titles that may become the label, most frequent first."""
LONGEST_LABEL = 80
TELLING = 0.35
"""Least cosine of a title with its group; below, the marking words are the label."""
MOST_TAGS = 8
SHARED = 0.25
"""Share of the members that must carry a word before it marks the group (two members at least)."""


def make_label(corpus: Corpus, group: Group, members: Sequence[int], tags: Sequence[Redacted]) -> Redacted:
    """The member title that tells most of the group, else its first three tags."""
    titles = Counter(corpus.items[member].title for member in members)
    ranked = sorted(titles, key=lambda title: (-titles[title], title))[:MOST_TITLES]
    scored = [(-_cosine(corpus, title, group), title) for title in ranked if title]
    if scored:
        cosine, title = min(scored)
        if -cosine >= TELLING:
            return derived(clip(" ".join(title.split()), LONGEST_LABEL))
    return derived(" / ".join(tags[:3]) or (clip(ranked[0], LONGEST_LABEL) if ranked else "unnamed"))


def rank_tags(weights: Sequence[float], entries: Sequence[Sequence[int]], members: Sequence[int]) -> list[int]:
    """Features that mark a group: carried by many members and by few others."""
    counts = Counter(feature for member in members for feature in entries[member])
    least = max(min(2, len(members)), SHARED * len(members))
    telling = [(-count * weights[feature] ** 2, feature) for feature, count in counts.items() if count >= least]
    return [feature for _, feature in sorted(telling)[:MOST_TAGS]]


def name_features(vocabulary: Vocabulary, wanted: Iterable[int]) -> dict[int, Redacted]:
    """A written form of each feature: the path of a file, or the shortest word that gives it and nothing else."""
    needed = set(wanted)
    names = {
        feature: vocabulary.terms[feature].removeprefix("file:") for feature in needed if vocabulary.terms[feature].startswith("file:")
    }
    for word, features in vocabulary.words.items():
        if len(features) == 1 and features[0] in needed:
            known, lower = names.get(features[0]), word.lower()
            if known is None or (len(lower), lower) < (len(known), known):
                names[features[0]] = lower
    return {feature: derived(name) for feature, name in names.items()}


def _cosine(corpus: Corpus, text: str, group: Group) -> float:
    weights = corpus.weights
    known = [feature for feature in corpus.vocabulary.look(text) if feature < len(weights)]
    square = sum([weights[feature] ** 2 for feature in known])
    dot = sum([weights[feature] * group.total.get(feature, 0.0) for feature in known])
    return dot / sqrt(square * group.square) if square else 0.0
