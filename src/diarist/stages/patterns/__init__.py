"""Patterns: what runs of a project had in common. Pure and deterministic; no model.

    mine(observations, now=…, window=…, support=…) -> tuple[Draft, …]

How it works and how well: docs/explanation/patterns.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec

from diarist.model.observation import Observation
from diarist.stages.patterns.drafting import Draft, describe, draft
from diarist.stages.patterns.features import WELL, label, make_corpus
from diarist.stages.patterns.grouping import Run, group_runs
from diarist.stages.patterns.procedure import find_procedure, follows, lift, says_something
from diarist.stages.patterns.refining import bear_it_out, consolidate, is_habit, prune, rarity_of
from diarist.stages.patterns.splitting import split
from diarist.stages.patterns.words import prompt_words

__all__ = ["WELL", "Draft", "describe", "find_procedure", "follows", "label", "lift", "mine", "prompt_words"]


def mine(observations: Iterable[Observation], *, now: datetime, window: timedelta, support: int) -> tuple[Draft, ...]:
    """Habits of the runs between `now - window` and `now`: most support first, then oldest.

    A habit has at least `support` distinct sessions where it did not fail, and more of those than sessions where it only
    failed. The result does not depend on the order of the observations.
    """
    inside = sorted(
        (each for each in observations if timedelta(0) <= now - each.observed_at <= window),
        key=lambda each: (each.session_id, each.observed_at, each.prompt, each.id),
    )
    if len({each.session_id for each in inside}) < support:
        return ()
    corpus = make_corpus(inside)
    runs = corpus.runs
    groups, measures = group_runs(runs)
    groups = [part for group in groups for part in split(group, runs, measures)]
    rarity = rarity_of(groups, runs)
    habits = []
    for group in consolidate(groups, runs, measures, rarity):
        if len(group) < support:
            continue
        kept = prune(group, runs, measures, rarity)
        if not _is_borne_out(kept, runs, support) or not is_habit(kept, runs, measures):
            continue
        if not bear_it_out(_good(kept, runs), support, kept, runs, measures):
            continue
        made = draft(kept, inside, corpus, rarity)
        if says_something(made.steps, [inside[n].tools for n in kept]):
            habits.append(made)
    return _named_apart(habits)


def _good(group: list[int], runs: list[Run]) -> set[int]:
    return {runs[n].session for n in group if not runs[n].failed}


def _is_borne_out(group: list[int], runs: list[Run], support: int) -> bool:
    good = _good(group, runs)
    return len(good) >= support and 2 * len(good) > len({runs[n].session for n in group})


def _named_apart(habits: list[Draft]) -> tuple[Draft, ...]:
    """Two habits never have one name."""
    taken: set[str] = set()
    made = []
    for habit in sorted(habits, key=lambda each: (-len(each.session_ids), each.first_at, each.name, each.supporting)):
        name, number = habit.name, 2
        while name in taken:
            name, number = f"{habit.name[:60].rstrip('-')}-{number}", number + 1
        taken.add(name)
        made.append(msgspec.structs.replace(habit, name=name))
    return tuple(made)
