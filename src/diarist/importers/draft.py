"""Putting together the steps of one record."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from diarist.importers.speech import Said, plain_prompt, understand, without_fences, without_reminders
from diarist.importers.values import storable
from diarist.model.session import Mark, RawStep, StepKind


class Draft:
    """Collects the steps of one record. Their ids are the record's id, a slash, and the number of the part."""

    __slots__ = ("actor", "at", "line", "rid", "session", "steps")

    def __init__(self, session: str, rid: str, at: datetime | None = None, line: int = 0, actor: str = "") -> None:
        self.session = session if type(session) is str else str(session)  # plain, also where the name knows what it was made of
        self.rid = rid
        self.at = at
        self.line = line
        self.actor = actor
        self.steps: list[RawStep] = []

    def add(self, kind: StepKind, part: object, text: str = "", mark: Mark = "", at: datetime | None = None) -> None:
        """Adds a step of words."""
        self.steps.append(
            RawStep(
                kind=kind,
                session=self.session,
                rid=f"{self.rid}/{part}",
                text=text,
                at=at or self.at,
                mark=mark,
                actor=self.actor,
                line=self.line,
            )
        )

    def said(self, parts: Iterable[Said], part: object) -> None:
        """Adds what a user turn was found to hold; the prompt has the plain part number."""
        for number, said in enumerate(parts):
            self.add(said.kind, part if said.kind == "prompt" else f"{part}.{number}", said.text, said.mark)

    def user(self, part: object, text: str) -> None:
        """Adds a user turn: a prompt, notices, or both."""
        plain = plain_prompt(text)
        if plain:
            self.add("prompt", part, plain)
        else:
            self.said(understand(text), part)

    def reply(self, part: object, text: str) -> None:
        """Adds visible text of the agent, if it says anything."""
        if "<" in text:
            text = without_fences(text)
        if text and not text.isspace():
            self.add("reply", part, text)

    def thought(self, part: object, text: str) -> None:
        """Adds reasoning, if there is any text of it."""
        if text and not text.isspace():
            self.add("thought", part, text)

    def call(self, part: object, tool: str, arguments: dict[str, Any] | None, call_id: str, text: str = "") -> None:
        """Adds a tool call."""
        self.steps.append(
            RawStep(
                kind="call",
                session=self.session,
                rid=f"{self.rid}/{part}",
                text=text,
                at=self.at,
                tool=tool,
                arguments=None if arguments is None else storable(arguments),
                call_id=call_id,
                actor=self.actor,
                line=self.line,
            )
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
        self.steps.append(
            RawStep(
                kind="result",
                session=self.session,
                rid=f"{self.rid}/{part}",
                text=without_reminders(text) if "<" in text else text,
                at=at or self.at,
                tool=tool,
                call_id=call_id,
                error=error,
                exit_code=exit_code,
                mark=mark,
                actor=self.actor,
                line=self.line,
            )
        )
