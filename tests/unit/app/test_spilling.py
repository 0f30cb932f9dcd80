"""A huge synthesis reads its entries from a temporary file, and what comes of it is the same to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diarist.bootstrap import open_memory
from diarist.model.codec import to_json
from diarist.stores.scratch import ScratchRows
from filled import NOW, fill


@pytest.mark.parametrize("smallest", [1, 2])
def test_a_synthesis_from_a_file_is_that_from_memory(tmp_path: Path, smallest: int) -> None:
    fill(tmp_path / "ws", 600)
    told = []
    for spill in (0, 100):
        folder = tmp_path / f"config-{spill}" / "diarist"
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(f"[synthesis]\nspill = {spill}\n")
        with open_memory(tmp_path / "ws", read_only=True, environ={"XDG_CONFIG_HOME": str(folder.parent), "HOME": str(tmp_path)}) as memory:
            told.append(memory.synthesize(now=NOW, project="team/app", min_cluster_size=smallest))
    assert told[0].themes
    assert told[0].errors
    assert any(theme.earlier for theme in told[0].themes)
    assert to_json(told[0]) == to_json(told[1])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.binary(max_size=4), st.binary(max_size=40)), max_size=1200))
def test_rows_come_in_the_order_of_their_keys_and_equal_ones_as_they_were_put(rows: list[tuple[bytes, bytes]]) -> None:
    scratch = ScratchRows()
    try:
        for key, body in rows:
            scratch.put(key, body)
        scratch.settle()
        expected = [body for _, body in sorted(rows, key=lambda row: row[0])]
        assert list(scratch) == expected
        assert [scratch.get(place) for place in range(len(scratch))] == expected
        with pytest.raises(IndexError):
            scratch.get(len(rows))
    finally:
        scratch.close()
