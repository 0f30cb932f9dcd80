"""Any set of files, in any order, in one go or many: the same records."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import diarist
from builders import ClaudeSession, codex_rollout, fixed_test_session
from diarist.model.record import RecordFilter


def make_files(folder: Path) -> list[Path]:
    """Two sessions, snapshots of one of them, a copy under another name, pieces of one session, a rollout."""
    paths = [fixed_test_session(1).write(folder), fixed_test_session(2, module="router").write(folder)]
    lines = fixed_test_session(1).lines()
    for name, upto in (("early", 3), ("late", 6), ("copy", len(lines))):
        paths.append(folder / f"snapshot-{name}.jsonl")
        paths[-1].write_text("".join(lines[:upto]))
    pieces = fixed_test_session(3, module="mailer").lines()
    for name, part in (("head", pieces[:4]), ("tail", pieces[4:])):
        paths.append(folder / f"piece-{name}.jsonl")
        paths[-1].write_text("".join(part))
    other = ClaudeSession(4).prompt("Say hello").reply("Hello.")
    paths.append(folder / "mixed.jsonl")
    paths[-1].write_text("".join(other.lines() + lines[2:5]))
    paths.append(folder / "rollout.jsonl")
    paths[-1].write_text("".join(codex_rollout(5, [("user", "Build it"), ("run", ("make", "error: no rule", 2)), ("say", "It fails.")])))
    return paths


def export(paths: list[list[Path]]) -> bytes:
    """What is stored after importing the groups one after the other."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, diarist.open_memory(Path(folder) / "ws") as memory:
        for group in paths:
            memory.ingest(group)
        return b"".join(memory.export(RecordFilter()))


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_order_and_grouping_do_not_matter(data: st.DataObject) -> None:
    """The export is byte-identical."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        paths = make_files(Path(folder))
        expected = export([paths])
        assert expected.count(b'"entry_hash"') == 5
        shuffled = data.draw(st.permutations(paths))
        cuts = sorted(data.draw(st.lists(st.integers(0, len(paths)), max_size=3)))
        groups = [shuffled[start:end] for start, end in zip([0, *cuts], [*cuts, len(paths)], strict=True)]
        assert export(groups) == expected
