"""tau-bench: customer talks with tools. A list of runs with their messages in `traj`, or lines with a printed talk.

Rewards, the expected actions and the simulated user's instruction stand beside the messages: they are no part of the session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import Chat, opening_messages
from diarist.importers.documents import DocumentReading, opening_id
from diarist.importers.draft import Draft
from diarist.importers.encodings import peek
from diarist.importers.glimpse import Glimpse, glimpse
from diarist.importers.jsonlines import JsonLinesReading, PlainRecords, Record
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.values import as_list, as_str, content_text
from diarist.model.session import RawStep, SessionInfo
from diarist.ports import Reading
from diarist.text.lazy import lazy

STOP = "###STOP###"
_LABEL = lazy(r"\n(user|assistant|tool|system): ")


def talk_steps(messages: list[Any], session: str, tally: Tally) -> Iterator[RawStep]:
    """Steps of one talk. The customer ends it with a mark of its own."""
    chat = Chat()
    for number, message in enumerate(messages, 1):
        if not isinstance(message, dict):
            tally.broken(number, "not a message")
            continue
        draft = Draft(session, f"#{number}", line=number)
        text = content_text(message.get("content")) if message.get("role") == "user" else ""
        ended = STOP in text
        reason = chat.add(draft, {**message, "content": text.replace(STOP, "").strip()} if ended else message, tally)
        if ended:
            draft.add("notice", "end", "", "end")
        if reason and not ended:
            tally.skip(reason)
        else:
            tally.keep()
        yield from draft.steps


class TauDocument:
    """A list of runs."""

    name = "tau-bench/json"

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of each run, in file order."""
        for run in as_list(document) if isinstance(document, list) else [document]:
            if not isinstance(run, dict) or not isinstance(run.get("traj"), list):
                ledger.open("").broken(0, "not a run")
                continue
            session = opening_id(run.get("task_id"), run.get("trial"), opening_messages(run["traj"]), run["traj"][1:3])
            yield from talk_steps(run["traj"], session, ledger.open(session))

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Nothing is told about a run but its messages."""
        return tally.info(session, "tau-bench", self.name)


class TauLines(PlainRecords):
    """Lines with a printed talk each."""

    name = "tau-bench/display"

    def session_of(self, record: Record) -> str:
        """Made of the talk's beginning."""
        return opening_id(as_str(record.value.get("messages_display"))[:2000])

    def take(self, record: Record, session: str, tally: Tally) -> Sequence[RawStep] | str:
        """Steps of one talk. What the assistant called was not printed ("None")."""
        chat, inner, steps = Chat(), Tally(), list[RawStep]()
        for number, (role, text) in enumerate(_printed(as_str(record.value.get("messages_display"))), 1):
            draft = Draft(session, f"#{number}", line=number)
            ended = role == "user" and STOP in text
            chat.say(draft, role, text.replace(STOP, "").strip() if ended else text, inner)
            if ended:
                draft.add("notice", "end", "", "end")
            steps += draft.steps
        return [step for step in steps if tally.fresh(step.rid)] or "empty"

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Nothing is told about a talk."""
        return tally.info(session, "tau-bench", self.name)


def _printed(text: str) -> list[tuple[str, str]]:
    """Role and text of each message of a printed talk."""
    _, *parts = _LABEL.split(f"\n{text}")
    talk = zip(parts[::2], parts[1::2], strict=True)
    return [(role, said) for role, told in talk if (said := told.rstrip("\n")) != "None"]


def _looks(seen: Glimpse) -> int:
    runs = [*seen.items[:2], seen.first]
    if any("traj" in run and ("task_id" in run or "trial" in run) for run in runs):
        return 90
    return 90 if seen.objects and all("messages_display" in value for value in seen.objects[:3]) else 0


def _open(stream: BinaryIO, state: bytes) -> Reading:
    seen = None if state else glimpse(peek(stream, 65536))
    if seen is None or (seen.objects and "messages_display" in seen.objects[0]):
        return JsonLinesReading(stream, TauLines(), state)
    return DocumentReading(stream, TauDocument())


IMPORTER = FormatImporter("tau-bench", _looks, _open)
