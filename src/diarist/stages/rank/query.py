"""The query language: words, "exact phrases" and filters such as `agent:codex` or `since:14d`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from diarist.errors import UsageError
from diarist.model.hit import Query
from diarist.stages.rank.words import telling, without_foreign
from diarist.text.analyse import analyse, language_in
from diarist.text.durations import parse_duration
from diarist.text.lazy import lazy
from diarist.text.stem import language_of

FILTERS = ("agent", "project", "outcome", "tag", "kind", "since", "before", "file", "tool", "workflow")
OUTCOMES = ("completed", "recovered", "failed", "interrupted", "unknown")
KINDS = ("entry", "note", "observation", "lesson", "proposal", "state", "memory", "skill")
_MOST_TERMS = 64
"""Terms of one query that are looked for; a longer text is a paste, of which the rarest words would do."""
_WORD = lazy(r"\S+")
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»"}


class ParsedQuery(NamedTuple):
    """A query taken apart. `words`: what was asked, without filters; for highlights and suggestions."""

    query: Query
    words: str

    def all_terms(self) -> tuple[str, ...]:
        """Analysed words, those of phrases included, each once."""
        return tuple(dict.fromkeys([*self.query.terms, *(term for phrase in self.query.phrases for term in phrase)]))


class _Piece(NamedTuple):
    name: str
    """Of a filter; empty for words."""
    value: str
    quoted: bool
    at: int


def parse_query(text: str, now: datetime, *, lenient: bool = False) -> ParsedQuery:
    """Reads a query. Times are resolved against `now` (aware). `lenient`: it is a prompt, so quotes and filters are words.

    Raises
    ------
    UsageError
        An unclosed quote, an unknown value of a filter, a filter given twice that can be given once: says where and what to write.
    """
    pieces = [_Piece("", text, False, 0)] if lenient else _split(text)
    words = " ".join(piece.value for piece in pieces if not piece.name)
    phrases = tuple(tuple(analyse(piece.value)) for piece in pieces if not piece.name and piece.quoted)
    free = " ".join(piece.value for piece in pieces if not piece.name and not piece.quoted)
    terms = telling(analyse(without_foreign(words), language_in(words)), language_of(words.lower().split())) if words.strip() else []
    query = Query(terms=tuple(terms[:_MOST_TERMS]), phrases=tuple(phrase for phrase in phrases if phrase))
    if not free.strip() and phrases:
        query = query._replace(terms=())
    for piece in pieces:
        if piece.name:
            query = _with_filter(query, piece, now)
    return ParsedQuery(query, words)


def narrow(
    parsed: ParsedQuery, now: datetime, *, project: str | None = None, kinds: Sequence[str] | None = None, **filters: Any
) -> ParsedQuery:
    """The query with further filters: the names of `FILTERS`, tags, files and tools also in the plural as lists.

    Times are text as in a query, Unix seconds or aware datetimes. A value of None narrows nothing.

    Raises
    ------
    UsageError
        An unknown filter or value.
    """
    query = parsed.query if project is None else parsed.query._replace(project=project)
    query = query._replace(kinds=(*query.kinds, *(_one_of("kind", kind, KINDS) for kind in kinds or ())))
    for name, value in filters.items():
        single = name if name in FILTERS else name.removesuffix("s")
        if single not in FILTERS:
            raise UsageError(f"there is no filter {name!r}. Filters are {', '.join(FILTERS)}.")
        for one in value if isinstance(value, list | tuple) else [value]:
            if one is not None:
                query = _with_filter(query, _Piece(single, _as_text(one), False, 0), now)
    return parsed._replace(query=query)


def _as_text(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, int):
        return datetime.fromtimestamp(value, UTC).isoformat()
    return str(value)


def _with_filter(query: Query, piece: _Piece, now: datetime) -> Query:
    name, value = piece.name, piece.value
    if not value:
        raise UsageError(f"the filter {name}: at character {piece.at + 1} has no value. Write for example {_EXAMPLES[name]}.")
    if name == "kind":
        return query._replace(kinds=(*query.kinds, _one_of(name, value, KINDS)))
    changes: dict[str, Any] = {}
    if name in ("tag", "file", "tool"):
        changes[name + "s"] = (*getattr(query, name + "s"), value)
    elif getattr(query, name) is not None:
        raise UsageError(f"the filter {name}: is given twice; a record can pass only one.")
    elif name in ("since", "before"):
        changes[name] = parse_time(value, now)
    else:
        changes[name] = _one_of(name, value, OUTCOMES) if name == "outcome" else value
    return query._replace(**changes)


def parse_time(value: str, now: datetime) -> int:
    """Reads "14d" (ago), "2026", "2026-03-01" or "2026-03-01T12:00" (UTC where no offset is given) as Unix seconds.

    Raises
    ------
    UsageError
        It is none of these.
    """
    year = len(value) == 4 and value.isascii() and value.isdigit() and value[:2] in ("19", "20")
    try:
        if "-" not in value and not year:
            return int((now - parse_duration(value)).timestamp())
        at = datetime.fromisoformat(f"{value}-01-01" if year else value)
        return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{value!r} is not a date or a span of time. Write 2026-03-01, 2026-03-01T12:00 or 14d.") from error


_EXAMPLES = {
    "agent": "agent:codex",
    "project": "project:shop",
    "outcome": "outcome:failed",
    "tag": "tag:flaky",
    "kind": "kind:note",
    "since": "since:14d",
    "before": "before:2026-03-01",
    "file": "file:app.py",
    "tool": "tool:Bash",
    "workflow": "workflow:42",
}


def _one_of(name: str, value: str, known: tuple[str, ...]) -> str:
    wanted = value.casefold()
    if wanted not in known:
        raise UsageError(f"{name}:{value} cannot be: {name} is one of {', '.join(known)}.")
    return wanted


def _split(text: str) -> list[_Piece]:
    """Words, quoted phrases and filters, in order."""
    pieces: list[_Piece] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        start, name = at, _filter_at(text, at)
        if name:
            at += len(name) + 1
        if at < len(text) and text[at] in _QUOTES and _opens(text, at):
            end = text.find(_QUOTES[text[at]], at + 1)
            if end < 0:
                raise UsageError(
                    f"the quote at character {at + 1} is not closed. Close it, or leave it out to search for the words in any order."
                )
            pieces.append(_Piece(name, text[at + 1 : end].strip(), True, start))
            at = end + 1
        else:
            end = found.end() if (found := _WORD.match(text, at)) else at
            pieces.append(_Piece(name, text[at:end], False, start))
            at = end
    return pieces


def _opens(text: str, at: int) -> bool:
    """A quote counts where a phrase can begin: not the inch sign of 5" or an apostrophe."""
    return at + 1 < len(text) and not text[at + 1].isspace()


def _filter_at(text: str, at: int) -> str:
    """Name of the filter that starts here, or "". Something like `std::vector` or `http://` is a word."""
    end = text.find(":", at, at + 12)
    if end < 0:
        return ""
    name = text[at:end]
    return name if name in FILTERS and text[end + 1 : end + 2] not in (":", "/", " ") and end + 1 < len(text) else ""
