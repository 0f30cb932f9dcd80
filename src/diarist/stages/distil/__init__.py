"""The distil stage: one redacted session in, one diary entry out. No model, no clock, no I/O.

How each field is made and why it can be believed: docs/explanation/distil.md.
"""

from __future__ import annotations

import msgspec

from diarist.model.entry import Entry
from diarist.model.host import HostFacts
from diarist.model.record import SearchText
from diarist.model.redacted import Redacted
from diarist.model.session import Session
from diarist.stages.distil.assemble import DISTIL_VERSION, make_entry
from diarist.stages.distil.reading import read_steps
from diarist.stages.distil.searchtext import make_search_text

__all__ = ["DISTIL_VERSION", "Distilled", "HostFacts", "distil"]


class Distilled(msgspec.Struct, frozen=True, kw_only=True):
    """An entry, sealed, and what the search index is fed for it."""

    entry: Entry
    search: SearchText


def distil(
    session: Session, *, entry_id: str, task_id: Redacted, host: HostFacts | None = None, rules_version: str = ""
) -> Distilled | None:
    """Tells a session.

    One pass over `session.steps`; memory does not grow with their number. The result depends on the arguments alone.
    `task_id` is told as it is; `rules_version` names the redaction rules the steps went through.

    Returns None for a session without a prompt, a call or a reply: there is nothing to tell.
    """
    ledger = read_steps(session.steps, session.info.cwd)
    if not (ledger.prompts.added or ledger.calls or ledger.replies.added):
        return None
    entry = make_entry(session, ledger, host or HostFacts(), entry_id=entry_id, task_id=task_id, rules_version=rules_version)
    return Distilled(entry=entry, search=make_search_text(entry, ledger))
