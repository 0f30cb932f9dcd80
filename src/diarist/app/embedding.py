"""Embeddings of the records' search texts: made by the worker, where a model is configured, from what is redacted already."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from diarist.config import truthy
from diarist.errors import InvalidInputError, ModelError, ReadOnlyError
from diarist.model.machinery import Spending
from diarist.stages.passages import passages
from diarist.stages.vectors import pack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from diarist.app.toolbox import Embedders, Toolbox
    from diarist.model.record import SearchText
    from diarist.model.redacted import Redacted
    from diarist.ports import Embedder

ROLE = "embed"
BATCH = 16
"""Records between two writes: what a killed worker may have to do again."""
NO_MODEL = "no embedding model is set (vectors.service)"


class Embedded(NamedTuple):
    """What a run made. `problem`: why it stopped before all was done; empty where it did not, or only for lack of time."""

    records: int = 0
    left: int = 0
    problem: str = ""


def embed_pending(box: Toolbox, seconds: float, clock: Callable[[], float] = time.monotonic) -> Embedded:
    """Embeds records whose present text the configured model has not seen, the newest first, for about so many seconds.

    What another model made is thrown away before. Never raises for what a model or its service does.
    """
    until, made = clock() + seconds, 0
    try:
        embedders = box.embedders()
        if embedders is None:
            return Embedded(problem=NO_MODEL)
        _forget_others(box, embedders.name)
        while waiting := box.store.list_unembedded(embedders.name, BATCH):
            problem = _embed(box, embedders, waiting)
            if problem:
                return Embedded(made, box.store.count_unembedded(embedders.name), problem)
            made += len(waiting)
            if clock() >= until:
                return Embedded(made, box.store.count_unembedded(embedders.name))
        if made and box.store.compares_vectors():
            box.store.tend_vectors(embedders.name, embedders.passages.dimensions)
    except ModelError as error:
        return Embedded(made, problem=str(error))
    return Embedded(made)


def wake_to_embed(box: Toolbox) -> None:
    """After a write: starts the worker where a model is configured, so that what was written is embedded within a minute."""
    if not box.settings.get("vectors.service") or truthy(box.environ.get("DIARIST_DISABLE")):
        return  # the second: this is the worker, or was started by it
    from diarist.app.wake import wake

    with suppress(OSError):
        wake(str(box.settings.workspace))


def embedding_status(box: Toolbox) -> dict[str, Any]:
    """`model` (empty: none is configured), `records` it has seen, `vectors`, how many records are `waiting`, and the `problem`, if any.

    `others`: rows of other models that are to go. `compared`: by whom vectors are compared, "pgvector" or "this process".
    """
    counts = {model: (records, rows) for model, records, rows in box.store.count_embeddings()}
    try:
        embedders = box.embedders()
        name, problem = (embedders.name, "") if embedders is not None else ("", NO_MODEL)
    except ModelError as error:
        name, problem = "", str(error)
    records, rows = counts.pop(name, (0, 0))
    waiting = box.store.count_unembedded(name) if name else 0
    others = sum(other for _, other in counts.values())
    told = {"model": name, "records": records, "vectors": rows, "waiting": waiting, "others": others, "problem": problem}
    return {**told, "compared": "pgvector" if box.store.compares_vectors() else "this process"}


def _forget_others(box: Toolbox, name: str) -> None:
    if any(model != name for model, _, _ in box.store.count_embeddings()):
        with box.store.transaction(actor=box.actor, at=box.now()) as tx:
            tx.keep_vectors_of(name)


def _embed(box: Toolbox, embedders: Embedders, waiting: Sequence[tuple[str, int, SearchText]]) -> str:
    """Embeds a batch and writes it down; returns why not, empty where it went well."""
    most = max(1, box.settings.get("vectors.passages"))
    texts = [passages(text, most) for _, _, text in waiting]
    flat: list[Redacted] = [passage for each in texts for passage in each]
    if embedders.costs and not reserve(box, sum(len(passage) for passage in flat) // 3 + 1):
        return "the day's tokens for embeddings are used up (vectors.daily_tokens)"
    made = iter(embedders.passages.embed(flat) if flat else [])
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        for (record_id, seq, _), each in zip(waiting, texts, strict=True):
            tx.put_vectors(embedders.name, record_id, seq, [_packed(next(made)) for _ in each] or [b""])
    return ""


def _packed(vector: Sequence[float]) -> bytes:
    try:
        return pack(vector)
    except InvalidInputError as error:
        raise ModelError(f"the embedding model gave {error}") from error


def reserve(box: Toolbox, tokens: int) -> bool:
    """Counts the tokens against the day's cap; False where they do not fit. 0 means no cap."""
    day, cap = f"{box.now():%Y-%m-%d}", box.settings.get("vectors.daily_tokens")
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        if cap and box.store.get_spending_of(day, ROLE).tokens + tokens > cap:
            return False
        tx.add_spending(day, ROLE, Spending(1, tokens))
    return True


def capped(box: Toolbox, embedders: Embedders, role: Embedder) -> Embedder:
    """The embedder of a role, its calls counted against the day's cap where they cost something."""
    return _Capped(box, role) if embedders.costs else role


class _Capped:
    """An embedder that raises ModelError where the day's tokens are used up, or cannot be counted."""

    def __init__(self, box: Toolbox, inner: Embedder) -> None:
        self._box = box
        self._inner = inner
        self.name = inner.name
        self.dimensions = inner.dimensions

    def embed(self, texts: Sequence[Redacted]) -> list[list[float]]:
        try:
            fits = reserve(self._box, sum(len(text) for text in texts) // 3 + 1)
        except ReadOnlyError as error:
            raise ModelError("what the model costs cannot be counted in a workspace opened for reading") from error
        if not fits:
            raise ModelError("the day's tokens for embeddings are used up (vectors.daily_tokens)")
        return self._inner.embed(texts)
