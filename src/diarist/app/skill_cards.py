"""Accepted skills that fit a request, as compact cards beside what recall gives. Never a whole body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from diarist.model.hit import ContextPack, Hit, Query
from diarist.stages.briefing import CARD, Item, brief_text

if TYPE_CHECKING:
    from diarist.app.skill_use import SkillMatch
    from diarist.app.toolbox import Toolbox

ROOM = 900
"""Characters that cards may take at most, of what is left."""


FOR_REQUEST = "Skills that a person accepted for requests like this one."
FOR_RECENT = "Skills that a person accepted for work like that of the last runs."


def add_cards(
    box: Toolbox, requests: Sequence[str], project: str | None, pack: ContextPack, limit: int, head: str = FOR_REQUEST
) -> ContextPack:
    """The pack with cards of the skills that fit behind it, at most `limit` characters in all; mostly as it was.

    Whether there is a skill at all is asked of the index: the store would look through every record, in a hook that has no time for it.
    """
    if not box.search_index().search(Query(kinds=("skill",), project=project), 1):
        return pack
    matches = _matches(box, requests, project)
    root = str(next(iter(box.settings.get("skills.roots")), ".agents/skills"))
    items = [
        Item(
            match.record_id,
            f"{match.skill.accepted_at:%Y-%m-%d}",
            CARD,
            f"{match.skill.name}: {match.skill.title}",
            (f"load it from {root}/{match.skill.name}/SKILL.md; it fits by: {', '.join(match.shared[:6])}",),
        )
        for match in matches
    ]
    room = min(ROOM, limit - len(pack.text) - 1)
    text, shown = brief_text(head, items, room)
    if not shown:
        return pack
    hits = tuple(Hit(match.record_id, match.score, "skill", match.skill.title) for match in matches[:shown])
    joined = f"{pack.text}\n{text}" if pack.text else text
    return ContextPack(joined, (*pack.items, *hits), pack.tokens + -(-len(text) // 3))


def _matches(box: Toolbox, requests: Sequence[str], project: str | None) -> list[SkillMatch]:
    """The skills that fit one of the requests, each once, best first."""
    from diarist.app.skill_records import list_skills
    from diarist.app.skill_use import MOST_CARDS, match_skills

    skills = [(record.id, skill) for record, skill in list_skills(box.store, project)]
    best: dict[str, SkillMatch] = {}
    for request in requests:
        for match in match_skills(skills, request):
            if match.record_id not in best or match.score > best[match.record_id].score:
                best[match.record_id] = match
    return sorted(best.values(), key=lambda each: (-each.score, each.skill.name))[:MOST_CARDS]
