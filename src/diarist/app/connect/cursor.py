"""Cursor: hooks.json and mcp.json."""

from __future__ import annotations

from pathlib import Path

from diarist.app.connect.client import Where, server_place
from diarist.app.connect.edits import Edit, JsonEdit, Place
from diarist.app.connect.program import Program

EVENTS = ("sessionStart", "beforeSubmitPrompt", "postToolUseFailure", "stop", "subagentStop", "preCompact", "sessionEnd")


class Cursor:
    """Implements `client.Client`."""

    name = "cursor"
    title = "Cursor"
    binary = "cursor-agent"

    def edits(self, where: Where, program: Program) -> list[Edit]:
        """Hooks and MCP server."""
        folder = where.root / ".cursor"
        command, arguments = program.mcp()
        hooks = [Place(("hooks", event), {"command": program.hook(event, self.name)}, append=True) for event in EVENTS]
        return [
            CursorHooks(folder / "hooks.json", tuple(hooks)),
            JsonEdit(folder / "mcp.json", (server_place(("mcpServers",), {"command": command, "args": arguments}),)),
        ]

    def instructions(self, where: Where) -> Path:
        """AGENTS.md of the project; Cursor keeps a user's rules in its own settings."""
        return where.root / "AGENTS.md"

    def notes(self, where: Where) -> list[str]:
        """What is left to do."""
        del where
        return ["Restart Cursor, and allow the server under Settings, MCP.", "That it shows recalled facts with a prompt is undocumented."]


class CursorHooks(JsonEdit):
    """hooks.json wants a version."""

    def add(self, text: str) -> str:
        """The text with our hooks, and with the version if the file is new."""
        return super().add(text if text.strip() else '{\n  "version": 1\n}\n')

    def strip(self, text: str) -> str:
        """The text without our hooks; nothing is left of a file that held nothing else."""
        left = super().strip(text)
        return "" if "".join(left.split()) == '{"version":1}' else left
