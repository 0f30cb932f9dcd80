"""The progress bar of an import."""

from __future__ import annotations

import threading

from diarist.app.ingest import Progress
from diarist.cli.ingest import _Bar


def test_the_bar_has_no_thread_until_there_is_something_to_show() -> None:
    """Processes that read are copies of this one where it has no other thread."""
    before = threading.active_count()
    with _Bar(enabled=True) as bar:
        assert threading.active_count() == before
        assert bar.show is not None
        bar.show(Progress(1, 2, "reading"))
        bar.show(Progress(1, 1, "distilling"))
        assert threading.active_count() == before + 1


def test_there_is_none_where_nobody_looks() -> None:
    with _Bar(enabled=False) as bar:
        assert bar.show is None
