"""The query language."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from diarist.errors import UsageError
from diarist.stages.rank.query import ParsedQuery, narrow, parse_query

NOW = datetime(2026, 6, 15, 12, 0, tzinfo=UTC)


def parse(text: str) -> ParsedQuery:
    return parse_query(text, NOW)


def test_words_become_terms_without_those_that_tell_nothing() -> None:
    assert parse("How do we cache the prices?").query.terms == ("cach", "pric")


def test_a_query_of_such_words_alone_keeps_them() -> None:
    assert parse("what is it").query.terms == ("what", "is", "it")


def test_function_words_of_the_querys_language_go_too() -> None:
    terms = parse("wie werden die Rechnungen erstellt").query.terms
    assert "rechnungen" in terms
    assert not {"wie", "werden", "werd", "die"} & set(terms)


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("x agent:codex", "agent", "codex"),
        ('x project:"my shop"', "project", "my shop"),
        ("x outcome:FAILED", "outcome", "failed"),
        ("x tag:flaky tag:slow", "tags", ("flaky", "slow")),
        ("x kind:note kind:entry", "kinds", ("note", "entry")),
        ("x file:src/a.py", "files", ("src/a.py",)),
        ("x tool:Bash", "tools", ("Bash",)),
        ("x workflow:42", "workflow", "42"),
        ("x since:14d", "since", int(datetime(2026, 6, 1, 12, tzinfo=UTC).timestamp())),
        ("x since:2026", "since", int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())),
        ("x before:2026-03-01", "before", int(datetime(2026, 3, 1, tzinfo=UTC).timestamp())),
        ("x before:2026-03-01T12:00+02:00", "before", int(datetime(2026, 3, 1, 10, tzinfo=UTC).timestamp())),
    ],
)
def test_filters(text: str, field: str, value: object) -> None:
    parsed = parse(text)
    assert getattr(parsed.query, field) == value
    assert parsed.words == "x"


def test_phrases_are_exact_and_other_words_free() -> None:
    query = parse('"connection refused" postgres').query
    assert query.phrases == (("connection", "refus"),)
    assert "postgr" in query.terms or "postgre" in query.terms or "postgres" in query.terms


@pytest.mark.parametrize(
    "text", ["std::vector fails", "http://example.org down", "a file: b", "12:30 meeting", 'a 5" pipe', "agents: three"]
)
def test_what_only_looks_like_syntax_is_words(text: str) -> None:
    assert parse(text).words == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('find "this', "quote at character 6"),
        ("x outcome:good", "completed, recovered, failed"),
        ("x kind:diary", "entry, note"),
        ("x since:soon", "Write"),
        ("x since:2026-13-01", "Write 2026-03-01"),
        ("agent:a agent:b", "given twice"),
        ('x agent:""', "no value"),
    ],
)
def test_a_fault_is_explained(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse(text)


def test_a_prompt_is_never_at_fault() -> None:
    parsed = parse_query('he said "agent:x', NOW, lenient=True)
    assert parsed.query.agent is None
    assert "agent" in " ".join(parsed.query.terms)


def test_options_narrow_as_the_query_does() -> None:
    parsed = narrow(parse("x"), NOW, project="shop", kinds=["note"], tags=["a", "b"], since=datetime(2026, 1, 1, tzinfo=UTC), agent=None)
    assert (parsed.query.project, parsed.query.kinds, parsed.query.tags) == ("shop", ("note",), ("a", "b"))
    assert parsed.query.since == int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())
    with pytest.raises(UsageError, match="no filter 'colour'"):
        narrow(parse("x"), NOW, colour="red")


def test_function_words_of_any_language_tell_nothing() -> None:
    assert parse("lint und deploy").query.terms == parse("lint deploy").query.terms
    assert parse("deploy für staging").query.terms == parse("deploy staging").query.terms
    assert parse("und").query.terms == ("und",)
    assert "die" in parse("why does the worker die").query.terms
