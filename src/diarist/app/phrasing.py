"""A model's wording of theme labels and summaries, where one is configured: on drafts only, under the cap that reflection keeps.

Its failure changes nothing: the report is complete without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from diarist.app.journal import log
from diarist.app.records import state_record
from diarist.app.spending import ask, basis_of
from diarist.errors import ModelError, RedactionError
from diarist.model.codec import from_json, to_json
from diarist.model.ids import make_id
from diarist.model.record import SearchText
from diarist.model.redacted import Redacted, derived
from diarist.stages.synthesis.phrasing import MAX_TOKENS, make_prompt, settle
from diarist.stages.synthesis.themes import finish

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.theme import Report, Theme
    from diarist.ports import Completer

ROLE = "synthesis.wording"
MOST = 20
"""Themes of one report that a model is asked about, largest first, if they say anything to act on."""


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
    telling = [theme.id for theme in report.themes if theme.is_telling][:MOST]
    for theme in report.themes:
        wording = _known(box, theme)
        counts["known"] += wording is not None
        if wording is None and theme.id in telling:
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
    try:
        answer = ask(box, completer, prompt, role=ROLE, max_tokens=MAX_TOKENS)
        if answer is None:
            return None
        label, summary = settle(box.reader().redactor.redact(answer.text))
        model = box.reader().redactor.redact(completer.name)
    except (ModelError, RedactionError):
        return None
    if not label:
        return None
    wording = Wording(basis=basis_of(prompt), label=label, summary=summary, model=model)
    _write(box, theme, wording)
    return wording


def _known(box: Toolbox, theme: Theme) -> Wording | None:
    record = box.store.get_record(make_id("wording", theme.lineage))
    if record is None or record.status != "active":
        return None
    wording = from_json(record.body, Wording)
    return wording if wording.basis == basis_of(make_prompt(theme)) else None


def _write(box: Toolbox, theme: Theme, wording: Wording) -> None:
    record = state_record(
        make_id("wording", theme.lineage),
        to_json(wording),
        namespace="wordings",
        title=f"Wording of {theme.id}",
        at=box.now(),
        project=next(iter(theme.projects)),
        trust="model",
    )
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        tx.put_record(record, SearchText())
