"""Which entries belong together."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diarist.errors import UsageError
from diarist.stages.synthesis.agglomerate import agglomerate, dot_products, rare_dot_products
from diarist.stages.synthesis.cluster import SAMPLE, Space, cluster, cosine_of, jaccard_of
from diary_runs import groups, make_run, synthesize_runs, topic_runs, words

PREAMBLE = (
    "You are a coding agent of the team. Read the rules, keep changes small, run all tests, then write a closing summary of the work."
)


def space_of(entries: list[tuple[int, ...]]) -> Space:
    """Entries over features of equal weight."""
    most = max((feature for entry in entries for feature in entry), default=-1)
    return Space(entries, [1.0] * (most + 1))


def check_truth(found: list[set[str]], truth: dict[str, int], least: int = 2) -> None:
    """Every topic is one group, and nothing else is."""
    topics: dict[int, set[str]] = {}
    for entry, topic in truth.items():
        topics.setdefault(topic, set()).add(entry)
    assert sorted(map(sorted, found)) == sorted(sorted(those) for those in topics.values() if len(those) >= least)


def test_topics_are_found_and_one_offs_left_alone() -> None:
    """The easy case is exact."""
    runs, truth = topic_runs()
    check_truth(groups(synthesize_runs(runs)), truth)


def test_a_common_preamble_does_not_make_one_theme_of_all() -> None:
    """Bernstein compares the first sixteen words."""
    runs, truth = topic_runs(topics=8, preamble=PREAMBLE)
    check_truth(groups(synthesize_runs(runs)), truth)


def test_more_entries_than_one_sample_are_grouped_as_well() -> None:
    """Large and small topics alike."""
    runs, truth = topic_runs(topics=40, each=SAMPLE // 20, one_offs=SAMPLE, preamble=PREAMBLE)
    assert len(runs) > 2 * SAMPLE
    check_truth(groups(synthesize_runs(runs)), truth)


def test_small_groups_among_many_one_offs_are_found_by_their_rare_words() -> None:
    """No sample shows two of them."""
    runs, truth = topic_runs(topics=3, each=2, one_offs=3 * SAMPLE, seed=11)
    check_truth(groups(synthesize_runs(runs)), truth)


def test_groups_between_the_sizes_that_samples_show_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too small for the first sample, too large to be rare in the whole."""
    monkeypatch.setattr("diarist.stages.synthesis.cluster.SAMPLE", 24)
    monkeypatch.setattr("diarist.stages.synthesis.cluster.WIDEN", 2)
    monkeypatch.setattr("diarist.stages.synthesis.cluster.LONGEST", 8)
    runs, truth = topic_runs(topics=30, each=20, one_offs=900, seed=13)
    check_truth(groups(synthesize_runs(runs)), truth)


def test_entries_that_share_nothing_give_no_theme() -> None:
    """Not even a small one."""
    pool = words(12 * 200, 5)
    runs = [make_run(number, " ".join(pool[12 * number : 12 * number + 12])) for number in range(200)]
    assert synthesize_runs(runs).themes == ()


def test_a_chain_of_entries_each_like_the_next_only_is_no_theme() -> None:
    """Bernstein makes one theme of 30 entries that share no word."""
    pool = words(400, 7)
    chained = [pool[5 * at : 5 * at + 12] for at in range(30)]
    runs = [make_run(number, " ".join(own)) for number, own in enumerate(chained)]
    runs += [make_run(100 + number, " ".join(pool[200 + number : 212 + number : 1])) for number in range(0, 180, 12)]
    own_words = {run.id: set(own) for run, own in zip(runs, chained, strict=False)}
    for theme in synthesize_runs(runs).themes:
        members = [own_words[entry] for entry in theme.entries if entry in own_words]
        assert not members or set.intersection(*members)


def test_the_same_entries_in_any_order_give_the_same_report() -> None:
    """Bernstein's greedy first fit depends on it."""
    runs, _ = topic_runs(topics=12, each=40, one_offs=120, preamble=PREAMBLE)
    first = synthesize_runs(runs)
    for seed in range(3):
        shuffled = list(runs)
        random.Random(seed).shuffle(shuffled)
        assert synthesize_runs(shuffled) == first


def test_another_hash_seed_changes_nothing() -> None:
    """Sets and dictionaries of texts are ordered by it."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "from diary_runs import *; from diarist.model.codec import to_json; import hashlib;"
        "print(hashlib.sha256(to_json(synthesize_runs(topic_runs(topics=9, each=9)[0]))).hexdigest())"
    )
    folder = os.path.dirname(sys.modules["diary_runs"].__file__ or "")  # noqa: PTH120 - a module tells it as text
    digests = {
        subprocess.run(
            [sys.executable, "-c", code, folder], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(digests) == 1


def test_a_theme_needs_entries_of_different_sessions() -> None:
    """One session that was split into tasks is no pattern."""
    runs = [make_run(number, "deadlock in the checkout of orders", session="one") for number in range(4)]
    assert synthesize_runs(runs).themes == ()
    runs.append(make_run(9, "deadlock in the checkout of orders", session="two"))
    assert [theme.size for theme in synthesize_runs(runs).themes] == [5]


def test_two_alike_entries_are_a_theme_by_default_and_one_on_request() -> None:
    """One is no pattern, but may be asked for."""
    runs = [
        make_run(1, "backend retry storm after the deploy, clients time out"),
        make_run(2, "retry storm of the backend clients after a deploy"),
        make_run(3, "unrelated: new colours for the invoice template"),
    ]
    assert [theme.size for theme in synthesize_runs(runs).themes] == [2]
    assert [theme.size for theme in synthesize_runs(runs, size=1).themes] == [2, 1]
    assert synthesize_runs(runs, size=3).themes == ()


def test_a_higher_threshold_is_stricter() -> None:
    """1 leaves only entries that say the same."""
    runs, _ = topic_runs(topics=3, each=8)
    runs += [make_run(500 + number, "exactly the same words here twice") for number in range(2)]
    sizes = [sum(theme.size for theme in synthesize_runs(runs, threshold=threshold).themes) for threshold in (0.2, 0.5, 0.8, 1.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert groups(synthesize_runs(runs, threshold=1.0)) == [{"kh-0000000000000500", "kh-0000000000000501"}]


def test_at_threshold_zero_entries_that_share_nothing_stay_apart() -> None:
    """Bernstein makes one theme of all; any word in common is enough, none is not."""
    apart = [make_run(1, "alpha beta gamma"), make_run(2, "delta omega kappa"), make_run(3, "?", title="!")]
    assert synthesize_runs(apart, threshold=0.0).themes == ()
    alike = [*apart, make_run(4, "kappa lambda")]
    assert groups(synthesize_runs(alike, threshold=0.0)) == [{"kh-0000000000000002", "kh-0000000000000004"}]


@pytest.mark.parametrize("threshold", [float("nan"), 1.01, -0.1, 2.0])
def test_a_threshold_that_makes_no_sense_is_bad_usage(threshold: float) -> None:
    """NaN too."""
    with pytest.raises(UsageError, match="threshold"):
        synthesize_runs([], threshold=threshold)


def test_a_size_below_one_is_bad_usage() -> None:
    """A theme of nothing."""
    with pytest.raises(UsageError, match="at least 1"):
        synthesize_runs([], size=0)


def test_an_entry_without_any_words_belongs_to_nothing() -> None:
    """Two of them have nothing in common."""
    assert synthesize_runs([make_run(number, "?", title="!") for number in range(3)]).themes == ()


def test_cosine_and_overlap_are_the_same_for_sets_of_equal_weight() -> None:
    """J = c / (2 - c)."""
    assert jaccard_of(cosine_of(0.34)) == pytest.approx(0.34)
    space = space_of([(0, 1, 2), (1, 2, 3)])
    assert jaccard_of(space.cosine(0, space.group([1]))) == pytest.approx(2 / 4)


entries = st.lists(st.sets(st.integers(0, 30), min_size=1, max_size=8).map(lambda each: tuple(sorted(each))), max_size=40)


@settings(max_examples=60, deadline=None)
@given(entries, st.floats(0.0, 1.0))
def test_every_member_reaches_the_threshold_against_the_rest_of_its_theme(found: list[tuple[int, ...]], threshold: float) -> None:
    """And nobody stands in two groups."""
    space = space_of(found)
    result = cluster(space, threshold)
    taken = [number for group in result for number in group]
    assert len(taken) == len(set(taken))
    for group in result:
        assert len(group) > 1
        for number in group:
            others = space.group([each for each in group if each != number])
            assert jaccard_of(space.cosine(number, others)) >= threshold - 1e-6


def all_products(vectors: list[dict[int, float]]) -> dict[tuple[int, int], float]:
    """Pair by pair."""
    return {
        (a, b): sum(value * vectors[b].get(feature, 0.0) for feature, value in vectors[a].items())
        for a in range(len(vectors))
        for b in range(len(vectors))
        if a != b and set(vectors[a]) & set(vectors[b])
    }


@settings(max_examples=40, deadline=None)
@given(entries)
def test_products_by_inverted_index_are_those_of_all_pairs(found: list[tuple[int, ...]]) -> None:
    """Exactly: no pair is missed, none invented."""
    space = space_of(found)
    vectors = [space.vector(number) for number in range(len(found))]
    expected = all_products(vectors)
    assert {(a, b): dot for a, row in enumerate(dot_products(vectors)) for b, dot in row.items()} == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(entries, st.floats(0.2, 0.9))
def test_products_over_rare_features_miss_no_pair_that_counts(found: list[tuple[int, ...]], least: float) -> None:
    """Every pair at or above the limit is there, with its whole product."""
    space = space_of(found)
    vectors = [space.vector(number) for number in range(len(found))]
    expected = all_products(vectors)
    dots = {(a, b): dot for a, row in enumerate(rare_dot_products(vectors, len(found), least)) for b, dot in row.items()}
    assert dots == pytest.approx({pair: expected[pair] for pair in dots})
    assert {pair for pair, dot in expected.items() if dot >= least + 1e-9} <= set(dots)


def test_the_closest_pair_is_merged_first_and_nothing_below_the_limit() -> None:
    """Two near pairs, far from each other."""
    vectors = [{0: 1.0}, {0: 0.9, 1: 0.1}, {5: 1.0}, {5: 1.0, 1: 0.2}]
    squares = [sum(value * value for value in vector.values()) for vector in vectors]
    assert agglomerate(squares, dot_products(vectors), 0.5) == [[0, 1], [2, 3]]
    assert agglomerate(squares, dot_products(vectors), 0.0001) == [[0, 1, 2, 3]]


@given(st.lists(st.sets(st.integers(0, 12), min_size=1, max_size=6).map(lambda found: tuple(sorted(found))), min_size=2, max_size=9))
def test_the_overlap_of_a_member_with_the_rest_is_that_with_their_sum(entries: list[tuple[int, ...]]) -> None:
    """Told of all members at once, and of a sum that was kept from before as of a fresh one."""
    space = space_of(entries)
    members = list(range(len(entries)))
    [total], [kept] = space.groups([members]), space.groups([members])
    assert kept is total
    for member, cosine in zip(members, space.rest_cosines(members, total), strict=True):
        rest = space.group([other for other in members if other != member])
        assert cosine == pytest.approx(space.cosine(member, rest))
