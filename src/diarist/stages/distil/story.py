"""Turns a session read and judged into bullets, list by list."""

from __future__ import annotations

from typing import NamedTuple

from diarist.stages.distil.bullets import MOST, Bullet
from diarist.stages.distil.did import changes, discarded, effects, passed, throwaways
from diarist.stages.distil.facts import Facts
from diarist.stages.distil.reports import answers, findings, found, rationale, results
from diarist.stages.distil.setbacks import failing, refusals, stops, troubles
from diarist.stages.distil.ways import attempts, corrected, decisions, looks, requests, scripts


class Story(NamedTuple):
    """All bullets, unranked."""

    tried: list[Bullet]
    worked: list[Bullet]
    failed: list[Bullet]
    found: list[Bullet]
    """What was found on the way: for where there is room, and it is not told as learned."""
    held: bool
    """Nothing is known to be broken in the end: what was found counts among what worked, else among what was tried."""
    rationale: list[Bullet]
    learned: list[Bullet]


def tell(facts: Facts) -> Story:
    """What a person would write down.

    Changes count as what worked only if nothing is known to be broken in the end; else they were tried. What only read and
    answered is told by its answers; an answer that tells of a failure is no success.
    """
    ledger = facts.ledger
    held = facts.verified is not False and facts.outcome != "failed"
    changed = list(changes(facts))
    answered = list(answers(ledger)) if not ledger.writes else []
    worked = [*passed(facts), *effects(ledger), *(bullet for bullet, is_setback in answered if not is_setback)]
    if held:
        worked += [*changed, *results(facts)]
    extra = list(found(facts)) if ledger.writes and len(worked) < MOST else []
    tried = [*corrected(facts.corrections), *requests(facts), *looks(ledger), *discarded(ledger), *throwaways(ledger)]
    if len(tried) < MOST:
        tried += decisions(ledger)
    tried += [*attempts(ledger), *scripts(ledger), *(bullet for bullet, is_setback in answered if is_setback)]
    if not held:
        tried += changed
    failed = [*refusals(facts.corrections), *failing(facts), *troubles(facts), *stops(ledger)]
    return Story(tried, worked, failed, extra, held, list(rationale(facts)), list(findings(facts)))
