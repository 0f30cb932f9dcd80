"""Short words about changes, commands and errors, for bullets and fixes. All texts come from redacted steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from diarist.stages.distil.code import DEFINITION, IDENTIFIER, definitions, names_of, telling_line
from diarist.stages.distil.ledger import Changed
from diarist.stages.distil.sentences import words_on
from diarist.text.clip import clip


def describe_change(change: Changed) -> str:
    """What one write did: "added `WithAgent`: `return context.WithValue(…)`" or "in `test_x`: `a == b` became `equal(a, b)`"."""
    if change.told is None:
        change.told = _described(change)
    return change.told


def _described(change: Changed) -> str:
    added, removed = change.added, change.removed
    defined = names_of("\n".join(added[:60])[:2_500])
    names = [name for name in defined if name not in change.before]
    inside = (
        next((name for name in definitions(change.before[:1_500]) if name and name.strip() not in names), "").strip()
        if change.before
        else ""
    )
    where = f"in `{inside}`: " if inside and inside not in " ".join(names) else ""
    if names:
        line = telling_line([line for line in added if not DEFINITION.match(line)])
        return f"{where}added " + ", ".join(f"`{name}`" for name in names[:5]) + (f": `{clip(line, 90)}`" if len(line) > 20 else "")
    if added and removed and change.before:
        return f"{where}`{clip(_two(removed), 120)}` became `{clip(_two(added), 130)}`"
    if added:
        return f"{where}wrote `{clip(_two(added), 150)}`"
    if removed:
        return f"{where}removed `{clip(_two(removed), 150)}`"
    return ""


def _two(lines: Sequence[str]) -> str:
    """The line that says most, and the one after it where both are short."""
    best = telling_line(lines)
    at = lines.index(best)
    following = lines[at + 1] if at + 1 < len(lines) else ""
    return f"{best} {following}" if following and len(best) + len(following) < 110 else best


def reason_for(changes: Iterable[Changed]) -> tuple[str, int]:
    """The agent's own reason for some changes, and the step it stands in; ("", -1) where it gave none.

    Where the changes themselves are not known (a format that keeps only file names), two reasons tell more than one.
    """
    found: dict[str, int] = {}
    room = 1
    for change in changes:
        if change.why is None:
            continue
        room = 1 if change.after or change.before else 3
        names = frozenset(IDENTIFIER.findall(change.path.rsplit("/", 1)[-1])) | frozenset(change.names[:6])
        reason = words_on(change.why.sentences, 260, prefer=names)
        if reason:
            found.setdefault(reason, change.why.step)
        if len(found) >= room:
            break
    return " ".join(found), next(iter(found.values()), -1)


def by_file(changes: Iterable[Changed]) -> dict[str, list[Changed]]:
    """Changes by the path they were made to, in order of first appearance."""
    found: dict[str, list[Changed]] = {}
    for change in changes:
        found.setdefault(change.path, []).append(change)
    return found


def describe_changes(changes: Sequence[Changed], limit: int = 420) -> str:
    """What several writes did, file by file: "a.py: added `f`; b.py: `x` became `y`"."""
    parts = []
    for path, own in by_file(changes).items():
        told = "; ".join(dict.fromkeys(text for change in own if (text := describe_change(change))))
        parts.append(f"{path}: {told}" if told else path)
    return clip("; ".join(parts), limit)


def count(number: int, one: str, many: str = "") -> str:
    """The number with its noun, as in "3 runs"; `many` where an s does not do."""
    return f"{number} {one if number == 1 else many or one + 's'}"
