"""Regular expressions that are compiled when they are first used.

There are some four hundred of them, and a run needs few: compiling all at import took more than half of a short command.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, Generic, cast

_METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split")


class _Lazy(Generic[AnyStr]):
    """Stands for a compiled expression; after the first use its methods are the compiled expression's own."""

    def __init__(self, source: AnyStr, flags: int) -> None:
        self._source: AnyStr = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(self._source, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, at the first use. A source that is wrong is told only then: tests compile all there are."""
    return cast("re.Pattern[AnyStr]", _Lazy(source, flags))
