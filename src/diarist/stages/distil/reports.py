"""What the agent's own words add: answers, reports of what was done, findings and reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator

from diarist.model.bullet import FOUND
from diarist.stages.distil.blocks import blocks
from diarist.stages.distil.bullets import Bullet
from diarist.stages.distil.facts import Facts
from diarist.stages.distil.files import needs_no_check
from diarist.stages.distil.ledger import Ledger, Run, Said
from diarist.stages.distil.noops import claims_work
from diarist.stages.distil.sentences import clean
from diarist.stages.distil.words import long_words
from diarist.text.lazy import lazy

_SETBACK = lazy(
    r"\b(?:fail(?:s|ed|ure|ing)?|unable|unfortunately|leider|malheureusement|desafortunadamente|lamentablemente|purtroppo|"
    r"[\w.]{0,60}(?:error|exception): |traceback|(?:does|is|are) not (?:allow\w*|support\w*|possible|available|eligible)|"
    r"could(?:n'?t| not)|can(?:'t|not)|no \w+ (?:was|were) (?:provided|found|given)|broken|prevent(?:s|ed|ing)|crash\w*|"
    r"scheiter\w*|fehlgeschlagen|échou\w*|fall[óo])\b|失敗|失败|できな|无法",
    re.IGNORECASE,
)
_SETBACK_PIECES = (
    *("fail", "unable", "unfortunately", "leider", "malheureusement", "lamentablemente", "desafortunadamente", "purtroppo", " not "),
    *("could", "can't", "cannot", "no ", "broken", "prevent", "crash", "scheiter", "fehlgeschlagen", "échou", "fall"),
    *("error: ", "exception: ", "traceback"),
    *("失敗", "失败", "できな", "无法"),
)
"""One of these is in each text that `_SETBACK` finds something in: a quick look first."""
_SLIP = lazy(r"\b(?:i (?:misread|misunderstood|forgot|missed|assumed|overlooked)|my (?:mistake|apolog)|apologi[sz]e|sorry)", re.IGNORECASE)
"""An agent owning up to a mistake has found nothing that worked."""
_ORDER = lazy(
    r"(?:\*\*[^*]+\*\*:?\s*)?(?:[\w -]{3,40}:\s+)?(?:add|adjust|check|compile|consider|create|debug|ensure|find|identify|locate|look|"
    r"make sure|place|re-?run|request|retry|run|try|update|use|verify)\b",
    re.IGNORECASE,
)
"""How an item of a plan begins."""
_WRITES = frozenset({"edit", "create", "delete", "move"})
_USAGE = lazy(
    r"(?:\*\*)?(?:(?:double-)?click|press|tap|hover|visit|navigate to|open (?:the|your|http\S*|index\S*)|"
    r"run (?:the|this|your) (?:script|program|game|app|application|file|server|command)|install (?:the|all|any|required))\b",
    re.IGNORECASE,
)
"""How to use what was made is no account of the run."""
_WORD = lazy(r"\w[\w.-]+\w")


def results(facts: Facts) -> Iterator[Bullet]:
    """What the last reply reports, as far as it names what was really changed."""
    if facts.ledger.writes and facts.ledger.last_reply is not None:
        yield from _reported(facts.ledger.last_reply, _grounded_words(facts.ledger))


def answers(ledger: Ledger) -> Iterator[tuple[Bullet, bool]]:
    """The pieces of the answers of a session that changed nothing, and whether each tells of something that failed."""
    last = ledger.last_reply
    taken = {bullet.text for items in ledger.sections.values() for bullet in items}
    undone = _is_undone(ledger)
    answers = [said for said in ledger.replies if not said.actor and (last is None or said.step != last.step)]
    for said in [*answers[-20:], *([last] if last else [])]:
        floor = -1.0 if not ledger.calls else 0.5 if said is last or len(answers) < 4 else 2.5
        for block in blocks(said.text, merge=True, plans=said is last):
            best, score = block.best, block.score
            if undone and claims_work(block.text):
                continue  # what it says that it wrote was turned down
            if best.is_intent or (best.is_guess and said is not last) or score < floor or any(part.text in taken for part in block.parts):
                continue
            heading = f"{block.heading}: " if block.heading and block.heading.lower() not in block.text.lower() else ""
            bullet = Bullet(_as_found(heading + block.text), best.text[:300], (said.step,), 2.0 + min(score, 8) * 0.3 - best.is_guess)
            yield bullet, _tells_setback(block.text)


def _is_undone(ledger: Ledger) -> bool:
    """Writes were tried, none went through, and nothing else was done: no claim of a change can be true."""
    tried = bool(ledger.refused.added) or any(trouble.kind in _WRITES for trouble in ledger.troubles.values())
    return tried and not ledger.writes and all(run.command.kind == "search" for run in ledger.runs) and not _has_effects(ledger)


def _has_effects(ledger: Ledger) -> bool:
    return any(looked.kind == "effect" for looked in ledger.looked)


def _tells_setback(text: str) -> bool:
    low = text.lower()
    for piece in _SETBACK_PIECES:  # a plain loop: several times as fast as the pattern
        if piece in low:
            return _SETBACK.search(text) is not None
    return False


def _as_found(text: str) -> str:
    return text if text.startswith("Found ") else FOUND + text


def _reported(said: Said, grounded: frozenset[str]) -> Iterator[Bullet]:
    for block in blocks(said.text):
        hits = len(_words(block.text) & grounded)
        if hits and not (block.best.is_intent or _USAGE.match(block.text)):
            heading = f"{block.heading}: " if block.heading and len(block.text) < 60 else ""
            yield Bullet(heading + block.text, block.best.text[:300], (said.step,), 2.0 + min(hits, 4) * 0.5 + min(block.score, 5) * 0.3)


def _grounded_words(ledger: Ledger) -> frozenset[str]:
    """Names that the changes really hold: a report may be believed as far as it names them."""
    found: set[str] = set()
    room = 60_000
    for change in ledger.changed:
        found.add(change.path.rsplit("/", 1)[-1].lower())
        if room <= 0 or (needs_no_check(change.path) and ledger.changes):
            continue  # a document holds what the agent says, not what it did
        added = "\n".join(change.added)[:2_000]
        room -= len(added)
        found.update(long_words(added.lower()))
    return frozenset(found)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def rationale(facts: Facts) -> Iterator[Bullet]:
    """Why the approach changed: the reasoning beside what failed or was refused, never the final claim."""
    last = facts.ledger.last_reply
    for event in [*facts.ledger.runs, *facts.ledger.troubles.values()]:
        said = event.after
        if said is None or said is last or (isinstance(event, Run) and event.passed is not False):
            continue
        for sentence in said.sentences[:20]:
            if (sentence.is_cause or sentence.is_decision) and not sentence.is_claim and sentence.score > 0:
                yield Bullet(clean(sentence.text), sentence.text[:300], (said.step,), sentence.score)


def found(facts: Facts) -> Iterator[Bullet]:
    """What was found on the way, for a run that also changed things: told where there is room."""
    for said in facts.ledger.replies:
        if said.actor or (facts.ledger.last_reply is not None and said.step == facts.ledger.last_reply.step):
            continue
        for sentence in said.causes:
            if sentence.score < 3.0 or _SLIP.search(sentence.text) or _ORDER.match(sentence.text):
                continue
            if not (sentence.is_intent or sentence.is_claim or sentence.is_chatter or sentence.is_guess):
                yield Bullet(_as_found(clean(sentence.text)), sentence.text[:300], (said.step,), 1.0 + 0.2 * min(sentence.score, 8))


def findings(facts: Facts) -> Iterator[Bullet]:
    """Sentences that state how things are and why, in the agent's words."""
    for said in _spoken(facts.ledger):
        for sentence in said.causes:
            if sentence.score >= 3.0 and not (sentence.is_intent or sentence.is_claim or _SLIP.search(sentence.text)):
                weight = sentence.score - (0.5 if said.is_thought else 0.0) - (1.5 if sentence.is_guess else 0.0)
                yield Bullet(clean(sentence.text), sentence.text[:300], (said.step,), weight)


def _spoken(ledger: Ledger) -> list[Said]:
    """The replies, and the thoughts that stand beside what failed; all thoughts of an agent that hardly speaks."""
    replies = list(ledger.replies)
    if len(replies) < 4:
        return [*replies, *ledger.thoughts]
    beside = {
        id(event.after): event.after
        for event in [*ledger.runs, *ledger.troubles.values()]
        if event.after is not None and event.after.is_thought
    }
    return [*replies, *beside.values()]
