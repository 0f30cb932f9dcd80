"""Does a run's error text find another run on the same task? On real transcripts.

    python bench/past_fix.py FOLDER [FOLDER...] [--workspace DIR]

Imports the folders, groups entries whose prompts begin with the same 200 characters (the same task, run again), and for each entry
of a group that met an error looks up what it printed, as a person would paste it: once its error lines alone, once the output of the
steps they stand in. The entry itself is taken out of the answer. Found: another run of the group stands among the first 1, 3 or 10
of all entries. Only runs whose group has another one with an error in common (by family of its fingerprint) could be found at all;
they are counted apart. "or the same fault": a run on another task counts too that met the very same error, by fingerprint, and solved
it: from error text alone nobody could prefer the one over the other.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from pathlib import Path

from diarist.app.memory import Memory
from diarist.app.records import entry_of
from diarist.bootstrap import open_memory
from diarist.model.entry import Entry
from diarist.model.record import RecordFilter
from diarist.text.fingerprint import family

LIMIT = 10
OUTPUT = 4_000


def groups(memory: Memory) -> list[list[Entry]]:
    """Runs of the same task, two or more."""
    by_task: dict[str, list[Entry]] = defaultdict(list)
    for record in memory.list_records(RecordFilter(kinds=("entry",))):
        entry = entry_of(record)
        if len(entry.prompt) >= 40:
            by_task[" ".join(entry.prompt.split())[:200]].append(entry)
    return [runs for _, runs in sorted(by_task.items()) if len(runs) > 1]


def error_lines(_: Memory, entry: Entry) -> str:
    """Its errors, a line each."""
    return "\n".join(error.message for error in entry.errors)


def error_output(memory: Memory, entry: Entry) -> str:
    """What the steps printed in which its errors stand; the end of each, where traces tell the cause."""
    steps = [json.loads(line) for line in memory.transcript(entry.id).splitlines() if line.startswith("{")]
    wanted = sorted({step for error in entry.errors for step in error.steps if step < len(steps)})
    return "\n".join(str(steps[at].get("text", ""))[-OUTPUT:] for at in wanted[:12]) or error_lines(memory, entry)


def rank_of_another(memory: Memory, entry: Entry, wanted: set[str], pasted: str) -> int:
    """Place (from 1) of the first of the wanted runs; 0 where none is among the first ten."""
    found = [hit.id for hit in memory.search_error(pasted, limit=LIMIT + 1) if hit.id != entry.id][:LIMIT]
    return next((place for place, id_ in enumerate(found, 1) if id_ in wanted), 0)


def solvers(memory: Memory) -> dict[str, set[str]]:
    """By fingerprint, the runs that solved that error."""
    found: dict[str, set[str]] = defaultdict(set)
    for record in memory.list_records(RecordFilter(kinds=("entry",))):
        for error in entry_of(record).errors:
            if error.resolved:
                found[error.fingerprint].add(record.id)
    return found


def shares_a_fault(entry: Entry, runs: list[Entry]) -> bool:
    own = {family(error.fingerprint) for error in entry.errors}
    return any(own & {family(error.fingerprint) for error in run.errors} for run in runs if run.id != entry.id)


def figures(ranks: list[int]) -> dict[str, float]:
    count = len(ranks) or 1
    shares = {f"R@{limit}": round(100 * sum(0 < rank <= limit for rank in ranks) / count, 1) for limit in (1, 3, LIMIT)}
    return {"queries": len(ranks), **shares, "MRR": round(100 * sum(1 / rank for rank in ranks if rank) / count, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--workspace", type=Path, help="Keep the imported workspace here and use it again.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="diarist-bench-") as folder, open_memory(options.workspace or folder) as memory:
        memory.ingest(options.folders)
        found = groups(memory)
        asked = [(entry, runs) for runs in found for entry in runs if entry.errors]
        solved = solvers(memory)
        report: dict[str, object] = {
            "entries": memory._box.store.count_records(RecordFilter(kinds=("entry",))),
            "tasks run more than once": len(found),
        }
        for name, paste in (("error lines", error_lines), ("error output", error_output)):
            same, either = {}, {}
            for entry, runs in asked:
                wanted = {run.id for run in runs} - {entry.id}
                others = set().union(*(solved[error.fingerprint] for error in entry.errors)) - {entry.id}
                pasted = paste(memory, entry)
                same[entry.id] = rank_of_another(memory, entry, wanted, pasted)
                either[entry.id] = rank_of_another(memory, entry, wanted | others, pasted)
            shared = [entry.id for entry, runs in asked if shares_a_fault(entry, runs)]
            report[name] = {
                "all runs with an error": figures(list(same.values())),
                "runs that share a fault with another": figures([same[id_] for id_ in shared]),
                "the same task or the same fault, solved": figures(list(either.values())),
            }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
