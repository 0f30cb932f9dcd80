"""The façade's verbs for moving the whole store. `Memory` inherits them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from diarist.app.moving import Moved, Progress
    from diarist.app.toolbox import Toolbox


class MovingVerbs:
    """See `app.memory.Memory`."""

    _box: Toolbox
    _stale: bool

    if TYPE_CHECKING:  # of the classes beside this one

        def _writable(self) -> None: ...

    def export_store(self, target: str | Path, on_progress: Progress | None = None) -> Moved:
        """Writes everything to one file: records with ids, history, decisions and tombstones, sources, ledger and evidence.

        The file is as confidential as the store. `on_progress` is told lines done and lines in all. Raises StoreError, InvalidInputError.
        """
        from diarist.app.moving import export_store

        return export_store(self._box, Path(target), on_progress)

    def listen(self, seconds: float) -> set[str]:
        """Waits until the change log of some tenant on the same PostgreSQL has grown, for so long at most; names those tenants.

        On SQLite it only waits. Raises StoreError where the server is away.
        """
        from diarist.app.moving import whole

        return whole(self._box).listen(seconds)

    def import_store(self, source: str | Path, on_progress: Progress | None = None) -> Moved:
        """Reads such a file into an empty store, of either database; called again it goes on where it was broken off.

        Raises
        ------
        InvalidInputError
            It is no such file, it is damaged, or it comes from another version.
        StoreError
            The store holds something of its own.
        """
        from diarist.app.moving import import_store

        self._writable()
        return import_store(self._box, Path(source), on_progress)
