"""Two ranked lists become one, and votes move scores within bounds."""

from __future__ import annotations

import pytest

from diarist.model.hit import Match
from diarist.stages.rank.influence import fused


def seqs(words: list[int], others: list[int]) -> list[int]:
    merged, _ = fused([Match(seq, 1.0) for seq in words], [Match(seq, 1.0) for seq in others])
    return [match.seq for match in merged]


def test_what_both_lists_hold_comes_before_what_one_of_them_holds() -> None:
    assert seqs([1, 2, 3], [3, 9]) == [3, 1, 2, 9]


def test_words_weigh_more_than_meaning_and_meaning_alone_is_enough() -> None:
    assert seqs([1], [2]) == [1, 2]
    assert seqs([], [5, 4]) == [5, 4]
    assert seqs([7, 8], []) == [7, 8]
    assert seqs([], []) == []


def test_a_record_first_in_both_lists_has_the_full_score_and_each_place_is_told() -> None:
    merged, told = fused([Match(1, 12.5), Match(2, 3.0)], [Match(1, 0.9), Match(3, 0.8)])
    assert merged[0].seq == 1
    assert merged[0].score == pytest.approx(1.0)
    assert all(0 < match.score <= 1.0000001 for match in merged)
    assert told == {
        1: "place 1 by words, place 1 by meaning",
        2: "place 2 by words, not found by meaning",
        3: "not found by words, place 2 by meaning",
    }
