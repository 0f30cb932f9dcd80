"""How the run ended and whether that was checked: from signals only, each with the steps it comes from.

What an agent says of its own success is no signal. What a person or a host says of it is.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from diarist.model.entry import Outcome, Signal
from diarist.model.host import HostFacts
from diarist.model.redacted import derived
from diarist.stages.distil.files import is_scratch
from diarist.stages.distil.ledger import Ledger, Run
from diarist.stages.distil.noops import repaired_noops
from diarist.stages.distil.programs import RUNNERS
from diarist.text.lazy import lazy


class Judgement(NamedTuple):
    """How a session ended, whether a check bears it out, and the signals that both follow from."""

    outcome: Outcome
    verified: bool | None
    signals: tuple[Signal, ...]
    escalations: int
    build_attempts: int
    build_tail: str


_HANDS_IN = lazy(r"\becho ['\"]?[A-Z][A-Z_]*(?:FINAL_OUTPUT|SUBMI(?:T|SSION)|TASK_(?:COMPLETED?|DONE))")
"""What harnesses have an agent print to hand in its work."""
_END_MARKS = {"limit": "limit", "give-up": "give-up", "error-end": "error-end"}


def decide(ledger: Ledger, host: HostFacts) -> Judgement:
    """Outcome, verification and the signals they rest on."""
    checks = _checks(ledger)
    if not any(run.sources for run in checks):
        checks = sorted([*checks, *_reproductions(ledger)], key=lambda run: run.step)
    verified, check_signals = _verification(ledger, checks)
    stop = _stop(ledger) or _nothing_changed(ledger)
    trials = _recoveries(ledger, checks, host)
    end = _normal_end(ledger)
    signals = [*check_signals, *trials, *([stop] if stop else []), *([end] if end and not stop else [])]
    outcome = _outcome(verified, stop, trials, end)
    counted = {"escalation", "handover"} if _handovers_tell(ledger) else {"escalation"}
    escalations = sum(mark.mark in counted for mark in ledger.marks)
    attempts = len([run for run in checks if run.command.kind in ("build", "test", "typecheck")])
    tail = next((run.tail for run in reversed(checks) if run.passed is False), "")
    judgement = Judgement(outcome, verified, tuple(signals[:40]), escalations, attempts, tail)
    return _with_host(judgement, host)


def _checks(ledger: Ledger) -> list[Run]:
    """Runs of checks with a verdict. One that failed in the same way before anything was changed says nothing about the change."""
    runs = [run for run in ledger.runs if run.command.is_check and run.passed is not None]
    broken = {(run.command.key, run.errors, run.line) for run in runs if run.passed is False and not run.sources}
    told = [run for run in runs if run.passed or not run.sources or (run.command.key, run.errors, run.line) not in broken]
    seen = {run.command.key for run in told if run.sources}
    return [run for run in told if run.passed or run.sources or not ledger.sources or run.command.key in seen or run.errors == ()]


def _reproductions(ledger: Ledger) -> list[Run]:
    """A script that crashed before the first change to the sources and no longer does after the last one: both runs.

    That the fault was there and is gone is as good as a check; a script that was never seen to fail shows nothing.
    """
    scripts: dict[str, list[Run]] = {}
    for run in ledger.runs:
        if run.command.kind == "run" and run.result >= 0:
            scripts.setdefault(run.command.key, []).append(run)
    found: list[Run] = []
    for runs in scripts.values():
        first, last = runs[0], runs[-1]
        before = [run for run in runs if run.sources == 0 and run.passed is False and run.started]
        if (
            before
            and ledger.sources
            and last.sources == ledger.sources
            and last.passed is not False
            and not last.errors
            and first is not last
        ):
            found += [before[-1], msgspec.structs.replace(last, passed=True)]
    return found


def _nothing_changed(ledger: Ledger) -> Signal | None:
    """The work was handed in, but nothing of the project was changed."""
    submit = next((mark for mark in ledger.marks if mark.mark == "submit"), None)
    if submit is None or ledger.sources or not ledger.calls:
        return None
    if any(change.number == 0 and not is_scratch(change.path) for change in ledger.changed):
        return None  # documents were written: that may have been the task
    return Signal(name="nothing-changed", detail=derived("handed in without a change to the project"), steps=(submit.step,))


def _verification(ledger: Ledger, checks: list[Run]) -> tuple[bool | None, list[Signal]]:
    """True: a check passed after the last change and none stands failed; False: the last one failed; None: not known."""
    if not checks:
        return None, []
    standing: dict[str, Run] = {}
    for run in checks:
        standing.pop(run.command.key, None)
        standing[run.command.key] = run
    last = checks[-1]
    passes = _passes(checks)
    failed = [run for run in standing.values() if run.passed is False and max(passes.get(name, -1) for name in _names(run)) < run.step]
    signals = [_check_signal(run) for run in list(standing.values())[-6:]]
    if failed and (last.passed is False or any(run.changes >= ledger.changes for run in failed)):
        return False, signals
    if last.passed is False:
        return False, signals
    if last.changes >= ledger.changes and ledger.calls:
        return True, signals
    return None, signals


def _passes(checks: list[Run]) -> dict[str, int]:
    """By kind of check and by tool, the step of the last run that passed.

    A later pass of the same tool, or of the same kind of check by another one, looks at the same code.
    """
    return {name: run.step for run in checks if run.passed for name in _names(run)}


def _names(run: Run) -> tuple[str, ...]:
    tool = run.command.key.split()[0] if run.command.key else ""
    kind = f"kind {run.command.kind}"
    return (kind,) if tool in RUNNERS else (kind, f"tool {tool}")


def _check_signal(run: Run) -> Signal:
    name = "check-passed" if run.passed else "check-failed"
    steps = (run.step, run.result) if run.result >= 0 else (run.step,)
    return Signal(
        name=name, detail=derived(f"{run.command.kind}: {run.command.key[:120]}" + (f": {run.line[:160]}" if run.line else "")), steps=steps
    )


def _stop(ledger: Ledger) -> Signal | None:
    """What ended the run before its time, if anything did."""
    last = None
    for mark in ledger.marks:
        if mark.step >= ledger.last_actor_step and mark.mark in ("interrupt", *_END_MARKS):
            last = mark
        if mark.mark == "api-error" and mark.step > ledger.last_actor_step:
            last = mark
    if last is not None:
        return Signal(name="interrupted" if last.mark == "interrupt" else last.mark, detail=derived(last.text[:200]), steps=(last.step,))
    if ledger.ended in ("interrupt", "refusal"):
        refused = ledger.refused.last()
        return Signal(name="interrupted", detail=derived("the person declined the last call"), steps=(refused.step,) if refused else ())
    return None


def _recoveries(ledger: Ledger, checks: list[Run], host: HostFacts) -> list[Signal]:
    found: list[Signal] = []
    seen: set[str] = set()
    is_turn = _handovers_tell(ledger)
    waiting: dict[str, Run] = {}
    for run in checks:
        names = _names(run)
        before = next((waiting[name] for name in names if name in waiting), None) if run.passed else None
        if run.passed is False:
            waiting.update((name, run) for name in names if name not in waiting)
        elif before is not None and before.command.kind not in seen:
            seen.add(before.command.kind)
            detail = derived(f"{before.command.key[:120]} failed, later passed")
            found.append(Signal(name="repaired", detail=detail, steps=(before.step, run.step)))
    for mark in ledger.marks:
        if mark.mark == "escalation" or (mark.mark == "handover" and is_turn):
            found.append(Signal(name="escalation", detail=derived(mark.text[:200]), steps=(mark.step,)))
        elif mark.mark in ("api-error", "model-refusal") and mark.step < ledger.last_actor_step:
            found.append(Signal(name=mark.mark, detail=derived(mark.text[:200]), steps=(mark.step,)))
    found += repaired_noops(ledger)
    if host.no_op_repaired:
        found.append(Signal(name="host:no-op-repaired"))
    if host.escalations:
        found.append(Signal(name="host:escalations", detail=derived(str(host.escalations))))
    if (host.build_attempts or 0) > 1:
        found.append(Signal(name="host:build-attempts", detail=derived(str(host.build_attempts))))
    return found[:20]


def _handovers_tell(ledger: Ledger) -> bool:
    """Where agents take turns all the time, handing over is how they work and no sign of trouble."""
    return sum(mark.mark == "handover" for mark in ledger.marks) <= 2


def _normal_end(ledger: Ledger) -> Signal | None:
    for mark in ledger.marks:
        if mark.mark in ("end", "submit") and mark.step >= ledger.last_actor_step - 1:
            return Signal(name="ended", detail=derived(mark.mark), steps=(mark.step,))
    last = ledger.runs.last()
    if last is not None and last.step >= ledger.last_actor_step and _HANDS_IN.search(last.text):
        return Signal(name="ended", detail=derived("the agent handed in its work"), steps=(last.step,))
    if ledger.last_reply is not None and ledger.ended == "reply":
        return Signal(name="ended", detail=derived("the agent's reply is the last thing"), steps=(ledger.last_reply.step,))
    return None


def _outcome(verified: bool | None, stop: Signal | None, trials: list[Signal], end: Signal | None) -> Outcome:
    if stop is not None:
        return "interrupted" if stop.name == "interrupted" else "failed"
    if verified is False:
        return "failed"
    if trials:
        return "recovered"
    if end is not None or verified:
        return "completed"
    return "unknown"


def _with_host(judgement: Judgement, host: HostFacts) -> Judgement:
    """What the host states wins; a failed verification is never told as success."""
    outcome, verified, signals = judgement.outcome, judgement.verified, list(judgement.signals)
    if host.verified is not None:
        verified = host.verified
        signals.append(Signal(name="host:verified" if verified else "host:verification-failed"))
        if verified and outcome == "unknown":
            outcome = "completed"
    if host.outcome is not None:
        outcome = host.outcome
        signals.append(Signal(name=f"host:{host.outcome}"))
    if host.verified is False and outcome in ("completed", "recovered", "unknown"):
        outcome = "failed"
    return judgement._replace(
        outcome=outcome,
        verified=verified,
        signals=tuple(signals),
        escalations=judgement.escalations if host.escalations is None else host.escalations,
        build_attempts=judgement.build_attempts if host.build_attempts is None else host.build_attempts,
        build_tail=host.build_tail or judgement.build_tail,
    )
