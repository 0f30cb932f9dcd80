"""Usefulness is bounded, and nothing depends on the order in which it became known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from diarist.model.use import VERDICTS, Tally, Use
from diarist.stages.rank.usefulness import DOUBT, MOST, factor
from diarist.stages.usefulness import SAID, Deed, Ending, Remedy, Showing, judge

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
IDS = st.sampled_from(["kh-a", "kh-b", "kh-c"])
COMMANDS = st.sampled_from(["make all", "npm ci", "go mod tidy"])
times = st.integers(-200, 200).map(lambda minutes: NOON + timedelta(minutes=minutes))
votes = st.lists(st.integers(-2, 2), max_size=60)
deeds = st.lists(
    st.tuples(st.lists(COMMANDS, max_size=2), st.lists(st.sampled_from(["a.py", "src/b.py"]), max_size=1), st.lists(IDS, max_size=1)),
    max_size=8,
).map(lambda told: [Deed(at, NOON + timedelta(minutes=at), *map(tuple, each)) for at, each in enumerate(told)])
showings = st.lists(st.builds(Showing, IDS, times, st.none() | st.integers(0, 8)), max_size=8)
said = st.lists(st.builds(Use, IDS, st.just("s"), times, st.sampled_from(VERDICTS)), max_size=6)
flags = st.none() | st.booleans()
endings = st.builds(
    Ending,
    st.just("kh-later"),
    st.sampled_from(["completed", "recovered", "failed", "interrupted", "unknown"]),
    flags,
    st.dictionaries(st.sampled_from(["11111111aaaaaaaa", "11111111", "22222222bbbbbbbb"]), flags),
)
REMEDIES = {
    "kh-a": Remedy(frozenset({"npm ci"}), ("src/b.py",), frozenset({"11111111aaaaaaaa"})),
    "kh-b": Remedy(frozenset({"make all", "go mod tidy"}), ("a.py",), frozenset({"22222222bbbbbbbb"})),
}


def tally(points: list[int]) -> Tally:
    return Tally("kh-a", len(points), points_for=sum(p for p in points if p > 0), points_against=-sum(p for p in points if p < 0))


@given(votes, st.integers(-2, 2))
def test_a_factor_is_bounded_and_one_vote_moves_it_little(points: list[int], further: int) -> None:
    before, after = factor(tally(points)), factor(tally([*points, further]))
    assert 1 - MOST < before < 1 + MOST
    assert abs(after - before) <= MOST * 2 * 2 / DOUBT
    assert abs(factor(tally([further])) - 1) <= MOST * 2 / (2 + DOUBT) + 1e-12
    assert (after - before) * further >= 0, "a vote never moves a record the other way"


@given(votes)
def test_votes_for_and_against_cancel(points: list[int]) -> None:
    assert abs(factor(tally(points)) + factor(tally([-point for point in points])) - 2) < 1e-12


@given(votes, st.randoms(use_true_random=False))
def test_the_order_of_votes_does_not_matter(points: list[int], chance: object) -> None:
    mixed = list(points)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    assert factor(tally(points)) == factor(tally(mixed))


@given(showings, said, deeds, endings, st.randoms(use_true_random=False))
def test_a_judgement_depends_on_nothings_order_and_is_one_vote(
    shown: list[Showing], told: list[Use], done: list[Deed], ending: Ending, chance: object
) -> None:
    first = judge("s", shown, told, done, ending, REMEDIES)
    mixed, words = list(shown), list(told)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    chance.shuffle(words)  # type: ignore[attr-defined]
    assert judge("s", [*mixed, *mixed], words, done, ending, REMEDIES) == first
    assert len({effect.record_id for effect in first}) == len(first)
    assert all(-2 <= effect.points <= 2 for effect in first)
    assert all(effect.points == SAID[effect.verdict] for effect in first if effect.verdict)


@given(showings, deeds, endings, st.integers(0, 8))
def test_a_session_that_grows_only_adds_what_was_cited_and_followed(
    shown: list[Showing], done: list[Deed], ending: Ending, known: int
) -> None:
    """Deeds that come later take back nothing that was shown at a step of the transcript."""
    by_step = [one for one in shown if one.step is not None]
    early = {effect.record_id: effect for effect in judge("s", by_step, [], done[:known], ending, REMEDIES)}
    for effect in judge("s", by_step, [], done, ending, REMEDIES):
        before = early[effect.record_id]
        assert effect.cited >= before.cited
        assert bool(effect.followed) >= bool(before.followed)
