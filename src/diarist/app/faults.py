"""Errors that nobody foresaw, told without their words: those may hold what a transcript says."""

from __future__ import annotations

import os
import traceback


def fault_of(error: Exception) -> str:
    """Kind and place, as "KeyError in outcome.py:212"."""
    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    place = f" in {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""  # noqa: PTH119 - a name, no file
    return f"{type(error).__name__}{place}"
