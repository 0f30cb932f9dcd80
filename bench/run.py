"""Runs the benchmarks one after the other and writes docs/explanation/benchmarks.md: machine, versions, method, raw figures, plots.

    python bench/run.py                              # a few minutes: small sizes
    python bench/run.py --size full --peers FOLDER   # up to a million entries; peers are installed from PyPI into FOLDER
    python bench/run.py --scorers FOLDER --corpus FOLDER    # quality too, by scorers that are kept apart from the project
    python bench/run.py --only synthesis redaction   # these; the page keeps what it had of the others

Each benchmark is a program of its own (`python bench/NAME.py --help`) and may be run alone. Plots need matplotlib, from the dev group.
A benchmark that fails or misses its budget is told as such on the page, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT))

from bench.charts import draw  # noqa: E402
from bench.machine import describe_machine, describe_versions  # noqa: E402
from bench.page import Told, render_page  # noqa: E402
from bench.peers_env import find_environment  # noqa: E402

OUT = HERE / "out"
PAGE = ROOT / "docs" / "explanation" / "benchmarks.md"
KEPT = OUT / "run.json"
SIZES = ("quick", "usual", "full")


class Bench(NamedTuple):
    """One benchmark. `arguments`: by size; `peer`: (option, package on PyPI) of what it can be run beside."""

    name: str
    title: str
    arguments: Mapping[str, Sequence[str]]
    peer: tuple[str, str] | None = None
    needs: tuple[str, ...] = ()
    """Options of this program without which it does not run, and which it is handed."""
    prints_json: bool = False
    """Its figures are what it prints; else they are in bench/out/NAME.json."""


BENCHES = (
    Bench("ingest", "Reading transcripts", {"quick": [], "usual": ["--large", "100"], "full": ["--large", "500"]}),
    Bench("distil", "Distilling", {}),
    Bench("redaction", "Redaction", {"quick": ["--mb", "3"], "usual": ["--mb", "10"], "full": ["--mb", "50"]}),
    Bench("scanners", "Redaction beside a public scanner", {"full": ["--lines", "20000"]}, ("--peer", "detect-secrets==1.5.0")),
    Bench("store", "The store", {"quick": ["--records", "2000"], "full": ["--records", "100000"]}),
    Bench(
        "hook",
        "Hooks",
        {"quick": ["--entries", "2000", "--runs", "9"], "usual": ["--entries", "20000"], "full": ["--entries", "100000"]},
        prints_json=True,
    ),
    Bench(
        "search",
        "Search, beside raw Tantivy and SQLite FTS5",
        {
            "quick": ["--entries", "1000", "10000"],
            "usual": ["--entries", "1000", "10000", "100000"],
            "full": ["--entries", "1000", "10000", "100000", "1000000"],
        },
    ),
    Bench(
        "synthesis",
        "Synthesis, beside Bernstein",
        {
            "quick": ["--sizes", "1000,3000"],
            "usual": ["--sizes", "1000,10000,100000"],
            "full": ["--sizes", "1000,10000,100000,1000000"],
        },
        ("--peer", "bernstein==3.23.0"),
    ),
    Bench(
        "patterns",
        "Mining",
        {"quick": ["--sizes", "1000,10000"], "usual": ["--sizes", "1000,10000,100000"], "full": ["--seeds", "1,2,3"]},
    ),
    Bench("serve", "The search page under load", {"quick": ["--entries", "5000", "--seconds", "5"], "usual": ["--entries", "20000"]}),
    Bench(
        "peers",
        "Beside other memories",
        {"quick": ["--docs", "200"], "usual": ["--docs", "300"], "full": ["--docs", "1300"]},
        needs=("peers",),
    ),
    Bench("scorers", "Quality", {"quick": ["--limit", "2"], "usual": ["--limit", "1000"], "full": ["--limit", "1000"]}, needs=("scorers",)),
)


def run(bench: Bench, size: str, places: Mapping[str, Path | None]) -> Told:
    """One benchmark in a process of its own. `places`: folders by the option that named them."""
    arguments = list(bench.arguments.get(size, bench.arguments.get("usual", [])))
    command = ["python", f"bench/{bench.name}.py", *arguments]
    if bench.peer is not None and (peers := places.get("peers")) is not None:
        option, package = bench.peer
        environment = find_environment(peers, package.partition("==")[0], [package])
        if environment.problem:
            return Told(bench.name, bench.title, " ".join(command), 0, "", f"{package} {environment.problem}", None)
        arguments += [option, str(environment.python)]
        command += [option, f"PYTHON  # one that has {package}"]
    for given, shown in _folders(bench, places):
        arguments += given
        command += shown
    results = OUT / f"{bench.name}.json"
    if bench.name == "search":
        arguments += ["--json", str(results)]
    results.unlink(missing_ok=True)
    began = time.perf_counter()
    done = subprocess.run([sys.executable, str(HERE / f"{bench.name}.py"), *arguments], capture_output=True, text=True, cwd=ROOT)
    seconds = time.perf_counter() - began
    figures = json.loads(results.read_text("utf-8")) if results.exists() else None
    if bench.prints_json and not done.returncode:
        figures = json.loads(done.stdout)
        OUT.mkdir(exist_ok=True)
        results.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    trouble = "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["a budget was missed"])[-1]
    return Told(bench.name, bench.title, " ".join(command), round(seconds), done.stdout.strip(), trouble, figures)


def _folders(bench: Bench, places: Mapping[str, Path | None]) -> Iterator[tuple[list[str], list[str]]]:
    """What a benchmark is handed of the folders, and how that is shown: no path of this machine."""
    if bench.name == "peers":
        yield ["--peers", str(places["peers"])], ["--peers", "FOLDER"]
        if places.get("scorers") is not None:
            yield ["--retrieval", f"{places['scorers']}/retrieval"], ["--retrieval", "FOLDER"]
    if bench.name == "scorers":
        yield [str(places["scorers"])], ["FOLDER"]
        if places.get("corpus") is not None:
            yield ["--corpus", str(places["corpus"])], ["--corpus", "FOLDER"]


def load_kept() -> dict[str, Any]:
    """What earlier runs found, by benchmark."""
    try:
        kept = json.loads(KEPT.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def main() -> int:
    """Prints a line for each benchmark; 1 where one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="quick")
    parser.add_argument("--only", nargs="+", choices=[bench.name for bench in BENCHES], metavar="NAME")
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="install peers here and run them beside")
    parser.add_argument("--scorers", type=Path, metavar="FOLDER", help="scorers of quality: retrieval/score.py, outcome/score.py")
    parser.add_argument("--corpus", type=Path, metavar="FOLDER", help="labelled transcripts for the scorer of outcomes")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    kept = load_kept()
    places = {name: getattr(options, name) and getattr(options, name).resolve() for name in ("peers", "scorers", "corpus")}
    chosen = [bench for bench in BENCHES if (not options.only or bench.name in options.only) and all(places[need] for need in bench.needs)]
    for bench in chosen:
        print(f"{bench.name} …", end=" ", flush=True)
        told = run(bench, options.size, places)
        print(f"{told.seconds} s" + (f": {told.trouble}" if told.trouble else ""), flush=True)
        kept[bench.name] = {**told._asdict(), "size": options.size, "machine": describe_machine()}
        OUT.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    found = [kept[bench.name] for bench in BENCHES if bench.name in kept]
    plots = draw({each["name"]: each["figures"] for each in found}, options.page.with_suffix(""))
    options.page.write_text(render_page(found, describe_versions(), plots), encoding="utf-8")
    print(f"wrote {options.page}")
    return int(any(kept[bench.name]["trouble"] for bench in chosen))


if __name__ == "__main__":
    raise SystemExit(main())
