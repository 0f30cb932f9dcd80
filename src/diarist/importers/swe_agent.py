"""SWE-agent `.traj`: one JSON document, `trajectory` (what was done) beside `history` (what the model saw).

The history repeats the trajectory and holds demonstrations of other tasks (`is_demo`): of it only the task is read, or all
where there is no trajectory. The exit status says how the run ended, never whether the task was solved.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import Chat
from diarist.importers.documents import DocumentReading, opening_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.host_tasks import add_task, exit_mark_of
from diarist.importers.ledger import Ledger, Tally, Tokens
from diarist.importers.messages import tell
from diarist.importers.values import as_cost, as_dict, as_int, as_list, as_str, content_text, dicts, parse_json, words
from diarist.model.session import RawStep, SessionInfo

_MAX_SHELL_WORDS = 20_000
_OWN_TOOLS = frozenset(
    words(
        """open goto scroll_down scroll_up create search_dir search_file find_file edit insert append str_replace_editor
        filemap view exit_forfeit"""
    )
)
_TIMEOUTS = ("EXECUTION TIMED OUT", "COMMAND TIMED OUT", "\nEXECUTION TIMED OUT", "Command timed out")


class SweAgentFormat:
    """The one session of a trajectory file."""

    name = "swe-agent/traj"

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Task, actions with what they gave, end."""
        document = as_dict(document)
        history, trajectory = as_list(document.get("history")), as_list(document.get("trajectory"))
        asked = _task_messages(history)
        session = opening_id(document.get("environment"), asked, _first_turn(trajectory) or history[-1:])
        tally = ledger.open(session)
        self._note_facts(document, trajectory, tally)
        yield from _task_steps(asked, session, tally)
        if trajectory:
            _count_history(history, len(asked), tally)
            for number, turn in enumerate(trajectory, 1):
                yield from _turn_steps(turn, number, session, tally)
        else:
            yield from _history_steps(history, asked, session, tally)
        yield from _end_steps(as_dict(document.get("info")), session, tally)

    @staticmethod
    def _note_facts(document: dict[str, Any], trajectory: list[Any], tally: Tally) -> None:
        stats = as_dict(as_dict(document.get("info")).get("model_stats"))
        tally.use("", Tokens(input=as_int(stats.get("tokens_sent")), output=as_int(stats.get("tokens_received"))))
        tally.spend(as_cost(stats.get("instance_cost")))
        for turn in dicts(trajectory[:1]):
            tell(tally, "cwd", _state(turn).get("working_dir"))
        config = document.get("replay_config")
        config = as_dict(parse_json(config) if isinstance(config, str) else config)
        tell(tally, "model", as_dict(as_dict(config.get("agent")).get("model")).get("name"))

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Folder, model, usage."""
        return tally.info(session, "swe-agent", self.name)


def _task_messages(history: list[Any]) -> list[dict[str, Any]]:
    """The user messages of this task before the model's first answer to it."""
    asked = []
    for message in dicts(history):
        if message.get("is_demo") is True:
            continue
        if message.get("role") == "assistant":
            break
        if message.get("role") == "user":
            asked.append(message)
    return asked


def _first_turn(trajectory: list[Any]) -> Any:
    """What tells one run of a task from another: the first turn, its running time included."""
    return [{name: value for name, value in turn.items() if name not in ("messages", "query")} for turn in dicts(trajectory[:1])]


def _task_steps(asked: list[dict[str, Any]], session: str, tally: Tally) -> Iterator[RawStep]:
    for number, message in enumerate(asked, 1):
        draft = Draft(session, f"task{number}")
        text = content_text(message.get("content"))
        if text.startswith("Here is a demonstration of how to correctly accomplish this task"):
            tally.skip("demo")
            continue
        add_task(draft, 0, text)
        tally.keep()
        yield from draft.steps


def _count_history(history: list[Any], asked: int, tally: Tally) -> None:
    """Accounts for the messages that are not read: demonstrations, instructions, and what the trajectory tells better."""
    demos = sum(1 for message in dicts(history) if message.get("is_demo") is True)
    instructions = sum(1 for message in dicts(history) if message.get("role") == "system" and message.get("is_demo") is not True)
    for reason, count in (("demo", demos), ("instructions", instructions), ("duplicate", len(history) - demos - instructions - asked)):
        for _ in range(count):
            tally.skip(reason)


def _turn_steps(turn: Any, number: int, session: str, tally: Tally) -> Iterator[RawStep]:
    if not isinstance(turn, dict):
        tally.broken(number, "not a turn")
        return
    draft = Draft(session, f"#{number}", line=number)
    action = as_str(turn.get("action"))
    thought = as_str(turn.get("thought")) or ("" if action else as_str(turn.get("response")))
    observation = content_text(turn.get("observation"))
    if _is_of_host(action.strip()):
        draft.add("notice", 0, thought or action.strip(), "machine")
        tally.keep()
        yield from draft.steps
        return
    draft.reply(0, thought)
    if action.strip():
        call_id = f"t{number}"
        tally.call(call_id)
        tool, arguments = _understand_action(action.strip(), as_str(_state(turn).get("open_file")))
        draft.call(1, tool, arguments, call_id)
        tally.result(call_id)
        draft.result(2, observation, call_id, error=True if observation.startswith(_TIMEOUTS) else None)
    elif observation.strip():
        draft.result(2, observation, "")
    if draft.steps:
        tally.keep()
    else:
        tally.skip("empty")
    yield from draft.steps


def _is_of_host(action: str) -> bool:
    """Did the harness write this action down as it ended the run ("exit_cost")? Giving up is the agent's own act."""
    return action.startswith("exit_") and action.isidentifier() and action not in _OWN_TOOLS


def _state(turn: dict[str, Any]) -> dict[str, Any]:
    """Open file and working directory before the action; a JSON text in older versions."""
    state = turn.get("state")
    return as_dict(parse_json(state) if isinstance(state, str) else state)


def _understand_action(action: str, open_file: str) -> tuple[str, dict[str, Any]]:
    """Tool and arguments of an action line. Commands of the agent's own interface become tools of their own."""
    first, _, rest = action.partition("\n")
    name = first.split(maxsplit=1)[0]
    if name == "submit":
        return "submit", {}
    if name not in _OWN_TOOLS:
        return "bash", {"command": action}
    try:
        arguments = (shlex.split(first) if len(first) < _MAX_SHELL_WORDS else first.split())[1:]
    except ValueError:
        arguments = first.split()[1:]
    if name in ("edit", "insert", "append"):
        body = rest.rpartition("end_of_")[0].rstrip("\n") if "end_of_" in rest else rest
        found: dict[str, Any] = {"path": "" if open_file in ("", "n/a") else open_file, "new_string": body, "command": action}
        return name, {key: value for key, value in found.items() if value}
    if name == "str_replace_editor":
        options = {arguments[at].lstrip("-"): arguments[at + 1] for at in range(2, len(arguments) - 1, 1) if arguments[at].startswith("--")}
        return name, {"command": arguments[0] if arguments else "", "path": arguments[1] if len(arguments) > 1 else "", **options}
    if name in ("open", "create", "view", "filemap"):
        return name, {"path": arguments[0] if arguments else "", "arguments": arguments[1:]}
    return name, {"query": " ".join(arguments)}


def _history_steps(history: list[Any], asked: list[dict[str, Any]], session: str, tally: Tally) -> Iterator[RawStep]:
    """Steps of a file without a trajectory."""
    chat = Chat()
    for number, message in enumerate(history, 1):
        if not isinstance(message, dict):
            tally.broken(number, "not a message")
        elif message.get("is_demo") is True:
            tally.skip("demo")
        elif not any(message is each for each in asked):
            draft = Draft(session, f"h{number}", line=number)
            reason = _history_turn(chat, draft, message, tally)
            if reason:
                tally.skip(reason)
            else:
                tally.keep()
            yield from draft.steps


def _history_turn(chat: Chat, draft: Draft, message: dict[str, Any], tally: Tally) -> str:
    if message.get("role") == "assistant" and not message.get("tool_calls") and as_str(message.get("action")).strip():
        call_id = f"{draft.rid}/1"
        draft.reply(0, as_str(message.get("thought")) or content_text(message.get("content")))
        tool, arguments = _understand_action(message["action"].strip(), "")
        tally.call(call_id)
        chat.unnamed.append(call_id)
        draft.call(1, tool, arguments, call_id)
        return ""
    if message.get("role") == "user":
        return chat.add(draft, {"role": "tool", "content": message.get("content")}, tally)
    ids = as_list(message.get("tool_call_ids"))
    return chat.add(draft, {**message, "tool_call_id": ids[0]} if ids and isinstance(ids[0], str) else message, tally)


def _end_steps(info: dict[str, Any], session: str, tally: Tally) -> Iterator[RawStep]:
    status = as_str(info.get("exit_status"))
    if status:
        draft = Draft(session, "end")
        draft.add("notice", 0, status, exit_mark_of(status))
        if status.startswith("submitted") and exit_mark_of(status) != "submit":
            draft.add("notice", 1, status, "submit")
        tally.flags.add("ended")
        yield from draft.steps


def _looks(seen: Glimpse) -> int:
    top = seen.mapping
    turns = [turn for name in ("trajectory", "history") for turn in dicts(top.get(name))]
    if any("observation" in turn or "is_demo" in turn or ("agent" in turn and "role" in turn) for turn in turns):
        return 85
    return 60 if isinstance(top.get("trajectory"), list) and "environment" in top else 0


IMPORTER = FormatImporter("swe-agent", _looks, lambda stream, _state: DocumentReading(stream, SweAgentFormat()))
