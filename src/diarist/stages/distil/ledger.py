"""What one pass over a session's steps leaves behind: bounded, in order, ready to be told.

Nothing here decides what an entry says; it holds what happened. Lists keep their first and last items where a session has
more than they may hold, so that memory stays bounded and what is told stays telling.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Generic, TypeVar

import msgspec

from diarist.model.entry import FileOperation
from diarist.model.session import Mark
from diarist.stages.distil.bullets import Bullet
from diarist.stages.distil.code import names_of, new_lines
from diarist.stages.distil.commands import CommandLine
from diarist.stages.distil.sentences import Sentence, causes, decisions, sentences

T = TypeVar("T")


class Ends(Generic[T]):
    """A list that keeps its first and its last items and forgets the middle."""

    def __init__(self, first: int, last: int) -> None:
        self._head: list[T] = []
        self._room = first
        self._tail: deque[T] = deque(maxlen=last)
        self.added = 0

    def add(self, item: T) -> None:
        """Takes one more; what is neither among the first nor among the last is let go."""
        self.added += 1
        if len(self._head) < self._room:
            self._head.append(item)
        else:
            self._tail.append(item)

    def __iter__(self) -> Iterator[T]:
        return chain(self._head, self._tail)

    def __len__(self) -> int:
        return len(self._head) + len(self._tail)

    def last(self) -> T | None:
        """The newest one; None where there is none."""
        if self._tail:
            return self._tail[-1]
        return self._head[-1] if self._head else None


class Said(msgspec.Struct, gc=False):
    """Words of the agent or the person. `text` is clipped at its end."""

    step: int
    text: str
    actor: str = ""
    is_thought: bool = False
    _sentences: tuple[Sentence, ...] | None = None
    _causes: tuple[Sentence, ...] | None = None

    @property
    def causes(self) -> tuple[Sentence, ...]:
        """Those of its sentences that state why, looked for once."""
        if self._causes is None:
            self._causes = tuple(causes(self.text))
        return self._causes

    @property
    def decisions(self) -> Iterator[Sentence]:
        """Those of its sentences that turn to another way."""
        return decisions(self.text)

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """Its sentences, taken apart once."""
        if self._sentences is None:
            self._sentences = sentences(self.text)
        return self._sentences


class Asked(msgspec.Struct, gc=False):
    """A request of the person. `follows`: what stood before it, "" for nothing telling."""

    step: int
    text: str
    follows: str = ""
    """"interrupt" or "refusal" where the person had just stopped the agent."""
    answers: bool = False
    """The agent had done nothing but ask something: a "no" answers it and corrects nothing."""


class Refused(msgspec.Struct, gc=False):
    """A call that the person declined, and what they said to it."""

    step: int
    call_step: int
    what: str
    reason: str
    quote: str
    why: Said | None = None


class Run(msgspec.Struct, gc=False):
    """One run of a shell command."""

    step: int
    result: int
    """Step of its result; -1 where there was none."""
    text: str
    command: CommandLine
    passed: bool | None = None
    line: str = ""
    """Exact line of the output that the verdict rests on; empty where it was the exit status."""
    exit_code: int | None = None
    errors: tuple[str, ...] = ()
    """Fingerprints of the errors in its output."""
    changes: int = 0
    """Changes made before it (of files that checks are about)."""
    tail: str = ""
    why: Said | None = None
    after: Said | None = None
    """What the agent said next."""
    actor: str = ""
    sources: int = 0
    """Like `changes`, without tests that the run itself wrote."""
    started: bool = True
    """False: the check could not even begin (no such tool, script or module), which says nothing about the work."""


class Changed(msgspec.Struct, gc=False):
    """One write to one file that was not refused and did not fail."""

    step: int
    path: str
    operation: FileOperation
    before: str
    after: str
    why: Said | None = None
    number: int = 0
    """Position among the changes that checks are about; 0 for documents and scratch files."""
    actor: str = ""
    named: str = ""
    """Exact piece of the call that names the file."""
    is_exact: bool = True
    """`after` stands in the call as it is; the words of a command line may have lost their quotes."""
    told: str | None = None
    """What it did, in a few words, once somebody asked (see `telling`)."""
    _lines: tuple[list[str], list[str]] | None = None
    _names: tuple[str, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names that the new text defines."""
        if self._names is None:
            self._names = tuple(names_of(self.after))
        return self._names

    @property
    def added(self) -> list[str]:
        """Telling lines of the new text that the old one does not hold."""
        return self._compared()[0]

    @property
    def removed(self) -> list[str]:
        """Telling lines of the old text that the new one does not hold."""
        return self._compared()[1]

    def _compared(self) -> tuple[list[str], list[str]]:
        if self._lines is None:
            self._lines = (new_lines(self.before, self.after), new_lines(self.after, self.before) if self.before else [])
        return self._lines


class Looked(msgspec.Struct, gc=False):
    """A search, a page that was read, a subagent's task, a plan."""

    step: int
    kind: str
    about: str
    why: Said | None = None
    detail: str = ""
    output: str = ""
    result: int = -1


class Trouble(msgspec.Struct, gc=False):
    """One distinct error."""

    fingerprint: str
    message: str
    tool: str
    where: str
    quote: str = ""
    """Exact piece of a step that tells of it."""
    words: tuple[str, ...] = ()
    """Words that other reports of this fault hold too."""
    steps: list[int] = msgspec.field(default_factory=list)
    count: int = 0
    last: int = -1
    target: str = ""
    """What the failing call was about: the path or the command's key."""
    kind: str = ""
    """Kind of the act or command it came from."""
    about: str = ""
    """The command line it came from, where it was one."""
    settled: int = 0
    """How often the same thing went well after it."""
    resolved: bool | None = None
    resolved_by: str = ""
    after: Said | None = None


class Marked(msgspec.Struct, gc=False):
    """A mark of the session at a step, with the text it was read from."""

    step: int
    mark: Mark
    text: str


class Ledger(msgspec.Struct, gc=False):
    """All that the later parts may ask about a session."""

    prompts: Ends[Asked] = msgspec.field(default_factory=lambda: Ends(60, 60))
    runs: Ends[Run] = msgspec.field(default_factory=lambda: Ends(400, 1600))
    changed: Ends[Changed] = msgspec.field(default_factory=lambda: Ends(400, 1600))
    looked: Ends[Looked] = msgspec.field(default_factory=lambda: Ends(100, 200))
    refused: Ends[Refused] = msgspec.field(default_factory=lambda: Ends(40, 40))
    marks: Ends[Marked] = msgspec.field(default_factory=lambda: Ends(100, 300))
    replies: Ends[Said] = msgspec.field(default_factory=lambda: Ends(60, 240))
    thoughts: Ends[Said] = msgspec.field(default_factory=lambda: Ends(40, 160))
    troubles: dict[str, Trouble] = msgspec.field(default_factory=dict)
    files: dict[str, dict[FileOperation, int]] = msgspec.field(default_factory=dict)
    tools: list[str] = msgspec.field(default_factory=list)
    tool_counts: dict[str, int] = msgspec.field(default_factory=dict)
    sections: dict[str, list[Bullet]] = msgspec.field(default_factory=dict)
    """What explicit sections hold, by list."""
    steps: int = 0
    changes: int = 0
    """Changes of files that checks are about."""
    sources: int = 0
    """Those of `changes` that are not to tests which the run itself wrote."""
    writes: int = 0
    """All successful writes."""
    calls: int = 0
    last_actor_step: int = -1
    """Last step that the main agent made."""
    last_reply: Said | None = None
    ended: str = ""
    """How the last steps look: "reply", "result", "call", "prompt", "interrupt", "refusal"."""
    unanswered: int = 0
    """Calls left without a result."""
