"""A cold search must not pay for what it does not use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from diarist.stores import open_store

SCRIPT = """
import sys
before = set(sys.modules)
from diarist.stores import open_store
store = open_store(sys.argv[1], read_only=True)
store.get_hits([1, 2, 3]); store.last_seq(); store.close()
import json
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_reading_hits_loads_neither_model_nor_heavy_modules(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    loaded = json.loads(
        subprocess.run([sys.executable, "-I", "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, check=True).stdout
    )
    heavy = {
        "msgspec",
        "zstandard",
        "pathlib",
        "dataclasses",
        "logging",
        "subprocess",
        "importlib.metadata",
        "inspect",
        "tempfile",
        "urllib",
    }
    assert heavy & set(loaded) == set()
    assert [name for name in loaded if name.startswith(("diarist.model", "diarist.ports"))] == ["diarist.model", "diarist.model.hit"]
