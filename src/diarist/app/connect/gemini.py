"""Gemini CLI: hooks and MCP server in settings.json. Timeouts are in milliseconds."""

from __future__ import annotations

from pathlib import Path

from diarist.app.connect.client import Where, nested_hooks, server_place
from diarist.app.connect.edits import Edit, JsonEdit
from diarist.app.connect.program import Program

EVENTS = {"SessionStart": "10", "BeforeAgent": "10", "AfterTool": "10", "AfterAgent": "10", "PreCompress": "10", "SessionEnd": "5"}


class Gemini:
    """Implements `client.Client`."""

    name = "gemini"
    title = "Gemini CLI"
    binary = "gemini"

    def edits(self, where: Where, program: Program) -> list[Edit]:
        """Hooks and MCP server."""
        command, arguments = program.mcp()
        hooks = nested_hooks(program, self.name, EVENTS, second=1000, matchers={"AfterTool": "run_shell_command"})
        server = server_place(("mcpServers",), {"command": command, "args": arguments})
        return [JsonEdit(where.root / ".gemini" / "settings.json", (*hooks, server))]

    def instructions(self, where: Where) -> Path:
        """The user's or the project's GEMINI.md."""
        return where.root / ".gemini" / "GEMINI.md" if where.scope == "user" else where.root / "GEMINI.md"

    def notes(self, where: Where) -> list[str]:
        """Nothing more."""
        return ["Gemini CLI warns once about hooks of a project that are new to it."] if where.scope == "project" else []
