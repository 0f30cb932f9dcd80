"""What a team's hub takes: entries handed in over HTTP and searches, on PostgreSQL, beside raw COPY and a bare health request.

    python bench/team.py [--entries 3000] [--clients 16]

Starts a PostgreSQL server (with fsync) and one node of its own, on loopback.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from postgres_server import running_server  # noqa: E402

PORT = 7793
WORDS = [
    "anchor",
    "bilge",
    "canvas",
    "davit",
    "ensign",
    "fender",
    "galley",
    "halyard",
    "jib",
    "keel",
    "lantern",
    "mast",
    "oar",
    "pennant",
    "rudder",
    "sextant",
    "tiller",
    "winch",
    "yard",
    "zephyr",
]


def transcript(number: int) -> str:
    """A small run: an error, an edit, a check that passes."""
    error = f"ValueError: {WORDS[number % 20]} {number} is {WORDS[number * 7 % 20]}"
    steps = [
        {"role": "user", "content": f"Please mend the {WORDS[number * 3 % 20]} of part {number}."},
        {"role": "assistant", "content": "I run the tests.", "tool_calls": [_call("a", "bash", {"command": "pytest -q"})]},
        {"role": "tool", "tool_call_id": "a", "content": f"E   {error}\n1 failed in 0.3s"},
        {
            "role": "assistant",
            "content": "The value is wrong.",
            "tool_calls": [_call("b", "write", {"path": f"src/p{number}.py", "content": "x = 1"})],
        },
        {"role": "tool", "tool_call_id": "b", "content": "written"},
        {"role": "assistant", "content": "Again.", "tool_calls": [_call("c", "bash", {"command": "pytest -q"})]},
        {"role": "tool", "tool_call_id": "c", "content": "3 passed in 0.2s"},
        {"role": "assistant", "content": "It is mended."},
    ]
    return "\n".join(json.dumps(step) for step in steps)


def _call(call_id: str, name: str, arguments: dict[str, str]) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def post(connection: HTTPConnection, path: str, body: dict[str, Any] | None = None) -> float:
    """Seconds that one request takes; the connection is kept."""
    began = time.perf_counter()
    data = None if body is None else json.dumps(body).encode()
    connection.request("GET" if data is None else "POST", path, data, {"content-type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    if answer.status >= 300:
        raise SystemExit(f"{path}: {answer.status}")
    return time.perf_counter() - began


def many(clients: int, count: int, ask: Callable[[HTTPConnection, int], float]) -> tuple[float, list[float]]:
    """Requests a second, and the seconds of each, of `count` requests by so many clients at once."""
    waits: list[float] = []
    numbers, lock = iter(range(count)), threading.Lock()

    def run() -> None:
        connection = HTTPConnection("127.0.0.1", PORT, timeout=120)
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            waits.append(ask(connection, number))

    threads = [threading.Thread(target=run) for _ in range(clients)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return count / (time.perf_counter() - began), sorted(waits)


def copy_rate(url: str, rows: int = 20_000) -> float:
    """Rows of an entry's size that plain COPY takes a second."""
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TEMP TABLE raw (id text PRIMARY KEY, payload bytea)")
        began = time.perf_counter()
        with connection.cursor().copy("COPY raw FROM STDIN") as copy:
            for number in range(rows):
                copy.write_row((f"kh-{number:016d}", os.urandom(3000)))
        return rows / (time.perf_counter() - began)


def main() -> None:
    """Prints one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=3000)
    parser.add_argument("--clients", type=int, default=16)
    options = parser.parse_args()
    with running_server(durable=True) as server, tempfile.TemporaryDirectory() as folder:
        url = server.make_database()
        environ = {**os.environ, "DIARIST_DATABASE_URL": url, "DIARIST_HOME": folder}
        words = [sys.executable, "-m", "diarist", "serve", "--port", str(PORT), "--rate", "0"]
        node = subprocess.Popen(words, env=environ, stderr=subprocess.DEVNULL)
        try:
            _wait()
            bare, _ = many(options.clients, 2000, lambda connection, _: post(connection, "/healthz"))
            rate, waits = many(
                options.clients,
                options.entries,
                lambda connection, n: post(connection, "/v1/entries", {"task_id": f"t{n}", "transcript": transcript(n), "agent": "bench"}),
            )
            found, searches = many(
                options.clients, 1000, lambda connection, n: post(connection, f"/v1/kb/search?q=mend+{WORDS[n % 20]}+part+{n}")
            )
        finally:
            node.terminate()
            node.wait()
        told = {
            "entries": options.entries,
            "entries/s over HTTP": round(rate),
            "entry ms": _shown(waits),
            "searches/s": round(found),
            "search ms": _shown(searches),
            "health requests/s": round(bare),
            "COPY rows/s": round(copy_rate(url)),
        }
    sys.stdout.write(json.dumps(told, indent=2) + "\n")


def _shown(waits: list[float]) -> dict[str, float]:
    return {"median": round(1e3 * statistics.median(waits), 1), "p95": round(1e3 * waits[int(len(waits) * 0.95)], 1)}


def _wait() -> None:
    for _ in range(100):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/readyz", timeout=2).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the node did not start")


if __name__ == "__main__":
    main()
