"""Characters replaced: of ASCII and of other texts alike."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from diarist.text.translation import Translation

TABLE: dict[str, str | None] = {"a": "b", "b": "a", "-": None, "’": "'", "é": None}


@given(st.text(st.sampled_from("abc-’éx \n")))
def test_it_replaces_as_python_does(text: str) -> None:
    """Also with what stands for nothing."""
    assert Translation(TABLE)(text) == text.translate(str.maketrans(dict[str, str | int | None](TABLE)))
