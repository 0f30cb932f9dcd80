"""What is kept, redacted once more: records, evidence and history payloads under the rules of today.

Types say where outside text can be: fields of type `Redacted`, and free JSON. Ids, digests, times and our own words are left
alone, as they are when a text first comes in.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import re
import types
import typing
from typing import TYPE_CHECKING, Any

import msgspec

from diarist.errors import RedactionError, StoreCorruptError
from diarist.model.codec import seal, to_json
from diarist.model.entry import Entry
from diarist.model.proposal import Proposal
from diarist.model.record import Note, Part, Record, SearchText
from diarist.model.redacted import Redacted, RedactedJson
from diarist.model.session import CaptureReport, RawStep, SessionInfo, Step
from diarist.model.theme import Draft, Lesson

if TYPE_CHECKING:
    from collections.abc import Callable

    from diarist.app.toolbox import Reader
    from diarist.model.record import HistoryEvent
    from diarist.stages.redact import Redactor

_BODIES: dict[str, type] = {"entry": Entry, "note": Note, "lesson": Lesson, "proposal": Proposal, "state/syntheses": Draft}
_FREE_KINDS = ("observation", "memory")
"""Bodies whose keys others chose: a key may say that its value is a secret."""
_OUTSIDE = ("project", "key")
"""Fields of plain type that hold a name from outside all the same: the key of a skill's proposal is made of what was asked."""
SHORTEST = 6
"""Characters of a value that is looked for in tags."""
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Step).decode


class Masking:
    """Redacts values of the model and counts. `places`: how many were newly masked; `dropped`: steps that could not be redacted."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self.places = 0
        self.dropped = 0
        self._gone: set[str] = set()
        """Values masked in the record at hand, in lower case: its tags may repeat them so."""

    def again(self) -> Masking:
        """The same masking, its counts at nothing."""
        return type(self)(self._redactor)

    def text(self, text: str) -> Redacted:
        """One text."""
        redacted, count = self._redactor.masked(text)
        if redacted != text:
            self.places += max(count, 1)
            self._gone |= {text[each.start : each.end].lower() for each in self._redactor.find(text) if each.end - each.start >= SHORTEST}
        return redacted

    def tags(self, tags: tuple[str, ...] | str) -> tuple[Redacted, ...] | Redacted:
        """Tags, one by one or in one text, without what the record they belong to says elsewhere and may not say any more."""
        if not isinstance(tags, str):
            return tuple(self._tag(tag) for tag in tags)
        return self._tag(tags)

    def _tag(self, tag: str) -> Redacted:
        redacted = str(self.text(tag))
        for value in sorted(self._gone, key=lambda each: (-len(each), each)):
            if value in redacted.lower():
                self.places += 1
                redacted = re.sub(re.escape(value), "[REDACTED:value]", redacted, flags=re.IGNORECASE)
        return Redacted(redacted)

    def record(self, record: Record, search: SearchText) -> tuple[Record, SearchText]:
        """A record with its columns and body, and its search text. Equal to what was given where nothing is to be masked."""
        self._gone = set()
        body = self._body(record.body, record.kind, record.namespace)
        changed: Record = self._struct(record, Record)
        if body != record.body:
            changed = msgspec.structs.replace(changed, body=body, digest=hashlib.sha256(body).hexdigest())
        made = changed, self._struct(search, SearchText)
        self._gone = set()
        return made

    def revision(self, event: HistoryEvent) -> tuple[Record, Record] | None:
        """What a change said the record was, then and masked; None where its payload is gone. Without a body of its own: an empty one."""
        if event.payload is None:
            return None
        line, _, body = event.payload.partition(b"\n")
        old = msgspec.convert({**msgspec.json.decode(line), "body": body}, Record)
        return old, self.record(old, SearchText())[0]

    def part(self, part: Part, reader: Reader) -> tuple[Part, bool]:
        """A part under the rules of today, its new chunks in the vault; and whether what it tells has changed."""
        before = self.places
        info = self._info(part.info)
        steps = part.steps
        if part.role == "text":
            chunks, again = self._text_chunks(part, reader)
        else:
            found = [self._step_chunk(chunk, part.session, reader) for chunk in part.chunks]
            chunks, steps, again = tuple(chunk for chunk, _ in found), steps - sum(lost for _, lost in found), False
        changed = again or chunks != part.chunks or info != msgspec.json.decode(part.info, type=SessionInfo)
        capture = part.capture
        if changed and self.places > before:
            told = msgspec.json.decode(part.capture, type=CaptureReport)
            capture = to_json(msgspec.structs.replace(told, redacted=told.redacted + self.places - before))
        made = msgspec.structs.replace(
            part,
            agent=info.agent if changed else part.agent,
            chunks=chunks,
            steps=steps,
            info=to_json(info) if changed else part.info,
            capture=capture,
            rules_version=self._redactor.version,
        )
        return made, changed

    # --- inner ------------------------------------------------------------------------------------------------------------

    def _info(self, raw: bytes) -> SessionInfo:
        info = msgspec.json.decode(raw, type=SessionInfo)
        made = self._redactor.info(info)
        if made.host:
            made = msgspec.structs.replace(made, host=self._redactor.json(made.host))
        self.places += made != info
        return made

    def _step_chunk(self, chunk: str, session: str, reader: Reader) -> tuple[str, int]:
        """The chunk anew (the same id where nothing changed), and how many steps had to be dropped."""
        old = reader.vault.get(chunk)
        lines, lost = [], 0
        for raw in old.splitlines(keepends=True):
            try:
                lines.append(self._line(raw, session))
            except RedactionError:
                lost += 1
            except msgspec.MsgspecError as error:
                raise StoreCorruptError(f"vault chunk {chunk} does not hold steps ({error}); `diarist doctor` names the session") from error
        self.dropped += lost
        new = b"".join(lines)
        return (chunk if new == old else reader.vault.put(new)), lost

    def _line(self, raw: bytes, session: str) -> bytes:
        old = _decode(raw)
        fields = {name: getattr(old, name) for name in old.__struct_fields__ if name != "clipped"}
        new, count = self._redactor.step(RawStep(session=session, **fields), limit=0)
        new = msgspec.structs.replace(new, clipped=old.clipped)
        if new == old:
            return raw
        self.places += max(count, 1)
        return _encode(new) + b"\n"

    def _text_chunks(self, part: Part, reader: Reader) -> tuple[tuple[str, ...], bool]:
        """Chunks of a plain transcript, and whether the steps read out of it come out otherwise."""
        content = b"".join(map(reader.vault.get, part.chunks))
        text = self.text(content.decode("utf-8", "replace")).encode()
        if text != content:
            return (reader.vault.put(text),), True
        importer = reader.find_importer(content[:65536], None)
        raws = importer.read(io.BytesIO(content), None) if importer is not None else ()
        return part.chunks, any(self._redactor.step(raw, limit=reader.clip)[1] for raw in raws)

    def _body(self, body: bytes, kind: str, namespace: str) -> bytes:
        if not body:
            return body
        model = _BODIES.get(kind) or _BODIES.get(f"{kind}/{namespace}")
        old = json.loads(body) if model is None else msgspec.json.decode(body, type=model)
        if kind in _FREE_KINDS:
            new = self._redactor.json(old)
            self.places += new != old
        else:
            new = self._any(old) if model is None else self._struct(old, model)
        if new == old:
            return body
        return to_json(seal(new) if isinstance(new, Entry) else new)

    def _struct(self, value: Any, model: type) -> Any:
        changes = {}
        for name, walk in _walks(model).items():
            old = getattr(value, name)
            new = walk(self, old)
            if new != old:
                changes[name] = new
        return msgspec.structs.replace(value, **changes) if changes else value

    def _any(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value) if value else value
        if isinstance(value, dict):
            return {self._any(key): self._any(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self._any(part) for part in value]
        return value


_Walk = typing.Callable[[Masking, Any], Any]


@functools.cache
def _walks(model: type) -> dict[str, Callable[[Masking, Any], Any]]:
    """How each field of a type that may hold outside text is gone through; the others are left out."""
    found = {}
    hints = typing.get_type_hints(model)
    for name in sorted(hints, key=lambda name: name == "tags"):
        walk = Masking.tags if name == "tags" else _plain if name in _OUTSIDE else _walk_of(hints[name])
        if walk is not None and name in model.__struct_fields__:  # type: ignore[attr-defined]
            found[name] = walk
    return found


def _walk_of(hint: Any) -> _Walk | None:
    if hint is Redacted:
        return _plain
    if hint is Any or hint is RedactedJson:
        return Masking._any
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return (lambda masking, value: masking._struct(value, hint)) if _walks(hint) else None
    parts = [part for part in typing.get_args(hint) if part not in (type(None), Ellipsis)]
    walks = [_walk_of(part) for part in parts]
    origin = typing.get_origin(hint)
    if not any(walks):
        return None
    inner = walks[-1] or _same
    if origin in (typing.Union, types.UnionType):
        return lambda masking, value: None if value is None else inner(masking, value)
    if origin is tuple:
        return lambda masking, value: tuple(inner(masking, part) for part in value)
    if origin is dict:
        return lambda masking, value: {key: inner(masking, part) for key, part in value.items()}
    raise TypeError(f"{hint} is not known here")


def _plain(masking: Masking, value: Any) -> Any:
    return masking.text(value) if value else value


def _same(_masking: Masking, value: Any) -> Any:
    return value
