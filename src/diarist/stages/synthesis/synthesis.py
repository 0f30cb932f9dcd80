"""Entries of a window → report."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from diarist.errors import UsageError
from diarist.model.theme import Parameters, Report, Skipped, Theme
from diarist.stages.synthesis.approaches import Corpus, count_carriers
from diarist.stages.synthesis.cluster import Finder, Group, Space, cluster, cosine_of, regroup
from diarist.stages.synthesis.errors import CommonErrors, find_common_errors
from diarist.stages.synthesis.lineage import Ancestor, trace
from diarist.stages.synthesis.refine import refine
from diarist.stages.synthesis.runs import Column, Intake, Item, Ranked
from diarist.stages.synthesis.themes import Counted, finish, make_error_theme, make_theme
from diarist.stages.synthesis.wording import name_features, rank_tags, tell_apart

LOOKED_AT_TWICE = 4096
"""Entries up to which groups are found twice, the second time with weights that the first groups tell. More give enough by themselves."""
MOST_ERRORS = 12
"""Themes about an error that a report tells."""


class Request(NamedTuple):
    """What is asked for, and what is known from earlier runs."""

    parameters: Parameters
    window_start: datetime
    window_end: datetime
    background: Sequence[Item] = ()
    """Entries from before both windows that only tell how rare words are."""
    ancestors: Sequence[Ancestor] = ()
    skipped: Sequence[Skipped] = ()


def check(threshold: float, min_cluster_size: int) -> None:
    """Raises UsageError for a threshold outside 0 to 1 or a size below 1."""
    if not 0.0 <= threshold <= 1.0:  # also false for NaN
        raise UsageError(f"the threshold must be a number from 0 to 1, not {threshold}")
    if min_cluster_size < 1:
        raise UsageError(f"the smallest theme must hold at least 1 entry, not {min_cluster_size}")


def synthesize(intake: Intake, items: Sequence[Item], earlier: Sequence[Item], request: Request) -> Report:
    """Themes of `items`; `earlier` (the window before) tells how they move. Both in any order, taken in by `intake`.

    Raises
    ------
    UsageError
        A parameter makes no sense.
    """
    parameters = request.parameters
    check(parameters.threshold, parameters.min_cluster_size)
    ranked = items if isinstance(items, Ranked) else sorted(items, key=lambda item: hashlib.sha256(item.id.encode()).digest())
    space, groups = _find_groups(ranked, intake.vocabulary.weigh(Column(ranked, earlier, request.background)), parameters.threshold)
    groups = [group for group in groups if _is_of_sessions(ranked, group, parameters.min_cluster_size)]
    if parameters.min_cluster_size == 1:
        taken = {number for group in groups for number in group}
        groups += [[number] for number in range(len(ranked)) if number not in taken]
    carriers = count_carriers(ranked, intake.phrases)
    corpus = Corpus(ranked, intake.phrases, intake.vocabulary, space.weights, carriers, {})
    themes = _make_themes(corpus, space, groups, earlier, parameters.threshold)
    errors = find_common_errors(corpus, groups, max(2, parameters.min_cluster_size), MOST_ERRORS)
    return Report(
        parameters=parameters,
        window_start=request.window_start,
        window_end=request.window_end,
        entries=len(ranked),
        in_themes=sum(theme.size for theme in themes),
        input_digest=input_digest(ranked),
        themes=tuple(trace(themes, request.ancestors)),
        skipped=tuple(sorted(request.skipped, key=lambda each: (each.name, each.reason))),
        errors=tuple(_make_error_themes(corpus, space, errors, earlier)),
        more_errors=errors.more,
    )


def input_digest(items: Sequence[Item]) -> str:
    """SHA-256 (64 hex digits) over id and digest of the entries, in any order."""
    lines = sorted(f"{item.id} {item.digest}\n" for item in items)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def without(report: Report, lineages: frozenset[str]) -> Report:
    """The report without the themes of these lineages; they are counted."""
    kept, errors = (tuple(theme for theme in those if theme.lineage not in lineages) for those in (report.themes, report.errors))
    withheld = report.withheld + len(report.themes) - len(kept) + len(report.errors) - len(errors)
    return msgspec.structs.replace(report, themes=kept, errors=errors, withheld=withheld, in_themes=sum(theme.size for theme in kept))


def _find_groups(items: Sequence[Item], weights: Sequence[float], threshold: float) -> tuple[Space, list[list[int]]]:
    """Groups of entries, and the space they were found in."""
    space = Space(Column(items), weights)
    groups = cluster(space, threshold)
    if groups and len(items) <= LOOKED_AT_TWICE:
        space = Space(Column(items), refine(Column(items), weights, groups))
        groups = regroup(space, groups, threshold)
    return space, groups


def _make_themes(corpus: Corpus, space: Space, groups: Sequence[list[int]], earlier: Sequence[Item], threshold: float) -> list[Theme]:
    sums = space.groups(groups)
    marks = [rank_tags(corpus.vocabulary, space.weights, total, len(group)) for group, total in zip(groups, sums, strict=True)]
    names = name_features(corpus.vocabulary, [feature for features in marks for feature in features])
    counts = _count_earlier(space, sums, earlier, threshold)
    themes = [
        make_theme(corpus, space, Counted(group, total, tuple([names[feature] for feature in features if feature in names]), count))
        for group, total, features, count in zip(groups, sums, marks, counts, strict=True)
    ]
    return [finish(theme) for theme in tell_apart(sorted(themes, key=lambda theme: (-theme.size, theme.id)))]


def _make_error_themes(corpus: Corpus, space: Space, common: CommonErrors, earlier: Sequence[Item]) -> list[Theme]:
    before = Counter(mark for item in earlier for mark in {error.fingerprint for error in item.errors})
    themes = []
    for members, errors in common.found:
        count = max(before[error.fingerprint] for error in errors)
        themes.append(finish(make_error_theme(corpus, space, Counted(members, space.group(members), (), count), errors)))
    return sorted(themes, key=lambda theme: (-theme.size, theme.id))


def _count_earlier(space: Space, groups: Sequence[Group], earlier: Sequence[Item], threshold: float) -> list[int]:
    """By group: entries of the earlier window that would belong to it."""
    counts = [0] * len(groups)
    if not earlier:
        return counts
    for _, at in Finder(space, groups).place([space.append(item.features) for item in earlier], cosine_of(threshold)):
        if at >= 0:
            counts[at] += 1
    return counts


def _is_of_sessions(items: Sequence[Item], group: Sequence[int], least: int) -> bool:
    """Do its entries come from so many sessions? Most groups show it by their first few."""
    seen: set[tuple[str, str]] = set()
    for number in group:
        seen.add(items[number].session)
        if len(seen) >= least:
            return True
    return False
