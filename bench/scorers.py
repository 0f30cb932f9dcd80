"""Quality, by scorers that are kept apart from the project, so that nobody tunes on what they hold back.

    python bench/scorers.py FOLDER [--corpus FOLDER] [--limit N]

`FOLDER/retrieval/score.py`: does search find the right record? LoCoMo (long chats), decisions in chats, amended decisions, errors that
another session printed, and questions that nothing answers; beside plain BM25 on the same texts. `FOLDER/outcome/score.py`: does
`Entry.outcome` say what happened in public transcripts of agents whose hidden tests tell? Beside the agent's own last words, and the exit
status. `--limit`: at most so many files of a format. Percentages; a scorer that is not there is left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

OUT = Path(__file__).resolve().parent / "out" / "scorers.json"


def run(script: Path, *arguments: str) -> tuple[str, Any]:
    """What a scorer prints, without the folders of this machine, and its figures. Its exit code tells of its own marks: not ours."""
    with tempfile.TemporaryDirectory(prefix="diarist-scorers-") as folder:
        out = Path(folder) / "out.json"
        command = [sys.executable, str(script), *arguments, "--json", str(out)]
        done = subprocess.run(command, capture_output=True, text=True)
        if not out.exists():
            raise RuntimeError((done.stderr.strip().splitlines() or ["it said nothing"])[-1])
        told = done.stdout
        for each in (folder, *arguments, str(script.parent)):
            if Path(each).is_absolute():
                told = told.replace(each, "…")
        return told.strip(), json.loads(out.read_text("utf-8"))


def main() -> int:
    """Prints what the scorers print; 1 where one could not run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scorers", type=Path, metavar="FOLDER")
    parser.add_argument("--corpus", type=Path, metavar="FOLDER", help="labelled transcripts, with INDEX.tsv; without it no outcomes")
    parser.add_argument("--limit", type=int, default=10, metavar="N")
    options = parser.parse_args()
    wanted: dict[str, list[str]] = {"retrieval": []}
    if options.corpus:
        wanted["outcome"] = [str(options.corpus.resolve()), "--limit", str(options.limit)]
    figures, failed = {}, 0
    for name, arguments in wanted.items():
        script = options.scorers.resolve() / name / "score.py"
        if not script.exists():
            continue
        print(f"\n== {name}")
        try:
            told, figures[name] = run(script, *arguments)
            print(told, flush=True)
        except (RuntimeError, ValueError) as error:
            failed = 1
            print(f"could not run: {error}")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
