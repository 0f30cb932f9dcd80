"""Small stores on a disk, written by this process or by others."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from diarist.model.record import Record, SearchText
from diarist.model.redacted import derived
from diarist.ports import Store
from diarist.stores import open_store

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
def write() -> Callable[..., None]:
    """Writes records `start` to `stop` to a store, in one transaction."""

    def write_records(store: Store, start: int, stop: int, text: str = "mend the sail") -> None:
        with store.transaction(actor="mate", at=NOON) as transaction:
            for number in range(start, stop):
                body = json.dumps({"number": number, "text": text}).encode()
                record = Record(
                    id=f"kh-{number:016d}",
                    kind="entry",
                    title=derived(f"Sail {number}"),
                    tags=(derived("sail"), derived(f"sail-{number}")),
                    created_at=NOON + timedelta(minutes=number),
                    updated_at=NOON,
                    digest=hashlib.sha256(body).hexdigest(),
                    body=body,
                )
                transaction.put_record(record, SearchText(body=derived(text)))

    return write_records


@pytest.fixture
def workspace(tmp_path: Path, write: Callable[..., None]) -> Path:
    """Folder of a closed store with twenty records."""
    folder = tmp_path / "workspace"
    store = open_store(folder)
    write(store, 0, 20)
    store.close()
    return folder


@pytest.fixture
def crashed(workspace: Path) -> Path:
    """The same after a process set the status of record 7 and died: the change is in the log only."""
    run_python(
        "import os, sys\n"
        "from datetime import UTC, datetime\n"
        "from diarist.stores import open_store\n"
        "store = open_store(sys.argv[1])\n"
        "with store.transaction(actor='mate', at=datetime(2026, 3, 5, tzinfo=UTC)) as transaction:\n"
        "    transaction.set_status(f'kh-{7:016d}', 'retracted', action='forget')\n"
        "os._exit(0)\n",
        workspace,
    )
    assert (workspace / "diarist.db-wal").stat().st_size > 0
    return workspace


@pytest.fixture
def python() -> Callable[..., str]:
    return run_python


def run_python(script: str, *arguments: object, around: str = "") -> str:
    """Output of a script in a process of its own; `around` is a shell command that prepares its private mounts first.

    Skips the test where this machine does not allow such mounts.
    """
    command = [sys.executable, "-c", script, *map(str, arguments)]
    if around:
        unshare = shutil.which("unshare")
        if unshare is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
            pytest.skip("mounting needs Linux and root")
        command = [unshare, "--mount", "sh", "-c", f'{around} || exit 77; shift; exec "$@"', "sh", *map(str, arguments[:1]), *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode == 77:
        pytest.skip("mounting is not allowed here")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def state() -> Callable[[Path], dict[str, Any]]:
    """Names of the files in a folder, with their content."""
    return lambda folder: {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
