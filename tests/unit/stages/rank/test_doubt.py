"""When nothing found is good enough."""

from __future__ import annotations

import pytest

from diarist.model.hit import Frequencies
from diarist.stages.rank.doubt import weigh
from diarist.stages.rank.rarity import rarity_of


def test_rare_words_weigh_more_than_common_ones() -> None:
    question = weigh(("basket", "price"), Frequencies(1000, {"basket": 3, "price": 600}))
    assert question.share(["basket"]) > 0.8 > 0.3 > question.share(["price"])


def test_words_the_store_has_never_seen_count_against_every_record() -> None:
    question = weigh(("pizza", "dough", "room"), Frequencies(1000, {"room": 20}))
    assert question.share(["room"]) < question.needed


def test_the_larger_the_store_the_more_is_needed() -> None:
    terms = ("basket", "price", "list", "export")
    small = weigh(terms, Frequencies(100, dict.fromkeys(terms, 5)))
    large = weigh(terms, Frequencies(1_000_000, dict.fromkeys(terms, 50_000)))
    assert small.needed < large.needed <= 1


def test_the_whole_question_is_always_enough() -> None:
    terms = ("basket", "price")
    for records in (1, 10, 1_000_000):
        question = weigh(terms, Frequencies(records, dict.fromkeys(terms, records)))
        assert question.share(terms) == pytest.approx(1.0)
        assert question.needed <= 1


def test_one_word_of_several_is_chance_however_rare_it_is() -> None:
    question = weigh(("golangci", "lint", "pipelin", "set"), Frequencies(1000, {"golangci": 1, "lint": 90, "pipelin": 90, "set": 900}))
    assert question.share(["golangci"]) > question.needed
    assert not question.is_met(["golangci"])
    assert not question.is_met(["golangci", "set"])
    assert question.is_met(["golangci", "lint"])


def test_a_compound_and_its_parts_are_one_word() -> None:
    common = Frequencies(1000, {"golangci-lint": 1, "golangci": 1, "lint": 2, "pipelin": 3, "runner": 2})
    assert weigh(("golangci-lint", "golangci", "lint"), common).is_met(["lint"])
    assert not weigh(("golangci-lint", "golangci", "lint", "pipelin", "runner"), common).is_met(["golangci-lint", "golangci", "lint"])


def test_an_empty_question_or_store_is_no_fault() -> None:
    assert weigh((), Frequencies(10, {})).share(["x"]) == 0.0
    assert 0 < weigh(("x",), Frequencies(0, {})).needed <= 1


def test_rarity_goes_from_one_to_nearly_nothing() -> None:
    rarity = rarity_of(Frequencies(1000, {"rare": 1, "common": 500, "always": 1000}))
    assert rarity("unknown") == pytest.approx(1.0)
    assert 1 > rarity("rare") > rarity("common") > rarity("always") > 0
