"""What later runs tell of a skill: whether it was offered, loaded and followed, and how the run ended. And which skills fit a request."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from diarist.app.observing import list_observations
from diarist.model.observation import loaded_skill
from diarist.model.skill import AcceptedSkill, SkillUsage
from diarist.stages.patterns import WELL, follows, prompt_words
from diarist.text.stem import stem_english

if TYPE_CHECKING:
    from diarist.model.record import Record
    from diarist.ports import Store

MOST_CARDS = 3
_FEWEST_SHARED = 2
_COMMON = 0.5
"""A word that so many of the skills have tells none of them."""
_FEWEST_SKILLS = 4
_LEAST = 0.34
"""Share of a request's words that a skill must be about."""
_MOST_WORDS = 12


class SkillMatch(NamedTuple):
    """A skill that fits a request. `shared`: the words both have."""

    record_id: str
    skill: AcceptedSkill
    score: float
    shared: tuple[str, ...]


def usage_of(store: Store, record: Record, skill: AcceptedSkill) -> SkillUsage:
    """Counts over the runs of the skill's project since it was accepted."""
    offered = {use.session for use in store.list_uses(record.id, 100_000) if use.event == "shown"}
    objections = sum(use.event in ("harmful", "refuted") for use in store.list_uses(record.id, 100_000))
    ends: dict[str, list[bool]] = defaultdict(list)
    followed = set()
    for run in list_observations(store, record.project, since=skill.accepted_at, namespace=skill.namespace):
        at = next((at for at, tool in enumerate(run.tools) if loaded_skill(tool) == skill.name), None)
        if at is None:
            continue
        ends[run.session_id].append(run.outcome in WELL)
        if follows(run.tools[at + 1 :], skill.tools):
            followed.add(run.session_id)
    well = sum(any(each) for each in ends.values())
    return SkillUsage(
        offered=len(offered), loaded=len(ends), followed=len(followed), well=well, badly=len(ends) - well, objections=objections
    )


def match_skills(skills: Sequence[tuple[str, AcceptedSkill]], request: str, limit: int = MOST_CARDS) -> list[SkillMatch]:
    """The accepted skills (record id, skill) that a request is about, best first; mostly none.

    Only what a skill is called and was asked for in counts, never its body; and words that many skills share count for none.
    """
    wanted = _stems(request)
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
            matches.append(SkillMatch(record_id, skill, round(score, 4), tuple(sorted(shared))))
    return sorted(matches, key=lambda each: (-each.score, each.skill.name))[:limit]


def _about(skill: AcceptedSkill) -> set[str]:
    """Stems of name and title, and those that at least two of its examples have."""
    counts = Counter(stem for example in skill.examples for stem in _stems(example))
    often = {stem for stem, count in counts.items() if count >= 2 or len(skill.examples) < 3}
    return _stems(f"{skill.name.replace('-', ' ')} {skill.title}") | often


def _stems(text: str) -> set[str]:
    return {stem_english(word) if word.isascii() and word.isalpha() else word for word in prompt_words(text)}
