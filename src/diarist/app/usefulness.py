"""The usefulness ledger: what was shown, and what became of it.

Rows come from hooks (through the spool), from people and agents who say something, and from a session's own transcript. What
came of them is worked out anew whenever a session is imported or something is told of it, and takes the place of what was
known: importing again, importing in another order, or a session that grows cannot count anything twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from diarist.app.evidence import Evidence, main_info
from diarist.app.locating import agent_of
from diarist.errors import InvalidInputError, NotFoundError, StoreCorruptError
from diarist.model.ids import is_id
from diarist.model.record import RecordFilter
from diarist.model.use import USES, VERDICTS, Effect, Told, Use, event_of

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.entry import Entry
    from diarist.model.record import Part
    from diarist.ports import Transaction
    from diarist.stages.usefulness import Ending, Remedy

READ_OFF = ("mcp:", "cli:")
"""Surfaces of rows that were read off a transcript."""
CLIENTS = ("mcp", "claude-code", "codex", "gemini-cli", "copilot", "cursor", "opencode")
"""Who may tell of a session under its native id. An MCP client does not say which agent it is, and a client may drive another
one's agent; a session keeps the name of the agent whose transcript it is."""


NAMELESS = "mcp:mcp-"
"""How sessions begin of which an MCP server knows only its own process."""
SAME_MOMENT = timedelta(seconds=5)


class Outlook(NamedTuple):
    """What one session tells of the records it was shown; to be written in one transaction."""

    session: str
    uses: tuple[Use, ...] = ()
    effects: tuple[Effect, ...] = ()
    asides: tuple[str, ...] = ()
    """Other names of the session, under which no effects are kept any more."""


def note_use(box: Toolbox, told: Iterable[Told | tuple[Sequence[str], str, float, str]]) -> int:
    """Adds rows; ids that are none, or of records that are gone, are passed over. Returns how many rows are new."""
    uses = [
        Use(record_id, _safe(box, session_key(one.session)), datetime.fromtimestamp(one.at, UTC), event, one.surface, place)
        for one in (Told(*each) for each in told)
        if (event := event_of(one.event)) in USES
        for place, record_id in enumerate(one.ids, 1)
        if is_id(record_id)
    ]
    if not uses:
        return 0
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        new = [use for use in uses if tx.add_use(use)]
    for session in sorted({use.session for use in new}):
        settle(box, session)
    return len(new)


def _safe(box: Toolbox, session: str) -> str:
    """A session's name as it may be kept: a host chose it."""
    return box.reader().redactor.redact(session)


def feedback(box: Toolbox, record_id: str, verdict: str, session: str, surface: str = "") -> Use:
    """Adds what a person or an agent says of a record. Raises InvalidInputError for a verdict that there is not."""
    event = event_of(verdict)
    if event not in VERDICTS:
        raise InvalidInputError(f"{verdict!r} says nothing here; use one of {', '.join(('helpful', *VERDICTS))}")
    use = Use(record_id, _safe(box, session_key(session)) if session else f"person:{box.actor}", box.now(), event, surface)
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        tx.add_use(use)
    settle(box, use.session)
    return use


def session_key(session: str) -> str:
    """The ledger's name of a session, "agent:native id", from a client's name for it, or from a native id alone."""
    client, mark, native = session.partition(":")
    return f"{agent_of(client)}:{native}" if mark else f"mcp:{session}"


def settle(box: Toolbox, session: str) -> None:
    """Works out anew what came of the records that a session was shown or that were spoken about in it."""
    agent, _, native = session.partition(":")
    entries = _entries(box, native)
    agents = {str(entry.agent) for entry in entries}
    if agent not in agents and len(agents) == 1 and agent in CLIENTS:
        (agent,) = agents
    entries = [entry for entry in entries if entry.agent == agent]
    outlook = look_back(box, agent, native, box.store.get_parts(agent, native), entries)
    if outlook is not None:
        with box.store.transaction(actor=box.actor, at=box.now()) as tx:
            write_outlook(tx, outlook)


def look_back(box: Toolbox, agent: str, native: str, parts: Sequence[Part], entries: Sequence[Entry]) -> Outlook | None:
    """What a session tells of the records it was shown; None where there are none. Reads, and writes nothing.

    `entries`: its diary entries as they are now, whether or not they are in the store yet; none before it was imported.
    """
    from diarist.stages.usefulness import SHOWN, Showing, judge

    session = f"{agent}:{native}"
    asides = tuple(f"{client}:{native}" for client in CLIENTS if client != agent) if entries else ()
    known = [use for use in box.store.list_uses_of_sessions((session, *asides)) if not _is_read_off(use)]
    if not known and not any(map(_asked_diarist, entries)):
        return None
    own = {entry.id for entry in entries}
    from diarist.app.deeds import Reading, read_deeds

    read = Reading()
    if parts and entries:
        began = min(entry.started_at or entry.created_at for entry in entries)
        with suppress(StoreCorruptError, NotFoundError):  # evidence that cannot be read holds up nothing; `diarist doctor` names it
            read = read_deeds(Evidence(parts, box.reader()), session, began)
    showings = [Showing(use.record_id, use.at) for use in known if use.event in SHOWN] + read.showings
    said = [use for use in (*known, *read.uses) if use.event in VERDICTS]
    shown = sorted({one.record_id for one in showings} - own)
    effects = judge(
        session,
        [one for one in showings if one.record_id not in own],
        said,
        read.deeds,
        _ending(entries),
        {each: _remedy(box, each) for each in shown} if read.deeds else {},
    )
    if not entries:  # nothing came of what was shown so far: only what was said counts
        effects = [effect for effect in effects if effect.verdict]
    told = {use.session for use in known} - {session}
    return Outlook(session, tuple(read.uses), tuple(effects), (*sorted(told), *_doubles(box, read.uses)))


def _doubles(box: Toolbox, read: Iterable[Use]) -> list[str]:
    """Nameless sessions under which an MCP server took down what a transcript now tells of a session with a name."""
    found: dict[str, None] = {}
    for use in read:
        for other in box.store.list_uses(use.record_id) if use.event in VERDICTS else ():
            if other.session.startswith(NAMELESS) and other.event == use.event and abs(other.at - use.at) <= SAME_MOMENT:
                found[other.session] = None
    return list(found)


def write_outlook(tx: Transaction, outlook: Outlook) -> None:
    """Puts it in the place of what was known of the session."""
    tx.replace_uses_read_off(outlook.session, outlook.uses)
    tx.replace_effects(outlook.session, outlook.effects)
    for aside in outlook.asides:
        tx.replace_effects(aside, ())


def look_back_at(box: Toolbox, parts: Sequence[Part], entry: Entry) -> Outlook | None:
    """As `look_back`, for a session that is being imported."""
    info = main_info(parts)
    return look_back(box, info.agent, info.session, parts, [entry])


def _entries(box: Toolbox, native: str) -> list[Entry]:
    from diarist.app.records import entry_of

    if not native:
        return []
    where = RecordFilter(kinds=("entry",), session_id=native)
    return [entry_of(record) for record in box.store.list_records(where, sort="created_at")]


def _is_read_off(use: Use) -> bool:
    return use.surface.startswith(READ_OFF)


def _asked_diarist(entry: Entry) -> bool:
    return any("diarist" in tool for tool in entry.tools) or any("diarist" in command.text for command in entry.commands)


def _ending(entries: Sequence[Entry]) -> Ending:
    from diarist.stages.usefulness import Ending
    from diarist.text.fingerprint import family

    errors: dict[str, bool | None] = {}
    for error in (error for entry in entries for error in entry.errors):
        for mark in (error.fingerprint, family(error.fingerprint)):
            states = {error.resolved, errors.get(mark)}
            errors[mark] = False if False in states else True if True in states else None
    if not entries:
        return Ending()
    last = max(entries, key=lambda entry: (entry.created_at, entry.id))
    return Ending(last.id, last.outcome, last.verified, errors)


def _remedy(box: Toolbox, record_id: str) -> Remedy:
    from diarist.app.deeds import entry_remedy, text_remedy
    from diarist.app.records import entry_of
    from diarist.stages.usefulness import Remedy

    record = box.store.get_record(record_id)
    if record is None:
        return Remedy()
    if record.kind == "entry":
        return entry_remedy(entry_of(record))
    search = box.store.get_search_text(record_id)
    return text_remedy(search.body) if search is not None else Remedy()
