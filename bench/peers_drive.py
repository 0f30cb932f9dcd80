"""Asks one memory all the questions of a task, in one process that has it imported: run by `bench/peers.py` with the memory's own Python.

    PYTHON bench/peers_drive.py NAME TASK_FOLDER STORE_FOLDER

Prints JSON: `ranked` (names of documents by question, best first), `cpu_ms` and `wall_ms` by question. Imports the standard library and
the memory alone.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Coroutine, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

TOP = 10
FIRST = datetime(2026, 1, 5, 9, tzinfo=UTC)
Ask = Callable[[str], list[str]]


def _names(files: Iterable[str]) -> list[str]:
    """Distinct documents in order: the stems of the files that chunks come from."""
    return list(dict.fromkeys(Path(each).stem for each in files if each))


def diarist_notes(task: Path, store: Path) -> Ask:
    """Through the library, as the pages and the MCP server do."""
    memory = importlib.import_module("diarist").open_memory(store)
    names = json.loads((store / "names.json").read_text("utf-8"))
    errors = json.loads((task / "task.json").read_text("utf-8"))["kind"] == "errors"
    look = memory.search_error if errors else memory.search
    return lambda question: [names.get(hit.id, hit.id) for hit in look(question, limit=TOP)]


def diarist_sessions(_: Path, store: Path) -> Ask:
    """Through the library; an entry names the session it comes from."""
    memory = importlib.import_module("diarist").open_memory(store)
    everything = importlib.import_module("diarist.model.record").RecordFilter()
    names = {record.id: record.session_id for record in memory.list_records(everything)}
    return lambda question: [names.get(hit.id, hit.id) for hit in memory.search(question, limit=TOP)]


def basic_memory(_: Path, __: Path) -> Ask:
    """The function behind its MCP tool."""
    tools: Any = importlib.import_module("basic_memory.mcp.tools")
    search = getattr(tools.search_notes, "fn", tools.search_notes)

    async def look(question: str) -> list[str]:
        told = await search(query=question, project="bench", page_size=TOP, output_format="json")
        found = told if isinstance(told, dict) else {}
        return _names(each.get("file_path", "") for each in found.get("results", []))

    return _in_loop(look)


def memsearch(_: Path, store: Path) -> Ask:
    """Its Python class, with the settings of the command line."""
    made = importlib.import_module("memsearch").MemSearch(
        embedding_provider="openai",
        embedding_model=os.environ["BENCH_MODEL"],
        embedding_base_url=os.environ["OPENAI_BASE_URL"],
        embedding_api_key="none",
        milvus_uri=str(store / "milvus.db"),
    )

    async def look(question: str) -> list[str]:
        return _names(each["source"] for each in await made.search(question, top_k=2 * TOP))

    return _in_loop(look)


def mempalace(_: Path, store: Path) -> Ask:
    """The function behind its MCP tool."""
    search: Any = importlib.import_module("mempalace.searcher").search_memories
    return lambda question: _names(
        each.get("source_file", "") for each in search(question, palace_path=str(store / "palace"), n_results=2 * TOP).get("results", [])
    )


def synapt(_: Path, store: Path) -> Ask:
    """Its index; what it tells is text, in which each piece names its session."""
    core: Any = importlib.import_module("synapt.recall.core")
    index = core.TranscriptIndex.load(store / ".synapt" / "recall" / "index", use_embeddings=True)
    named = re.compile(r"^--- \[[^\]]* session (\S+?)\]", re.MULTILINE)
    return lambda question: list(dict.fromkeys(named.findall(index.lookup(question, max_chunks=2 * TOP, max_tokens=200_000) or "")))


def _in_loop(look: Callable[[str], Coroutine[Any, Any, list[str]]]) -> Ask:
    loop = asyncio.new_event_loop()
    return lambda question: loop.run_until_complete(look(question))


MEMORIES: dict[str, Callable[[Path, Path], Ask]] = {
    "diarist-notes": diarist_notes,
    "diarist-sessions": diarist_sessions,
    "basic-memory": basic_memory,
    "memsearch": memsearch,
    "mempalace": mempalace,
    "synapt": synapt,
}


def fill_notes(task: Path, store: Path) -> None:
    """Hands Diarist the documents: notes as notes, transcripts as transcripts."""
    told = json.loads((task / "task.json").read_text("utf-8"))
    names = {}
    with importlib.import_module("diarist").open_memory(store) as memory:
        for number, doc in enumerate(told["docs"]):
            at = FIRST + timedelta(hours=number)  # as the sessions tell it
            if told["kind"] == "notes":
                made = memory.add_note(title=doc["title"], body=doc["text"], project="bench", created_at=at)
            else:
                made = memory.add_entry(task_id=f"t{number}", transcript=doc["text"], agent="agent", project="bench", created_at=at)
            names[str(made.id)] = doc["name"]
    (store / "names.json").write_text(json.dumps(names), encoding="utf-8")


def main() -> int:
    """See the module."""
    name, task, store = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if name == "fill-notes":
        fill_notes(task, store)
        return 0
    questions = [each["text"] for each in json.loads((task / "task.json").read_text("utf-8"))["questions"]]
    out = os.dup(1)
    os.dup2(2, 1)  # whatever a memory prints is not the answer
    ask = MEMORIES[name](task, store)
    ask(questions[0])
    ranked, cpu, wall = [], [], []
    for question in questions:
        began, clock = time.process_time(), time.perf_counter()
        ranked.append(ask(question)[:TOP])
        wall.append(1000 * (time.perf_counter() - clock))
        cpu.append(1000 * (time.process_time() - began))
    os.write(out, json.dumps({"ranked": ranked, "cpu_ms": cpu, "wall_ms": wall}).encode())
    os._exit(0)  # some leave threads behind that never end


if __name__ == "__main__":
    raise SystemExit(main())
