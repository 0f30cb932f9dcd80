"""Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, its subagents beside and below it, all generations.

A record is one line. Records of one session may lie in several files (copies, checkpoints, forks), so a step's id is the
record's uuid with the number of the block. A fork names the record it copied: such a record counts for its origin.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from diarist.importers import claude_record
from diarist.importers.adapter import FormatImporter
from diarist.importers.claude_blocks import add_assistant, add_result, tokens_of
from diarist.importers.claude_notices import add_api_failure, add_attachment, add_system, as_machine, is_human
from diarist.importers.claude_record import ClaudeRecord, ToolUseResult, is_id, is_progress
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record, told
from diarist.importers.ledger import Pairs, Tally
from diarist.importers.speech import Said, understand
from diarist.importers.switches import SwitchWatch
from diarist.importers.values import as_arguments, as_dict, as_int, as_str, as_time, compact, content_text, hash64, words
from diarist.model.session import RawStep, SessionInfo

_STATE_TYPES = words(
    """file-history-snapshot last-prompt mode agent-name permission-mode worktree-state relocated bridge-session frame-link started result
    atis-latch agent-color tag attribution-snapshot speculation-accept content-replacement marble-origami-commit"""
)
_QUIET = dict.fromkeys((*_STATE_TYPES, "pr-link"), "state") | {"progress": "progress"}
"""Why records of these types are skipped."""
_OWN_TYPES = words("queue-operation custom-title mode permission-mode last-prompt")
_SIDECHAINS = 4096
_WAITING = 256
"""Calls, or prompts in the queue, that may wait at a time."""
_SYNTHETIC = "<synthetic>"
_NO_FACT = ("", None)


def _looks(seen: Glimpse) -> int:
    """Sure if records have a session id beside the client's own fields."""
    return max(map(_likeness, seen.objects), default=0)


def _likeness(record: dict[str, Any]) -> int:
    kind = record.get("type")
    if "sessionId" in record and ("parentUuid" in record or kind in _OWN_TYPES):
        return 95
    if kind in ("user", "assistant", "human") and isinstance(record.get("message"), dict | str) and "session_id" not in record:
        return 85 if "sessionId" in record and "uuid" in record else 40
    return 80 if kind in ("summary", "file-history-snapshot") and ("leafUuid" in record or "snapshot" in record) else 0


def _roots(environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    configured = environ.get("CLAUDE_CONFIG_DIR")
    if configured:
        return [Path(folder) / "projects" for folder in configured.split(",") if folder]
    return [home / ".claude" / "projects", home / ".config" / "claude" / "projects"]


class ClaudeFormat(PlainRecords):
    """What the records of one file mean."""

    name = "claude-code/jsonl"
    agent = "claude-code"
    ignores = True

    def __init__(self) -> None:
        self._sidechains = OrderedDict[int, str]()
        """Actors of inline subagents, by the hashed uuid of each of their records."""
        self._unnamed: list[str] = []
        """Calls without an id that wait for their result."""
        self._queue: list[tuple[str, str, int]] = []
        """Prompts typed while the agent was busy: text, time, and where the record stands."""
        self._facts: dict[str, tuple[object, Pairs]] = {}
        """What records of each sort told last: mostly the next tells the same."""
        self._speaker = 0
        """Hash of the session whose main agent replied last."""
        self._speaking = ""
        """The same, as far as this pass knows its name."""
        self._switches = SwitchWatch()

    decode = staticmethod(claude_record.decode)
    """A typed record."""

    def adopt(self, value: dict[str, Any]) -> ClaudeRecord:
        """A typed record from an object."""
        return claude_record.adopt(value)

    def ignore(self, raw: bytes) -> str:
        """Progress lines: a fifth of all lines in some versions."""
        return "progress" if is_progress(raw) else ""

    def session_of(self, record: Record) -> str:
        """The origin's session for a copied record, else its own."""
        value: ClaudeRecord = record.value
        session = value.session_id
        if value.forked_from is not None:
            session = as_str(as_dict(value.forked_from).get("sessionId")) or session
        return session if isinstance(session, str) else ""

    def facts(self, record: Record) -> Pairs:
        """Folder, branch, version, model, titles, actor."""
        value: ClaudeRecord = record.value
        last: tuple[str, Any] = _NO_FACT
        if value.type == "assistant" and isinstance(value.message, dict):
            model = value.message.get("model")
            last = ("model", model if model != _SYNTHETIC else None)
        elif as_str(value.custom_title):
            last = ("title", value.custom_title)
        elif value.ai_title or value.summary:
            last = ("made-title", as_str(value.ai_title) or value.summary)
        told_before = self._facts.get(last[0])
        all_of_it = (value.cwd, value.git_branch, value.version, value.agent_id, last[1])
        if told_before is not None and told_before[0] == all_of_it:
            return told_before[1]
        facts = told(("cwd", value.cwd), ("branch", value.git_branch), ("version", value.version), ("actor", value.agent_id), last)
        self._facts[last[0]] = (all_of_it, facts)
        return facts

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one record."""
        value: ClaudeRecord = record.value
        kind = as_str(value.type)
        uuid = as_str(value.uuid)
        if value.forked_from is not None:
            uuid = as_str(as_dict(value.forked_from).get("messageUuid")) or uuid
        known = is_id(uuid)
        if known and not tally.records.add(uuid):
            return "duplicate"
        at = as_time(value.timestamp)
        actor = "" if value.agent_id is None and value.is_sidechain is not True else self._actor(value, uuid)
        draft = Draft(session, uuid if known else f"#{record.number}", at, record.line, actor)
        if kind in ("user", "human", "assistant") and not actor:
            tally.flags.add("main")
        reason = self._fill(draft, kind, record, tally)
        if not reason:
            tally.moment(at)
        return reason or draft.steps

    def _fill(self, draft: Draft, kind: str, record: Record, tally: Tally) -> str:
        """Adds the record's steps to `draft`; returns why there is nothing in it, or ""."""
        value: ClaudeRecord = record.value
        if kind == "assistant":
            return self._assistant(draft, record, tally)
        if kind in ("user", "human"):
            return self._user(draft, value, tally)
        if kind == "system":
            tally.wait(as_int(value.duration_ms) if value.subtype == "turn_duration" else 0)
            return "" if add_system(draft, value) or value.duration_ms else "state"
        if kind == "attachment":
            tally.flags.add("attachments")
            return "" if add_attachment(draft, value) else "attachment"
        if kind == "queue-operation":
            return self._queued(draft, record, tally)
        if kind == "summary":
            return "" if is_id(value.leaf_uuid) and value.leaf_uuid in tally.records else "other-session"
        return self._small(draft, kind, value, tally)

    def _small(self, draft: Draft, kind: str, value: ClaudeRecord, tally: Tally) -> str:
        if kind in ("custom-title", "ai-title"):
            return "" if as_str(value.custom_title) or as_str(value.ai_title) else "state"
        if kind == "pr-link" and as_str(value.pr_url):
            if not tally.fresh(f"pr {value.pr_url}"):
                return "duplicate"
            draft.rid = f"pr-link-{hash64(value.pr_url):x}"
            draft.add("notice", 0, value.pr_url, "link")
            return ""
        if kind == "tool_use":
            draft.call(0, as_str(value.name), as_arguments(value.input), self._name_call(draft.rid, tally))
            return ""
        if kind == "tool_result":
            call_id = self._take_call(tally)
            draft.result(0, content_text(value.output) or compact(value.output), call_id, error=value.error is not None)
            return ""
        return _QUIET.get(kind, "unknown-type")

    # --- turns -------------------------------------------------------------------------------------------------------

    def _user(self, draft: Draft, value: ClaudeRecord, tally: Tally) -> str:
        message = value.message
        content = message.get("content") if isinstance(message, dict) else message
        if value.is_compact_summary is True:
            draft.add("notice", 0, content_text(content), "compaction")
            return ""
        typed = value.is_meta is not True and (value.origin is None or is_human(value.origin))
        for number, block in enumerate(content if isinstance(content, list) else [content]):
            if isinstance(block, dict) and as_str(block.get("type")).endswith("tool_result"):
                result = block if block.get("tool_use_id") else self._with_output(block, value)
                call_id = as_str(block.get("tool_use_id")) or self._take_call(tally)
                denied = value.denial is not None and as_str(value.denial).startswith("user")
                add_result(draft, number, result, tally, call_id=call_id, denied=denied)
            else:
                text = as_str(block.get("text")) if isinstance(block, dict) else content_text(block)
                if self._queue and text == self._queue[0][0]:
                    del self._queue[0]
                parts = understand(text)
                draft.said(parts if typed and not self._is_warmup(draft, parts) else as_machine(parts), number)
        return "" if draft.steps else "empty"

    @staticmethod
    def _is_warmup(draft: Draft, parts: Sequence[Said]) -> bool:
        """Subagents are started once without work, so that the first real one answers faster."""
        return bool(draft.actor) and [said.text for said in parts] == ["Warmup"]

    @staticmethod
    def _with_output(block: dict[str, Any], value: ClaudeRecord) -> dict[str, Any]:
        """The block with the output that stands beside the message, where the block itself holds none."""
        beside = value.tool_use_result
        if isinstance(beside, ToolUseResult):
            output = "\n".join(filter(None, (as_str(beside.stdout), as_str(beside.stderr))))
            if output:
                return {**block, "content": output, "is_error": block.get("is_error", beside.is_error)}
        return block

    def _assistant(self, draft: Draft, record: Record, tally: Tally) -> str:
        value: ClaudeRecord = record.value
        message = as_dict(value.message)
        if value.is_api_error is True:
            add_api_failure(draft, value)
            return ""
        model = as_str(message.get("model"))
        if model == _SYNTHETIC:
            draft.said(as_machine(understand(content_text(message.get("content")))), 0)
            return "" if draft.steps else "empty"
        tokens = tokens_of(message.get("usage"))
        if tokens is not None:
            tally.use(as_str(message.get("id")) or draft.rid, tokens)
        if not draft.actor:
            if draft.session != self._speaking:
                self._speaking, before = draft.session, self._speaker
                self._speaker = hash64(draft.session)
                if self._speaker != before:
                    self._switches.forget()
            self._switches.see(draft, record.at, model=model, effort=as_str(value.effort))
        calls = len(draft.steps)
        add_assistant(draft, message.get("content"), tally)
        for step in draft.steps[calls:]:
            if step.kind == "call" and step.call_id.startswith(f"{draft.rid}/"):  # made of the record's id
                self._unnamed.append(step.call_id)
        if message.get("stop_reason") == "refusal":
            draft.add("notice", "refusal", as_str(as_dict(message.get("stop_details")).get("explanation")), "model-refusal")
        return "" if draft.steps or tokens is not None else "empty"

    def _queued(self, draft: Draft, record: Record, tally: Tally) -> str:
        """Prompts typed while the agent was busy. A removed one went to the model at once; before attachments came, nothing else tells."""
        value: ClaudeRecord = record.value
        if value.operation == "enqueue":
            self._queue.append((content_text(value.content), as_str(value.timestamp), record.at))
            del self._queue[:-_WAITING]
        elif value.operation == "popAll":
            self._queue.clear()
        elif self._queue:
            text, typed_at, _ = self._queue.pop(0)
            if value.operation == "remove" and "attachments" not in tally.flags:
                draft.rid, draft.at = f"queue-{typed_at}", as_time(typed_at)
                draft.user(0, text)
                return "" if draft.steps else "state"
        return "state"

    # --- ids ---------------------------------------------------------------------------------------------------------

    def _actor(self, value: ClaudeRecord, uuid: str) -> str:
        """The subagent that a record belongs to. Old inline ones have no id: the uuid of their first record names them."""
        agent = as_str(value.agent_id)
        if agent or value.is_sidechain is not True:
            return agent
        actor = self._sidechains.get(hash64(as_str(value.parent_uuid))) or f"sidechain-{uuid[:8]}"
        self._sidechains[hash64(uuid)] = actor
        if len(self._sidechains) > _SIDECHAINS:
            self._sidechains.popitem(last=False)
        return actor

    def _name_call(self, call_id: str, tally: Tally) -> str:
        self._unnamed.append(call_id)
        del self._unnamed[:-_WAITING]
        tally.call(call_id)
        return call_id

    def _take_call(self, tally: Tally) -> str:
        """The oldest call without an id: a result without one belongs to it."""
        call_id = self._unnamed.pop(0) if self._unnamed else ""
        if call_id:
            tally.result(call_id)
        return call_id

    # --- what was learned --------------------------------------------------------------------------------------------

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a session. A file that holds nothing but a subagent speaks for that subagent only."""
        actor = "" if "main" in tally.flags else tally.facts.most("actor")
        return tally.info(session, self.agent, self.name, role="subagent" if actor else "main", actor=actor)

    def pack(self) -> Any:
        """Hashes, ids and places."""
        queued = [at for *_, at in self._queue]
        return [list(self._sidechains.items()), self._unnamed, queued, self._speaker, self._switches.pack()]

    def unpack(self, packed: Any, read: Callable[[int], ClaudeRecord | None]) -> None:
        """Takes up what `pack` gave."""
        sidechains, self._unnamed, queue, self._speaker, switches = packed
        self._sidechains = OrderedDict(sidechains)
        for at in queue:
            value = read(at)
            if value is not None:
                self._queue.append((content_text(value.content), as_str(value.timestamp), at))
        self._switches.unpack(switches, lambda name, at: _told(read(at), name))


def _told(record: ClaudeRecord | None, name: str) -> str:
    """The model or effort that a reply told."""
    if record is None:
        return ""
    return as_str(record.effort) if name == "effort" else as_str(as_dict(record.message).get("model"))


IMPORTER = FormatImporter("claude-code", _looks, lambda stream, state: JsonLinesReading(stream, ClaudeFormat(), state), _roots, listed=True)
