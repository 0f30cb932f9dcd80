"""The proposed adjustment of a theme: Markdown in the shape of a diff. A review aid; it changes nothing by itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from diarist.model.redacted import Redacted, derived
from diarist.model.theme import Approach, Line, RecurringError, Theme
from diarist.stages.synthesis.thin import is_mere_repetition
from diarist.text.clip import clip
from diarist.text.injection import suspect
from diarist.text.lazy import lazy
from diarist.text.markdown import prose

LONGEST = 300
LONGEST_FIX = 240
"""Characters of one line's text, and of a fix that stands in it."""
HARDLY = 200
"""Characters around an error's message that name a command and little else."""
ABOUT = 0.8
"""Share of a line's entries that must have met an error, for the error to tell all of it."""
WARNING = "⚠ (reads like an instruction to an agent; look where it comes from)"
MOST_IDS = 4
"""Entry ids named in a line; the rest are counted."""
_APPROVED = lazy(r"(?i)(approved)(\s*):")


def choose_target(theme: Theme) -> Redacted:
    """Where the adjustment belongs.

    A skill, where a fix worked several times; the role prompt, where the entries are all of one agent; else the project's
    instructions file.
    """
    if not theme.is_telling:
        return derived("nothing: these runs are about the same thing, but did nothing alike")
    if any(fix.count > 1 and not is_mere_repetition(fix.text) for error in theme.errors for fix in error.fixes):
        return derived("a skill, or the managed block of AGENTS.md")
    agents = sorted(theme.agents)
    if agents == ["claude-code"]:
        return derived("the managed block of CLAUDE.md")
    if len(agents) == 1 and agents[0] not in ("agent", "codex"):
        return derived(f"the role prompt of {text_line(agents[0])}, or the managed block of AGENTS.md")
    return derived("the managed block of AGENTS.md")


def propose_diff(theme: Theme) -> Redacted:
    """What to guard against (`-`) and what to amplify (`+`), each with its count and entries."""
    parts = [f"## Proposed adjustment: {text_line(theme.label)}", f"Target: {theme.target}"]
    guard = [f"- {_counted(each, theme.size)}" for each in theme.failed if not _tells_of(each, theme.errors)]
    guard += [f"- {_error(each, theme.size)}" for each in theme.errors]
    amplify = [f"+ {_counted(each, theme.size)}" for each in theme.worked]
    parts += _section("Recurring failures (guard against):", guard, _more(theme, "failed", "errors"))
    parts += _section("Recurring successes (amplify):", amplify, _more(theme, "worked"))
    parts += _section(
        "Contradictory (look before you decide):", [f"- {_mixed(each)}" for each in theme.contradictions], _more(theme, "contradictions")
    )
    people = [f"+ {_counted(each, theme.size)}" for each in theme.corrected]
    parts += _section("People set runs right (do as they said):", people, _more(theme, "corrected"))
    if not theme.is_telling:
        parts.append("No approach recurs in these entries, so there is nothing to change yet. They are worth reading together.")
    return derived("\n\n".join(parts))


def text_line(text: str, longest: int = LONGEST) -> str:
    """One line of Markdown from an entry's text; it cannot be taken for a heading, a list, a fence or an approval.

    What reads like an instruction to an agent, as tool output may hold it, is marked for the reviewer.
    """
    line = _escape(clip(text, longest))
    return f"{WARNING} {line}" if _is_suspect(text[: 2 * longest]) and WARNING not in text else line


def _escape(text: str) -> str:
    if text.replace("-", "a").isalnum() and text[0].isalpha():
        return text  # an id or a word: nothing in it could mean anything
    return _APPROVED.sub(r"\1\2\\:", prose(text))


@lru_cache(maxsize=8192)
def _is_suspect(text: str) -> bool:
    return suspect(text).look


def name_ids(ids: Sequence[str], most: int = MOST_IDS) -> str:
    """The first ids and how many more there are, as "kh-…, kh-… and 3 more"."""
    more = len(ids) - most
    return ", ".join([_escape(clip(each, LONGEST)) for each in ids[:most]]) + (f" and {more} more" if more > 0 else "")


def _section(title: str, lines: Sequence[str], more: int) -> list[str]:
    if not lines:
        return []
    return ["\n".join([title, "", *lines, *([f"- and {more} more"] if more else [])])]


def _tells_of(each: Approach, errors: Sequence[RecurringError]) -> bool:
    """Does it say hardly more than an error that has its own line, met about as often?"""
    return any(
        error.message in each.text and len(each.text) - len(error.message) <= HARDLY and error.count >= ABOUT * each.count
        for error in errors
    )


def _more(theme: Theme, *names: str) -> int:
    return sum(theme.cut.get(name, 0) for name in names)


def _counted(each: Approach | Line, size: int) -> str:
    return f"{text_line(each.text)} ({each.count} of {size}: {name_ids(each.entries)})"


def _error(each: RecurringError, size: int) -> str:
    told = f"{text_line(each.message)}{and_like_it(each)} ({each.count} of {size}, resolved in {each.resolved}: {name_ids(each.entries)})"
    for verdict, fixes in (("fixed by", each.fixes), ("not fixed by", each.failed_fixes)):
        if fixes:
            texts = [(fix.text.replace(f" ({each.message})", "", 1), fix.count) for fix in fixes]  # it stands at the front already
            told += f"; {verdict}: " + "; ".join(f"{text_line(text, LONGEST_FIX)} ({count})" for text, count in texts)
    return told


def and_like_it(error: RecurringError) -> str:
    """What is to be said behind the message of an error that has other wordings too; empty where it has none."""
    return f" and {error.wordings - 1} like it" if error.wordings > 1 else ""


def _mixed(each: Approach) -> str:
    return (
        f"{text_line(each.text)} (worked in {len(each.worked)}: {name_ids(each.worked)}; "
        f"failed in {len(each.failed)}: {name_ids(each.failed)})"
    )
