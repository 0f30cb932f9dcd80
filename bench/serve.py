"""The search page under load: p50, p95 and p99 of 50 people who search at once, and of 50 clients that never pause.

    python bench/serve.py [--entries 100000] [--people 50] [--seconds 20] [--workspace FOLDER]

Makes a workspace of made-up entries (words of a Zipf distribution, 120 an entry), starts `diarist serve` on it in a process of its own,
and asks for `/search?q=…` as the page does while one types (htmx: the results alone), and as whole pages. A person asks, reads for about
a second, asks again; every query is another. Prints a table and writes bench/out/serve.json. Budget: p95 under 100 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2

from diarist.app.records import entry_record
from diarist.bootstrap import open_memory
from diarist.model.codec import seal
from diarist.model.entry import Entry
from diarist.model.ids import make_id
from diarist.model.record import Record, SearchText
from diarist.model.redacted import derived
from diarist.stores import open_store

OUT = Path(__file__).resolve().parent / "out"
VOCABULARY, LENGTH = 60_000, 120
START = datetime(2026, 1, 1, tzinfo=UTC)
READING = 1.0
"""Seconds a person reads before asking again, on average."""


def vocabulary() -> tuple[list[str], list[float]]:
    """Words, and their weights added up."""
    sounds = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    words = ["".join(parts) for parts in itertools.islice(itertools.product(sounds, repeat=3), VOCABULARY)]
    random.Random(1).shuffle(words)
    return words, list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(words))))


def records(entries: int) -> Iterator[tuple[Record, SearchText]]:
    """Made-up entries; the same number gives the same text."""
    words, weights = vocabulary()
    for number in range(entries):
        own = random.Random(number).choices(words, cum_weights=weights, k=LENGTH)
        title = " ".join(own[:8])
        entry = Entry(
            id=make_id("bench", str(number)),
            task_id=derived(f"task-{number}"),
            session_id=derived(f"session-{number}"),
            agent=derived(f"agent-{number % 5}"),
            project=derived(f"project-{number % 50}"),
            title=derived(title),
            outcome=("completed", "recovered", "failed")[number % 3],
            worked=(derived(" ".join(own[8:20])),),
            failed=(derived(" ".join(own[20:30])),),
            created_at=START + timedelta(minutes=number),
            redaction_hash="0" * 64,
        )
        record = entry_record(seal(entry), trust="host", at=START)
        yield record, SearchText(title=derived(title), body=derived(" ".join(own)))


def fill(workspace: Path, entries: int) -> None:
    """Store and index."""
    with closing(open_store(workspace)) as store:
        if store.last_seq() >= entries:
            return
        made = records(entries)
        while batch := list(itertools.islice(made, 5_000)):
            with store.transaction(actor="bench", at=START) as tx:
                for record, search in batch:
                    tx.put_record(record, search)
    with open_memory(workspace) as memory:
        memory.rebuild_index()


def query(chance: random.Random, words: list[str], weights: list[float]) -> str:
    """Two to six words, as people type them."""
    return " ".join(chance.choices(words, cum_weights=weights, k=chance.randint(2, 6)))


async def person(client: httpx2.AsyncClient, number: int, until: float, pause: float, whole: bool, times: list[float]) -> None:
    """Asks until the time is over; seconds of each answer go into `times`."""
    chance = random.Random(number)
    words, weights = WORDS
    headers = {} if whole else {"hx-request": "true"}
    await asyncio.sleep(chance.random() * pause)
    while time.perf_counter() < until:
        began = time.perf_counter()
        answer = await client.get("/search", params={"q": query(chance, words, weights)}, headers=headers)
        times.append(time.perf_counter() - began)
        assert answer.status_code == 200, answer.status_code
        if pause:
            await asyncio.sleep(chance.expovariate(1 / pause))


def load(url: str, server: int, people: int, seconds: float, pause: float, *, whole: bool) -> dict[str, float]:
    """Many people at once; milliseconds. `cpu`: of the server's process, by request."""
    before = cpu_of(server)
    told = asyncio.run(ask(url, people, seconds, pause, whole=whole))
    return {**told, "cpu": (cpu_of(server) - before) / told["requests"] * 1e3}


def cpu_of(process: int) -> float:
    """Seconds of CPU that a process took; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def ask(url: str, people: int, seconds: float, pause: float, *, whole: bool) -> dict[str, float]:
    """Many people at once; milliseconds."""
    times: list[float] = []
    limits = httpx2.Limits(max_connections=people, max_keepalive_connections=people)
    async with httpx2.AsyncClient(base_url=url, limits=limits, timeout=60) as client:
        until = time.perf_counter() + seconds
        await asyncio.gather(*(person(client, number, until, pause, whole, times) for number in range(people)))
    cuts = statistics.quantiles(times, n=100)
    return {"requests": len(times), "per_second": len(times) / seconds, "p50": cuts[49] * 1e3, "p95": cuts[94] * 1e3, "p99": cuts[98] * 1e3}


WORDS = vocabulary()


def main() -> int:
    """0 where the budget holds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--workspace", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        workspace = asked.workspace or Path(scratch) / "ws"
        fill(workspace, asked.entries)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "diarist", "--workspace", str(workspace), "serve", "--port", str(port), "--rate", "0"]
        server = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, "XDG_CONFIG_HOME": scratch})
        url = f"http://127.0.0.1:{port}"
        try:
            _wait(url)
            load(url, server.pid, 4, 2, 0, whole=True)
            told = {
                "typing": load(url, server.pid, asked.people, asked.seconds, READING, whole=False),
                "whole pages": load(url, server.pid, asked.people, asked.seconds, READING, whole=True),
                "without pause": load(url, server.pid, asked.people, asked.seconds / 2, 0, whole=False),
            }
        finally:
            server.terminate()
            server.wait(60)
    print(f"{asked.entries:,} entries, {asked.people} people; milliseconds")
    for name, row in told.items():
        print(
            f"{name:14} {row['per_second']:7.1f}/s   p50 {row['p50']:7.1f}   p95 {row['p95']:7.1f}   "
            f"p99 {row['p99']:7.1f}   CPU {row['cpu']:5.1f}"
        )
    OUT.mkdir(exist_ok=True)
    (OUT / "serve.json").write_text(
        json.dumps({"entries": asked.entries, "people": asked.people, **told}, indent=2) + "\n", encoding="utf-8"
    )
    return int(told["typing"]["p95"] > 100)


def _wait(url: str) -> None:
    for _ in range(300):
        try:
            if httpx2.get(f"{url}/readyz").status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")


if __name__ == "__main__":
    raise SystemExit(main())
