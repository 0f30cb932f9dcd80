"""Trajectories that Diarist wrote (`diarist.stages.transcripts.atif`): what ATIF has no field for stands in `extra.diarist`.

Texts, tools and arguments are read where ATIF has them, so a document that was changed by another tool gives what it says now.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple, get_args

from diarist.importers.ledger import Tally
from diarist.importers.messages import tell
from diarist.importers.values import as_dict, as_int, as_list, as_str, as_time, content_text, dicts, first_str, storable
from diarist.model.session import Mark, RawStep, StepKind

OWN = "diarist"
_MARKS = frozenset(get_args(Mark))
_EXIT_CODES = range(-(2**31), 2**32)
Placed = tuple[int, RawStep]
"""A step and its number in the session."""


class Where(NamedTuple):
    """What the steps of one turn share."""

    session: str
    actor: str
    at: datetime | None
    line: int


def own(holder: object) -> dict[str, Any]:
    """What Diarist wrote beside an object of ATIF; empty where it wrote nothing."""
    return as_dict(as_dict(as_dict(holder).get("extra")).get(OWN))


def is_own(document: dict[str, Any]) -> bool:
    """True for a document that Diarist wrote."""
    return as_int(own(document).get("version")) > 0


def note_facts(document: dict[str, Any], tally: Tally) -> dict[str, Any]:
    """Tells the session's facts; returns those that stand for themselves in its `SessionInfo`."""
    facts = own(document)
    for name in ("cwd", "branch", "repository", "title", "workflow"):
        tell(tally, name, facts.get(name))
    tell(tally, "parent", facts.get("parent_session"))
    agent = as_dict(document.get("agent"))
    for model in as_list(facts.get("models")) or [agent.get("model_name")]:
        tell(tally, "model", model)
    tally.wait(as_int(as_dict(as_dict(document.get("final_metrics")).get("extra")).get("latency_ms")))
    kept: dict[str, Any] = {name: as_time(facts.get(name)) for name in ("started_at", "ended_at")}
    kept |= {"split_of": as_str(facts.get("split_of")), "rendering": facts.get("rendering") is True}
    if facts.get("role") == "subagent":
        kept |= {"role": "subagent", "actor": as_str(facts.get("actor"))}
    return kept


def trajectories(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The main agent's trajectory and those of its subagents, each with the actor it tells of."""
    facts = own(document)
    yield as_str(facts.get("actor")) if facts.get("role") == "subagent" else "", document
    for embedded in dicts(document.get("subagent_trajectories")):
        yield as_str(own(embedded).get("actor")) or as_str(embedded.get("trajectory_id")), embedded


def restored(step: dict[str, Any], where: Where) -> list[Placed] | None:
    """The steps of one turn as they were; None for a turn that somebody else wrote."""
    found = list(_words(step, where))
    found += (placed for call in dicts(step.get("tool_calls")) if (placed := _call(call, where)) is not None)
    results = dicts(as_dict(step.get("observation")).get("results"))
    found += (placed for result in results if (placed := _result(result, where)) is not None)
    return found or None


def _words(step: dict[str, Any], where: Where) -> Iterator[Placed]:
    beside = own(step)
    kinds: tuple[StepKind, ...] = ("prompt", "notice", "thought", "reply")
    for kind in kinds:
        text = step.get("reasoning_content") if kind == "thought" else step.get("message")
        placed = _placed(beside.get(kind), kind, where, text=content_text(text))
        if placed is not None:
            yield placed


def _call(call: dict[str, Any], where: Where) -> Placed | None:
    beside = own(call)
    return _placed(
        beside,
        "call",
        where,
        text=as_str(beside.get("text")),
        tool=as_str(call.get("function_name")),
        arguments=None if beside.get("arguments") is False else storable(as_dict(call.get("arguments"))),
        call_id="" if beside.get("call_id") == "" else first_str(call, "tool_call_id"),
    )


def _result(result: dict[str, Any], where: Where) -> Placed | None:
    beside = own(result)
    error, code = beside.get("error"), beside.get("exit_code")
    return _placed(
        beside,
        "result",
        where,
        text=content_text(result.get("content")),
        tool=as_str(beside.get("tool")),
        call_id=first_str(result, "source_call_id") or as_str(beside.get("call_id")),
        error=error if isinstance(error, bool) else None,
        exit_code=code if type(code) is int and code in _EXIT_CODES else None,
    )


def _placed(beside: object, kind: StepKind, where: Where, **said: Any) -> Placed | None:
    """A step with what is told beside it; None where that is missing or makes no sense."""
    facts = as_dict(beside)
    number, rid, mark = facts.get("n"), as_str(facts.get("id")), facts.get("mark", "")
    if type(number) is not int or not rid or not isinstance(mark, str) or mark not in _MARKS:
        return None
    at = as_time(facts["at"]) if "at" in facts else where.at
    step = RawStep(kind=kind, session=where.session, rid=rid, at=at, mark=mark, actor=where.actor, line=where.line, **said)  # type: ignore[arg-type]
    return number, step
