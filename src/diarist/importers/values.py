"""Reading loosely typed values: transcripts hold anything anywhere, so every access says what it takes and gives a default."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec

from diarist.model.session import Naming

_MAX_DEPTH = 64
_SMALLEST, _BEYOND, _BEYOND_COUNTS = -(2**63), 2**64, 2**63
_NUMBERS = (int, float)
_CONTAINERS = (dict, list)
_SIMPLE = frozenset((str, bool, type(None)))
LENIENT = json.JSONDecoder(strict=False, parse_int=lambda digits: int(digits) if len(digits) < 64 else float(digits))
"""Reads what stricter parsers refuse: control characters in texts, NaN, and numbers of any length."""
_EARLIEST, _BEYOND_YEAR = 1990, 2200
_from_iso = datetime.fromisoformat
_from_seconds = datetime.fromtimestamp


def as_str(value: object) -> str:
    """The value if it is text, else ""."""
    return value if isinstance(value, str) else ""


def as_int(value: object) -> int:
    """A count: the value if it is a whole number that is no bool, 0 to 2**63 - 1, else 0. Text of digits counts as its number."""
    if type(value) is int:
        return value if 0 <= value < _BEYOND_COUNTS else 0
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdigit() and len(value) < 19 else 0
    return int(value) if isinstance(value, float) and value.is_integer() and 0 <= value < _BEYOND_COUNTS else 0


def as_exit_code(value: object) -> int | None:
    """An exit status, negative ones (signals) included; None if the value is none."""
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,9}", value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, _NUMBERS) or not -(2**31) <= value < 2**32 or value != int(value):
        return None
    return int(value)


def as_cost(value: object) -> float | None:
    """US dollars, None where not told."""
    if isinstance(value, bool) or not isinstance(value, _NUMBERS) or not math.isfinite(value) or not 0 <= value < 1e9:
        return None
    return float(value)


def as_dict(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def dicts(value: object) -> Iterator[dict[str, Any]]:
    """The objects of a list, in order; what is no object is passed over."""
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


def words(text: str) -> tuple[str, ...]:
    """The words of a table written as text."""
    return tuple(text.split())


def first_str(source: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that holds a text which is not empty, else ""."""
    get = source.get
    for name in names:
        value = get(name)
        if value and isinstance(value, str):
            return value
    return ""


def as_time(value: object) -> datetime | None:
    """A moment (aware, UTC) from ISO 8601 text, or from a number of seconds, milli-, micro- or nanoseconds since 1970.

    Text without a zone is taken as UTC. None for what is no time between 1990 and 2200.
    """
    if value is None:
        return None
    found: datetime | None
    try:
        if type(value) is str and value[4:5] == "-" and len(value) <= 40:  # as nearly every time is written
            written = _from_iso(value)
            found = written if written.tzinfo is UTC else _in_utc(written)
        else:
            found = _from_text(value) if isinstance(value, str) else _from_number(value)
    except (ValueError, OverflowError, OSError):
        return None
    return found if found is not None and _EARLIEST <= found.year < _BEYOND_YEAR else None


def _from_text(value: str) -> datetime | None:
    """Of text that is written in another way than most: digits, or a date without hyphens."""
    if len(value) > 40 or not value[:1].isdigit():
        return None
    if value.replace(".", "", 1).isdigit() and value.isascii():
        return _from_number(float(value)) if len(value.split(".", maxsplit=1)[0]) >= 10 else None
    return _in_utc(_from_iso(value))


def _in_utc(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _from_number(value: object) -> datetime | None:
    if isinstance(value, bool) or not isinstance(value, _NUMBERS):
        return None
    if type(value) is int and 10**11 < value < 10**14:  # milliseconds, as most clients count them
        return _from_seconds(value / 1000, UTC)
    seconds = float(value)
    if not 0 < seconds < 1e20:
        return None
    while seconds > 1e11:
        seconds /= 1000
    return _from_seconds(seconds, UTC)


def as_arguments(value: object) -> dict[str, Any] | None:
    """Arguments of a call: an object, or the object a JSON text holds; anything else stands under "input". None if there are none."""
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        text = value.strip()
        parsed = parse_json(text) if text.startswith("{") else None
        return parsed if isinstance(parsed, dict) else {"input": value} if text else None
    return None if value is None else {"input": value}


def storable(value: dict[str, Any]) -> dict[str, Any]:
    """The object without what cannot be stored (see `is_storable`)."""
    for item in value.values():
        if type(item) not in _SIMPLE:
            return value if is_storable(value) else as_dict(clean(value))
    return value


def parse_json(text: str) -> Any:
    """The value a JSON text holds (lone surrogates made harmless), None where it is not JSON."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    try:
        return clean(LENIENT.decode(text.strip()))
    except (ValueError, RecursionError):
        return None


def content_text(content: object, depth: int = 0) -> str:
    """The text of message content: a string, or blocks of which the text ones count; images and other data leave no trace."""
    if isinstance(content, str):
        return content
    if depth > 8:
        return ""
    if isinstance(content, list):
        if len(content) == 1:
            only = content[0]
            if type(only) is dict and type(text := only.get("text")) is str:  # as most content is
                return text if depth < 8 else ""
        return "\n".join(filter(None, (content_text(part, depth + 1) for part in content)))
    if isinstance(content, dict):
        for name in ("text", "content", "output", "parts", "value"):
            if name in content:
                return content_text(content[name], depth + 1)
    return ""


def compact(value: object) -> str:
    """A value as text: itself if it is one, else compact JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (ValueError, RecursionError):
        return ""


def is_storable(value: object) -> bool:
    """False for nesting deeper than any real record has, on which code that walks values by recursion would fail, and for
    numbers that cannot be stored: those that JSON does not know, and whole ones beyond 64 bits.
    """
    level: list[Any] = [value]
    for _ in range(_MAX_DEPTH):
        following: list[Any] = []
        for node in level:
            for item in node.values() if isinstance(node, dict) else node if isinstance(node, list) else (node,):
                if isinstance(item, _CONTAINERS):
                    following.append(item)
                elif isinstance(item, _NUMBERS) and not _SMALLEST <= item < _BEYOND:
                    return False
        if not following:
            return True
        level = following
    return False


def clean(value: Any, depth: int = 0) -> Any:
    """The value with all replaced that cannot be written: lone surrogates, and what `is_storable` says."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, _NUMBERS):
        return value if _SMALLEST <= value < _BEYOND else None
    if depth >= _MAX_DEPTH - 1:
        return None
    if isinstance(value, dict):
        return {clean_text(key): clean(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [clean(item, depth + 1) for item in value]
    return value


def clean_text(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


@lru_cache(maxsize=1024)
def hash64(text: str) -> int:
    """64 bits that stand for an id in a checkpoint. An id is met several times within few records: a call's, a reply's."""
    return text64(text)


def text64(text: str) -> int:
    """The same of a text, which may be long and is not kept."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def digest_id(data: bytes) -> str:
    """An id made of content (24 hex digits), for sessions that have none of their own. `text_id` for content that may hold secrets."""
    return hashlib.sha256(data).hexdigest()[:24]


class MadeId(str):  # noqa: SLOT000 - a name with more to it; there are few
    """The name of a session that has none: it was made of how the session begins, and knows of what.

    A digest of a text that holds a secret would tell who guesses the secret that he is right. So whoever stores the name makes
    it anew of the redacted texts first, if that makes a difference.
    """

    naming: Naming

    @classmethod
    def of(cls, digest: str, opening: tuple[str, ...], before: str = "", behind: str = "", former: str = "") -> MadeId:
        """`digest` is of `opening`; `before` and `behind` stand around it in the name."""
        made = cls(f"{before}{digest}{behind}")
        made.naming = Naming(opening=opening, digest=digest, former=former)
        return made

    def within(self, before: str, behind: str = "") -> MadeId:
        """The same with other text around it."""
        return MadeId.of(self.naming.digest, self.naming.opening, before, behind)


def text_id(text: str, size: int = 24) -> MadeId:
    """An id made of a text, which is remembered until the name is stored. `size`: hex digits."""
    return MadeId.of(digest_id(text.encode("utf-8", "surrogatepass"))[:size], (text,))


def renamed(name: str, former: str) -> MadeId:
    """A session's own name, with the one that earlier versions gave it."""
    made = MadeId(name)
    made.naming = Naming(former=former)
    return made
