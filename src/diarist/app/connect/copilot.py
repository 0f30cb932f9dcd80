"""GitHub Copilot CLI (and VS Code, which reads the same files): a hooks file of our own, the MCP server in mcp-config.json."""

from __future__ import annotations

import json
from pathlib import Path

from diarist.app.connect.client import Where, server_place
from diarist.app.connect.edits import Edit, JsonEdit, WholeFile
from diarist.app.connect.program import Program

EVENTS = ("sessionStart", "postToolUseFailure", "agentStop", "subagentStop", "preCompact", "errorOccurred", "sessionEnd")


class Copilot:
    """Implements `client.Client`."""

    name = "copilot"
    title = "GitHub Copilot"
    binary = "copilot"

    def edits(self, where: Where, program: Program) -> list[Edit]:
        """Hooks, and for a user the MCP server."""
        commands = {event: program.hook(event, self.name) for event in EVENTS}
        hooks = {
            event: [{"type": "command", "bash": command, "powershell": command, "timeoutSec": 10}] for event, command in commands.items()
        }
        content = json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"
        if where.scope == "project":
            return [WholeFile(where.root / ".github" / "hooks" / "diarist.json", content)]
        folder = where.folder("COPILOT_HOME", ".copilot")
        command, arguments = program.mcp()
        server = {"type": "local", "command": command, "args": arguments, "tools": ["*"]}
        return [
            WholeFile(folder / "hooks" / "diarist.json", content),
            JsonEdit(folder / "mcp-config.json", (server_place(("mcpServers",), server),)),
        ]

    def instructions(self, where: Where) -> Path:
        """The user's or the project's instructions."""
        if where.scope == "user":
            return where.folder("COPILOT_HOME", ".copilot") / "copilot-instructions.md"
        return where.root / "AGENTS.md"

    def notes(self, where: Where) -> list[str]:
        """What Copilot cannot do."""
        said = ["Copilot ignores what hooks say about a prompt: recall comes at the start of a session and after a failed command."]
        if where.scope == "project":
            said.append("Copilot keeps MCP servers with the user: `diarist connect copilot --user` adds it.")
        return said
