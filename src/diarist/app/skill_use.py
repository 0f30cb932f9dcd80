"""What later runs tell of a skill: whether it was offered, loaded and followed, and how the run ended. And which skills fit a request."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from diarist.app.observing import list_observations
from diarist.model.observation import Observation, loaded_skill
from diarist.model.skill import AcceptedSkill, SkillUsage
from diarist.stages.patterns import WELL, follows, prompt_words
from diarist.text.stem import stem_english

if TYPE_CHECKING:
    from diarist.model.record import Record
    from diarist.model.redacted import Redacted
    from diarist.model.use import Use
    from diarist.ports import Store

MOST_CARDS = 3
_FEWEST_SHARED = 2
_COMMON = 0.5
"""A word that so many of the skills have tells none of them."""
_FEWEST_SKILLS = 4
_LEAST = 0.34
"""Share of a request's words that a skill must be about."""
_MOST_WORDS = 12
_MOST_USES = 100_000
_NEWEST = 10
"""Sessions that loaded a skill and tell whether it still helps."""


class SkillMatch(NamedTuple):
    """A skill that fits a request. `shared`: the words both have."""

    record_id: str
    skill: AcceptedSkill
    score: float
    shared: tuple[str, ...]


def usages_of(store: Store, skills: Sequence[tuple[Record, AcceptedSkill]]) -> dict[str, SkillUsage]:
    """By record id: counts over the runs of each skill's project since it was accepted. Each run is read once for all skills."""
    told = {record.id: _Told() for record, _ in skills}
    for record, skill in skills:
        for use in store.list_uses(record.id, _MOST_USES):
            if use.at >= skill.accepted_at:
                told[record.id].note_use(use)
    scopes: dict[tuple[Redacted, str], list[tuple[Record, AcceptedSkill]]] = defaultdict(list)
    for record, skill in skills:
        scopes[record.project, skill.namespace].append((record, skill))
    for (project, namespace), members in sorted(scopes.items()):
        since = min(skill.accepted_at for _, skill in members)
        for run in list_observations(store, project, since=since, namespace=namespace):
            for record, skill in members:
                if run.observed_at >= skill.accepted_at:
                    told[record.id].note_run(run, skill)
    return {record_id: each.usage() for record_id, each in told.items()}


class _Told:
    """What is known of one skill so far. Sessions are named by their native ids."""

    def __init__(self) -> None:
        self._offered: set[str] = set()
        self._ends: dict[str, list[tuple[datetime, bool]]] = defaultdict(list)
        self._followed: set[str] = set()
        self._objections = 0
        self._runs = 0

    def note_use(self, use: Use) -> None:
        if use.event == "shown":
            self._offered.add(use.session.partition(":")[2] or use.session)
        self._objections += use.event in ("harmful", "refuted")

    def note_run(self, run: Observation, skill: AcceptedSkill) -> None:
        self._runs += 1
        if skill.name in run.offered:
            self._offered.add(run.session_id)
        at = next((at for at, tool in enumerate(run.tools) if loaded_skill(tool) == skill.name), None)
        if at is not None:
            self._ends[run.session_id].append((run.observed_at, run.outcome in WELL))
            if follows(run.tools[at + 1 :], skill.tools):
                self._followed.add(run.session_id)

    def usage(self) -> SkillUsage:
        ends = sorted((max(runs)[0], session, any(well for _, well in runs)) for session, runs in self._ends.items())
        well = sum(good for _, _, good in ends)
        newest = ends[-_NEWEST:]
        recently = sum(good for _, _, good in newest)
        return SkillUsage(
            offered=len(self._offered),
            loaded=len(ends),
            followed=len(self._followed),
            well=well,
            badly=len(ends) - well,
            objections=self._objections,
            recently_well=recently,
            recently_badly=len(newest) - recently,
            runs=self._runs,
        )


def match_skills(skills: Sequence[tuple[str, AcceptedSkill]], request: str, limit: int = MOST_CARDS) -> list[SkillMatch]:
    """The accepted skills (record id, skill) that a request is about, best first; mostly none.

    Only what a skill is called and was asked for in counts, never its body; and words that many skills share count for none.
    """
    asked = _words_by_stem(request)
    wanted = set(asked)
    if not wanted:
        return []
    told = {record_id: _about(skill) for record_id, skill in skills}
    held = Counter(stem for stems in told.values() for stem in stems)
    dull = {stem for stem, count in held.items() if len(told) >= _FEWEST_SKILLS and count > _COMMON * len(told)}
    matches = []
    for record_id, skill in skills:
        title = _stems(f"{skill.name.replace('-', ' ')} {skill.title}") - dull
        shared = (wanted & told[record_id]) - dull
        needed = min(_FEWEST_SHARED, max(len(title), 1))
        if len(shared) < needed or not shared & title:
            continue
        score = len(shared) / max(1, min(len(wanted - dull), _MOST_WORDS))
        if score >= _LEAST:
            matches.append(SkillMatch(record_id, skill, round(score, 4), tuple(sorted(asked[stem] for stem in shared))))
    return sorted(matches, key=lambda each: (-each.score, each.skill.name))[:limit]


def _about(skill: AcceptedSkill) -> set[str]:
    """Stems of name and title, and those that at least two of its examples have."""
    counts = Counter(stem for example in skill.examples for stem in _stems(example))
    often = {stem for stem, count in counts.items() if count >= 2 or len(skill.examples) < 3}
    return _stems(f"{skill.name.replace('-', ' ')} {skill.title}") | often


def _stems(text: str) -> set[str]:
    return set(_words_by_stem(text))


def _words_by_stem(text: str) -> dict[str, str]:
    return {stem_english(word) if word.isascii() and word.isalpha() else word: word for word in prompt_words(text)}
