"""Ingest, end to end: throughput, memory, the second run, and the machine's own JSON-parse speed in the same run.

    python bench/ingest.py [FOLDER] [--large MB] [--many N] [--jobs N] [--formats-only]

Without FOLDER: sessions of the test builders, repeated. `--large`: also one session of that many megabytes, for peak memory. `--many`: also
so many small sessions, with one process and with `--jobs`. Prints a table and writes bench/out/ingest.json. Budgets: at least 10 MB/s on
one core, less than 300 MB peak on a 500 MB session, and a second run in under a fifth of the first.

The second table is of importers alone, by format, beside raw decoding of the same bytes (CPU), by msgspec and by the standard library's
json: "/msgspec" and "/json" are own speed over theirs. Of formats that are JSON lines at least a fifth is wanted. Of those that are small
files only, the records of each are repeated with ids of their own, all equally often, until there is a megabyte: once as they are, and
once as long as records of real sessions are (`growth.REAL_RECORD`), since those that were written by hand are short, and a record takes
its time however little it holds. Without FOLDER the files are the test suite's transcripts.
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from diarist.importers import find_importer
from diarist.ports import Importer

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests")]

from bench.growth import REAL_RECORD, grown  # noqa: E402

TRANSCRIPTS = HERE.parent / "tests" / "data" / "transcripts"
NO_LINES = ("opencode",)
"""Formats of documents, of which some may look like lines."""
NO_JSON = ("terminal-log",)
"""Formats whose files may begin like JSON and are none."""
LARGE = 1 << 22
"""A file of so many bytes is measured fewer times."""
GROWN = 1 << 20
"""A format that has less is measured on files grown to this size."""

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
    below = resource.getrusage(resource.RUSAGE_CHILDREN)
    workers = below.ru_utime + below.ru_stime
    print(json.dumps(dict(wall=wall, cpu=cpu, cpu_of_workers=workers, peak_mb=peak, bytes=report.bytes_read, entries=len(report.entries),
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


class Speed(NamedTuple):
    """CPU seconds that raw decoding, by either decoder, and reading take for so many bytes."""

    size: int
    msgspec: float
    json: float
    read: float

    @property
    def ratios(self) -> tuple[float, float]:
        """Own speed over that of msgspec, and over that of `json`."""
        return self.msgspec / max(1e-9, self.read), self.json / max(1e-9, self.read)


class Format(NamedTuple):
    """How fast an importer reads its files. `lines`: they are JSON lines, which are decoded line by line.

    `real`: the same with records as long as in real sessions; None for files that are taken as they are.
    """

    files: int
    size: int
    record: float
    """Bytes of a record on average; 0 for documents."""
    lines: bool
    speed: Speed
    real: Speed | None = None


def formats(folder: Path) -> dict[str, Format]:
    """By importer: how fast it reads, each file as often as it takes to be measured."""
    found: dict[tuple[str, bool], list[tuple[Importer, bytes]]] = defaultdict(list)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        importer = find_importer(data[:65536], path)
        if importer is not None and data[:1] in (b"{", b"[") and importer.name not in NO_JSON:
            found[importer.name, _is_lines(data) and importer.name not in NO_LINES].append((importer, data))
    table = {}
    for (name, lines), files in sorted(found.items()):
        size = sum(len(data) for _, data in files)
        records = sum(data.count(b"\n") for _, data in files) if lines else 0
        real = None
        if lines and size < GROWN:
            real = _speed([(importer, grown(data, len(data) * GROWN // size, REAL_RECORD)) for importer, data in files], lines)
            files = [(importer, grown(data, len(data) * GROWN // size)) for importer, data in files]  # noqa: PLW2901 - grown
        speed = _speed(files, lines)
        table[f"{name}{'' if lines else ' (document)'}"] = Format(len(files), size, size / max(1, records), lines, speed, real)
    return table


def _speed(files: list[tuple[Importer, bytes]], lines: bool) -> Speed:
    size, total = 0, [0.0, 0.0, 0.0]
    for importer, data in files:
        if data:
            size += len(data)
            each = _seconds((_decoding(msgspec.json.decode, lines), _decoding(_decode_json, lines), _reader(importer)), data)
            total = [before + more for before, more in zip(total, each, strict=True)]
    return Speed(size, *total)


def _is_lines(data: bytes) -> bool:
    first = data.partition(b"\n")[0]
    try:
        return isinstance(msgspec.json.decode(first), dict) and data.count(b"\n") > 1
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False


def _decode_json(data: bytes) -> Any:
    return json.loads(data.decode())


def _decoding(decode: Callable[[bytes], Any], lines: bool) -> Callable[[bytes], None]:
    """Decodes all lines, or the whole; what no decoder takes as it is by the lenient one of the standard library."""

    def by_line(data: bytes) -> None:
        for line in io.BytesIO(data):
            try:
                decode(line)
            except ValueError:
                continue

    def whole(data: bytes) -> None:
        try:
            decode(data)
        except ValueError:
            with suppress(ValueError):
                json.loads(data.decode("utf-8", "replace"), strict=False)

    return by_line if lines else whole


def _reader(importer: Importer) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        reading = importer.read(io.BytesIO(data), None)
        for _ in reading:
            pass
        assert reading.sessions is not None
        assert reading.captures is not None

    return read


def _seconds(works: Sequence[Callable[[bytes], None]], data: bytes) -> list[float]:
    """CPU of one pass of each: the best of five, in turn, as machines are slower at times; each of as many as take a few milliseconds."""
    times = max(1, 200_000 // len(data))
    best = [float("inf")] * len(works)
    for _ in range(5 if len(data) < LARGE else 3):
        for number, work in enumerate(works):
            began = time.process_time()
            for _ in range(times):
                work(data)
            best[number] = min(best[number], (time.process_time() - began) / times)
    return best


def show(table: dict[str, Format]) -> None:
    """Prints the formats, JSON lines first."""
    ratios = f"{'/msgspec':>8} {'/json':>6}"
    print(f"\n{'':54}MB/s {'':22}   as real records are: MB/s")
    print(f"{'format':25} {'files':>5} {'MB':>6} {'B/record':>9} {'msgspec':>8} {'json':>6} {'own':>6} {ratios} {'own':>25} {ratios}")
    for name, row in sorted(table.items(), key=lambda each: (not each[1].lines, each[0])):
        speed, real = row.speed, row.real
        each = [speed.size / 1e6 / seconds for seconds in speed[1:]]
        told = f"{name:25} {row.files:5} {row.size / 1e6:6.2f} {row.record:9.0f} {each[0]:8.0f} {each[1]:6.0f} {each[2]:6.1f}"
        told += " {:8.2f} {:6.2f}".format(*speed.ratios)
        if real is not None:
            told += f"{real.size / 1e6 / real.read:26.0f}" + " {:8.2f} {:6.2f}".format(*real.ratios)
        print(told)


def many(folder: Path, number: int) -> Path:
    """So many small sessions, as people have them: a few dozen folders."""
    from builders import fixed_test_session

    for each in range(1, number + 1):
        fixed_test_session(each).write(folder / f"project-{each % 40}")
    return folder


def main() -> int:
    """Runs and prints."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", nargs="?", type=Path)
    options.add_argument("--large", type=int, default=0, metavar="MB")
    options.add_argument("--many", type=int, default=0, metavar="N")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--formats-only", action="store_true")
    chosen = options.parse_args()
    table = formats(chosen.folder or TRANSCRIPTS)
    if chosen.formats_only:
        show(table)
        return 0
    result: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        source = chosen.folder or sample(work / "sample", 30)
        result["parse"] = {"mb_per_s": parse_speed(source)}
        result["first"] = ingest(work / "ws", source, chosen.jobs)
        result["second"] = ingest(work / "ws", source, chosen.jobs)
        if chosen.large:
            result["large"] = ingest(work / "big", large(work, chosen.large), 1)
        if chosen.many:
            source = many(work / "many-in", chosen.many)
            for jobs in sorted({1, chosen.jobs}):
                result[f"many x{jobs}"] = ingest(work / f"many-{jobs}", source, jobs)
    for key, row in result.items():
        speed = f"{row['bytes'] / 1e6 / row['cpu']:6.1f} MB/s CPU" if row.get("bytes") else ""
        print(f"{key:8}", speed, {name: round(value, 3) for name, value in row.items()})
    print(
        f"first run over the second: {result['first']['wall'] / max(1e-9, result['second']['wall']):.0f}x; "
        f"own peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
    )
    show(table)
    (HERE / "out").mkdir(exist_ok=True)
    ratios = {name: dict(zip(("msgspec", "json"), (row.real or row.speed).ratios, strict=True)) for name, row in table.items()}
    told = {**result, "formats": {name: {"ratios": ratios[name], **row._asdict()} for name, row in table.items()}}
    (HERE / "out" / "ingest.json").write_text(json.dumps(told, indent=2))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
