"""Claude Code: hooks in settings.json, the MCP server in .claude.json (all projects) or .mcp.json (one)."""

from __future__ import annotations

from pathlib import Path

from diarist.app.connect.client import Where, nested_hooks, server_place
from diarist.app.connect.edits import Edit, JsonEdit
from diarist.app.connect.program import Program

EVENTS = {
    "SessionStart": "10",
    "UserPromptSubmit": "10",
    "PostToolUseFailure": "10",
    "Stop": "10",
    "SubagentStop": "10",
    "PreCompact": "10",
    "SessionEnd": "5",
}
"""SessionEnd hooks of settings files may take as long as they say; those of plugins share a second and a half."""


class ClaudeCode:
    """Implements `client.Client`."""

    name = "claude-code"
    title = "Claude Code"
    binary = "claude"

    def edits(self, where: Where, program: Program) -> list[Edit]:
        """Hooks and MCP server."""
        command, arguments = program.mcp()
        server = {"type": "stdio", "command": command, "args": arguments}
        hooks = nested_hooks(program, self.name, EVENTS, matchers={"PostToolUseFailure": "Bash"})
        return [
            JsonEdit(where.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json", hooks),
            JsonEdit(self._servers(where), (server_place(("mcpServers",), server),)),
        ]

    def instructions(self, where: Where) -> Path:
        """The user's or the project's CLAUDE.md."""
        return where.folder("CLAUDE_CONFIG_DIR", ".claude") / "CLAUDE.md" if where.scope == "user" else where.root / "CLAUDE.md"

    def notes(self, where: Where) -> list[str]:
        """What is left to do."""
        said = ["Sessions that are open now keep their old settings: start a new one."]
        if where.scope == "project":
            said.append("Claude Code asks once whether to use the project's MCP server; answer yes.")
        return said

    @staticmethod
    def _servers(where: Where) -> Path:
        if where.scope == "project":
            return where.root / ".mcp.json"
        own = where.environ.get("CLAUDE_CONFIG_DIR")
        return Path(own).expanduser() / ".claude.json" if own else where.root / ".claude.json"
