"""The façade's verbs for what moves results beside words: usefulness and embeddings. `Memory` inherits them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diarist.app.embedding import Embedded
    from diarist.app.toolbox import Toolbox
    from diarist.app.worth import Overview, Worth
    from diarist.model.record import Record
    from diarist.model.use import Told, Use


class UseVerbs:
    """See `app.memory.Memory`."""

    _box: Toolbox

    if TYPE_CHECKING:  # of the classes beside this one

        def _writable(self) -> None: ...

        def get(self, wanted: str, kinds: Sequence[str] = ()) -> Record: ...

    def note_use(self, told: Iterable[Told | tuple[Sequence[str], str, float, str]]) -> int:
        """Adds to the usefulness ledger: (record ids in their order, session, seconds since 1970, what became of them, surface).

        Returns the new rows.
        """
        from diarist.app.usefulness import note_use

        self._writable()
        return note_use(self._box, told)

    def feedback(self, wanted: str, verdict: str, *, session: str = "", surface: str = "") -> Use:
        """Says what became of a record that was used: helpful, harmful, ignored, followed or refuted. Raises as `get` does.

        `session`: "agent:native id" of the session it is said in; empty: a person says it.
        """
        from diarist.app.usefulness import feedback

        self._writable()
        return feedback(self._box, self.get(wanted).id, verdict, session, surface)

    def uses(self, wanted: str | None = None, *, limit: int = 1000) -> list[Use]:
        """The usefulness ledger of a record, oldest first, or its newest rows over all records. Raises as `get` does."""
        return self._box.store.list_uses(None if wanted is None else self.get(wanted).id, limit)

    def embed_pending(self, seconds: float = 60.0) -> Embedded:
        """Embeds records that wait for the configured model, the newest first, for about so long; see `app.embedding`. Never raises for it.

        The worker does this within a minute of a write.
        """
        from diarist.app.embedding import embed_pending

        self._writable()
        return embed_pending(self._box, seconds)

    def embedding_status(self) -> dict[str, Any]:
        """The embedding `model`, the `records` it has seen, its `vectors`, how many records are `waiting`, and the `problem`, if any."""
        from diarist.app.embedding import embedding_status

        return embedding_status(self._box)

    def worth(self, wanted: str) -> Worth:
        """How often a record was shown, what came of it in each session, and how that moves its rank. Raises as `get` does."""
        from diarist.app.worth import worth_of

        return worth_of(self._box.store, self.get(wanted).id)

    def usefulness(self, *, limit: int = 10) -> Overview:
        """What was shown through which surface, what came of it in all, and the records that helped most."""
        from diarist.app.worth import overview

        return overview(self._box.store, limit)
