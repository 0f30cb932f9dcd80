"""What failed, was refused or ended the run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from diarist.stages.distil.bullets import Bullet, and_then, line_of, one_line
from diarist.stages.distil.corrections import Correction
from diarist.stages.distil.facts import Facts
from diarist.stages.distil.failures import failure_line
from diarist.stages.distil.ledger import Ledger, Run, Said, Trouble
from diarist.stages.distil.repairs import family, last_passes, shown
from diarist.stages.distil.sentences import best_of, clean
from diarist.text.clip import clip
from diarist.text.lazy import lazy

_STOP_WORDS = {
    "limit": "The run ended at a limit",
    "give-up": "The run was given up",
    "error-end": "The run ended by an error",
    "api-error": "The model's service failed",
    "model-refusal": "The model declined to answer",
}


def failing(facts: Facts) -> Iterator[Bullet]:
    """Checks and commands that failed: the error, what the agent made of it, and whether it was got past."""
    groups: dict[str, list[Run]] = defaultdict(list)
    for run in facts.ledger.runs:
        if (run.passed is False or not run.started) and run.command.kind != "search":
            groups[run.command.key].append(run)
    passes = last_passes(list(facts.ledger.runs))
    for failing in groups.values():
        yield _failing_bullet(facts, failing, stands=passes.get(family(failing[-1]), -1) < failing[-1].step)


def _failing_bullet(facts: Facts, failing: Sequence[Run], *, stands: bool) -> Bullet:
    ledger, last = facts.ledger, failing[-1]
    latest_first = dict.fromkeys(mark for run in reversed(failing) for mark in run.errors)
    troubles = [ledger.troubles[mark] for mark in latest_first if mark in ledger.troubles]
    said = "; ".join(clip(trouble.message, 170) for trouble in troubles[:2]) or last.line or failure_line(last.tail)[:160]
    again = f" {len(failing)} times" if len(failing) > 1 else ""
    text = f"`{shown(last)}` {'failed' if last.started else 'could not run'}{again}" + (f": {said}" if said else "")
    diagnosis = _diagnosis(last.after)
    text = and_then(text, clip(diagnosis, 200))
    if stands and last.command.is_check and last.started:
        text += " (never passed afterwards)"
    weight = (7.0 if stands else 5.0) if last.command.is_check and last.started else 2.5 if not stands else 3.5 if last.started else 4.0
    quoted = next((trouble for trouble in troubles if trouble.quote), None)
    quote = quoted.quote if quoted else line_of(last.text)
    steps = [last.step, *([last.result] if last.result >= 0 else ()), *(quoted.steps[:1] if quoted else ())]
    return Bullet(text, quote, tuple(dict.fromkeys(steps)), weight)


_REMEDY = lazy(r"(?:this|these|the (?:new|above|following))\b[^.]{0,40}?\b(?:change|edit|fix|block|update|version|code)s?\b", re.IGNORECASE)
"""What was done about a failure says nothing about the failure."""
_WRITES = frozenset({"edit", "create", "delete", "move"})
"""A failed write changed nothing: the tool turned it down."""


def _diagnosis(said: Said | None) -> str:
    if said is None:
        return ""
    for sentence in sorted(said.sentences[:16], key=lambda sentence: -sentence.score)[:1]:
        if sentence.score > 0.5 and not (sentence.is_claim or _REMEDY.match(sentence.text)):
            return clean(sentence.text)
    return ""


def troubles(facts: Facts) -> Iterator[Bullet]:
    """Errors of tools and commands other than those that failed as a whole."""
    told = {
        mark
        for run in facts.ledger.runs
        if (run.passed is False or not run.started) and run.command.kind != "search"
        for mark in run.errors
    }
    for trouble in facts.ledger.troubles.values():
        if trouble.fingerprint not in told and trouble.tool:
            yield _trouble_bullet(trouble)


def _trouble_bullet(trouble: Trouble) -> Bullet:
    if trouble.kind == "prompt":
        return Bullet(f"Reported by the person: {trouble.message}", trouble.quote, tuple(trouble.steps[:4]), 4.0)
    if trouble.about:
        text = f"`{clip(one_line(trouble.about), 120)}` failed: {clip(trouble.message, 240)}"
    else:
        about = f" on {clip(trouble.target, 80)}" if trouble.target else ""
        word = "was refused" if trouble.kind in _WRITES else "failed"
        text = f"{trouble.tool}{about} {word}: {clip(trouble.message, 240)}"
    diagnosis = _diagnosis(trouble.after)
    text = and_then(text, clip(diagnosis, 160))
    if trouble.resolved_by and not trouble.about:
        text += f" (got past: {clip(trouble.resolved_by, 140)})"
    return Bullet(
        text,
        trouble.quote,
        tuple(trouble.steps[:4]),
        2.0 + 0.3 * min(trouble.count, 5) + (1.0 if trouble.resolved is not True else 0.0),
        trouble.count,
    )


def stops(ledger: Ledger) -> Iterator[Bullet]:
    """What ended the run or held it up."""
    for mark in ledger.marks:
        words = _STOP_WORDS.get(mark.mark)
        if words:
            last = mark.step >= ledger.last_actor_step
            text = words + (f": {clip(one_line(mark.text), 200)}" if mark.text else "") + (_doing(ledger) if last else "")
            before = next((said for said in reversed(list(ledger.replies)) if said.step < mark.step), None)
            quote = line_of(mark.text) or (line_of(before.text) if before else "")
            yield Bullet(text, quote, (mark.step, *((before.step,) if before and not mark.text else ())), 6.5 if last else 3.0)


def _doing(ledger: Ledger) -> str:
    """What the agent was at when the run ended."""
    said = [*ledger.replies, *ledger.thoughts]
    latest = max(said, key=lambda one: one.step, default=None)
    words = clip(clean(best_of(latest.sentences)), 180) if latest else ""
    run = ledger.runs.last()
    command = f", at `{shown(run, 80)}`" if run is not None and run.step >= ledger.last_actor_step - 1 else ""
    return f", while the plan was “{words}”{command}" if words else command


def refusals(corrections: Sequence[Correction]) -> Iterator[Bullet]:
    """A bullet for each call that the person declined, with their words where they gave some."""
    for correction in corrections:
        if not correction.refused:
            continue
        reason = best_of(correction.why.sentences) if correction.why else ""
        text = f"The person refused {_call_words(correction.what)}"
        if correction.quote:
            text += f": “{clip(one_line(correction.quote), 220)}”"
        if reason:
            text += f" (proposed: {clip(clean(reason), 160)})"
        quote = line_of(correction.quote) or line_of(correction.raw) or line_of(correction.what)
        yield Bullet(text, quote, (correction.step,), 6.0 if correction.quote else 3.5, is_own=True)


def _call_words(what: str) -> str:
    return f"`{clip(one_line(what), 120)}`" if what else "a call"
