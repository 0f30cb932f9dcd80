"""Cline and Roo Code: `api_conversation_history.json` of a task, Anthropic messages with tools written as XML in older ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import Chat, opening_messages
from diarist.importers.documents import DocumentReading, opening_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.markup import elements, without
from diarist.importers.values import as_list, as_str, as_time, content_text, dicts, words
from diarist.model.session import Mark, RawStep, SessionInfo

_TOOLS = words(
    """execute_command read_file write_to_file replace_in_file search_files list_files list_code_definition_names browser_action
    use_mcp_tool access_mcp_resource ask_followup_question attempt_completion new_task plan_mode_respond apply_diff insert_content
    search_and_replace switch_mode update_todo_list fetch_instructions codebase_search web_fetch new_rule load_mcp_documentation"""
)
_RESULT = re.compile(r"\A\[(\w+)(?: for '(.{0,4000}?)')?[^\]\n]{0,200}\] Result:\s*", re.DOTALL)
_STATUS = re.compile(r"(?:Exit code|Command (?:failed|exited|executed) with (?:exit )?code|exit code):? (-?\d{1,9})")
_MAX_NAMES = 32
_CWD = re.compile(r"# Current (?:Working|Workspace) Directory \((.+?)\)")
_DENIED = ("The user denied this operation", "The user provided the following feedback", "The user rejected")
_OWN_WORDS = ("<task>", "<feedback>", "<environment_details>", "[TASK RESUMPTION]")
_FAILED = ("The tool execution failed with the following error", "[ERROR]", "Error executing", "<error>")


class ClineTask:
    """The one task of a file."""

    name = "cline/api"

    def __init__(self) -> None:
        self._agent = "cline"
        self._call = ""
        self._headed = False
        """The line above a result stood in a block of its own: the next block is its text."""

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of all messages."""
        messages = as_list(document)
        session = opening_id(opening_messages(messages))
        tally = ledger.open(session)
        text = content_text([message.get("content") for message in dicts(messages[:3])])
        self._agent = "roo-code" if "Roo" in text or "# Current Workspace Directory" in text else "cline"
        folder = _CWD.search(text)
        if folder:
            tally.facts.tell("cwd", folder[1], 0)
        chat = Chat()
        for number, message in enumerate(messages, 1):
            if not isinstance(message, dict):
                tally.broken(number, "not a message")
                continue
            at = as_time(message.get("ts"))
            draft = Draft(session, f"#{number}", at, number)
            reason = self._message(draft, message, chat, tally)
            if reason:
                tally.skip(reason)
            else:
                tally.keep()
                tally.moment(at)
            yield from draft.steps

    def _message(self, draft: Draft, message: dict[str, Any], chat: Chat, tally: Tally) -> str:
        role, content = as_str(message.get("role")), message.get("content")
        blocks = content if isinstance(content, list) else [content]
        if any(isinstance(block, dict) and block.get("type") in ("tool_use", "tool_result") for block in blocks):
            return chat.add(draft, message, tally)
        for number, block in enumerate(blocks):
            text = content_text(block)
            if role == "assistant":
                self._agent_text(draft, number, text, tally)
            elif role == "user":
                self._user_text(draft, number, text, tally)
        if self._headed:
            self._result(draft, len(blocks), "", tally)
        return "" if draft.steps else "empty"

    def _agent_text(self, draft: Draft, number: int, text: str, tally: Tally) -> None:
        """Words, thinking, and tools written as elements."""
        found = list(elements(text, (*_TOOLS, "thinking")))
        draft.reply(number, without(text, found))
        for part, element in enumerate(found):
            name = f"{number}.{part}"
            if element.name == "thinking":
                draft.thought(name, element.content.strip())
            elif element.name == "attempt_completion":
                result = next(elements(element.content, ("result",)), None)
                draft.reply(name, result.content.strip() if result else "")
                draft.add("notice", f"{name}.submit", "", "submit")
            else:
                self._call = f"{draft.rid}/{name}"
                tally.call(self._call)
                draft.call(name, element.name, _arguments(element.content), self._call)

    def _user_text(self, draft: Draft, number: int, text: str, tally: Tally) -> None:
        """A result of the last tool, or the person's words."""
        head = _RESULT.match(text)
        if head is not None and not text[head.end() :].strip():
            self._headed = bool(self._call)
        elif self._call and (head is not None or not text.lstrip().startswith(_OWN_WORDS)):
            self._result(draft, number, text[head.end() :] if head else text, tally)
        else:
            feedback = next(elements(text, ("feedback",)), None)
            draft.user(number, feedback.content.strip() if feedback else text[head.end() :] if head else text)

    def _result(self, draft: Draft, number: int, text: str, tally: Tally) -> None:
        call, self._call, self._headed = self._call, "", False
        tally.result(call)
        feedback = next(elements(text, ("feedback",)), None)
        denied = text.lstrip().startswith(_DENIED) or feedback is not None
        status = _STATUS.search(text[:400])
        code = int(status[1]) if status else None
        failed = code != 0 if code is not None else True if denied or text.lstrip().startswith(_FAILED) else None
        mark: Mark = "refusal" if denied else ""
        draft.result(number, feedback.content.strip() if feedback else text, call, error=failed, exit_code=code, mark=mark)

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Folder and times."""
        return tally.info(session, self._agent, self.name)


def _arguments(content: str) -> dict[str, Any]:
    names = tuple(dict.fromkeys(re.findall(r"<(\w{1,40})>", content)))[:_MAX_NAMES]
    return {element.name: element.content.strip("\n") for element in elements(content, names)} if names else {}


def _looks(seen: Glimpse) -> int:
    messages = seen.items[:4]
    if not messages or not all("role" in message and "content" in message for message in messages):
        return 0
    text = content_text([message.get("content") for message in messages])
    return 85 if "<environment_details>" in text or any(f"<{tool}>" in text for tool in _TOOLS) else 0


def _roots(environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    data = environ.get("APPDATA")
    bases = [Path(data)] if data else [home / ".config", home / "Library" / "Application Support"]
    stores = [base / editor / "User" / "globalStorage" for base in bases for editor in ("Code", "Cursor", "VSCodium", "Windsurf")]
    return [store / extension / "tasks" for store in stores for extension in ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline")]


IMPORTER = FormatImporter("cline", _looks, lambda stream, _state: DocumentReading(stream, ClineTask()), _roots)
