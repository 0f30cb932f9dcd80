"""A model's short reflection on a run, where one is configured: under a daily cap, redacted again, marked as a model's.

Its failure changes nothing but that prose: an entry without reflection tells what was learned from its strongest fix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from diarist.app.journal import log
from diarist.app.records import entry_record, state_record
from diarist.app.spending import ask, basis_of
from diarist.config import truthy
from diarist.errors import ModelError, RedactionError
from diarist.model.codec import from_json, seal, to_json
from diarist.model.ids import make_id
from diarist.model.record import SearchText
from diarist.model.redacted import Redacted
from diarist.stages.reflect import MAX_TOKENS, ROLE, estimate_tokens, make_prompt, settle
from diarist.text.injection import suspect

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.entry import Entry
    from diarist.ports import Completer, Store


class Reflection(msgspec.Struct, frozen=True, kw_only=True):
    """What a model wrote about one entry, and what that took. `basis`: digest of the prompt it answers."""

    entry_id: str
    basis: str
    text: Redacted
    model: Redacted
    role: str = ROLE
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class Preview(msgspec.Struct, frozen=True):
    """What would be sent for an entry, and its size in tokens (an estimate, rather too many)."""

    entry_id: str
    prompt: Redacted
    tokens: int


def reflection_wanted(box: Toolbox) -> bool:
    """`reflect.enabled` where it is set; else the hub's switch decides, as on Cerebrum's page."""
    if "reflect.enabled" in box.settings.explicit:
        return bool(box.settings.get("reflect.enabled"))
    return truthy(box.environ.get("KB_DIARIES_ENABLED"))


def preview(entries: Sequence[Entry]) -> list[Preview]:
    """What `reflect_on` would send."""
    return [Preview(entry.id, prompt, estimate_tokens(prompt)) for entry in entries for prompt in [make_prompt(entry)]]


def reflect_on(box: Toolbox, entries: Sequence[Entry]) -> dict[str, int]:
    """Asks once for each entry that has no reflection on its present state. Returns counts: written, failed, over_cap, known."""
    counts = {"written": 0, "failed": 0, "over_cap": 0, "known": 0}
    completer = box.completer() if entries else None
    for entry in entries:
        if completer is None:
            break
        if _known(box.store, entry) is not None:
            counts["known"] += 1
            continue
        counts[_reflect(box, completer, entry)] += 1
    if any(counts.values()):
        log(box.settings.workspace, box.now(), "reflect", **counts)
    return counts


def with_reflection(store: Store, entry: Entry) -> Entry:
    """The entry with the model's words, where there are some for its present state. Else as it is."""
    known = _known(store, entry)
    return entry if known is None else seal(msgspec.structs.replace(entry, learned=known.text, learned_by=known.model))


def _reflect(box: Toolbox, completer: Completer, entry: Entry) -> str:
    prompt = make_prompt(entry)
    try:
        answer = ask(box, completer, prompt, role=ROLE, max_tokens=MAX_TOKENS)
        if answer is None:
            return "over_cap"
        text = settle(box.reader().redactor.redact(answer.text))
        if not text or suspect(text).mark:  # what tools said to the agent must not come back in a model's words
            return "failed"
        reflection = Reflection(
            entry_id=entry.id,
            basis=basis_of(prompt),
            text=text,
            model=box.reader().redactor.redact(completer.name),
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            cost_usd=answer.usd,
        )
        _write(box, entry, reflection)
    except (ModelError, RedactionError):
        return "failed"
    return "written"


def _write(box: Toolbox, entry: Entry, reflection: Reflection) -> None:
    record = state_record(
        _record_id(entry),
        to_json(reflection),
        namespace="reflections",
        title=f"Reflection on {entry.id}",
        at=box.now(),
        project=entry.project,
        trust="model",
    )
    told = seal(msgspec.structs.replace(entry, learned=reflection.text, learned_by=reflection.model))
    known = box.store.get_record(entry.id)
    search = box.store.get_search_text(entry.id)
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        tx.put_record(record, SearchText())
        if known is not None and search is not None:
            tx.put_record(entry_record(told, trust=known.trust, at=box.now()), search, action="reflect")


def _known(store: Store, entry: Entry) -> Reflection | None:
    record = store.get_record(_record_id(entry))
    if record is None or record.status != "active":
        return None
    reflection = from_json(record.body, Reflection)
    return reflection if reflection.basis == basis_of(make_prompt(entry)) else None


def _record_id(entry: Entry) -> str:
    return make_id("reflection", entry.id)
