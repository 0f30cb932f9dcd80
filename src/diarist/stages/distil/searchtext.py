"""What the search index is fed for a session: its prompts and replies, bounded, no tool output."""

from __future__ import annotations

from collections.abc import Sequence

from diarist.model.entry import Entry, ErrorSeen
from diarist.model.record import SearchText
from diarist.model.redacted import derived
from diarist.stages.distil.ledger import Ledger

LIMIT = 100_000


def make_search_text(entry: Entry, ledger: Ledger) -> SearchText:
    """The beginning, the end and what stands near errors, decisions and corrections come first where not all has room."""
    return SearchText(
        title=entry.title,
        errors=derived("\n".join(_error_line(error, ledger) for error in entry.errors)),
        fixes=derived("\n".join(fix.text for fix in entry.fixes)),
        tags=derived(" ".join(entry.tags)),
        body=derived(_body(entry, ledger)),
        files=tuple(file.path for file in entry.files[:400]),
        tools=tuple(dict.fromkeys(entry.tools)),
        fingerprints=tuple(error.fingerprint for error in entry.errors),
        fixed_fingerprints=tuple(error.fingerprint for error in entry.errors if error.resolved),
    )


def _error_line(error: ErrorSeen, ledger: Ledger) -> str:
    """The message with those words of the fault that it does not hold itself: of the lines and frames around it."""
    known = ledger.troubles.get(error.fingerprint)
    more = [word for word in known.words if word not in error.message] if known else []
    return " ".join([error.message, *more])


def _body(entry: Entry, ledger: Ledger) -> str:
    told = [*entry.tried, *entry.worked, *entry.failed, entry.rationale, entry.learned]
    pieces = sorted([*((ask.step, ask.text) for ask in ledger.prompts), *((said.step, said.text) for said in ledger.replies)])
    near = {said.step for event in [*ledger.runs, *ledger.troubles.values()] if (said := event.after) is not None}
    room = LIMIT - sum(len(text) + 1 for text in told)
    chosen: dict[int, str] = {}
    for at in _order(pieces, near):
        text = pieces[at][1]
        if room <= 0:
            break
        chosen[at] = text[:room]
        room -= len(text) + 1
    return "\n".join([*(text for text in told if text), *(chosen[at] for at in sorted(chosen))])


def _order(pieces: Sequence[tuple[int, str]], near: set[int]) -> list[int]:
    """First and last ten, then what stands near errors, then the rest from the end."""
    edge = [*range(min(10, len(pieces))), *range(max(0, len(pieces) - 10), len(pieces))]
    beside = [at for at, (step, _) in enumerate(pieces) if step in near]
    return list(dict.fromkeys([*edge, *beside, *range(len(pieces) - 1, -1, -1)]))
