"""Files of every format together, with renderings and copies of the same runs: order and grouping do not show in what is stored."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import diarist
from contract.importers.passes import TRANSCRIPTS
from diarist.model.record import RecordFilter

NAMES = sorted(path.name for path in TRANSCRIPTS.iterdir())
ENTRIES = RecordFilter(kinds=("entry",))


def make_files(folder: Path, names: list[str], copied: list[str]) -> list[Path]:
    """Transcripts, and copies of some under other names with the first half of their lines."""
    paths = [Path(shutil.copy2(TRANSCRIPTS / name, folder / name)) for name in names]
    for name in copied:
        lines = (TRANSCRIPTS / name).read_bytes().splitlines(keepends=True)
        paths.append(folder / f"half of {name}")
        paths[-1].write_bytes(b"".join(lines[: len(lines) // 2 + 1]))
    return paths


def export(groups: list[list[Path]]) -> bytes:
    """What is stored after importing the groups one after the other."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, diarist.open_memory(Path(folder) / "ws") as memory:
        for group in groups:
            memory.ingest(group)
        sessions = b"".join(memory.export(ENTRIES, "jsonl", of="sessions"))
        return b"".join(memory.export(ENTRIES)) + sessions


@settings(max_examples=12)
@given(st.data())
def test_any_files_in_any_order_and_grouping_give_the_same_bytes(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=12, unique=True))
    copied = data.draw(st.lists(st.sampled_from([name for name in names if name.endswith(".jsonl")] or names), max_size=3, unique=True))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        paths = make_files(Path(name), names, copied)
        shuffled = data.draw(st.permutations(paths))
        cuts = sorted(data.draw(st.lists(st.integers(0, len(paths)), max_size=4)))
        groups = [shuffled[start:end] for start, end in zip([0, *cuts], [*cuts, len(paths)], strict=True)]
        assert export(groups) == export([paths])


def test_all_formats_backwards_one_by_one_give_the_same_bytes() -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        paths = make_files(Path(name), NAMES, [each for each in NAMES if each.endswith(".jsonl")])
        forwards = export([paths])
        assert forwards.count(b'"entry_hash"') > 30
        assert export([[path] for path in reversed(paths)]) == forwards
