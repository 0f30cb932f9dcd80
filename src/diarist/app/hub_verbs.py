"""The façade's verbs for the hub: documents by path, their history, keys, the audit trail, numbers. `Memory` inherits them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

    from diarist.app.documents import Edit, Edited, Revision
    from diarist.app.insights import Stats
    from diarist.app.keys import Grant, NewKey
    from diarist.app.mapping import Edge, Point
    from diarist.app.toolbox import Toolbox
    from diarist.model.access import Answer, ApiKey, Caller
    from diarist.model.proposal import Proposal
    from diarist.model.record import HistoryEvent, Record, RecordFilter


class HubVerbs:
    """See `app.memory.Memory`."""

    _box: Toolbox
    _read_only: bool
    _stale: bool

    if TYPE_CHECKING:  # of the classes beside this one

        def _writable(self) -> None: ...

        def get(self, wanted: str, kinds: Sequence[str] = ()) -> Record: ...

    # --- documents --------------------------------------------------------------------------------------------------------

    def edit_document(self, edit: Edit, *, by: str = "") -> Edited:
        """Writes a document of the hub, or files the edit for review; see `app.documents`.

        Raises InvalidInputError, ConflictError.
        """
        from diarist.app.documents import edit_document
        from diarist.app.hub_folder import write_document

        self._writable()
        self._stale = True
        edited = edit_document(self._box, edit, by)
        if edited.status == "merged":
            write_document(self._box, edited.id, edit.actor or by)
        return edited

    def markdown(self, wanted: str) -> str:
        """Any record as Markdown: an entry's hub document, a note's or skill's own text, else its fields. Raises as `get` does."""
        from diarist.app.documents import markdown_of

        return markdown_of(self._box, self.get(wanted))

    def history(self, wanted: str) -> list[Revision]:
        """Every change of a record, oldest first, with the text it had then. Raises as `get` does."""
        from diarist.app.documents import history

        return history(self._box, self.get(wanted))

    def revert(self, wanted: str, revision: int, *, by: str = "") -> Edited:
        """Gives a document the text of an earlier revision, as a new edit. Raises NotFoundError, InvalidInputError, as `get` does."""
        from diarist.app.documents import revert
        from diarist.app.hub_folder import write_document

        self._writable()
        self._stale = True
        edited = revert(self._box, self.get(wanted), revision, by)
        if edited.status == "merged":
            write_document(self._box, edited.id, by)
        return edited

    def diff(self, proposal: Proposal) -> str:
        """What a proposed edit would change, as a unified diff; "" for other kinds of proposals."""
        from diarist.app.differences import diff_of

        return diff_of(self._box, proposal)

    # --- in whose name ----------------------------------------------------------------------------------------------------

    def acting_as(self, actor: str) -> Self:
        """The same workspace, open all along; what is written through it stands in the history under this name. Not to be closed."""
        from copy import copy

        from diarist.model.redacted import Redacted

        made = copy(self)
        made._box = self._box._replace(actor=Redacted(self._box.reader().redactor.redact(actor)))
        return made

    # --- looking back -----------------------------------------------------------------------------------------------------

    def stats(self, *, days: int = 30, project: str | None = None) -> Stats:
        """Outcomes over time, agents, projects, errors that come back, tokens and cost; see `app.insights`."""
        from diarist.app.insights import stats

        return stats(self._box, days, project)

    def map(self) -> tuple[list[Point], list[Edge]]:
        """Every entry, document, lesson and skill as a point, near what it shares telling words with; see `app.mapping`."""
        from diarist.app.mapping import make_map

        return make_map(self._box)

    def audit(self, *, after: int = 0) -> Iterator[HistoryEvent]:
        """Every change of every record after change number `after`, oldest first."""
        return self._box.store.get_history(after=after)

    def count(self, where: RecordFilter) -> int:
        """How many records pass the filter."""
        return self._box.store.count_records(where)

    def last_change(self) -> int:
        """Number of the last change; a second call that gives the same says that nothing was written in between."""
        return self._box.store.last_seq()

    def refresh(self) -> int:
        """Brings the search index up to date; returns how many changes it still is behind (another process is writing it)."""
        from diarist.app.seeking import bring_up_to_date

        self._stale = False
        return bring_up_to_date(self._box.store, self._box.search_index())

    # --- who may call -----------------------------------------------------------------------------------------------------

    def add_key(self, grant: Grant) -> NewKey:
        """Makes a key for the hub; `.secret` can be seen this once. Raises InvalidInputError."""
        from diarist.app.keys import SECRET_BYTES, add_key

        self._writable()
        return add_key(self._box, grant, os.urandom(SECRET_BYTES))

    def api_keys(self, tenant: str | None = None) -> list[ApiKey]:
        """Keys of a tenant (None: of all), oldest first, those that are no longer good too."""
        from diarist.app.keys import list_keys

        return list_keys(self._box, tenant)

    def revoke_key(self, wanted: str, *, tenant: str | None = None) -> ApiKey:
        """Makes a key worthless from now on. Raises NotFoundError, AmbiguousIdError."""
        from diarist.app.keys import revoke_key

        self._writable()
        return revoke_key(self._box, wanted, tenant)

    def find_caller(self, secret: str) -> Caller | None:
        """Who shows this key; None for one that is not good."""
        from diarist.app.keys import find_caller

        return find_caller(self._box, secret)

    def get_key(self, digest: str) -> ApiKey | None:
        """The key with this SHA-256 (hex), good or not."""
        return self._box.store.find_api_key(digest)

    def now(self) -> datetime:
        """The clock that writes are dated by."""
        return self._box.now()

    def signing_key(self) -> bytes:
        """Secret (32 bytes) that cookies of this workspace are signed with."""
        import hashlib

        return hashlib.sha256(b"diarist-cookie/1" + self._box.store.tombstone_key()).digest()

    # --- requests that may come again -------------------------------------------------------------------------------------

    def find_answer(self, caller: str, key: str) -> Answer | None:
        """What this caller was answered under an idempotency key."""
        return self._box.store.find_answer(caller, self._safe_key(key))

    def keep_answer(self, caller: str, key: str, answer: Answer, *, forget_before: datetime) -> None:
        """Keeps an answer, and forgets those older than `forget_before`."""
        self._writable()
        with self._box.store.transaction(actor=self._box.actor, at=self._box.now()) as tx:
            tx.delete_answers(forget_before)
            tx.put_answer(caller, self._safe_key(key), answer)

    def request_mark(self, request: bytes) -> str:
        """Tells a request from another one. Without the workspace's secret it is no proof of what was asked."""
        import hashlib
        import hmac

        return hmac.new(self._box.store.tombstone_key(), b"diarist-request/1\0" + request, hashlib.sha256).hexdigest()

    def _safe_key(self, key: str) -> str:
        """An idempotency key as it is kept: clients choose them, and one may hold a secret."""
        return key if self._box.reader().redactor.redact(key) == key else f"masked:{self.request_mark(key.encode())}"
