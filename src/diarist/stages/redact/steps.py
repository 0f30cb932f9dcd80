"""Redacts what importers yield: steps, facts about sessions, JSON values. Every string of theirs goes through here."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from diarist.errors import DiaristError, RedactionError
from diarist.model.redacted import Redacted, RedactedJson
from diarist.model.session import RawStep, SessionInfo, Step
from diarist.stages.redact.binary import drop_binary
from diarist.stages.redact.engine import Engine
from diarist.stages.redact.segments import encode
from diarist.stages.redact.verdict import is_secret
from diarist.stages.redact.words import NO_KEY, Key, Level, read_key
from diarist.text.lazy import lazy

_NAMES = ("name", "key", "Name", "Key", "variable", "field")
"""Keys of `{"name": "DB_PASSWORD", "value": "…"}`."""
_VALUES = ("value", "Value", "val", "default")

_CLIPPED = lazy(r"\n\[… ([0-9]{1,15}) characters cut …\]\n")
"""What `clip` leaves: a text that it clipped (in a session that was written out and comes in again) stays as it is, count included."""
_MARK_ROOM = 200
"""The mark, and the rest of a placeholder at either end of it."""


class Masker(Protocol):
    """Masks one text: a `Redactor`."""

    def redact(self, text: str) -> Redacted:
        """The text with its secrets masked."""
        ...

    def masked(self, text: str) -> tuple[Redacted, int]:
        """How many secrets were masked so far."""
        ...

    def engine(self, size: int) -> Engine:
        """What finds the secrets."""
        ...


def redact_step(redactor: Masker, raw: RawStep, limit: int) -> tuple[Step, int]:
    """See `Redactor.step`."""
    walk = Walk(redactor, limit)
    try:
        rid, tool, call_id, actor = walk.names(raw.rid, raw.tool, raw.call_id, raw.actor)
        step = Step(
            kind=raw.kind,
            rid=rid,
            text=walk.text(raw.text) if raw.text else Redacted(""),
            at=raw.at,
            tool=tool,
            arguments=None if raw.arguments is None else RedactedJson(walk.value(raw.arguments, NO_KEY)),
            call_id=call_id,
            error=raw.error,
            exit_code=raw.exit_code,
            mark=raw.mark,
            actor=actor,
            clipped=walk.clipped,
        )
    except DiaristError:
        raise
    except Exception as error:
        raise RedactionError("a step could not be redacted and was dropped") from error
    return step if not walk.clipped else msgspec.structs.replace(step, clipped=walk.clipped), walk.masked


def redact_info(redactor: Masker, info: SessionInfo) -> SessionInfo:
    """See `Redactor.info`."""
    changes: dict[str, Any] = {}
    for name in info.__struct_fields__:
        value = getattr(info, name)
        if isinstance(value, str) and value and name != "role":
            changes[name] = redactor.redact(value)
        elif name == "models":
            changes[name] = tuple(redactor.redact(model) for model in value)
    return msgspec.structs.replace(info, **changes)


def redact_json(redactor: Masker, value: Any) -> tuple[Any, int]:
    """The value with every string redacted, and the number of places masked. Raises RedactionError where it is too deep to walk."""
    walk = Walk(redactor, 0)
    try:
        return walk.value(value, NO_KEY), walk.masked
    except DiaristError:
        raise
    except Exception as error:
        raise RedactionError("a JSON value could not be redacted and was dropped") from error


class Walk:
    """Goes through the strings of one record and counts. `limit` 0: nothing is clipped."""

    def __init__(self, redactor: Masker, limit: int) -> None:
        self._redactor = redactor
        self._limit = limit
        self.masked = 0
        self.clipped = 0

    def names(self, *texts: str) -> list[Redacted]:
        """Short texts (ids, names), looked at together: mostly there is nothing in any of them."""
        data = encode("\n".join(texts))
        if "rivate" not in texts[0] and self._redactor.engine(len(data)).is_clean(data) and b"rivate" not in data:
            return [Redacted(text) for text in texts]
        return [self._redact(text) if text else Redacted("") for text in texts]

    def text(self, text: str) -> Redacted:
        """A text without binary data and secrets, clipped."""
        return self._clip(self._redact(drop_binary(text) if len(text) > 512 else text))

    def value(self, value: Any, key: Key) -> Any:
        """Any JSON value; `key` is what the key above it says."""
        if isinstance(value, str):
            return self._leaf(value, key)
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list | tuple):
            return [self.value(part, key) for part in value]
        if key.level > Level.NONE and isinstance(value, int) and not isinstance(value, bool):
            return self._number(value, key)
        return value

    def _object(self, value: dict[Any, Any]) -> dict[Any, Any]:
        named = _named(value)
        result: dict[Any, Any] = {}
        for name, part in value.items():
            key = named if named is not None and name in _VALUES else key_of(name)
            result[self._key(name)] = self.value(part, key)
        return result

    def _key(self, name: Any) -> Any:
        """A key is redacted like any text; two that become one by that are told apart."""
        return self._redact(name) if isinstance(name, str) else name

    def _leaf(self, text: str, key: Key) -> Redacted:
        if key.level > Level.NONE and is_secret(encode(text[:4096]), key, quoted=True, setting=True):
            self.masked += 1
            return Redacted(f"[REDACTED:{key.kind}]")
        return self.text(text) if text else Redacted("")

    def _number(self, value: int, key: Key) -> Any:
        if not is_secret(str(value).encode(), key, quoted=True, setting=True):
            return value
        self.masked += 1
        return Redacted(f"[REDACTED:{key.kind}]")

    def _redact(self, text: str) -> Redacted:
        redacted, count = self._redactor.masked(text)
        self.masked += count
        return redacted

    def _clip(self, text: Redacted) -> Redacted:
        if not self._limit or len(text) <= self._limit:
            return text
        before = _CLIPPED.search(text) if len(text) <= self._limit + _MARK_ROOM else None
        if before is not None:
            self.clipped += int(before[1])
            return text
        clipped, cut = clip(text, self._limit)
        self.clipped += cut
        return clipped


def key_of(name: Any) -> Key:
    """What a JSON key says about its value."""
    return read_key(encode(name)) if isinstance(name, str) and len(name) <= 100 else NO_KEY


def _named(value: dict[Any, Any]) -> Key | None:
    """What the name in `{"name": …, "value": …}` says about the value."""
    if len(value) > 12 or not any(name in value for name in _VALUES):
        return None
    for name in _NAMES:
        if isinstance(value.get(name), str):
            return key_of(value[name])
    return None


def clip(text: Redacted, limit: int) -> tuple[Redacted, int]:
    """Head and tail of a text, `limit` characters together, and how many were cut out between them; never a placeholder in two."""
    head = _outside(text, limit - limit // 2)
    tail = _outside(text, len(text) - limit // 2)
    cut = tail - head
    return Redacted(f"{text[:head]}\n[… {cut} characters cut …]\n{text[tail:]}"), cut


def _outside(text: str, at: int) -> int:
    """`at`, or the end of the placeholder it lies in."""
    start = text.rfind("[REDACTED:", max(0, at - 80), at)
    end = text.find("]", start) + 1 if start >= 0 else 0
    return max(at, end)
