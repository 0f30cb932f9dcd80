"""GitHub Copilot Chat in VS Code: `workspaceStorage/<hash>/chatSessions/*.json`, and exported chats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import add_output
from diarist.importers.documents import DocumentReading, opening_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.messages import tell
from diarist.importers.values import as_arguments, as_dict, as_int, as_list, as_str, as_time, content_text, dicts, first_str
from diarist.model.session import RawStep, SessionInfo


class VscodeChat:
    """The one chat of a file."""

    name = "vscode-chat/json"

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of all requests; each is one record with its answer."""
        document = as_dict(document)
        requests = as_list(document.get("requests"))
        session = as_str(document.get("sessionId")) or opening_id(requests[:1])
        tally = ledger.open(session)
        tally.moment(as_time(document.get("creationDate")))
        tally.moment(as_time(document.get("lastMessageDate")))
        tell(tally, "title", document.get("customTitle"))
        for number, request in enumerate(requests, 1):
            if not isinstance(request, dict):
                tally.broken(number, "not a request")
                continue
            at = as_time(request.get("timestamp"))
            draft = Draft(session, as_str(request.get("requestId")) or f"#{number}", at, number)
            tell(tally, "model", request.get("modelId"))
            message = request.get("message")
            draft.user("prompt", content_text(as_dict(message).get("text", message)))
            _answer(draft, as_list(request.get("response")), tally)
            _end(draft, as_dict(request.get("result")), request, tally)
            if draft.steps:
                tally.keep()
                tally.moment(at)
            else:
                tally.skip("empty")
            yield from draft.steps

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Title, models, times."""
        return tally.info(session, "vscode-copilot", self.name)


def _answer(draft: Draft, parts: list[Any], tally: Tally) -> None:
    """Words and tool calls in order; neighbouring words belong together."""
    said: list[str] = []
    for number, part in enumerate(dicts(parts)):
        kind = as_str(part.get("kind"))
        if kind in ("", "markdownContent", "inlineReference"):
            content = part.get("value", as_dict(part.get("content")).get("value"))
            said.append(content_text(content) or as_str(as_dict(part.get("inlineReference")).get("name")))
            continue
        draft.reply(f"{number}.text", "".join(said))
        said = []
        if kind == "thinking":
            draft.thought(number, content_text(part.get("value")))
        elif kind == "toolInvocationSerialized":
            _tool(draft, number, part, tally)
    draft.reply("text", "".join(said))


def _tool(draft: Draft, number: int, part: dict[str, Any], tally: Tally) -> None:
    call_id = as_str(part.get("toolCallId")) or f"{draft.rid}/{number}"
    data = as_dict(part.get("toolSpecificData"))
    terminal = data.get("kind") == "terminal"
    shown = part.get("pastTenseMessage") or part.get("invocationMessage")
    command = as_dict(data.get("commandLine")).get("original") or data.get("command")
    arguments = {"command": command} if terminal else as_arguments(data.get("rawInput")) or {"description": content_text(shown)}
    tally.call(call_id)
    draft.call(number, as_str(part.get("toolId")), arguments, call_id)
    details = as_dict(part.get("resultDetails"))
    confirmed = part.get("isConfirmed")
    declined = confirmed is False or as_dict(confirmed).get("type") == 0
    output = content_text(details.get("output"))
    if not (part.get("isComplete") or declined or output):
        return
    tally.result(call_id)
    flag = details.get("isError")
    if declined:
        draft.result(f"{number}.result", content_text(shown), call_id, error=True, mark="refusal")
    else:
        add_output(draft, f"{number}.result", output, call_id, error=flag if isinstance(flag, bool) else None)


def _end(draft: Draft, result: dict[str, Any], request: dict[str, Any], tally: Tally) -> None:
    tally.wait(as_int(as_dict(result.get("timings")).get("totalElapsed")))
    failure = as_dict(result.get("errorDetails"))
    if request.get("isCanceled") is True:
        draft.add("notice", "end", "cancelled", "interrupt")
    elif failure:
        draft.add("notice", "end", first_str(failure, "message"), "api-error")


def _looks(seen: Glimpse) -> int:
    top = seen.mapping or seen.first
    requests = list(dicts(top.get("requests")))[:1]
    own = "requesterUsername" in top or "responderUsername" in top
    return 92 if own and "requests" in top else 75 if requests and "message" in requests[0] and "response" in requests[0] else 0


def _roots(environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    data = environ.get("APPDATA")
    bases = [Path(data)] if data else [home / ".config", home / "Library" / "Application Support"]
    return [base / "Code" / "User" / "workspaceStorage" for base in bases]


IMPORTER = FormatImporter("vscode-copilot", _looks, lambda stream, _state: DocumentReading(stream, VscodeChat()), _roots)
