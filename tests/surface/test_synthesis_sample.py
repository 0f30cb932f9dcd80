"""The sample report in the docs."""

from __future__ import annotations

from shop_weeks import PAGE, make_page


def test_the_sample_report_is_what_the_program_writes() -> None:
    """`python tests/shop_weeks.py` writes it anew."""
    page = make_page()
    assert PAGE.read_text("utf-8") == page
    assert "fixed by: `uv run pytest -q` went through (4)" in page
    assert "Retrying only hid the deadlock" in page
    assert "Reload it.” (2 of 3" in page
