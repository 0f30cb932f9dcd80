"""Memory that the engine let go of goes back to the system."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Returns freed memory to the system, where its allocator (glibc's) keeps it.

    A writer's threads come and go, and each leaves the most it ever used in a heap of its own: after sixty small imports into
    workspaces of their own a process held 210 MB, with this 66. Takes one or two milliseconds, and the next writer some more to
    get it again: for an index that is closed, not for each commit.
    """
    _trim()(0)


@cache
def _trim() -> Callable[[int], object]:
    if sys.platform != "linux":
        return _nothing
    import ctypes

    trim: Callable[[int], object] = getattr(ctypes.CDLL(None), "malloc_trim", _nothing)  # musl has none, and keeps nothing
    return trim


def _nothing(_pad: int) -> None:
    """Other allocators give back by themselves."""
