"""OpenHands: event lists, benchmark rows (`output.jsonl`), old action-observation pairs, and single event files.

What a benchmark adds to a row (test results, patches, success flags) is no part of the session.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from diarist.importers.documents import DocumentReading, opening_id
from diarist.importers.draft import Draft
from diarist.importers.encodings import peek
from diarist.importers.glimpse import Glimpse, glimpse
from diarist.importers.host_tasks import add_task, exit_mark_of
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record, told
from diarist.importers.ledger import Ledger, Pairs, Tally
from diarist.importers.messages import tell
from diarist.importers.openhands_events import OpenHandsEvents, accumulated
from diarist.importers.values import as_dict, as_list, as_str, dicts
from diarist.model.session import RawStep, SessionInfo
from diarist.ports import Reading
from diarist.text.lazy import lazy

_FOLDER = lazy(r"[/\\](?:conversations|sessions)[/\\]([\w.-]{6,80})[/\\](?:events|event_cache)[/\\]")


class OpenHandsRows(PlainRecords):
    """JSON lines: one run each."""

    name = "openhands/rows"

    def session_of(self, record: Record) -> str:
        """Made of how the run begins: the same task is run many times."""
        return _row_id(record.value)

    def facts(self, record: Record) -> Pairs:
        """Model, version."""
        return _row_facts(record.value)

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """All steps of a run. The row is one record."""
        if "history" not in record.value:
            return "unknown-type"
        inner = Tally()
        steps = list(_row_steps(record.value, session, inner))
        tally.called.update(inner.called)
        tally.answered.update(inner.answered)
        tally.moment(inner.started)
        tally.moment(inner.ended)
        tally.tokens, tally.cost = tally.tokens.plus(inner.tokens), inner.cost
        return [step for step in steps if tally.fresh(step.rid)]

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a run."""
        return tally.info(session, "openhands", self.name)


class OpenHandsDocument:
    """A list of events, a list of rows, a row, or a single event."""

    name = "openhands/events"

    def __init__(self, folder: str = "") -> None:
        self._folder = folder

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of all runs."""
        rows = [document] if isinstance(document, dict) and "history" in document else [row for row in dicts(document) if "history" in row]
        for row in rows:
            session = _row_id(row)
            tally = ledger.open(session)
            for name, value in _row_facts(row):
                tell(tally, name, value)
            yield from _row_steps(row, session, tally)
        if not rows:
            events = _flatten(document if isinstance(document, list) else [document])
            session = self._folder or opening_id(*events[:3])
            tally = ledger.open(session)
            reader = OpenHandsEvents(session, tally)
            for event in events:
                yield from _event_steps(reader, event, tally)
            reader.finish()

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a run."""
        return tally.info(session, "openhands", self.name)


def _flatten(history: list[Any]) -> list[Any]:
    """Events in order; the oldest files hold them in pairs."""
    return [event for item in history for event in (item if isinstance(item, list) else [item])]


def _row_id(row: dict[str, Any]) -> str:
    return opening_id(row.get("instance_id"), _flatten(as_list(row.get("history")))[:3] or row.get("instruction"))


def _row_facts(row: dict[str, Any]) -> Pairs:
    return told(("model", as_dict(as_dict(row.get("metadata")).get("llm_config")).get("model")))


def _event_steps(reader: OpenHandsEvents, event: Any, tally: Tally) -> list[RawStep]:
    if not isinstance(event, dict):
        tally.broken(0, "not an event")
        return []
    return reader.add(event)


def _row_steps(row: dict[str, Any], session: str, tally: Tally) -> Iterator[RawStep]:
    events = _flatten(as_list(row.get("history")))
    reader = OpenHandsEvents(session, tally)
    if not any(event.get("source") == "user" or event.get("action") == "message" for event in events[:4] if isinstance(event, dict)):
        draft = Draft(session, "instruction")
        add_task(draft, 0, as_str(row.get("instruction")))
        yield from draft.steps
    for event in events:
        yield from _event_steps(reader, event, tally)
    tokens, cost = accumulated(as_dict(row.get("metrics")))
    if any(tokens) or cost is not None:
        tally.use("", tokens)
        tally.spend(cost)
    else:
        reader.finish()
    error = as_str(row.get("error"))
    if error:
        draft = Draft(session, "end", tally.ended)
        draft.add("notice", 0, error, exit_mark_of(error))
        yield from draft.steps


class OpenHands:
    """Reads OpenHands files. A single event file does not say which conversation it belongs to: its folder does."""

    name = "openhands"

    def sniff(self, head: bytes, path: Path | None) -> int:  # noqa: ARG002 - content decides
        """Sure if events have a source beside an action or an observation."""
        return _looks(glimpse(head))

    def default_roots(self, environ: Mapping[str, str], home: Path) -> Sequence[Path]:  # noqa: ARG002 - the port's signature
        """Where the command line client keeps its conversations."""
        return [home / ".openhands" / "conversations", home / ".openhands" / "sessions"]

    def read(self, stream: BinaryIO, path: Path | None, state: bytes = b"") -> Reading:
        """Reads rows line by line, anything else whole."""
        seen = None if state else glimpse(peek(stream, 65536))
        if seen is None or (seen.objects and "history" in seen.objects[0]):
            return JsonLinesReading(stream, OpenHandsRows(), state)
        folder = _FOLDER.search(str(path)) if path is not None else None
        return DocumentReading(stream, OpenHandsDocument(folder[1] if folder else ""))


def _looks(seen: Glimpse) -> int:
    rows = [seen.first, *seen.items[:3]]
    if any("history" in row and ("instruction" in row or "test_result" in row or "git_patch" in row) for row in rows):
        return 90
    events = [event for event in _flatten([*seen.items[:6], *seen.objects[:1], seen.mapping]) if isinstance(event, dict)]
    if isinstance(seen.document, list):
        events += [event for event in _flatten(seen.document[:3]) if isinstance(event, dict)]
    return max(map(_likeness, events), default=0)


def _likeness(event: dict[str, Any]) -> int:
    told = (isinstance(event.get("action"), str) and "args" in event) or (isinstance(event.get("observation"), str) and "extras" in event)
    if told and "source" in event:
        return 90
    kinds = ("ActionEvent", "ObservationEvent", "MessageEvent", "SystemPromptEvent", "AgentErrorEvent", "Condensation", "PauseEvent")
    if event.get("kind") in kinds and "timestamp" in event:
        return 90
    return 0


IMPORTER = OpenHands()
