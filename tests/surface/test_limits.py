"""What comes from outside is bounded, and what is written stays inside the workspace and is its owner's alone."""

from __future__ import annotations

import json
import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard

import diarist
from builders import ClaudeSession, fixed_test_session
from diarist.app.documents import Edit
from diarist.app.memories import Item
from diarist.app.memory import Memory
from diarist.app.spool import add_event
from diarist.bootstrap import restore
from diarist.errors import DiaristError, InvalidInputError
from diarist.stores import open_vault


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with diarist.open_memory(tmp_path / "ws", environ={"HOME": str(tmp_path / "home")}) as found:
        yield found


def fill(memory: Memory, folder: Path) -> None:
    """Something of everything that is written."""
    memory.ingest([fixed_test_session(number).write(folder / "in") for number in (1, 2)])
    note = memory.add_note(title="A note", body="It says so.")
    memory.correct(note.id, "partly", text="Rather so.")
    memory.memory_store("project/notes", Item(key="k", value="v"))
    memory.synthesize(since="3000d", write=True, project="")
    memory.edit_document(Edit(path="diaries/agents/x/y.md", title="Doc", body="Text"))
    add_event(str(memory._box.settings.workspace), {"kind": "end", "client": "claude-code", "session": "s"})
    memory.search("tests")


@pytest.mark.skipif(os.name == "nt", reason="permissions of another kind")
def test_everything_that_is_written_is_its_owners_alone(memory: Memory, tmp_path: Path) -> None:
    """Files 0600, folders 0700, whatever the umask; backups and what is restored too."""
    before = os.umask(0)
    try:
        fill(memory, tmp_path)
        memory.back_up(tmp_path / "out" / "b.backup")
        restore(tmp_path / "out" / "b.backup", tmp_path / "new", environ={"HOME": str(tmp_path / "home")})
    finally:
        os.umask(before)
    open_to_others = [
        f"{path} {stat.filemode(path.stat().st_mode)}"
        for root in (tmp_path / "ws", tmp_path / "out", tmp_path / "new")
        for path in (root, *root.rglob("*"))
        if path.stat().st_mode & 0o077 and "index" not in path.relative_to(root).parts
    ]
    assert open_to_others == []
    assert [path for path in (tmp_path / "ws" / "index", tmp_path / "new" / "index") if path.stat().st_mode & 0o077] == [], "its folder"


@pytest.mark.parametrize(
    "name", ["../../evil", "/etc/evil", "..\\..\\evil", "a/../../evil", "nul\0byte", "~", "C:evil", "." * 300, "x" * 5000]
)
def test_no_name_leads_out_of_the_workspace(memory: Memory, tmp_path: Path, name: str) -> None:
    """As an agent, a project, a task, a session, a namespace, a path of a document."""
    before = {path for path in tmp_path.rglob("*") if "ws" not in path.relative_to(tmp_path).parts[:1]}
    attempts: list[Callable[[], object]] = [
        lambda: memory.add_entry(task_id=name, transcript="User: x\n$ make\nok", agent=name, project=name),
        lambda: memory.add_note(title=name, body="x", project=name),
        lambda: memory.memory_store(name, Item(key="k", value="v")),
        lambda: memory.edit_document(Edit(path=f"diaries/{name}", title="x", body="y", project=name)),
        lambda: memory.synthesize(since="3000d", write=True, project=name, min_cluster_size=1),
    ]
    for attempt in attempts:
        try:
            attempt()
        except DiaristError:
            continue
    after = {path for path in tmp_path.rglob("*") if "ws" not in path.relative_to(tmp_path).parts[:1]}
    assert after == before
    assert not (tmp_path.parent / "evil").exists()
    assert not Path("/etc/evil").exists()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_does_not_lead_reading_out(memory: Memory, tmp_path: Path) -> None:
    """A residue audit and a walk over folders do not follow links to somewhere else."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.txt").write_text("GRAMPUS-4711")
    memory.add_note(title="x", body="y")
    (tmp_path / "ws" / "projects" / "link").parent.mkdir(exist_ok=True)
    (tmp_path / "ws" / "projects" / "link").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert memory.residue(["GRAMPUS-4711"]) == []


def test_depth_and_size_of_json_are_bounded(memory: Memory, tmp_path: Path) -> None:
    """Nested a hundred thousand times, a line of many megabytes, a number with a million digits: counted, never a crash."""
    session = ClaudeSession(1).prompt("Hello").reply("Done.")
    deep = '{"type":"user","message":' + '{"a":' * 100_000 + "1" + "}" * 100_001
    wide = json.dumps({"type": "user", "message": {"role": "user", "content": "x" * 5_000_000}})
    digits = '{"type":"user","n":' + "9" * 1_000_000 + "}"
    path = tmp_path / "in" / "deep.jsonl"
    path.parent.mkdir()
    path.write_text("".join(session.lines()) + deep + "\n" + wide + "\n" + digits + "\n")
    report = memory.ingest([path])
    assert len(report.entries) == 1
    assert memory.doctor()["faults"] == []


def test_unpacking_is_bounded(memory: Memory, tmp_path: Path) -> None:
    """A chunk that says it unpacks to 4 GB, and an evaluation log that does: refused, memory stays small."""
    folder = tmp_path / "ws" / "vault" / "ab"
    folder.mkdir(parents=True, exist_ok=True)
    name = "ab" + "0" * 62
    (folder / f"{name}.zst").write_bytes(zstandard.ZstdCompressor(write_content_size=True).compress(bytes(100 << 20)))
    with pytest.raises(DiaristError):
        open_vault(tmp_path / "ws" / "vault").get(name)
    bomb = tmp_path / "log.eval"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{" + " " * (300 << 20) + "}")
    report = memory.ingest([bomb])
    assert report.entries == []


def test_long_queries_and_filters_are_bounded(memory: Memory) -> None:
    memory.add_note(title="Narwhal", body="gate")
    for query in (
        "narwhal " * 20_000,
        '"' * 10_000,
        "(" * 10_000,
        "a:" * 5_000,
        "\0\ud800".encode("utf-8", "replace").decode() * 100,
        "*" * 1000,
    ):
        try:
            memory.search(query)
            memory.recall(query)
        except InvalidInputError:
            continue
        except DiaristError:
            continue


def test_values_of_memory_are_bounded(memory: Memory) -> None:
    with pytest.raises(InvalidInputError):
        memory.memory_store("project/notes", Item(key="k", value="x" * 20_000_000))


def test_a_network_file_system_is_warned_of(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's locks do not reach other machines there; `diarist doctor` says so, and nothing on a local one."""
    assert memory.doctor()["faults"] == []
    monkeypatch.setattr("diarist.stores.sqlite.network_file_system", lambda _path: "nfs4")
    (fault,) = memory.doctor()["faults"]
    assert "network file system (nfs4)" in fault
