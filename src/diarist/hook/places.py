"""Where the workspace is, without loading the settings: the same answer as `diarist.config`, for the price of a few look-ups."""

# ruff: noqa: PTH100, PTH111, PTH118
from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def workspace_folder(environ: Mapping[str, str]) -> str:
    """The absolute path of the workspace: `DIARIST_HOME`, else the user data folder."""
    return os.path.abspath(os.path.expanduser(environ.get("DIARIST_HOME") or _data_folder(environ)))


def _data_folder(environ: Mapping[str, str]) -> str:
    home = environ.get("USERPROFILE" if sys.platform == "win32" else "HOME") or os.path.expanduser("~")
    if sys.platform == "win32":
        return os.path.join(environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local"), "diarist")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "diarist")
    return os.path.join(environ.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share"), "diarist")


def truthy(text: str | None) -> bool:
    """As `diarist.config.truthy`."""
    return (text or "").strip().lower() not in ("", "0", "false", "no", "off")
