"""mini-swe-agent `.traj.json`: chat messages with the run's facts around them (v2), or bare (v1, commands in a fenced block)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import Chat, opening_messages, usage_of
from diarist.importers.documents import DocumentReading, opening_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.host_tasks import add_task, exit_mark_of
from diarist.importers.ledger import Ledger, Tally, Tokens
from diarist.importers.messages import tell
from diarist.importers.values import as_cost, as_dict, as_exit_code, as_list, as_str, as_time, content_text, first_str
from diarist.model.session import RawStep, SessionInfo
from diarist.text.lazy import lazy

_BLOCK = lazy(r"```(?:bash|sh|shell|mswea_bash_command)?[ \t]*\n(.*?)\n?```", re.DOTALL)
_STATUS = lazy(r"\s*<returncode>(-?\d{1,9})</returncode>\s*")
_OUTPUT = lazy(r"\A\s*<(output|output_head|exception)>\n?(.*?)\n?</\1>", re.DOTALL)


class MiniFormat:
    """The one session of a file."""

    name = "mini-swe-agent/json"

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Task, turns, end."""
        holder = as_dict(document)
        messages = as_list(holder.get("messages")) if holder else as_list(document)
        session = opening_id(holder.get("instance_id"), opening_messages(messages))
        tally = ledger.open(session)
        self._note_facts(as_dict(holder.get("info")), tally)
        chat = Chat()
        asked = False
        for number, message in enumerate(messages, 1):
            if not isinstance(message, dict):
                tally.broken(number, "not a message")
                continue
            draft = Draft(session, f"#{number}", as_time(as_dict(message.get("extra")).get("timestamp")), number)
            reason = self._message(draft, message, chat, asked, tally)
            asked = asked or message.get("role") == "user"
            if reason:
                tally.skip(reason)
            else:
                tally.keep()
                tally.moment(draft.at)
            yield from draft.steps
        status = as_str(as_dict(holder.get("info")).get("exit_status"))
        if status:
            draft = Draft(session, "end", tally.ended)
            draft.add("notice", 0, status, exit_mark_of(status))
            yield from draft.steps

    def _message(self, draft: Draft, message: dict[str, Any], chat: Chat, asked: bool, tally: Tally) -> str:
        role = as_str(message.get("role"))
        text = content_text(message.get("content"))
        extra = as_dict(message.get("extra"))
        if role == "exit":
            return "state"
        if role == "user" and not asked:
            add_task(draft, 0, text)
            return "" if draft.steps else "empty"
        if role in ("tool", "user") and ("returncode" in extra or _STATUS.match(text) or role == "tool"):
            call_id = first_str(message, "tool_call_id") or (chat.unnamed.pop(0) if chat.unnamed else "")
            _add_observation(draft, text, extra, call_id, tally)
            return ""
        if role == "user":
            draft.add("notice", 0, text, "machine")
            return ""
        if role == "assistant" and not message.get("tool_calls"):
            self._count(extra, tally)
            return _add_fenced(draft, text, chat, tally)
        if role == "assistant":
            self._count(extra, tally)
        return chat.add(draft, message, tally)

    @staticmethod
    def _count(extra: dict[str, Any], tally: Tally) -> None:
        response = as_dict(extra.get("response"))
        usage = response.get("usage")
        if isinstance(usage, dict):
            tally.use(as_str(response.get("id")), usage_of(usage))
        tell(tally, "model", response.get("model"))

    @staticmethod
    def _note_facts(info: dict[str, Any], tally: Tally) -> None:
        """The configuration may hold keys: only the model's name and the folder are taken from it."""
        config = as_dict(info.get("config"))
        tell(tally, "configured-model", as_dict(config.get("model")).get("model_name"))
        tell(tally, "cwd", as_dict(config.get("environment")).get("cwd"))
        tell(tally, "version", info.get("mini_version"))
        tally.spend(as_cost(as_dict(info.get("model_stats")).get("instance_cost")))
        tally.use("", Tokens())

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Model, folder, version, cost."""
        models = tuple(tally.facts.ranked("model") or tally.facts.ranked("configured-model"))
        return tally.info(session, "mini-swe-agent", self.name, models=models)


def _add_fenced(draft: Draft, text: str, chat: Chat, tally: Tally) -> str:
    """An answer with its command in a fenced block."""
    block = _BLOCK.search(text)
    draft.reply(0, (text[: block.start()] + text[block.end() :]).strip() if block else text)
    if block:
        call_id = f"{draft.rid}/1"
        tally.call(call_id)
        chat.unnamed = [call_id]
        draft.call(1, "bash", {"command": block[1]}, call_id)
    return "" if draft.steps else "empty"


def _add_observation(draft: Draft, text: str, extra: dict[str, Any], call_id: str, tally: Tally) -> None:
    """What a command gave: its exit status stands in the message's facts and above its text."""
    status = _STATUS.match(text)
    code = as_exit_code(extra.get("returncode"))
    if code is None and status:
        code = int(status[1])
    body = text[status.end() :] if status else text
    wrapped = _OUTPUT.match(body)
    raw = as_str(extra.get("raw_output"))
    output = raw or (wrapped[2] if wrapped else body)
    failure = as_str(extra.get("exception_info"))
    if call_id:
        tally.result(call_id)
    error = None if code is None and not failure else bool(failure) or code != 0
    draft.result(0, f"{output}\n{failure}".strip("\n") if failure else output, call_id, error=error, exit_code=code)


def _looks(seen: Glimpse) -> int:
    top = seen.mapping
    if as_str(top.get("trajectory_format")).startswith("mini-swe-agent"):
        return 95
    messages = as_list(top.get("messages")) or as_list(seen.document)
    texts = [content_text(message.get("content")) for message in messages[:6] if isinstance(message, dict)]
    if "mini_version" in as_dict(top.get("info")) or any(
        "MICRO_SWE_AGENT_FINAL_OUTPUT" in text or "MINI_SWE_AGENT" in text for text in texts
    ):
        return 90
    return 85 if any(_STATUS.match(text) for text in texts) else 0


IMPORTER = FormatImporter("mini-swe-agent", _looks, lambda stream, _state: DocumentReading(stream, MiniFormat()))
