"""OpenHands events: an action, an observation or a message, in the spelling of any version.

V0 events have `action` with `args` or `observation` with `extras` (both flat in the oldest), V1 ones a `kind`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from diarist.importers.draft import Draft
from diarist.importers.host_tasks import add_task, exit_mark_of
from diarist.importers.ledger import Tally, Tokens
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
    dicts,
    first_str,
    words,
)
from diarist.model.session import RawStep

_TOOLS = {
    "run": "execute_bash",
    "run_ipython": "execute_ipython_cell",
    "read": "str_replace_editor",
    "edit": "str_replace_editor",
}
_ARGUMENTS = frozenset(
    words(
        """command code path content start end view_range old_str new_str file_text insert_line url browser_actions task_list name
        arguments is_input agent inputs"""
    )
)
_SILENT = frozenset(
    words("system recall null change_agent_state agent_state_changed send_pr push start stop pause resume init loop_recovery")
)


class OpenHandsEvents:
    """Turns the events of one conversation into steps."""

    def __init__(self, session: str, tally: Tally) -> None:
        self._session = session
        self._tally = tally
        self._calls: dict[str, str] = {}
        """Call id by the id of the action's event."""
        self._last = ""
        self._total: tuple[Tokens, float | None] = (Tokens(), None)
        self._number = 0
        self._asked = False

    def add(self, event: dict[str, Any]) -> list[RawStep]:
        """Steps of the next event; counts it."""
        self._number += 1
        own = event.get("id")
        at = as_time(event.get("timestamp"))
        draft = Draft(self._session, f"e{own}" if isinstance(own, str | int) else f"#{self._number}", at, self._number)
        reason = self._fill(draft, event)
        self._note(event)
        if reason or not draft.steps:
            self._tally.skip(reason or "empty")
        else:
            self._tally.keep()
            self._tally.moment(at)
        return draft.steps

    def finish(self) -> None:
        """Counts what the events told of the run's usage, which they tell as running totals."""
        tokens, cost = self._total
        self._tally.use("", tokens)
        self._tally.spend(cost)

    def _note(self, event: dict[str, Any]) -> None:
        metrics = as_dict(event.get("llm_metrics"))
        if metrics:
            self._total = accumulated(metrics)
        model = as_str(as_dict(as_dict(event.get("tool_call_metadata")).get("model_response")).get("model"))
        if model:
            self._tally.facts.tell("model", model, 0)

    def _fill(self, draft: Draft, event: dict[str, Any]) -> str:
        if ("kind" in event and "action" not in event) or isinstance(event.get("action"), dict):
            return self._sdk_event(draft, event)
        if isinstance(event.get("action"), str):
            return self._action(draft, event, event["action"])
        if isinstance(event.get("observation"), str):
            return self._observation(draft, event, event["observation"])
        return "unknown-type"

    # --- V0 ------------------------------------------------------------------------------------------------------------

    def _action(self, draft: Draft, event: dict[str, Any], action: str) -> str:
        args = as_dict(event.get("args")) or event
        if action in _SILENT:
            return "instructions" if action == "system" else "state"
        if action == "message":
            return self._message(draft, event, as_str(args.get("content")) or as_str(event.get("message")))
        thought = as_str(args.get("thought"))
        if action == "think":
            draft.thought(0, thought or as_str(event.get("message")))
            return ""
        if action == "condensation":
            draft.add("notice", 0, as_str(args.get("summary")), "compaction")
            return ""
        if action in ("finish", "reject"):
            draft.reply(0, as_str(args.get("final_thought")) or thought or as_str(event.get("message")))
            draft.add("notice", 1, action, "submit" if action == "finish" else "give-up")
            return ""
        draft.reply(0, thought)
        if action == "delegate":
            draft.add("notice", 1, f"-> {as_str(args.get('agent'))}: {compact(args.get('inputs'))}", "handover")
            return ""
        meta = as_dict(event.get("tool_call_metadata"))
        call_id = as_str(meta.get("tool_call_id")) or draft.rid
        self._open(event, call_id)
        arguments = _raw_arguments(meta, call_id)
        if arguments is None:
            arguments = {name: value for name, value in args.items() if name in _ARGUMENTS and value not in (None, "", [])}
            if action == "read":
                arguments = {"command": "view", **arguments}
        draft.call(1, as_str(meta.get("function_name")) or _TOOLS.get(action, as_str(args.get("name")) or action), arguments, call_id)
        return ""

    def _message(self, draft: Draft, event: dict[str, Any], text: str) -> str:
        if event.get("source") == "agent" or (event.get("source") is None and self._asked):
            draft.reply(0, text)
        else:
            add_task(draft, 0, text) if not self._asked else draft.user(0, text)
            self._asked = True
        return ""

    def _observation(self, draft: Draft, event: dict[str, Any], kind: str) -> str:
        extras = as_dict(event.get("extras")) or event
        if kind in _SILENT or kind == "think":
            return self._state(draft, event, extras) if kind == "agent_state_changed" else "state"
        text = content_text(event.get("content"))
        call_id = self._answer(event)
        if kind == "user_rejected":
            draft.result(0, text, call_id, error=True, mark="refusal")
        elif kind == "error":
            if call_id:
                draft.result(0, text, call_id, error=True)
            else:
                draft.add("notice", 0, text or as_str(event.get("message")), exit_mark_of(as_str(extras.get("error_id")) or text))
        else:
            code = as_exit_code(as_dict(extras.get("metadata")).get("exit_code", extras.get("exit_code")))
            code = None if code == -1 else code  # still running, or killed at its time limit
            failed = None if code is None else code != 0
            failed = True if text.startswith("ERROR:") else failed
            draft.result(0, text, call_id, error=failed, exit_code=code)
        return ""

    def _state(self, draft: Draft, event: dict[str, Any], extras: dict[str, Any]) -> str:
        state = as_str(extras.get("agent_state"))
        reason = as_str(extras.get("reason")) or as_str(event.get("content"))
        if state == "error":
            draft.add("notice", 0, reason or state, exit_mark_of(reason))
        elif state == "stopped" and event.get("source") == "user":
            draft.add("notice", 0, state, "interrupt")
        elif state == "finished":
            draft.add("notice", 0, "", "end")
        return "" if draft.steps else "state"

    def _open(self, event: dict[str, Any], call_id: str) -> None:
        self._tally.call(call_id)
        self._last = call_id
        self._calls[str(event.get("id"))] = call_id

    def _answer(self, event: dict[str, Any]) -> str:
        """The call that an observation answers: by the call's id, by the action it names as its cause, else the last one."""
        cause = event.get("cause")
        call_id = as_str(as_dict(event.get("tool_call_metadata")).get("tool_call_id")) or self._calls.get(str(cause), "")
        if not call_id and cause is None and "id" not in event:
            call_id = self._last
        self._last = ""
        if call_id:
            self._tally.result(call_id)
        return call_id

    # --- V1 ------------------------------------------------------------------------------------------------------------

    def _sdk_event(self, draft: Draft, event: dict[str, Any]) -> str:
        add = _SDK.get(as_str(event.get("kind")))
        if add is None:
            return "instructions" if event.get("kind") == "SystemPromptEvent" else "state"
        return add(self, draft, event)

    def _sdk_action(self, draft: Draft, event: dict[str, Any]) -> str:
        draft.thought("thought", as_str(event.get("reasoning_content")))
        draft.reply(0, content_text(event.get("thought")))
        action = as_dict(event.get("action"))
        call = as_dict(event.get("tool_call"))
        tool = as_str(event.get("tool_name")) or as_str(call.get("name"))
        if tool in ("finish", "FinishAction") or action.get("kind") == "FinishAction":
            draft.reply(1, as_str(action.get("message")))
            draft.add("notice", 2, "finish", "submit")
            return ""
        if tool == "think":
            draft.thought(1, as_str(action.get("thought")))
            return ""
        call_id = first_str(event, "tool_call_id") or draft.rid
        self._open(event, call_id)
        given = as_arguments(call.get("arguments") or as_dict(call.get("function")).get("arguments"))
        draft.call(1, tool, given or {name: value for name, value in action.items() if name != "kind" and value is not None}, call_id)
        return ""

    def _sdk_observation(self, draft: Draft, event: dict[str, Any]) -> str:
        found = as_dict(event.get("observation"))
        call_id = first_str(event, "tool_call_id") or self._calls.get(str(event.get("action_id")), "")
        if call_id:
            self._tally.result(call_id)
        text = content_text(found.get("content")) or first_str(found, "output", "error")
        code = as_exit_code(found.get("exit_code", as_dict(found.get("metadata")).get("exit_code")))
        code = None if code == -1 else code
        flag = found.get("is_error")
        failed = bool(flag) or bool(as_str(found.get("error"))) or (code is not None and code != 0)
        draft.result(0, text, call_id, error=failed if flag is not None or code is not None or failed else None, exit_code=code)
        return ""

    def _sdk_message(self, draft: Draft, event: dict[str, Any]) -> str:
        message = as_dict(event.get("llm_message"))
        text = content_text(message.get("content"))
        draft.thought("thought", as_str(message.get("reasoning_content")))
        return self._message(draft, {"source": "agent" if message.get("role") == "assistant" else "user"}, text)

    def _sdk_error(self, draft: Draft, event: dict[str, Any]) -> str:
        text = first_str(event, "error", "detail", "message")
        call_id = first_str(event, "tool_call_id")
        if call_id:
            self._tally.result(call_id)
            draft.result(0, text, call_id, error=True)
        else:
            draft.add("notice", 0, text, exit_mark_of(text))
        return ""

    def _sdk_rejection(self, draft: Draft, event: dict[str, Any]) -> str:
        call_id = first_str(event, "tool_call_id") or self._calls.get(str(event.get("action_id")), "")
        if call_id:
            self._tally.result(call_id)
        draft.result(0, as_str(event.get("rejection_reason")), call_id, error=True, mark="refusal")
        return ""

    def _sdk_condensation(self, draft: Draft, event: dict[str, Any]) -> str:
        draft.add("notice", 0, as_str(event.get("summary")), "compaction")
        return ""

    def _sdk_pause(self, draft: Draft, _event: dict[str, Any]) -> str:
        draft.add("notice", 0, "paused by the user", "interrupt")
        return ""


_SDK: dict[str, Callable[[OpenHandsEvents, Draft, dict[str, Any]], str]] = {
    "ActionEvent": OpenHandsEvents._sdk_action,
    "ObservationEvent": OpenHandsEvents._sdk_observation,
    "MessageEvent": OpenHandsEvents._sdk_message,
    "AgentErrorEvent": OpenHandsEvents._sdk_error,
    "ConversationErrorEvent": OpenHandsEvents._sdk_error,
    "UserRejectObservation": OpenHandsEvents._sdk_rejection,
    "Condensation": OpenHandsEvents._sdk_condensation,
    "PauseEvent": OpenHandsEvents._sdk_pause,
}


def _raw_arguments(meta: dict[str, Any], call_id: str) -> dict[str, Any] | None:
    """The arguments as the model wrote them: some events keep only a part of them."""
    for choice in dicts(as_dict(meta.get("model_response")).get("choices")):
        for call in dicts(as_dict(choice.get("message")).get("tool_calls")):
            if call.get("id") == call_id:
                return as_arguments(as_dict(call.get("function")).get("arguments"))
    return None


def accumulated(metrics: dict[str, Any]) -> tuple[Tokens, float | None]:
    """Tokens and cost of a run from its metrics."""
    usage = as_dict(metrics.get("accumulated_token_usage"))
    cached = as_int(usage.get("cache_read_tokens"))
    tokens = Tokens(
        input=max(0, as_int(usage.get("prompt_tokens")) - cached),
        output=as_int(usage.get("completion_tokens")),
        cache_read=cached,
        cache_write=as_int(usage.get("cache_write_tokens")),
    )
    return tokens, as_cost(metrics.get("accumulated_cost"))
