"""The one pass over a session's steps: pairs calls with results, understands both, fills the ledger."""

from __future__ import annotations

from collections.abc import Iterable

from diarist.model.session import Step
from diarist.stages.distil.actions import understand_call
from diarist.stages.distil.bullets import Bullet
from diarist.stages.distil.commands import code_command, understand
from diarist.stages.distil.files import FileBook
from diarist.stages.distil.ledger import Asked, Ledger, Marked, Refused, Run, Said, Trouble
from diarist.stages.distil.results import Outputs, Pending
from diarist.stages.distil.sections import parse_sections
from diarist.stages.distil.titles import is_bare_names
from diarist.stages.distil.words import word_set
from diarist.text.lazy import lazy

SAID = 4_000
"""Characters kept of a reply or thought: its first and its last ones."""
ASKED = 6_000
MOST_TOOLS = 50_000
MOST_PENDING = 2_000
"""Calls that may wait for their results at a time."""
_FAULTS = frozenset({"api-error", "limit", "error-end", "model-refusal"})


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
        self.outputs = Outputs(self.ledger, self.book)
        self.pending: dict[str, Pending] = {}
        self.said: dict[str, Said] = {}
        self.awaiting: list[Run | Trouble] = []
        self.stopped = ""
        self.is_afterwards = False  # the agent had answered; what follows was set off by a hook or the client
        self.loose = 0
        self.calls = 0  # made until the last request
        self.answered = False

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
        if not step.actor and kind in ("call", "result", "reply", "prompt") and not self.is_afterwards and step.mark != "refusal":
            ledger.ended = kind

    def finish(self) -> Ledger:
        ledger = self.ledger
        ledger.unanswered += len(self.pending)
        for waiting in self.pending.values():
            self._leave(waiting)
        self.outputs.troubles.close()
        ledger.files = self.book.operations()
        return ledger

    def _leave(self, waiting: Pending) -> None:
        """A call whose result does not come."""
        if not self.answered:  # a format that keeps no results: the calls are all there is
            self.outputs.settle(waiting, waiting.step, "", None, None)
        elif waiting.act.kind == "agent":
            self.outputs.note_look(waiting)
        elif waiting.command is not None:
            text = waiting.act.command[:1_000]
            self.ledger.runs.add(Run(waiting.step, -1, text, waiting.command, None, changes=self.ledger.changes, why=waiting.why))

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
                known.append(Bullet(item.text, item.text[:300], (number,), 20.0 - 0.01 * len(known), is_own=True))

    def _prompt(self, number: int, step: Step) -> None:
        if not step.text or step.text.isspace():
            return
        if step.actor:
            self.said[step.actor] = Said(number, shorten(step.text, 600), step.actor)
            return
        if self.ledger.ended == "call" and self.ledger.tools[-1:] and str(self.ledger.tools[-1]).lower() in _EXPANDED:
            return  # what the client put in for the skill that was called
        self._ask(number, step.text)
        if len(step.text) < 20_000:
            self.outputs.from_person(number, step.text)

    def _ask(self, number: int, text: str) -> None:
        last, calls = self.ledger.last_reply, self.ledger.calls
        answers = last is not None and calls == self.calls and self.ledger.ended == "reply" and _ASKS.search(last.text) is not None
        self.calls = calls
        self.ledger.prompts.add(Asked(number, shorten(text, ASKED), self.stopped, answers))
        self.stopped = ""
        self.is_afterwards = False
        self.said.pop("", None)

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
            if mark in _FAULTS and step.text:
                self.outputs.from_client(number, mark, step.text)
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
        command = understand(act.command) if act.command and act.kind == "shell" else None
        if act.kind == "code":
            command = code_command(act.command)
        key: str = step.call_id
        if not key:
            self.loose += 1
            key = f"\0{step.actor}\0{self.loose}"
        self.pending[key] = Pending(number, step, act, self.said.get(step.actor), command, self.is_afterwards)
        if len(self.pending) > MOST_PENDING:
            ledger.unanswered += 1
            self._leave(self.pending.pop(next(iter(self.pending))))
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
        self.answered = True
        if waiting is not None:
            event = self.outputs.settle(waiting, number, step.text, step.error, step.exit_code)
            if event is not None:
                self.awaiting.append(event)

    def _refuse(self, number: int, step: Step, waiting: Pending | None) -> None:
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


_CLIENT = word_set("/add /read /read-only /drop /run /test /lint /git /web /voice /ls /map /tokens /model /clear /load /save")
"""Commands to the client, whatever stands behind them."""
_EXPANDED = frozenset({"skill", "slashcommand", "slash_command"})
_ASKS = lazy(r"[?？][\s\"'*_)]*\Z")


def _request_in(command: str) -> str:
    """What the person asked with a slash command: `/review the new parser` asks for something, `/model opus` and `/clear` do not."""
    name, _, rest = command.strip().partition(" ")
    rest = rest.strip()
    if not name.startswith("/") or name in _CLIENT or is_bare_names(rest.strip("`")):
        return ""
    return rest if len(rest.split()) > 2 or len(rest) >= 16 else ""
