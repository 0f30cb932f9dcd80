"""What was erased must not come back: readers that mask erased values and pass over erased sessions, and new tombstones."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from diarist.errors import InvalidInputError
from diarist.model.redacted import derived

if TYPE_CHECKING:
    from diarist.app.toolbox import Reader
    from diarist.model.record import Tombstone
    from diarist.ports import Store
    from diarist.text.erased import Erased, Tombstones

ERASED_PATH = derived("(erased)")
"""Stands for the path of a file that told only of what was erased."""


class Readers:
    """Gives the reader of a workspace, always with the tombstones as they stand.

    A copy that is sent to another process keeps those of the moment; the store refuses what came after.
    """

    def __init__(self, make: Callable[[], Reader], tombstones: Callable[[], Tombstones]) -> None:
        self._make = make
        self._tombstones = tombstones
        self._plain: Reader | None = None
        self._last: tuple[Tombstones, Reader] | None = None

    def __call__(self) -> Reader:
        from diarist.text.erased import NO_TOMBSTONES

        if self._plain is None:
            self._plain = self._make()
        known = self._tombstones()
        if known is NO_TOMBSTONES:
            return self._plain
        last = self._last
        if last is None or last[0] is not known:
            last = self._last = (known, guarded(self._plain, known))
        return last[1]

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return functools.partial, (make_guarded, self._make, self._tombstones())


def make_guarded(make: Callable[[], Reader], known: Tombstones) -> Reader:
    """A new reader that keeps out what these tombstones say."""
    return guarded(make(), known)


def guarded(reader: Reader, known: Tombstones) -> Reader:
    """The reader, its redactor masking the erased values too."""
    return masking(reader, known.values)._replace(erased=known.sources)


def masking(reader: Reader, erased: Sequence[Erased]) -> Reader:
    """The reader, its redactor masking these erased values too."""
    from diarist.stages.redact.erasing import ErasingRedactor

    return reader._replace(redactor=ErasingRedactor(reader.redactor, erased)) if erased else reader


def erased_values(reader: Reader) -> Sequence[Erased]:
    """The erased values that a reader masks: with them a reader in another process masks them too."""
    erased: Sequence[Erased] = getattr(reader.redactor, "erased", ())
    return erased


def session_tombstone(store: Store, agent: str, session: str, *, at: datetime, actor: str) -> Tombstone:
    """Says that a session was erased: it stays so when its file grows or is imported again."""
    from diarist.model.record import Tombstone
    from diarist.text.erased import hash_source

    return Tombstone(kind="source", hash=hash_source(store.tombstone_key(), "session", agent, session), at=at, actor=actor)


def record_tombstone(store: Store, record_id: str, *, at: datetime, actor: str) -> Tombstone:
    """Says that a record was erased: nothing can be written under its id."""
    from diarist.model.record import Tombstone
    from diarist.text.erased import hash_source

    return Tombstone(kind="source", hash=hash_source(store.tombstone_key(), "record", record_id), at=at, actor=actor)


def value_tombstones(store: Store, values: Iterable[str], *, at: datetime, actor: str) -> list[Tombstone]:
    """Says that values were erased, in any of the forms in which they are often passed on. Raises InvalidInputError."""
    from diarist.model.record import Tombstone
    from diarist.text.erased import make_marks

    key = store.tombstone_key()
    made = []
    for value in values:
        try:
            marks = make_marks(key, value)
        except ValueError as error:
            raise InvalidInputError(str(error)) from error
        made += [Tombstone(kind="value", hash=mark.hash, at=at, actor=actor, hint=mark.hint()) for mark in marks]
    return made
