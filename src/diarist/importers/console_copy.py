"""What somebody copied from the screen of a terminal agent: Claude Code (`⏺`, `⎿`) and the Gemini family (`✦`, boxes).

Output is shortened by the client and there are no times or ids. Text that stands outside the client's own marks is the
shell's, or a remark the person added to the copy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from diarist.importers.adapter import FormatImporter
from diarist.importers.console_marks import CLOSED, Call, Mark, classify, is_closing, parse_call, unframe, without_description
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.switches import model_change
from diarist.importers.texts import TextReading
from diarist.importers.values import MadeId, text_id
from diarist.model.session import Mark as StepMark
from diarist.model.session import RawStep, SessionInfo

_CWD = re.compile(r"cwd: (\S+)")
_MODEL = re.compile(r"\b((?:gemini|claude|gpt|qwen|grok|o\d)-[\w.-]{0,40}\d[\w.-]{0,40})")
_SWITCH = re.compile(r"switching from (\S+) to (\S+?)[.,]?(?:\s|$)", re.IGNORECASE)
_STOPPED = re.compile(r"\bkill(?:ed|ing)?\b|\bctrl[-+ ]?c\b|\^C\b|\baborted\b|\binterrupted\b", re.IGNORECASE)
_REFUSED = ("User rejected", "No (tell Claude what to do differently", "Rejected by user", "User declined")
_INTERRUPTED = "Interrupted by user"
_FAILURE = ("Error:", "Error editing", "× ", "✗ ")
_EXIT = re.compile(r"^[ \t]*(?:Exit Code|Exit code|exit code):? (-?\d{1,9})[ \t]*$", re.MULTILINE)
_TITLE = re.compile(r"[A-Z]\w*(?: [A-Z]\w*){0,3}[ \t]*\Z")
"""A tool that is shown without arguments."""
_MARKED = re.compile(r"\A\s*[⏺●✦⎿]\s*")
_EMPTY = frozenset(("(No content)", "(no content)", "(No output)", "Waiting…", "Running…"))


class _Stretch(NamedTuple):
    """Lines that belong together, by the mark that begins them."""

    mark: Mark
    begin: int
    lines: list[str]

    def text(self) -> str:
        """The words without the screen's marks and indents."""
        if self.mark == "prompt":
            return "\n".join([re.sub(r"\A\s?[>❯]\s?", "", self.lines[0]), *(line.strip() for line in self.lines[1:])]).strip()
        if self.mark in ("agent", "result"):
            width = 5 if self.mark == "result" else 2
            return "\n".join(_MARKED.sub("", line) if _MARKED.match(line) else _dedented(line, width) for line in self.lines).strip()
        return "\n".join(self.lines).strip()


class ConsoleCopy:
    """The one session of a copy."""

    def __init__(self) -> None:
        self._agent = "console-copy"
        self._number = 0
        self._call = ""
        self._asked = False
        """The person spoke last, so that what is shown as a result is the client's answer to a command of its own."""

    def steps(self, text: str, opening: MadeId, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of the copy, in order."""
        self._agent = "claude-code" if "⏺" in text else "gemini-cli" if "✦" in text else self._agent
        first = text.find("\n> ")
        session = (text_id(text[first : first + 2000]) if first >= 0 else opening).within("console:")
        tally = ledger.open(session)
        lines = text.split("\n")
        stretches = list(_stretches(lines))
        for stretch, following in pairwise([*stretches, None]):
            if stretch is None:
                break
            self._number += 1
            draft = Draft(session, f"#{self._number}", line=stretch.begin + 1)
            self._take(draft, stretch, following is not None and following.mark == "result", tally)
            self._asked = stretch.mark == "prompt"
            if draft.steps:
                tally.keep()
            else:
                tally.skip("screen")
            yield from draft.steps

    def _take(self, draft: Draft, stretch: _Stretch, answered: bool, tally: Tally) -> None:
        """Steps of one stretch. `answered`: a result follows it."""
        mark, text = stretch.mark, stretch.text()
        if mark == "prompt":
            self._call = ""
            draft.user(0, text)
        elif mark == "agent":
            self._agent_line(draft, text, answered, tally)
        elif mark == "result":
            self._result(draft, text, tally)
        elif mark == "thought":
            draft.thought(0, text.partition("\n")[2].strip())
        elif mark == "box":
            self._box(draft, stretch.lines, tally)
        elif mark == "client":
            self._client(draft, text)
        else:
            self._outside(draft, text, tally)

    def _agent_line(self, draft: Draft, text: str, answered: bool, tally: Tally) -> None:
        call = parse_call(text)
        if call is None and answered and _TITLE.match(text):
            call = Call(text.strip(), {})
        if call is not None:
            self._open(draft, call.tool, call.arguments, tally)
        elif answered and text.startswith(_REFUSED):
            draft.add("notice", 0, text, "refusal")
        else:
            draft.reply(0, text)

    def _open(self, draft: Draft, tool: str, arguments: dict[str, str], tally: Tally) -> None:
        self._call = f"{draft.rid}/call"
        tally.call(self._call)
        draft.call("call", tool, dict(arguments), self._call)

    def _result(self, draft: Draft, text: str, tally: Tally) -> None:
        text = text.strip("\n")
        plain = "" if text.strip() in _EMPTY else text
        mark: StepMark = "refusal" if plain.startswith(_REFUSED) else "interrupt" if plain.startswith(_INTERRUPTED) else ""
        nested = None if mark else parse_call(plain)
        if nested is not None:
            tally.call(f"{draft.rid}/call")
            draft.call("call", nested.tool, dict(nested.arguments), f"{draft.rid}/call")
            return
        if not self._call and (mark == "interrupt" or self._asked):
            if plain:
                draft.add("notice", 0, plain, mark or "machine")
            return
        if self._call:
            tally.result(self._call)
        status = _EXIT.search(plain)
        code = int(status[1]) if status else None
        failed = True if plain.startswith(_FAILURE) or mark else (None if code is None else code != 0)
        draft.result(0, plain.removeprefix("Error: ") if not mark else plain, self._call, error=failed, exit_code=code, mark=mark)
        self._call = ""

    def _box(self, draft: Draft, lines: list[str], tally: Tally) -> None:
        """A framed tool of the Gemini family: its state, name and arguments, then what it gave."""
        inner = [unframe(line) for line in lines if not CLOSED.match(line)]
        while inner and not inner[0].strip():
            del inner[0]
        found = re.match(r"\s*([✔✓x✗✕✖⊷⊶o?-])\s{1,3}([A-Z]\w*|\w+)(?: (.*))?\Z", inner[0]) if inner else None
        if found is None:
            return
        state, tool, rest = found[1], found[2], (found[3] or "").strip()
        shell = tool in ("Shell", "RunShellCommand")
        command = without_description(rest) if shell else rest
        self._open(draft, tool, {"command" if shell else "path": command} if command else {}, tally)
        output = "\n".join(line.removeprefix("   ") for line in inner[1:]).strip("\n")
        status = _EXIT.search(output)
        code = int(status[1]) if status else None
        if state in "⊷⊶o?":
            return
        tally.result(self._call)
        failed = code != 0 if code is not None else True if state in "x✗✕✖" else None
        draft.result(0, output, self._call, error=failed, exit_code=code, mark="refusal" if state == "-" else "")
        self._call = ""

    def _client(self, draft: Draft, text: str) -> None:
        body = text[1:].strip()
        if "cancelled" in body.lower():
            draft.add("notice", 0, body, "interrupt")
        elif "API Error" in body or "api error" in body.lower():
            draft.add("notice", 0, body, "api-error")
        elif switched := _SWITCH.search(body):
            draft.add("notice", 0, f"{switched[1]} -> {switched[2]}", model_change(switched[1], switched[2]))
        elif body:
            draft.add("notice", 0, body, "machine")

    @staticmethod
    def _outside(draft: Draft, text: str, tally: Tally) -> None:
        for name, pattern in (("cwd", _CWD), ("model", _MODEL)):
            found = pattern.search(text)
            if found:
                tally.facts.tell(name, found[1], 0)
        words = "\n".join(line for line in text.split("\n") if re.match(r"\w|!!!", line)).strip()
        if len(words.split()) > 5:
            draft.add("notice", 0, words, "interrupt" if _STOPPED.search(words) else "machine")

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Folder and models that the screen showed."""
        return tally.info(session, self._agent, "console-copy/text")


def _stretches(lines: list[str]) -> Iterator[_Stretch]:
    """What the screen shows, piece by piece, blank ones left out. A result that is shown in several pieces is one."""
    held: _Stretch | None = None
    held_alone = True
    begin = 0
    while begin < len(lines):
        mark = classify(lines[begin])
        end = _end(lines, begin, mark)
        stretch = _Stretch(mark, begin, lines[begin:end])
        begin = end
        if not any(line.strip() for line in stretch.lines):
            continue
        alone = mark != "result" or _stands_alone(stretch.text())
        if held is not None and not (alone or held_alone):
            held.lines.extend(stretch.lines)
            continue
        if held is not None:
            yield held
        held, held_alone = stretch, alone
    if held is not None:
        yield held


def _stands_alone(text: str) -> bool:
    """True for what is shown as a result and is none: a subagent's call, an interruption, a refusal."""
    return text.startswith((*_REFUSED, _INTERRUPTED)) or parse_call(text) is not None


def _end(lines: list[str], begin: int, mark: Mark) -> int:
    """Where the stretch that begins here ends: at the next line with a mark, or at the frame's end."""
    end = begin + 1
    while end < len(lines):
        if mark == "box":
            if is_closing(lines[end]):
                return end + 1
            if not lines[end].lstrip().startswith("│"):
                return end
        else:
            following = classify(lines[end])
            if following != "outside" or (mark != "outside" and _is_outside(lines[end])):
                return end
        end += 1
    return end


def _dedented(line: str, width: int) -> str:
    return line.lstrip() if line[:width].strip() else line[width:]


def _is_outside(line: str) -> bool:
    """Continuation lines are indented; a rule or a line of words at the left edge is no part of the stretch before it."""
    return line.startswith(("---", "!!!")) or bool(re.match(r"[A-Za-z~/][^│]*\S", line))


def _looks(seen: Glimpse) -> int:
    text = "" if seen.is_json else seen.text
    claude = sum(text.count(mark) for mark in ("\n⏺ ", "\n  ⎿", "\n● "))
    gemini = sum(text.count(mark) for mark in ("\n✦ ", "\n │ ✔", "\n╭─"))
    if claude + gemini >= 3 and "\n> " in text:
        return 80
    return 60 if claude + gemini >= 2 else 0


IMPORTER = FormatImporter("console-copy", _looks, lambda stream, _state: TextReading(stream, ConsoleCopy()))
