"""What a hook costs: CPU of its process beside `python -I -c pass`, injection over many entries, and many hooks at once.

    python bench/hook.py [--entries 100000] [--runs 31]

Ratios are of medians taken in turns in one run. Needs no network; everything lies in a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

ERROR = "ModuleNotFoundError: No module named 'module_{}'"
PASS = [sys.executable, "-I", "-c", "pass"]


def hook(event: str) -> list[str]:
    """The command that clients run: the installed script if there is one."""
    script = Path(sys.executable).parent / "diarist"
    start = [str(script)] if script.exists() else [sys.executable, "-m", "diarist"]
    return [*start, "hook", event, "--client", "claude-code"]


def measure(commands: dict[str, tuple[list[str], bytes]], environ: dict[str, str], runs: int) -> dict[str, tuple[float, float]]:
    """Median CPU and wall time in milliseconds of each command, the commands taking turns."""
    cpu: dict[str, list[float]] = {name: [] for name in commands}
    wall: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, (command, stdin) in commands.items():
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(command, input=stdin, env=environ, stdout=subprocess.DEVNULL, check=True)
            wall[name].append(time.perf_counter() - began)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {name: (1e3 * statistics.median(cpu[name]), 1e3 * statistics.median(wall[name])) for name in commands}


def payload(event: str, project: Path, session: str, **fields: str) -> bytes:
    """What the client sends."""
    told = {"session_id": session, "transcript_path": str(project / "none.jsonl"), "cwd": str(project), "hook_event_name": event}
    return json.dumps({**told, **fields}).encode()


def fill(workspace: Path, project: Path, entries: int) -> None:
    """A store of made-up entries, with texts of the size that real ones have."""
    import hashlib
    import random

    from diarist.app.records import entry_record
    from diarist.bootstrap import open_memory
    from diarist.model.codec import seal
    from diarist.model.entry import Entry, ErrorSeen, Fix
    from diarist.model.ids import make_id
    from diarist.model.record import SearchText
    from diarist.model.redacted import derived
    from diarist.text.fingerprint import errors_in

    words = [
        f"{a}{b}"
        for a in ("par", "lab", "set", "que", "ren", "tok", "str", "con")
        for b in ("cel", "el", "tings", "ry", "der", "en", "eam", "fig")
    ]
    chance = random.Random(7)
    start = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=entries)
    with open_memory(workspace) as memory:
        box = memory._box
        for low in range(0, entries, 2000):
            with box.store.transaction(actor="bench", at=start) as tx:
                for number in range(low, min(low + 2000, entries)):
                    text = " ".join(chance.choices(words, k=120))
                    message = ERROR.format(number % 5000)
                    mark = errors_in(message)[0].fingerprint
                    entry = seal(
                        Entry(
                            id=make_id("bench", str(number)),
                            task_id=derived(f"t{number}"),
                            session_id=derived(f"s{number}"),
                            agent=derived("claude-code"),
                            project=derived(str(project)) if number % 4 == 0 else derived(f"/p/{number % 40}"),
                            title=derived(text[:80]),
                            outcome="completed",
                            verified=True,
                            errors=(ErrorSeen(fingerprint=mark, message=derived(message), resolved=True),),
                            fixes=(Fix(error=mark, text=derived(f"installed module_{number % 5000}")),),
                            created_at=start + timedelta(minutes=number),
                            redaction_hash=hashlib.sha256(text.encode()).hexdigest(),
                        )
                    )
                    search = SearchText(
                        title=entry.title, errors=derived(message), body=derived(text), fingerprints=(mark,), fixed_fingerprints=(mark,)
                    )
                    tx.put_record(entry_record(entry, trust="agent", at=start), search)
        memory.rebuild_index()


def at_once(environ: dict[str, str], project: Path, hooks: int, processes: int) -> dict[str, float]:
    """Many hooks at once, each beside a `python -c pass` under the same load: median and worst wall time in milliseconds."""

    def run(job: tuple[str, list[str], bytes]) -> tuple[str, float]:
        began = time.perf_counter()
        subprocess.run(job[1], input=job[2], env=environ, stdout=subprocess.DEVNULL, check=True)
        return job[0], 1e3 * (time.perf_counter() - began)

    jobs = []
    for number in range(hooks):
        jobs += [("hook", hook("Stop"), payload("Stop", project, f"s-{number % 20}")), ("pass", PASS, b"")]
    with ThreadPoolExecutor(processes) as pool:
        times = list(pool.map(run, jobs))
    found: dict[str, float] = {}
    for name in ("pass", "hook"):
        own = [taken for kind, taken in times if kind == name]
        found |= {f"{name}_median_ms": statistics.median(own), f"{name}_worst_ms": max(own)}
    return found


def main() -> None:
    """Prints one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=31)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="diarist-bench-") as folder:
        workspace, project = Path(folder) / "workspace", Path(folder) / "project"
        (project / ".git").mkdir(parents=True)
        environ = {**os.environ, "DIARIST_HOME": str(workspace), "DIARIST_IDLE_SECONDS": "1"}
        environ.pop("DIARIST_DISABLE", None)
        told: dict[str, object] = {"entries": options.entries}
        capture = measure({"pass": (PASS, b""), "capture": (hook("Stop"), payload("Stop", project, "s"))}, environ, options.runs)
        told["capture_ms"] = {name: {"cpu": round(cpu, 1), "wall": round(wall, 1)} for name, (cpu, wall) in capture.items()}
        told["capture_cpu_times_pass"] = round(capture["capture"][0] / capture["pass"][0], 2)
        load = at_once(environ, project, 200, 20)
        told["at_once"] = {name: round(value, 1) for name, value in load.items()}
        told["at_once_times_pass"] = round(load["hook_median_ms"] / load["pass_median_ms"], 2)
        fill(workspace, project, options.entries)
        told["injection_ms"] = injection(environ, project, options.runs)
        print(json.dumps(told, indent=2))


def injection(environ: dict[str, str], project: Path, runs: int) -> dict[str, object]:
    """CPU of an injecting hook, for a prompt and for a failed command; then the same while another process rebuilds the index."""
    commands = {
        "pass": (PASS, b""),
        "prompt": (
            hook("UserPromptSubmit"),
            payload("UserPromptSubmit", project, "s", prompt="parcel label settings query render token stream config"),
        ),
        "failed command": (
            hook("PostToolUseFailure"),
            payload("PostToolUseFailure", project, "s", tool_name="Bash", error=ERROR.format(76)),
        ),
        "start": (hook("SessionStart"), payload("SessionStart", project, "s", source="startup")),
    }
    for name, (command, stdin) in commands.items():
        fresh = stdin.replace(b'"session_id": "s"', b'"session_id": "first"')  # what was shown once is not shown again
        said = subprocess.run(command, input=fresh, env=environ, capture_output=True, check=True).stdout
        assert name == "pass" or said, f"the hook for {name} says nothing: nothing to measure"
    found: dict[str, object] = {name: round(cpu, 1) for name, (cpu, _) in measure(commands, environ, runs).items()}
    script = Path(sys.executable).parent / "diarist"
    rebuild = subprocess.Popen([str(script), "index", "rebuild"], env=environ, stdout=subprocess.DEVNULL)
    time.sleep(1)
    commands.pop("start")
    during = measure(commands, environ, max(3, runs // 6))
    found["while rebuilding"] = {name: {"cpu": round(cpu, 1), "wall": round(wall, 1)} for name, (cpu, wall) in during.items()}
    found["rebuild was still going"] = rebuild.poll() is None
    rebuild.wait()
    return found


if __name__ == "__main__":
    main()
