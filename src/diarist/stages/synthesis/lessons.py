"""What an approved theme tells later sessions: a lesson, and the managed block of an instructions file."""

from __future__ import annotations

from collections.abc import Sequence

from diarist.model.proposal import Decision, Proposal
from diarist.model.redacted import Redacted, derived
from diarist.model.theme import Approach, Lesson, RecurringError, Theme
from diarist.stages.synthesis.adjustment import and_like_it, text_line

BEGIN = "<!-- diarist:begin lessons -->"
END = "<!-- diarist:end lessons -->"
_NOTE = "<!-- Approved lessons, written by `diarist synthesize --apply --write-targets`. Edits inside this block are overwritten. -->"


def make_lesson(theme: Theme, proposal: Proposal, decision: Decision) -> Lesson:
    """The lesson of an accepted theme, in the reviewer's wording where there is one."""
    amplify = tuple(
        [derived(f"{each.text} ({_times(each)})") for each in theme.worked]
        + [_fix(error) for error in theme.errors if error.fixes]
        + [derived(f"as people said who set such a run right: {each.text} ({_times(each)})") for each in theme.corrected]
    )
    guard = tuple(
        [derived(f"{each.text} ({_times(each)})") for each in theme.failed]
        + [
            derived(f"{error.message}{and_like_it(error)} ({error.count} runs met it, {error.resolved} got past it)")
            for error in theme.errors
            if not error.fixes
        ]
    )
    return Lesson(
        title=proposal.shown_title,
        text=proposal.edit.body if proposal.edit else _text(theme, amplify, guard),
        amplify=() if proposal.edit else amplify,
        guard=() if proposal.edit else guard,
        tags=theme.tags,
        evidence=proposal.evidence,
        fingerprints=tuple(error.fingerprint for error in theme.errors),
        proposal=proposal.id,
        seen=decision.seen,
        approved_by=decision.who,
        approved_at=decision.at,
        why=decision.why,
    )


def render_block(lessons: Sequence[Lesson]) -> Redacted:
    """The managed block, markers included; empty where there is no lesson. Nothing in a lesson can end the block."""
    if not lessons:
        return Redacted("")
    parts = [BEGIN, _NOTE, "## Lessons from past runs"]
    for lesson in sorted(lessons, key=lambda each: (each.title, each.proposal)):
        parts.append(f"### {text_line(lesson.title)}")
        if not lesson.amplify and not lesson.guard:
            parts.append(lesson.text.replace("<!--", "&lt;!--"))
            continue
        lines = [f"- Do: {text_line(each)}" for each in lesson.amplify] + [f"- Avoid: {text_line(each)}" for each in lesson.guard]
        parts.append("\n".join(lines))
    return derived("\n\n".join([*parts, END]) + "\n")


def _text(theme: Theme, amplify: Sequence[Redacted], guard: Sequence[Redacted]) -> Redacted:
    parts = [f"{theme.size} runs between {theme.first_at:%Y-%m-%d} and {theme.last_at:%Y-%m-%d}."]
    parts += ["\n".join(["What worked:", "", *(f"- {text_line(each)}" for each in amplify)])] if amplify else []
    parts += ["\n".join(["What failed:", "", *(f"- {text_line(each)}" for each in guard)])] if guard else []
    mixed = [f"- {text_line(each.text)} (worked in {len(each.worked)}, failed in {len(each.failed)})" for each in theme.contradictions]
    parts += ["\n".join(["What worked for some and failed for others:", "", *mixed])] if mixed else []
    return derived("\n\n".join(parts))


def _times(each: Approach) -> str:
    return f"{each.count} runs" if each.count > 1 else "1 run"


def _met(error: RecurringError) -> Redacted:
    return derived(f"{error.message}{and_like_it(error)} ({error.count} runs met it, {error.resolved} got past it)")


def _fix(error: RecurringError) -> Redacted:
    return derived(f"On “{error.message}”{and_like_it(error)}: {error.fixes[0].text} ({error.count} runs met it)")
