"""Tasks as benchmark hosts pose them: the task itself, wrapped in the host's standing instructions."""

from __future__ import annotations

from diarist.importers.draft import Draft
from diarist.importers.markup import elements
from diarist.model.session import Mark

_OPENINGS = ("Consider the following PR description:", "Consider the following issue:")
_ISSUE_STARTS = ("We're currently solving the following issue within our repository.", "We are currently solving the following issue")
_ISSUE_MARKS = ("ISSUE:\n", "ISSUE:\r\n")
_INSTRUCTIONS = ("\nINSTRUCTIONS:", "\nYour task:\n", "\nNow, you're going to solve this issue")
_LIMITS = ("cost", "limit", "context", "token", "timeout", "time_out", "maximum", "max_", "budget", "exceeded", "total_execution")


def split_task(text: str) -> tuple[str, str]:
    """The task a person once wrote, and the host's instructions around it ("" if there are none)."""
    stripped = text.strip()
    wrapped = next(elements(stripped, ("pr_description", "issue_description", "task_description")), None)
    if wrapped is not None and not wrapped.start:
        task = wrapped.content.strip()
        for opening in _OPENINGS:
            task = task.removeprefix(opening).lstrip()
        return task, stripped[wrapped.end :].strip()
    if stripped.startswith(_ISSUE_STARTS):
        for mark in _ISSUE_MARKS:
            _, found, rest = stripped.partition(mark)
            if found:
                end = min((at for at in map(rest.find, _INSTRUCTIONS) if at >= 0), default=len(rest))
                return rest[:end].strip(), rest[end:].strip()
    return stripped, ""


def add_task(draft: Draft, part: object, text: str) -> None:
    """Adds a host's prompt: the task as a prompt, the instructions around it as a notice."""
    task, instructions = split_task(text)
    draft.user(part, task)
    if instructions:
        draft.add("notice", f"{part}.instructions", instructions, "machine")


def exit_mark_of(status: str) -> Mark:
    """What the exit status that a host wrote down says about the end of a run. It never says whether the task was solved."""
    low = status.lower()
    if any(
        word in low
        for word in ("cost", "limit", "context", "token", "timeout", "time_out", "maximum", "max_", "budget", "exceeded", "total_execution")
    ):
        return "limit"
    if low.startswith(("submitted", "finished", "completed", "success")):
        return "submit"
    if any(word in low for word in ("api", "authentication", "rate", "connection")):
        return "api-error"
    return "give-up" if low.startswith(("early_exit", "exit_forfeit", "skipped", "exit_format", "repeat")) else "error-end"
