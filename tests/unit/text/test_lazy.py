"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re

import pytest

import diarist
from diarist.text import lazy as module
from diarist.text.lazy import lazy


def test_it_answers_as_the_compiled_expression_does() -> None:
    words = lazy(r"(?P<word>[a-z]+)\d", re.IGNORECASE)
    found = words.search("-Ab1")
    assert found is not None
    assert found["word"] == "Ab"
    assert words.sub("x", "a1 b2 c") == "x x c"
    assert words.findall("a1 B2") == ["a", "B"]
    assert words.split("a1b") == ["", "a", "b"]
    assert words.pattern == r"(?P<word>[a-z]+)\d"
    assert words.flags & re.IGNORECASE
    assert lazy(rb"\x00+").sub(b"", b"a\x00\x00b") == b"ab"


def test_a_wrong_source_is_told_at_the_first_use() -> None:
    wrong = lazy("(")
    with pytest.raises(re.error, match="unterminated"):
        wrong.search("x")


def test_every_expression_of_the_program_compiles() -> None:
    for found in pkgutil.walk_packages(diarist.__path__, "diarist."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    known = [each for each in gc.get_objects() if type(each) is module._Lazy]
    assert len(known) > 300
    for each in known:
        assert each.pattern is not None
