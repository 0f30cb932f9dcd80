"""Prompts to words, words to families."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diarist.stages.patterns.families import families, one_edit_apart, stem
from diarist.stages.patterns.words import MOST_WORDS, prompt_words


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("Could you please UPDATE the dependencies, thanks!", ("update", "dependencies")),
        ("fix 3 tests in src/app/tax.py and README.md", ("fix", "tests", "~tax.py", "~readme.md")),
        ("see https://example.org/a/b?c=d for <text>", ("see",)),
        ("rename get_user2 to fetch_user, ticket a3f9c1e", ("rename", "user", "fetch", "ticket")),
        ("¿Puedes traducir los comentarios al inglés?", ("traducir", "comentarios", "ingles")),
        ("変更差分をレビューしてください", ("^変更", "^更差", "^差分", "^レビュー")),
        ("请把代码部署到测试环境", ("^代码", "^码部", "^部署", "^署到", "^到测", "^测试", "^试环", "^环境")),
        ("코드 리뷰 부탁해", ("^코드", "^리뷰", "^부탁")),
        ("", ()),
    ],
)
def test_words_that_tell(prompt: str, words: tuple[str, ...]) -> None:
    """Without politeness, numbers and addresses; in any script."""
    assert prompt_words(prompt) == words


@given(st.text(max_size=3000))
def test_any_text_gives_few_distinct_words(text: str) -> None:
    """Never an error, never more than are looked at."""
    words = prompt_words(text)
    assert len(words) <= MOST_WORDS
    assert len(set(words)) == len(words)


def test_inflections_compounds_and_typing_errors_are_one_family() -> None:
    """Learnt from the vocabulary: rare words one edit from a frequent one, and words that are two known ones."""
    prompts = [["release", "notes"]] * 4 + [["relase", "note"], ["releases"], ["typehints"], ["type"], ["type"], ["hints"], ["hints"]]
    found = families(prompts)
    assert found["relase"] == found["release"] == found["releases"]
    assert found["note"] == found["notes"]
    assert found["typehints"] == (*found["type"], *found["hints"])


def test_frequent_words_one_letter_apart_stay_two() -> None:
    """The word "text" is no misspelt "test"."""
    found = families([["tests"], ["texts"]] * 5)
    assert found["tests"] != found["texts"]


def test_of_two_spellings_the_one_that_other_words_share_is_right() -> None:
    """A slip that is made time and again does not become the word; and letters swapped at its beginning are a slip too."""
    found = families([["wbehooks"]] * 4 + [["webhooks"]] * 2 + [["webhook"]] * 3)
    assert found["wbehooks"] == found["webhooks"] == found["webhook"]


@given(st.lists(st.lists(st.text("abcdefgh", min_size=2, max_size=9), max_size=5), max_size=12))
def test_families_do_not_depend_on_the_order(prompts: list[list[str]]) -> None:
    """Any order of the same prompts."""
    assert families(prompts) == {word: families(prompts[::-1])[word] for word in families(prompts)}


@pytest.mark.parametrize(
    ("a", "b", "near"), [("form", "from", True), ("note", "notes", True), ("note", "node", True), ("note", "nodes", False)]
)
def test_one_edit(a: str, b: str, near: bool) -> None:
    """Added, left out, replaced or swapped."""
    assert one_edit_apart(a, b) is near
    assert one_edit_apart(b, a) is near


def test_stems_are_short_and_the_same_for_inflections() -> None:
    """In English and elsewhere."""
    assert stem("translations") == stem("translate") == stem("translating")
    assert stem("неделю") == stem("недельный")
