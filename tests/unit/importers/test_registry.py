"""Finding importers: the built-in ones, those of other packages, and broken ones."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contract.importers.passes import lines
from diarist import importers
from diarist.importers import all_importers, find_importer, get_importer, import_problems, may_be
from diarist.importers.announced import may_be_announced

MODULE = """
from diarist.importers.adapter import FormatImporter
from diarist.importers.documents import DocumentReading

LOUD = FormatImporter("loud", lambda seen: 100 if "LOUD" in seen.text else 0, lambda stream, state: None)
NAMELESS = object()


class Broken:
    name = "broken"

    def sniff(self, head, path):
        raise RuntimeError("cannot look")

    def default_roots(self, environ, home):
        return ()

    def read(self, stream, path, state=b""):
        raise RuntimeError("cannot read")
"""


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package with three importers: one that works, one that is none, one that fails, and one that is not there."""
    (tmp_path / "foreign_importers.py").write_text(MODULE)
    names = {"loud": "LOUD", "nameless": "NAMELESS", "broken": "Broken", "gone": "GONE"}
    package = tmp_path / "foreign_importers-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: foreign-importers\nVersion: 1.0\n")
    points = [f"{name} = foreign_importers:{value}\n" for name, value in names.items()]
    (package / "entry_points.txt").write_text(f"[{importers.GROUP}]\n{''.join(points)}")
    monkeypatch.syspath_prepend(str(tmp_path))
    importers._load.cache_clear()
    yield
    importers._load.cache_clear()
    sys.modules.pop("foreign_importers", None)


def test_an_importer_of_another_package_takes_part(foreign: None) -> None:
    found = find_importer(b"LOUD words", None)
    assert found is not None
    assert found.name == "loud"
    assert get_importer("loud") is found


def test_importers_that_cannot_be_used_are_named_and_do_no_harm(foreign: None) -> None:
    problems = import_problems()
    assert len(problems) == 2
    assert any("nameless" in problem for problem in problems)
    assert any("gone" in problem for problem in problems)
    assert {importer.name for importer in all_importers()} >= {"claude-code", "loud", "broken"}


def test_one_that_fails_while_it_looks_knows_nothing(foreign: None) -> None:
    found = find_importer(b"User: fix it\n", None)
    assert found is not None
    assert found.name == "plain"


def test_names_are_unique_and_nothing_is_wrong_with_the_built_in_ones() -> None:
    names = [importer.name for importer in all_importers()]
    assert len(names) == len(set(names))
    assert import_problems() == ()
    assert get_importer("no-such-format") is None


def test_only_what_may_know_a_file_is_loaded() -> None:
    head = lines({"role": "user", "content": "Weigh it."}, {"role": "assistant", "content": "Done."}).decode()
    code = f"""
import sys
from diarist.importers import find_importer
print(find_importer({head!r}.encode(), None).name, *sys.modules.keys() & {{"diarist.importers.claude_code", "diarist.importers.otel"}})
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "messages\n"


def test_a_type_that_is_no_text_makes_no_importer_fail() -> None:
    head = lines({"type": ["message"], "payload": {}, "session_id": "s1", "kind": {}, "role": [1]})
    assert [importer.name for importer in all_importers() if importer.sniff(head, None)] == []


def test_fields_that_look_like_a_format_do_not_make_it_one() -> None:
    head = lines({"type": "user", "uuid": "u1", "sessionId": 3, "diarist": 7, "resourceSpans": 1}, {"a": 1})
    assert {"qwen", "otel", "neutral", "messages"} <= set(may_be(head))
    assert find_importer(head, None) is None


def test_every_importer_names_its_folders_without_looking_at_the_disk(tmp_path: Path) -> None:
    for importer in all_importers():
        for environ in ({}, {"APPDATA": str(tmp_path / "data"), "XDG_DATA_HOME": str(tmp_path / "xdg"), "INSPECT_LOG_DIR": "s3://logs"}):
            assert all(root.is_absolute() for root in importer.default_roots(environ, tmp_path))


def test_the_example_in_the_guide_is_an_importer_that_works() -> None:
    guide = Path(__file__).parents[3] / "docs" / "howto" / "add-a-format.md"
    code = guide.read_text("utf-8").partition("```python\n")[2].partition("```")[0]
    module: dict[str, Any] = {}
    exec(compile(code, "add-a-format.md", "exec"), module)
    records = [
        {"parcel-agent": 1, "session": "s1", "type": "ask", "id": "1", "at": "2026-11-02T09:00:00Z", "text": "Fix it.", "cwd": "/x"},
        {"type": "tool", "id": "2", "call": "c1", "name": "bash", "input": {"command": "make"}},
        {"type": "done", "id": "3", "call": "c1", "output": "no rule", "ok": False},
        {"type": "dream"},
    ]
    data = lines(*records)
    importer = module["IMPORTER"]
    assert importer.sniff(data, None) == 90
    reading = importer.read(io.BytesIO(data), None)
    assert [(step.kind, step.error) for step in reading] == [("prompt", None), ("call", None), ("result", True)]
    assert reading.sessions["s1"].cwd == "/x"
    assert (reading.captures["s1"].calls_paired, reading.captures["s1"].skipped) == (1, {"unknown-type": 1})


def test_no_package_is_asked_where_none_announces_an_importer() -> None:
    """Asking takes longer than most transcripts take to read: a process that imports does not load what asks."""
    code = "import sys; from diarist.importers import find_importer; find_importer(b'User: x', None); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "diarist.importers.announced" in loaded
    assert "importlib.metadata" not in loaded


@pytest.mark.parametrize("where", ["archive", "egg", "folder"])
def test_a_package_may_announce_an_importer_wherever_it_lies(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In doubt the slow way is taken."""
    assert not may_be_announced(importers.GROUP)
    place = tmp_path / "place"
    if where == "archive":
        place.write_bytes(b"PK")
    else:
        inside = place / ("parcel-1.0.egg" if where == "egg" else "parcel-1.0.dist-info")
        inside.mkdir(parents=True)
        (inside / "entry_points.txt").write_text(f"[{importers.GROUP}]\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(place)])
    assert may_be_announced(importers.GROUP)
