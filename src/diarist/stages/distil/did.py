"""What changed and what passed: bullets from writes, checks and effects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from diarist.stages.distil.bullets import Bullet, and_then, line_of, one_line
from diarist.stages.distil.code import names_of
from diarist.stages.distil.facts import Facts
from diarist.stages.distil.ledger import Changed, Ledger, Run
from diarist.stages.distil.repairs import shown
from diarist.stages.distil.sentences import judge
from diarist.stages.distil.telling import by_file, describe_change, reason_for
from diarist.text.clip import clip

_TOLD_ALONE = 6


def changes(facts: Facts) -> Iterator[Bullet]:
    """One bullet a file: what was changed and why the agent says it was. Of many files the lesser ones share a bullet a folder."""
    files = {path: changes for path, changes in by_file(facts.ledger.changed).items() if path in facts.ledger.files}
    ranked = sorted(
        files.values(), key=lambda changes: (changes[0].number == 0, -len(changes), -sum(len(change.after) for change in changes))
    )
    alone = ranked if len(ranked) <= _TOLD_ALONE + 2 else ranked[:_TOLD_ALONE]
    told: set[str] = set()
    moved = {changes[0].step: changes for changes in alone if changes[0].operation == "move"}
    for changes in alone:
        source = next((other for other in alone if other is not changes and _is_moved(other, changes)), None)
        if moved.get(changes[0].step, changes) is not changes and changes[0].operation == "move":
            continue  # told with where it went
        yield _file_bullet(changes, told, source[0].path if source else "")
    folders: dict[str, list[list[Changed]]] = defaultdict(list)
    for changes in ranked[len(alone) :]:
        folders[changes[0].path.rpartition("/")[0]].append(changes)
    for folder, others in folders.items():
        yield _folder_bullet(folder, others)


def _is_moved(source: Sequence[Changed], target: Sequence[Changed]) -> bool:
    """Was one file moved to become the other?"""
    return source[0].operation == target[0].operation == "move" and source[0].step == target[0].step


def _file_bullet(changes: Sequence[Changed], reasons: set[str], source: str = "") -> Bullet:
    """`reasons`: those that other bullets gave; none is told twice. `source`: where it was moved from."""
    told = list(dict.fromkeys(text for change in changes[:8] if (text := describe_change(change))))
    reason, reason_step = reason_for(changes)
    deleted = changes[-1].operation == "delete"
    named = f"{source} to {changes[0].path}" if source else changes[0].path
    text = f"{_verb(changes)} {named}" + (f": {clip('; '.join(told[:5]), 280)}" if told and not deleted else "")
    if reason and reason not in reasons and not judge(reason).is_claim:
        reasons.add(reason)
        text = and_then(text, clip(reason, 200))
    quote, step = change_quote(changes)
    steps = tuple(dict.fromkeys((changes[0].step, step, *((reason_step,) if reason_step >= 0 else ()))))
    return Bullet(text, quote, steps, 4.0 + min(len(changes), 6) * 0.5 + (0.0 if changes[0].number else -1.0))


def _verb(changes: Sequence[Changed]) -> str:
    if changes[-1].operation == "delete":
        return "Deleted"
    return {"create": "Created", "move": "Moved"}.get(changes[0].operation, "Changed")


def _folder_bullet(folder: str, files: Sequence[Sequence[Changed]]) -> Bullet:
    told = []
    for changes in files[:12]:
        names = list(dict.fromkeys(name for change in changes for name in names_of("\n".join(change.added))))
        told.append(changes[0].path.rpartition("/")[2] + (f" ({', '.join(names[:2])})" if names else ""))
    verbs = "/".join(dict.fromkeys(_verb(changes) for changes in files))
    text = (
        f"{verbs} {len(files)} more in {folder or '.'}: {clip(', '.join(told), 300)}"
        if len(files) > 1
        else f"{verbs} {files[0][0].path}" + (f": {told[0]}" if "(" in told[0] else "")
    )
    quote, step = change_quote(files[0])
    steps = tuple(dict.fromkeys((step, *(changes[0].step for changes in files[:8]))))
    return Bullet(text, quote, steps, 3.6 + min(len(files), 8) * 0.1)


def change_quote(changes: Sequence[Changed]) -> tuple[str, int]:
    """The longest new line of the first change that has one, else what names the file; with the step it stands in."""
    for change in changes:
        if change.added and change.is_exact:
            return max(change.added[:40], key=lambda line: min(len(line), 120))[:300], change.step
    first = changes[0]
    return first.named or line_of(first.after) or first.path, first.step


def passed(facts: Facts) -> Iterator[Bullet]:
    """Checks whose last run passed."""
    last: dict[str, Run] = {}
    for run in facts.ledger.runs:
        if run.command.is_check and run.passed is not None:
            last[run.command.key] = run
    for run in last.values():
        if run.passed:
            counted = f" ({run.line})" if run.line else ""
            at = (
                "after the last change"
                if run.changes >= facts.ledger.changes and facts.ledger.changes
                else "before the last change"
                if facts.ledger.changes
                else ""
            )
            text = f"`{shown(run, 140)}` passed{counted}" + (f", {at}" if at else "")
            yield Bullet(
                text,
                run.line or line_of(run.text),
                (run.step, *((run.result,) if run.result >= 0 else ())),
                5.0 if at != "before the last change" else 3.0,
            )


def effects(ledger: Ledger) -> Iterator[Bullet]:
    """What tools of no known kind did, with what they gave back."""
    for looked in ledger.looked:
        if looked.kind == "effect" and looked.result >= 0 and line_of(looked.output):
            given = f" with {clip(one_line(looked.detail), 280)}" if looked.detail else ""
            text = f"{looked.about}{given} gave {clip(one_line(looked.output), 160)}"
            yield Bullet(text, line_of(looked.output), (looked.step, looked.result), 4.5)


def discarded(ledger: Ledger) -> Iterator[Bullet]:
    """Files that were made and removed again, and changes that were taken back."""
    gone: dict[str, list[Changed]] = {}
    for change in ledger.changed:
        if change.path not in ledger.files:
            gone.setdefault(change.path, []).append(change)
    for path, changes in gone.items():
        if changes[-1].operation != "delete" and changes[0].operation == "create":
            continue
        reason, step = reason_for(changes)
        text = f"{path} was made and removed again" + (f": {clip(reason, 220)}" if reason and not judge(reason).is_claim else "")
        quote, at = change_quote(changes)
        steps = tuple(dict.fromkeys((changes[0].step, at, changes[-1].step, *((step,) if step >= 0 else ()))))
        yield Bullet(text, quote, steps, 2.5)


def throwaways(ledger: Ledger) -> Iterator[Bullet]:
    """Files that were written to look at or plan something: scripts run by hand, backups, notes outside the project."""
    made = {
        path: changes for path, changes in by_file(ledger.changed).items() if path not in ledger.files and changes[0].operation == "create"
    }
    kept = {path: changes for path, changes in made.items() if changes[-1].operation != "delete"}
    reasons = {path: clip(reason_for(changes)[0], 110) for path, changes in kept.items()}
    for at in range(0, len(kept), 4):
        paths = list(kept)[at : at + 4]
        told = "; ".join(f"{path}" + (f" ({reasons[path]})" if reasons[path] else "") for path in paths)
        quote, step = change_quote(kept[paths[0]])
        yield Bullet(f"Throw-away files: {told}", quote, tuple(dict.fromkeys((step, *(kept[path][0].step for path in paths)))), 2.8)
