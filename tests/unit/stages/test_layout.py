"""The map's layout: the same records give the same places, and those that share words stand together."""

from __future__ import annotations

import math
import random

from diarist.stages.layout import lay_out


def topics(count: int = 120) -> dict[str, list[str]]:
    """Records of four topics, by id; each shares some of its topic's words."""
    chance = random.Random(3)
    return {
        f"kh-{number:04d}": [f"topic{number % 4}word{chance.randrange(12)}" for _ in range(8)] + [f"own{number}", "everywhere"]
        for number in range(count)
    }


def far(a: tuple[float, float], b: tuple[float, float]) -> float:
    return math.hypot(a[0] - b[0], a[1] - b[1])


def test_places_follow_from_the_records_alone_whatever_their_order() -> None:
    told = topics()
    turned = dict(reversed([(key, list(reversed(words))) for key, words in told.items()]))
    assert lay_out(told) == lay_out(turned)


def test_records_that_share_words_stand_nearer_to_each_other_than_to_others() -> None:
    places = lay_out(topics())
    same: list[float] = []
    other: list[float] = []
    ids = sorted(places)
    for number, one in enumerate(ids):
        for step in range(1, 40):
            if number + step < len(ids):
                (same if step % 4 == 0 else other).append(far(places[one], places[ids[number + step]]))
    assert sum(same) / len(same) < 0.6 * sum(other) / len(other)


def test_what_shares_nothing_stands_around_all_others() -> None:
    told = {**topics(40), "kh-lonely": ["nobody", "says", "this"]}
    places = lay_out(told)
    assert math.hypot(*places["kh-lonely"]) > 1
    assert all(abs(at) <= 1.1 for place in places.values() for at in place)


def test_nothing_and_one_record_have_places_too() -> None:
    assert lay_out({}) == {}
    assert set(lay_out({"kh-a": ["x"]})) == {"kh-a"}
