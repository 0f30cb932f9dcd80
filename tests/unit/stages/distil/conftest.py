"""A session written down step by step, and the entry that comes of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from diarist.model.entry import Entry
from diarist.model.host import HostFacts
from diarist.model.redacted import Redacted, RedactedJson, derived
from diarist.model.session import CaptureReport, Mark, Session, SessionInfo, Step, StepKind
from diarist.stages.distil import Distilled, distil


class Talk:
    """Steps of a session, in the order they are written."""

    def __init__(self, **info: Any) -> None:
        facts: dict[str, Any] = {"session": "s-1", "agent": "claude-code", "format": "claude-code/jsonl", "cwd": "/work/shop"}
        facts |= {"ended_at": datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)}
        self.info = SessionInfo(**(facts | info))
        self.steps: list[Step] = []

    def add(self, kind: StepKind, text: str = "", **fields: Any) -> Talk:
        self.steps.append(Step(kind=kind, rid=derived(f"r{len(self.steps)}"), text=derived(text), **fields))
        return self

    def ask(self, text: str) -> Talk:
        return self.add("prompt", text)

    def say(self, text: str, actor: str = "") -> Talk:
        return self.add("reply", text, actor=derived(actor))

    def think(self, text: str) -> Talk:
        return self.add("thought", text)

    def note(self, mark: Mark, text: str = "") -> Talk:
        return self.add("notice", text, mark=mark)

    def call(
        self, tool: str, arguments: dict[str, Any], result: str | None = "", *, error: bool | None = False, actor: str = "", mark: Mark = ""
    ) -> Talk:
        """A call and its result; `result` None: there is none."""
        name = derived(f"c{len(self.steps)}")
        self.add("call", tool=derived(tool), arguments=RedactedJson(arguments), call_id=name, actor=derived(actor))
        if result is not None:
            self.add("result", result, call_id=name, error=error, actor=derived(actor), mark=mark)
        return self

    def shell(self, command: str, output: str = "", code: int | None = 0) -> Talk:
        name = derived(f"c{len(self.steps)}")
        self.add("call", tool=derived("Bash"), arguments=RedactedJson({"command": command}), call_id=name)
        return self.add("result", output, call_id=name, exit_code=code, error=None if code is None else code != 0)

    def edit(self, path: str, before: str, after: str) -> Talk:
        return self.call(
            "Edit", {"file_path": f"/work/shop/{path}", "old_string": before, "new_string": after}, "The file has been updated."
        )

    def write(self, path: str, content: str) -> Talk:
        return self.call("Write", {"file_path": f"/work/shop/{path}", "content": content}, "File created successfully.")

    def distilled(self, host: HostFacts | None = None) -> Distilled | None:
        session = Session(info=self.info, project=Redacted("shop"), capture=CaptureReport(), steps=self.steps, redaction_hash="0" * 64)
        return distil(session, entry_id="kh-aaaaaaaaaaaaaaaa", task_id=Redacted("s-1"), host=host)

    def entry(self, host: HostFacts | None = None) -> Entry:
        made = self.distilled(host)
        assert made is not None
        return made.entry


@pytest.fixture
def talk() -> Callable[..., Talk]:
    """Begins a session; keyword arguments are facts of `SessionInfo`."""
    return Talk
