"""A process killed at any moment, a disk that fills up, a process that forks: what was acknowledged is there, and whole."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from diarist.model.record import RecordFilter
from diarist.stores import open_store, open_vault

WRITER = """
import hashlib, sys
from datetime import UTC, datetime
from pathlib import Path
from diarist.model.record import Part, Record, SearchText
from diarist.stores import open_store, open_vault

folder, name, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store, vault, at = open_store(folder), open_vault(folder / "vault"), datetime(2026, 3, 4, tzinfo=UTC)
while number < int(sys.argv[4]):
    body = f'"{name} {number}"'.encode() * (1 + number % 50)
    digest = hashlib.sha256(body).hexdigest()
    chunk = vault.put(body)
    vault.flush()
    with store.transaction(actor=name, at=at) as transaction:
        for part in ("a", "b"):
            record = Record(id=f"kh-{name}-{part}-{number:08d}", kind="entry", created_at=at, updated_at=at, digest=digest, body=body)
            transaction.put_record(record, SearchText(body=body.decode()))
        if number % 5 == 4:
            transaction.erase_record(f"kh-{name}-a-{number - 1:08d}")
        transaction.put_part(Part(agent=name, session=str(number), key="k", role="main", chunks=(chunk,), steps=1))
    print(number, flush=True)
    number += 1
"""


def start(folder: Path, name: str, number: int, stop: int = 1_000_000) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(folder), name, str(number), str(stop)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def check(folder: Path, acknowledged: dict[str, int]) -> None:
    """Everything that a writer was told is there; of what it was not told, all or nothing."""
    vault = open_vault(folder / "vault", read_only=True)
    with closing(open_store(folder)) as store:
        assert store.check_history() == store.check_storage() == []
        ids = {record.id for record in store.list_records(RecordFilter())}
        for name, last in acknowledged.items():
            for number in range(last + 1):
                assert f"kh-{name}-b-{number:08d}" in ids
                erased = number % 5 == 3 and number < last
                assert (f"kh-{name}-a-{number:08d}" in ids) is not erased or number == last
        for agent, session in store.list_sessions():
            (part,) = store.get_parts(agent, session)
            assert vault.get(part.chunks[0]).startswith(f'"{agent} {session}"'.encode())
            assert f"kh-{agent}-b-{int(session):08d}" in ids


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no kill -9")
def test_writers_killed_at_any_moment_lose_nothing_acknowledged(tmp_path: Path) -> None:
    chance = random.Random(11)
    last = -1
    for round_ in range(24):
        with start(tmp_path, "one", last + 1) as writer:
            assert writer.stdout is not None
            if round_ % 10 == 0:
                time.sleep(chance.random() * 0.15)  # also while it opens or makes the store
            else:
                for _ in range(chance.randrange(1, 8)):
                    last = int(writer.stdout.readline())
                time.sleep(chance.random() * 0.003)
            writer.send_signal(signal.SIGKILL)
            told = writer.stdout.read().split()
            last = int(told[-1]) if told else last
        if round_ % 6 == 5:
            check(tmp_path, {"one": last} if last >= 0 else {})
    assert last > 50


def test_of_two_writers_one_may_die_and_the_other_goes_on(tmp_path: Path) -> None:
    with start(tmp_path, "steady", 0, 40) as steady:
        last = -1
        while steady.poll() is None:
            with start(tmp_path, "shaky", last + 1) as shaky:
                assert shaky.stdout is not None
                last = int(shaky.stdout.readline())
                shaky.kill()
                told = shaky.stdout.read().split()
                last = int(told[-1]) if told else last
        assert steady.returncode == 0
    check(tmp_path, {"steady": 39, "shaky": last})


FILL = """
import os, sys
from datetime import UTC, datetime
from pathlib import Path
from diarist.errors import StoreFullError
from diarist.model.record import Record, RecordFilter, SearchText
from diarist.stores import open_store, open_vault
import hashlib

folder, at = Path(sys.argv[1]), datetime(2026, 3, 4, tzinfo=UTC)
ballast = folder / "ballast"
ballast.write_bytes(bytes(1_000_000))
store, vault = open_store(folder / "workspace"), open_vault(folder / "workspace" / "vault")

def put(number):
    body = os.urandom(3000).hex().encode()
    record = Record(id=f"kh-{number:08d}", kind="note", created_at=at, updated_at=at, digest=hashlib.sha256(body).hexdigest(), body=body)
    with store.transaction(actor="mate", at=at) as transaction:
        transaction.put_record(record, SearchText())

count = 0
try:
    while True:
        put(count)
        count += 1
except StoreFullError as error:
    print(str(error).partition("is left")[0].strip()[-8:])
try:
    vault.put(os.urandom(1_000_000))
    vault.flush()
except StoreFullError as error:
    print(type(error).__name__)
assert store.count_records(RecordFilter()) == count, "reading goes on"
assert store.check_history() == []
ballast.unlink()
put(count)
kept = vault.put(os.urandom(1000)); vault.flush(); vault.get(kept)
assert store.count_records(RecordFilter()) == count + 1 > 10
assert store.check_history() == store.check_storage() == []
store.close()
print("sound")
"""


def test_a_full_disk_is_reported_and_nothing_is_lost(tmp_path: Path, python: Callable[..., str]) -> None:
    told = python(FILL, tmp_path, around='mount -t tmpfs -o size=4m tmpfs "$1"')
    assert told.split("\n") == ["No space", "StoreFullError", "sound", ""]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork")
def test_a_forked_process_has_connections_of_its_own(workspace: Path, python: Callable[..., str]) -> None:
    script = (
        "import os, sys\n"
        "from datetime import UTC, datetime\n"
        "from diarist.model.record import RecordFilter\n"
        "from diarist.stores import open_store\n"
        "store = open_store(sys.argv[1])\n"
        "def forget(number):\n"
        "    with store.transaction(actor='mate', at=datetime(2026, 3, 5, tzinfo=UTC)) as transaction:\n"
        "        transaction.set_status(f'kh-{number:016d}', 'retracted', action='forget')\n"
        "forget(0)\n"
        "child = os.fork()\n"
        "for number in range(1, 10): forget(number + (0 if child else 10))\n"
        "if not child: os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "print(store.count_records(RecordFilter()), store.last_seq(), store.check_history() + store.check_storage())\n"
        "store.close()\n"
    )
    assert python(script, workspace) == "1 39 []\n"
