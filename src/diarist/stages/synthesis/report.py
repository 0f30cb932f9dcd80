"""The report as Markdown with YAML front matter. No text of an entry can forge structure: every one is escaped to a line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from diarist.model.redacted import Redacted, derived
from diarist.model.theme import Approach, Report, Theme
from diarist.stages.synthesis.adjustment import name_ids, text_line
from diarist.text.markdown import line

FIELDS = (
    *("generated_at", "project", "since", "window_start", "window_end", "threshold", "min_cluster_size"),
    *("entries", "entries_in_themes", "theme_count", "withheld_themes", "input_digest", "skipped", "skipped_count"),
)
"""Front matter, in this order, after what was decided."""
MOST_NAMES = 5
"""Agents, projects or outcomes that a line names."""
LEAST_FIRST = 4
"""Themes and errors to act on from which on a report begins with where to look first."""
MOST_FIRST = 10
"""Themes that the beginning of a report points to."""
MOST_SAID = 3
"""Lines of what was only said that a theme shows."""
LONGEST_ALSO = 120
"""Characters of a line that was only tried or said, of a theme that is told on one line."""
MOST_ALSO = 8
"""Entry ids that such a line names."""
_ALSO = "About the same thing, but no error, no approach and no correction recurs. Worth reading together, perhaps."
MOST_SKIPPED = 50
"""Skipped files that are named; the rest are counted."""


class Approval(NamedTuple):
    """What the front matter says of decisions. `states`: theme id → state of its proposal."""

    approved: bool = False
    by: str = ""
    at: datetime | None = None
    why: str = ""
    states: Mapping[str, str] = {}


def report_fields(report: Report) -> dict[str, Any]:
    """What the front matter says of the run itself, as plain JSON."""
    parameters, skipped = report.parameters, report.skipped
    return {
        "generated_at": report.window_end.isoformat(timespec="seconds"),
        "project": parameters.project,
        "since": parameters.since,
        "window_start": report.window_start.isoformat(timespec="seconds"),
        "window_end": report.window_end.isoformat(timespec="seconds"),
        "threshold": parameters.threshold,
        "min_cluster_size": parameters.min_cluster_size,
        "entries": report.entries,
        "entries_in_themes": report.in_themes,
        "theme_count": len(report.themes),
        "withheld_themes": report.withheld,
        "input_digest": report.input_digest,
        "skipped": [f"{each.name}: {each.reason}" for each in skipped[:MOST_SKIPPED]],
        "skipped_count": len(skipped),
    }


def render_body(report: Report, decided: Mapping[str, str]) -> Redacted:
    """Markdown below the front matter. `decided`: by lineage, what was decided on it before."""
    telling = [theme for theme in report.themes if theme.is_telling]
    quiet = [theme for theme in report.themes if not theme.is_telling]
    parts = [f"# Diary synthesis report{_of(report)}", _overview(report, len(quiet)), *_first_of_all([*telling, *report.errors])]
    parts += [render_theme(theme, decided.get(theme.lineage, "")) for theme in telling]
    parts += [] if report.themes else ["_No themes detected._"]
    if report.errors:
        parts.append("# Errors that runs about different things met")
        parts += [render_theme(theme, decided.get(theme.lineage, "")) for theme in report.errors]
        parts += [f"And {report.more_errors} more, of fewer entries."] if report.more_errors else []
    parts += ["# Also seen together", _ALSO, "\n".join([_also(theme, decided.get(theme.lineage, "")) for theme in quiet])] if quiet else []
    parts += ["---", _how_to_decide()] if telling or report.errors else []
    return derived("\n\n".join(parts) + "\n")


def render_file(fields: Mapping[str, Any], body: Redacted, approval: Approval) -> Redacted:
    """The whole file: front matter, then the body."""
    decisions: dict[str, Any] = {"approved": approval.approved}
    if approval.approved:
        decisions |= {
            "approved_by": approval.by,
            "approved_at": approval.at and approval.at.isoformat(timespec="seconds"),
            "why": approval.why,
        }
    for state in ("accepted", "rejected"):
        if themes := sorted(theme for theme, its in approval.states.items() if its == state):
            decisions[f"{state}_themes"] = themes
    # A JSON scalar or list is valid YAML, whatever stands in the text.
    lines = [
        f"{name}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in {**decisions, **{name: fields[name] for name in FIELDS}}.items()
    ]
    return derived("\n".join(["---", *lines, "---", "", body]))


def render_report(report: Report) -> Redacted:
    """The file of a report that nobody has decided on."""
    return render_file(report_fields(report), render_body(report, {}), Approval())


def render_theme(theme: Theme, decided: str = "") -> Redacted:
    """One theme's section: what it holds, then its proposed adjustment."""
    facts = [
        f"- Theme: {theme.id}"
        + (f" (goes back to {theme.lineage})" if theme.lineage != theme.id else "")
        + (f"; {decided}" if decided else ""),
        f"- Cluster size: {theme.size} ({theme.sessions} sessions); cohesion {theme.cohesion:.2f}",
        f"- Trend: {theme.trend} ({theme.earlier} in the window before)",
        f"- Shared tags: {', '.join(text_line(tag) for tag in theme.tags) or 'none'}",
        f"- Agents: {_counts(theme.agents)}; projects: {_counts(theme.projects)}",
        f"- Time: {_time(theme.first_at)} to {_time(theme.last_at)}",
        f"- Outcomes: {_counts(theme.outcomes)}; recovery rate: {_rate(theme.recovery_rate)}",
        f"- Entries: {name_ids(theme.entries, 8)}",
        f"- Task ids: {name_ids(theme.task_ids, 8)}",
    ]
    parts = [f"## {text_line(theme.label)}", "\n".join(facts)]
    parts += [text_line(theme.summary)] if theme.summary else []
    parts += ["#" + theme.proposed_diff]
    for title, name, lines, most in (
        ("Tried again and again, with no end told:", "tried", theme.tried, len(theme.tried)),
        ("Asked for again and again:", "asked", theme.asked, MOST_SAID),
        ("Said again and again, as found (a claim; look before you rely on it):", "found", theme.found, MOST_SAID),
    ):
        if lines:
            more = theme.cut.get(name, 0) + len(lines[most:])
            told = [f"- {_attempt(each, theme.size)}" for each in lines[:most]] + ([f"- and {more} more"] if more else [])
            parts += ["\n".join([title, "", *told])]
    return derived("\n\n".join(parts))


def _of(report: Report) -> str:
    return "" if report.parameters.project is None else f": {line(report.parameters.project) or 'no project'}"


def _overview(report: Report, quiet: int) -> str:
    since = line(report.parameters.since)
    if not report.entries:
        return f"> No diary entries within the last {since}."
    entries = "1 entry" if report.entries == 1 else f"{report.entries} entries"
    themes = "1 theme holds" if len(report.themes) == 1 else f"{len(report.themes)} themes hold"
    told = [f"> {entries} within the last {since} (up to {_time(report.window_end)}); {themes} {report.in_themes} of them."]
    if quiet:
        which = "1 theme" if quiet == 1 else f"{quiet} themes"
        told.append(f"> In {which} nothing recurs but the subject: listed at the end, with nothing to decide.")
    if report.errors:
        told.append(f"> Errors that runs about different things met: {len(report.errors) + report.more_errors}, after the themes.")
    if report.withheld:
        told.append(f"> Themes that were rejected and whose evidence has not materially changed: {report.withheld}, left out.")
    if report.skipped:
        told.append(f"> Could not be read, so not taken into account: {len(report.skipped)}; named at the top of this file.")
    return "\n>\n".join(told)


def _first_of_all(themes: Sequence[Theme]) -> list[str]:
    """Where to look first, largest first."""
    found = sorted(themes, key=lambda theme: (-theme.size, theme.id))
    if len(found) < LEAST_FIRST:
        return []
    lines = [f"- {text_line(theme.label)}: {_gist(theme)} ({theme.id})" for theme in found[:MOST_FIRST]]
    lines += [f"- and {len(found) - MOST_FIRST} more"] if len(found) > MOST_FIRST else []
    return ["\n".join(["Worth acting on:", "", *lines])]


def _also(theme: Theme, decided: str) -> str:
    """A theme in which nothing recurs but the subject, on one line: how many, when, how they ended, what was said or tried again."""
    told = f"- {text_line(theme.label)} ({theme.id}{f'; {decided}' if decided else ''}): {_entries(theme)}"
    told += f" from {theme.first_at:%Y-%m-%d} to {theme.last_at:%Y-%m-%d}, {_counts(theme.outcomes)}"
    for verb, lines in (("tried", theme.tried), ("asked", theme.asked), ("said as found", theme.found)):
        if lines:
            told += f"; {verb} {lines[0].count} times: {text_line(lines[0].text, LONGEST_ALSO)}"
    return f"{told}; {name_ids(theme.entries, MOST_ALSO)}"


def _gist(theme: Theme) -> str:
    """As "12 entries; 2 recurring errors, 3 approaches that worked"."""
    counted = (
        ("recurring error", "recurring errors", "errors"),
        ("approach that failed", "approaches that failed", "failed"),
        ("approach that worked", "approaches that worked", "worked"),
        ("contradiction", "contradictions", "contradictions"),
        ("correction by people", "corrections by people", "corrected"),
    )
    told = []
    for one, many, name in counted:
        count = len(getattr(theme, name)) + theme.cut.get(name, 0)
        if count:
            told.append(f"{count} {one if count == 1 else many}")
    return f"{_entries(theme)}; {', '.join(told)}"


def _entries(theme: Theme) -> str:
    return "1 entry" if theme.size == 1 else f"{theme.size} entries"


def _how_to_decide() -> str:
    return (
        "This report changes nothing by itself. `diarist synthesize --apply` with the same options approves it as it stands here; "
        "`diarist review accept THEME` and `diarist review reject THEME --why …` decide on single themes."
    )


def _attempt(each: Approach, size: int) -> str:
    return f"{text_line(each.text)} ({each.count} of {size}: {name_ids(each.entries)})"


def _counts(counts: Mapping[str, int]) -> str:
    told = [f"{text_line(name) or 'none'} {count}" for name, count in counts.items()]
    return ", ".join(told[:MOST_NAMES]) + (f" and {len(told) - MOST_NAMES} more" if len(told) > MOST_NAMES else "")


def _rate(rate: float | None) -> str:
    return "no run got into trouble" if rate is None else f"{rate:.0%}"


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
