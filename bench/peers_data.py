"""What memories are asked: documents, and questions that one of them answers. Written out in the forms that the peers read."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sysconfig
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
LONGEST_ANSWER = 6000
"""Characters of a document: what one chunk, or a few, of any peer hold."""


class Doc(NamedTuple):
    """One document. `name` is safe as a file name and tells nothing about the text."""

    name: str
    title: str
    text: str


class Question(NamedTuple):
    """A question, and the names of the documents that answer it."""

    text: str
    wanted: tuple[str, ...]


class Task(NamedTuple):
    """`kind`: "notes" are written by a person, "sessions" are transcripts, "errors" are transcripts asked for with an error's output."""

    name: str
    kind: str
    docs: Sequence[Doc]
    questions: Sequence[Question]


def docstrings(docs: int, questions: int) -> Task:
    """The docstrings of Python's own library: the first sentence asks, the rest is the document, which so never holds the question."""
    found: list[tuple[str, str, str]] = []
    seen: set[str] = set()
    for where, text in _docstrings():
        first, _, rest = inspect.cleandoc(text).partition("\n\n")
        asked = " ".join(first.split())
        if 30 <= len(asked) <= 160 and 120 <= len(rest) <= LONGEST_ANSWER and not rest.startswith(">>>") and asked not in seen:
            seen.add(asked)
            found.append((where, asked, rest))
        if len(found) == docs:
            break
    made = [Doc(f"d{number:05}", where, rest) for number, (where, _, rest) in enumerate(found)]
    step = max(1, len(found) // questions)
    return Task(
        "docstrings", "notes", made, [Question(asked, (made[at].name,)) for at, (_, asked, _) in enumerate(found) if at % step == 0]
    )


def _docstrings() -> Iterator[tuple[str, str]]:
    """Where, and what: of public functions and classes, in order of the files' names."""
    library = Path(sysconfig.get_paths()["stdlib"])
    for file in sorted([*library.glob("*.py"), *library.glob("[a-z]*/*.py")]):
        if {"test", "tests", "site-packages", "idlelib", "turtledemo", "lib2to3"} & set(file.relative_to(library).parts):
            continue
        try:
            tree = ast.parse(file.read_text("utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and (text := ast.get_docstring(node, clean=False)):
                yield f"{file.stem}: {node.name}", text


def scorer_tasks(folder: Path) -> list[Task]:
    """Tasks from the sets of a retrieval scorer (locomo_dev.json, sde_dev.json, error.jsonl), those that are there."""
    readers = {"locomo_dev.json": _locomo, "sde_dev.json": _decisions, "error.jsonl": _errors}
    return [read(folder / name) for name, read in readers.items() if (folder / name).is_file()]


def _locomo(file: Path) -> Task:
    """Long chats between two people, two of them: which sitting answers? Every fourth question."""
    docs: list[Doc] = []
    questions: list[Question] = []
    for chat in json.loads(file.read_text("utf-8"))[:2]:
        told, names = chat["conversation"], {}
        for key in sorted((each for each in told if re.fullmatch(r"session_\d+", each)), key=lambda each: int(each.split("_")[1])):
            names[int(key.split("_")[1])] = name = f"d{len(docs):05}"
            day = told[f"{key}_date_time"]
            text = "\n\n".join(f"{turn['speaker']}: {turn.get('text', '')}" for turn in told[key])
            docs.append(Doc(name, f"{told['speaker_a']} and {told['speaker_b']}, {day}", text))
        for each in chat["qa"]:
            sittings = {int(number) for cited in each.get("evidence") or [] for number in re.findall(r"D(\d+):", cited)}
            if wanted := tuple(names[number] for number in sorted(sittings) if number in names):
                questions.append(Question(each["question"], wanted))
    return Task("locomo", "notes", docs, questions[::4])


def _decisions(file: Path) -> Task:
    """Chats in which a rule was decided, among others; a bug report asks."""
    data = json.loads(file.read_text("utf-8"))
    told: list[tuple[str, str]] = [(_chat(each["turns"]), "") for each in data["decoys"]]
    for _, task in sorted(data["tasks"].items()):
        told += [(_chat(chat), task["bug_report"] if chat is task["conversations"][-1] else "") for chat in task["conversations"]]
    docs = [Doc(f"d{number:05}", text.split("\n", 1)[0].removeprefix("User: ")[:70], text) for number, (text, _) in enumerate(told)]
    return Task("decisions", "sessions", docs, [Question(asked, (docs[at].name,)) for at, (_, asked) in enumerate(told) if asked])


def _chat(turns: Sequence[Any]) -> str:
    return "\n".join(("User: " if turn["role"] == "user" else "Assistant: ") + turn["text"] for turn in turns)


def _errors(file: Path) -> Task:
    """Sessions that met an error and fixed it; the same error, as another session prints it, asks."""
    docs: list[Doc] = []
    questions: list[Question] = []
    for line in file.read_text("utf-8").splitlines():
        case = json.loads(line) if line.strip() else None
        for role, each in [] if case is None else [("", case["session"]), *((extra["role"], extra) for extra in case["extra"])]:
            text = each["transcript"]
            docs.append(Doc(f"d{len(docs):05}", text.split("\n", 1)[0][:70], text))
            if not role and case is not None:
                questions.append(Question(case["query"], (docs[-1].name,)))
    return Task("errors", "errors", docs, questions)


def write(task: Task, folder: Path) -> None:
    """Writes `task.json`, `notes/NAME.md`, and `sessions/NAME.jsonl` as Claude Code leaves its sessions."""
    for name in ("notes", "sessions"):
        (folder / name).mkdir(parents=True)
    for number, doc in enumerate(task.docs):
        (folder / "notes" / f"{doc.name}.md").write_text(f"# {doc.title}\n\n{doc.text}\n", encoding="utf-8")
        (folder / "sessions" / f"{doc.name}.jsonl").write_text(_session(doc, START + timedelta(hours=number)), encoding="utf-8")
    told = {"kind": task.kind, "docs": [doc._asdict() for doc in task.docs], "questions": [each._asdict() for each in task.questions]}
    (folder / "task.json").write_text(json.dumps(told), encoding="utf-8")


def _session(doc: Doc, at: datetime) -> str:
    shared = {"sessionId": doc.name, "cwd": "/work/shop", "version": "2.1.0", "isSidechain": False, "userType": "external"}
    asked = {"role": "user", "content": doc.title}
    told = {
        "role": "assistant",
        "id": f"m-{doc.name}",
        "type": "message",
        "model": "model",
        "content": [{"type": "text", "text": doc.text}],
    }
    lines = [
        {**shared, "type": "user", "uuid": f"{doc.name}-1", "parentUuid": None, "timestamp": _stamp(at), "message": asked},
        {
            **shared,
            "type": "assistant",
            "uuid": f"{doc.name}-2",
            "parentUuid": f"{doc.name}-1",
            "timestamp": _stamp(at + timedelta(seconds=30)),
            "message": told,
        },
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def _stamp(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S}.000Z"
