"""Codex: hooks in hooks.json, the MCP server as a managed block in config.toml."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from diarist.app.connect.client import Where, nested_hooks
from diarist.app.connect.edits import BlockEdit, Edit, JsonEdit
from diarist.app.connect.program import Program

EVENTS = {
    "SessionStart": "10",
    "UserPromptSubmit": "10",
    "PostToolUse": "10",
    "Stop": "10",
    "SubagentStop": "10",
    "PreCompact": "10",
    "SessionEnd": "3",
}
"""Codex gives a SessionEnd hook three seconds at most."""


class Codex:
    """Implements `client.Client`."""

    name = "codex"
    title = "Codex"
    binary = "codex"

    def edits(self, where: Where, program: Program) -> list[Edit]:
        """Hooks and MCP server."""
        folder = where.folder("CODEX_HOME", ".codex")
        command, arguments = program.mcp()
        # A JSON string or list of strings is TOML too.
        body = f"[mcp_servers.diarist]\ncommand = {json.dumps(command)}\nargs = {json.dumps(arguments)}"
        begin = "# diarist:begin (added by `diarist connect codex`)"
        return [
            JsonEdit(folder / "hooks.json", nested_hooks(program, self.name, EVENTS, matchers={"PostToolUse": "Bash|shell|exec_command"})),
            BlockEdit(folder / "config.toml", begin, body, "# diarist:end", _check),
        ]

    def instructions(self, where: Where) -> Path:
        """The user's or the project's AGENTS.md."""
        return where.folder("CODEX_HOME", ".codex") / "AGENTS.md" if where.scope == "user" else where.root / "AGENTS.md"

    def notes(self, where: Where) -> list[str]:
        """Codex runs no hook before it is trusted."""
        said = ["Codex runs hooks only once you trust them: start `codex`, open /hooks, and approve those of Diarist."]
        if where.scope == "project":
            said.append("The project itself must be trusted by Codex too, or it does not read the project's .codex folder.")
        return said


def _check(text: str) -> None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"it would not be valid TOML with our part ({error}); is there a server of this name already?") from error
