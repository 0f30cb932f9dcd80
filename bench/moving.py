"""A whole store moves: SQLite → file → PostgreSQL → file → SQLite, beside the raw COPY of the same file's lines.

    python bench/moving.py [--entries 100000] [--workspace FOLDER] [--there]

Starts a PostgreSQL server (with fsync) of its own. `--workspace`: a store that is there already, in the place of made entries. Prints
a line for each leg (rows a second of wall time, CPU of this side, peak memory) and writes bench/out/moving.json. The import into
PostgreSQL is killed (SIGKILL) half way once and run again; then both stores are compared, row by row.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from bench.synthesis import fill  # noqa: E402

from diarist.bootstrap import open_memory  # noqa: E402
from postgres_server import running_server  # noqa: E402

OUT = Path(__file__).resolve().parent / "out"
URL = "DIARIST_DATABASE_URL"


def run(arguments: list[str], url: str = "", kill_at: float = 0.0) -> dict[str, Any]:
    """A command in a process of its own: seconds, CPU seconds, peak MiB. `kill_at`: SIGKILL once that share was told as done."""
    environ = {**os.environ, **({URL: url} if url else {})}
    began = time.monotonic()
    child = subprocess.Popen([sys.executable, "-m", "diarist", *arguments], env=environ, stderr=subprocess.PIPE)
    assert child.stderr is not None
    told = b""
    while piece := os.read(child.stderr.fileno(), 1 << 16):
        told = (told + piece)[-4096:]
        if kill_at and _share(told) >= kill_at:
            child.send_signal(signal.SIGKILL)
            kill_at = 0.0
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, -signal.SIGKILL):
        raise SystemExit(f"{arguments} failed with {child.returncode}: {told.decode(errors='replace')}")
    seconds, cpu = time.monotonic() - began, usage.ru_utime + usage.ru_stime
    return {"seconds": round(seconds, 1), "cpu_s": round(cpu, 1), "peak_mib": usage.ru_maxrss // 1024}


def _share(told: bytes) -> float:
    words = told.rpartition(b"\r")[2].replace(b",", b"").split()
    return int(words[0]) / int(words[2]) if len(words) > 2 and words[0].isdigit() and words[2].isdigit() else 0.0


def digest(workspace: Path, url: str = "") -> tuple[str, int]:
    """SHA-256 over every row, and how many there are."""
    found, rows = hashlib.sha256(), 0
    with open_memory(workspace, read_only=True, environ={**os.environ, **({URL: url} if url else {})}) as memory:
        store = memory._box.whole
        assert store is not None
        for table, row in store.dump_rows():
            found.update(repr((table, [bytes(each) if isinstance(each, memoryview) else each for each in row])).encode())
            rows += 1
    return found.hexdigest(), rows


def copy_floor(url: str, source: Path) -> float:
    """Seconds that PostgreSQL's COPY takes for the lines of the file, unpacked, into a table of one text column."""
    import zstandard

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE bench_floor (line TEXT)")
        began = time.monotonic()
        with (
            source.open("rb") as file,
            zstandard.ZstdDecompressor().stream_reader(file) as stream,
            connection.cursor() as cursor,
            cursor.copy("COPY bench_floor FROM STDIN (FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02')") as copy,
        ):
            while piece := stream.read(1 << 20):
                copy.write(piece)
        seconds = time.monotonic() - began
        connection.execute("DROP TABLE bench_floor")
    return seconds


def measure(folder: Path, first: Path, *, back: bool) -> list[dict[str, Any]]:
    """Every leg of the way; without `back` the way there alone."""
    legs: list[dict[str, Any]] = []
    there, home = folder / "there.store", folder / "home.store"
    before, rows = digest(first)

    def leg(name: str, done: dict[str, Any], share: float = 1.0) -> None:
        line = {"leg": name, **done, "rows_per_s": round(share * rows / done["seconds"])}
        legs.append(line)
        print("  ".join(f"{key} {value}" for key, value in line.items()), flush=True)

    leg("SQLite to file", run(["--workspace", str(first), "export", "--format", "store", "-o", str(there)]))
    with running_server(durable=True) as server:
        url, node = server.make_database(), folder / "node"
        leg("raw COPY of the file's lines", {"seconds": copy_floor(server.make_database(), there)})
        leg("file to PostgreSQL, killed half way", run(["--workspace", str(node), "import", str(there)], url, 0.5), 0.5)
        leg("and the rest, with the index", run(["--workspace", str(node), "import", str(there)], url), 0.5)
        if digest(node, url) != (before, rows):
            raise SystemExit("what is on PostgreSQL is not what was in SQLite")
        if back:
            leg("PostgreSQL to file", run(["--workspace", str(node), "export", "--format", "store", "-o", str(home)], url))
    if back:
        leg("file to SQLite, with the index", run(["--workspace", str(folder / "back"), "import", str(home)]))
        if digest(folder / "back") != (before, rows):
            raise SystemExit("what came back is not what left")
    legs.append({"rows": rows, "file_mib": there.stat().st_size >> 20, "same": True})
    print(legs[-1])
    return legs


def main() -> int:
    """Prints the legs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--there", action="store_true", help="the way to PostgreSQL alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        first = options.workspace
        if first is None:
            first = Path(folder) / "first"
            fill(first, options.entries)
        legs = measure(Path(folder), first, back=not options.there)
    OUT.mkdir(exist_ok=True)
    (OUT / "moving.json").write_text(json.dumps(legs, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
