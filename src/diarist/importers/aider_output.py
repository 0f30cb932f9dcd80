"""What aider itself writes into its history, in lines that begin with `> `: usage, edits, lint runs, commands, failures."""

from __future__ import annotations

import re
from typing import NamedTuple

from diarist.importers.draft import Draft
from diarist.importers.ledger import Tally, Tokens
from diarist.text.lazy import lazy

_TOKENS = lazy(
    r"Tokens: ([\d.,]+)([kM]?) sent, (?:([\d.,]+)([kM]?) cache write, )?(?:([\d.,]+)([kM]?) cache hit, )?([\d.,]+)([kM]?) received"
)
_COST = lazy(r"Cost: \$([\d.,]+) (?:message|request|send)")
_VERSION = lazy(r"Aider v([\d.]+\S*)")
_MODEL = lazy(r"(?:Main model|Models?): (\S+?)⚡? with ")
_RUNNING = lazy(r"## Running: (.+)")
_STATUS = lazy(r"- exit code: (\d{1,3})")
_EXITED = lazy(r"Command '(.*)' exited with status (-?\d{1,9})\Z")
_ASKED = lazy(r"Run shell commands?(?:\(s\))?\? .*?\b([yn])\w*\s*\Z", re.IGNORECASE)
_SERVICE = lazy(r"(?:litellm|openai|anthropic)\.\S*(?:Error|Exception)|Unexpected error: |Retrying in \d|The API provider")
_GOES_ON = lazy(r"Attempt to fix .*\by\w*\s*\Z", re.IGNORECASE)
"""The person lets the model have another try."""
_LIMITS = ("has hit a token limit!", "reflections allowed, stopping")


class Edit(NamedTuple):
    """A search-and-replace block of a reply."""

    path: str
    before: str
    after: str


class Turn:
    """`is_open`: the model still has to answer, or to answer again. `applied`: the last thing is that its edits were made."""

    def __init__(self) -> None:
        self.is_open = False
        self.applied = False


class OutputReader:
    """Reads one block of aider's lines. `edits`: the blocks of the reply before it, used up as they are applied."""

    def __init__(self, draft: Draft, tally: Tally, edits: list[Edit], turn: Turn) -> None:
        self._draft = draft
        self._tally = tally
        self._edits = edits
        self._turn = turn
        self._is_leaving = False
        """The person was told to press ^C once more to leave."""
        self._number = 0
        self._facts = False

    def read(self, lines: list[str]) -> bool:
        """Adds the steps of a block; True if it told anything."""
        at = 0
        while at < len(lines):
            line = lines[at]
            if line.startswith("# Fix any errors below"):
                at = self._lint(lines, at + 1)
            elif line.startswith("The LLM did not conform to the edit format"):
                at = self._failed_edit(lines, at)
            elif line.startswith("Running ") and (at == 0 or _ASKED.match(lines[at - 1]) or lines[at - 1].startswith("Running ")):
                at = self._command(lines, at)
            else:
                self._line(line, lines, at)
                at += 1
        return bool(self._draft.steps) or self._facts

    def _line(self, line: str, lines: list[str], at: int) -> None:
        asked = _ASKED.match(line)
        if line.startswith(("Tokens: ", "Cost: ")):
            self._usage(line)
            self._turn.is_open = False
        elif line.startswith("Applied edit to "):
            self._edit(line.removeprefix("Applied edit to ").strip(), "", failed=False)
        elif asked and asked[1].lower() == "n" and at:
            self._pair("bash", {"command": lines[at - 1]}, line, declined=True)
        elif line.startswith("^C again to exit"):
            self._is_leaving = True
        elif line.startswith("^C KeyboardInterrupt"):
            # Left at the prompt, when all was answered, or stopped while the model was at work.
            self._draft.add("notice", self._next(), line, "end" if self._is_leaving and not self._turn.is_open else "interrupt")
        elif any(mark in line for mark in _LIMITS):
            self._draft.add("notice", self._next(), line, "limit")
        elif _SERVICE.search(line[:300]):
            self._draft.add("notice", self._next(), line, "api-error")
        elif re.match(r"Commit [0-9a-f]{7,40} ", line):
            self._draft.add("notice", self._next(), line, "machine")
        elif _GOES_ON.match(line):
            self._turn.is_open = True
        else:
            self._header(line)

    def _header(self, line: str) -> None:
        for name, pattern in (("version", _VERSION), ("model", _MODEL)):
            found = pattern.match(line)
            if found:
                self._tally.facts.tell(name, found[1], 0)
                self._facts = True

    def _usage(self, line: str) -> None:
        found = _TOKENS.match(line)
        if found:
            sent, written, hit, received = (_count(found[group], found[group + 1]) for group in (1, 3, 5, 7))
            self._tally.use("", Tokens(input=sent, output=received, cache_read=hit, cache_write=written))
        cost = _COST.search(line)
        if cost:
            self._tally.spend(float(cost[1].replace(",", "")) if cost[1].count(".") < 2 else None)
        self._facts = True

    def _lint(self, lines: list[str], at: int) -> int:
        """A check that aider ran after an edit. It is only written down when it found something."""
        end = next(
            (number for number in range(at, len(lines)) if lines[number].startswith(("Attempt to fix", "Tokens: ", "Commit "))), len(lines)
        )
        text = "\n".join(lines[at:end]).strip()
        command = _RUNNING.search(text)
        status = _STATUS.search(text)
        code = int(status[1]) if status else None
        self._pair("lint", {"command": command[1].strip() if command else "lint"}, text, failed=True, code=code)
        return end

    def _command(self, lines: list[str], at: int) -> int:
        command = lines[at].removeprefix("Running ").strip()
        end = at + 1
        exited = None
        while end < len(lines):
            exited = _EXITED.match(lines[end])
            if exited or _ASKED.match(lines[end]) or lines[end].startswith("Running "):
                break
            end += 1
        code = int(exited[2]) if exited else None
        output = lines[at + 1 : end + 1 if exited else end]
        self._pair("bash", {"command": command}, "\n".join(output), failed=None if code is None else code != 0, code=code)
        return end + 1 if exited else end

    def _failed_edit(self, lines: list[str], at: int) -> int:
        end = next((number for number in range(at, len(lines)) if lines[number].startswith(("Only ", "Tokens: ", "^C"))), len(lines))
        text = "\n".join(lines[at:end]).strip()
        self._turn.is_open = True  # the model is told, and answers again
        named = re.search(r"failed to (?:exactly )?match lines in (\S+)", text)
        self._edit(named[1] if named else (self._edits[0].path if self._edits else ""), text, failed=True)
        return end

    def _edit(self, path: str, text: str, *, failed: bool) -> None:
        """An edit that aider applied, or could not apply, with the reply's blocks for that file."""
        own = [edit for edit in self._edits if edit.path == path or path.endswith("/" + edit.path)]
        self._edits[:] = [edit for edit in self._edits if edit not in own]
        arguments: dict[str, object] = {"path": path}
        if len(own) == 1:
            arguments |= {"old_string": own[0].before, "new_string": own[0].after}
        elif own:
            arguments["edits"] = [{"old_string": edit.before, "new_string": edit.after} for edit in own]
        self._pair("edit", arguments, text, failed=failed)

    def _pair(
        self,
        tool: str,
        arguments: dict[str, object],
        text: str,
        *,
        failed: bool | None = None,
        code: int | None = None,
        declined: bool = False,
    ) -> None:
        part = self._next()
        call_id = f"{self._draft.rid}/{part}"
        self._tally.call(call_id)
        self._tally.result(call_id)
        self._turn.applied = tool == "edit" and not failed
        self._draft.call(part, tool, arguments, call_id)
        self._draft.result(f"{part}.result", text, call_id, error=failed, exit_code=code, mark="refusal" if declined else "")

    def _next(self) -> int:
        self._number += 1
        return self._number - 1


def _count(number: str | None, unit: str | None) -> int:
    if not number:
        return 0
    try:
        value = float(number.replace(",", ""))
    except ValueError:
        return 0
    return round(value * {"k": 1000, "M": 1_000_000}.get(unit or "", 1))
