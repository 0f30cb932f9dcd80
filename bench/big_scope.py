"""One huge project: synthesis from memory and from a temporary file, and what engines for tables would make of its heaviest step.

    python bench/big_scope.py [--entries 100000] [--workspace FOLDER] [--engines PYTHON]

Each synthesis runs in a process of its own: CPU seconds, peak memory, and a digest of the report, which must be the same. `--engines`: an
interpreter that has duckdb, polars and numpy; the step "which group does each entry overlap with most" and the counting of features are
then done there too, on one thread, and compared with ours. Prints a table and writes bench/out/big_scope.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.synthesis import NOW, fill  # noqa: E402

OUT = Path(__file__).resolve().parent / "out"
CHILD = """
import hashlib, json, resource, sys
from datetime import datetime
from diarist.bootstrap import open_memory
from diarist.model.codec import to_json

with open_memory(sys.argv[1], read_only=True) as memory:
    report = memory.synthesize(now=datetime.fromisoformat(sys.argv[2]), project="bench")
used = resource.getrusage(resource.RUSAGE_SELF)
told = {"cpu_s": round(used.ru_utime + used.ru_stime, 1), "peak_mib": used.ru_maxrss // 1024, "themes": len(report.themes)}
print(json.dumps(told | {"digest": hashlib.sha256(to_json(report)).hexdigest()[:16]}))
"""
VECTORS = """
import sys, time
from array import array
from datetime import datetime
from diarist.bootstrap import open_memory
from diarist.stages.synthesis import cluster, synthesis

kept = {}
plain = synthesis.cluster
def noted(space, threshold):
    kept["space"], kept["groups"] = space, plain(space, threshold)
    return kept["groups"]
synthesis.cluster = noted
with open_memory(sys.argv[1], read_only=True) as memory:
    report = memory.synthesize(now=datetime.fromisoformat(sys.argv[2]), project="bench")
space = kept["space"]
finder = cluster.Finder(space, [space.group(group) for group in kept["groups"]])
entries = space.entries[: report.entries]
began = time.process_time()
best = [place for _, place, _ in finder.best(range(len(entries)))]
print(time.process_time() - began)
rows = [(number, feature) for number, features in enumerate(entries) for feature in features]
postings = [(feature, place, value) for feature, carriers in enumerate(finder._postings) for place, value in carriers]
columns = {"e": array("i", [a for a, _ in rows]), "f": array("i", [b for _, b in rows]), "best": array("i", best)}
columns |= {"pf": array("i", [a for a, _, _ in postings]), "pg": array("i", [b for _, b, _ in postings])}
columns |= {"pv": array("d", [c for _, _, c in postings])}
for name, values in columns.items():
    with open(f"{sys.argv[3]}/{name}", "wb") as file:
        values.tofile(file)
"""
ENGINE = """
import json, resource, sys
import numpy as np

folder, which = sys.argv[1:]
read = lambda name, kind: np.fromfile(f"{folder}/{name}", dtype=kind)
e, f, best, pf, pg, pv = (read(*each) for each in (("e", "i4"), ("f", "i4"), ("best", "i4"), ("pf", "i4"), ("pg", "i4"), ("pv", "f8")))
cpu = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
began = cpu()
if which == "duckdb":
    import duckdb
    database = duckdb.connect()
    database.execute(f"SET memory_limit = '1GB'; SET threads = 1; SET temp_directory = '{folder}/spill'")
    entries, groups = {"e": e, "f": f}, {"f": pf, "g": pg, "v": pv}
    database.register("entries", entries); database.register("groups", groups)
    database.execute("SELECT f, count(*) FROM entries GROUP BY f").fetchnumpy()
    sums = "SELECT e, g, sum(v) s FROM entries JOIN groups USING (f) GROUP BY e, g"
    found = database.execute(f"SELECT e, arg_max(g, (s, -g)) g FROM ({sums}) GROUP BY e").fetchnumpy()
    places, chosen = found["e"], found["g"]
else:
    import polars as pl
    entries, groups = pl.LazyFrame({"e": e, "f": f}), pl.LazyFrame({"f": pf, "g": pg, "v": pv})
    entries.group_by("f").len().collect(engine="streaming")
    sums = entries.join(groups, on="f").group_by("e", "g").agg(pl.col("v").sum())
    found = sums.group_by("e").agg(pl.col("g").sort_by(["v", "g"], descending=[True, False]).first()).collect(engine="streaming")
    places, chosen = found["e"].to_numpy(), found["g"].to_numpy()
seconds = cpu() - began
got = np.full(len(best), -1)
got[places] = chosen
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps({"cpu_s": round(seconds, 2), "peak_mib": peak, "differ": int((got != best).sum())}))
"""


def run(python: str, program: str, *arguments: str, **environ: str) -> str:
    """What the last line of a program of its own says."""
    done = subprocess.run([python, "-c", program, *arguments], env={**os.environ, **environ}, capture_output=True, text=True, check=True)
    return done.stdout.strip().splitlines()[-1]


def measure(workspace: Path, folder: Path, engines: str) -> list[dict[str, Any]]:
    """A line for each way."""
    lines: list[dict[str, Any]] = []
    for way, spill in (("from memory", 0), ("from a temporary file", 1)):
        config = folder / way.replace(" ", "-") / "diarist"
        config.mkdir(parents=True)
        (config / "config.toml").write_text(f"[synthesis]\nspill = {spill}\n", encoding="utf-8")
        told = json.loads(run(sys.executable, CHILD, str(workspace), NOW.isoformat(), XDG_CONFIG_HOME=str(config.parent)))
        lines.append({"way": way, **told})
        print(lines[-1], flush=True)
    if engines:
        seconds = run(sys.executable, VECTORS, str(workspace), NOW.isoformat(), str(folder))
        lines.append({"way": "placing, ours", "cpu_s": round(float(seconds), 2)})
        print(lines[-1], flush=True)
        for which in ("duckdb", "polars"):
            told = json.loads(run(engines, ENGINE, str(folder), which, POLARS_MAX_THREADS="1"))
            lines.append({"way": f"placing and counting, {which}", **told})
            print(lines[-1], flush=True)
    return lines


def main() -> int:
    """0 where both ways came to the same report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--engines", default="", help="Python interpreter with duckdb, polars and numpy")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = options.workspace
        if workspace is None:
            workspace = Path(folder) / "ws"
            fill(workspace, options.entries)
        lines = measure(workspace, Path(folder), options.engines)
    OUT.mkdir(exist_ok=True)
    (OUT / "big_scope.json").write_text(json.dumps(lines, indent=2) + "\n", encoding="utf-8")
    return int(lines[0]["digest"] != lines[1]["digest"])


if __name__ == "__main__":
    raise SystemExit(main())
