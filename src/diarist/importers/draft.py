"""Putting together the steps of one record."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from diarist.importers.speech import Said, plain_prompt, understand, without_fences, without_reminders
from diarist.importers.values import storable
from diarist.model.session import Mark, RawStep, StepKind


class Draft(msgspec.Struct, gc=False):
    """Collects the steps of one record. Their ids are the record's id, a slash, and the number of the part."""

    session: str
    rid: str
    at: datetime | None = None
    line: int = 0
    actor: str = ""
    steps: list[RawStep] = []

    def __post_init__(self) -> None:
        if type(self.session) is not str:  # a name that knows what it was made of
            self.session = str(self.session)

    def add(self, kind: StepKind, part: object, text: str = "", mark: Mark = "", at: datetime | None = None) -> None:
        """Adds a step of words."""
        rid = f"{self.rid}/{part}"
        self.steps.append(RawStep(kind, self.session, rid, text, at or self.at, "", None, "", None, None, mark, self.actor, self.line))

    def said(self, parts: Iterable[Said], part: object) -> None:
        """Adds what a user turn was found to hold; the prompt has the plain part number."""
        for number, said in enumerate(parts):
            self.add(said.kind, part if said.kind == "prompt" else f"{part}.{number}", said.text, said.mark)

    def user(self, part: object, text: str) -> None:
        """Adds a user turn: a prompt, notices, or both."""
        plain = plain_prompt(text)
        if plain:
            rid = f"{self.rid}/{part}"
            self.steps.append(RawStep("prompt", self.session, rid, plain, self.at, "", None, "", None, None, "", self.actor, self.line))
        else:
            self.said(understand(text), part)

    def reply(self, part: object, text: str) -> None:
        """Adds visible text of the agent, if it says anything."""
        if "<" in text:
            text = without_fences(text)
        if text and not text.isspace():
            rid = f"{self.rid}/{part}"
            self.steps.append(RawStep("reply", self.session, rid, text, self.at, "", None, "", None, None, "", self.actor, self.line))

    def thought(self, part: object, text: str) -> None:
        """Adds reasoning, if there is any text of it."""
        if text and not text.isspace():
            self.add("thought", part, text)

    def call(self, part: object, tool: str, arguments: dict[str, Any] | None, call_id: str, text: str = "") -> None:
        """Adds a tool call."""
        if arguments is not None:
            arguments = storable(arguments)
        rid = f"{self.rid}/{part}"
        self.steps.append(
            RawStep("call", self.session, rid, text, self.at, tool, arguments, call_id, None, None, "", self.actor, self.line)
        )

    def result(
        self,
        part: object,
        text: str,
        call_id: str,
        *,
        tool: str = "",
        error: bool | None = None,
        exit_code: int | None = None,
        mark: Mark = "",
        at: datetime | None = None,
    ) -> None:
        """Adds what a tool gave back."""
        text, rid = without_reminders(text) if "<" in text else text, f"{self.rid}/{part}"
        self.steps.append(
            RawStep("result", self.session, rid, text, at or self.at, tool, None, call_id, error, exit_code, mark, self.actor, self.line)
        )
