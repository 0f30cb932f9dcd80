"""Regular expressions that are compiled when they are first used: importing the rules costs next to nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any


class Lazy:
    """Stands for `re.compile(source, flags)`; after the first use its methods are the compiled expression's own."""

    match: Callable[..., re.Match[bytes] | None]
    search: Callable[..., re.Match[bytes] | None]
    fullmatch: Callable[..., re.Match[bytes] | None]
    finditer: Callable[..., Iterator[re.Match[bytes]]]
    findall: Callable[..., list[Any]]
    sub: Callable[..., bytes]

    def __init__(self, source: bytes, flags: int = 0) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for method in ("match", "search", "fullmatch", "finditer", "findall", "sub"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
