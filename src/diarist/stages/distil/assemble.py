"""Puts the parts together into one sealed entry."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from diarist.model.codec import seal
from diarist.model.entry import Command, Entry, FileTouched
from diarist.model.host import HostFacts
from diarist.model.redacted import Redacted, derived
from diarist.model.session import Session, Usage
from diarist.stages.distil.bullets import Bullet, choose, evidence_of, texts_of
from diarist.stages.distil.corrections import find_corrections
from diarist.stages.distil.facts import Facts
from diarist.stages.distil.fixes import make_fixes, settle, settle_reported, tell_errors
from diarist.stages.distil.ledger import Ledger, Run
from diarist.stages.distil.outcome import decide
from diarist.stages.distil.repairs import find_repairs
from diarist.stages.distil.story import Story, tell
from diarist.stages.distil.tags import TagFacts, make_tags
from diarist.stages.distil.titles import bare_prompt, make_title, requests_of
from diarist.text.clip import clip

DISTIL_VERSION = 1
"""Goes up with every change that makes other entries of the same sessions."""

MOST_COMMANDS, MOST_FILES = 200, 400
PROMPT = 4_000


def make_entry(session: Session, ledger: Ledger, host: HostFacts, *, entry_id: str, task_id: Redacted, rules_version: str) -> Entry:
    info = session.info
    runs = list(ledger.runs)
    repairs = find_repairs(ledger)
    settle(ledger.troubles, repairs, runs)
    judged = decide(ledger, host)
    reported = settle_reported(ledger, verified=judged.verified)
    story = tell(Facts(ledger, judged.outcome, judged.verified, repairs, find_corrections(ledger)))
    chosen = _choose(story, ledger)
    errors = tell_errors(ledger.troubles)
    commands = _commands(runs)
    files = _files(ledger)
    prompts = requests_of([ask.text for ask in ledger.prompts])
    workflow = host.workflow or derived(info.workflow or info.parent_session or info.session)
    first_reply = next((said.text for said in ledger.replies if not said.actor), "")
    changed = [str(file.path) for file in files if set(file.operations) - {"read"}]
    told = [str(text) for name in ("tried", "worked", "failed") for text in texts_of(chosen[name])]
    facts = TagFacts(
        outcome=judged.outcome,
        task_id=task_id,
        workflow=workflow,
        prompts=[bare_prompt(prompt) for prompt in prompts],
        files=[*changed, *(str(file.path) for file in files if set(file.operations) == {"read"})],
        commands=commands,
        errors=errors,
        bullets=told,
        given=[str(tag) for tag in host.tags],
    )
    entry = Entry(
        id=entry_id,
        task_id=task_id,
        session_id=derived(info.session),
        workflow=workflow,
        agent=derived(info.agent),
        model=host.model or derived(info.models[0] if info.models else ""),
        route=host.route,
        project=session.project,
        title=derived(make_title(host.title or info.title, prompts, first_reply, changed)),
        prompt=derived(clip(bare_prompt(prompts[0]), PROMPT)) if prompts else Redacted(""),
        outcome=judged.outcome,
        signals=judged.signals,
        verified=judged.verified,
        tried=texts_of(chosen["tried"]),
        worked=texts_of(chosen["worked"]),
        failed=texts_of(chosen["failed"]),
        rationale=_joined(chosen["rationale"]),
        learned=host.learned or _joined(chosen["learned"]),
        errors=errors,
        fixes=(*make_fixes(repairs, ledger.troubles), *reported),
        tools=tuple(derived(tool) for tool in ledger.tools),
        commands=commands,
        files=files,
        file_operations=ledger.writes if host.file_operations is None else host.file_operations,
        escalations=judged.escalations,
        build_attempts=judged.build_attempts,
        build_tail=derived(clip(judged.build_tail, 600)),
        tags=tuple(derived(tag) for tag in make_tags(facts)),
        usage=_usage(info.usage, host),
        started_at=_seconds(info.started_at),
        created_at=_seconds(host.created_at or info.ended_at or info.started_at) or datetime(1970, 1, 1, tzinfo=UTC),
        redaction_hash=session.redaction_hash,
        evidence={name: evidence_of(bullets) for name, bullets in chosen.items() if bullets and not (name == "learned" and host.learned)},
        capture=session.capture,
        source=derived(info.format),
        rules_version=rules_version,
        distil_version=DISTIL_VERSION,
    )
    return seal(entry)


def _choose(story: Story, ledger: Ledger) -> dict[str, list[Bullet]]:
    chosen: dict[str, list[Bullet]] = {"tried": []}
    told: frozenset[str] = frozenset()
    for name in ("worked", "failed", "tried"):
        chosen[name] = choose([*ledger.sections.get(name, ()), *getattr(story, name)], told)
        told |= {bullet.quote for bullet in chosen[name]}
    for name, room in (("rationale", 600), ("learned", 800)):
        chosen[name] = _paragraph([*ledger.sections.get(name, ()), *getattr(story, name)], room)
    return chosen


def _paragraph(bullets: Sequence[Bullet], room: int) -> list[Bullet]:
    """The three to five most telling sentences that fit, in the order they were said."""
    kept: list[Bullet] = []
    for bullet in choose(bullets):
        if len(bullet.text) + 1 <= room and len(kept) < 5:
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
