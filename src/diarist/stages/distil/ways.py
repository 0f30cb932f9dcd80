"""What was tried: requests, searches, subagents, attempts, turns to another way."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from diarist.model.bullet import ASKED, CORRECTED
from diarist.stages.distil.bullets import Bullet, line_of, one_line
from diarist.stages.distil.code import names_of
from diarist.stages.distil.commands import Program
from diarist.stages.distil.corrections import Correction, is_assent
from diarist.stages.distil.facts import Facts
from diarist.stages.distil.ledger import Ledger, Looked, Run
from diarist.stages.distil.repairs import shown
from diarist.stages.distil.sentences import best_of, clean, sentences
from diarist.stages.distil.titles import is_bare_names
from diarist.text.clip import clip
from diarist.text.lazy import lazy

_SMALL = frozenset(
    {
        "echo",
        "mkdir",
        "cp",
        "mv",
        "rm",
        "touch",
        "chmod",
        "kill",
        "export",
        "sleep",
        "python",
        "python3",
        "node",
        "cat",
        "tee",
        "sed",
        "printf",
        "code",
    }
)


_ALONE = 4
_NEXT = lazy(r"(?:now|next|first|finally|the user)\b", re.IGNORECASE)
"""How a step of a plan begins that turns to nothing new."""


def corrected(corrections: Sequence[Correction]) -> Iterator[Bullet]:
    """What the person corrected; many corrections share bullets, three each, so that none is lost."""
    quoted = {correction.quote: correction for correction in reversed(corrections) if not correction.refused and correction.quote}
    told = list(quoted.values())[::-1]  # each once, where it was said first
    size = 1 if len(told) <= _ALONE else 3
    room = 300 if size == 1 else 130
    for at in range(0, len(told), size):
        group = told[at : at + size]
        words = "; ".join(f"“{clip(one_line(correction.quote), room)}”" for correction in group)
        also = tuple((line_of(correction.quote), correction.step) for correction in group[1:])
        yield Bullet(CORRECTED + words, line_of(group[0].quote), (group[0].step,), 5.5, is_own=True, also=also)


def requests(facts: Facts) -> Iterator[Bullet]:
    """A session with many requests is told by them."""
    corrected = {correction.step for correction in facts.corrections}
    for number, prompt in enumerate(facts.ledger.prompts):
        if number == 0 or prompt.step in corrected or is_assent(prompt.text):
            continue
        line = line_of(prompt.text, 240)
        if len(line) >= 8 and not is_bare_names(prompt.text):
            yield Bullet(ASKED + clip(one_line(prompt.text), 240), line, (prompt.step,), 3.0 + min(len(line), 100) / 200)


def looks(ledger: Ledger) -> Iterator[Bullet]:
    """Bullets on what was handed to subagents and what was searched for."""
    searches: list[Looked] = []
    for looked in ledger.looked:
        if looked.kind == "agent" and looked.about:
            yield _delegated(looked)
        elif looked.kind == "web" and looked.about:
            yield Bullet(f"Looked up {clip(one_line(looked.about), 160)}", line_of(looked.about), (looked.step,), 2.0)
        elif looked.kind == "search" and looked.about:
            searches.append(looked)
    for at in range(0, len(searches), 6):
        yield _searched(searches[at : at + 6])


def _delegated(looked: Looked) -> Bullet:
    """A subagent's task, and the most telling thing it came back with: linked to the step it came back in."""
    detail = f": {clip(one_line(looked.detail), 200)}" if looked.detail else ""
    text = f"Subagent: {clip(one_line(looked.about), 140)}{detail}"
    said = [sentence for sentence in sentences(looked.output) if not (sentence.is_intent or sentence.is_claim or sentence.is_chatter)]
    best = max(said, key=lambda sentence: sentence.score + min(len(sentence.text), 160) / 60, default=None)
    if best is None or looked.result < 0:
        return Bullet(text, line_of(looked.about), (looked.step,), 4.4)
    answer = clip(clean(best.text), 180)
    also = ((best.text[:300], looked.result),)
    return Bullet(f"{text} → {answer}", line_of(looked.about), (looked.step, looked.result), 4.4, also=also)


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


def decisions(ledger: Ledger) -> Iterator[Bullet]:
    """Turns to another way, as the agent announced them before it acted."""
    before = {id(event.why): event.why for event in [*ledger.runs, *ledger.changed, *ledger.looked] if event.why is not None}
    for said in before.values():
        for sentence in said.decisions:
            if len(sentence.text) >= 30 and not (sentence.is_claim or sentence.is_chatter or _NEXT.match(sentence.text)):
                yield Bullet(clean(sentence.text), sentence.text[:300], (said.step,), 2.2 + min(sentence.score, 4) * 0.3)


def attempts(ledger: Ledger) -> Iterator[Bullet]:
    """A command that was varied until it did what it should."""
    groups: dict[str, list[Run]] = defaultdict(list)
    for run in ledger.runs:
        main = next((program for program in run.command.programs if program.kind == run.command.kind), None)
        if main is not None and run.command.kind in ("run", "other", "install", "build") and main.name not in _SMALL:
            groups[" ".join((main.name, *main.words[1:2]))].append(run)
    for runs in groups.values():
        variants = list({one_line(run.text): run for run in runs}.values())
        if len(variants) >= 3 and (any(run.passed is False or run.errors for run in runs[:-1]) or _alike(variants)):
            steps = tuple(dict.fromkeys((variants[-1].step, *(run.step for run in runs[:8]))))
            shown_ones = "; ".join(f"`{shown(run, 100)}`" for run in (*variants[:2], variants[-1]))
            yield Bullet(f"{len(runs)} attempts: {shown_ones}", line_of(variants[-1].text), steps, 4.6)


def _alike(runs: Sequence[Run]) -> bool:
    """The same words with other options: attempts at one thing."""
    words = [set(run.text.split()) for run in runs]
    return all(len(one & other) >= 0.6 * min(len(one), len(other)) for one, other in pairwise(words))


def scripts(ledger: Ledger) -> Iterator[Bullet]:
    """Code that was run as it stands, not from a file."""
    for run in ledger.runs:
        code = next((code for program in run.command.programs if program.kind == "run" and (code := _inline(program))), "")
        if not code or run.passed is False:
            continue
        names = names_of(code)[:4]
        reason = clip(clean(best_of(run.why.sentences)), 200) if run.why else ""
        if names or reason:
            text = "Ran code" + (f" with {', '.join(f'`{name}`' for name in names)}" if names else "") + (f": {reason}" if reason else "")
            yield Bullet(text, line_of(code), (run.step, *((run.result,) if run.result >= 0 else ())), 2.1)


def _inline(program: Program) -> str:
    """The code of `python -c '…'` or of a here-document; empty where there is none."""
    at = program.words.index("-c") + 1 if "-c" in program.words else len(program.words)
    return program.heredoc or "".join(program.words[at : at + 1])
