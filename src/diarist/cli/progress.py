"""How far a long command is, for a person at a terminal."""

from __future__ import annotations

from typing import Any


class Bar:
    """A progress bar on a terminal; nothing elsewhere.

    It begins when there is something to show: it has a thread, and processes are started more cheaply while there is none.
    """

    def __init__(self, *, enabled: bool) -> None:
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}
        self._enabled = enabled

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, stage: str, done: int, total: int) -> None:
        """Stands at so much of so much of a stage."""
        if not self._enabled:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress as RichProgress

            self._bar = RichProgress(console=Console(stderr=True), transient=True)
            self._bar.start()
        if stage not in self._tasks:
            self._tasks[stage] = self._bar.add_task(stage, total=total)
        self._bar.update(self._tasks[stage], completed=done, total=total)
