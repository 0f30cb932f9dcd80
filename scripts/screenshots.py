"""Writes docs/images/*.png: Atlas over a made-up team's hub, in Debian's Chromium. Run it in the project's environment:

.venv/bin/python scripts/screenshots.py
"""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
from playwright.sync_api import sync_playwright

from diarist.app.documents import Edit
from diarist.bootstrap import open_memory

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
PROJECTS = ("github.com/harbour/ferry", "github.com/harbour/tickets", "github.com/harbour/lighthouse")
AGENTS = ("claude-code", "codex", "gemini-cli")
TASKS = (
    ("Make the login test stable", "tests/test_login.py", "AssertionError: token expired 1 s too early", "freeze the clock in conftest.py"),
    (
        "Parse timetables with daylight saving",
        "ferry/times.py",
        "ValueError: time zone offset is ambiguous",
        "use fold=1 for the later hour",
    ),
    ("Cache the harbour list", "tickets/cache.py", "KeyError: 'harbour_id'", "fill the cache before the first request"),
    ("Move the queue to Redis streams", "lighthouse/queue.py", "ConnectionRefusedError: localhost:6379", "start redis in the test fixture"),
    ("Type the booking service", "tickets/booking.py", "error: Incompatible return value type", "return Booking | None and say so"),
    ("Speed the seat search up", "tickets/seats.py", "TimeoutError: query took 9 s", "add an index on (sailing, deck)"),
    ("Upgrade the web framework", "ferry/app.py", "ModuleNotFoundError: No module named 'tomlkit'", "declare tomlkit in pyproject.toml"),
)

GUIDE = """# Tests that depend on time

Freeze the clock:

```python
freeze(datetime(2026, 3, 1, tzinfo=UTC))
```

- never sleep in a test
- the token lives 60 s
"""


def fill(workspace: Path) -> None:
    """A month of a small team."""
    chance = random.Random(7)  # noqa: S311 - made-up data
    now = datetime.now(UTC)
    with open_memory(workspace) as memory:
        for number in range(90):
            title, file, error, fix = TASKS[min(int(chance.paretovariate(1.1)) - 1, 6) if chance.random() < 0.5 else number % 7]
            at = now - timedelta(days=29 * (1 - (number / 90) ** 0.8), hours=chance.random() * 9)
            lines = [f"User: {title}.", f"$ sed -n 1,80p {file}", "...", "$ python -m pytest -q"]
            luck = chance.random()
            outcome = "completed" if luck < 0.4 else "recovered" if luck < 0.82 else "failed"
            bad = [f"E   {error}", "1 failed, 11 passed"]
            if outcome != "completed":
                lines += [*bad, f"I will {fix}.", f"$ edit {file}", "$ python -m pytest -q"]
            lines += bad if outcome == "failed" else ["12 passed", f"Done: {fix}."]
            tokens = {"input_tokens": chance.randrange(4_000, 60_000), "output_tokens": chance.randrange(500, 6_000)}
            host: dict[str, Any] = {
                "workflow": f"sprint-{12 + number // 25}",
                "title": title,
                "usage": {**tokens, "cost_usd": round(chance.random(), 2)},
            }
            run = {"agent": chance.choice(AGENTS), "project": chance.choice(PROJECTS), "created_at": at}
            host |= {"outcome": outcome, "verified": outcome != "failed"}
            memory.add_entry(task_id=f"T-{100 + number}", transcript="\n".join(lines), host=host, **run)
        guide = GUIDE
        path = "guides/time.md"
        first = memory.edit_document(Edit(path, "Tests that depend on time", guide, ["testing"], "note", actor="mara", project=PROJECTS[0]))
        memory.decide(first.review_id or "", "accept", why="agreed in the team")
        better = guide.replace(
            "- never sleep in a test\n", "- never sleep in a test, wait for the event\n- daylight saving: use `fold=1`\n"
        )
        memory.edit_document(Edit(path, "Tests that depend on time", better, ["testing"], "note", actor="codex", project=PROJECTS[0]))
        memory.synthesize(since="30d", project=PROJECTS[0], write=True)


def shoot(url: str) -> None:
    """The pages that the documents show."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    reviews = httpx2.get(f"{url}/v1/reviews").json()["reviews"]
    edit = next(each["id"] for each in reviews if each["kind"] == "edit")
    entry = httpx2.get(f"{url}/v1/records", params={"kind": "entry", "outcome": "recovered"}).json()["items"]
    shown = entry[0]["id"] if entry else httpx2.get(f"{url}/v1/records", params={"kind": "entry"}).json()["items"][0]["id"]
    pages = {
        "home": ("/", "light"),
        "home-dark": ("/", "dark"),
        "search": ("/search?q=token+expired", "light"),
        "entry": (f"/kb/{shown}", "light"),
        "review": (f"/review/{edit}", "light"),
        "map": ("/map", "light"),
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, (path, scheme) in pages.items():
            context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            page.goto(url + path)
            page.wait_for_timeout(1_500 if name == "map" else 400)
            page.screenshot(path=IMAGES / f"{name}.png")
            context.close()
        browser.close()


def main() -> int:
    """0 when all are written."""
    with tempfile.TemporaryDirectory() as scratch:
        workspace = Path(scratch) / "ws"
        fill(workspace)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "diarist", "--workspace", str(workspace), "serve", "--port", str(port), "--rate", "0"]
        server = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, "XDG_CONFIG_HOME": scratch})  # noqa: S603
        url = f"http://127.0.0.1:{port}"
        try:
            for _ in range(300):
                try:
                    httpx2.get(f"{url}/readyz")
                    break
                except httpx2.TransportError:
                    time.sleep(0.1)
            shoot(url)
        finally:
            server.terminate()
            server.wait(60)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
