"""Plain text: whatever somebody pasted or an unknown tool wrote.

Turns (`User:`, `Assistant:` in many spellings and languages), shell prompts with their output and exit status, and
paragraphs. Without any mark the whole text is what the agent said. Headings stay in the text: sections are understood later.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from diarist.importers.adapter import FormatImporter
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.texts import TextReading
from diarist.importers.transcript_marks import Speaker, Turn, ask_mark, exit_mark, is_idle_prompt, turn_mark, typed_command
from diarist.importers.values import MadeId
from diarist.model.session import RawStep, SessionInfo
from diarist.text.lazy import lazy

MAX_MARK = 20_000
"""A longer line is no label and no command."""
_FENCE = lazy(r"\s{0,3}(?:```|~~~)")
_HEADING = lazy(r"#{1,6}\s+\S")
_PROSE = lazy(r"(?:[*_>-]\s?)?[^\W\d_a-z][^\n]{0,400}?[^\W_]\s\S")
_SENTENCE_ENDS = tuple(".!?:。！？：")
_PREAMBLE = 2000
"""Longer text before the first turn is no preamble."""
_ASKED_WITHIN = 60
"""Lines from the top in which a text without turns may say what the task was."""
_PIECE = 6000
"""Longer stretches of text without a mark are cut at a paragraph."""


class PlainText:
    """The one session of a text."""

    def steps(self, text: str, opening: MadeId, ledger: Ledger) -> Iterator[RawStep]:
        """Turns, commands, paragraphs. A command and its output count as one record."""
        yield from split_counted(text, opening, ledger.open(opening))

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Nothing is told about a text but its words."""
        return tally.info(session, "plain", "plain/text")


def split_counted(text: str, session: str, tally: Tally) -> Iterator[RawStep]:
    """The steps of a text, counted on the way. A command and its output are one record."""
    for step in TextSplitter(session).split(text):
        if step.kind == "call":
            tally.call(step.call_id)
        if step.kind == "result" and step.call_id:
            tally.result(step.call_id)
        else:
            tally.keep()
        yield step


class TextSplitter:
    """Cuts a text into steps."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._speaker: Speaker | None = None
        self._lines: list[str] = []
        self._started = 0
        self._number = 0
        self._call = ""
        """Id of the command whose output is being read."""
        self._fenced = False
        self._labels = False
        """The text has labels that only transcripts have."""
        self._ask: Literal["", "line", "heading"] = ""
        """Under which mark the text is saying what the task was: up to the next blank line, or to the next heading."""
        self._told = False
        """A turn, a command or what was asked has come."""
        self._dollars = False
        """Commands stand behind "$": other prompts in the text are something else."""
        self._size = 0
        self._status_follows: list[bool] = []

    def split(self, text: str) -> Iterator[RawStep]:
        """The steps of a text, in order."""
        lines = text.split("\n")
        self._labels = any(mark.clear for line in lines if len(line) < MAX_MARK and (mark := turn_mark(line)))
        self._dollars = any(typed.sign == "$" for line in lines if len(line) < MAX_MARK and (typed := typed_command(line, True)))
        self._status_follows = []
        for number, line in enumerate(lines):
            yield from self._line(line, number, lines)
        yield from self._close()

    def _line(self, line: str, number: int, lines: list[str]) -> Iterator[RawStep]:
        if _FENCE.match(line):
            self._fenced = not self._fenced
            if self._call:
                yield from self._close()
                return
        if self._ask and self._lines and (not line.strip() if self._ask == "line" else _HEADING.match(line)):
            yield from self._close()
        mark = self._turn(line) or self._asked(line, number)
        if mark is not None:
            yield from self._close(before=mark.speaker)
            self._speaker, self._started, self._fenced = mark.speaker, number, False
            line = mark.rest
        typed = typed_command(line, self._fenced) if len(line) < MAX_MARK else None
        if typed is not None and (typed.sign == "$" or not self._dollars):
            yield from self._close()
            yield from self._open_command(typed.command, number)
            return
        if self._call and is_idle_prompt(line):
            yield from self._close()
            return
        status = exit_mark(line) if self._call else None
        if status is not None:
            yield from self._close(status)
            return
        if self._ends_output(line, number, lines) or self._ends_piece(line):
            yield from self._close()
        if not self._lines:
            self._started = number
        self._lines.append(line)
        self._size += len(line)

    def _turn(self, line: str) -> Turn | None:
        if self._fenced or len(line) > MAX_MARK:
            return None
        mark = turn_mark(line)
        return mark if mark is not None and (mark.clear or self._labels) and not (self._call and not mark.clear) else None

    def _asked(self, line: str, number: int) -> Turn | None:
        """Where a text without turns says what the task was: its first mark of that kind, near the top."""
        if self._told or self._labels or self._fenced or number >= _ASKED_WITHIN or len(line) > MAX_MARK:
            return None
        ask = ask_mark(line)
        if ask is None:
            return None
        self._ask = "heading" if ask.is_heading or not ask.rest else "line"
        return Turn("user", ask.rest, True)

    def _open_command(self, command: str, number: int) -> Iterator[RawStep]:
        self._told = True
        draft = self._draft(number)
        draft.call(0, "bash", {"command": command}, f"{draft.rid}/0")
        self._call = f"{draft.rid}/0"
        yield from draft.steps

    def _ends_output(self, line: str, number: int, lines: list[str]) -> bool:
        """Is this line no longer the command's output? Output has blank lines too, so what comes after one decides."""
        if not self._call or self._fenced or (number and lines[number - 1].strip()):
            return bool(self._call and not self._fenced and _HEADING.match(line))
        return bool(line.strip()) and (_is_prose(line) or bool(_HEADING.match(line))) and not self._exit_follows(number, lines)

    def _exit_follows(self, number: int, lines: list[str]) -> bool:
        """Does an exit status come before the next turn or command?"""
        if not self._status_follows:
            follows = False
            for line in reversed(lines):
                if exit_mark(line) is not None:
                    follows = True
                elif len(line) < MAX_MARK and (turn_mark(line) or typed_command(line, False)):
                    follows = False
                self._status_follows.append(follows)
            self._status_follows.reverse()
        return self._status_follows[number]

    def _ends_piece(self, line: str) -> bool:
        """Text without marks is cut at headings, and at paragraphs once it is long."""
        if self._call or self._fenced or not self._lines or self._speaker in ("user", "tool"):
            return False
        if _HEADING.match(line):
            return self._size > 0 and any(each.strip() for each in self._lines)
        return self._size > _PIECE and not self._lines[-1].strip()

    def _close(self, status: int | None = None, before: Speaker | None = None) -> Iterator[RawStep]:
        """Ends the piece that was being read. `before`: whose turn follows."""
        text = "\n".join(self._lines).strip("\n")
        self._lines, self._size = [], 0
        if self._call:
            call, self._call = self._call, ""
            draft = Draft(self._session, call.removesuffix("/0"), line=self._started + 1)
            error = None if status is None else status != 0
            draft.result(1, text, call, error=error, exit_code=status)
            yield from draft.steps
        elif text.strip():
            draft = self._draft(self._started)
            if self._speaker == "user":
                draft.user(0, text.strip())
            elif self._speaker == "tool":
                draft.result(0, text, "")
            elif self._speaker == "system" or (before is not None and not self._told and len(text) <= _PREAMBLE):
                draft.add("notice", 0, text.strip(), "machine")
            else:
                draft.reply(0, text.strip())
            yield from draft.steps
        if self._ask and self._speaker == "user" and text.strip():
            self._speaker, self._ask = None, ""
        self._told = self._told or before is not None

    def _draft(self, number: int) -> Draft:
        self._number += 1
        return Draft(self._session, f"#{self._number}", line=number + 1)


def _is_prose(line: str) -> bool:
    return _PROSE.match(line) is not None and line.rstrip("*").endswith(_SENTENCE_ENDS)


def _looks(seen: Glimpse) -> int:
    """Any text will do, but only if nothing else knows it. JSON that nothing knows is no text."""
    head = seen.text[:4096]
    if not head.strip() or seen.is_json:
        return 0
    odd = sum(1 for char in head if char == "\ufffd" or (char < " " and char not in "\t\n\r\x1b\x08\x0c"))
    return 1 if odd <= len(head) // 50 else 0


IMPORTER = FormatImporter("plain", _looks, lambda stream, _state: TextReading(stream, PlainText()))
