"""Explicit sections are taken over and end where they end. Each of the old line-prefix reader's faults has a test."""

from __future__ import annotations

import pytest

from diarist.stages.distil.sections import parse_sections


def read(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for item in parse_sections(text):
        found.setdefault(item.list, []).append(item.text)
    return found


@pytest.mark.parametrize(
    "marker",
    [
        "Tried:",
        "## Tried",
        "### What I tried",
        "**Tried:**",
        "**Tried**",
        "- Tried:",
        "__Attempted__:",
        "TRIED:",
        "> Tried:",
        "1. Tried:",
        "✅ Tried:",
        "Versucht:",
        "試したこと:",
        "尝试过的：",
    ],
)
def test_any_usual_spelling_of_a_marker(marker: str) -> None:
    assert read(f"{marker}\n  - the first way\n  - the second way\n") == {"tried": ["the first way", "the second way"]}


def test_a_marker_with_its_item_on_the_same_line() -> None:
    assert read("- Failed: the cache was stale\n- Worked: clearing it\n") == {"failed": ["the cache was stale"], "worked": ["clearing it"]}


def test_plain_lines_below_a_marker_are_items() -> None:
    assert read("Tried:\nuse a regex\nuse a parser\n\nWorked:\nuse a parser\n") == {
        "tried": ["use a regex", "use a parser"],
        "worked": ["use a parser"],
    }


def test_closing_chatter_is_no_bullet() -> None:
    assert read("Failed:\n- the retry loop\n\nDone. PR #42 opened.\n") == {"failed": ["the retry loop"]}
    assert read("Failed:\n- the retry loop\nDone. PR #42 opened.\n") == {"failed": ["the retry loop"]}
    assert read("Failed: the retry loop\n\nLet me know if you need more.") == {"failed": ["the retry loop"]}


def test_another_heading_ends_a_section() -> None:
    assert read("## Worked\n- a\n\n## Next steps\n- b\n") == {"worked": ["a"]}


def test_numbers_and_checkboxes_are_taken_off() -> None:
    assert read("Worked:\n1. first\n2) second\n- [x] third\n- [ ] fourth\n")["worked"] == ["first", "second", "third", "fourth"]


def test_code_fences_are_no_bullets() -> None:
    assert read("Tried:\n- run it\n```\nTried: not this\nmake\n```\n") == {"tried": ["run it"]}


def test_the_same_item_counts_once() -> None:
    assert read("Tried:\n- a way\n- a way\n") == {"tried": ["a way"]}


def test_rationale_and_lessons_in_their_spellings() -> None:
    assert read("Rationale: the lock was held too long") == {"rationale": ["the lock was held too long"]}
    assert read("**Why:** one writer is enough") == {"rationale": ["one writer is enough"]}
    assert read("## Lessons learned\n- measure first\n") == {"learned": ["measure first"]}


@pytest.mark.parametrize(
    "text", ["Failed: 0, Passed: 12", "Tests failed: see above", "I tried: nothing", "It worked.", "why: n/a", "failed: none"]
)
def test_counts_and_plain_prose_are_no_sections(text: str) -> None:
    assert read(text) == {}


def test_items_are_exact_pieces_of_their_line() -> None:
    text = "**Worked:**\n- `a_b` **really** works\n"
    assert all(item.text in text for item in parse_sections(text))


def test_many_bullets_are_read_in_linear_time() -> None:
    assert len(parse_sections("Tried:\n" + "".join(f"- way {number}\n" for number in range(20_000)))) == 20_000
