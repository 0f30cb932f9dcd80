"""What a text is taken to be about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diarist.stages.synthesis.features import Vocabulary
from diarist.text.terms import terms


def names(text: str) -> set[str]:
    """The terms of a text."""
    vocabulary = Vocabulary()
    return {vocabulary.terms[feature] for feature in vocabulary.look(text)}


def test_words_count_without_case_ending_or_accent() -> None:
    """So that rewordings meet."""
    assert names("Caches CACHED caching") == {"cach"}
    assert names("Größe überschreitet") == names("grosse Uberschreitet")


def test_names_in_camel_and_snake_case_count_as_their_words() -> None:
    """So that code meets prose about it."""
    assert names("DeadlineExceeded") == names("deadline exceeded")
    assert names("test_order_total") == names("test order total")


@pytest.mark.parametrize("noise", ["4711", "2026", "0.31", "d34db33f", "a", "x y z"])
def test_numbers_hashes_and_single_letters_are_nothing(noise: str) -> None:
    """They differ from run to run."""
    assert names(noise) == set()


def test_a_status_stays() -> None:
    """502 says what happened; 88213 does not."""
    assert names("502 88213") == {"502"}


def test_scripts_without_spaces_are_cut_into_pairs() -> None:
    """Every pair of characters stands for a word."""
    assert names("支付回调") == {"支付", "付回", "回调"}


def test_a_masked_secret_is_no_feature() -> None:
    """Two notes that each held a key have nothing in common by that."""
    assert names("[REDACTED:openai-key] deploys") == names("deploys")
    assert names("vor dem „Schlüssel“ [REDACTED:github-token]") == names("vor dem Schlüssel")


def test_marks_count_as_they_are() -> None:
    """An error or a file is one feature."""
    vocabulary = Vocabulary()
    [feature] = vocabulary.take("", ["error:abc123"])
    assert vocabulary.terms[feature] == "error:abc123"


def test_rare_features_weigh_more_and_none_weighs_nothing() -> None:
    """Few entries can be compared too."""
    vocabulary = Vocabulary()
    entries = [vocabulary.look(f"common word{'' if number else ' deadlock'}") for number in range(40)]
    weights = dict(zip(vocabulary.terms, vocabulary.weigh(entries), strict=True))
    assert weights["deadlock"] > 3 * weights["common"] > 0


def test_among_few_entries_one_carrier_or_three_weigh_the_same() -> None:
    """A slip of the pen must not count more than the words of a small theme."""
    vocabulary = Vocabulary()
    entries = [vocabulary.look(f"common{' slip' if number == 0 else ' deadlock' if number < 4 else ''}") for number in range(100)]
    weights = dict(zip(vocabulary.terms, vocabulary.weigh(entries), strict=True))
    assert weights["slip"] == weights["deadlock"] > weights["common"]


def test_a_word_with_digits_that_nobody_else_has_weighs_half() -> None:
    """A ticket number is not the subject, but two entries that share one are related."""
    vocabulary = Vocabulary()
    entries = [vocabulary.look("ticket acme1138x deadlock"), vocabulary.look("k8s pod"), vocabulary.look("k8s node")]
    weights = dict(zip(vocabulary.terms, vocabulary.weigh(entries), strict=True))
    assert weights["acme1138x"] == weights["deadlock"] / 2
    assert weights["k8s"] > weights["acme1138x"]


@given(st.text())
def test_any_text_gives_terms_of_two_characters_or_one_of_a_script_without_spaces(text: str) -> None:
    """And never fails."""
    for term in names(text):
        assert term
        assert term == term.casefold() or not term.isascii()


@given(st.lists(st.sampled_from(["alpha", "getName", "beta", "x", "77", "日本語", "alpha"]), max_size=12))
def test_a_text_has_each_feature_once(words: list[str]) -> None:
    """Whether its words were met before or not."""
    vocabulary = Vocabulary()
    vocabulary.look("beta")
    found = vocabulary.look(" ".join(words))
    assert len(set(found)) == len(found)
    assert {vocabulary.terms[feature] for feature in found} == {term for word in words for term in terms(word)}
