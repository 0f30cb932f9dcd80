"""What the results of calls mean: commands that passed or failed, files that were written, errors that were met."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

import msgspec

from diarist.model.entry import FileOperation
from diarist.model.session import Step
from diarist.stages.distil.actions import Act, Change
from diarist.stages.distil.commands import CHECKS, CommandLine, Program, is_script, without_own_scripts
from diarist.stages.distil.complaints import MOST, complaints, reported
from diarist.stages.distil.failures import exact_line, failure_line, fault_line, is_unflagged_failure, speaks_of_fault, window
from diarist.stages.distil.files import FileBook, is_scratch, needs_no_check
from diarist.stages.distil.ledger import Changed, Ledger, Looked, Marked, Run, Said, Trouble
from diarist.stages.distil.programs import TEST_FILE
from diarist.stages.distil.troubles import Place, TroubleBook
from diarist.stages.distil.verdict import Verdict, judge
from diarist.stages.distil.writes import reverted_by, script_targets, shell_changes, shell_reads
from diarist.text.clip import clip
from diarist.text.fingerprint import FoundError, errors_in, fingerprint
from diarist.text.lazy import lazy
from diarist.text.terminal import plain

_SHELLS = frozenset({"bash", "sh", "zsh", "fatal", "error", "(eval)"})
_ASKS = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack", "diff", "cmp", "which", "pgrep", "find", "git"})
_EMPTY = lazy(r"[(<\[]?(?:no output|empty|no content)[)>\]]?\s*\Z", re.IGNORECASE)
_LISTING = lazy(r"\s*(?:Here'?s the (?:files and )?director|total \d+\n|<directory)", re.IGNORECASE)
_ANSWER = 4_000
"""Characters looked at of what a subagent came back with."""
_MOST_SCRIPTS = 200
_CD = lazy(r"\s*cd\s+(['\"]?)([^\s'\";&|]+)\1\s*(?:&&|;|\n)")


class Pending(msgspec.Struct, gc=False):
    """A call that waits for its result."""

    step: int
    call: Step
    act: Act
    why: Said | None
    command: CommandLine | None
    is_afterwards: bool = False
    """The agent had answered; a hook or the client set this off."""


class Outputs:
    """Reads results into the ledger."""

    def __init__(self, ledger: Ledger, book: FileBook) -> None:
        self.ledger = ledger
        self.book = book
        self.troubles = TroubleBook(ledger.troubles)
        self._scripts: dict[str, tuple[str, ...]] = {}
        """By the name of a script that the run wrote: the files it opens for writing."""

    def settle(self, waiting: Pending, number: int, output: str, error: bool | None, exit_code: int | None) -> Run | Trouble | None:
        """Takes in one result (`number` -1 and no output: there was none). Returns what the agent's next words will be about."""
        act = waiting.act
        if waiting.command is not None:
            return self.run(waiting, waiting.command, number, output, error, exit_code)
        place = self._place(waiting)
        if error or exit_code not in (None, 0) or (error is None and is_unflagged_failure(act.kind, output)):
            return self._failed(waiting, place, number, output)
        self.troubles.went_well(
            number, place, f"{waiting.call.tool} {clip(act.detail if act.kind == 'other' else place.target, 300)}".strip()
        )
        if act.changes:
            self._write(act.changes, waiting)
        elif act.kind == "read" and act.paths:
            if not _LISTING.match(output[:80]):
                self.book.note(act.paths[0], "read")
        elif waiting.is_afterwards:
            return None
        elif act.kind in ("search", "web", "agent", "plan"):
            self.note_look(waiting, number, output)
        elif act.kind == "other":
            if _HANDS_OVER.search(waiting.call.tool):
                self.ledger.marks.add(Marked(waiting.step, "escalation", f"agent -> person ({waiting.call.tool})"))
            self.ledger.looked.add(
                Looked(
                    waiting.step,
                    "effect" if _has_effect(waiting.call.tool) else "call",
                    waiting.call.tool,
                    waiting.why,
                    act.detail[:300],
                    output[:300],
                    number,
                )
            )
        return None

    def note_look(self, waiting: Pending, number: int = -1, output: str = "") -> None:
        """A search, a page, a plan, a subagent's task with what it came back with."""
        act = waiting.act
        said = output[:_ANSWER] if act.kind == "agent" else ""
        self.ledger.looked.add(Looked(waiting.step, act.kind, act.about[:300], waiting.why, act.detail[:400], said, number))

    def from_person(self, number: int, text: str) -> None:
        """Errors that a person reports."""
        if not speaks_of_fault(text):
            return
        shown = window(text)
        for error in reported(shown):
            self.troubles.add(error, number, Place("person", "", "prompt"), exact_line(error, shown, text))

    def from_client(self, number: int, mark: str, text: str) -> None:
        """What ended or held up the run, as the client tells it."""
        line = failure_line(text)
        if line:
            self.troubles.add(FoundError(line, fingerprint(line), "", -1, ()), number, Place("", "", mark), line[:300])

    def run(self, waiting: Pending, command: CommandLine, number: int, output: str, error: bool | None, exit_code: int | None) -> Run:
        """One run of a command line: verdict, errors, files written."""
        written = {path.rsplit("/", 1)[-1] for program in command.programs for path in program.writes}
        is_own = self.book.is_own if not written else lambda word: word.rsplit("/", 1)[-1] in written or self.book.is_own(word)
        command = without_own_scripts(command, is_own)
        for program in command.programs:
            if is_script(program):
                self.book.note_by_hand(program.words[1:])
        text = plain(window(output)) if output and not _EMPTY.match(output[:40]) else ""
        verdict = self._verdict(command, text, exit_code, error)
        run = Run(waiting.step, number, waiting.act.command[:1_000], command, verdict.passed, verdict.line, exit_code)
        run.sources = self.ledger.sources
        run.why, run.actor, run.started = waiting.why, waiting.call.actor, verdict.started
        asked = verdict.passed is None and (command.kind == "search" or (exit_code == 1 and _compares(command)))
        broke = verdict.passed is False or not verdict.started or (not asked and (exit_code not in (None, 0) or bool(error)))
        found = self._errors_of(command, text, verdict.passed, broke=broke)
        run.errors = tuple(dict.fromkeys(problem.fingerprint for problem in found))
        place = Place(waiting.call.tool, command.key, command.kind)
        for problem in found:
            self.troubles.add(problem, number, place, exact_line(problem, text, output), run.text[:400])
        if broke or found:
            run.tail = text[-600:]
        if not (broke and found and len(command.programs) == 1):
            self._apply(waiting, command, number)
        if "<<" in waiting.act.command:
            self._note_scripts(script for program in command.programs for script in _script_of(program))
        if self._scripts and verdict.started and verdict.passed is not False and not found:
            self._apply_scripts(waiting, command)
        run.changes = self.ledger.changes
        self.ledger.runs.add(run)
        return run

    def _place(self, waiting: Pending) -> Place:
        act = waiting.act
        path = act.changes[0].path if act.changes else act.paths[0] if act.paths else ""
        kind = "read" if act.kind == "search" and path else act.kind
        return Place(waiting.call.tool, self.book.relative(path) if path else act.about[:160], kind)

    def _verdict(self, command: CommandLine, text: str, exit_code: int | None, error: bool | None) -> Verdict:
        asks = command.kind == "search" and not _ASKS.isdisjoint(program.name for program in command.programs)
        if exit_code == 1 and (asks or _compares(command)):
            error, exit_code = None, None  # "no match", "they differ": an answer, not a failure
        verdict = judge(command.kind, text, exit_code, error, exit_tells=command.exit_tells, exit_blames=command.exit_blames)
        if verdict.passed is None and verdict.started and command.seeks_faults and not text.strip() and exit_code in (None, 0, 1):
            return verdict._replace(passed=True)  # piped into a search for errors, which found none
        if verdict.missing and not self.book.has_part(verdict.missing):
            return verdict._replace(passed=None if command.is_check else False, started=False)
        return verdict

    def _apply(self, waiting: Pending, command: CommandLine, number: int) -> None:
        match = _CD.match(waiting.act.command)
        folder = match[2] if match else ""
        changes = shell_changes(command, folder)
        written = {change.path for change in changes}
        for path in (posixpath.normpath(posixpath.join(folder, path)) for path in shell_reads(command)):
            if path not in written:  # "make > out.txt; cat out.txt" shows what it made itself
                self.book.note(path, "read")
        for change in changes:
            target = self.book.relative(change.path)
            self.troubles.went_well(
                number, Place(waiting.call.tool, target, change.operation), f"{waiting.call.tool} ({_by(command)}) {target}"
            )
        self._write(changes, waiting)
        for path in reverted_by(command):
            self.book.revert(path)

    def _note_scripts(self, written: Iterable[tuple[str, str]]) -> None:
        """Paths and texts of scripts that were written: what they will write once they are run."""
        for path, text in written:
            targets = script_targets(text)
            if targets and len(self._scripts) < _MOST_SCRIPTS:
                self._scripts[path.rsplit("/", 1)[-1]] = targets

    def _apply_scripts(self, waiting: Pending, command: CommandLine) -> None:
        """What scripts of the run's own change when they are run: files of the project that were looked at before."""
        for program in command.programs:
            names = [word.rsplit("/", 1)[-1] for word in program.words[:3]] if is_script(program) else ()
            targets = dict.fromkeys(path for name in names for path in self._scripts.get(name, ()))
            self._write([Change(path, "edit") for path in targets if self.book.is_project(path)], waiting)

    def _write(self, changes: Iterable[Change], waiting: Pending) -> None:
        ledger = self.ledger
        for change in changes:
            if not waiting.act.command:
                self._note_scripts([(change.path, change.after)])
            path = self.book.note(change.path, change.operation)
            if not path:
                continue
            ledger.writes += 1
            operation: FileOperation = self.book.last_operation(path)
            number = 0
            if not needs_no_check(path) and not (is_scratch(path) or self.book.is_thrown_away(path)):
                ledger.changes += 1
                number = ledger.changes
                ledger.sources += not (TEST_FILE.search(path) and self.book.is_made(path))
            changed = Changed(waiting.step, path, operation, change.before, change.after, waiting.why, number, waiting.call.actor)
            changed.named = _naming(change.path, waiting.act)
            changed.is_exact = not waiting.act.command or change.after in waiting.act.command
            ledger.changed.add(changed)

    def _errors_of(self, command: CommandLine, output: str, passed: bool | None, *, broke: bool) -> list[FoundError]:
        if not output or (passed is True and command.is_check and not broke):
            return []
        programs = frozenset(program.name for program in command.programs) | _SHELLS
        if passed is None and not broke and command.kind in (*CHECKS, "run", "install"):
            return errors_in(output)[:MOST] or complaints(output, command.kind, programs, failed=False)
        if passed is True and command.kind == "run" and not broke:
            return []  # what a program prints and goes on from is no failure of the run
        found = complaints(output, command.kind, programs, failed=broke)
        if not found and broke and (line := fault_line(output)):
            found = [FoundError(line, fingerprint(line), "", -1, ())]
        return found

    def _failed(self, waiting: Pending, place: Place, number: int, output: str) -> Trouble | None:
        text = plain(window(output))
        line = failure_line(text)
        found = errors_in(text[:4_000])[:2] if waiting.act.kind not in ("edit", "create", "read") else []
        if not found or found[0].message.endswith(":"):
            if not line:
                return None
            found = [FoundError(line, fingerprint(line), "", -1, ())]
        last: Trouble | None = None
        for problem in found:
            last = self.troubles.add(problem, number, place, exact_line(problem, text, output))
            if last is not None:
                self.troubles.failed_at(last, place)
        return last


_HANDS_OVER = lazy(
    r"(?:transfer|hand_?(?:off|over)|escalate)\w*(?:human|person|agent|operator|support)|contact_?(?:human|support)", re.IGNORECASE
)
_READ_ONLY = lazy(
    r"(?:get|list|search|find|read|fetch|lookup|look_up|query|calculate|check|describe|show|think|count|view|is|has|goto|go_to|scroll|open|"
    r"navigate|hover|focus|wait|sleep|screenshot|take_screenshot|snapshot|press|next|previous)(?:_|[A-Z]|$)"
)


def _has_effect(tool: str) -> bool:
    """Does a tool of no known kind change something, by its name: `book_flight` does, `get_user` does not."""
    return _READ_ONLY.match(tool.rsplit("__", 1)[-1].rsplit(".", 1)[-1]) is None


def _compares(command: CommandLine) -> bool:
    """Does the last program compare two files, as `git diff --no-index` does? Its exit status says that they differ."""
    last = command.programs[-1] if command.programs else None
    return last is not None and last.name == "git" and "diff" in last.words[:4] and "--no-index" in last.words


def _script_of(program: Program) -> list[tuple[str, str]]:
    """The path and text of a script that a here-document writes."""
    return [(path, program.heredoc) for path in program.writes] if program.heredoc else []


def _naming(path: str, act: Act) -> str:
    """The exact piece of the call that names a file: the argument, or the line of the command."""
    if not act.command:
        return path
    name = path.rsplit("/", 1)[-1]
    return next((line.strip()[:300] for line in act.command.split("\n") if name in line[:300]), act.command.strip().split("\n", 1)[0][:300])


def _by(command: CommandLine) -> str:
    """How a command line writes, in a word or two."""
    names = dict.fromkeys("heredoc" if program.heredoc else program.name for program in command.programs if program.name or program.heredoc)
    return "shell heredoc" if "heredoc" in names else f"shell {next(iter(names), 'redirect')}"
