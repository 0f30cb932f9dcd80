"""A group of entries → a theme: who, when, how it went, what recurs."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from diarist.model.redacted import Redacted, derived
from diarist.model.theme import RecurringError, Theme, Trend
from diarist.stages.synthesis.adjustment import and_like_it, choose_target, propose_diff
from diarist.stages.synthesis.approaches import LISTS, Corpus, Found, find_approaches
from diarist.stages.synthesis.cluster import Group, Space, jaccard_of
from diarist.stages.synthesis.errors import find_errors
from diarist.stages.synthesis.wording import LONGEST_LABEL, make_label
from diarist.text.clip import clip

ERROR = "error"
"""First part of the ids of themes about an error."""
MOST_LINES = 8
"""Lines of each list that are kept."""
MOST_COMPARED = 50
"""Members that cohesion is told from; their order follows from hashed ids."""
RISE = 1.5
"""A theme rises where it holds so many times the entries of the window before, and fades the other way round."""


class Counted(NamedTuple):
    """A group whose neighbours in the earlier window have been counted."""

    members: Sequence[int]
    sums: Group
    tags: tuple[Redacted, ...]
    earlier: int


def theme_id(members: Iterable[str], kind: str = "theme") -> str:
    """Follows from the members alone, in any order."""
    digest = hashlib.sha256("\n".join(sorted(members)).encode()).digest()
    return f"{kind}-" + base64.b32encode(digest[:7]).decode("ascii").lower()[:10]


def make_theme(corpus: Corpus, space: Space, group: Counted) -> Theme:
    """The theme of a group, without lineage, proposed adjustment or a model's wording."""
    items = sorted([corpus.items[member] for member in group.members], key=lambda item: item.id)
    found, errors = find_approaches(corpus, group.members, MOST_LINES), find_errors(corpus, group.members)
    cut = {**found.cut, **({"errors": len(errors) - MOST_LINES} if len(errors) > MOST_LINES else {})}
    lines, outcomes = found.lines, _count(item.outcome for item in items)
    ids = tuple([item.id for item in items])
    known = theme_id(ids)
    return Theme(
        id=known,
        lineage=known,
        label=make_label(corpus, group.sums, group.members, group.tags, _gone_wrong(found, errors)),
        tags=group.tags,
        size=len(items),
        sessions=len({item.session for item in items}),
        task_ids=tuple([item.task_id for item in items]),
        entries=ids,
        agents=_count(item.session[0] for item in items),
        projects=_count(item.project for item in items),
        first_at=min(item.created_at for item in items),
        last_at=max(item.created_at for item in items),
        trend=_trend(len(items), group.earlier),
        earlier=group.earlier,
        cohesion=_cohesion(space, group),
        outcomes=outcomes,
        recovery_rate=_recovery(outcomes),
        cut=dict(sorted(cut.items())),
        errors=tuple(errors[:MOST_LINES]),
        worked=lines["worked"],
        failed=lines["failed"],
        contradictions=lines["contradictions"],
        tried=lines["tried"],
        corrected=lines["corrected"],
        asked=lines["asked"],
        found=lines["found"],
    )


def make_error_theme(corpus: Corpus, space: Space, group: Counted, errors: Sequence[RecurringError]) -> Theme:
    """The entries that met these errors, as a theme that tells of nothing else. Its id follows from the errors alone."""
    known = theme_id([min(error.fingerprint for error in errors)], ERROR)
    return msgspec.structs.replace(
        make_theme(corpus, space, group),
        id=known,
        lineage=known,
        label=derived((clip(" ".join(errors[0].message.split()), LONGEST_LABEL) or "error") + and_like_it(errors[0])),
        errors=tuple(errors[:MOST_LINES]),
        cut={"errors": len(errors) - MOST_LINES} if len(errors) > MOST_LINES else {},
        **dict.fromkeys(LISTS, ()),
    )


def finish(theme: Theme) -> Theme:
    """With its proposed adjustment."""
    theme = msgspec.structs.replace(theme, target=choose_target(theme))
    return msgspec.structs.replace(theme, proposed_diff=propose_diff(theme))


def _gone_wrong(found: Found, errors: Sequence[RecurringError]) -> list[Redacted]:
    """Recurring lines that may become the label where no title tells the group. What worked is the answer, not the matter."""
    return [error.message for error in errors] + [each.text for each in found.lines["failed"]]


def _cohesion(space: Space, group: Counted) -> float:
    """Mean overlap of a member with the rest."""
    if len(group.members) < 2:
        return 1.0
    cosines = space.rest_cosines(group.members[:MOST_COMPARED], group.sums)
    return round(jaccard_of(sum(cosines) / len(cosines)), 3)


def _count(values: Iterable[str]) -> dict[str, int]:
    """Most frequent first, then by name."""
    return dict(sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0])))


def _trend(size: int, earlier: int) -> Trend:
    if not earlier:
        return "new"
    if size >= RISE * earlier:
        return "rising"
    return "fading" if earlier >= RISE * size else "steady"


def _recovery(outcomes: dict[str, int]) -> float | None:
    troubled = sum(outcomes.get(name, 0) for name in ("recovered", "failed", "interrupted"))
    return round(outcomes.get("recovered", 0) / troubled, 3) if troubled else None
