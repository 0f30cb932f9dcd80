"""Packed vectors are compared exactly, with NumPy or without."""

from __future__ import annotations

from math import cos, inf, nan, sin, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diarist.errors import InvalidInputError
from diarist.model.record import SearchText
from diarist.model.redacted import derived
from diarist.stages import vectors
from diarist.stages.passages import SIZE, passages
from diarist.stages.vectors import Table, pack, size_of

numbers = st.floats(-1, 1, allow_nan=False, width=32)
some = st.lists(numbers, min_size=8, max_size=8).filter(lambda vector: sum(map(abs, vector)) > 0.5)


def cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True)) / sqrt(sum(x * x for x in a) * sum(x * x for x in b))


@given(some, some)
def test_packing_changes_a_cosine_by_less_than_a_hundredth(first: list[float], second: list[float]) -> None:
    table = Table(8)
    table.add([("a", pack(first))])
    ((_, score),) = table.best(second, 1)
    assert abs(score - cosine(first, second)) < 0.01


@given(st.lists(st.tuples(st.sampled_from("abcdef"), some), max_size=12), some)
def test_numpy_and_plain_python_agree(rows: list[tuple[str, list[float]]], asked: list[float]) -> None:
    fast, plain = Table(8), Table(8)
    plain._numpy = False
    for table in (fast, plain):
        table.add([(name, pack(vector)) for name, vector in rows])
    one, other = fast.best(asked, 10), plain.best(asked, 10)
    assert {name for name, _ in one} == {name for name, _ in other} == {name for name, _ in rows}
    scores = dict(other)
    assert all(abs(score - scores[name]) < 1e-5 for name, score in one)


def test_the_best_of_several_passages_counts_and_rows_can_be_added() -> None:
    table = Table(2)
    table.add([("far", pack([-1.0, 0.0])), ("near", pack([0.0, 1.0])), ("odd", pack([1.0])), ("empty", b"")])
    assert [name for name, _ in table.best([1.0, 0.0], 5)] == ["near", "far"]
    table.add([("far", pack([cos(0.1), sin(0.1)]))])
    assert [name for name, _ in table.best([1.0, 0.0], 5)] == ["far", "near"]
    assert [name for name, _ in table.best([1.0, 0.0], 5, frozenset(["near"]))] == ["near"]
    assert len(table.best([1.0, 0.0], 1)) == 1
    assert table.best([1.0], 5) == []
    assert len(table) == 3


def test_equal_scores_come_in_the_order_of_names() -> None:
    table = Table(2)
    table.add([(name, pack([1.0, 1.0])) for name in "cab"])
    assert [name for name, _ in table.best([1.0, 0.0], 3)] == ["a", "b", "c"]


@pytest.mark.parametrize("vector", [[], [0.0, 0.0], [nan, 1.0], [inf, 1.0]])
def test_what_has_no_direction_is_refused(vector: list[float]) -> None:
    with pytest.raises(InvalidInputError, match="no direction"):
        pack(vector)


def test_sizes_are_read_off() -> None:
    assert (size_of(pack([1.0] * 384)), size_of(b"")) == (384, 0)
    assert len(pack([1.0] * 384)) == 388
    assert vectors._BLOCK > 0


def test_a_blocks_end_is_no_border(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_BLOCK", 3)
    table = Table(2)
    table.add([(str(at), pack([cos(at / 10), sin(at / 10)])) for at in range(10)])
    assert [name for name, _ in table.best([1.0, 0.0], 10)] == [str(at) for at in range(10)]


# --- passages -------------------------------------------------------------------------------------------------------------


def test_the_first_passage_holds_what_tells_most() -> None:
    text = SearchText(
        title=derived("Build the shop"),
        errors=derived("ERESOLVE unable to resolve"),
        fixes=derived("npm install"),
        body=derived("Build the shop. " + "word " * 1_000),
    )
    found = passages(text, 3)
    assert len(found) == 3
    assert found[0].startswith("Build the shop\nERESOLVE unable to resolve\nnpm install\nword word")
    assert all(len(each) <= SIZE for each in found)
    assert not any(each.endswith("wor") for each in found), "words stay whole where they can"
    assert passages(text, 1) == found[:1]


def test_short_rests_and_empty_texts_give_no_passage() -> None:
    assert passages(SearchText(), 3) == []
    assert passages(SearchText(title=derived("Only a title")), 3) == ["Only a title"]
    assert len(passages(SearchText(body=derived("a" * SIZE + " rest")), 3)) == 1
    assert len(passages(SearchText(body=derived("字" * 2_500)), 4)) == 3
