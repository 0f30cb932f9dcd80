"""What is written together, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from diarist.model.access import Answer, ApiKey
from diarist.model.machinery import Backup, Correction, Delivery, Erasure, Spending
from diarist.model.record import Part, Record, SearchText, SourceState, Tombstone
from diarist.model.use import Effect, Use


class Transaction(Protocol):
    """Writes that become true together. Every change of a record writes the record, its history event and its change-log row."""

    def put_record(self, record: Record, search: SearchText, *, action: str = "", rewrite: bool = False) -> bool:
        """Adds or replaces; False where digest and status are as they were (then nothing is written, unless `rewrite`)."""
        ...

    def put_records(self, wanted: Sequence[tuple[Record, SearchText, str]]) -> list[bool]:
        """`put_record` for many, each with its action, in order; raises as that does."""
        ...

    def set_status(self, record_id: str, status: str, *, action: str) -> bool:
        """Makes a record active, retracted or superseded; False where it is so already, or there is none."""
        ...

    def erase_record(self, record_id: str) -> None:
        """Removes record, search text and all history payloads with their salts; history keeps that it was erased."""
        ...

    def forget_payloads(self, record_id: str, seqs: Sequence[int]) -> int:
        """Erases the payloads of these earlier changes of a record, with their salts; returns how many there were.

        What the record is now made of stays. History keeps that something was forgotten, as a change of action "rescan".
        """
        ...

    def put_part(self, part: Part, *, changed: bool = True) -> None:
        """Adds or replaces a part and marks its session dirty (to be distilled), unless what it tells has not `changed`."""
        ...

    def delete_part(self, agent: str, session: str, key: str) -> None:
        """Takes a part away and marks its session dirty; `key` tells the part from others of the session."""
        ...

    def clear_dirty(self, agent: str, session: str) -> None:
        """The session has been distilled as it is now."""
        ...

    def put_source(self, source: SourceState) -> None:
        """Adds or replaces what is known of a file that was read, its checkpoint included."""
        ...

    def put_tombstone(self, tombstone: Tombstone) -> None:
        """From then on neither the source nor the value gets in: `put_record` and `put_part` refuse it."""
        ...

    def put_tombstone_key(self, key_id: str, secret: bytes) -> None:
        """Adds the key of another workspace, whose tombstones are about to be added."""
        ...

    def put_erasure(self, erasure: Erasure) -> None:
        """Adds or replaces an erasure with what of it is done."""
        ...

    def put_backup(self, backup: Backup) -> None:
        """Notes that a backup was written."""
        ...

    def forget_session(self, session: str) -> None:
        """Takes a session ("agent:native id") out of the usefulness ledger."""
        ...

    def delete_corrections(self, record_id: str) -> None:
        """Takes the links of a record away, as a correction and as what was corrected."""
        ...

    def put_correction(self, correction: Correction) -> None:
        """Links a correction to its target; from then on the target counts as the correction says, whatever is imported again."""
        ...

    def add_spending(self, day: str, role: str, spent: Spending) -> None:
        """Adds to what models cost on a UTC day (ISO date); negative numbers give back what was reserved."""
        ...

    def put_delivery(self, delivery: Delivery) -> None:
        """Adds or replaces a document that waits for the hub elsewhere."""
        ...

    def delete_delivery(self, record_id: str) -> None:
        """The document was taken, or is not to be sent any more."""
        ...

    def add_api_key(self, key: ApiKey) -> None:
        """Adds a key: its SHA-256, never itself."""
        ...

    def revoke_api_key(self, key_id: str, at: datetime) -> bool:
        """False where there is no such key, or it is revoked already."""
        ...

    def touch_api_key(self, key_id: str, at: datetime) -> None:
        """Notes when a key was used last."""
        ...

    def put_answer(self, caller: str, key: str, answer: Answer) -> None:
        """Keeps what was answered under an idempotency key; one that is there stays."""
        ...

    def delete_answers(self, before: datetime) -> int:
        """Forgets answers from before this time; returns how many."""
        ...

    def put_publication(self, record_id: str, kind: str, path: str) -> None:
        """Fixes the file name a record was first published under, relative to its publish root."""
        ...

    def move_publication(self, record_id: str, kind: str, path: str) -> None:
        """Gives a published file another name: the one it had must not be seen any more."""
        ...

    def rename_use_session(self, old: str, new: str) -> None:
        """Calls a session of the usefulness ledger otherwise."""
        ...

    def add_use(self, use: Use) -> bool:
        """Adds to the usefulness ledger; False where it stands there already or the record is gone."""
        ...

    def replace_uses_read_off(self, session: str, uses: Sequence[Use]) -> None:
        """What the transcript of a session tells of records it was shown takes the place of what it told before."""
        ...

    def put_vectors(self, model: str, record_id: str, body_seq: int, vectors: Sequence[bytes]) -> bool:
        """Keeps the packed vectors of a record's passages in the place of those it had; an empty one marks a record without text.

        False where the record has another text by now, or is gone: then nothing is kept.
        """
        ...

    def keep_vectors_of(self, model: str) -> int:
        """Forgets what other models made; returns how many rows went."""
        ...

    def replace_effects(self, session: str, effects: Sequence[Effect]) -> None:
        """What came of records in a session takes the place of what was known before. Records that are gone are left out."""
        ...
