"""What a team's hub takes: entries and searches over HTTP on PostgreSQL, at several sizes, beside raw COPY and raw Tantivy.

    python bench/team.py [--entries 10000 100000 1000000] [--writes 4000] [--queries 200] [--clients 4] [--json OUT]

Starts a PostgreSQL server (with fsync) and one node, on loopback, and fills the database up to each size in turn. Then, at each size:
notes in batches and runs in batches and one by one, until the node's index has caught up; searches; the raw engines beside. Rates are
by the clock of a machine that does nothing else; the milliseconds of CPU an entry, by process, hold on a busy one too.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import tantivy

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from bench.search import START, Texts, raw_search, records  # noqa: E402

from diarist.bootstrap import open_memory  # noqa: E402
from diarist.index.schema import TEXT, make_schema  # noqa: E402
from diarist.text.analyse import analyse  # noqa: E402
from postgres_server import Server, running_server  # noqa: E402

PORT = int(os.environ.get("PORT", "7793"))
FILL, BATCH = 2_000, 200
WORDS = "anchor bilge canvas davit ensign fender galley halyard jib keel lantern mast oar pennant rudder sextant tiller winch yard zephyr"
NAMES = WORDS.split()


def transcript(number: int) -> str:
    """A small run: an error, an edit, a check that passes."""
    error = f"ValueError: {NAMES[number % 20]} {number} is {NAMES[number * 7 % 20]}"
    steps = [
        {"role": "user", "content": f"Please mend the {NAMES[number * 3 % 20]} of part {number}."},
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


def run_of(number: int) -> dict[str, str]:
    return {"task_id": f"t{number}", "transcript": transcript(number), "agent": "bench", "project": "bench"}


def note_of(number: int) -> dict[str, str]:
    """What a host that has its own words for a run hands over: a title and a few sentences."""
    word, other = NAMES[number % 20], NAMES[number * 7 % 20]
    text = (
        f"Part {number} failed with ValueError: {word} {number} is {other}. The cause was a value in src/p{number}.py that the {other} "
        f"reads before the {word} is set. After x = 1 there, `pytest -q` passes: 3 passed in 0.2s. Next time look there first."
    )
    return {"title": f"Mend the {word} of part {number}", "body": text, "project": "bench"}


class Node(NamedTuple):
    """What runs, for its CPU time."""

    process: subprocess.Popen[bytes]
    server: Server
    home: Path

    def folder(self) -> Path:
        """Folder of its search index."""
        return next(self.home.glob("index*"))

    def cpu(self) -> dict[str, float]:
        """Seconds of CPU so far, by part."""
        postmaster = int((self.server.folder / "data" / "postmaster.pid").read_text().split()[0])
        backends = [postmaster, *_children(postmaster)]
        return {
            "node": _seconds(self.process.pid),
            "its workers": sum(map(_seconds, _children(self.process.pid))),
            "PostgreSQL": sum(map(_seconds, backends)) + _seconds(postmaster, dead=True),
            "client": time.process_time(),
        }


def _children(pid: int) -> list[int]:
    return [int(word) for told in Path(f"/proc/{pid}/task").glob("*/children") for word in told.read_text().split()]


def _seconds(pid: int, *, dead: bool = False) -> float:
    """CPU time of a process; `dead`: of its children that ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it ended just now, and its parent counts it
        return 0.0
    return sum(map(int, fields[13:15] if dead else fields[11:13])) / os.sysconf("SC_CLK_TCK")


def ask(connection: HTTPConnection, path: str, body: Any = None) -> Any:
    """One request on a connection that is kept."""
    connection.request("GET" if body is None else "POST", path, body and json.dumps(body).encode(), {"content-type": "application/json"})
    answer = connection.getresponse()
    told = answer.read()
    if answer.status >= 300:
        raise SystemExit(f"{path}: {answer.status} {told[:200]!r}")
    return json.loads(told) if told[:1] in b"{[" else told.decode()


def many(clients: int, work: Iterator[Callable[[HTTPConnection], Any]]) -> None:
    """Does all of it, so many at once."""
    turn = threading.Lock()

    def run() -> None:
        connection = HTTPConnection("127.0.0.1", PORT, timeout=600)
        while True:
            with turn:
                each = next(work, None)
            if each is None:
                return
            each(connection)

    threads = [threading.Thread(target=run) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def wait_for_index() -> None:
    """Until the node's index holds all that was written."""
    connection = HTTPConnection("127.0.0.1", PORT, timeout=600)
    while True:
        found = re.search(r"^diarist_index_behind (\S+)", ask(connection, "/metrics"), re.MULTILINE)
        if found and float(found[1]) == 0:
            return
        time.sleep(0.1)


def measure(node: Node, clients: int, count: int, work: Iterator[Callable[[HTTPConnection], Any]]) -> dict[str, Any]:
    """Entries a second until they are acknowledged, and until they are indexed; CPU an entry by part, indexing included."""
    wait_for_index()
    before, began = node.cpu(), time.perf_counter()
    many(clients, work)
    taken = time.perf_counter() - began
    wait_for_index()
    indexed, after = time.perf_counter() - began, node.cpu()
    spent = {part: round(1e3 * (after[part] - before[part]) / count, 3) for part in after}
    return {"entries/s": round(count / taken), "indexed/s": round(count / indexed), "CPU ms an entry": spent}


def batches(path: str, make: Callable[[int], Any], first: int, count: int) -> Iterator[Callable[[HTTPConnection], Any]]:
    for start in range(first, first + count, BATCH):
        items = [make(number) for number in range(start, min(start + BATCH, first + count))]
        yield partial(ask, path=path, body=items)


def searches(node: Node, texts: Texts, entries: int, count: int) -> dict[str, Any]:
    """Milliseconds of a search by one client, its CPU in the node, and the same words in raw Tantivy on the node's own index."""
    connection = HTTPConnection("127.0.0.1", PORT, timeout=600)
    raw = raw_search(node.folder())
    queries = [texts.query(number, entries) for number in range(count)]
    for query in queries[:5]:
        ask(connection, "/v1/kb/search", {"query": query}), raw(query)
    waits, engine, before = [], [], node.cpu()["node"]
    for query in queries:
        began = time.perf_counter()
        ask(connection, "/v1/kb/search", {"query": query})
        waits.append(time.perf_counter() - began)
        began = time.perf_counter()
        raw(query)
        engine.append(time.perf_counter() - began)
    spent = round(1e3 * (node.cpu()["node"] - before) / count, 2)
    return {"ms": _shown(waits), "CPU ms": spent, "raw Tantivy ms": _shown(engine)}


def _shown(waits: list[float]) -> dict[str, float]:
    waits = sorted(waits)
    return {"median": round(1e3 * statistics.median(waits), 1), "p95": round(1e3 * waits[int(len(waits) * 0.95)], 1)}


def fill(url: str, home: Path, texts: Texts, start: int, entries: int) -> float:
    """Writes records as the batch path does, two thousand a transaction; records a second."""
    began, made = time.perf_counter(), itertools.islice(records(texts, entries), start, None)
    os.environ["DIARIST_DATABASE_URL"] = url
    memory = open_memory(home)
    while several := list(itertools.islice(made, FILL)):
        with memory._box.store.transaction(actor="bench", at=START) as tx:
            tx.put_records([(record, search, "") for record, search in several])
    memory._box.store.close()
    return (entries - start) / (time.perf_counter() - began)


def raw_copy(url: str, rows: int = 20_000) -> int:
    """Rows of a record's size that plain COPY takes a second."""
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TEMP TABLE raw (id text PRIMARY KEY, payload bytea)")
        began = time.perf_counter()
        with connection.cursor().copy("COPY raw FROM STDIN") as copy:
            for number in range(rows):
                copy.write_row((f"kh-{number:016d}", os.urandom(1500)))
        connection.commit()
        return round(rows / (time.perf_counter() - began))


def raw_tantivy(rows: int = 20_000) -> int:
    """Documents of a note's words, analysed before, that Tantivy alone indexes a second."""
    words = [" ".join(analyse(note_of(number)["body"])) for number in range(200)]
    with tempfile.TemporaryDirectory() as folder:
        writer = tantivy.Index(make_schema(), folder).writer(64_000_000, 1)
        began = time.perf_counter()
        for number in range(rows):
            document = tantivy.Document()
            document.add_text(TEXT, words[number % 200])
            writer.add_document(document)
        writer.commit()
        return round(rows / (time.perf_counter() - began))


def size_of(node: Node, url: str) -> dict[str, Any]:
    """Megabytes on disk and in memory."""
    with psycopg.connect(url) as connection:
        ((database,),) = connection.execute("SELECT pg_database_size(current_database())").fetchall()
    index = sum(path.stat().st_size for path in node.folder().rglob("*") if path.is_file())
    resident = int(re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{node.process.pid}/status").read_text())[0]) * 1024
    return {name: round(each / 1e6) for name, each in (("database MB", database), ("index MB", index), ("node MB", resident))}


def at_size(node: Node, url: str, texts: Texts, entries: int, options: argparse.Namespace) -> dict[str, Any]:
    first, few = entries * 10, options.writes // 4
    singles = options.writes // 10
    one_by_one = (partial(ask, path="/v1/entries", body=run_of(number)) for number in range(first * 2, first * 2 + singles))
    many(options.clients, batches("/v1/entries/batch", run_of, first * 3, 4 * BATCH))  # the node's processes start with the first of them
    notes, runs = batches("/v1/notes/batch", note_of, first, options.writes), batches("/v1/entries/batch", run_of, first, few)
    return {
        "notes in batches": measure(node, options.clients, options.writes, notes),
        "runs in batches": measure(node, options.clients, few, runs),
        "runs one by one": measure(node, 4 * options.clients, singles, one_by_one),
        "searches": searches(node, texts, entries, options.queries),
        "raw COPY rows/s": raw_copy(url),
        "raw Tantivy documents/s": raw_tantivy(),
        **size_of(node, url),
    }


def main() -> None:
    """Prints one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--writes", type=int, default=4_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    told: dict[str, Any] = {}
    with running_server(durable=True) as server, tempfile.TemporaryDirectory() as folder:
        url, home, texts, filled = server.make_database(), Path(folder), Texts(), 0
        environ = {**os.environ, "DIARIST_DATABASE_URL": url, "DIARIST_HOME": folder}
        words = [sys.executable, "-m", "diarist", "serve", "--port", str(PORT), "--rate", "0"]
        process = subprocess.Popen(words, env=environ, stderr=subprocess.DEVNULL)
        try:
            _wait()
            node = Node(process, server, home)
            for entries in sorted(options.entries):
                rate, filled = fill(url, home / "filling", texts, filled, entries), entries
                began = time.perf_counter()
                wait_for_index()
                more = {"filled/s": round(rate), "index caught up after s": round(time.perf_counter() - began, 1)}
                told[f"{entries:,}"] = {**more, **at_size(node, url, texts, entries, options)}
                sys.stderr.write(f"{entries:,}: {json.dumps(told[f'{entries:,}'])}\n")
        finally:
            process.terminate()
            process.wait()
    text = json.dumps(told, indent=2) + "\n"
    sys.stdout.write(text)
    if options.json:
        options.json.write_text(text, encoding="utf-8")


def _wait() -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/readyz", timeout=2).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the node did not start")


if __name__ == "__main__":
    main()
