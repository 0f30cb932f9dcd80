"""Redaction: throughput of each prefilter on one text, in one piece and line by line, and what steps cost.

    python bench/redaction.py [--mb 10] [--source FOLDER] [--profile]

The text is made here: prose, code of Python's own library, logs, diffs, lock files, a secret in every sixteenth piece. `--source` also
counts the placeholders per megabyte of real source code there. Prints a table and writes bench/out/redaction.json. Times are CPU
seconds; beside them stands the machine's own speed, so that runs can be compared. Budgets: 25 MB/s with Hyperscan, 2 MB/s
without, at most one placeholder per megabyte of source code.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from diarist.model.session import RawStep
from diarist.stages.redact import Redactor

OUT = Path(__file__).resolve().parent / "out"
ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
WORDS = """
the of to and in that for is was on with it be by this are from file code test error return value key token user request cache
"""


def pieces(seed: int) -> Iterator[str]:
    """Pieces of text as tools and models give them."""
    chance = Random(seed)
    library = Path(sysconfig.get_paths()["stdlib"])
    sources = [path.read_text("utf-8") for path in sorted(library.glob("*.py"))[:80]]

    def digits(size: int) -> str:
        return "".join(chance.choices("0123456789abcdef", k=size))

    while True:
        kind = chance.randrange(6)
        source = chance.choice(sources)
        at = chance.randrange(max(1, len(source) - 3000))
        lines = source[at : at + 2500].split("\n")
        if kind == 0:
            text = " ".join(chance.choices(WORDS.split(), k=150))
        elif kind == 1:
            text = "\n".join(f"{number:6}\u2192{line}" for number, line in enumerate(lines, 1))
        elif kind == 2:
            text = "\n".join(
                f"2026-01-05T03:04:05Z INFO svc {chance.choice(WORDS.split())}={chance.randrange(9999)} id={digits(32)}" for _ in range(20)
            )
        elif kind == 3:
            text = f"index {digits(7)}..{digits(7)}\n" + "\n".join(chance.choice("+- ") + line for line in lines)
        elif kind == 4:
            text = "\n".join(f'"integrity": "sha512-{"".join(chance.choices(ALNUM, k=86))}==",' for _ in range(6))
        else:
            text = json.dumps({"output": "\n".join(lines), "usage": {"input_tokens": chance.randrange(99999)}})
        if chance.randrange(16) == 0:
            text += "\nAPI_TOKEN=" + "".join(chance.choices(ALNUM, k=40)) + "\n"
        yield text


def floor() -> float:
    """Seconds of CPU for two million additions: what this machine can do right now."""
    began, total = time.process_time(), 0
    for number in range(2_000_000):
        total += number
    return time.process_time() - began


def timed(work: object) -> float:
    began = time.process_time()
    assert callable(work)
    work()
    return time.process_time() - began


def throughput(name: str, text: str) -> dict[str, float]:
    """MB/s whole, by lines, and as steps; steps per second."""
    redactor = Redactor(prefilter=name)
    redactor.redact("password: x1y2z3a4 token=abc")
    size = len(text.encode()) / 1e6
    lines = text.split("\n")
    steps = [
        RawStep(kind="result", session="s", rid=f"r{at}", text=text[at : at + 1400], call_id=f"call{at}")
        for at in range(0, len(text), 1400)
    ]
    return {
        "whole": size / timed(lambda: redactor.redact(text)),
        "lines": size / timed(lambda: [redactor.redact(line) for line in lines]),
        "steps": size / (took := timed(lambda: [redactor.step(step, limit=20_000) for step in steps])),
        "steps_per_second": len(steps) / took,
    }


def source_code(folder: Path) -> dict[str, float]:
    """Placeholders per megabyte of the source files in a folder."""
    redactor = Redactor()
    size = count = 0
    for path in sorted(folder.rglob("*.py")):
        if path.stat().st_size < 2_000_000:
            text = path.read_text("utf-8", "replace")
            size += len(text.encode())
            count += redactor.masked(text)[1]
    return {"megabytes": size / 1e6, "placeholders": count, "per_megabyte": count / (size / 1e6)}


def first_call() -> float:
    """Milliseconds from nothing to the first redacted text, in a process of its own, the interpreter's start left out."""
    code = "import time\nbegan = time.process_time()\nimport diarist\ndiarist.redact('hello token=1')\nprint(time.process_time() - began)"
    return (
        min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(5)) * 1e3
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=10)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    parts: list[str] = []
    size = 0
    for piece in pieces(7):
        parts.append(piece)
        size += len(piece)
        if size > options.mb * 1e6:
            break
    text = "\n".join(parts)
    result: dict[str, object] = {"floor_seconds": floor(), "first_call_ms": first_call()}
    print(f"machine: {result['floor_seconds']:.3f} s for two million additions; import and first call {result['first_call_ms']:.0f} ms")
    for name, share in (("hyperscan", 1.0), ("plain", 0.2)):
        result[name] = figures = throughput(name, text[: int(len(text) * share)])
        print(f"{name:10s}" + "".join(f"  {key} {value:,.1f}" for key, value in figures.items()))
    if options.source:
        result["source"] = counted = source_code(options.source)
        print("source code: " + ", ".join(f"{key} {value:.2f}" for key, value in counted.items()))
    OUT.mkdir(exist_ok=True)
    (OUT / "redaction.json").write_text(json.dumps(result, indent=1))
    if options.profile:
        redactor = Redactor(prefilter="hyperscan")
        profile = cProfile.Profile()
        profile.runcall(redactor.redact, text)
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
