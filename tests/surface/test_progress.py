"""The progress bar of long commands."""

from __future__ import annotations

import threading

import pytest

from diarist.cli.progress import Bar


def test_the_bar_has_no_thread_until_there_is_something_to_show() -> None:
    """Processes that read are copies of this one where it has no other thread."""
    before = threading.active_count()
    with Bar(enabled=True) as bar:
        assert threading.active_count() == before
        bar.show("reading", 1, 2)
        bar.show("distilling", 1, 1)
        assert threading.active_count() == before + 1


def test_there_is_none_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    before = threading.active_count()
    with Bar(enabled=False) as bar:
        bar.show("reading", 1, 2)
        assert threading.active_count() == before
    assert capsys.readouterr() == ("", "")
