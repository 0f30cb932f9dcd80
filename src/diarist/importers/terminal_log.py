"""Recorded terminals: asciicasts (versions 1 to 3) and raw logs, as Terminal-Bench keeps them beside its runs.

What a screen shows is all there is. Shell prompts with user and host are commands, what stands below them is their output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import BinaryIO

from diarist.importers.adapter import FormatImporter
from diarist.importers.documents import decode_document
from diarist.importers.encodings import as_utf8, peek
from diarist.importers.glimpse import Glimpse
from diarist.importers.glued import decode_lines
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.plain import split_counted
from diarist.importers.texts import TextReading
from diarist.importers.values import MadeId, as_dict, as_list, as_str, as_time
from diarist.model.session import RawStep, SessionInfo
from diarist.text.lazy import lazy
from diarist.text.terminal import plain

_PROMPT = lazy(r"^(?:\([\w.-]+\) )?[\w.-]+@[\w.-]+:[^\s#$]{1,200} ?[#$] \S", re.MULTILINE)
_CAST_LINE = lazy(r"\[\s*\d+(?:\.\d+)?(?:e-?\d+)?,\s*\"[oim]\",")


class TerminalLog:
    """The one recording of a file."""

    name = "terminal-log/text"

    def __init__(self) -> None:
        self.started: datetime | None = None

    def steps(self, text: str, opening: MadeId, ledger: Ledger) -> Iterator[RawStep]:
        """Commands, output, and words around them."""
        tally = ledger.open(opening)
        tally.moment(self.started)
        yield from split_counted(text, opening, tally)

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Nothing is told but when it began."""
        return tally.info(session, "terminal-log", self.name)


class CastReading(TextReading):
    """A `Reading` of an asciicast: the text that was printed, put together again."""

    def __init__(self, stream: BinaryIO) -> None:
        self._log = TerminalLog()
        super().__init__(stream, self._log)

    def decode(self, data: bytes) -> str:
        """The printed text."""
        document = as_dict(decode_document(data))
        events = as_list(document.get("stdout"))
        values = [] if events else list(decode_lines(data))
        header = as_dict(values[0]) if values else document
        self._log.started = as_time(header.get("timestamp"))
        printed = [event[1] for event in events if isinstance(event, list) and len(event) > 1]
        printed += [event[2] for event in values if isinstance(event, list) and len(event) > 2 and event[1] == "o"]
        return plain("".join(as_str(part) for part in printed))


def _looks(seen: Glimpse) -> int:
    header = seen.first
    recorded = "stdout" in header or _CAST_LINE.search(seen.text)
    if header.get("version") in (1, 2, 3) and ("width" in header or "term" in header) and recorded:
        return 92
    if seen.is_json:
        return 0
    prompts = len(_PROMPT.findall(plain(seen.text)))
    return 60 if prompts >= 2 and "\x1b" in seen.text else 30 if prompts >= 3 else 0


def _open(stream: BinaryIO, _state: bytes) -> TextReading:
    head = as_utf8(peek(stream, 4096)).lstrip()
    return CastReading(stream) if head.startswith(b"{") else TextReading(stream, TerminalLog())


IMPORTER = FormatImporter("terminal-log", _looks, _open)
