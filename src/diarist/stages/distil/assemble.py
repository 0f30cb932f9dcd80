"""Puts the parts together into one sealed entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

import msgspec

from diarist.model.codec import seal
from diarist.model.entry import Command, Entry, ErrorSeen, Evidence, FileTouched, Fix
from diarist.model.host import HostFacts
from diarist.model.redacted import Redacted, derived
from diarist.model.session import Session, Usage
from diarist.stages.distil.bullets import Bullet, choose, evidence_of, texts_of
from diarist.stages.distil.corrections import find_corrections
from diarist.stages.distil.facts import Facts
from diarist.stages.distil.fixes import make_fixes, settle, settle_reported, tell_errors
from diarist.stages.distil.ledger import Ledger, Run
from diarist.stages.distil.outcome import Judgement, decide
from diarist.stages.distil.repairs import find_repairs
from diarist.stages.distil.story import Story, tell
from diarist.stages.distil.tags import ASKED, TagFacts, make_tags
from diarist.stages.distil.titles import bare_prompt, make_title, requests_of
from diarist.text.clip import clip
from diarist.text.injection import suspect

DISTIL_VERSION = 7
"""Goes up with every change that makes other entries of the same sessions."""

MOST_COMMANDS, MOST_FILES = 200, 400
PROMPT = 4_000
PARAGRAPHS = {"rationale": 600, "learned": 800}
"""Lists that are told as one text, and its length."""


class _Told(NamedTuple):
    """All that is said of a session."""

    judged: Judgement
    chosen: dict[str, list[Bullet]]
    errors: tuple[ErrorSeen, ...]
    fixes: tuple[Fix, ...]


def make_entry(session: Session, ledger: Ledger, host: HostFacts, *, entry_id: str, task_id: Redacted, rules_version: str) -> Entry:
    """The sealed entry of a session that was read into a ledger."""
    info = session.info
    told = _tell(ledger, host)
    judged, chosen = told.judged, told.chosen
    prompts = requests_of([ask.text for ask in ledger.prompts])
    files = _files(ledger)
    entry = Entry(
        id=entry_id,
        task_id=task_id,
        session_id=derived(info.session),
        workflow=host.workflow or derived(info.workflow or info.parent_session or info.session),
        agent=derived(info.agent),
        model=host.model or derived(info.models[0] if info.models else ""),
        route=host.route,
        project=session.project,
        title=derived(make_title(host.title or info.title, [*prompts, *_commanded(ledger)], _first_reply(ledger), _changed(files))),
        prompt=derived(clip(bare_prompt(prompts[0]), PROMPT)) if prompts else Redacted(""),
        outcome=judged.outcome,
        signals=judged.signals,
        verified=judged.verified,
        tried=texts_of(chosen["tried"]),
        worked=texts_of(chosen["worked"]),
        failed=texts_of(chosen["failed"]),
        rationale=_joined(chosen["rationale"]),
        learned=host.learned or _joined(chosen["learned"]),
        errors=told.errors,
        fixes=told.fixes,
        tools=tuple(derived(tool) for tool in ledger.tools),
        commands=_commands(list(ledger.runs)),
        files=files,
        file_operations=ledger.writes if host.file_operations is None else host.file_operations,
        escalations=judged.escalations,
        build_attempts=judged.build_attempts,
        build_tail=derived(clip(judged.build_tail, 600)),
        usage=_usage(info.usage, host),
        started_at=_seconds(info.started_at),
        created_at=_seconds(host.created_at or info.ended_at or info.started_at) or datetime(1970, 1, 1, tzinfo=UTC),
        redaction_hash=session.redaction_hash,
        evidence=_evidence(chosen, host),
        capture=session.capture,
        source=derived(info.format),
        rules_version=rules_version,
        distil_version=DISTIL_VERSION,
    )
    return seal(msgspec.structs.replace(entry, tags=_tags(entry, prompts, host)))


def _tell(ledger: Ledger, host: HostFacts) -> _Told:
    """Decides what happened, then finds words for it."""
    repairs = find_repairs(ledger)
    settle(ledger.troubles, repairs, list(ledger.runs), ledger.changes)
    judged = decide(ledger, host)
    reported = settle_reported(ledger, verified=judged.verified)
    story = tell(Facts(ledger, judged.outcome, judged.verified, repairs, find_corrections(ledger)))
    return _Told(judged, _choose(story, ledger), tell_errors(ledger.troubles), (*make_fixes(repairs, ledger.troubles), *reported))


def _commanded(ledger: Ledger) -> list[str]:
    """Slash commands that the session was run with: what it is about where nobody said more."""
    return [mark.text for mark in ledger.marks if mark.mark == "command" and mark.text.startswith("/") and len(mark.text) > 6]


def _first_reply(ledger: Ledger) -> str:
    return next((said.text for said in ledger.replies if not said.actor), "")


def _changed(files: Sequence[FileTouched]) -> list[str]:
    return [str(file.path) for file in files if set(file.operations) - {"read"}]


def _tags(entry: Entry, prompts: Sequence[str], host: HostFacts) -> tuple[Redacted, ...]:
    changed = _changed(entry.files)
    facts = TagFacts(
        outcome=entry.outcome,
        task_id=entry.task_id,
        workflow=entry.workflow,
        prompts=[bare_prompt(prompt) for prompt in prompts[:ASKED]],
        files=[*changed, *(str(file.path) for file in entry.files if set(file.operations) == {"read"})],
        commands=entry.commands,
        errors=entry.errors,
        bullets=[*entry.tried, *entry.worked, *entry.failed],
        given=host.tags,
    )
    return tuple(derived(tag) for tag in make_tags(facts))


def _evidence(chosen: dict[str, list[Bullet]], host: HostFacts) -> dict[str, tuple[Evidence, ...]]:
    """By list. A paragraph is one bullet that rests on each of its sentences; what the host wrote rests on no step."""
    found = {name: evidence_of(bullets, together=name in PARAGRAPHS) for name, bullets in chosen.items() if bullets}
    if host.learned:
        found.pop("learned", None)
    return found


def _choose(story: Story, ledger: Ledger) -> dict[str, list[Bullet]]:
    chosen: dict[str, list[Bullet]] = {name: [] for name in ("tried", "worked", "failed")}
    marked = lru_cache(maxsize=64)(_is_marked)  # what was learned is often why the approach changed, too
    for name, room in PARAGRAPHS.items():
        chosen[name] = _paragraph([*ledger.sections.get(name, ()), *getattr(story, name)], room, marked)
    learned = {bullet.quote for bullet in chosen["learned"]}
    (story.worked if story.held else story.tried).extend(bullet for bullet in story.found if bullet.quote not in learned)
    told: frozenset[str] = frozenset()
    for name in ("worked", "failed", "tried"):
        known = told | learned if name == "tried" else told
        chosen[name] = choose([*ledger.sections.get(name, ()), *getattr(story, name)], known)
        told |= {bullet.quote for bullet in chosen[name]}
    return chosen


def _is_marked(text: str) -> bool:
    """Does it speak to an agent, so that it must not be told without a mark?"""
    return suspect(text).mark


def _paragraph(bullets: Sequence[Bullet], room: int, is_marked: Callable[[str], bool]) -> list[Bullet]:
    """The three to five most telling sentences that fit, in the order they were said; none that speaks to an agent."""
    kept: list[Bullet] = []
    for bullet in choose(bullets):
        if len(bullet.text) + 1 <= room and len(kept) < 5 and not is_marked(bullet.text):
            kept.append(bullet)
            room -= len(bullet.text) + 1
    return sorted(kept, key=lambda bullet: bullet.steps)


def _joined(bullets: Sequence[Bullet]) -> Redacted:
    return derived(" ".join(text if text.endswith((".", "!", "?", "。", "…")) else f"{text}." for text in texts_of(bullets)))


def _commands(runs: Sequence[Run]) -> tuple[Command, ...]:
    """Each text once, with the result of its last run; checks before other commands where not all have room."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.text, []).append(run)
    groups = list(found.values())
    if len(groups) > MOST_COMMANDS:
        ranked = sorted(
            range(len(groups)), key=lambda at: (not groups[at][0].command.is_check, groups[at][0].command.kind == "search", -at)
        )
        groups = [groups[at] for at in sorted(ranked[:MOST_COMMANDS])]
    return tuple(_command(group) for group in groups)


def _command(group: Sequence[Run]) -> Command:
    last = group[-1]
    return Command(
        text=derived(clip(last.text, 400)),
        kind=last.command.kind,
        passed=last.passed,
        exit_code=last.exit_code if last.exit_code or last.command.exit_tells else None,
        runs=len(group),
        steps=tuple(run.step for run in group[:20]),
    )


def _files(ledger: Ledger) -> tuple[FileTouched, ...]:
    """Changed files before files that were only read."""
    ranked = sorted(ledger.files.items(), key=lambda item: set(item[1]) == {"read"})
    return tuple(FileTouched(path=derived(path), operations=tuple(operations)) for path, operations in ranked[:MOST_FILES])


def _usage(usage: Usage, host: HostFacts) -> Usage:
    chosen = host.usage or usage
    if host.latency_ms is None:
        return chosen
    return Usage(
        input_tokens=chosen.input_tokens,
        output_tokens=chosen.output_tokens,
        cache_read_tokens=chosen.cache_read_tokens,
        cache_write_tokens=chosen.cache_write_tokens,
        reasoning_tokens=chosen.reasoning_tokens,
        cost_usd=chosen.cost_usd,
        latency_ms=host.latency_ms,
    )


def _seconds(at: datetime | None) -> datetime | None:
    """UTC, whole seconds; a time without a zone is taken as UTC."""
    if at is None:
        return None
    aware = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    return aware.replace(microsecond=0)
