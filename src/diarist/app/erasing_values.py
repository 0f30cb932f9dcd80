"""Takes erased values out of all that a workspace keeps: as after a new redaction rule, but by their tombstones."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from diarist.app.masking import Masking
from diarist.app.rescanning import mask_everywhere
from diarist.app.skill_records import list_skills, put_skill
from diarist.app.skillfolders import write_skill
from diarist.app.skills import checkout_of
from diarist.model.session import Step
from diarist.stages.redact.erasing import ErasingRedactor
from diarist.text.lookalike import BREAK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diarist.app.rescanning import RescanReport
    from diarist.app.toolbox import Reader, Toolbox
    from diarist.model.record import Part, SourceState

_decode = msgspec.json.Decoder(Step).decode


class ErasedMasking(Masking):
    """Masks erased values and nothing else. Parts stay under the rules they were redacted by."""

    def __init__(self, redactor: ErasingRedactor) -> None:
        super().__init__(redactor)
        self._erasing = redactor

    def again(self) -> ErasedMasking:
        """See `Masking.again`."""
        return ErasedMasking(self._erasing)

    def part(self, part: Part, reader: Reader) -> tuple[Part, bool]:
        """See `Masking.part`."""
        made, changed = super().part(part, reader)
        return msgspec.structs.replace(made, rules_version=part.rules_version), changed

    def _line(self, raw: bytes, session: str) -> bytes:
        step = _decode(raw)
        told = [step.text, step.rid, step.tool, step.call_id, step.actor, *_strings(step.arguments)]
        return super()._line(raw, session) if self._erasing.holds_erased(BREAK.join(told)) else raw


class LateMasking:
    """For what was read before something was erased, and is about to be written after it."""

    def __init__(self, box: Toolbox) -> None:
        self._box = box
        self._reader = box.reader()
        self._masking = ErasedMasking(ErasingRedactor(self._reader.redactor, box.store.tombstones().values, only=True))
        self._chunks: dict[str, None] = {}

    def part(self, part: Part) -> Part:
        """The part without erased values, its evidence on disk."""
        self._chunks.update(dict.fromkeys(part.chunks))
        made, changed = self._masking.part(part, self._reader)
        if changed:
            self._reader.vault.flush()
        return made if changed else part

    def source(self, source: SourceState) -> SourceState:
        """What is known of a file, without sessions that were erased."""
        erased = self._reader.erased
        return msgspec.structs.replace(
            source, sessions=tuple(each for each in source.sessions if not erased.holds("session", *each.split(":", 1)))
        )

    def finish(self) -> None:
        """Once that is committed: evidence that nothing names, because it was replaced or its session was erased, goes."""
        from diarist.app.erasing_files import delete_chunks

        delete_chunks(self._box, tuple(self._chunks))


def take_out_values(box: Toolbox) -> RescanReport:
    """Masks every erased value wherever it is kept. May be killed at any time and run again. Raises as `rescan` does."""
    reader = box.reader()
    report = mask_everywhere(box, ErasedMasking(ErasingRedactor(reader.redactor, box.store.tombstones().values, only=True)))
    _settle_skills(box)
    return report


def _settle_skills(box: Toolbox) -> None:
    """Accepted skills whose text was masked: their digest, and their files where nobody edited them."""
    for record, skill in list_skills(box.store, retired=True):
        digest = hashlib.sha256(skill.text.encode()).hexdigest()
        if digest == skill.digest:
            continue
        made = msgspec.structs.replace(skill, digest=digest, written=tuple(dict.fromkeys((*skill.written, digest))))
        with box.store.transaction(actor=box.actor, at=box.now()) as tx:
            put_skill(tx, made, record.project, at=box.now(), action="erase-value")
            if record.status != "active":
                tx.set_status(record.id, record.status, action="erase-value")
        checkout = checkout_of(box, record.project)
        if checkout is not None and record.status == "active":
            write_skill(box, checkout, made)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from (str(key), *_strings(part))
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
