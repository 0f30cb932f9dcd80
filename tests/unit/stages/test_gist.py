"""What synthesis reads of an entry, made when the entry is written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diarist.model.codec import to_json
from diarist.model.gist import Run, RunError, RunFile, RunFix
from diarist.model.redacted import Redacted
from diarist.stages.gist import MOST_WORDS, PROMPT, find_words, gist_of, make_gist, read_gist
from diarist.text.terms import split_words, terms

AT = datetime(2026, 3, 4, tzinfo=UTC)


def make_run(**told: object) -> Run:
    fixed = {"id": "kh-1", "task_id": "t", "session_id": "s", "agent": "a", "project": "p", "title": "", "created_at": AT}
    return Run(**{**fixed, **told})  # type: ignore[arg-type]


def test_every_text_gives_its_words_once() -> None:
    """Each word as it was written first; other forms of it say nothing new."""
    gist = gist_of(
        make_run(
            title="Fix caches",
            prompt="the Cache of getUserName",
            rationale="evicted",
            learned="sharding",
            tried=("retry",),
            worked=("pin",),
            failed=("cached",),
            errors=(RunError("e1", Redacted("KeyError raised")),),
            fixes=(RunFix("e1", Redacted("lock it")),),
            files=(RunFile(Redacted("src/pool.py"), ("edit",)), RunFile(Redacted("README.md"), ("read",))),
            tags=("outcome:failed", "nightly"),
        )
    )
    told = "fix caches the of get user name evicted sharding key error raised src pool py readme md nightly retry pin lock it"
    assert gist.words == told
    assert gist.marks == ("error:e1", "file:src/pool.py")


@given(st.lists(st.text(), max_size=4))
def test_the_words_give_the_terms_of_the_texts(texts: list[str]) -> None:
    """None is lost, none is there twice."""
    found = [term for word in find_words(texts).split() for term in terms(word)]
    assert len(found) == len(set(found))
    assert set(found) == {term for text in texts for word in split_words(text) for term in terms(word)}


def test_a_pasted_log_does_not_drown_everything() -> None:
    """Only so many words of a text are looked at, and of the prompt only its beginning."""
    assert len(find_words([" ".join(f"w{'abcdefghij'[n % 10]}{n}x" for n in range(3 * MOST_WORDS))]).split()) == MOST_WORDS
    assert "beyond" not in gist_of(make_run(prompt="x" * PROMPT + " beyond")).words


def test_what_is_kept_is_read_again() -> None:
    """As it was made."""
    run = make_run(title="Fix caches", errors=(RunError("e1", Redacted("KeyError raised"), True, Redacted("a lock")),))
    assert read_gist(make_gist(to_json(run))) == gist_of(run)


@pytest.mark.parametrize("body", [b"", b"{}", b'{"id": 1}', b"\xff", b"[]"])
def test_what_is_no_entry_has_none(body: bytes) -> None:
    """Nothing fails for it: the record is kept."""
    assert make_gist(body) == b""
