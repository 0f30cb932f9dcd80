"""Ingest, end to end: throughput, memory, the second run, and the machine's own JSON-parse speed in the same run.

    python bench/ingest.py [FOLDER] [--large MB] [--jobs N]

Without FOLDER: sessions of the test builders, repeated. `--large`: also one session of that many megabytes, for peak memory.
Prints a table and writes bench/out/ingest.json. Budgets: at least 10 MB/s on one core, less than 300 MB peak on a 500 MB session,
and a second run in under a fifth of the first.
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

import msgspec

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

CHILD = """
import json, resource, sys, time
import diarist
from diarist.app.ingest import IngestOptions

def main():
    with diarist.open_memory(sys.argv[1]) as memory:
        wall, cpu = time.perf_counter(), time.process_time()
        report = memory.ingest([sys.argv[2]], IngestOptions(jobs=int(sys.argv[3])))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(dict(wall=wall, cpu=cpu, peak_mb=peak, bytes=report.bytes_read, entries=len(report.entries),
                          changed=report.created + report.updated, files=report.files_read)))

if __name__ == "__main__":
    main()
"""


def ingest(workspace: Path, source: Path, jobs: int) -> dict[str, float]:
    """One run in a process of its own."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(CHILD)
        script.flush()
        done = subprocess.run(
            [sys.executable, script.name, str(workspace), str(source), str(jobs)], capture_output=True, text=True, check=True
        )
    result: dict[str, float] = json.loads(done.stdout)
    return result


def parse_speed(source: Path) -> float:
    """Megabytes a second of msgspec decoding of every line, reading included (CPU)."""
    decode = msgspec.json.Decoder().decode
    began, size = time.process_time(), 0
    for path in sorted(source.rglob("*.jsonl")) if source.is_dir() else [source]:
        with path.open("rb") as stream:
            for line in stream:
                size += len(line)
                try:
                    decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError):
                    continue
    return size / 1e6 / max(1e-9, time.process_time() - began)


def sample(folder: Path, megabytes: float) -> Path:
    """Sessions of the builders, until they are that large together."""
    from builders import fixed_test_session

    size, number = 0, 1
    while size < megabytes * 1e6:
        size += fixed_test_session(number, padding=60).write(folder).stat().st_size
        number += 1
    return folder


def large(folder: Path, megabytes: int) -> Path:
    """One session of that many megabytes: prompts, commands and reads, again and again."""
    from builders import ClaudeSession

    path = folder / "large.jsonl"
    size, number = 0, 0
    with path.open("w", encoding="utf-8") as stream:
        while size < megabytes * 1e6:
            session = ClaudeSession(7)
            session.records = [{"uuid": f"start-{number}"}]
            for step in range(40):
                session.bash(
                    f"python -m pytest -q tests/test_{step}.py", f"E   KeyError: 'w{number}'\n" + "log line of some length here\n" * 200, 1
                )
                session.edit(f"/home/kim/work/parcel/src/m{step}.py", f"old {number}", f"new {number} " * 50)
            for record in session.records[1:]:
                record["uuid"] = f"{number:08x}{record['uuid'][8:]}"
                text = json.dumps(record) + "\n"
                text = text.replace('"toolu_', f'"toolu_{number}_').replace('"msg_', f'"msg_{number}_')
                size += len(text)
                stream.write(text)
            number += 1
    return path


def main() -> int:
    """Runs and prints."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", nargs="?", type=Path)
    options.add_argument("--large", type=int, default=0, metavar="MB")
    options.add_argument("--jobs", type=int, default=1)
    chosen = options.parse_args()
    result: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        source = chosen.folder or sample(work / "sample", 30)
        result["parse"] = {"mb_per_s": parse_speed(source)}
        result["first"] = ingest(work / "ws", source, chosen.jobs)
        result["second"] = ingest(work / "ws", source, chosen.jobs)
        if chosen.large:
            result["large"] = ingest(work / "big", large(work, chosen.large), 1)
    for key, row in result.items():
        speed = f"{row['bytes'] / 1e6 / row['cpu']:6.1f} MB/s CPU" if row.get("bytes") else ""
        print(f"{key:8}", speed, {name: round(value, 3) for name, value in row.items()})
    print(
        f"first run over the second: {result['first']['wall'] / max(1e-9, result['second']['wall']):.0f}x; "
        f"own peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
    )
    (HERE / "out").mkdir(exist_ok=True)
    (HERE / "out" / "ingest.json").write_text(json.dumps(result, indent=2))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
