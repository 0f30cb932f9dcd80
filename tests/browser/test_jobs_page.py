"""Background work in a real browser: what failed is told, and a person has it done again."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest

from diarist.bootstrap import open_memory
from diarist.model.job import JobState
from diarist.model.redacted import derived
from diarist.stores.job_file import FileBoard

CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH (Debian: apt-get install chromium)")
AXE = Path(__file__).parent / "vendor" / "axe.min.js"
HOSTILE = "<img src=x onerror=\"document.title='owned'\">"


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """A server whose tidying failed."""
    with open_memory(tmp_path / "ws"):
        pass
    error = derived(f"StoreError: no space is left {HOSTILE}")
    state = JobState(job="tidy", phase="failed", attempts=3, error=error, ended_at=datetime.now(UTC))
    FileBoard(tmp_path / "ws").note(state)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environ = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "HOME", "XDG_CONFIG_HOME")}
    command = [sys.executable, "-m", "diarist", "--workspace", str(tmp_path / "ws"), "serve", "--port", str(port), "--rate", "0"]
    server = subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                if httpx2.get(f"{address}/readyz").status_code == 200:
                    break
            except httpx2.TransportError:
                time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=60)


def test_what_failed_is_told_and_run_again_by_a_click(url: str) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(30_000)
        page.goto(url)
        page.get_by_role("link", name="Jobs").click()
        row = page.get_by_role("row", name="tidy")
        assert "failed" in row.inner_text()
        assert HOSTILE in row.inner_text()
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("() => axe.run(document).then(told => told.violations.map(each => each.impact + ' ' + each.id))")
        assert [each for each in found if each.startswith(("serious", "critical"))] == []
        page.get_by_role("button", name="Run now tidy").click()
        page.locator(".badge.good", has_text="done").wait_for()
        assert "failed" not in page.get_by_role("row", name="tidy").inner_text()
        assert page.title() == "Jobs · Diarist"
        browser.close()
