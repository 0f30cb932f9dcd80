"""An entry, for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from diarist.cli.common import count, say

if TYPE_CHECKING:
    from diarist.app.worth import Worth
    from diarist.model.entry import Entry
    from diarist.model.use import Effect

_VERIFIED = {True: "a check passed after the last change", False: "the last check failed", None: "no check was seen"}


def show_entry(entry: Entry) -> None:
    """Prints what was tried, worked and failed, and what it rests on."""
    say(str(entry.title))
    say(f"{entry.id}  task {entry.task_id}  {entry.agent}{f' ({entry.model})' if entry.model else ''}  {entry.project}")
    say(f"ended {entry.created_at:%Y-%m-%d %H:%M} UTC  outcome: {entry.outcome} ({_VERIFIED[entry.verified]})")
    for signal in entry.signals:
        say(f"  - {signal.name}{f': {signal.detail}' if signal.detail else ''}{_steps(signal.steps)}")
    _section("Asked", [str(entry.prompt)] if entry.prompt else [])
    for name in ("tried", "worked", "failed"):
        _bullets(entry, name)
    _section("Why", [str(entry.rationale)] if entry.rationale else [])
    _section("Learned", [str(entry.learned)] if entry.learned else [])
    _section("Errors", [f"{error.message}  ({_resolved(error.resolved)})" for error in entry.errors])
    _section("Fixes", [str(fix.text) for fix in entry.fixes])
    _section("Checks", [f"{command.text}  {_passed(command.passed)}" for command in entry.commands if command.kind in _CHECKS])
    _section("Files changed", [str(file.path) for file in entry.files if set(file.operations) - {"read"}])
    _section("Tags", [" ".join(entry.tags)] if entry.tags else [])
    tokens = entry.usage.input_tokens + entry.usage.output_tokens
    say(
        f"\n{count(len(entry.tools), 'tool call')}"
        + (f", {tokens:,} tokens" if tokens else "")
        + f". `diarist diary verify {entry.id}` checks all of this."
    )


def show_worth(worth: Worth) -> None:
    """Prints how often a record was shown and what came of it; nothing where it never was."""
    _section("Used", worth_lines(worth))


def worth_lines(worth: Worth) -> list[str]:
    """What came of one record, in words; none where it was never shown or spoken about."""
    shown, tally = worth.shown, worth.tally
    lines = []
    if shown.times:
        lines.append(f"shown {count(shown.times, 'time')} to {count(shown.sessions, 'session')}")
    if tally.sessions:
        told = [f"cited in {tally.cited}", f"followed in {tally.followed}"]
        if tally.errors_gone or tally.errors_left:
            told.append(f"its error gone in {tally.errors_gone}, left in {tally.errors_left}")
        lines.append(f"of {count(tally.sessions, 'session')} known: {', '.join(told)}; helped {tally.helped}, misled {tally.harmed}")
    lines += [_effect(effect) for effect in worth.effects[-_LAST:]]
    return [*lines, worth.reason] if worth.reason else lines


def _effect(effect: Effect) -> str:
    told = ["cited"] if effect.cited else []
    told += [f"its {effect.followed} followed"] if effect.followed else []
    told += [] if effect.error_gone is None else ["error gone" if effect.error_gone else "error left"]
    told += [f"said: {effect.verdict}"] if effect.verdict else []
    told += [f"ended {effect.outcome}"] if effect.outcome else []
    return f"{effect.at:%Y-%m-%d} {effect.session}: {', '.join(told) or 'nothing came of it'} (vote {effect.points:+d})"


_LAST = 5
_CHECKS = frozenset({"test", "build", "lint", "typecheck"})


def _bullets(entry: Entry, name: str) -> None:
    quotes = {item.bullet: item.quote for item in entry.evidence.get(name, ())}
    bullets = getattr(entry, name)
    if bullets:
        say(f"\n{name.capitalize()}")
    for number, bullet in enumerate(bullets):
        say(f"  - {_flat(bullet)}")
        if (quote := quotes.get(number)) and quote not in bullet:
            say(f"      “{_flat(quote)}”")


def _section(title: str, lines: Iterable[str]) -> None:
    told = list(lines)
    if told:
        say(f"\n{title}")
        for line in told:
            say(f"  - {_flat(line)}")


def _flat(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 400 else flat[:399] + "…"


def _steps(steps: tuple[int, ...]) -> str:
    return f"  [step {', '.join(map(str, steps[:5]))}{', …' if len(steps) > 5 else ''}]" if steps else ""


def _resolved(resolved: bool | None) -> str:
    return {True: "fixed", False: "not fixed", None: "open"}[resolved]


def _passed(passed: bool | None) -> str:
    return {True: "passed", False: "failed", None: "no result seen"}[passed]
