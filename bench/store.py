"""The store: durable writes against one plain SQLite commit, bulk writes, cold and warm reads, checking.

    python bench/store.py [--records N] [--folder FOLDER]

Budget: one entry written durably in at most three times one SQLite commit with fsync (a row as large as the entry, same
disk, same run). Prints a table and writes bench/out/store.json. Times are medians in milliseconds of wall time unless they say CPU.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from diarist.model.record import Part, Record, RecordFilter, SearchText
from diarist.model.redacted import derived
from diarist.stores import open_store, open_vault
from diarist.stores.sql_store import SqlStore
from diarist.stores.vault import FolderVault

HERE = Path(__file__).resolve().parent
START = datetime(2026, 1, 1, tzinfo=UTC)
BODY_BYTES, SEARCH_BYTES, EVIDENCE_BYTES = 6000, 6000, 20_000
WORDS = [hashlib.sha256(str(number).encode()).hexdigest()[:7] for number in range(5000)]


def text(size: int, seed: int) -> str:
    """Words of a fixed vocabulary, `size` characters: compresses about as real text does."""
    chosen = []
    state = seed * 7919 + 1
    for _ in range(size // 8 + 1):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        chosen.append(WORDS[(state >> 33) % len(WORDS)])
    return " ".join(chosen)[:size]


def record(number: int) -> tuple[Record, SearchText]:
    body = json.dumps({"n": number, "text": text(BODY_BYTES, number)}).encode()
    digest = hashlib.sha256(body).hexdigest()
    made = Record(
        id=f"kh-{digest[:16]}",
        kind="entry",
        project=derived(f"project-{number % 20}"),
        agent=derived("sailor"),
        task_id=derived(f"task-{digest[16:24]}"),
        session_id=derived(f"session-{digest[24:40]}"),
        outcome=("completed", "failed", "recovered")[number % 3],
        title=derived(f"Mend sail {number}"),
        tags=tuple(derived(WORDS[number * step % len(WORDS)]) for step in (1, 3, 7)),
        created_at=START + timedelta(minutes=number),
        updated_at=START,
        digest=digest,
        body=body,
    )
    return made, SearchText(title=made.title, body=derived(text(SEARCH_BYTES, -number)))


def fill(store: SqlStore, numbers: Iterator[int], records: int) -> float:
    """Writes records, a thousand to a transaction; returns records a second of the median transaction."""
    times = []
    for _ in range(max(1, records // 1000)):
        batch = [record(next(numbers)) for _ in range(1000)]
        began = time.perf_counter()
        with store.transaction(actor="bench", at=START) as transaction:
            for made, search in batch:
                transaction.put_record(made, search)
        times.append(time.perf_counter() - began)
    return 1000 / statistics.median(times)


def durable_writes(folder: Path, store: SqlStore, vault: FolderVault, numbers: Iterator[int], rounds: int = 200) -> dict[str, float]:
    """One entry at a time, all kinds in turn, so that they meet the same disk."""
    floor = sqlite3.connect(folder / "floor.db", isolation_level=None)
    for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "CREATE TABLE entries (id INTEGER PRIMARY KEY, entry)"):
        floor.execute(statement)
    row = bytes(BODY_BYTES + SEARCH_BYTES)

    def commit() -> None:
        floor.execute("INSERT INTO entries (entry) VALUES (?)", (row,))

    def entry() -> None:
        with store.transaction(actor="bench", at=START) as transaction:
            transaction.put_record(*pending.pop())

    def chunk() -> str:
        chunk_id = vault.put(evidence.pop())
        vault.flush()
        return chunk_id

    def both() -> None:
        chunk_id = chunk()
        with store.transaction(actor="bench", at=START) as transaction:
            part = Part(agent="sailor", session=chunk_id, key="k", role="main", chunks=(chunk_id,), steps=9)
            transaction.put_part(part)
            transaction.put_record(*pending.pop())
            transaction.clear_dirty("sailor", chunk_id)

    def file() -> None:
        path = folder / "floor" / str(next(numbers))
        with path.open("wb") as stream:
            stream.write(row)
            stream.flush()
            os.fsync(stream.fileno())
        path.rename(path.with_suffix(".done"))
        descriptor = os.open(path.parent, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)

    (folder / "floor").mkdir()
    actions: dict[str, Callable[[], object]] = {"commit": commit, "entry": entry, "file": file, "chunk": chunk, "entry+chunk": both}
    pending = [record(next(numbers)) for _ in range(2 * rounds)]
    evidence = [text(EVIDENCE_BYTES, next(numbers)).encode() for _ in range(2 * rounds)]
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            began = time.perf_counter()
            action()
            times[name].append(time.perf_counter() - began)
    floor.close()
    return {name: statistics.median(values) * 1000 for name, values in times.items()}


def batched_chunks(vault: FolderVault, numbers: Iterator[int], chunks: int = 200) -> float:
    """Milliseconds a chunk where one flush serves many."""
    contents = [text(EVIDENCE_BYTES, next(numbers)).encode() for _ in range(chunks)]
    began = time.perf_counter()
    for content in contents:
        vault.put(content)
    vault.flush()
    return (time.perf_counter() - began) * 1000 / chunks


def reads(store: SqlStore, last: int) -> dict[str, float]:
    """Warm reads, milliseconds each."""
    someone = next(store.list_records(RecordFilter(), limit=1))
    actions: dict[str, Callable[[], object]] = {
        "get_record": lambda: store.get_record(someone.id),
        "find_ids by prefix": lambda: store.find_ids(someone.task_id[:9]),
        "get_hits, 10": lambda: store.get_hits([last * step // 11 for step in range(1, 11)]),
        "list newest 20": lambda: list(store.list_records(RecordFilter(), limit=20)),
        "list newest 20 of a tag": lambda: list(store.list_records(RecordFilter(tag=someone.tags[0]), limit=20)),
        "list newest 20 by title": lambda: list(store.list_records(RecordFilter(), sort="title", limit=20)),
        "count one project": lambda: store.count_records(RecordFilter(project="project-3")),
    }
    return {name: median(action) for name, action in actions.items()}


def median(action: Callable[[], object], repeat: int = 15) -> float:
    times = []
    for _ in range(repeat):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def cold(script: str, *arguments: str, repeat: int = 15) -> float:
    """Least CPU milliseconds of a process of its own."""
    best = float("inf")
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-I", "-c", script, *arguments], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best * 1000


def cold_reads(workspace: Path, last: int) -> dict[str, float]:
    hits = (
        "import sys; from diarist.stores import open_store; store = open_store(sys.argv[1], read_only=True)\n"
        "store.get_hits([int(sys.argv[2]) * step // 11 for step in range(1, 11)]); store.close()"
    )
    rows = (
        "import sqlite3, json, sys; c = sqlite3.connect(f'file:{sys.argv[1]}/diarist.db?immutable=1', uri=True)\n"
        "c.execute('SELECT * FROM records LIMIT 10').fetchall(); c.close()"
    )
    return {
        "python alone": cold("pass"),
        "sqlite3, json, ten rows": cold(rows, str(workspace)),
        "open read-only, ten hits": cold(hits, str(workspace), str(last)),
    }


def check_speed(store: SqlStore) -> dict[str, float]:
    result = {}
    for name, action in (("check_history", store.check_history), ("check_storage", store.check_storage)):
        began = time.perf_counter()
        assert action() == []
        result[name + ", s"] = time.perf_counter() - began
    return result


def main() -> int:
    """Runs and prints."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--records", type=int, default=10_000)
    options.add_argument("--folder", type=Path, help="a folder on the disk to measure")
    chosen = options.parse_args()
    result: dict[str, dict[str, float]] = {}
    numbers = count(1)
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        folder = Path(name)
        store, vault = open_store(folder / "workspace"), open_vault(folder / "workspace" / "vault")
        for number in range(2000):
            vault.put(str(number).encode())
        vault.flush()
        result["bulk"] = {"records/s": fill(store, numbers, chosen.records)}
        written = durable_writes(folder, store, vault, numbers)
        result["durable, ms"] = written | {"chunk, one flush for 200": batched_chunks(vault, numbers)}
        result["ratio to one commit"] = {key: written[key] / written["commit"] for key in ("entry", "file", "chunk", "entry+chunk")}
        result["warm, ms"] = reads(store, store.last_seq())
        result["check"] = check_speed(store)
        last = store.last_seq()
        store.close()
        result["cold, CPU ms"] = cold_reads(folder / "workspace", last)
        result["size"] = {"records": last, "bytes a record": (folder / "workspace" / "diarist.db").stat().st_size / last}
    for group, figures in result.items():
        print(group)
        for key, value in figures.items():
            print(f"  {key:28} {value:12.3f}")
    (HERE / "out").mkdir(exist_ok=True)
    (HERE / "out" / "store.json").write_text(json.dumps(result, indent=2))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
