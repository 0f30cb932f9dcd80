"""Search latency beside raw Tantivy on the same index and stock SQLite FTS5 on the same texts; cold start; readers while one writes.

    python bench/search.py [--entries 1000 100000 1000000] [--queries 60] [--skip-fts] [--keep FOLDER] [--only-readers] [--json OUT]

Texts are made up: words of a Zipf distribution over 200,000, about 120 of them an entry, 50 projects. A query is eight words as a
person would write them, common ones included, drawn from one entry. Everything lies in a temporary folder, or in `--keep FOLDER`,
where a later run finds what an earlier one built (the readers' run adds some notes each time); nothing is downloaded.
Times are milliseconds; "ratio" is product to raw engine, medians of turns taken in one run.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import itertools
import json
import os
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import tantivy

from diarist.bootstrap import open_memory
from diarist.index import folders
from diarist.index.schema import TEXT, make_schema
from diarist.model.ids import make_id
from diarist.model.record import Record, SearchText
from diarist.model.redacted import derived
from diarist.text.analyse import analyse

VOCABULARY, LENGTH, TERMS, PROJECTS = 200_000, 120, 8, 50
READ = 100
"""Queries of each of the readers beside a writer."""
START = datetime(2026, 1, 1, tzinfo=UTC)


class Texts:
    """The made-up corpus: the same number always gives the same text."""

    def __init__(self) -> None:
        sounds = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
        self.words = ["".join(parts) for parts in itertools.islice(itertools.product(sounds, repeat=3), VOCABULARY)]
        random.Random(1).shuffle(self.words)
        self.weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(self.words))))

    def words_of(self, number: int) -> list[str]:
        return random.Random(number).choices(self.words, cum_weights=self.weights, k=LENGTH)

    def query(self, number: int, entries: int) -> str:
        """Eight different words of some entry, as they come."""
        chance = random.Random(-1 - number)
        found = list(dict.fromkeys(self.words_of(chance.randrange(entries))))
        at = chance.randrange(len(found) - TERMS)
        return " ".join(found[at : at + TERMS])


def records(texts: Texts, entries: int) -> Iterator[tuple[Record, SearchText]]:
    for number in range(entries):
        words = texts.words_of(number)
        title, body = " ".join(words[:8]), " ".join(words)
        record = Record(
            id=make_id("bench", str(number)),
            kind="entry",
            project=derived(f"project-{number % PROJECTS}"),
            agent=derived("bench"),
            outcome="completed",
            title=derived(title),
            created_at=START + timedelta(minutes=number),
            updated_at=START,
            digest=hashlib.sha256(b"{}").hexdigest(),
            body=b"{}",
        )
        yield record, SearchText(title=derived(title), body=derived(body))


def build(workspace: Path, texts: Texts, entries: int, fts: sqlite3.Connection | None) -> dict[str, float]:
    """Fills the store, the index and, beside them, an FTS5 table; seconds of each."""
    began = time.perf_counter()
    source = records(texts, entries)
    with open_memory(workspace) as memory:
        while batch := list(itertools.islice(source, 5_000)):
            with memory._box.store.transaction(actor="bench", at=START) as tx:
                for record, search in batch:
                    tx.put_record(record, search)
            if fts is not None:
                fts.executemany("INSERT INTO t(title, body) VALUES (?, ?)", [(search.title, search.body) for _, search in batch])
        stored, worked = time.perf_counter(), time.process_time()
        memory.rebuild_index()
    if fts is not None:
        fts.commit()
    indexed = time.perf_counter() - stored
    cpu = time.process_time() - worked
    took = {"store s": round(stored - began, 1), "index s": round(indexed, 1)}
    return took | {"index CPU, ms an entry": round(1e3 * cpu / entries, 2)}


def raw_search(folder: Path) -> Callable[[str], Any]:
    """The engine alone: the same analysed words, the same field, ten results."""
    index = tantivy.Index.open(folders.current(str(folder)))
    schema = make_schema()

    def run(query: str) -> Any:
        terms = [(tantivy.Occur.Should, tantivy.Query.term_query(schema, TEXT, term, index_option="freq")) for term in analyse(query)]
        return index.searcher().search(tantivy.Query.boolean_query(terms), 10, count=False).hits

    return run


def fts_search(connection: sqlite3.Connection) -> Callable[[str], Any]:
    def run(query: str) -> Any:
        words = " OR ".join(query.split())
        return connection.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank, rowid LIMIT 10", (words,)).fetchall()

    return run


def measure(ways: dict[str, Callable[[str], Any]], queries: list[str]) -> dict[str, list[float]]:
    """Milliseconds of CPU of every query by every way, the ways taking turns."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        way(queries[0])
    for query in queries:
        for name, way in ways.items():
            began = time.process_time()
            way(query)
            taken[name].append(1e3 * (time.process_time() - began))
    return taken


def summary(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {"p50": round(statistics.median(ordered), 2), "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 2)}


def cold(workspace: Path, texts: Texts, entries: int, runs: int = 15) -> dict[str, float]:
    """Median CPU of whole processes."""
    environ = {**os.environ, "DIARIST_HOME": str(workspace)}
    script = Path(sys.executable).parent / "diarist"
    start = [str(script)] if script.exists() else [sys.executable, "-m", "diarist"]
    commands: dict[str, Callable[[int], list[str]]] = {
        "python -I -c pass": lambda _: [sys.executable, "-I", "-c", "pass"],
        "diarist search": lambda number: [*start, "search", texts.query(number, entries)],
        "diarist recall": lambda number: [*start, "recall", texts.query(number, entries)],
    }
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(runs):
        for name, command in commands.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command(number), env=environ, stdout=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken[name].append(1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return {name: round(statistics.median(values), 1) for name, values in taken.items()}


_READER = """
import sys, time
from diarist.bootstrap import open_memory
queries = sys.stdin.read().split("\\n")
wall, cpu = [], []
with open_memory(sys.argv[1], read_only=True) as memory:
    memory.search(queries[0])
    for query in queries:
        began, worked = time.perf_counter(), time.process_time()
        memory.search(query)
        wall.append(time.perf_counter() - began)
        cpu.append(time.process_time() - worked)
place = int(0.95 * (len(wall) - 1))
print(*(1e3 * sorted(taken)[at] for taken in (wall, cpu) for at in (len(wall) // 2, place)))
"""


def readers_beside_a_writer(workspace: Path, texts: Texts, entries: int) -> dict[str, float]:
    """Four processes search while this one writes and brings the index up to date; wall times, and CPU where the machine has other work."""
    queries = "\n".join(texts.query(number, entries) for number in range(100, 100 + READ))
    done = threading.Event()
    written = 0

    def write() -> None:
        nonlocal written
        with open_memory(workspace) as memory:
            while not done.is_set():
                memory.add_note(title=f"note {written}", body=" ".join(texts.words_of(-written - 1)))
                memory._catch_up()
                written += 1

    writer = threading.Thread(target=write)
    writer.start()
    processes = [
        subprocess.Popen([sys.executable, "-c", _READER, str(workspace)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    outputs = [process.communicate(queries)[0].split() for process in processes]
    done.set()
    writer.join()
    columns = list(zip(*([float(each) for each in output] for output in outputs), strict=True))
    report = {"entries written meanwhile": float(written)}
    for kind, p50, p95 in (("wall", *columns[:2]), ("CPU", *columns[2:])):
        report[f"{kind} p50"] = round(statistics.median(p50), 1)
        report[f"{kind} p95, worst reader"] = round(max(p95), 1)
    return report


def built(folder: Path, texts: Texts, entries: int, *, with_fts: bool) -> tuple[sqlite3.Connection | None, dict[str, Any]]:
    """The workspace `ws` and the table `fts.db` in a folder: as an earlier run left them, or made now."""
    done = folder / "built.json"
    connection = sqlite3.connect(folder / "fts.db") if with_fts else None
    if done.exists():
        known: dict[str, Any] = json.loads(done.read_text())
        if known["entries"] != entries or known["FTS5"] < with_fts:
            raise SystemExit(f"{folder} holds {known['entries']:,} entries, made otherwise; take another folder")
        return connection, {**known["took"], "index": "kept"}
    if connection is not None:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(title, body)")
    took = build(folder / "ws", texts, entries, connection)
    done.write_text(json.dumps({"entries": entries, "FTS5": with_fts, "took": took}))
    return connection, took


def run(entries: int, queries: int, folder: Path, *, with_fts: bool, only_readers: bool) -> dict[str, Any]:
    texts, workspace = Texts(), folder / "ws"
    connection, took = built(folder, texts, entries, with_fts=with_fts and not only_readers)
    report: dict[str, Any] = {"entries": entries, **took}
    report["index MB"] = round(sum(file.stat().st_size for file in (workspace / "index").rglob("*") if file.is_file()) / 1e6, 1)
    if not only_readers:
        asked = [texts.query(number, entries) for number in range(queries)]
        with open_memory(workspace) as memory:
            ways: dict[str, Callable[[str], Any]] = {"diarist": memory.search, "raw tantivy": raw_search(workspace / "index")}
            if connection is not None:
                ways["FTS5"] = fts_search(connection)
            taken = measure(ways, asked)
        report |= {f"{name}, warm CPU": summary(values) for name, values in taken.items()}
        report["ratio p50"] = round(statistics.median(taken["diarist"]) / statistics.median(taken["raw tantivy"]), 2)
        report["ratio of sums"] = round(sum(taken["diarist"]) / sum(taken["raw tantivy"]), 2)
        report["cold CPU"] = cold(workspace, texts, entries)
    report["four readers, one writer"] = readers_beside_a_writer(workspace, texts, entries)
    report["peak RSS MB"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, nargs="+", default=[1_000, 100_000])
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--skip-fts", action="store_true")
    parser.add_argument("--keep", type=Path, help="Build in FOLDER/ENTRIES, and use again what lies there.")
    parser.add_argument("--only-readers", action="store_true", help="Only four readers beside one writer.")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    reports = []
    for entries in options.entries:
        with contextlib.ExitStack() as stack:
            kept = options.keep and options.keep / str(entries)
            folder = kept or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="diarist-bench-")))
            folder.mkdir(parents=True, exist_ok=True)
            chosen = {"with_fts": not options.skip_fts, "only_readers": options.only_readers}
            reports.append(run(entries, options.queries, folder, **chosen))
        print(json.dumps(reports[-1], indent=1))
    if options.json:
        options.json.write_text(json.dumps(reports, indent=1) + "\n")


if __name__ == "__main__":
    main()
