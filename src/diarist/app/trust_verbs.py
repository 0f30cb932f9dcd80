"""The façade's verbs about trust: erasing, corrections, backups, verification; `Memory` inherits them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from diarist.app.backing_up import Manifest
    from diarist.app.correcting import Corrected
    from diarist.app.erasing_reach import Reach
    from diarist.app.moving import Progress
    from diarist.app.toolbox import Toolbox
    from diarist.app.verifying_store import StoreVerification
    from diarist.model.erasing import EraseWish, Receipt
    from diarist.model.machinery import Correction
    from diarist.model.proposal import Proposal
    from diarist.model.record import Record


class TrustVerbs:
    """See `app.memory.Memory`."""

    _box: Toolbox
    _read_only: bool
    _stale: bool

    def _writable(self) -> None:
        raise NotImplementedError

    def get(self, wanted: str, kinds: Sequence[str] = ()) -> Record:
        """See `app.memory.Memory.get`."""
        raise NotImplementedError

    # --- erasing ----------------------------------------------------------------------------------------------------------

    def preview_erase(self, wish: EraseWish) -> Reach:
        """What `erase` would reach; writes nothing. Raises as `erase` does."""
        from diarist.app.erasing_reach import reach

        return reach(self._box, self._exact(wish))

    def erase(self, wish: EraseWish) -> Receipt:
        """Erases for good what the wish names and what was made from it; nothing of it gets in again. See `app.erasing`.

        Raises
        ------
        UsageError
            The wish names nothing.
        NotFoundError, AmbiguousIdError
            An id names no record, or several.
        InvalidInputError
            A value is too short to be told from other texts.
        StoreLockedError
            All is erased but free pages, which another process keeps from being written anew.
        """
        from diarist.app.erasing import erase, finish

        self._writable()
        finish(self._box)
        return erase(self._box, self._exact(wish))

    def finish_erasures(self) -> list[Receipt]:
        """Does what interrupted erasures left undone; their receipts."""
        from diarist.app.erasing import finish

        self._writable()
        return finish(self._box)

    def erasures(self) -> list[Receipt]:
        """Receipts of all erasures, oldest first: that something was erased, never what."""
        from diarist.app.erasing import list_receipts

        return list_receipts(self._box)

    def residue(self, values: Sequence[str] = ()) -> list[str]:
        """Every place in the workspace that holds one of the values (none given: any erased value), one line each."""
        from diarist.app.residue import find_residue

        return list(find_residue(self._box, values))

    # --- corrections ------------------------------------------------------------------------------------------------------

    def correct(self, wanted: str, shape: str, *, text: str = "", why: str = "", until: datetime | None = None) -> Corrected:
        """Says that a record was wrong, or is no longer so: replaced, reversed, retracted, partly or until a time. See `app.correcting`.

        Raises as `get` does, and InvalidInputError where the shape needs a text or a time.
        """
        from diarist.app.correcting import Amends, correct

        self._writable()
        self._stale = True
        known = self._box.store.get_record(wanted)
        return correct(self._box, self.get(wanted) if known is None else known, Amends(shape, text, why, until))

    def take_back_correction(self, wanted: str) -> str:
        """Takes a correction back; returns the id of what it was about. Raises as `get` does."""
        from diarist.app.correcting import take_back

        self._writable()
        self._stale = True
        return take_back(self._box, self.get(wanted, ("note",)).id)

    def corrections(self, wanted: str) -> list[Correction]:
        """What was said of a record, oldest first. Raises as `get` does."""
        known = self._box.store.get_record(wanted)
        return self._box.store.list_corrections([self.get(wanted).id if known is None else known.id])

    # --- review -----------------------------------------------------------------------------------------------------------

    def review_warnings(self, proposal: Proposal) -> list[str]:
        """Lines of a proposal that read like instructions to an agent, for the person who decides."""
        from diarist.app.suspecting import warnings_of

        return warnings_of(proposal)

    # --- backups and verification -----------------------------------------------------------------------------------------

    def back_up(self, target: str | Path, on_progress: Progress | None = None) -> Manifest:
        """Writes a backup of everything to one file, while others go on working, and reads it back.

        Raises StoreFullError, InvalidInputError (there is such a file).
        """
        from diarist.app.backing_up import back_up

        self._writable()
        return back_up(self._box, Path(target), on_progress)

    def verify_all(self, against: bytes | None = None) -> StoreVerification:
        """Checks history, records, entries, evidence and published files; `.first` names the first break.

        `against`: an anchor that `anchor` gave earlier. Raises InvalidInputError where it is none.
        """
        from diarist.app.verifying_store import read_anchor, verify_store

        return verify_store(self._box, None if against is None else read_anchor(against))

    def anchor(self) -> bytes:
        """The head of the history chain as a line of JSON, to be kept elsewhere."""
        from diarist.app.verifying_store import make_anchor
        from diarist.model.codec import to_json

        return to_json(make_anchor(self._box)) + b"\n"

    def _exact(self, wish: EraseWish) -> EraseWish:
        """The wish with whole ids; those of records that are not active too."""
        ids = [each if self._box.store.get_record(each) is not None else self.get(each).id for each in wish.ids]
        return wish._replace(ids=tuple(dict.fromkeys(ids)))
