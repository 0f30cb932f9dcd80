"""Importers that fail, which may be another package's: they keep no other file out, and nothing that cannot be read into the vault."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import diarist
from builders import fixed_test_session
from diarist import importers
from diarist.errors import InvalidInputError

MODULE = """
from datetime import datetime

from diarist.model.session import CaptureReport, RawStep, SessionInfo


class Reading:
    state = b""

    def __init__(self, stream):
        self.fault = stream.read().decode().split()[1]
        self.offset = 10
        at = datetime(2026, 11, 2) if self.fault == "began" else None
        self.sessions = {self.fault: SessionInfo(session=self.fault, agent="loud", format="loud", started_at=at)}
        self.captures = {self.fault: CaptureReport(seen=2, kept=2)}

    def step(self, kind, **more):
        return RawStep(session=self.fault, kind=kind, rid=kind, line=1, **more)

    def __iter__(self):
        yield self.step("prompt", text="mend it", at=datetime(2026, 11, 2) if self.fault == "zone" else None)
        if self.fault == "stops":
            raise RuntimeError("the words of a transcript")
        if self.fault == "code":
            yield self.step("result", call_id="a", exit_code="one")
        if self.fault == "kind":
            yield self.step("odd", text="x")
        if self.fault == "tool":
            yield self.step("call", tool=None, arguments={"command": 7})
        yield self.step("reply", text="It is mended.")


class Loud:
    name = "loud"

    def sniff(self, head, path):
        return 100 if head.startswith(b"LOUD ") else 0

    def default_roots(self, environ, home):
        return ()

    def read(self, stream, path, state=b""):
        if path.name.startswith("opens"):
            raise KeyError("the words of a transcript")
        return Reading(stream)


LOUD = Loud()
"""
FAULTS = ("opens", "began", "zone", "stops", "code", "kind", "tool")


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package with an importer that does what the second word of a file says."""
    package = tmp_path / "package" / "loud_importers-1.0.dist-info"
    package.mkdir(parents=True)
    (package.parent / "loud_importers.py").write_text(MODULE)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: loud-importers\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(f"[{importers.GROUP}]\nloud = loud_importers:LOUD\n")
    monkeypatch.syspath_prepend(str(package.parent))
    importers._load.cache_clear()
    yield
    importers._load.cache_clear()
    sys.modules.pop("loud_importers", None)


@pytest.mark.parametrize("fault", FAULTS)
def test_an_importer_that_fails_keeps_no_other_file_out(foreign: None, tmp_path: Path, fault: str) -> None:
    """The file is told with the place of the fault and none of its words, and is tried again."""
    session = fixed_test_session(1).write(tmp_path / "in")
    for each in (fault, "fine"):
        (tmp_path / "in" / f"{each}.txt").write_text(f"LOUD {each} x\n")
    with diarist.open_memory(tmp_path / "ws") as memory:
        report = memory.ingest([tmp_path / "in"])
        assert sorted(entry.agent for entry in report.entries) == ["claude-code", "loud"]
        [problem] = report.problems
        assert problem.path.endswith(f"{fault}.txt")
        assert problem.lost
        assert "importer failed" in problem.reason
        assert "words" not in problem.reason
        again = memory.ingest([tmp_path / "in"])
        assert (again.files_unchanged, [each.path for each in again.problems]) == (2, [problem.path])
        assert memory.verify_all().faults == ()
        assert memory.ingest([], stdin=session.read_bytes()).problems == []


@pytest.mark.parametrize("fault", ["opens", "stops"])
def test_an_explanation_says_where_an_importer_fails(foreign: None, tmp_path: Path, fault: str) -> None:
    (tmp_path / f"{fault}.txt").write_text(f"LOUD {fault} x\n")
    with diarist.open_memory(tmp_path / "ws") as memory, pytest.raises(InvalidInputError, match=r"Error in loud_importers\.py:\d+"):
        list(memory.explain(tmp_path / f"{fault}.txt").steps)


def test_damaged_evidence_of_one_session_keeps_no_other_out(tmp_path: Path) -> None:
    """What was told of it before stays, and the problem is named with every import until it is repaired."""
    first = fixed_test_session(1)
    first.write(tmp_path / "in")
    with diarist.open_memory(tmp_path / "ws") as memory:
        [known] = memory.ingest([tmp_path / "in"]).entries
        chunk = next(path for path in (tmp_path / "ws" / "vault").rglob("*") if path.is_file() and len(path.stem) > 30)
        chunk.chmod(0o600)
        chunk.write_bytes(b"damaged")
        first.prompt("And now the sum.").reply("The sum is right.").write(tmp_path / "in")
        fixed_test_session(2).write(tmp_path / "in")
        report = memory.ingest([tmp_path / "in"])
        assert [entry.session_id for entry in report.entries] == [fixed_test_session(2).id]
        [problem] = report.problems
        assert first.id in problem.path
        assert "could not be distilled" in problem.reason
        assert memory.get_entry(known.id) == known
        fixed_test_session(3).write(tmp_path / "in")
        later = memory.ingest([tmp_path / "in"])
        assert [entry.session_id for entry in later.entries] == [fixed_test_session(3).id]
        assert [each.lost for each in later.problems] == [False]
        assert list(memory.redistil().problems) == [("claude-code", first.id)]
