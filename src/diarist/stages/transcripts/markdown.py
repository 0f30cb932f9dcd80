"""A session as a page to read: who said what, what was run and what came of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

import msgspec

from diarist.model.session import Session, SessionInfo, Step
from diarist.text.lazy import lazy

_FENCE = lazy(r"`{3,}")
_LABELS = {"prompt": "Person", "reply": "Agent", "thought": "Agent, thinking"}
_ONE_LINE = 120
_encode = msgspec.json.Encoder().encode


def render(session: Session) -> Iterator[bytes]:
    """The page, step by step."""
    yield _head(session.info).encode()
    for step in session.steps:
        yield _step(step).encode()


def _head(info: SessionInfo) -> str:
    facts = {
        "session": info.session,
        "agent": " ".join(filter(None, (info.agent, info.agent_version))),
        "model": ", ".join(info.models),
        "folder": info.cwd,
        "branch": info.branch,
        "started": _moment(info.started_at),
        "ended": _moment(info.ended_at),
    }
    title = " ".join(info.title.split()) or f"Session {info.session}"
    lines = [f"- {name}: {_code(value)}" for name, value in facts.items() if value]
    return "\n".join([f"# {_plain(title)}", "", *lines, ""])


def _step(step: Step) -> str:
    who = f" ({_plain(step.actor)})" if step.actor else ""
    if step.kind in _LABELS:
        return f"\n## {_LABELS[step.kind]}{who}{_time(step)}\n\n{_quoted(step.text) if step.kind == 'thought' else _body(step.text)}\n"
    if step.kind == "call":
        arguments = _encode(step.arguments).decode() if step.arguments else ""
        shown = f" {_code(arguments)}" if arguments and len(arguments) <= _ONE_LINE and "\n" not in arguments else ""
        return f"\n### {_code(step.tool or 'tool')}{who}{_time(step)}{shown}\n" + (
            "" if shown or not arguments else f"\n{_fenced(arguments)}\n"
        )
    if step.kind == "result":
        return f"\n{_outcome(step)}\n\n{_fenced(step.text)}\n" if step.text else f"\n{_outcome(step)}\n"
    return f"\n*{step.mark or 'notice'}{who}*\n\n{_quoted(step.text)}\n" if step.text else f"\n*{step.mark or 'notice'}{who}*\n"


def _outcome(step: Step) -> str:
    """How a call came out, as far as the format told."""
    said = {True: "failed", False: "result", None: "result"}[step.error]
    code = "" if step.exit_code is None else f", exit code {step.exit_code}"
    return f"*{said}{code}{', ' + step.mark if step.mark else ''}:*"


def _body(text: str) -> str:
    """Text of a person or the agent, which is Markdown mostly; headings are moved below ours."""
    return re.sub(r"^(#{1,4}) ", r"##\1 ", text.strip("\n"), flags=re.MULTILINE)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip("\n").split("\n"))


def _fenced(text: str) -> str:
    """The text in a fence that nothing in it closes."""
    longest = max((len(found) for found in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text.rstrip(chr(10))}\n{fence}"


def _code(text: str) -> str:
    longest = max((len(found) for found in re.findall(r"`+", text)), default=0)
    tick = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{tick}{pad}{' '.join(text.split())}{pad}{tick}"


def _plain(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", text)


def _moment(at: datetime | None) -> str:
    return "" if at is None else at.isoformat(timespec="seconds").replace("+00:00", "Z")


def _time(step: Step) -> str:
    return f" · {_moment(step.at)}" if step.at is not None else ""
