"""Talks of several agents, as the Who&When collection prints them: AutoGen groups and a Magentic-One orchestrator.

What annotators added (who made the mistake, where, the right answer) is no part of the session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diarist.importers.adapter import FormatImporter
from diarist.importers.documents import DocumentReading, opening_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.values import as_dict, as_list, as_str, content_text, dicts
from diarist.model.session import RawStep, SessionInfo
from diarist.text.lazy import lazy

_TERMINAL = frozenset(("computer_terminal", "computerterminal", "executor", "code_executor", "terminal"))
_EXIT = lazy(r"exitcode: (-?\d{1,9}) \([^)\n]*\)[ \t]*(?:\nCode output:[ ]?)?")
_CODE = lazy(r"```([\w+-]*)[ \t]*\n(.*?)\n?```", re.DOTALL)
_TASK = lazy(r"^#{1,3} Task description[ \t]*\n(.*?)(?=^#{1,3} |\Z)", re.MULTILINE | re.DOTALL)
_ROLE = lazy(r"(.{1,80}?) \((.{1,120})\)\Z")
_SHELL = frozenset(("sh", "bash", "shell", "zsh", "console"))
_NOTHING_TO_RUN = "There is no code from the last"


class GroupChat:
    """The one talk of a file."""

    name = "multi-agent-chat/json"

    def __init__(self) -> None:
        self._blocks: list[tuple[str, str]] = []
        """Language and code of the blocks in the message before: what a terminal runs next."""

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of the talk, in order."""
        document = as_dict(document)
        history = as_list(document.get("history"))
        session = opening_id(history[:3])
        tally = ledger.open(session)
        asked = any(message.get("role") == "human" or _TASK.search(content_text(message.get("content"))) for message in dicts(history[:2]))
        if not asked and as_str(document.get("question")):
            draft = Draft(session, "question")
            draft.user(0, document["question"])
            yield from draft.steps
        for number, message in enumerate(history, 1):
            if not isinstance(message, dict):
                tally.broken(number, "not a message")
                continue
            draft = Draft(session, f"#{number}", line=number)
            self._message(draft, message, number == 1, tally)
            if draft.steps:
                tally.keep()
            else:
                tally.skip("empty")
            yield from draft.steps

    def _message(self, draft: Draft, message: dict[str, Any], first: bool, tally: Tally) -> None:
        text = content_text(message.get("content"))
        role = as_str(message.get("role"))
        speaker = as_str(message.get("name")) or role
        blocks, self._blocks = self._blocks, []
        if speaker.lower() in _TERMINAL:
            self._terminal(draft, text, blocks, tally)
            return
        task = _TASK.search(text) if first else None
        if role == "human" or task:
            draft.user(0, task[1] if task else text)
            if task:
                around = f"{text[: task.start()]}{text[task.end() :]}".strip()
                draft.add("notice", "task", around, "machine")
            return
        known = _ROLE.match(role) if not message.get("name") else None
        if known and known[2].startswith("->"):
            draft.add("notice", 0, f"{known[1]} {known[2]}: {text}", "handover")
        elif known and known[2] == "thought":
            draft.thought(0, text)
        else:
            self._reply(draft, text)

    def _reply(self, draft: Draft, text: str) -> None:
        self._blocks = _CODE.findall(text)
        said = text.strip().removesuffix("TERMINATE").rstrip() if text.strip().endswith("TERMINATE") else text
        draft.reply(0, said)
        if said is not text:
            draft.add("notice", "end", "", "end")

    @staticmethod
    def _terminal(draft: Draft, text: str, blocks: list[tuple[str, str]], tally: Tally) -> None:
        if text.startswith(_NOTHING_TO_RUN):
            draft.add("notice", 0, text, "machine")
            return
        call_id = f"{draft.rid}/run" if blocks else ""
        if blocks:
            shell = all(language in _SHELL for language, _ in blocks)
            code = "\n".join(code for _, code in blocks)
            tally.call(call_id)
            tally.result(call_id)
            draft.call("run", "bash" if shell else blocks[0][0] or "python", {"command" if shell else "code": code}, call_id)
        exited = _EXIT.match(text)
        status = int(exited[1]) if exited else None
        failed = None if status is None else status != 0
        draft.result(0, text[exited.end() :] if exited else text, call_id, error=failed, exit_code=status)

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Nothing is told about a talk but its messages."""
        return tally.info(session, "multi-agent-chat", self.name)


def _looks(seen: Glimpse) -> int:
    top = seen.mapping or seen.first
    history = as_list(top.get("history"))
    messages = [message for message in history[:6] if isinstance(message, dict)]
    if not messages or not all("content" in message and "role" in message for message in messages):
        return 0
    if any(name in top for name in ("mistake_agent", "mistake_step", "question_ID")):
        return 90
    spoken = any(as_str(message.get("name")) or _ROLE.match(as_str(message.get("role"))) for message in messages)
    terminal = any(as_str(message.get("name")).lower() in _TERMINAL for message in messages)
    return 75 if spoken and ("question" in top or terminal or messages[0].get("role") == "human") else 0


IMPORTER = FormatImporter("multi-agent-chat", _looks, lambda stream, _state: DocumentReading(stream, GroupChat()))
