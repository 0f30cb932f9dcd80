"""What the index holds of a record, and the queries over it. Terms are analysed here and in `stages.rank`, never by the engine."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import tantivy

from diarist.text.analyse import VERSION as ANALYSIS
from diarist.text.analyse import analyse_joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from diarist.model.hit import Query
    from diarist.model.record import Record, SearchText

VERSION = f"index/5 {ANALYSIS}"
"""Another version means another index: it is built anew beside the old one."""

TEXT, ERRORS, MARKS, RECORD, SEQ, CREATED, ASIDE = "text", "errors", "marks", "record", "seq", "created", "aside"
SET_ASIDE = "observation"
"""Records of this kind tell patterns of a run whose entry is searched: their words are found by those who ask for the kind."""

_WEIGHTS = (("title", 2), ("tags", 1), ("errors", 1), ("fixes", 1), ("body", 1), ("project", 1))
"""How often each text counts in the one searched field: one posting list a word keeps a search at a million records fast."""
_FAULTS = {16: 30.0, 17: 5.0, 8: 10.0}
"""What a whole fingerprint, a solved one, a family adds to the score: enough to come before records that only share words."""
_DEEPEST = 6
"""Trailing parts of a path by which a file can be asked for."""
_SPACES = {ord(space): "\x1f" for space in " \t\n\r\x0b\x0c"}


def make_schema() -> tantivy.Schema:
    """`text` and `aside` have positions for phrases; `errors` and `marks` are looked up by single terms."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(TEXT, tokenizer_name="whitespace", index_option="position")
    builder.add_text_field(ERRORS, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field(MARKS, tokenizer_name="whitespace", index_option="basic")
    builder.add_text_field(RECORD, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field(SEQ, fast=True)
    builder.add_integer_field(CREATED, indexed=True, fast=True)
    builder.add_text_field(ASIDE, tokenizer_name="whitespace", index_option="position")
    return builder.build()


def make_document(record: Record, search: SearchText) -> tuple[tantivy.Document, int]:
    """The index document of a record, and how many different terms its text holds."""
    parts = {name: _analysed(getattr(search, name)) for name, _ in _WEIGHTS if name != "project"}
    words = any(parts.values())  # a record without words is found by its marks only
    parts["project"] = _analysed(record.project.rstrip("/").rsplit("/", 1)[-1]) if words else ""
    document = tantivy.Document()
    field = ASIDE if record.kind == SET_ASIDE else TEXT
    for name, times in _WEIGHTS:
        for _ in range(times if parts[name] else 0):
            document.add_text(field, parts[name])
    document.add_text(ERRORS, parts["errors"])
    document.add_text(MARKS, " ".join(sorted(set(_marks(record, search)))))
    document.add_text(RECORD, record.id)
    document.add_unsigned(SEQ, record.seq)
    document.add_integer(CREATED, int(record.created_at.timestamp()))
    return document, len(set(" ".join(parts.values()).split())) if field == TEXT else 0


def _analysed(text: str) -> str:
    terms = analyse_joined(text).strip() if text else ""
    return terms if terms.isascii() else _encodable(terms)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@lru_cache(maxsize=10_000)
def mark(name: str, value: str) -> str:
    """A filter as one term: no white space, no case."""
    return _encodable(f"{name}:{value}".casefold().translate(_SPACES))


def _marks(record: Record, search: SearchText) -> Iterator[str]:
    yield mark("kind", record.kind)
    for name, value in (("project", record.project), ("agent", record.agent), ("workflow", record.workflow), ("outcome", record.outcome)):
        if value:
            yield mark(name, value)
    for tag in record.tags:
        yield mark("tag", tag)
    for tool in search.tools:
        yield mark("tool", tool)
    for path in search.files:
        parts = path.replace("\\", "/").strip("/").split("/")
        for start in range(max(0, len(parts) - _DEEPEST), len(parts)):
            yield mark("file", "/".join(parts[start:]))
    for fingerprint in search.fingerprints:
        yield mark("fault", fingerprint)
        yield mark("fault", fingerprint[:8])
    for fingerprint in search.fixed_fingerprints:
        yield mark("fault", "+" + fingerprint)
    for named in _spoken_about(record):
        yield mark("about", named)


def _spoken_about(record: Record) -> list[str]:
    """Ids of which the record's body says that they are superseded, or stand; of a judgement, of all its records."""
    if record.kind not in ("note", "lesson", "state") or (b'"supersedes":["' not in record.body and b'"stands":["' not in record.body):
        return []
    body = json.loads(record.body)
    named = [*(body.get("supersedes") or ()), *(body.get("stands") or ()), body.get("later")]
    return [each for each in named if isinstance(each, str)]


def make_query(schema: tantivy.Schema, query: Query, common: frozenset[str] = frozenset()) -> tantivy.Query | None:
    """The engine's query: any of the terms or fingerprints, all phrases, all filters. None where nothing is asked for by words.

    `common`: terms that count for the order only; the other terms decide which records are found.
    """
    needed, optional = _words(schema, query, common)
    needed += _filters(schema, query)
    if len(needed) == 1 and not optional:
        return needed[0]
    return _all(needed, optional) if needed else None


def _words(schema: tantivy.Schema, query: Query, common: frozenset[str]) -> tuple[list[tantivy.Query], list[tantivy.Query]]:
    """What a record must hold, and what else counts for its score."""
    field = ERRORS if query.errors_only else text_field(query)
    wanted = [_term(schema, field, term) for term in query.terms if term not in common]
    wanted += [_flat(_term(schema, MARKS, mark("fault", one)), _FAULTS.get(len(one), 1.0)) for one in query.fingerprints]
    phrases = [
        tantivy.Query.phrase_query(schema, text_field(query), list(phrase))
        if len(phrase) > 1
        else _term(schema, text_field(query), phrase[0])
        for phrase in query.phrases
        if phrase
    ]
    if not wanted:
        return phrases, []
    union = [wanted[0] if len(wanted) == 1 else tantivy.Query.boolean_query([(tantivy.Occur.Should, one) for one in wanted])]
    if query.phrases and phrases:
        return phrases, union
    return ([] if query.phrases else union), [_term(schema, field, term) for term in query.terms if term in common]


def text_field(query: Query) -> str:
    """Where the words of a query are looked for."""
    return ASIDE if query.kinds == (SET_ASIDE,) else TEXT


def make_part(schema: tantivy.Schema, seq: int, term: str) -> tantivy.Query:
    """One record, scored by one term."""
    only = tantivy.Query.range_query(schema, SEQ, tantivy.FieldType.Unsigned, seq, seq)
    return _all([_term(schema, TEXT, term), _flat(only, 0.0)], [])


def has_words(query: Query) -> bool:
    """Whether anything is ranked by; else only filters are given, and the newest comes first."""
    return bool(query.terms or query.phrases or query.fingerprints)


def _all(needed: list[tantivy.Query], optional: list[tantivy.Query]) -> tantivy.Query:
    must, should = tantivy.Occur.Must, tantivy.Occur.Should
    return tantivy.Query.boolean_query([*((must, one) for one in needed), *((should, one) for one in optional)])


def _filters(schema: tantivy.Schema, query: Query) -> Iterator[tantivy.Query]:
    if query.kinds:
        kinds = [(tantivy.Occur.Should, _term(schema, MARKS, mark("kind", kind))) for kind in query.kinds]
        yield _flat(tantivy.Query.boolean_query(kinds), 0.0)
    single = (("project", query.project), ("agent", query.agent), ("workflow", query.workflow), ("outcome", query.outcome))
    for name, value in single:
        if value is not None:
            yield _flat(_term(schema, MARKS, mark(name, value)), 0.0)
    for name, values in (("tag", query.tags), ("file", query.files), ("tool", query.tools)):
        for value in values:
            yield _flat(_term(schema, MARKS, mark(name, value.strip("/").replace("\\", "/") if name == "file" else value)), 0.0)
    if query.about:
        about = [(tantivy.Occur.Should, _term(schema, MARKS, mark("about", named))) for named in query.about]
        yield _flat(tantivy.Query.boolean_query(about), 0.0)
    if query.since is not None or query.before is not None:
        yield _flat(_range(schema, query.since, query.before), 0.0)


def _range(schema: tantivy.Schema, since: int | None, before: int | None) -> tantivy.Query:
    low, high = -(2**62) if since is None else since, 2**62 if before is None else before
    return tantivy.Query.range_query(schema, CREATED, tantivy.FieldType.Integer, low, high, include_lower=True, include_upper=False)


def _term(schema: tantivy.Schema, field: str, value: Any) -> tantivy.Query:
    option = "basic" if field == MARKS else "freq"  # "basic" would score a text without counting how often the word stands in it
    return tantivy.Query.term_query(schema, field, value, index_option=option)


def _flat(query: tantivy.Query, score: float) -> tantivy.Query:
    return tantivy.Query.const_score_query(query, score)
