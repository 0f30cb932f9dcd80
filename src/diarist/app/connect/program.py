"""How a client is to start Diarist: an absolute command, quoted for the shell that runs hooks."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import NamedTuple


class Program(NamedTuple):
    """The command, word by word, and the workspace to name in it (empty: the default one)."""

    words: tuple[str, ...]
    workspace: str = ""

    def hook(self, event: str, client: str) -> str:
        """A shell command for one event."""
        place = ("--workspace", self.workspace) if self.workspace else ()
        return _quoted((*self.words, "hook", event, "--client", client, *place))

    def mcp(self) -> tuple[str, list[str]]:
        """Command and arguments of the MCP server."""
        place = ["--workspace", self.workspace] if self.workspace else []
        return self.words[0], [*self.words[1:], *place, "mcp"]


def find_program(workspace: str, *, shared: bool) -> Program:
    """How to start the Diarist that runs now. `shared`: for a file that others get too: by name, if the name leads here."""
    script = Path(sys.argv[0])
    here = shutil.which("diarist")
    own = script.absolute() if script.name in ("diarist", "diarist.exe") and script.is_file() else None
    own = own or (Path(here) if here else None) or _beside_python()
    if own is None:
        return Program((sys.executable, "-P", "-m", "diarist"), workspace)
    if shared and here and Path(here).resolve() == own.resolve():
        return Program(("diarist",), workspace)
    return Program((str(own),), workspace)


def _beside_python() -> Path | None:
    name = "diarist.exe" if os.name == "nt" else "diarist"
    path = Path(sys.executable).parent / name
    return path if path.is_file() else None


def _quoted(words: tuple[str, ...]) -> str:
    if os.name == "nt":
        return " ".join(f'"{word}"' if " " in word else word for word in words)
    return shlex.join(words)
