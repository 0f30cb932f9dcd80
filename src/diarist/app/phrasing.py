"""A model's wording of theme labels and summaries, where one is configured: on drafts only, under the cap that reflection keeps.

Its failure changes nothing: the report is complete without it.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from diarist.app.journal import log
from diarist.errors import ModelError, RedactionError
from diarist.model.codec import from_json, to_json
from diarist.model.ids import make_id
from diarist.model.machinery import Spending
from diarist.model.record import Record, SearchText
from diarist.model.redacted import Redacted, derived
from diarist.stages.reflect import estimate_tokens
from diarist.stages.synthesis.phrasing import MAX_TOKENS, make_prompt, settle
from diarist.stages.synthesis.themes import finish

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.theme import Report, Theme
    from diarist.ports import Completer

ROLE = "synthesis.wording"
MOST = 20
"""Themes of one report that a model is asked about, largest first."""


class Wording(msgspec.Struct, frozen=True, kw_only=True):
    """What a model wrote about one theme. `basis`: digest of the prompt it answers."""

    basis: str
    label: Redacted
    summary: Redacted
    model: Redacted


def reword_themes(box: Toolbox, report: Report) -> Report:
    """The report with a model's labels and summaries, where `synthesis.wording` asks for them.

    A theme that was worded before, and has not changed since, is not asked about again.
    """
    completer = box.completer() if box.settings.get("synthesis.wording") else None
    if completer is None:
        return report
    worded: list[Theme] = []
    counts = {"written": 0, "failed": 0, "known": 0}
    for number, theme in enumerate(report.themes):
        wording = _known(box, theme)
        counts["known"] += wording is not None
        if wording is None and number < MOST:
            wording = _ask(box, completer, theme)
            counts["written" if wording else "failed"] += 1
        worded.append(theme if wording is None else _with(theme, wording))
    log(box.settings.workspace, box.now(), "wording", **counts)
    return msgspec.structs.replace(report, themes=tuple(worded))


def _with(theme: Theme, wording: Wording) -> Theme:
    summary = derived(f"{wording.summary} (worded by {wording.model})") if wording.summary else Redacted("")
    return finish(msgspec.structs.replace(theme, label=wording.label or theme.label, summary=summary))


def _ask(box: Toolbox, completer: Completer, theme: Theme) -> Wording | None:
    prompt = make_prompt(theme)
    reserved = _price(box, estimate_tokens(prompt), MAX_TOKENS)
    if not _reserve(box, reserved):
        return None
    spent = Spending(1)
    try:
        answer = completer.complete(prompt, max_tokens=MAX_TOKENS)
        spent = _price(box, answer.input_tokens or estimate_tokens(prompt), answer.output_tokens or estimate_tokens(answer.text))
        label, summary = settle(box.reader().redactor.redact(answer.text))
        model = box.reader().redactor.redact(completer.name)
    except (ModelError, RedactionError):
        return None
    finally:
        change = Spending(spent.calls - reserved.calls, spent.tokens - reserved.tokens, spent.micro_usd - reserved.micro_usd)
        with box.store.transaction(actor=box.actor, at=box.now()) as tx:
            tx.add_spending(f"{box.now():%Y-%m-%d}", ROLE, change)
    if not label:
        return None
    wording = Wording(basis=_basis(prompt), label=label, summary=summary, model=model)
    _write(box, theme, wording)
    return wording


def _known(box: Toolbox, theme: Theme) -> Wording | None:
    record = box.store.get_record(make_id("wording", theme.lineage))
    if record is None or record.status != "active":
        return None
    wording = from_json(record.body, Wording)
    return wording if wording.basis == _basis(make_prompt(theme)) else None


def _write(box: Toolbox, theme: Theme, wording: Wording) -> None:
    body = to_json(wording)
    record = Record(
        id=make_id("wording", theme.lineage),
        kind="state",
        namespace=derived("wordings"),
        project=derived(next(iter(theme.projects))),
        title=derived(f"Wording of {theme.id}"),
        trust="model",
        created_at=box.now(),
        updated_at=box.now(),
        digest=hashlib.sha256(body).hexdigest(),
        body=body,
    )
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        tx.put_record(record, SearchText())


def _reserve(box: Toolbox, wanted: Spending) -> bool:
    """Takes the most a call can cost out of the day's budget, before the call."""
    day = f"{box.now():%Y-%m-%d}"
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        spent = box.store.get_spending(day)
        if spent.tokens + wanted.tokens > box.settings.get("reflect.daily_tokens"):
            return False
        if wanted.micro_usd and spent.micro_usd + wanted.micro_usd > box.settings.get("reflect.daily_usd") * 1e6:
            return False
        tx.add_spending(day, ROLE, wanted)
    return True


def _price(box: Toolbox, tokens_in: int, tokens_out: int) -> Spending:
    usd = tokens_in * box.settings.get("reflect.usd_per_million_input") + tokens_out * box.settings.get("reflect.usd_per_million_output")
    return Spending(1, tokens_in + tokens_out, round(usd))


def _basis(prompt: Redacted) -> str:
    return hashlib.sha256(prompt.encode()).hexdigest()
