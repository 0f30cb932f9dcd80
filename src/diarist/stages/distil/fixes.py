"""Errors and fixes as an entry tells them: what was resolved, and by what."""

from __future__ import annotations

from collections.abc import Sequence

from diarist.model.bullet import WENT_ON
from diarist.model.entry import ErrorSeen, Fix
from diarist.model.redacted import derived
from diarist.stages.distil.bullets import and_then, one_line
from diarist.stages.distil.commands import CHECKS
from diarist.stages.distil.ledger import Ledger, Run, Trouble
from diarist.stages.distil.repairs import Repair, shown, went_well
from diarist.stages.distil.telling import describe_changes, reason_for
from diarist.text.clip import clip

MOST_ERRORS, MOST_FIXES = 60, 40
_NEAR = 60
"""Runs after a failed command in which another way of doing the same is looked for."""
_CLIENT = frozenset({"api-error", "limit", "model-refusal"})
_REPEATED = frozenset({*CHECKS, "run", "install"})


def make_fixes(repairs: Sequence[Repair], troubles: dict[str, Trouble]) -> list[Fix]:
    """One fix for each error that went away by something that was done, and one for a failing check without a readable error."""
    fixes: dict[str, Fix] = {}
    for repair in reversed(repairs):
        if not repair.changes and not repair.commands and repair.passed.text == repair.failed.text:
            continue  # it passed on another try: nothing fixed it
        known = [mark for mark in repair.fingerprints if mark in troubles]
        key = known[0] if known else repair.failed.command.key
        if key not in fixes:
            fixes[key] = _fix(repair, known, troubles)
        if len(fixes) == MOST_FIXES:
            break
    return list(fixes.values())[::-1]


def _fix(repair: Repair, known: Sequence[str], troubles: dict[str, Trouble]) -> Fix:
    return Fix(
        error=known[0] if known else "",
        text=derived(fix_text(repair, [troubles[name] for name in known])),
        files=tuple(derived(path) for path in dict.fromkeys(change.path for change in repair.changes))[:12],
        commands=tuple(derived(clip(run.text, 200)) for run in repair.commands),
        steps=tuple(sorted({change.step for change in repair.changes} | {repair.failed.step, repair.passed.step}))[:24],
    )


def fix_text(repair: Repair, met: Sequence[Trouble]) -> str:
    """As "`go test ./…` failed (“…”) until logger_test.go was changed: added `testAgent`. I will add a constant…"."""
    failing = shown(repair.failed)
    said = "; ".join(clip(trouble.message, 120) for trouble in met[:2]) or clip(repair.failed.line, 120)
    what = f" ({said})" if said else ""
    if repair.changes:
        done = f"until changed: {describe_changes(repair.changes, 320)}"
    elif repair.commands:
        done = "until " + ", ".join(f"`{clip(one_line(run.text), 80)}`" for run in repair.commands[-2:]) + " was run"
    else:
        passed = "went through" if went_well(repair.passed) else "did not fail so any more"
        again = repair.passed.text == repair.failed.text
        done = f"and {passed} " + ("when it was run again" if again else f"as `{clip(one_line(repair.passed.text), 160)}`")
    if (repair.changes or repair.commands) and not went_well(repair.passed):
        done += "; then it failed otherwise" + (f" ({clip(repair.passed.line, 120)})" if repair.passed.line else "")
    reason, _ = reason_for(repair.changes)
    return clip(and_then(f"`{failing}` failed{what} {done}", reason), 600)


def settle_reported(ledger: Ledger, *, verified: bool | None) -> list[Fix]:
    """Errors that a person reported: resolved if something was changed for them and the person went on to something else.

    The person's silence is a weak witness, but the only one; where a check passed in the end it is not the only one. Errors of
    the model's service are got past if the agent went on.
    """
    fixes = []
    changed = list(ledger.changed)
    prompts = [prompt.step for prompt in ledger.prompts]
    for trouble in ledger.troubles.values():
        if trouble.kind in _CLIENT and trouble.resolved is None and trouble.last < ledger.last_actor_step:
            trouble.resolved, trouble.resolved_by = True, WENT_ON
        if trouble.kind != "prompt" or trouble.resolved is not None:
            continue
        following = next((step for step in prompts if step > trouble.last), None)
        done = [change for change in changed if trouble.last < change.step and (following is None or change.step < following)]
        if done and (following is not None or verified):
            reason, _ = reason_for(done)
            told = clip(and_then(f"changed: {describe_changes(done, 360)}", reason), 500)
            trouble.resolved, trouble.resolved_by = True, told
            steps = tuple(dict.fromkeys([trouble.last, *(change.step for change in done)]))[:24]
            files = tuple(derived(path) for path in dict.fromkeys(change.path for change in done))[:12]
            text = derived(clip(f"“{clip(trouble.message, 140)}” was reported until {told}", 600))
            fixes.append(Fix(error=trouble.fingerprint, text=text, files=files, steps=steps))
    return fixes


def settle(troubles: dict[str, Trouble], repairs: Sequence[Repair], runs: Sequence[Run], changes: int) -> None:
    """Marks what was resolved and what stayed, by the last time each error was met. `changes`: how many there were in all."""
    for repair in repairs:
        last = max(repair.failed.result, repair.failed.step)
        gone = [trouble for mark in repair.fingerprints if (trouble := troubles.get(mark)) is not None and trouble.last <= last]
        text = fix_text(repair, []) if gone else ""
        for trouble in gone:
            trouble.resolved, trouble.resolved_by = True, text
    for number, run in enumerate(runs):
        for mark in run.errors:
            trouble = troubles.get(mark)
            if trouble is not None and trouble.resolved is None and trouble.last == run.result:
                _settle_by_likeness(trouble, run, runs[number + 1 : number + 1 + _NEAR])
    last_run = {mark: run for run in runs for mark in run.errors}
    for trouble in troubles.values():
        latest = last_run.get(trouble.fingerprint)
        if trouble.resolved is None and trouble.kind in _REPEATED and latest and (latest.changes >= changes or trouble.count > 1):
            trouble.resolved = False  # where something was changed after it was met once, and nobody looked again, it cannot be told


def _settle_by_likeness(trouble: Trouble, run: Run, later: Sequence[Run]) -> None:
    """A check that could not start, or a command that failed: did another way of doing the same go well?"""
    if run.started and run.command.kind in CHECKS:
        return
    for other in later:
        if set(other.errors) & set(run.errors):
            continue
        if not run.started:
            alike = other.started and other.passed is not None and other.command.kind == run.command.kind
        else:
            alike = other.passed is True and _shares_subject(run, other)
        if alike:
            trouble.resolved = True
            trouble.resolved_by = f"`{shown(other, 200)}` {'went through' if other.passed else 'could run'}"
            return


def _shares_subject(run: Run, other: Run) -> bool:
    """The same program on a file or folder of the same name."""
    mine, theirs = run.command.programs, other.command.programs
    names = {program.name for program in mine} & {program.name for program in theirs} - {"cd", "echo", ""}
    return bool(names) and bool(_subjects(run, names) & _subjects(other, names))


def _subjects(run: Run, names: set[str]) -> set[str]:
    words = [word for program in run.command.programs if program.name in names for word in program.words[1:] if not word.startswith("-")]
    return {word.rstrip("/").rsplit("/", 1)[-1] for word in words if len(word) > 2}


def tell_errors(troubles: dict[str, Trouble]) -> tuple[ErrorSeen, ...]:
    """Distinct errors in the order they were first met; where there are too many, the ones that stayed and the last ones."""
    every = list(troubles.values())
    if len(every) > MOST_ERRORS:
        kept = {
            id(trouble)
            for trouble in sorted(every, key=lambda trouble: (trouble.resolved is not False, -trouble.count, -trouble.last))[:MOST_ERRORS]
        }
        every = [trouble for trouble in every if id(trouble) in kept]
    return tuple(
        ErrorSeen(
            fingerprint=trouble.fingerprint,
            message=derived(clip(trouble.message, 300)),
            tool=derived(trouble.tool),
            where=derived(clip(trouble.where, 200)),
            steps=tuple(trouble.steps),
            count=trouble.count,
            resolved=trouble.resolved,
            resolved_by=derived(trouble.resolved_by),
        )
        for trouble in every
    )
