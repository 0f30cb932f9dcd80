"""OpenCode: a plugin of our own, and the MCP server in opencode.json."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from diarist.app.connect.client import Where, server_place
from diarist.app.connect.edits import Edit, JsonEdit, WholeFile
from diarist.app.connect.program import Program


class OpenCode:
    """Implements `client.Client`."""

    name = "opencode"
    title = "OpenCode"
    binary = "opencode"

    def edits(self, where: Where, program: Program) -> list[Edit]:
        """Plugin and MCP server."""
        folder, settings = self._folders(where)
        source = (files("diarist") / "plugins" / "opencode" / "diarist.ts").read_text(encoding="utf-8")
        words = [*program.words, *(("--workspace", program.workspace) if program.workspace else ())]
        command, arguments = program.mcp()
        server = {"type": "local", "command": [command, *arguments], "enabled": True}
        return [
            WholeFile(folder / "plugins" / "diarist.ts", source.replace('["diarist"]', json.dumps(words), 1)),
            JsonEdit(settings, (server_place(("mcp",), server),)),
        ]

    def instructions(self, where: Where) -> Path:
        """The user's or the project's AGENTS.md."""
        return self._folders(where)[0] / "AGENTS.md" if where.scope == "user" else where.root / "AGENTS.md"

    def notes(self, where: Where) -> list[str]:
        """How sessions come in."""
        del where
        return ["Sessions are read with `opencode export`: `opencode` must be on the PATH of whoever runs it."]

    @staticmethod
    def _folders(where: Where) -> tuple[Path, Path]:
        """Where plugins lie, and the settings file: the one there is, with or without comments."""
        if where.scope == "project":
            folder, base = where.root / ".opencode", where.root
        else:
            config = where.environ.get("XDG_CONFIG_HOME")
            folder = base = (Path(config) if config else where.root / ".config") / "opencode"
        commented = base / "opencode.jsonc"
        return folder, commented if commented.exists() else base / "opencode.json"
