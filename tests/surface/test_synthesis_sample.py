"""The sample report in the docs."""

from __future__ import annotations

import pytest

from shop_weeks import PAGE, make_page


@pytest.fixture(scope="module")
def page() -> str:
    """The page as the program would write it now."""
    return make_page()


@pytest.mark.parametrize(
    "told",
    [
        "> 15 entries within the last 14d (up to 2026-11-30 12:00 UTC); 3 themes hold 9 of them.",
        "> In 1 theme nothing recurs but the subject: listed at the end, with nothing to decide.",
        "- psycopg.errors.DeadlockDetected: deadlock detected (4 of 4, resolved in 3:",
        "Retrying only hid the deadlock: it came back after the third try.",
        "+ Changed orders/checkout.py: `rows = select(order)` became `rows = select(order).order_by(Order.id).with_for_update()`.",
        "People set runs right (do as they said):",
        "Reload it.” (2 of 3:",
        "# Errors that runs about different things met",
        "fixed by: `uv run pytest -q` went through (4)",
    ],
)
def test_the_sample_report_says_what_the_program_says(page: str, told: str) -> None:
    """`python tests/shop_weeks.py` writes it anew where wordings have changed since."""
    assert told in page
    assert told in PAGE.read_text("utf-8")
