"""The fuzzing script works, by chance alone too: a short run, and an input that fails is kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.importers import all_names, fuzz_by_chance, seeds_of, spoiled, try_once

SCRIPT = Path(__file__).with_name("importers.py")


@pytest.mark.parametrize("name", all_names())
def test_an_importer_holds_for_a_moment(name: str, tmp_path: Path) -> None:
    assert fuzz_by_chance(name, 0.3, tmp_path) == 0


def test_the_script_says_how_each_importer_went(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "pi", "amp", "--seconds", "1", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0
    assert "2 of 2 importers held" in done.stdout


def test_an_input_that_fails_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_data: bytes) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("fuzz.importers.try_once", lambda _name: fail)
    with pytest.raises(ZeroDivisionError):
        fuzz_by_chance("pi", 5, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["pi-1"]


def test_every_format_has_seeds() -> None:
    import random

    for name in all_names():
        assert seeds_of(name)
        try_once(name)(seeds_of(name)[0])
        assert spoiled(b"{}", random.Random(1)) is not None
