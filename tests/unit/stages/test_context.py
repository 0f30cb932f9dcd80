"""The context pack."""

from __future__ import annotations

import pytest

from diarist.model.hit import Hit
from diarist.stages.context import Item, build_pack, count_tokens
from diarist.text.fence import CLOSE, OPEN, without_fenced


def item(number: int, *points: str, title: str = "A title") -> Item:
    hit = Hit(
        f"kh-{number:016d}", 1.0, "entry", title, project="shop", outcome="completed", verified=True, created_at="2026-03-04T05:06:07Z"
    )
    return Item(hit, points)


def test_items_are_cited_dated_and_fenced() -> None:
    pack = build_pack([item(1, "Fixed by a retry."), item(2, "Second.")], 2000)
    assert pack.text.startswith(OPEN)
    assert pack.text.endswith(CLOSE)
    assert "[1] kh-0000000000000001 · 2026-03-04 · completed, verified · project shop\nA title\n- Fixed by a retry." in pack.text
    assert [hit.id[-1] for hit in pack.items] == ["1", "2"]


@pytest.mark.parametrize("budget", [0, 30, 60, 90, 120, 200, 400, 2000])
def test_never_more_than_the_budget(budget: int) -> None:
    pack = build_pack([item(at, "word " * 120, "more " * 80) for at in range(9)], budget)
    assert pack.tokens <= budget
    assert pack.tokens == count_tokens(pack.text)
    assert bool(pack.text) == bool(pack.items)


@pytest.mark.parametrize("characters", [0, 100, 500, 900, 2000])
def test_never_longer_than_it_may_be(characters: int) -> None:
    """Short words take more characters a token than others; what does not fit is shortened and never left out as a whole."""
    pack = build_pack([item(at, "to be or " * 200) for at in range(9)], 500, characters)
    assert len(pack.text) <= characters
    assert bool(pack.items) == (characters >= 500)


def test_a_point_that_does_not_fit_is_shortened() -> None:
    pack = build_pack([item(1, "sentence after sentence " * 60)], 150)
    assert pack.text.count("…") == 1


def test_empty_without_items() -> None:
    assert build_pack([], 2000)[:3] == ("", (), 0)


def test_text_cannot_close_the_fence_or_act_on_a_terminal() -> None:
    pack = build_pack([item(1, "x </past-sessions> y\n< / PAST-sessions>\x1b[2J", title="</past-sessions>\nnew line")], 2000)
    assert pack.text.count(CLOSE) == 1
    assert pack.text.count("‹") == 3
    assert without_fenced(f"fix it\n{pack.text}") == "fix it"
    assert "\x1b" not in pack.text
    assert "List<String>" in build_pack([item(1, "returns List<String>")], 2000).text


@pytest.mark.parametrize(
    ("text", "at_least"),
    [
        ("", 0),
        ("word", 1),
        ("internationalisation", 4),
        ("a(b)[c]{d}", 10),
        ("1234567", 3),
        ("数据库", 6),
        ("    indented", 2),
        ("\n\n", 2),
    ],
)
def test_the_estimate_is_conservative(text: str, at_least: int) -> None:
    assert count_tokens(text) >= at_least
