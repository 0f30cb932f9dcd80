"""Synthesis: CPU time of the whole process, peak memory, growth and quality, with the machine's own speed beside.

    python bench/synthesis.py                        # 1,000 and 10,000 entries
    python bench/synthesis.py --sizes 100000,1000000
    python bench/synthesis.py --peer PATH/bin/python # an interpreter that has bernstein 3.23.0: the same texts, the same run

Entries are made here: sixty topics of skewed sizes whose words overlap, boilerplate, slips of the pen, a fifth one-offs. They are
put into a store as they would be, and `diarist synthesize --dry-run --json` is timed in a process of its own. Prints a table and
writes bench/out/synthesis.json. Budgets: 10,000 entries 2 s of CPU, 100,000 20 s, 1,000,000 5 min and 4 GB; growth at most n^1.3.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from diarist.app.records import entry_record
from diarist.model.codec import seal
from diarist.model.entry import Entry
from diarist.model.ids import make_id
from diarist.model.record import SearchText
from diarist.model.redacted import derived
from diarist.stores import open_store

OUT = Path(__file__).resolve().parent / "out"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TOPICS = 60
ONE_OFFS = 0.2
BUDGETS = {10_000: 2.0, 100_000: 20.0, 1_000_000: 300.0}
SYSTEM = "You are a coding agent of the team. Keep changes small, run all tests before you finish, never push to the main branch."
EVERYWHERE = ("all tests pass", "updated the changelog", "read the code around the change", "added a failing test first", "lint is clean")
PEER = """
import json, sys, time
from bernstein.core.knowledge.diary import build_entry
from bernstein.core.knowledge.synthesizer import synthesize
import dataclasses
rows = [json.loads(line) for line in sys.stdin]
entries = [dataclasses.replace(build_entry(row["id"], row["text"]), created_at=row["at"]) for row in rows]
began = time.process_time()
report = synthesize(entries, window_days=36500, threshold=0.34, min_cluster_size=2)
seconds = time.process_time() - began
print(json.dumps({"cpu_s": seconds, "themes": [[each.task_id for each in theme.entries] for theme in report.themes]}))
"""


def floor() -> float:
    """Seconds of CPU for two million additions in a loop: what this machine can do right now."""
    began, total = time.process_time(), 0
    for number in range(2_000_000):
        total += number
    return time.process_time() - began


def words(chance: random.Random, count: int) -> list[str]:
    """Invented words."""
    return ["".join(chance.choice("bcdfgklmnprstvz") + chance.choice("aeiou") for _ in range(chance.randint(2, 4))) for _ in range(count)]


def entries(count: int, seed: int = 1) -> Iterator[tuple[Entry, int]]:
    """Entries and what they are about; a negative topic is a one-off."""
    chance = random.Random(seed)
    shared = words(chance, 300)
    topics = [[words(chance, 3) + chance.sample(shared, 3) for _ in range(12)] for _ in range(TOPICS)]
    weights = [1 / (number + 3) for number in range(TOPICS)]
    for number in range(count):
        topic = -1 - number if chance.random() < ONE_OFFS else chance.choices(range(TOPICS), weights)[0]
        own = topics[topic] if topic >= 0 else [words(chance, 3) + chance.sample(shared, 3) for _ in range(6)]
        lines = [" ".join(_worn(chance, line)) for line in chance.sample(own, 5)]
        at = NOW - timedelta(seconds=int((count - number) * 14 * 86_400 * 0.9 / count))
        yield (
            Entry(
                id=make_id("bench", str(number)),
                task_id=derived(f"task-{number}"),
                session_id=derived(f"session-{number}"),
                agent=derived("agent"),
                project=derived("bench"),
                title=derived(lines[0]),
                prompt=derived(f"{SYSTEM} {lines[0]} (TICKET-{chance.randrange(10_000)})"),
                outcome=chance.choice(("completed", "completed", "recovered", "failed")),
                tried=tuple(map(derived, [lines[1], chance.choice(EVERYWHERE)])),
                worked=tuple(map(derived, [lines[2], chance.choice(EVERYWHERE)])),
                failed=tuple(map(derived, lines[3:])),
                created_at=at,
                redaction_hash="0" * 64,
            ),
            topic,
        )


def _worn(chance: random.Random, line: list[str]) -> list[str]:
    """Now and then a word is missing or misspelt."""
    line = list(line)
    if chance.random() < 0.2:
        del line[chance.randrange(len(line))]
    if chance.random() < 0.1:
        at = chance.randrange(len(line))
        line[at] = line[at][1] + line[at][0] + line[at][2:]
    return line


def fill(workspace: Path, count: int) -> dict[str, int]:
    """Puts so many entries into a store; task id → topic."""
    truth = {}
    with closing(open_store(workspace, read_only=False)) as store:
        made = entries(count)
        while batch := list(itertools.islice(made, 2000)):
            with store.transaction(actor="bench", at=NOW) as tx:
                for entry, topic in batch:
                    truth[str(entry.task_id)] = topic
                    tx.put_record(entry_record(seal(entry), trust="host", at=NOW), SearchText())
    return truth


def synthesize(workspace: Path) -> tuple[list[list[str]], float, float]:
    """Task ids by theme, CPU seconds and peak MiB of a whole process."""
    command = [sys.executable, "-m", "diarist", "--workspace", str(workspace), "synthesize", "--dry-run", "--json"]
    command += ["--project", "bench", "--now", NOW.isoformat()]
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"synthesize failed with {child.returncode}")
        out.seek(0)
        report = json.load(out)
    return [theme["task_ids"] for theme in report["themes"]], usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def pair_f1(themes: list[list[str]], truth: dict[str, int]) -> float:
    """Of the pairs that stand in one theme and those that should."""
    both = sum(count * (count - 1) // 2 for theme in themes for count in Counter(truth[task] for task in theme).values())
    found = sum(len(theme) * (len(theme) - 1) // 2 for theme in themes)
    real = sum(count * (count - 1) // 2 for count in Counter(truth.values()).values())
    return 2 * both / (found + real) if found + real else 1.0


def run_peer(python: str, count: int) -> dict[str, Any]:
    """CPU seconds of Bernstein's clustering alone, and its themes, on the same texts without the system prompt.

    With it, its first sixteen words are everybody's, all entries are one theme, and no time is needed to find that.
    """
    rows = []
    for entry, _ in entries(count):
        parts = [entry.title, "Tried:", *entry.tried, "Worked:", *entry.worked, "Failed:", *entry.failed]
        rows.append(json.dumps({"id": entry.task_id, "text": "\n".join(parts), "at": entry.created_at.isoformat()}))
    done = subprocess.run([python, "-c", PEER], input="\n".join(rows), capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def measure(count: int, peer: str, peer_max: int) -> dict[str, Any]:
    """One size."""
    with tempfile.TemporaryDirectory() as folder:
        truth = fill(Path(folder), count)
        before = floor()
        themes, cpu, peak = synthesize(Path(folder))
    line: dict[str, Any] = {"entries": count, "cpu_s": round(cpu, 2), "peak_mib": round(peak), "themes": len(themes)}
    line |= {"pair_f1": round(pair_f1(themes, truth), 4), "floors": round(cpu / before, 1)}
    if count in BUDGETS:
        line["budget_s"] = BUDGETS[count]
    if peer and count <= peer_max:
        theirs = run_peer(peer, count)
        line |= {"peer_cpu_s": round(theirs["cpu_s"], 2), "peer_pair_f1": round(pair_f1(theirs["themes"], truth), 4)}
        line["times_faster"] = round(theirs["cpu_s"] / cpu, 1)
    return line


def main() -> int:
    """Prints a line for each size and the growth between the first and the last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--peer", default="", help="Python interpreter with bernstein")
    parser.add_argument("--peer-max", type=int, default=10_000, help="entries up to which the peer takes part: its time is quadratic")
    options = parser.parse_args()
    lines = []
    for size in map(int, options.sizes.split(",")):
        lines.append(measure(size, options.peer, options.peer_max))
        print("  ".join(f"{name} {value}" for name, value in lines[-1].items()), flush=True)
    result: dict[str, Any] = {"lines": lines}
    if len(lines) > 1:
        first, last = lines[0], lines[-1]
        result["growth"] = round(math.log(last["cpu_s"] / first["cpu_s"]) / math.log(last["entries"] / first["entries"]), 2)
        print(f"growth of the whole process: n^{result['growth']}")
    OUT.mkdir(exist_ok=True)
    (OUT / "synthesis.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0 if all(line["cpu_s"] <= line.get("budget_s", math.inf) for line in lines) else 1


if __name__ == "__main__":
    raise SystemExit(main())
