"""Mining: CPU time, peak memory and quality, with the machine's own speed beside.

    python bench/patterns.py                      # 1,000, 10,000 and 100,000 observations
    python bench/patterns.py --sizes 100000 --seeds 1,2,3

Streams are made here: habits in many languages with rewordings, typing errors, detours and failures among one-off prompts (see
tests/habits.py), and as many prompts of random words as it takes. Each size is mined in a process of its own, from the store on.
Prints a table and writes bench/out/patterns.json. Budget: 100,000 observations 30 s of CPU and 2 GB.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
OUT = Path(__file__).resolve().parent / "out"
BUDGET_SECONDS, BUDGET_MB = 30.0, 2048


def floor() -> float:
    """Seconds of CPU for two million additions in a loop: what this machine can do right now."""
    began = time.process_time()
    total = 0
    for number in range(2_000_000):
        total += number
    return time.process_time() - began


def fill(workspace: Path, size: int, seed: int) -> int:
    """A workspace with so many observations; how many habits are to be found."""
    from diarist.app.observing import put_observation
    from diarist.bootstrap import open_memory
    from habits import NOW, PROJECT, plant

    stream, truth = plant(seed)
    stream, truth = plant(seed, noise=max(0, size - len(stream)))
    with open_memory(workspace, now=lambda: NOW) as memory:
        for start in range(0, len(stream), 5_000):
            with memory._box.store.transaction(actor="bench", at=NOW) as tx:
                for run in stream[start : start + 5_000]:
                    if run.project == PROJECT:
                        put_observation(tx, run, trust="host", at=NOW)
    return sum(each.kind in ("habit", "tools") for each in truth)


def child(workspace: Path, seed: int) -> dict[str, Any]:
    """Mines and judges."""
    from diarist.bootstrap import open_memory
    from habits import NOW, PROJECT, plant

    _, truth = plant(seed)
    began = time.process_time()
    with open_memory(workspace, now=lambda: NOW) as memory:
        found = memory.mine_patterns(now=NOW, project=PROJECT, write=False)
    seconds = time.process_time() - began
    hit = set()
    for proposal in found:
        sessions = set(proposal.session_ids)
        best = max(truth, key=lambda each: len(each.sessions & sessions))
        if best.kind in ("habit", "tools") and 2 * len(best.sessions & sessions) > len(sessions):
            hit.add(best.name)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"cpu_s": round(seconds, 2), "peak_mb": peak, "proposals": len(found), "hit": len(hit)}


def measure(size: int, seed: int) -> dict[str, Any]:
    """One line of the table."""
    with tempfile.TemporaryDirectory() as name:
        wanted = fill(Path(name) / "ws", size, seed)
        command = [sys.executable, __file__, "--child", str(Path(name) / "ws"), "--seeds", str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    line = {"size": size, "seed": seed, "floor_s": round(floor(), 3), **json.loads(done.stdout)}
    precision = line["hit"] / line["proposals"] if line["proposals"] else 0.0
    return {**line, "precision": round(precision, 3), "recall": round(line["hit"] / wanted, 3)}


def main() -> int:
    """Prints the table; 1 where a budget is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    seeds = [int(seed) for seed in options.seeds.split(",")]
    if options.child:
        print(json.dumps(child(Path(options.child), seeds[0])))
        return 0
    lines = [measure(int(size), seed) for size in options.sizes.split(",") for seed in seeds]
    for line in lines:
        print("  ".join(f"{name} {value}" for name, value in line.items()))
    OUT.mkdir(exist_ok=True)
    (OUT / "patterns.json").write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")
    big = [line for line in lines if line["size"] >= 100_000]
    return int(any(line["cpu_s"] > BUDGET_SECONDS or line["peak_mb"] > BUDGET_MB for line in big))


if __name__ == "__main__":
    raise SystemExit(main())
