"""Results that are remembered, and forgotten."""

from __future__ import annotations

from diarist.text.remembered import Remembered


def test_forgetting_changes_no_result() -> None:
    known: Remembered[str, str] = Remembered(str.upper, 3, 200)
    keys = [f"{number % 7}" for number in range(50)] + ["x" * 500]
    assert [known[key] for key in keys] == [key.upper() for key in keys]
    assert len(known) <= 3
    assert "x" * 500 not in known
