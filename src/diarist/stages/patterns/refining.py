"""Groups to habits: fragments of one habit brought together, loose runs dropped, what may be chance left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import lgamma, log
from typing import NamedTuple

from diarist.stages.patterns.evidence import Channel, Features, ends_gain
from diarist.stages.patterns.grouping import MOST_BY_COMMON_TOOLS, SAMPLE, TOOL_SHARE, Measures, Run, gain, make_group

_HEAD = 0.5
"""A word is a head word of a group if so many of its runs have it."""
_MOST_HOLDERS = 5
"""A head word of more groups than this stands for no one matter."""
_TELLING = 2.0
_ALIKE = 0.55
_DISAGREEMENT = 2.0
_SURE, _LIKELY = 3.2, 2.0
"""Log evidence from which on a session surely (twenty-five to one) or probably belongs to a group."""
_LITTLE = 1 / 3
_SURER_THAN_CHANCE = 1.3
_AGREEMENT = 3.0
_AGAINST = 0.1


Rarity = dict[tuple[int, int], float]
"""By (0, word) or (1, special tool)."""


class _Outline(NamedTuple):
    """What stands out of a group: head words, and how often each tool feature occurs."""

    runs: list[int]
    heads: dict[int, float]
    tools: dict[tuple[int, int], float]


def consolidate(groups: Sequence[list[int]], runs: Sequence[Run], measures: Measures, rarity: Rarity) -> list[list[int]]:
    """Joins groups that share head words few others have, go about it alike, and end alike.

    Wordings of one habit may have no more than one word in common; then what was done has to bear it out.
    """
    several = [group for group in groups if len(group) > 1]
    outlines = {number: _outline(group, runs, measures) for number, group in enumerate(several)}
    holders: dict[int, list[int]] = defaultdict(list)
    for number, outline in outlines.items():
        for word in outline.heads:
            holders[word].append(number)
    met = {(a, b) for numbers in holders.values() if len(numbers) <= _MOST_HOLDERS for a in numbers for b in numbers if a < b}
    ranked = sorted((-_likeness(outlines[a], outlines[b]), a, b) for a, b in met if _same_matter(outlines[a], outlines[b], rarity))
    newest = len(several)
    while ranked and -ranked[0][0] >= _ALIKE:
        _, a, b = ranked.pop(0)
        joined = sorted(outlines[a].runs + outlines[b].runs)
        if _same_procedure(outlines[a].runs, outlines[b].runs, runs, measures) < -_DISAGREEMENT:
            continue
        outlines[newest] = _outline(joined, runs, measures)
        del outlines[a], outlines[b]
        around = {other for _, x, y in ranked if {x, y} & {a, b} for other in (x, y)} - {a, b}
        ranked = [each for each in ranked if not {each[1], each[2]} & {a, b}]
        ranked += [
            (-_likeness(outlines[other], outlines[newest]), other, newest)
            for other in sorted(around)
            if other in outlines and _same_matter(outlines[other], outlines[newest], rarity)
        ]
        ranked.sort()
        newest += 1
    return sorted([sorted(outline.runs) for outline in outlines.values()] + [group for group in groups if len(group) == 1])


def rarity_of(groups: Sequence[list[int]], runs: Sequence[Run]) -> Rarity:
    """How few groups have a word or special tool: log of (all groups / those)."""
    held = Counter(key for group in groups for key, share in _features(group, runs).items() if share >= 0.2)
    return {key: log(max(len(groups), 50) / count) for key, count in held.items()}


def _features(group: Sequence[int], runs: Sequence[Run]) -> dict[tuple[int, int], float]:
    """Share of the group's runs that have each word and special tool."""
    return {key: count / len(group) for key, count in Counter(key for n in group for key in _keys(runs[n])).items()}


def _keys(run: Run) -> list[tuple[int, int]]:
    return [(0, word) for word in run.words] + [(1, tool) for tool in run.special]


def _outline(group: list[int], runs: Sequence[Run], measures: Measures) -> _Outline:
    words = _shares(measures.wordings[n] for n in group)
    tools = {(0, k): v for k, v in _shares(runs[n].common for n in group).items()}
    tools |= {(1, k): v for k, v in _shares(runs[n].special for n in group).items()}
    return _Outline(group, {word: share for word, share in words.items() if share >= _HEAD}, tools)


def _shares(keys: Iterable[Features]) -> dict[int, float]:
    listed = list(keys)
    return {feature: count / len(listed) for feature, count in Counter(f for key in listed for f in key).items()}


def _same_matter(a: _Outline, b: _Outline, rarity: Rarity) -> bool:
    return sum(min(share, b.heads[word]) * rarity.get((0, word), 0.0) for word, share in a.heads.items() if word in b.heads) >= _TELLING


def _likeness(a: _Outline, b: _Outline) -> float:
    """Of what both did, how much both did (0 to 1)."""
    least = sum(min(share, b.tools.get(key, 0.0)) for key, share in a.tools.items())
    most = sum(a.tools.values()) + sum(b.tools.values()) - least
    return least / most if most else 0.0


def _same_procedure(a: Sequence[int], b: Sequence[int], runs: Sequence[Run], measures: Measures) -> float:
    """Log evidence that the runs of both go about it alike and end alike; every run counts in full."""

    def evidence(channel: Channel, keys: Callable[[int], Features]) -> float:
        full = channel.counting_all()
        return full.gain(full.profile(map(keys, a)), full.profile(map(keys, b)))

    ends = ends_gain(sum(runs[n].failed for n in a), len(a), sum(runs[n].failed for n in b), len(b))
    return ends + evidence(measures.common, lambda n: runs[n].common) + evidence(measures.special, lambda n: runs[n].special)


def prune(group: list[int], runs: Sequence[Run], measures: Measures, rarity: Rarity) -> list[int]:
    """The group without runs that other sessions' runs do not attract, or that have little of what it is about."""
    kept = group
    for run, pull in _pulls(group, runs, measures):
        if pull < 0:
            kept = [other for other in kept if other != run]
    about = {key: share * rarity.get(key, 0.0) for key, share in _features(kept, runs).items()}
    held = {n: sum(about[key] for key in _keys(runs[n])) for n in kept}
    least = _LITTLE * sorted(held.values())[len(kept) // 2] if kept else 0.0
    return [n for n in kept if held[n] >= least]


def bear_it_out(sessions: set[int], support: int, group: list[int], runs: Sequence[Run], measures: Measures) -> bool:
    """Whether so many of the sessions have a run that the runs of others attract: surely, or probably in twice as many."""
    pulls = [(pull, runs[run].session) for run, pull in _pulls(group, runs, measures) if runs[run].session in sessions]
    sure, likely = ({session for pull, session in pulls if pull >= least} for least in (_SURE, _LIKELY))
    return len(sure) >= support or len(likely) >= 2 * support


def _pulls(group: list[int], runs: Sequence[Run], measures: Measures) -> Iterator[tuple[int, float]]:
    """How much the runs of other sessions attract each run. Where there are very many, all of them stand for the others."""
    everyone = make_group(group, runs, measures) if len(group) > SAMPLE else None
    for run in group:
        rest = [other for other in group if runs[other].session != runs[run].session] if everyone is None else group
        if rest:
            yield run, gain(make_group([run], runs, measures), everyone or make_group(rest, runs, measures), measures)


def is_habit(group: list[int], runs: Sequence[Run], measures: Measures) -> bool:
    """True where words and tools together hold the group together better than the luckiest of all groups of that size would be
    held by chance, its runs did much the same, and what was asked for does not speak against it.

    Prompts may say nothing ("go on"); but long ones that each say something else are no habit, however alike the tools are.
    """
    group = group if len(group) <= SAMPLE else [group[at * len(group) // SAMPLE] for at in range(SAMPLE)]
    n = len(group)
    words = measures.words.cohesion([measures.wordings[number] for number in group])
    common = measures.common.cohesion([runs[number].common for number in group])
    special = measures.special.cohesion([runs[number].special for number in group])
    asked = measures.words.cohesion([runs[number].words for number in group])
    evidence = words + min(TOOL_SHARE * common, MOST_BY_COMMON_TOOLS * (n - 1)) + special
    chance = n * measures.cost - lgamma(n + 1)
    surer = evidence >= _SURER_THAN_CHANCE * chance
    return surer and common + special >= _AGREEMENT * n and asked > -_AGAINST * n
