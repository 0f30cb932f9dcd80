"""OpenCode messages and parts, wherever they are kept."""

from __future__ import annotations

from typing import Any

from diarist.importers.claude_notices import failure_mark
from diarist.importers.documents import opening_id
from diarist.importers.draft import Draft
from diarist.importers.ledger import Ledger, Tally, Tokens
from diarist.importers.messages import tell
from diarist.importers.values import (
    as_arguments,
    as_cost,
    as_dict,
    as_exit_code,
    as_int,
    as_str,
    as_time,
    compact,
    content_text,
    first_str,
    renamed,
)
from diarist.model.session import Mark, SessionInfo

_DECLINED = ("The user rejected", "The user has rejected", "rejected permission to use this specific tool call", "QuestionRejectedError")


def open_session(info: dict[str, Any], root: str, ledger: Ledger) -> tuple[Tally, str]:
    """The tally of the session that an agent's work is told in, and the actor who did it: "" for the session's own agent.

    `root`: the session that a person began, where this one was begun by an agent for a part of its task; "" for none.
    """
    own = as_str(info.get("id"))
    if not root or not own:
        tally = ledger.open(own or opening_id(info))
        note_session(info, tally)
        return tally, ""
    tally = ledger.open(renamed(root, own))
    tell(tally, "actor", own)
    note_times(info, tally)
    return tally, own


def note_session(info: dict[str, Any], tally: Tally) -> None:
    """Facts of a session that a person began."""
    note_times(info, tally)
    tally.flags.add("main")
    tell(tally, "cwd", info.get("directory"))
    tell(tally, "title", info.get("title"))
    tell(tally, "version", info.get("version"))


def note_times(info: dict[str, Any], tally: Tally) -> None:
    """When a session was made and last written to."""
    time = as_dict(info.get("time"))
    tally.moment(as_time(time.get("created")))
    tally.moment(as_time(time.get("updated")))


def note_message(info: dict[str, Any], tally: Tally) -> None:
    """Facts and usage of a message."""
    time = as_dict(info.get("time"))
    tally.moment(as_time(time.get("created")))
    tally.moment(as_time(time.get("completed")))
    path = info.get("path")
    tell(tally, "cwd", as_dict(path).get("cwd") or path)
    if info.get("role") != "assistant":
        return
    tell(tally, "model", info.get("modelID") or as_dict(info.get("model")).get("modelID"))
    tokens = as_dict(info.get("tokens"))
    if tokens:
        cache = as_dict(tokens.get("cache"))
        used = Tokens(
            input=as_int(tokens.get("input")),
            output=as_int(tokens.get("output")),
            cache_read=as_int(cache.get("read")),
            cache_write=as_int(cache.get("write")),
            reasoning=as_int(tokens.get("reasoning")),
        )
        tally.use(as_str(info.get("id")), used)
    tally.spend(as_cost(info.get("cost")))


def add_failure(draft: Draft, info: dict[str, Any]) -> None:
    """The failure a message ended with."""
    failure = as_dict(info.get("error"))
    if not failure:
        return
    name = as_str(failure.get("name"))
    text = as_str(as_dict(failure.get("data")).get("message")) or name
    mark: Mark = "interrupt" if "Abort" in name else "limit" if "OutputLength" in name else failure_mark(text)
    draft.add("notice", "error", text, mark)


def add_part(draft: Draft, part: dict[str, Any], role: str, tally: Tally) -> str:
    """Steps of one part of a message. Returns why there is nothing in it, or ""."""
    kind = as_str(part.get("type"))
    text = as_str(part.get("text"))
    if kind == "text":
        if part.get("synthetic") is True or part.get("ignored") is True:
            if text:
                draft.add("notice", 0, text, "machine")
        elif role == "user":
            draft.user(0, text)
        else:
            draft.reply(0, text)
    elif kind == "reasoning":
        draft.thought(0, text)
    elif kind == "tool":
        _add_tool(draft, part, tally)
    elif kind == "subtask":
        draft.add("notice", 0, first_str(part, "prompt", "description"), "handover")
    elif kind == "retry":
        failure = as_str(as_dict(as_dict(part.get("error")).get("data")).get("message")) or "retry"
        draft.add("notice", 0, failure, "api-error")
    else:
        return "state" if kind in ("step-start", "step-finish", "snapshot", "patch", "file", "agent", "compaction") else "unknown-type"
    return "" if draft.steps else "empty"


def _add_tool(draft: Draft, part: dict[str, Any], tally: Tally) -> None:
    state = as_dict(part.get("state"))
    time = as_dict(state.get("time"))
    call_id = as_str(part.get("callID")) or as_str(part.get("id")) or draft.rid
    draft.at = as_time(time.get("start")) or draft.at
    tally.call(call_id)
    draft.call(0, as_str(part.get("tool")), as_arguments(state.get("input")), call_id)
    status = as_str(state.get("status"))
    if status not in ("completed", "error", "success"):
        return
    tally.result(call_id)
    metadata = as_dict(state.get("metadata"))
    code = as_exit_code(metadata.get("exit"))
    output = content_text(state.get("output")) or compact(state.get("output"))
    if status == "error":
        output = as_str(state.get("error")) or output
    declined = status == "error" and any(mark in output for mark in _DECLINED)
    failed = code != 0 if code is not None else status == "error"
    draft.result(1, output, call_id, error=failed, exit_code=code, mark="refusal" if declined else "", at=as_time(time.get("end")))


def session_info(session: str, tally: Tally, form: str) -> SessionInfo:
    """What is known about a session. A file that holds nothing but a subagent's speaks for that subagent only."""
    actor = "" if "main" in tally.flags else tally.facts.most("actor")
    return tally.info(session, "opencode", form, role="subagent" if actor else "main", actor=actor)
