"""Lines that say nothing to act on are no approach."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from diarist.model.gist import RunError
from diarist.model.redacted import Redacted
from diarist.stages.synthesis.thin import is_bare, is_mere_repetition, is_waiting
from diary_runs import make_run, synthesize_runs

ABOUT = "cancel the reservation of a customer who changed her plans"


@pytest.mark.parametrize(
    "text",
    [
        'cancel_reservation with AB12CD gave {"reservation_id": "AB12CD"}',
        "mcp__shop__refund with 7, full gave done",
        "TaskOutput gave <status>ready</status>",
        "lookup with hello gave [1, 2]",
        "Changed src/shop/cart.py",
        "Created docs/cart.md (2×)",
        "Moved a/b.py.",
    ],
)
def test_a_call_with_what_it_gave_and_a_changed_file_are_bare(text: str) -> None:
    """As the distiller words them."""
    assert is_bare(text)


@pytest.mark.parametrize(
    "text",
    [
        "Changed src/shop/cart.py: in `total`: added `round(price, 2)`",
        "Changed src/shop/cart.py. The price was rounded too late.",
        "Changed the order of locks",
        "caching gave 30% fewer calls",
        "Caching with a short time to live gave fewer calls",
        "gave up on the second try",
        "",
    ],
)
def test_what_somebody_found_or_changed_for_a_reason_is_not(text: str) -> None:
    """Prose stays, whatever its verbs."""
    assert not is_bare(text)


def test_only_a_notice_that_something_will_be_tried_again_is_waiting() -> None:
    """What ran out of time is an error."""
    assert is_waiting("Retrying in 0.2 seconds...")
    assert is_waiting("waiting for 30 s")
    assert not is_waiting("Waiting for the lock timed out after 30 seconds")
    assert not is_waiting("Retry limit exceeded")
    assert is_mere_repetition("edit cart.py went through when it was called again")
    assert not is_mere_repetition("`make` went through after `make deps`")


def test_runs_that_share_a_bare_call_and_nothing_else_are_not_up_for_a_decision() -> None:
    """They stand in the report, as runs about the same thing."""
    call = 'cancel_reservation with AB12CD gave {"reservation_id": "AB12CD"}'
    [theme] = synthesize_runs([make_run(number, ABOUT, worked=[call]) for number in range(4)]).themes
    assert theme.worked == ()
    assert not theme.is_telling


def test_a_call_that_went_wrong_is_told() -> None:
    """What it gave is the error."""
    call = "cancel_reservation with AB12CD gave Error: no such reservation"
    [theme] = synthesize_runs([make_run(number, ABOUT, failed=[call]) for number in range(4)]).themes
    assert [each.text for each in theme.failed] == [call]


def test_a_notice_of_waiting_is_no_error() -> None:
    """Neither in a theme nor across themes."""
    notice = RunError(fingerprint="waits", message=Redacted("Retrying in 0.2 seconds..."), resolved=False)
    report = synthesize_runs([replace(make_run(number, ABOUT), errors=(notice,)) for number in range(4)])
    assert [theme.errors for theme in report.themes] == [()]
    assert report.errors == ()


def test_calling_again_is_nothing_to_make_a_skill_of() -> None:
    """A fix that worked twice is, where it tells what to do."""
    targets = []
    for fix in ("edit cart.py went through when it was called again", "`make` went through after `make deps`"):
        error = RunError(fingerprint="e", message=Redacted("edit refused: no match"), resolved=True, resolved_by=Redacted(fix))
        [theme] = synthesize_runs([replace(make_run(number, ABOUT), errors=(error,)) for number in range(4)]).themes
        targets.append(theme.target.startswith("a skill"))
    assert targets == [False, True]
