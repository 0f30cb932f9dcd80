"""A readable label for a group, and the words that mark it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import sqrt

import msgspec

from diarist.model.redacted import Redacted, derived
from diarist.model.theme import Theme
from diarist.stages.synthesis.approaches import Corpus
from diarist.stages.synthesis.cluster import Group
from diarist.stages.synthesis.features import Vocabulary
from diarist.text.clip import clip
from diarist.text.stem import FUNCTION_WORDS
from diarist.text.terms import is_coined, terms

MOST_TITLES = 12
"""Distinct titles that may become the label, most frequent first, of those the shortest: they have nothing put before the matter."""
CURT = 0.2
"""Share of the titles that are too short for that: they may leave something out."""
LONGEST_LABEL = 80
TELLING_TITLE = 0.15
TELLING = 0.3
"""Least cosine of a title and of a line with its group; below both, the marking words are the label."""
COINED = 0.25
"""Weight of a word with digits among the marking words: they are mostly names of single things."""
MOST_TAGS = 8
SHARED = 0.25
"""Share of the members that must carry a word before it marks the group (two members at least)."""


def make_label(corpus: Corpus, group: Group, members: Sequence[int], tags: Sequence[Redacted], lines: Iterable[Redacted]) -> Redacted:
    """The member title that tells most of the group, else the recurring line that does, else its first three tags.

    A title is what a person asked for, so less is demanded of it than of a line.
    """
    titles = Counter(corpus.items[member].title for member in members)
    least_length = sorted(map(len, titles))[int(CURT * len(titles))]
    ranked = sorted(titles, key=lambda title: (-titles[title], len(title) < least_length, len(title), title))[:MOST_TITLES]
    for texts, least in ((ranked, TELLING_TITLE), (lines, TELLING)):
        score, text = min([(-_cosine(corpus, text, group), text) for text in texts], default=(0.0, ""))
        if -score >= least:
            return derived(clip(" ".join(text.split()), LONGEST_LABEL))
    return derived(" / ".join(tags[:3]) or clip(" ".join(ranked[0].split()), LONGEST_LABEL) or "unnamed")


def rank_tags(vocabulary: Vocabulary, weights: Sequence[float], group: Group, size: int) -> list[int]:
    """Features that mark a group: carried by many members and by few others. Words that say nothing by themselves never do."""
    least, empty = max(min(2, size), SHARED * size), _function_terms()
    telling = [
        (-count * weights[feature] ** 2 * (COINED if is_coined(vocabulary.terms[feature]) else 1.0), feature)
        for feature, count in group.counts.items()
        if count >= least and not vocabulary.terms[feature].startswith("error:") and vocabulary.terms[feature] not in empty
    ]
    return [feature for _, feature in sorted(telling)[:MOST_TAGS]]


@lru_cache(maxsize=1)
def _function_terms() -> frozenset[str]:
    return frozenset(term for words in FUNCTION_WORDS.values() for word in words for term in terms(word))


def tell_apart(themes: Sequence[Theme]) -> list[Theme]:
    """The themes, their first tags put behind a label that several have."""
    shared = Counter(theme.label for theme in themes)
    return [
        msgspec.structs.replace(theme, label=derived(f"{theme.label} ({', '.join(theme.tags[:3])})"))
        if shared[theme.label] > 1 and theme.tags
        else theme
        for theme in themes
    ]


def name_features(vocabulary: Vocabulary, wanted: Iterable[int]) -> dict[int, Redacted]:
    """A written form of each feature: the path of a file, or the shortest word that gives it and nothing else."""
    needed = set(wanted)
    names = {
        feature: vocabulary.terms[feature].removeprefix("file:") for feature in needed if vocabulary.terms[feature].startswith("file:")
    }
    for form, feature in vocabulary.forms.items():
        if feature in needed:
            known = names.get(feature)
            if known is None or (len(form), form) < (len(known), known):
                names[feature] = form
    return {feature: derived(name) for feature, name in names.items()}


def _cosine(corpus: Corpus, text: str, group: Group) -> float:
    weights = corpus.weights
    known = [feature for feature in corpus.vocabulary.look(text) if feature < len(weights)]
    square = sum([weights[feature] ** 2 for feature in known])
    dot = sum([weights[feature] ** 2 * group.counts.get(feature, 0) for feature in known])
    return dot / sqrt(square * group.square) if square else 0.0
