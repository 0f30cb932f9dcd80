"""Hermes: one JSON document a session, with chat messages in OpenAI's spelling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import opening_messages
from diarist.importers.documents import DocumentReading, opening_id
from diarist.importers.glimpse import Glimpse
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.messages import add_messages, tell
from diarist.importers.values import as_dict, as_list, as_str, as_time
from diarist.model.session import RawStep, SessionInfo


class HermesSession:
    """The one session of a file."""

    name = "hermes/json"

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of all messages."""
        document = as_dict(document)
        messages = as_list(document.get("messages"))
        session = as_str(document.get("session_id")) or opening_id(opening_messages(messages))
        tally = ledger.open(session)
        tally.moment(as_time(document.get("session_start")))
        tally.moment(as_time(document.get("last_updated")))
        tell(tally, "model", document.get("model"))
        tell(tally, "cwd", document.get("cwd") or as_dict(document.get("model_config")).get("cwd"))
        tell(tally, "title", document.get("title"))
        yield from add_messages(messages, session, tally)

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Model, folder, times."""
        return tally.info(session, "hermes", self.name)


def _looks(seen: Glimpse) -> int:
    top = seen.mapping or seen.first
    marks = sum(name in top for name in ("session_id", "session_start", "platform", "message_count", "last_updated"))
    return 88 if marks >= 3 and ("messages" in top or "model" in top) else 0


def _roots(environ: Mapping[str, str], home: Path) -> Sequence[Path]:
    base = environ.get("HERMES_HOME")
    return [(Path(base) if base else home / ".hermes") / "sessions"]


IMPORTER = FormatImporter("hermes", _looks, lambda stream, _state: DocumentReading(stream, HermesSession()), _roots)
