"""Accepted skills that fit a request, as compact cards beside what recall gives. Never a whole body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diarist.model.hit import ContextPack, Hit
from diarist.model.record import RecordFilter
from diarist.stages.briefing import Item, brief_text

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox

ROOM = 900
"""Characters that cards may take at most, of what is left."""


def add_cards(box: Toolbox, request: str, project: str | None, pack: ContextPack, limit: int) -> ContextPack:
    """The pack with cards of the skills that fit behind it, at most `limit` characters in all; mostly as it was."""
    if not box.store.count_records(RecordFilter(kinds=("skill",), project=project)):
        return pack
    from diarist.app.skill_records import list_skills
    from diarist.app.skill_use import match_skills

    matches = match_skills([(record.id, skill) for record, skill in list_skills(box.store, project)], request)
    root = str(next(iter(box.settings.get("skills.roots")), ".agents/skills"))
    items = [
        Item(
            match.record_id,
            f"{match.skill.accepted_at:%Y-%m-%d}",
            "accepted skill",
            f"{match.skill.name}: {match.skill.title}",
            (f"load it from {root}/{match.skill.name}/SKILL.md; it fits by: {', '.join(match.shared[:6])}",),
        )
        for match in matches
    ]
    room = min(ROOM, limit - len(pack.text) - 1)
    text, shown = brief_text("Skills that a person accepted for requests like this one.", items, room)
    if not shown:
        return pack
    hits = tuple(Hit(match.record_id, match.score, "skill", match.skill.title) for match in matches[:shown])
    joined = f"{pack.text}\n{text}" if pack.text else text
    return ContextPack(joined, (*pack.items, *hits), pack.tokens + -(-len(text) // 3))
