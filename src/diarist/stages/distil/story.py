"""Turns the ledger into bullets: changes, checks, errors, corrections, findings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from diarist.model.entry import Outcome
from diarist.stages.distil.blocks import blocks
from diarist.stages.distil.bullets import Bullet, line_of, one_line
from diarist.stages.distil.corrections import Correction, is_assent
from diarist.stages.distil.fixes import Repair, is_same_check, shown
from diarist.stages.distil.ledger import Changed, Ledger, Looked, Run, Said, Trouble
from diarist.stages.distil.sentences import best_of, clean, judge
from diarist.stages.distil.telling import by_file, describe_change, names_of, new_lines, reason_for
from diarist.text.clip import clip

_SMALL = frozenset({"echo", "mkdir", "cp", "mv", "rm", "touch", "chmod", "kill", "export", "sleep", "python", "python3", "node"})
_WORD = re.compile(r"\w[\w.-]+\w")
_STOP_WORDS = {
    "limit": "The run ended at a limit",
    "give-up": "The run was given up",
    "error-end": "The run ended by an error",
    "api-error": "The model's service failed",
    "model-refusal": "The model declined to answer",
}


class Story(NamedTuple):
    tried: list[Bullet]
    worked: list[Bullet]
    failed: list[Bullet]
    rationale: list[Bullet]
    learned: list[Bullet]


class Facts(NamedTuple):
    """What the bullets are made from."""

    ledger: Ledger
    outcome: Outcome
    verified: bool | None
    repairs: Sequence[Repair]
    corrections: Sequence[Correction]


def tell(facts: Facts) -> Story:
    """All bullets, unranked."""
    ledger = facts.ledger
    grounded = _grounded_words(ledger)
    change_bullets = list(_changes(facts))
    ok = facts.verified is not False and facts.outcome != "failed"
    worked = [*_passed(facts), *_results(facts, grounded)] if ok else list(_passed(facts))
    worked += list(_effects(ledger))
    worked += [*(change_bullets if ok else ()), *(_found(facts) if ledger.writes else ())]
    tried = [
        *_corrected(facts.corrections),
        *_requests(facts),
        *_looks(ledger),
        *_discarded(ledger),
        *_decisions(ledger),
        *_attempts(ledger),
    ]
    tried += [] if ok else change_bullets
    failed = [*_refusals(facts.corrections), *_failing(facts), *_troubles(facts), *_stops(ledger)]
    return Story(tried, worked, failed, list(_rationale(facts)), list(_findings(facts)))


# --- worked ---


_TOLD_ALONE = 6


def _changes(facts: Facts) -> Iterator[Bullet]:
    """One bullet a file: what was changed and why the agent says it was. Of many files the lesser ones share a bullet a folder."""
    files = {path: changes for path, changes in by_file(facts.ledger.changed).items() if path in facts.ledger.files}
    ranked = sorted(
        files.values(), key=lambda changes: (changes[0].number == 0, -len(changes), -sum(len(change.after) for change in changes))
    )
    alone = ranked if len(ranked) <= _TOLD_ALONE + 2 else ranked[:_TOLD_ALONE]
    for changes in alone:
        yield _file_bullet(changes)
    folders: dict[str, list[list[Changed]]] = defaultdict(list)
    for changes in ranked[len(alone) :]:
        folders[changes[0].path.rpartition("/")[0]].append(changes)
    for folder, others in folders.items():
        yield _folder_bullet(folder, others)


def _file_bullet(changes: Sequence[Changed]) -> Bullet:
    told = list(dict.fromkeys(text for change in changes if (text := describe_change(change))))
    reason, reason_step = reason_for(changes)
    deleted = changes[-1].operation == "delete"
    text = f"{_verb(changes)} {changes[0].path}" + (f": {clip('; '.join(told[:5]), 280)}" if told and not deleted else "")
    if reason and not judge(reason).is_claim:
        text += f". {clip(reason, 200)}"
    steps = (changes[0].step, *((reason_step,) if reason_step >= 0 else ()))
    return Bullet(text, _change_quote(changes), steps, 4.0 + min(len(changes), 6) * 0.5 + (0.0 if changes[0].number else -1.0))


def _verb(changes: Sequence[Changed]) -> str:
    if changes[-1].operation == "delete":
        return "Deleted"
    return {"create": "Created", "move": "Moved"}.get(changes[0].operation, "Changed")


def _folder_bullet(folder: str, files: Sequence[Sequence[Changed]]) -> Bullet:
    told = []
    for changes in files:
        names = list(dict.fromkeys(name for change in changes for name in names_of("\n".join(new_lines(change.before, change.after)))))
        told.append(changes[0].path.rpartition("/")[2] + (f" ({', '.join(names[:2])})" if names else ""))
    verbs = "/".join(dict.fromkeys(_verb(changes) for changes in files))
    text = (
        f"{verbs} {len(files)} more in {folder or '.'}: {clip(', '.join(told), 300)}"
        if len(files) > 1
        else f"{verbs} {files[0][0].path}: {told[0]}"
    )
    return Bullet(text, _change_quote(files[0]), tuple(changes[0].step for changes in files[:8]), 3.6 + min(len(files), 8) * 0.1)


def _change_quote(changes: Sequence[Changed]) -> str:
    for change in changes:
        lines = new_lines(change.before, change.after)
        if lines:
            return max(lines[:40], key=lambda line: min(len(line), 120))[:300]
    return line_of(changes[0].after) or changes[0].path


def _passed(facts: Facts) -> Iterator[Bullet]:
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


def _results(facts: Facts, grounded: frozenset[str]) -> Iterator[Bullet]:
    """What the last replies report, as far as it names what was really changed or, where nothing was, what was found."""
    ledger = facts.ledger
    if ledger.writes:
        if ledger.last_reply is not None:
            yield from _reported(ledger.last_reply, grounded)
        return
    answers = [
        said for said in ledger.replies if not said.actor and said is not ledger.last_reply and (len(said.text) > 200 or not ledger.calls)
    ]
    for said in [*answers[-20:], *([ledger.last_reply] if ledger.last_reply else [])]:
        yield from _answered(said, floor=-1.0 if not ledger.calls else 0.5 if said is ledger.last_reply else 2.5)


def _reported(said: Said, grounded: frozenset[str]) -> Iterator[Bullet]:
    for block in blocks(said.text):
        hits = len(_words(block.text) & grounded)
        if hits and not block.best.is_intent:
            heading = f"{block.heading}: " if block.heading and len(block.text) < 60 else ""
            yield Bullet(heading + block.text, block.best.text[:300], (said.step,), 2.0 + min(hits, 4) * 0.5 + min(block.score, 5) * 0.3)


def _answered(said: Said, *, floor: float) -> Iterator[Bullet]:
    """The pieces of an answer that say something by themselves."""
    for block in blocks(said.text):
        if block.best.is_intent or block.score < floor:
            continue
        heading = f"{block.heading}: " if block.heading and block.heading.lower() not in block.text.lower() else ""
        yield Bullet(
            f"Found: {heading}{block.text}",
            block.best.text[:300],
            (said.step,),
            2.0 + min(block.score, 8) * 0.3,
        )


def _grounded_words(ledger: Ledger) -> frozenset[str]:
    """Names that the changes really hold: a report may be believed as far as it names them."""
    found: set[str] = set()
    for change in ledger.changed:
        found.add(change.path.rsplit("/", 1)[-1].lower())
        added = "\n".join(new_lines(change.before, change.after))
        found.update(name.lower() for name in names_of(added))
        found.update(word for word in _words(added[:4_000]) if "_" in word or len(word) > 8)
    return frozenset(found)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


# --- failed ---


def _failing(facts: Facts) -> Iterator[Bullet]:
    """Checks and commands that failed: the error, what the agent made of it, and whether it was got past."""
    groups: dict[str, list[Run]] = defaultdict(list)
    for run in facts.ledger.runs:
        if (run.passed is False or not run.started) and run.command.kind != "search":
            groups[run.command.key].append(run)
    for failing in groups.values():
        yield _failing_bullet(facts, failing)


def _failing_bullet(facts: Facts, failing: Sequence[Run]) -> Bullet:
    ledger, last = facts.ledger, failing[-1]
    stands = not any(run.passed and run.step > last.step and is_same_check(run, last) for run in ledger.runs)
    troubles = [ledger.troubles[mark] for mark in dict.fromkeys(mark for run in failing for mark in run.errors) if mark in ledger.troubles]
    said = "; ".join(clip(trouble.message, 170) for trouble in troubles[-2:]) or last.line or line_of(last.tail, 160)
    again = f" {len(failing)} times" if len(failing) > 1 else ""
    text = f"`{shown(last)}` {'failed' if last.started else 'could not run'}{again}" + (f": {said}" if said else "")
    diagnosis = _diagnosis(last.after)
    text += f". {clip(diagnosis, 200)}" if diagnosis else ""
    if stands and last.command.is_check and last.started:
        text += " (never passed afterwards)"
    weight = (7.0 if stands else 5.0) if last.command.is_check and last.started else 2.5 if not stands else 3.5 if last.started else 4.0
    quote = next((trouble.quote for trouble in reversed(troubles) if trouble.quote), "") or line_of(last.text)
    return Bullet(text, quote, (last.step, *((last.result,) if last.result >= 0 else ())), weight)


def _diagnosis(said: Said | None) -> str:
    if said is None:
        return ""
    for sentence in sorted(said.sentences[:16], key=lambda sentence: -sentence.score)[:1]:
        if sentence.score > 0.5 and not sentence.is_claim:
            return clean(sentence.text)
    return ""


def _troubles(facts: Facts) -> Iterator[Bullet]:
    """Errors of tools and commands other than those that failed as a whole."""
    told = {
        mark
        for run in facts.ledger.runs
        if (run.passed is False or not run.started) and run.command.kind != "search"
        for mark in run.errors
    }
    for trouble in facts.ledger.troubles.values():
        if trouble.fingerprint not in told:
            yield _trouble_bullet(trouble)


def _trouble_bullet(trouble: Trouble) -> Bullet:
    if trouble.kind == "prompt":
        return Bullet(f"Reported by the person: {trouble.message}", trouble.quote, tuple(trouble.steps[:4]), 4.0)
    if trouble.about:
        text = f"`{clip(one_line(trouble.about), 120)}` failed: {clip(trouble.message, 240)}"
    else:
        about = f" on {clip(trouble.target, 80)}" if trouble.target else ""
        text = f"{trouble.tool}{about} was refused: {clip(trouble.message, 240)}"
    diagnosis = _diagnosis(trouble.after)
    text += f". {clip(diagnosis, 160)}" if diagnosis else ""
    if trouble.resolved_by and not trouble.about:
        text += f" (got past: {clip(trouble.resolved_by, 140)})"
    return Bullet(
        text,
        trouble.quote,
        tuple(trouble.steps[:4]),
        2.0 + 0.3 * min(trouble.count, 5) + (1.0 if trouble.resolved is not True else 0.0),
        trouble.count,
    )


def _stops(ledger: Ledger) -> Iterator[Bullet]:
    """What ended the run or held it up."""
    for mark in ledger.marks:
        words = _STOP_WORDS.get(mark.mark)
        if words:
            last = mark.step >= ledger.last_actor_step
            text = words + (f": {clip(one_line(mark.text), 200)}" if mark.text else "") + (_doing(ledger) if last else "")
            yield Bullet(text, line_of(mark.text) or words, (mark.step,), 6.5 if last else 3.0)


def _doing(ledger: Ledger) -> str:
    """What the agent was at when the run ended."""
    said = [*ledger.replies, *ledger.thoughts]
    latest = max(said, key=lambda one: one.step, default=None)
    words = clip(clean(best_of(latest.sentences)), 180) if latest else ""
    run = ledger.runs.last()
    command = f", at `{shown(run, 80)}`" if run is not None and run.step >= ledger.last_actor_step - 1 else ""
    return f" (it was at: {words}{command})" if words else command


# --- corrections and requests ---


def _refusals(corrections: Sequence[Correction]) -> Iterator[Bullet]:
    for correction in corrections:
        if not correction.refused:
            continue
        reason = best_of(correction.why.sentences) if correction.why else ""
        text = f"The person refused {_call_words(correction.what)}"
        if correction.quote:
            text += f": “{clip(one_line(correction.quote), 220)}”"
        if reason:
            text += f" (proposed: {clip(clean(reason), 160)})"
        yield Bullet(text, line_of(correction.quote) or line_of(correction.what), (correction.step,), 6.0 if correction.quote else 3.5)


def _call_words(what: str) -> str:
    return f"`{clip(one_line(what), 120)}`" if what else "a call"


def _corrected(corrections: Sequence[Correction]) -> Iterator[Bullet]:
    for correction in corrections:
        if not correction.refused and correction.quote:
            yield Bullet(
                f"Corrected by the person: “{clip(one_line(correction.quote), 300)}”", line_of(correction.quote), (correction.step,), 5.5
            )


def _requests(facts: Facts) -> Iterator[Bullet]:
    """A session with many requests is told by them."""
    corrected = {correction.step for correction in facts.corrections}
    for number, prompt in enumerate(facts.ledger.prompts):
        if number == 0 or prompt.step in corrected or is_assent(prompt.text):
            continue
        line = line_of(prompt.text, 240)
        if len(line) >= 8:
            yield Bullet(f"Asked next: {clip(one_line(prompt.text), 240)}", line, (prompt.step,), 3.0 + min(len(line), 100) / 200)


# --- tried ---


def _looks(ledger: Ledger) -> Iterator[Bullet]:
    searches: list[Looked] = []
    for looked in ledger.looked:
        if looked.kind == "agent" and looked.about:
            detail = f": {clip(one_line(looked.detail), 260)}" if looked.detail else ""
            yield Bullet(f"Subagent: {clip(one_line(looked.about), 140)}{detail}", line_of(looked.about), (looked.step,), 4.0)
        elif looked.kind == "web" and looked.about:
            yield Bullet(f"Looked up {clip(one_line(looked.about), 160)}", line_of(looked.about), (looked.step,), 2.0)
        elif looked.kind == "search" and looked.about:
            searches.append(looked)
    for at in range(0, len(searches), 6):
        yield _searched(searches[at : at + 6])


def _searched(group: Sequence[Looked]) -> Bullet:
    """Several searches in one bullet: what was looked for and why."""
    told: dict[str, list[str]] = {}
    for looked in group:
        reason = clip(clean(best_of(looked.why.sentences)), 110) if looked.why else ""
        told.setdefault(reason, []).append(f"`{clip(one_line(looked.about), 60)}`")
    text = "; ".join(f"{', '.join(dict.fromkeys(about))}" + (f" ({reason})" if reason else "") for reason, about in told.items())
    quoted = next((looked for looked in group if looked.why and best_of(looked.why.sentences)), None)
    quote = best_of(quoted.why.sentences) if quoted and quoted.why else line_of(group[0].about)
    steps = tuple(looked.step for looked in group)
    return Bullet(f"Searched for {text}", quote[:300], (quoted.why.step, *steps) if quoted and quoted.why else steps, 1.5)


def _discarded(ledger: Ledger) -> Iterator[Bullet]:
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
        yield Bullet(text, _change_quote(changes), (changes[0].step, changes[-1].step, *((step,) if step >= 0 else ())), 2.5)


def _throwaways(ledger: Ledger) -> Iterator[Bullet]:
    """Scripts that were written to look at something and run by hand."""
    made = {
        path: changes for path, changes in by_file(ledger.changed).items() if path not in ledger.files and changes[0].operation == "create"
    }
    kept = {path: changes for path, changes in made.items() if changes[-1].operation != "delete"}
    reasons = {path: clip(reason_for(changes)[0], 110) for path, changes in kept.items()}
    for at in range(0, len(kept), 4):
        paths = list(kept)[at : at + 4]
        told = "; ".join(f"{path}" + (f" ({reasons[path]})" if reasons[path] else "") for path in paths)
        first = kept[paths[0]]
        yield Bullet(f"Throw-away scripts: {told}", _change_quote(first), tuple(kept[path][0].step for path in paths), 2.8)


def _decisions(ledger: Ledger) -> Iterator[Bullet]:
    """Turns to another way, as the agent announced them before it acted."""
    before = {id(event.why): event.why for event in [*ledger.runs, *ledger.changed, *ledger.looked] if event.why is not None}
    for said in before.values():
        for sentence in said.sentences:
            if sentence.is_decision and not sentence.is_claim and not sentence.is_chatter and len(sentence.text) >= 30:
                yield Bullet(clean(sentence.text), sentence.text[:300], (said.step,), 2.2 + min(sentence.score, 4) * 0.3)


def _attempts(ledger: Ledger) -> Iterator[Bullet]:
    """A command that was varied until it did what it should."""
    groups: dict[str, list[Run]] = defaultdict(list)
    for run in ledger.runs:
        main = next((program for program in run.command.programs if program.kind == run.command.kind), None)
        if main is not None and run.command.kind in ("run", "other", "install", "build") and main.name not in _SMALL:
            groups[" ".join((main.name, *main.words[1:2]))].append(run)
    for runs in groups.values():
        variants = list({one_line(run.text): run for run in runs}.values())
        if len(variants) >= 3 and (any(run.passed is False or run.errors for run in runs[:-1]) or _alike(variants)):
            shown_ones = "; ".join(f"`{shown(run, 100)}`" for run in (*variants[:2], variants[-1]))
            yield Bullet(f"{len(runs)} attempts: {shown_ones}", line_of(variants[-1].text), tuple(run.step for run in runs[:8]), 3.2)


def _scripts(ledger: Ledger) -> Iterator[Bullet]:
    """Code that was run as it stands, not from a file."""
    for run in ledger.runs:
        program = next(
            (program for program in run.command.programs if program.kind == "run" and (program.heredoc or "-c" in program.words)), None
        )
        if program is None or run.passed is False:
            continue
        code = program.heredoc or program.words[program.words.index("-c") + 1 : program.words.index("-c") + 2][0]
        names = names_of(code)[:4]
        reason = clip(clean(best_of(run.why.sentences)), 200) if run.why else ""
        if names or reason:
            text = "Ran code" + (f" with {', '.join(f'`{name}`' for name in names)}" if names else "") + (f": {reason}" if reason else "")
            yield Bullet(text, line_of(code), (run.step, *((run.result,) if run.result >= 0 else ())), 2.1)


def _effects(ledger: Ledger) -> Iterator[Bullet]:
    """What tools of no known kind did, with what they gave back."""
    for looked in ledger.looked:
        if looked.kind == "effect":
            text = f"{looked.about} with {clip(one_line(looked.detail), 220)} gave {clip(one_line(looked.output), 160)}"
            yield Bullet(text, line_of(looked.output) or looked.about, (looked.step, looked.result), 4.5)


def _alike(runs: Sequence[Run]) -> bool:
    """The same words with other options: attempts at one thing."""
    words = [set(run.text.split()) for run in runs]
    return all(len(one & other) >= 0.6 * min(len(one), len(other)) for one, other in pairwise(words))


# --- rationale and learned ---


def _rationale(facts: Facts) -> Iterator[Bullet]:
    """Why the approach changed: the reasoning beside what failed or was refused, never the final claim."""
    last = facts.ledger.last_reply
    for event in [*facts.ledger.runs, *facts.ledger.troubles.values()]:
        said = event.after
        if said is None or said is last or (isinstance(event, Run) and event.passed is not False):
            continue
        for sentence in said.sentences[:20]:
            if (sentence.is_cause or sentence.is_decision) and not sentence.is_claim and sentence.score > 0:
                yield Bullet(clean(sentence.text), sentence.text[:300], (said.step,), sentence.score)


def _found(facts: Facts) -> Iterator[Bullet]:
    """What was found on the way, for a run that also changed things: told where there is room."""
    for said in facts.ledger.replies:
        if said is facts.ledger.last_reply:
            continue
        for sentence in said.sentences:
            if sentence.score >= 3.0 and not (sentence.is_intent or sentence.is_claim or sentence.is_chatter):
                yield Bullet(f"Found: {clean(sentence.text)}", sentence.text[:300], (said.step,), 1.0 + 0.2 * min(sentence.score, 8))


def _findings(facts: Facts) -> Iterator[Bullet]:
    """Sentences that state how things are and why, in the agent's words."""
    for said in [*facts.ledger.replies, *facts.ledger.thoughts]:
        for sentence in said.sentences:
            if sentence.score >= 3.0 and sentence.is_cause and not (sentence.is_intent or sentence.is_claim):
                yield Bullet(clean(sentence.text), sentence.text[:300], (said.step,), sentence.score - (0.5 if said.is_thought else 0.0))
