"""Labelled runs for synthesis tests: topics of invented words, one-offs, boilerplate. The same arguments give the same runs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from diarist.model.gist import Run
from diarist.model.redacted import Redacted
from diarist.model.theme import Parameters, Report
from diarist.stages.gist import gist_of
from diarist.stages.synthesis import Intake, Request, synthesize

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
WEEK = timedelta(days=7)


def words(count: int, seed: int) -> list[str]:
    """Distinct invented words."""
    chance = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        found.setdefault("".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(chance.randint(3, 4))))
    return list(found)


def make_run(
    number: int,
    text: str,
    *,
    worked: Sequence[str] = (),
    failed: Sequence[str] = (),
    tried: Sequence[str] = (),
    title: str = "",
    outcome: str = "completed",
    at: datetime | None = None,
    session: str = "",
    agent: str = "agent",
    project: str = "demo",
) -> Run:
    """One run about `text`."""
    return Run(
        id=f"kh-{number:016d}",
        task_id=Redacted(f"task-{number}"),
        session_id=Redacted(session or f"session-{number}"),
        agent=Redacted(agent),
        project=Redacted(project),
        title=Redacted(title or text[:60]),
        prompt=Redacted(text),
        created_at=at or NOW - timedelta(minutes=number + 1),
        outcome=outcome,
        worked=tuple(map(Redacted, worked)),
        failed=tuple(map(Redacted, failed)),
        tried=tuple(map(Redacted, tried)),
    )


def topic_runs(topics: int = 5, each: int = 6, one_offs: int = 10, preamble: str = "", seed: int = 3) -> tuple[list[Run], dict[str, int]]:
    """Runs about so many topics, and ones about nothing else; and which run is about what (a one-off: a number of its own)."""
    chance = random.Random(seed)
    pool = words(12 * (topics + one_offs), seed)
    runs, truth = [], {}
    for number in range(topics * each + one_offs):
        topic = number % topics if number < topics * each else topics + number
        own = pool[12 * topic : 12 * topic + 12] if topic < topics else pool[12 * (topics + number - topics * each) :][:12]
        text = f"{preamble} {' '.join(chance.sample(own, 9))}"
        runs.append(make_run(number, text, worked=[f"use {own[0]} with {own[1]}"], failed=[f"wait for {own[2]}"]))
        truth[runs[-1].id] = topic
    return runs, truth


def synthesize_runs(
    runs: Sequence[Run], earlier: Sequence[Run] = (), *, threshold: float = 0.34, size: int = 2, order: str = "created_at"
) -> Report:
    """As the application does it: taken in by time, then id."""
    intake = Intake()
    items, before = (
        [intake.take(run.id, f"digest of {run.id}", gist_of(run)) for run in sorted(those, key=lambda run: (getattr(run, order), run.id))]
        for those in (runs, earlier)
    )
    parameters = Parameters(since="7d", threshold=threshold, min_cluster_size=size, project="demo")
    return synthesize(intake, items, before, Request(parameters, NOW - WEEK, NOW))


def groups(report: Report) -> list[set[str]]:
    """Entry ids by theme."""
    return [set(theme.entries) for theme in report.themes]
