"""Inspect evaluation logs: `.eval` archives, and the same as one JSON document. Each sample of each epoch is a session.

Targets, scores and metadata of a sample are no part of its session. The log's status says that the evaluation ended.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from diarist.importers.chat import Chat, opening_messages
from diarist.importers.documents import BEHIND, decode_document, leading_document, opening_id, unique
from diarist.importers.draft import Draft
from diarist.importers.encodings import peek
from diarist.importers.glimpse import glimpse
from diarist.importers.ledger import Ledger, Tally, Tokens
from diarist.importers.messages import tell
from diarist.importers.values import as_cost, as_dict, as_int, as_list, as_str, as_time, compact, content_text, dicts, digest_id, first_str
from diarist.importers.zips import read_entry
from diarist.model.session import CaptureReport, Naming, RawStep, SessionInfo
from diarist.text.lazy import lazy

_ZIP = b"PK\x03\x04"
_SAMPLE = lazy(r"samples/.+\.json\Z")
_REFERENCE = lazy(r"(?:attachment|tc)://[\w-]+\Z")


class InspectEval:
    """Reads logs of the Inspect framework."""

    name = "inspect-eval"

    def sniff(self, head: bytes, path: Path | None) -> int:  # noqa: ARG002 - content decides
        """An archive that begins with a journal or with samples, or a document with an evaluation's plan."""
        if head.startswith(_ZIP):
            return 90 if any(name in head[:4096] for name in (b"_journal/", b"header.json", b"samples/")) else 0
        top = glimpse(head).mapping
        spec = as_dict(top.get("eval"))
        return 90 if "status" in top and ("task" in spec or "run_id" in spec or "task_id" in spec) else 0

    def default_roots(self, environ: Mapping[str, str], home: Path) -> Sequence[Path]:  # noqa: ARG002 - the port's signature
        """The folder that the environment names for logs."""
        folder = environ.get("INSPECT_LOG_DIR", "")
        return [Path(folder)] if folder and "://" not in folder else []

    def read(self, stream: BinaryIO, path: Path | None, state: bytes = b"") -> InspectReading:  # noqa: ARG002 - always read whole
        """Reads a log, sample by sample where it is an archive."""
        return InspectReading(stream)


class InspectReading:
    """A `Reading` of one log."""

    offset = 0
    state = b""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._ledger = Ledger()

    def __iter__(self) -> Iterator[RawStep]:
        return unique(self._steps())

    def _steps(self) -> Iterator[RawStep]:
        if peek(self._stream, 4) == _ZIP:
            yield from self._archive()
        else:
            data = self._stream.read()
            log = decode_document(data)
            behind = log is None
            if behind:
                log = leading_document(data)
            if not isinstance(log, dict):
                self._fail("not a whole JSON document")
                return
            samples = as_list(log.get("samples"))
            for sample in samples:
                yield from self._sample(sample, as_dict(log.get("eval")))
            if not samples:
                self._fail("the log holds no samples")
            elif behind:
                self._ledger.open("").broken(0, BEHIND)

    def _archive(self) -> Iterator[RawStep]:
        try:
            archive = zipfile.ZipFile(self._stream)
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError):
            self._fail("not a whole archive")
            return
        spec = self._spec(archive)
        entries = sorted((entry for entry in archive.infolist() if _SAMPLE.match(entry.filename)), key=lambda entry: _order(entry.filename))
        for entry in entries:
            try:
                sample = decode_document(read_entry(archive, self._stream, entry))
            except ValueError as error:
                self._fail(str(error), f"{as_str(spec.get('task_id'))}/{entry.filename}")
                continue
            yield from self._sample(sample, spec)
        if not entries:
            self._fail("the log holds no samples")

    def _spec(self, archive: zipfile.ZipFile) -> dict[str, Any]:
        """The evaluation's own facts: in the header, or in the journal of a run that did not end."""
        for name in ("header.json", "_journal/start.json"):
            try:
                return as_dict(as_dict(decode_document(read_entry(archive, self._stream, archive.getinfo(name)))).get("eval"))
            except (KeyError, ValueError):
                continue
        return {}

    def _fail(self, reason: str, name: str = "") -> None:
        self._ledger.open(digest_id((name or reason).encode())).broken(0, reason)

    def _sample(self, sample: Any, spec: dict[str, Any]) -> Iterator[RawStep]:
        if not isinstance(sample, dict):
            self._fail("not a sample")
            return
        messages = as_list(_resolve(sample.get("messages"), as_dict(sample.get("attachments"))))
        session = _session_id(sample, spec, messages)
        tally = self._ledger.open(session)
        _note_facts(sample, spec, tally)
        times = _event_times(sample)
        if not any(message.get("role") == "user" for message in dicts(messages)):
            draft = Draft(session, "input")
            draft.user(0, content_text(sample.get("input")))
            yield from draft.steps
        chat = Chat()
        for number, message in enumerate(messages, 1):
            if not isinstance(message, dict):
                tally.broken(number, "not a message")
                continue
            at = times.get(first_str(message, "tool_call_id")) or times.get(first_str(message, "id"))
            draft = Draft(session, as_str(message.get("id")) or f"#{number}", at, number)
            reason = _add_message(draft, message, chat, tally)
            if reason:
                tally.skip(reason)
            else:
                tally.keep()
            yield from draft.steps
        yield from _end_steps(sample, session, tally)

    @property
    def sessions(self) -> Mapping[str, SessionInfo]:
        """One a sample and epoch."""
        return {name: tally.info(name, "inspect-eval", "inspect-eval/log") for name, tally in self._ledger.tallies.items()}

    @property
    def naming(self) -> Mapping[str, Naming]:
        """Of samples whose name was made."""
        return self._ledger.naming

    @property
    def captures(self) -> Mapping[str, CaptureReport]:
        """Counted in messages."""
        return {name: tally.report() for name, tally in self._ledger.tallies.items()}


def _order(name: str) -> tuple[object, ...]:
    """Samples in the order of their numbers, whatever order they were finished in."""
    return tuple((0, int(part), "") if part.isdecimal() and len(part) < 20 else (1, 0, part) for part in re.split(r"(\d+)", name))


def _session_id(sample: dict[str, Any], spec: dict[str, Any], messages: list[Any]) -> str:
    uuid = as_str(sample.get("uuid"))
    if uuid:
        return uuid
    return opening_id(spec.get("run_id"), spec.get("task_id"), sample.get("id"), sample.get("epoch"), opening_messages(messages))


def _note_facts(sample: dict[str, Any], spec: dict[str, Any], tally: Tally) -> None:
    tell(tally, "workflow", spec.get("run_id"))
    for model, used in as_dict(sample.get("model_usage")).items():
        usage = as_dict(used)
        cached = as_int(usage.get("input_tokens_cache_read"))
        tokens = Tokens(
            input=as_int(usage.get("input_tokens")),
            output=as_int(usage.get("output_tokens")),
            cache_read=cached,
            cache_write=as_int(usage.get("input_tokens_cache_write")),
            reasoning=as_int(usage.get("reasoning_tokens")),
        )
        tally.use("", tokens)
        tally.spend(as_cost(usage.get("total_cost")))
        tell(tally, "model", model)
    if not tally.facts.most("model"):
        tell(tally, "model", spec.get("model"))
    seconds = as_cost(sample.get("total_time"))
    tally.wait(int(seconds * 1000) if seconds is not None else 0)


def _event_times(sample: dict[str, Any]) -> dict[str, Any]:
    """When a message was made or a tool ended, by the id of the message or call."""
    times = {}
    for event in dicts(sample.get("events")):
        at = as_time(event.get("completed") or event.get("timestamp"))
        if event.get("event") == "model":
            for choice in dicts(as_dict(event.get("output")).get("choices")):
                times[as_str(as_dict(choice.get("message")).get("id"))] = at
        elif event.get("event") == "tool":
            times[as_str(event.get("id"))] = at
        elif event.get("event") == "sample_init":
            for message in dicts(as_dict(event.get("state")).get("messages")):
                times[as_str(message.get("id"))] = at
    times.pop("", None)
    return times


def _add_message(draft: Draft, message: dict[str, Any], chat: Chat, tally: Tally) -> str:
    tally.moment(draft.at)
    if message.get("role") == "tool" and isinstance(message.get("error"), dict):
        call_id = as_str(message.get("tool_call_id"))
        if call_id:
            tally.result(call_id)
        failure = as_dict(message["error"])
        text = content_text(message.get("content")) or as_str(failure.get("message")) or compact(failure)
        declined = failure.get("type") == "approval"
        draft.result(0, text, call_id, tool=as_str(message.get("function")), error=True, mark="refusal" if declined else "")
        return ""
    return chat.add(draft, {**message, "name": message.get("function")} if message.get("role") == "tool" else message, tally)


def _end_steps(sample: dict[str, Any], session: str, tally: Tally) -> Iterator[RawStep]:
    draft = Draft(session, "end", tally.ended)
    failure = as_dict(sample.get("error"))
    limit = as_dict(sample.get("limit"))
    if limit:
        draft.add("notice", 0, f"{as_str(limit.get('type'))} limit", "limit")
    if failure:
        draft.add("notice", 1, as_str(failure.get("message")), "error-end")
    yield from draft.steps


def _resolve(value: Any, attachments: dict[str, Any], depth: int = 0) -> Any:
    """The value with references to long texts replaced by the texts."""
    if not attachments or depth > 32:
        return value
    if isinstance(value, str):
        if _REFERENCE.match(value):
            found = attachments.get(value.split("://", 1)[1], attachments.get(value))
            return found if isinstance(found, str) else value
        return value
    if isinstance(value, dict):
        return {name: _resolve(part, attachments, depth + 1) for name, part in value.items()}
    if isinstance(value, list):
        return [_resolve(part, attachments, depth + 1) for part in value]
    return value


IMPORTER = InspectEval()
