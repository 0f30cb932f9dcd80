"""Distilling: CPU time per 100 steps, throughput and memory, with the machine's own speed beside.

    python bench/distil.py [FOLDER]

Without FOLDER: sessions written here, of several lengths. With FOLDER: every transcript in it that an importer knows, redacted first.
Prints a table and writes bench/out/distil.json. Budgets: under 5 ms per 100 steps, and memory that does not grow with the steps.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

from diarist.importers import find_importer
from diarist.model.redacted import Redacted, RedactedJson, derived
from diarist.model.session import CaptureReport, Session, SessionInfo, Step
from diarist.stages.distil import distil
from diarist.stages.redact import default_redactor

OUT = Path(__file__).resolve().parent / "out"


def floor() -> float:
    """Seconds of CPU for two million additions in a loop: what this machine can do right now."""
    began, total = time.process_time(), 0
    for number in range(2_000_000):
        total += number
    return time.process_time() - began


def written(rounds: int) -> Iterator[Step]:
    """A session of `5 + 12 × rounds` steps: looking, reading, editing, failing, repairing, passing."""
    yield Step(kind="prompt", rid=derived("p"), text=derived("The totals of `cart.py` are wrong for empty carts, please fix them."))
    for number in range(rounds):
        yield from _round(number)
    yield Step(kind="reply", rid=derived("r"), text=derived("Changed `total` in cart.py; it returns `EMPTY_TOTAL` for an empty cart."))


def _round(number: int) -> Iterator[Step]:
    path = f"/work/shop/cart{number % 40}.py"
    after = f"def total{number}(items):\n    return sum(items) or EMPTY_TOTAL\n" * 4
    failing = "\n".join(f"tests/test_cart.py::test_{k} PASSED" for k in range(30))
    failing += f"\nE   ZeroDivisionError: division by zero in total{number % 90}\n1 failed, 30 passed in 0.31s"
    edit = {"file_path": path, "old_string": "return sum(items) / len(items)", "new_string": after}
    words = (
        f"The issue is that `total{number}` divides by `len(items)`, which is zero because the cart is empty. I will guard it in cart.py."
    )
    yield Step(kind="reply", rid=derived("a"), text=derived(words))
    yield from _call(number, "Grep", {"pattern": "def total"}, "cart.py:3:def total")
    yield from _call(number, "Read", {"file_path": path}, "def total(items):\n    return sum(items) / len(items)\n" * 60)
    yield from _call(number, "Bash", {"command": "cd /work/shop && pytest -q tests 2>&1 | tail -40"}, failing)
    yield from _call(number, "Edit", edit, "The file has been updated.")
    yield from _call(number, "Bash", {"command": "cd /work/shop && pytest -q tests 2>&1 | tail -40"}, "31 passed in 0.30s")
    yield Step(kind="thought", rid=derived("t"), text=derived("That went through; the next file has the same fault, so the same guard."))


def _call(number: int, tool: str, arguments: dict[str, str], output: str) -> Iterator[Step]:
    name = derived(f"{tool}{number}{len(output)}")
    yield Step(kind="call", rid=derived("c"), tool=derived(tool), arguments=RedactedJson(dict(arguments)), call_id=name)
    yield Step(kind="result", rid=derived("d"), text=derived(output), call_id=name, error=False)


def read(folder: Path) -> Iterator[tuple[str, list[Step], int]]:
    """Sessions of a folder, redacted: name, steps, bytes of the file (counted for its first session)."""
    redactor = default_redactor()
    for path in sorted(file for file in folder.rglob("*") if file.is_file() and file.stat().st_size < 50_000_000):
        with path.open("rb") as stream:
            head = stream.read(65_536)
            stream.seek(0)
            importer = find_importer(head, path)
            if importer is None:
                continue
            sessions: dict[str, list[Step]] = {}
            for raw in importer.read(stream, path):
                sessions.setdefault(raw.session, []).append(redactor.step(raw, limit=65_536)[0])
        for at, (session, steps) in enumerate(sessions.items()):
            yield session, steps, 0 if at else path.stat().st_size


def measure(steps: list[Step]) -> float:
    """Seconds of CPU to distil one session."""
    info = SessionInfo(session="bench", agent="bench", format="bench", cwd="/work/shop")
    session = Session(info=info, project=Redacted("bench"), capture=CaptureReport(), steps=steps, redaction_hash="0" * 64)
    began = time.process_time()
    distil(session, entry_id="kh-aaaaaaaaaaaaaaaa", task_id=Redacted("bench"))
    return time.process_time() - began


def row(name: str, steps: int, seconds: float, size: int, machine: float) -> dict[str, object]:
    per = seconds / max(steps, 1) * 1e5
    speed = round(size / 1e6 / seconds, 1) if size and seconds else None
    return {"what": name, "steps": steps, "ms_per_100": round(per, 2), "mb_per_s": speed, "in_loops": round(per / 1000 / machine, 3)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    chosen = parser.parse_args()
    rows = []
    if chosen.folder is None:
        for rounds in (1, 10, 100, 1_000, 8_000):
            steps = list(written(rounds))
            machine = floor()
            rows.append(row(f"{rounds} rounds", len(steps), min(measure(steps) for _ in range(3 if rounds < 1_000 else 1)), 0, machine))
        rows.append({"what": "peak of 8000 rounds, MiB beside the steps", "mib": round(peak(list(written(8_000))), 1)})
    else:
        machine = floor()
        count = seconds = size = 0.0
        for _, steps, held in read(chosen.folder):
            count, seconds, size = count + len(steps), seconds + measure(steps), size + held
        rows.append(row(str(chosen.folder), int(count), seconds, int(size), machine))
    for line in rows:
        print("  ".join(f"{key} {value}" for key, value in line.items()))
    OUT.mkdir(exist_ok=True)
    (OUT / "distil.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0


def peak(steps: list[Step]) -> float:
    """MiB that distilling takes on top of the steps."""
    tracemalloc.start()
    measure(steps)
    held = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return held


if __name__ == "__main__":
    sys.exit(main())
