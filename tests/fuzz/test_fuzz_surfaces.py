"""A few seconds of the fuzzing of surfaces; `python tests/fuzz/surfaces.py` goes on for minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.surfaces import TARGETS, fuzz

SECONDS = 2.0


@pytest.mark.parametrize("name", TARGETS)
def test_a_surface_holds_for_a_moment(name: str, tmp_path: Path) -> None:
    """It answers or refuses, whatever it is asked."""
    assert fuzz(name, SECONDS, 20261130, tmp_path) >= 1
