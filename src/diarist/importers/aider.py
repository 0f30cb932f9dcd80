"""Aider's `.aider.chat.history.md`: one file per repository, to which every session is appended.

`# aider chat started at …` begins a session, `#### ` is what the person typed, `> ` what aider says, the rest is the model.
Times are local without a zone; they are taken as UTC. What `/run`, `/test` and `/lint` give back counts as a tool's output.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from diarist.importers.adapter import FormatImporter
from diarist.importers.aider_output import Edit, OutputReader, Turn
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.texts import TextReading
from diarist.importers.values import MadeId, as_time, text_id
from diarist.model.session import RawStep, SessionInfo

_START = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*\Z")
_SEARCH = re.compile(r"<{5,9} SEARCH")
_DIVIDER = re.compile(r"={5,9}[ \t]*\Z")
_REPLACE = re.compile(r">{5,9} REPLACE")
_RUNS = ("/run", "/test", "/lint", "/git", "!")
_TALK = ("/ask", "/code", "/architect", "/context")
APPLIED = "the edits of the last reply were applied"
_ANSWERED = ("Cost: $", "[Y", "(y")
_SETTINGS = ("> Command Line Args:", "> Environment Variables:", "> Config File (", "> Defaults:", "> Option settings:")
"""After one of these aider lists its settings over many lines, of which only the first has its mark."""
_OUTPUT_ENDS = ("> Add the output to the chat?", "> Add command output to the chat?")


class AiderHistory:
    """The sessions of one history file."""

    def __init__(self) -> None:
        self._names: Counter[str] = Counter()

    def steps(self, text: str, _opening: MadeId, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of all sessions, in file order."""
        lines = text.split("\n")
        starts = [number for number, line in enumerate(lines) if line.startswith("# aider chat started") and _START.match(line)]
        for begin, end in pairwise([0, *starts, len(lines)]):
            if any(line.strip() for line in lines[begin:end]):
                yield from self._session(lines[begin:end], begin, ledger)

    def _session(self, lines: list[str], first: int, ledger: Ledger) -> Iterator[RawStep]:
        started = _START.match(lines[0])
        asked = _asked_id(lines)
        name = asked.within(f"{started[1] if started else 'before'} ")
        self._names[name] += 1
        if self._names[name] > 1:
            name = asked.within(f"{started[1] if started else 'before'} ", f" #{self._names[name]}")
        tally = ledger.open(name)
        if started:
            tally.moment(as_time(started[1]))
        yield from _SessionReader(name, tally, first).read(lines[1:] if started else lines, 1 if started else 0)

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Start, version, models, usage."""
        return tally.info(session, "aider", "aider/history")


def _asked_id(lines: list[str]) -> MadeId:
    """Tells sessions that began in the same second apart: by their first prompt, or by all there is where nobody asked anything."""
    asked = [line for line in lines if line.startswith("####")][:3]
    return text_id("\n".join(asked or lines[:12]), 8)


class _SessionReader:
    """Reads the lines of one session."""

    def __init__(self, session: str, tally: Tally, first: int) -> None:
        self._session = session
        self._tally = tally
        self._first = first
        self._edits: list[Edit] = []
        self._turn = Turn()
        self._command = ""
        """Id of the person's command whose output is being read."""
        self._asked = ""
        """What a talk command asked: some versions write it down once more."""
        self._at = as_time(session[:19])

    def read(self, lines: list[str], skipped: int) -> Iterator[RawStep]:
        """Steps of the session."""
        begin = 0
        while begin < len(lines):
            kind = _kind(lines[begin])
            end = self._stretch(lines, begin, kind)
            draft = Draft(self._session, f"l{begin + skipped}", self._at if not begin else None, self._first + skipped + begin + 1)
            kept = self._take(draft, kind, lines[begin:end])
            if kept:
                self._tally.keep()
            elif any(line.strip() for line in lines[begin:end]):
                self._tally.skip("state")
            yield from draft.steps
            begin = end
        if self._turn.applied and not self._turn.is_open:  # written down behind the reply that they belong to
            draft = Draft(self._session, "end", None, self._first + skipped + begin)
            draft.add("notice", 0, APPLIED, "end")
            yield from draft.steps

    def _stretch(self, lines: list[str], begin: int, kind: str) -> int:
        """Where the stretch of one speaker ends. A command's output goes on until aider asks what to do with it."""
        end = begin + 1
        if self._command:
            while end < len(lines) and not lines[end].startswith(("#### ", *_OUTPUT_ENDS)):
                end += 1
            return end
        if kind != "aider":
            while end < len(lines) and _kind(lines[end]) == kind:
                end += 1
            return end
        lists = lines[begin].startswith(_SETTINGS)
        while end < len(lines) and (lines[end].startswith(_ANSWERED) or _kind(lines[end]) in (("aider", "model") if lists else ("aider",))):
            if _kind(lines[end]) == "aider":
                lists = lines[end].startswith(_SETTINGS)
            end += 1
        return end

    def _take(self, draft: Draft, kind: str, lines: list[str]) -> bool:
        if self._command and kind != "person":
            call_id, self._command = self._command, ""
            self._tally.result(call_id)
            draft.result(0, "\n".join(_unquoted(line) for line in lines).strip("\n"), call_id)
            return True
        self._command = ""
        if kind == "person":
            return self._person(draft, "\n".join(line[4:].removeprefix(" ").rstrip() for line in lines).strip())
        if kind == "aider":
            return OutputReader(draft, self._tally, self._edits, self._turn).read([_unquoted(line) for line in lines])
        self._edits = _edits(lines)
        draft.reply(0, "\n".join(lines).strip())
        if draft.steps:
            self._turn.is_open, self._turn.applied = True, False
        return bool(draft.steps)

    def _person(self, draft: Draft, text: str) -> bool:
        word, _, rest = text.partition(" ")
        if self._asked and text == self._asked:
            self._asked = ""
            return False
        self._asked = rest.strip() if word in _TALK else ""
        self._turn.is_open = self._turn.is_open or word in _TALK or not text.startswith(("/", "!"))
        if word in _TALK:
            draft.user(0, rest.strip())
        elif text.startswith(("/", "!")):
            draft.add("notice", 0, text, "clear" if word in ("/clear", "/reset") else "command")
            if word in _RUNS or text.startswith("!"):
                command = rest.strip() if word.startswith("/") else text[1:].strip()
                command = f"git {command}" if word == "/git" else command or word[1:]
                self._command = f"{draft.rid}/1"
                self._tally.call(self._command)
                draft.call(1, word.lstrip("/!") or "run", {"command": command}, self._command)
        else:
            draft.user(0, text)
        self._turn.applied = self._turn.applied and all(step.kind == "notice" for step in draft.steps)  # "/exit" asks for nothing
        return bool(draft.steps)


def _kind(line: str) -> str:
    if line.startswith("####"):
        return "person"
    return "aider" if line.startswith(">") and not line.startswith(">>>>") else "model"


def _unquoted(line: str) -> str:
    return line[1:].removeprefix(" ").rstrip() if line.startswith(">") else line.rstrip()


def _edits(lines: list[str]) -> list[Edit]:
    """The search-and-replace blocks of a reply; the file stands in the line above the fence."""
    found: list[Edit] = []
    begin = middle = -1
    for number, line in enumerate(lines):
        if line[:1] not in ("<", "=", ">"):
            continue
        if _SEARCH.match(line):
            begin, middle = number, -1
        elif begin >= 0 and middle < 0 and _DIVIDER.match(line):
            middle = number
        elif middle >= 0 and _REPLACE.match(line):
            path = _path_above(lines, begin) or (found[-1].path if found else "")
            found.append(Edit(path, "\n".join(lines[begin + 1 : middle]), "\n".join(lines[middle + 1 : number])))
            begin = middle = -1
    return found


def _path_above(lines: list[str], begin: int) -> str:
    above = [line.strip() for line in lines[max(0, begin - 8) : begin] if line.strip()]
    names = [line for line in above[-2:] if not line.startswith(("```", "<", "~~~"))]
    return names[-1].strip("`*: ") if names else ""


def _looks(seen: Glimpse) -> int:
    if seen.is_json:
        return 0
    if seen.text.startswith("# aider chat started at ") or "\n# aider chat started at " in seen.text:
        return 95
    marks = sum(mark in seen.text for mark in ("\n> Applied edit to ", "\n> Tokens: ", "\n> Aider v", "\n> Repo-map: ", "\n#### /"))
    return 80 if marks >= 2 else 0


IMPORTER = FormatImporter("aider", _looks, lambda stream, _state: TextReading(stream, AiderHistory()))
