"""The one pass over a session's steps: pairs calls with results, understands both, fills the ledger."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from diarist.model.entry import FileOperation
from diarist.model.session import Step
from diarist.stages.distil.actions import Act, Change, understand_call
from diarist.stages.distil.bullets import Bullet
from diarist.stages.distil.commands import CHECKS, CommandLine, understand
from diarist.stages.distil.complaints import MOST, complaints
from diarist.stages.distil.failures import exact_line, failure_line, is_unflagged_failure, window
from diarist.stages.distil.files import FileBook, is_scratch, needs_no_check
from diarist.stages.distil.ledger import Asked, Changed, Ledger, Looked, Marked, Refused, Run, Said, Trouble
from diarist.stages.distil.sections import parse_sections
from diarist.stages.distil.verdict import judge
from diarist.stages.distil.writes import reverted_by, shell_changes
from diarist.text.fingerprint import FoundError, errors_in, fingerprint
from diarist.text.terminal import plain

SAID = 4_000
"""Characters kept of a reply or thought: its first and its last ones."""
ASKED = 6_000
MOST_TROUBLES = 400
MOST_TOOLS = 50_000
_SHELLS = frozenset({"bash", "sh", "zsh", "fatal", "error", "(eval)"})


@dataclass(slots=True)
class _Pending:
    step: int
    call: Step
    act: Act
    why: Said | None
    command: CommandLine | None


def read_steps(steps: Iterable[Step], cwd: str) -> Ledger:
    """Reads the steps once. `cwd`: the session's working directory, which paths are told relative to."""
    reader = _Reader(cwd)
    for number, step in enumerate(steps):
        reader.take(number, step)
    return reader.finish()


def shorten(text: str, limit: int = SAID) -> str:
    """The beginning and the end of a long text, cut at line ends, with a mark between them."""
    if len(text) <= limit:
        return text
    half = limit // 2
    head = text[:half]
    tail = text[-half:]
    return (
        head[: head.rfind("\n") if head.rfind("\n") > half // 2 else half]
        + "\n…\n"
        + tail[tail.find("\n") + 1 if 0 <= tail.find("\n") < half // 2 else 0 :]
    )


class _Reader:
    def __init__(self, cwd: str) -> None:
        self.ledger = Ledger()
        self.book = FileBook(cwd)
        self.pending: dict[str, _Pending] = {}
        self.said: dict[str, Said] = {}
        self.awaiting: list[Run | Trouble] = []
        self.open: dict[tuple[str, str], list[Trouble]] = {}
        self.stopped = ""
        self.is_afterwards = False  # the agent had answered; what follows was set off by a hook or the client
        self.loose = 0

    def take(self, number: int, step: Step) -> None:
        kind = step.kind
        ledger = self.ledger
        ledger.steps = number + 1
        if kind == "call":
            self._call(number, step)
        elif kind == "result":
            self._result(number, step)
        elif kind in ("reply", "thought"):
            self._say(number, step)
        elif kind == "prompt":
            self._prompt(number, step)
        else:
            self._notice(number, step)
        if not step.actor and kind in ("call", "result", "reply", "prompt") and not self.is_afterwards:
            ledger.ended = kind

    def finish(self) -> Ledger:
        ledger = self.ledger
        leave = list(self.pending.values())
        ledger.unanswered = len(leave)
        has_results = ledger.calls > len(leave)
        for waiting in leave:
            if not has_results:  # a format that keeps no results: the calls are all there is
                self._settle(waiting, -1, "", None, None)
            elif waiting.command is not None and waiting.act.kind in ("shell", "code"):
                self._run(waiting, -1, "", None, None)
        ledger.files = self.book.operations()
        return ledger

    # --- words ---

    def _say(self, number: int, step: Step) -> None:
        if not step.text or step.text.isspace():
            return
        said = Said(number, shorten(step.text), step.actor, step.kind == "thought")
        self.said[step.actor] = said
        for event in self.awaiting:
            if event.after is None or (event.after.is_thought and not said.is_thought):
                event.after = said
        ledger = self.ledger
        if said.is_thought:
            ledger.thoughts.add(said)
            return
        self._sections(number, step.text)
        ledger.replies.add(said)
        if not step.actor:
            ledger.last_reply = said if len(step.text) <= SAID else Said(number, shorten(step.text, 3 * SAID), "")
            ledger.last_actor_step = number
            self.stopped = ""

    def _sections(self, number: int, text: str) -> None:
        for item in parse_sections(text):
            known = self.ledger.sections.setdefault(item.list, [])
            if len(known) < 60:
                known.append(Bullet(item.text, item.text[:300], (number,), 20.0 - 0.01 * len(known)))

    def _prompt(self, number: int, step: Step) -> None:
        if not step.text or step.text.isspace():
            return
        if step.actor:
            self.said[step.actor] = Said(number, shorten(step.text, 600), step.actor)
            return
        self._ask(number, step.text)
        self._trouble_in_prompt(number, step.text)

    def _ask(self, number: int, text: str) -> None:
        self.ledger.prompts.add(Asked(number, shorten(text, ASKED), self.stopped))
        self.stopped = ""
        self.is_afterwards = False
        self.said.pop("", None)

    def _trouble_in_prompt(self, number: int, text: str) -> None:
        if len(text) < 20_000:
            shown = window(text)
            for error in errors_in(shown):
                self._trouble(number, error, "person", "", "prompt", exact_line(error, shown, text))

    def _notice(self, number: int, step: Step) -> None:
        mark = step.mark
        ledger = self.ledger
        if mark == "command" and (words := _request_in(step.text)):
            self._ask(number, words)
        if mark == "machine" and ledger.ended == "reply":
            self.is_afterwards = True
        if not mark or mark in ("machine", "title"):
            return
        if mark == "refusal":
            self._refuse(number, step, None)
        elif mark != "compaction":
            ledger.marks.add(Marked(number, mark, step.text[:600]))
        if mark in ("interrupt", "refusal") and not step.actor:
            self.stopped = mark
            ledger.ended = mark
            for key in [key for key, waiting in self.pending.items() if not waiting.call.actor]:
                del self.pending[key]

    # --- calls ---

    def _call(self, number: int, step: Step) -> None:
        ledger = self.ledger
        ledger.calls += 1
        if len(ledger.tools) < MOST_TOOLS:
            ledger.tools.append(step.tool)
        ledger.tool_counts[step.tool] = ledger.tool_counts.get(step.tool, 0) + 1
        act = understand_call(step.tool, step.arguments, step.text)
        command = (
            understand(act.command) if act.command and act.kind == "shell" else understand("python -c ''") if act.kind == "code" else None
        )
        key: str = step.call_id
        if not key:
            self.loose += 1
            key = f"\0{step.actor}\0{self.loose}"
        self.pending[key] = _Pending(number, step, act, self.said.get(step.actor), command)
        self.awaiting.clear()
        if not step.actor:
            ledger.last_actor_step = number
            self.stopped = ""

    def _result(self, number: int, step: Step) -> None:
        waiting = self.pending.pop(step.call_id, None) if step.call_id else None
        if waiting is None:
            loose = next((key for key, value in self.pending.items() if key.startswith("\0") and value.call.actor == step.actor), None)
            waiting = self.pending.pop(loose) if loose else None
        if step.mark == "refusal":
            self._refuse(number, step, waiting)
            return
        if waiting is not None:
            self._settle(waiting, number, step.text, step.error, step.exit_code)

    def _refuse(self, number: int, step: Step, waiting: _Pending | None) -> None:
        what = ""
        if waiting is not None:
            act = waiting.act
            what = (
                act.command
                or ", ".join(dict.fromkeys(self.book.relative(change.path) for change in act.changes if change.path))
                or waiting.call.tool
            )
        self.ledger.refused.add(
            Refused(number, waiting.step if waiting else -1, what[:300], "", step.text[:2_000], waiting.why if waiting else None)
        )
        if not step.actor:
            self.stopped = "refusal"
            self.ledger.ended = "refusal"

    # --- results ---

    def _settle(self, waiting: _Pending, number: int, output: str, error: bool | None, exit_code: int | None) -> None:
        act = waiting.act
        if act.kind in ("shell", "code") and waiting.command is not None:
            self._run(waiting, number, output, error, exit_code)
            return
        failed = bool(error) or exit_code not in (None, 0) or (error is None and is_unflagged_failure(act.kind, output))
        target = act.changes[0].path if act.changes else act.paths[0] if act.paths else act.about[:200]
        if failed:
            self._tool_failed(waiting, number, output, self.book.relative(target) if target else "")
            return
        if target:
            self._worked_again(self.book.relative(target), act.kind, number)
        if act.changes:
            self._write(act.changes, waiting)
        elif act.kind == "read" and act.paths:
            self.book.note(act.paths[0], "read")
        elif act.kind in ("search", "web", "agent", "plan"):
            self.ledger.looked.add(Looked(waiting.step, act.kind, act.about[:400], waiting.why))

    def _write(self, changes: Iterable[Change], waiting: _Pending) -> None:
        ledger = self.ledger
        for change in changes:
            path = self.book.note(change.path, change.operation)
            if not path:
                continue
            ledger.writes += 1
            operation: FileOperation = self.book.last_operation(path)
            number = 0
            if not needs_no_check(path) and not (is_scratch(path) or self.book.is_thrown_away(path)):
                ledger.changes += 1
                number = ledger.changes
            ledger.changed.add(Changed(waiting.step, path, operation, change.before, change.after, waiting.why, number, waiting.call.actor))

    def _run(self, waiting: _Pending, number: int, output: str, error: bool | None, exit_code: int | None) -> None:
        command = waiting.command
        assert command is not None
        text = plain(window(output)) if output else ""
        verdict = judge(command.kind, text, exit_code, error, exit_tells=command.exit_tells)
        run = Run(
            waiting.step,
            number,
            waiting.act.command[:1_000],
            command,
            verdict.passed,
            verdict.line,
            exit_code,
            verdict.ran,
            why=waiting.why,
            actor=waiting.call.actor,
        )
        found = self._errors_of(command, text, verdict.passed)
        run.errors = tuple(dict.fromkeys(problem.fingerprint for problem in found))
        for problem in found:
            self._trouble(number, problem, waiting.call.tool, command.key, command.kind, exact_line(problem, text, output))
        if verdict.passed is False:
            run.tail = text[-600:]
        if verdict.passed is not False or not found:
            self._apply_shell(waiting, command)
        run.changes = self.ledger.changes
        self.ledger.runs.add(run)
        self.awaiting.append(run)

    def _apply_shell(self, waiting: _Pending, command: CommandLine) -> None:
        folder = next((program for program in [_cd(waiting.act.command)] if program), "")
        changes = shell_changes(command, folder)
        if changes:
            self._write(changes, waiting)
        for path in reverted_by(command):
            self.book.revert(path)

    def _errors_of(self, command: CommandLine, output: str, passed: bool | None) -> list[FoundError]:
        if not output or (passed is True and command.is_check):
            return []
        if passed is None and command.kind in (*CHECKS, "run", "install"):
            return errors_in(output)[:MOST]
        programs = frozenset(program.name for program in command.programs) | _SHELLS
        found = complaints(output, command.kind, programs, failed=passed is False)
        if not found and passed is False and (line := failure_line(output)):
            found = [FoundError(line, fingerprint(line), "", -1, ())]
        return found

    def _tool_failed(self, waiting: _Pending, number: int, output: str, target: str) -> None:
        text = plain(window(output))
        found = errors_in(text[:4_000])[:2]
        if not found or waiting.act.kind in ("edit", "create", "read"):
            line = failure_line(text)
            if not line:
                return
            found = [FoundError(line, fingerprint(line), "", -1, ())]
        for problem in found:
            trouble = self._trouble(number, problem, waiting.call.tool, target, waiting.act.kind, exact_line(problem, text, output))
            if trouble is not None:
                self.awaiting.append(trouble)

    def _trouble(self, number: int, problem: FoundError, tool: str, target: str, kind: str, quote: str) -> Trouble | None:
        troubles = self.ledger.troubles
        trouble = troubles.get(problem.fingerprint)
        if trouble is None:
            if len(troubles) >= MOST_TROUBLES:
                return None
            trouble = troubles[problem.fingerprint] = Trouble(problem.fingerprint, problem.message, tool, problem.where, quote)
        trouble.count += 1
        trouble.last = number
        trouble.target = target
        trouble.kind = kind
        trouble.change = self.ledger.changes
        trouble.resolved = None
        trouble.resolved_by = ""
        if len(trouble.steps) < 8 and number not in trouble.steps:
            trouble.steps.append(number)
        if target:
            self.open.setdefault((kind, target), []).append(trouble)
        return trouble

    def _worked_again(self, target: str, kind: str, number: int) -> None:
        """The same tool on the same thing went well: what had failed there is resolved."""
        for trouble in self.open.pop((kind, target), ()):
            if trouble.last < number and (trouble.kind, trouble.target) == (kind, target):
                trouble.resolved = True


def _request_in(command: str) -> str:
    """What the person asked with a slash command: `/review the new parser` asks for something, `/model opus` and `/clear` do not."""
    name, _, rest = command.strip().partition(" ")
    rest = rest.strip()
    return rest if name.startswith("/") and (len(rest.split()) > 2 or len(rest) >= 16) else ""


def _cd(command: str) -> str:
    match = re.match(r"\s*cd\s+(['\"]?)([^\s'\";&|]+)\1\s*(?:&&|;|\n)", command)
    return match[2] if match else ""
