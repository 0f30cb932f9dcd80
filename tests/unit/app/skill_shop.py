"""A checkout, its workspace and a habit that was found there, for tests of skills."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

from diarist.bootstrap import open_memory
from diarist.model.proposal import Proposal

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
STEPS = ["mcp__vault__read", "mcp__vault__write", "Bash"]
NAME = "rotate-signing-keys"
FILES = (f".agents/skills/{NAME}/SKILL.md", f".claude/skills/{NAME}/SKILL.md")


class Shop:
    """A checkout, its workspace, and a habit that was found there."""

    def __init__(self, root: Path) -> None:
        self.checkout = root / "shop"
        (self.checkout / ".git").mkdir(parents=True)
        self.project = str(self.checkout)
        self.at = NOW
        self.memory = open_memory(root / "ws", now=lambda: self.at)
        for number, prompt in enumerate(("what is a monad", "draw a cat in ascii", "name three birds")):
            self.tell(f"o{number}", prompt, ["WebSearch"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.memory.close()

    def tell(self, session: str, prompt: str, tools: list[object], outcome: str = "completed") -> None:
        """A run that ended now."""
        at = self.at - timedelta(minutes=1)
        self.memory.observe(session_id=session, prompt=prompt, tools=tools, observed_at=at, outcome=outcome, project=self.project)

    def mine(self, outcome: str = "completed") -> Proposal:
        """The habit, proposed."""
        for number in range(3):
            self.tell(f"s{number}", "rotate the signing keys", list(STEPS), outcome)
        return self.memory.mine_patterns(now=self.at, project=self.project)[0]

    def accept(self, wanted: str = NAME, *, overwrite: bool | None = None) -> Proposal:
        """As a person in the checkout does."""
        return self.memory.accept_skill(wanted, cwd=str(self.checkout), overwrite=overwrite)

    def read(self, name: str) -> str:
        """A file of the checkout."""
        return (self.checkout / name).read_text(encoding="utf-8")

    def states(self) -> dict[str, tuple[str, ...]]:
        """Accepted skills and how they stand."""
        return {each.name: each.states for each in self.memory.skills(self.project, cwd=str(self.checkout))}
