"""Streams of runs with planted habits, for tests and benches of the miner. Always the same for a seed."""

from __future__ import annotations

import random
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from diarist.app.observing import tool_use
from diarist.model.entry import Outcome
from diarist.model.observation import Observation, ToolUse
from diarist.model.redacted import Redacted, derived

DATA = Path(__file__).resolve().parent / "data" / "habits" / "habits.toml"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
WINDOW = timedelta(days=14)
SUPPORT = 3
PROJECT = derived("demo")
COMMON = ("Read", "Read", "Edit", "Bash", "Grep", "Glob", "Write", "WebSearch", "TodoWrite", "Bash", "Edit")
BEFORE = ("please ", "hey, ", "could you ", "again: ", "quick one: ", "when you have a minute: ")
AFTER = (" thanks", " asap", " :)", " (see the ticket)", "!!", " and tell me when done")
OTHER_NAMES = {"Read": "read_file", "Edit": "replace", "Write": "write_file", "Bash": "run_shell_command", "Grep": "search_file_content"}

_tools: dict[str, ToolUse] = {}


class Planted(NamedTuple):
    """A habit of the stream and the sessions of `PROJECT` in the window that show it."""

    name: str
    kind: str
    language: str
    sessions: frozenset[str]


def plant(seed: int, *, noise: int = 0, verbatim: bool = False) -> tuple[list[Observation], list[Planted]]:
    """A stream and what is in it. `noise`: so many more prompts of random words. `verbatim`: the same words and steps each time."""
    rng = random.Random(seed)
    data = tomllib.loads(DATA.read_text(encoding="utf-8"))
    stream: list[Observation] = []
    truth = []
    for habit in data["habits"]:
        wordings = [habit["wordings"][0]] * len(habit["wordings"]) if verbatim else list(habit["wordings"])
        rng.shuffle(wordings)
        sessions = set()
        for number, wording in enumerate(wordings + wordings[: rng.randrange(3)]):
            run = _run_of(rng, habit, number, wording, data, verbatim=verbatim)
            stream.append(run)
            if run.project == PROJECT and habit["kind"] != "old":
                sessions.add(str(run.session_id))
            if not verbatim and habit["kind"] != "thin" and rng.random() < 0.15:
                stream.append(_again(rng, run, habit))
        truth.append(Planted(habit["name"], habit["kind"], habit["language"], frozenset(sessions)))
    for number, prompt in enumerate(data["one_offs"]):
        stream.append(observation(f"once-{number}", _said(rng, prompt, "en"), _some_tools(rng), _recent(rng), _outcome(rng, "habit")))
    words = sorted({word for prompt in data["one_offs"] for word in prompt.split() if len(word) > 3})
    for number in range(noise):
        prompt = " ".join(rng.sample(words, rng.randint(5, 9)))
        stream.append(observation(f"noise-{number}", prompt, _some_tools(rng), _recent(rng), "completed"))
    rng.shuffle(stream)
    return stream, truth


def observation(
    session: str, prompt: str, tools: list[str], at: datetime, outcome: Outcome = "completed", project: Redacted = PROJECT
) -> Observation:
    """One run."""
    return Observation(
        id=f"obs-{session}-{at.timestamp():.0f}-{len(prompt)}",
        source_id=derived(f"{session}::1"),
        session_id=derived(session),
        prompt=derived(prompt),
        tools=tuple(_tool(name) for name in tools),
        outcome=outcome,
        observed_at=at,
        project=project,
    )


def _tool(name: str) -> ToolUse:
    if name not in _tools:
        _tools[name] = tool_use(derived(name), None)
    return _tools[name]


def _run_of(rng: random.Random, habit: dict[str, Any], number: int, wording: str, data: dict[str, Any], *, verbatim: bool) -> Observation:
    kind = habit["kind"]
    session = f"{habit['name']}-{number % 2 if kind == 'thin' else number}"
    project = derived("other") if kind == "elsewhere" and number > 1 else PROJECT
    at = NOW - timedelta(days=20 + rng.randrange(20)) if kind == "old" else _recent(rng)
    text = (
        wording.replace("{m}", rng.choice(data["modules"]))
        .replace("{f}", rng.choice(data["files"]))
        .replace("{n}", str(rng.randrange(10, 990)))
    )
    said = wording if verbatim else _said(rng, text, habit["language"])
    return observation(session, said, _done(rng, habit["steps"], verbatim=verbatim), at, _outcome(rng, kind), project)


def _again(rng: random.Random, run: Observation, habit: dict[str, Any]) -> Observation:
    """The same thing once more in the same session."""
    at = run.observed_at + timedelta(minutes=9)
    return observation(run.session_id, f"{run.prompt} once more", _done(rng, habit["steps"], verbatim=False), at, run.outcome, run.project)


def _said(rng: random.Random, text: str, language: str) -> str:
    if language == "en":
        if rng.random() < 0.2:
            text = rng.choice(BEFORE) + text
        if rng.random() < 0.15:
            text += rng.choice(AFTER)
        if rng.random() < 0.1:
            text = _slip(rng, text)
    return text


def _slip(rng: random.Random, text: str) -> str:
    words = text.split()
    long = [at for at, word in enumerate(words) if word.isalpha() and len(word) > 5]
    if long:
        at, word = (chosen := rng.choice(long)), words[chosen]
        cut = rng.randrange(1, len(word) - 2)
        words[at] = word[:cut] + word[cut + 1] + word[cut] + word[cut + 2 :]
    return " ".join(words)


def _done(rng: random.Random, steps: list[str], *, verbatim: bool) -> list[str]:
    names = [step.rstrip("?").split(":")[0] for step in steps if verbatim or not step.endswith("?") or rng.random() < 0.5]
    if verbatim:
        return names
    out: list[str] = []
    for name in names:
        if rng.random() < 0.12:
            out.append(rng.choice(("Read", "Grep", "Glob", "TodoWrite", "Bash")))
        out += [name] * (2 if rng.random() < 0.15 else 1)
        if rng.random() < 0.1:
            out += ["Read", "Edit", name]
    return [OTHER_NAMES.get(name, name) for name in out] if rng.random() < 0.2 else out


def _some_tools(rng: random.Random) -> list[str]:
    return rng.choices(COMMON, k=rng.randint(1, 7))


def _recent(rng: random.Random) -> datetime:
    return NOW - timedelta(seconds=rng.randrange(600, int(13.5 * 86400)))


def _outcome(rng: random.Random, kind: str) -> Outcome:
    if kind == "failed":
        return rng.choices(("failed", "interrupted", "completed"), (75, 15, 10))[0]
    return rng.choices(("completed", "recovered", "unknown", "failed"), (70, 12, 10, 8))[0]
