"""Coverage-guided fuzzing of the importers: no input may make one fail, hang, or lose count.

    python tests/fuzz/importers.py [IMPORTER]... [--seconds N] [--out FOLDER]

Each importer gets so many seconds in a process of its own, guided by `atheris` where that is installed (`pip install atheris`),
else by chance alone. Seeds are the test suite's transcripts of its format. An input that fails is written to FOLDER, with the way
to run it again:

    python tests/fuzz/importers.py --again FILE IMPORTER
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import io
import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MAX_BYTES = 60_000
TIMEOUT_SECONDS = 20
CHILD_SECONDS = 60
"""How much longer than its time a child may take, for starting and for the last input."""


def main(arguments: list[str]) -> int:
    """0 if nothing failed."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("importers", nargs="*")
    options.add_argument("--seconds", type=int, default=120)
    options.add_argument("--out", type=Path, default=Path("fuzz-out"))
    options.add_argument("--again", type=Path)
    options.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args(arguments)
    sys.path.insert(0, str(HERE.parent))
    if chosen.again:
        try_once(chosen.importers[0])(chosen.again.read_bytes())
        return 0
    if chosen.child:
        return fuzz(chosen.importers[0], chosen.seconds, chosen.out)
    return run_all(chosen.importers or all_names(), chosen.seconds, chosen.out)


def all_names() -> list[str]:
    """Every built-in importer."""
    from diarist.importers import all_importers

    return [importer.name for importer in all_importers()]


def run_all(names: list[str], seconds: int, out: Path) -> int:
    """One child after the other; says of each how it went."""
    out.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in names:
        command = [sys.executable, str(Path(__file__).resolve()), "--child", name, "--seconds", str(seconds), "--out", str(out.resolve())]
        began = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds + CHILD_SECONDS)
            code, said = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired as hung:
            code, said = -1, f"hangs\n{hung.stderr!r}"
        runs = next((line for line in reversed(said.splitlines()) if "runs" in line), "").strip()
        _say(f"{name:20} {'ok' if not code else 'FAILED':7} {time.monotonic() - began:5.0f} s  {runs}")
        if code:
            failed.append(name)
            (out / f"{name}.log").write_text(said, "utf-8")
    _say(f"{len(names) - len(failed)} of {len(names)} importers held" + (f"; see {out}: {', '.join(failed)}" if failed else ""))
    return int(bool(failed))


def fuzz(name: str, seconds: int, out: Path) -> int:
    """Fuzzes one importer in this process."""
    if importlib.util.find_spec("atheris") is None:
        return fuzz_by_chance(name, seconds, out)
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["diarist.importers", "diarist.text"]):
        importlib.import_module("diarist.importers").all_importers()
    seeds = out / "seeds" / name
    seeds.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(seeds_of(name)):
        (seeds / f"{number}").write_bytes(data[:MAX_BYTES])
    flags = [
        f"-max_total_time={seconds}",
        f"-max_len={MAX_BYTES}",
        f"-timeout={TIMEOUT_SECONDS}",
        f"-artifact_prefix={out}/{name}-",
        "-rss_limit_mb=3000",
    ]
    atheris.Setup([sys.argv[0], *flags, str(seeds)], try_once(name), custom_mutator=_mutator(atheris), internal_libfuzzer=True)
    atheris.Fuzz()
    return 0


def fuzz_by_chance(name: str, seconds: float, out: Path) -> int:
    """The same without coverage to guide it."""
    work, seeds, chance = try_once(name), seeds_of(name), random.Random(name)
    end, runs = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = spoiled(chance.choice(seeds), chance)
        runs += 1
        try:
            work(data)
        except Exception:
            path = out / f"{name}-{runs}"
            path.write_bytes(data)
            _say(f"failed on {path}")
            raise
    _say(f"{runs} runs by chance in {name}")
    return 0


def try_once(name: str) -> Callable[[bytes], None]:
    """Reads bytes as one file, and what a second pass would find behind them; raises where something does not hold together."""
    from contract.importers.test_mutations import check
    from diarist.importers import find_importer, get_importer, may_be

    importer = get_importer(name)
    assert importer is not None, f"there is no importer {name}"

    def work(data: bytes) -> None:
        find_importer(data[:65536], None)
        assert name in may_be(data[:65536]) or not importer.sniff(data[:65536], None)
        check(importer, data)
        half = io.BytesIO(data[: len(data) // 2])
        reading = importer.read(half, None)
        for _ in reading:
            pass
        if reading.offset:
            rest = io.BytesIO(data)
            rest.seek(reading.offset)
            list(importer.read(rest, None, reading.state))
        list(importer.read(io.BytesIO(data), None, data[:200]))  # a checkpoint that is none

    return work


def seeds_of(name: str) -> list[bytes]:
    """Transcripts of the format; some of every other, since what one format holds may stand in another's file."""
    from contract.importers.passes import TRANSCRIPTS
    from contract.importers.test_formats import EXPECTED

    own = [(TRANSCRIPTS / file).read_bytes() for file, importer in EXPECTED.items() if importer == name]
    others = [(TRANSCRIPTS / file).read_bytes() for file, importer in EXPECTED.items() if importer != name]
    return [*own * 4, *(data for data in others if len(data) < 8000)]


def spoiled(data: bytes, chance: random.Random) -> bytes:
    """A transcript with something odd in it."""
    from contract.importers.test_mutations import spoil_bytes, spoil_json

    if len(data) < 2:
        return data
    if data[:1] in (b"{", b"[") and chance.random() < 0.7:
        with suppress(RecursionError, ValueError, IndexError):  # earlier changes may have left nothing to change, or a deep hole
            return spoil_json(data, chance)
    return spoil_bytes(data, chance)


def _mutator(atheris: Any) -> Callable[[bytes, int, int], bytes]:
    """Half of the time values of JSON are changed, half of the time bytes."""

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if chance.random() < 0.5 or len(data) < 2:
            changed: bytes = atheris.Mutate(data, most)
            return changed
        return spoiled(bytes(data), chance)[:most]

    return mutate


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
