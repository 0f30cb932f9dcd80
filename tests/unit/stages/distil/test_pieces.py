"""Texts without certain pieces are not searched with a pattern: that must never change what is found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from re import _constants as codes
from re import _parser as parser
from typing import Any

import pytest

from diarist.stages.distil import corrections, failures, reports

GUARDED = [
    (corrections._TURN, corrections._TURN_PIECES),
    (failures._SPEAKS_OF_FAULT, (*failures._PIECES_OF_FAULT, "not")),
    (reports._SETBACK, reports._SETBACK_PIECES),
]


@pytest.mark.parametrize(("pattern", "pieces"), GUARDED)
def test_every_wording_that_a_pattern_fits_holds_a_piece(pattern: re.Pattern[str], pieces: tuple[str, ...]) -> None:
    """One text for each alternative of the pattern, with and without what is optional in it."""
    compiled = re.compile(pattern.pattern, pattern.flags)
    found = [text for text in _wordings(parser.parse(pattern.pattern, pattern.flags)) if compiled.search(text)]
    assert len(found) > 10
    assert [text for text in found if not any(piece in text.lower() for piece in pieces)] == []


def _wordings(sequence: Iterable[tuple[Any, Any]]) -> list[str]:
    made = [""]
    for code, value in sequence:
        ways = list(dict.fromkeys(_ways(code, value)))
        made = [before + way for before in made for way in ways]
    return made


def _ways(code: Any, value: Any) -> Iterator[str]:
    if code is codes.LITERAL:
        yield chr(value)
    elif code is codes.IN:
        yield from (chr(each) for kind, each in value if kind is codes.LITERAL)
        if any(kind is not codes.LITERAL for kind, _ in value):
            yield "a"
    elif code is codes.ANY:
        yield "a"
    elif code is codes.BRANCH:
        for sequence in value[1]:
            yield from _wordings(sequence)
    elif code is codes.SUBPATTERN:
        yield from _wordings(value[-1])
    elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        fewest, most, inside = value
        for times in {fewest, min(most, fewest + 1)}:
            yield from ("".join(each * times) for each in _wordings(inside))
    elif code in (codes.AT, codes.ASSERT, codes.ASSERT_NOT):
        yield ""
    else:
        raise NotImplementedError(code)
