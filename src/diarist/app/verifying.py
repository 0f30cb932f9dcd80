"""Is what an entry says still what its evidence gives? Every check names what is wrong."""

from __future__ import annotations

import hashlib
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from diarist.app.distilling import distil_parts
from diarist.app.evidence import Evidence
from diarist.errors import DiaristError, InvalidInputError
from diarist.model.codec import entry_digest, to_json
from diarist.model.entry import Entry

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.record import Part

NOT_DERIVED = frozenset({"entry_hash", "learned", "learned_by", "capture", "rules_version", "distil_version"})
"""Fields that a second distilling need not give back: hashes of the whole, a model's words, counts of the import."""


class Verification(msgspec.Struct, frozen=True):
    """`faults` is empty when everything checked out; `checked` says what was, `notes` what could not be."""

    id: str
    task_id: str
    faults: tuple[str, ...]
    checked: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True if no check failed."""
        return not self.faults


def verify_entry(box: Toolbox, entry: Entry, transcript: str | None = None) -> Verification:
    """Checks an entry against itself, the vault, and a transcript where one is given.

    `transcript` is the plain text that the entry was made from; it is redacted before it is compared.
    """
    faults: list[str] = []
    checked = ["entry hash"]
    notes: list[str] = []
    if entry_digest(entry) != entry.entry_hash:
        faults.append("entry hash: the entry was changed after it was written")
    parts = parts_of(box, entry)
    if not parts:
        notes.append("no transcript to verify against")
    else:
        checked += ["redaction hash", "evidence quotes", "each field against the evidence"]
        try:
            faults += _against_evidence(box, entry, parts)
        except DiaristError as error:
            faults.append(f"evidence: {error}")
    if transcript is not None:
        checked.append("transcript given")
        redacted = box.reader().redactor.redact(transcript)
        if hashlib.sha256(redacted.encode()).hexdigest() != entry.redaction_hash:
            faults.append("redaction hash: the transcript given is not the one this entry was made from")
    return Verification(entry.id, str(entry.task_id), tuple(faults), tuple(checked), tuple(notes))


def parts_of(box: Toolbox, entry: Entry) -> list[Part]:
    """The evidence an entry was made from; empty for entries that came without."""
    return box.store.get_parts(entry.agent, entry.session_id) or box.store.get_parts(entry.agent, f"task:{entry.project}/{entry.task_id}")


def _against_evidence(box: Toolbox, entry: Entry, parts: list[Part]) -> list[str]:
    evidence = Evidence(parts, box.reader())
    faults = []
    if _hash(evidence) != entry.redaction_hash:
        faults.append("redaction hash: the transcript in the vault is another one")
    faults += _quotes(entry, evidence)
    again = distil_parts(box, parts)
    if again is None:
        return [*faults, "the evidence gives no entry"]
    if again.entry.distil_version == entry.distil_version and again.entry.rules_version == entry.rules_version:
        faults += _differences(entry, again.entry)
    return faults


def _hash(evidence: Evidence) -> str:
    return evidence.digest()[0]


def _quotes(entry: Entry, evidence: Evidence) -> list[str]:
    """Quotes that stand in none of the steps they name."""
    open_quotes: dict[tuple[str, int], str] = {}
    wanted: dict[int, list[tuple[str, int]]] = {}
    for name, items in entry.evidence.items():
        for item in items:
            open_quotes[name, item.bullet] = item.quote
            for place in item.steps:
                wanted.setdefault(place, []).append((name, item.bullet))
    for number, step in enumerate(evidence):
        asked = [key for key in wanted.get(number, ()) if key in open_quotes]
        if asked:
            text = step.text + "\n" + (_strings(step.arguments) if step.arguments else "")
            for key in asked:
                if key in open_quotes and open_quotes[key] in text:
                    del open_quotes[key]
        if not open_quotes:
            break
    return [f"{name}[{bullet}]: its quote stands in none of the steps it names" for name, bullet in open_quotes]


def _strings(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(_strings(part) for part in value.values())
    if isinstance(value, list | tuple):
        return "\n".join(_strings(part) for part in value)
    return ""


def _differences(entry: Entry, again: Entry) -> list[str]:
    faults = []
    for name in entry.__struct_fields__:
        if name in NOT_DERIVED:
            continue
        told, found = getattr(entry, name), getattr(again, name)
        if told == found:
            continue
        if isinstance(told, tuple) and isinstance(found, tuple):
            places = [number for number, (one, other) in enumerate(zip_longest(told, found)) if one != other]
            faults.append(
                f"{name}[{places[0]}]: not what the transcript gives" + (f" (and {len(places) - 1} more)" if len(places) > 1 else "")
            )
        else:
            faults.append(f"{name}: not what the transcript gives")
    return faults


def verify_published(box: Toolbox, path: Path, transcript: str | None = None) -> Verification:
    """Checks a published diary file: its own hash, what the store holds under its id, and the evidence.

    Raises
    ------
    InvalidInputError
        The file cannot be read or is no entry that Diarist wrote.
    """
    try:
        entry = msgspec.json.decode(path.read_bytes(), type=Entry)
    except OSError as error:
        raise InvalidInputError(f"cannot read {path}: {error.strerror or error}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInputError(f"{path} is no diary entry that Diarist wrote: {error}") from error
    found = verify_entry(box, entry, transcript)
    record = box.store.get_record(entry.id)
    if record is not None and record.body != to_json(entry):
        return msgspec.structs.replace(found, faults=(*found.faults, "store: the file is not what the store holds under this id"))
    return found
