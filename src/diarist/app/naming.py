"""Names of sessions as they are stored: made of redacted text only, and never other than they were.

Where a format names no session, its importer makes a name of how the session begins. Where redaction masks something in that, the
name is made anew of what is left: a digest of a secret would confirm it to who guesses it. Where it masks nothing, the name stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from diarist.errors import RedactionError
from diarist.model.codec import from_json, to_json
from diarist.model.session import Naming, SessionInfo

if TYPE_CHECKING:
    from diarist.app.toolbox import Reader
    from diarist.model.record import Part
    from diarist.model.redacted import Redacted
    from diarist.ports import Reading, Store


class Named(NamedTuple):
    """A session's name to store, and the one that earlier versions stored it by ("" for the same)."""

    name: Redacted
    former: str = ""


def stored_names(reading: Reading, reader: Reader) -> dict[str, Named]:
    """By the name that a reading uses: how the session is to be called. Sessions that are missing keep theirs."""
    told: Mapping[str, Naming] = getattr(reading, "naming", {})
    return {name: _named(name, naming, reader) for name, naming in told.items()}


def all_names(session: str, reading: Reading, reader: Reader) -> tuple[Redacted, ...]:
    """Every name under which a session of this reading may be known to the store."""
    naming: Mapping[str, Naming] = getattr(reading, "naming", {})
    named = _named(session, naming[session], reader) if session in naming else Named(reader.redactor.redact(session))
    return tuple(dict.fromkeys((named.name, *(reader.redactor.redact(each) for each in (session, named.former) if each))))


def _named(name: str, naming: Naming, reader: Reader) -> Named:
    redact = reader.redactor.redact
    if not naming.digest:
        return Named(redact(name), naming.former if naming.former != name else "")
    try:
        masked = _masked(naming.opening, reader)
    except RedactionError:
        masked = [len(text) for text in naming.opening]
    if masked is None:
        return Named(redact(name))
    digest = hashlib.sha256(to_json(masked)).hexdigest()[: len(naming.digest)]
    return Named(redact(name.replace(naming.digest, digest)), name)


def _masked(opening: tuple[str, ...], reader: Reader) -> list[Any] | None:
    """What redaction leaves of the texts, None where it leaves all of it. JSON is looked at field by field too."""
    texts = [str(reader.redactor.redact(text)) for text in opening]
    values = [_value(text) for text in opening]
    fields = reader.redactor.json(values)
    if texts == list(opening) and fields == values:
        return None
    return [texts, fields]


def _value(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def under_stored_name(part: Part, former: str, store: Store) -> Part:
    """The part under the name that its session has in the store already, if that is a former one."""
    if not former or not store.get_parts(part.agent, former):
        return part
    info = msgspec.structs.replace(from_json(part.info, SessionInfo), session=former)
    return msgspec.structs.replace(part, session=former, info=to_json(info))
