"""`diarist verify --all`: is everything the store says still what was written? Names the first break.

History is checked link by link, every record against its last event, every entry against its hash and its evidence, every chunk
of the vault against its name, every published file against what it was rendered from. The head of the chain can be written
down elsewhere as an anchor: whoever has it can tell later that no change up to there was taken out or put in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from diarist.app.published import published_files
from diarist.app.records import entry_of
from diarist.app.verifying import verify_entry
from diarist.errors import DiaristError, InvalidInputError
from diarist.model.record import RecordFilter

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Record

FORMAT = "diarist-anchor/1"
MAX_ANCHOR = 4096


class Anchor(msgspec.Struct, frozen=True, kw_only=True):
    """The head of a history chain, to be kept where the store's writers cannot reach it."""

    format: str = FORMAT
    workspace_id: str
    seq: int
    link: str
    """64 hex digits; empty before the first change."""


class StoreVerification(msgspec.Struct, frozen=True):
    """What was looked at, in counts, and what is wrong, the first break first."""

    faults: tuple[str, ...]
    history: int
    entries: int
    chunks: int
    files: int
    missing_files: int
    """Published files that are not there: somebody removed them; `diarist doctor --repair` writes them."""
    anchor: Anchor

    @property
    def ok(self) -> bool:
        """True where nothing is wrong."""
        return not self.faults

    @property
    def first(self) -> str:
        """The first break; empty where there is none."""
        return self.faults[0] if self.faults else ""


def verify_store(box: Toolbox, against: Anchor | None = None) -> StoreVerification:
    """Checks everything. Never raises for what is damaged: that is a fault."""
    faults: list[str] = []
    faults += _safely("history", box.store.check_history)
    faults += [] if against is None else _against(box, against)
    faults += _safely("storage", box.store.check_storage)
    counts = {"entries": 0, "chunks": 0, "files": 0, "missing_files": 0}
    try:
        faults += _chunks(box, counts)
        for record in box.store.list_records(RecordFilter(include_inactive=True), sort="created_at"):
            faults += _record(box, record, counts)
        history, anchor = box.store.last_seq(), make_anchor(box)
    except (DiaristError, ValueError) as error:
        faults.append(f"the store cannot be read on: {error}")
        history, anchor = 0, Anchor(workspace_id="", seq=0, link="")
    return StoreVerification(tuple(dict.fromkeys(faults)), history=history, anchor=anchor, **counts)


def make_anchor(box: Toolbox) -> Anchor:
    """The head as it is now."""
    seq = box.store.last_seq()
    return Anchor(workspace_id=box.store.workspace_id(), seq=seq, link=box.store.get_link(seq))


def read_anchor(data: bytes) -> Anchor:
    """Reads an anchor that was exported. Raises InvalidInputError."""
    try:
        anchor = msgspec.json.decode(data[:MAX_ANCHOR], type=Anchor)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"this is no anchor that `diarist verify --anchor` wrote ({error})") from error
    if anchor.format != FORMAT:
        raise InvalidInputError(f"an anchor of the form {anchor.format[:40]!r} is not known here")
    return anchor


def _safely(name: str, check: object) -> list[str]:
    assert callable(check)
    try:
        return list(check())
    except (DiaristError, ValueError, TypeError) as error:
        return [f"{name}: it cannot be read ({error})"]


def _against(box: Toolbox, anchor: Anchor) -> Iterator[str]:
    if anchor.workspace_id != box.store.workspace_id():
        yield "anchor: it is of another workspace"
    elif anchor.seq > box.store.last_seq():
        yield f"anchor: history ends with change {box.store.last_seq()}, before the anchored change {anchor.seq}"
    elif anchor.seq and box.store.get_link(anchor.seq) != anchor.link:
        yield f"anchor: the link of change {anchor.seq} is not the anchored one: something up to there was changed"


def _chunks(box: Toolbox, counts: dict[str, int]) -> Iterator[str]:
    vault = box.reader().vault
    for agent, session in box.store.list_sessions():
        for part in box.store.get_parts(agent, session):
            for chunk in part.chunks:
                counts["chunks"] += 1
                try:
                    vault.get(chunk)
                except DiaristError as error:
                    yield f"evidence of session {session} of {agent}: {error}"


def _record(box: Toolbox, record: Record, counts: dict[str, int]) -> Iterator[str]:
    if hashlib.sha256(record.body).hexdigest() != record.digest:
        yield f"{record.id}: its body is not what its digest says"
        return
    if record.kind == "entry":
        counts["entries"] += 1
        try:
            entry = entry_of(record)
            yield from (f"{record.id}: {fault}" for fault in verify_entry(box, entry).faults)
        except (DiaristError, ValueError) as error:
            yield f"{record.id}: it cannot be read ({error})"
            return
    for each in published_files(box, record):
        file = each.file
        try:
            same = box.publisher().is_current(record, each.kind, file.read_bytes())
        except FileNotFoundError:
            counts["missing_files"] += each.is_wanted
            continue
        except (OSError, DiaristError) as error:
            yield f"{record.id}: published file {file} cannot be read ({error})"
            continue
        if not each.is_wanted:
            yield f"{record.id}: {file} is still there, though the run turned out otherwise"
            continue
        counts["files"] += 1
        if not same:
            yield f"{record.id}: published file {file} is not what it was rendered as"
