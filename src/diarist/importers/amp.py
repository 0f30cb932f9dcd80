"""Amp: `~/.local/share/amp/threads/T-*.json`, one JSON document a thread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import Chat, add_output
from diarist.importers.documents import DocumentReading, opening_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.ledger import Ledger, Tally, Tokens
from diarist.importers.messages import tell
from diarist.importers.values import as_dict, as_exit_code, as_int, as_list, as_str, as_time, compact, content_text, dicts, first_str
from diarist.model.session import RawStep, SessionInfo


class AmpThread:
    """The one thread of a file."""

    name = "amp/thread"

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of all messages."""
        document = as_dict(document)
        messages = as_list(document.get("messages"))
        session = as_str(document.get("id")) or opening_id(messages[:2])
        tally = ledger.open(session)
        tally.moment(as_time(document.get("created")))
        tell(tally, "title", document.get("title"))
        for tree in dicts(as_dict(as_dict(document.get("env")).get("initial")).get("trees")):
            tell(tally, "cwd", unquote(urlparse(as_str(tree.get("uri"))).path) if as_str(tree.get("uri")).startswith("file:") else None)
            tell(tally, "repository", as_dict(tree.get("repository")).get("url"))
        chat = Chat()
        for number, message in enumerate(messages, 1):
            if not isinstance(message, dict):
                tally.broken(number, "not a message")
                continue
            at = as_time(as_dict(message.get("meta")).get("sentAt") or as_dict(message.get("usage")).get("timestamp"))
            own = message.get("messageId")
            draft = Draft(session, f"m{own}" if isinstance(own, int | str) else f"#{number}", at, number)
            reason = _message(draft, message, chat, tally)
            if reason:
                tally.skip(reason)
            else:
                tally.keep()
                tally.moment(at)
            yield from draft.steps

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Folder, repository, title, models."""
        return tally.info(session, "amp", self.name)


def _message(draft: Draft, message: dict[str, Any], chat: Chat, tally: Tally) -> str:
    if message.get("role") == "assistant":
        usage = as_dict(message.get("usage"))
        tell(tally, "model", usage.get("model"))
        if usage:
            tally.use(draft.rid, _tokens(usage))
        reason = chat.add(draft, {"role": "assistant", "content": message.get("content")}, tally)
        state = as_dict(message.get("state"))
        if state.get("type") == "cancelled":
            draft.add("notice", "state", "cancelled", "interrupt")
        elif state.get("type") == "error":
            draft.add("notice", "state", as_str(as_dict(state.get("error")).get("message")) or "error", "api-error")
        return "" if draft.steps else reason
    for number, block in enumerate(as_list(message.get("content"))):
        if isinstance(block, dict) and block.get("type") == "tool_result":
            _result(draft, number, block, tally)
        else:
            draft.user(number, content_text(block))
    return "" if draft.steps else "empty"


def _result(draft: Draft, number: int, block: dict[str, Any], tally: Tally) -> None:
    call_id = first_str(block, "toolUseID", "tool_use_id")
    if call_id:
        tally.result(call_id)
    run = as_dict(block.get("run"))
    status = as_str(run.get("status"))
    result = run.get("result")
    code = as_exit_code(as_dict(result).get("exitCode"))
    failure = run.get("error")
    text = content_text(as_dict(result).get("output", result)) or compact(failure or as_dict(result).get("output", result))
    if status.startswith(("rejected", "cancelled")):
        reason = as_str(run.get("reason")) or as_str(as_dict(run.get("toAllow")).get("reason")) or text
        draft.result(number, reason, call_id, error=True, mark="refusal" if status.startswith("rejected") else "interrupt")
    elif code is not None:
        draft.result(number, text, call_id, error=code != 0, exit_code=code)
    else:
        add_output(draft, number, text, call_id, error=status == "error" if status else None)


def _tokens(usage: dict[str, Any]) -> Tokens:
    return Tokens(
        input=as_int(usage.get("inputTokens")),
        output=as_int(usage.get("outputTokens")),
        cache_read=as_int(usage.get("cacheReadInputTokens")),
        cache_write=as_int(usage.get("cacheCreationInputTokens")),
    )


def _looks(seen: Glimpse) -> int:
    top = seen.mapping or seen.first
    messages = list(dicts(top.get("messages")))[:2]
    own = as_str(top.get("id")).startswith("T-") and ("created" in top or "env" in top)
    return 92 if own else 70 if messages and all("messageId" in message and "content" in message for message in messages) else 0


def _roots(environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    base = Path(environ["XDG_DATA_HOME"]) if environ.get("XDG_DATA_HOME") else home / ".local" / "share"
    return [base / "amp" / "threads"]


IMPORTER = FormatImporter("amp", _looks, lambda stream, _state: DocumentReading(stream, AmpThread()), _roots)
