"""A fault-injecting run against an oracle of acknowledged writes.

    python tests/fault/run.py --faults 500 --seed 1

Children do what users and agents do (notes, edits, runs, items, imports, corrections, erasures) and say each time that a call came
back. They are killed, run into a full disk, a folder that cannot be written, a clock that was set back, a newer schema, noise
behind the log, a damaged index. After each fault everything that was acknowledged must be there as it was, everything that was
erased must be gone, and the store must be whole. The parent opens nothing itself, so that each child starts clean.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import diarist
from builders import fixed_test_session
from diarist.app.memories import Item
from diarist.app.memory import Memory
from diarist.errors import DiaristError, SchemaTooNewError
from diarist.model.erasing import EraseWish
from diarist.stores import migrate
from old_stores import write_old_store

SHORT, LONG = 0.002, 0.25
"""Seconds after which a child is killed."""
DEEP_EVERY = 20
NOBODY = 65534


@dataclass
class Oracle:
    """What was acknowledged: texts of notes by id, items by id, tasks, what was erased or corrected."""

    notes: dict[str, str] = field(default_factory=dict)
    maybe: dict[str, set[str]] = field(default_factory=dict)
    """Texts a note may have besides: an edit that was begun and not acknowledged."""
    tasks: dict[str, str] = field(default_factory=dict)
    items: dict[str, str] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    """Ids whose erasure was begun and not acknowledged: there or gone, never half."""
    corrected: dict[str, str] = field(default_factory=dict)
    sessions: set[int] = field(default_factory=set)

    def hear(self, line: str) -> None:
        """One line of a child: what it is about to do, and what came back."""
        told = json.loads(line)
        what, key, text = told["what"], told.get("id", ""), told.get("text", "")
        if what == "note":
            self.notes[key] = text
            self.maybe.pop(key, None)
        elif what == "editing":
            self.maybe.setdefault(key, set()).add(text)
        elif what == "erasing":
            self.doubtful.add(key)
        elif what == "erased":
            self.erased.add(key)
            self.doubtful.discard(key)
            self.notes.pop(key, None)
        elif what == "task":
            self.tasks[key] = text
        elif what == "item":
            self.items[key] = text
        elif what == "corrected":
            self.corrected[key] = text
        elif what == "session":
            self.sessions.add(int(text))


def _teller(pipe: int) -> Callable[..., None]:
    def tell(**told: str) -> None:
        os.write(pipe, (json.dumps(told) + "\n").encode())

    return tell


class Child:
    """One forked process at work; its lines are heard as they come."""

    def __init__(self, work: Callable[[Callable[..., None]], None]) -> None:
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            code = 0
            try:
                work(_teller(writing))
            except DiaristError:
                code = 3
            except BaseException:  # noqa: BLE001 - a child says what went wrong and ends
                traceback.print_exc()
                code = 4
            os._exit(code)
        os.close(writing)
        self._reading = reading

    def finish(self, after: float | None = None) -> tuple[list[str], int]:
        """Waits, or kills it after so many seconds; whole lines that it said, and how it ended."""
        if after is not None:
            time.sleep(after)
            os.kill(self.pid, signal.SIGKILL)
        data = b""
        while piece := os.read(self._reading, 65536):
            data += piece
        os.close(self._reading)
        _, status = os.waitpid(self.pid, 0)
        return data.decode().split("\n")[:-1], os.waitstatus_to_exitcode(status)


class Run:
    """The workspace, the oracle, and the faults."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.workspace = folder / "ws"
        self.chance = random.Random(seed)
        self.oracle = Oracle()
        self.counts: Counter[str] = Counter()
        self.number = 0
        self.faults: dict[str, Callable[[], None]] = {
            "kill -9": self.kill,
            "kill -9 in an erasure": self.kill_erasing,
            "kill -9 in an import": self.kill_importing,
            "full disk": self.full_disk,
            "read-only folder": self.read_only,
            "clock set back": self.clock_back,
            "newer schema": self.newer_schema,
            "interrupted migration": self.migration,
            "noise behind the log": self.noise,
            "damaged index": self.damaged_index,
        }

    # --- what children do -------------------------------------------------------------------------------------------------

    @contextmanager
    def memory(self, now: Callable[[], datetime] | None = None) -> Iterator[Memory]:
        with diarist.open_memory(self.workspace, environ={"HOME": str(self.folder)}, now=now) as opened:
            yield opened

    def work(self, say: Callable[..., None], seed: int, now: Callable[[], datetime] | None = None, ops: int = 40) -> None:
        """Random calls; each is said when it came back."""
        chance = random.Random(seed)
        with self.memory(now) as memory:
            for step in range(ops):
                with suppress_refused():
                    self.one(memory, say, chance, f"{seed}-{step}")

    def one(self, memory: Memory, say: Callable[..., None], chance: random.Random, name: str) -> None:
        kind = chance.choice(("note", "note", "edit", "task", "item", "correct", "erase"))
        text = f"Text {name} " + "word " * chance.randrange(400)
        known = sorted(self.oracle.notes.keys() - self.oracle.corrected.keys() - self.oracle.doubtful)
        if kind == "task":
            entry = memory.add_entry(task_id=f"T-{name}", transcript=f"User: do {name}\n$ make\nerror: no rule {name}\n$ make\nok")
            say(what="task", id=entry.id, text=entry.entry_hash)
        elif kind == "item":
            item = memory.memory_store("fault/items", Item(key=name, value=text))
            say(what="item", id=item.id, text=text)
        elif kind == "note" or not known:
            say(what="note", id=memory.add_note(title=name, body=text).id, text=text)
        elif kind == "edit":
            chosen = chance.choice(known)
            say(what="editing", id=chosen, text=text)
            memory.edit_note(chosen, body=text)
            say(what="note", id=chosen, text=text)
        elif kind == "correct":
            chosen = chance.choice(known)
            memory.correct(chosen, "partly", text=f"Rather {name}")
            say(what="corrected", id=chosen, text=name)
        else:
            chosen = chance.choice(known)
            say(what="erasing", id=chosen)
            memory.erase(EraseWish(ids=(chosen,)))
            say(what="erased", id=chosen)

    # --- faults -----------------------------------------------------------------------------------------------------------

    def child(self, work: Callable[[Callable[..., None]], None], after: float | None = None) -> int:
        lines, code = Child(work).finish(after)
        for line in lines:
            self.oracle.hear(line)
        return code

    def kill(self) -> None:
        seed = self.chance.randrange(1 << 30)
        self.child(lambda say: self.work(say, seed), self.chance.uniform(SHORT, LONG))

    def kill_erasing(self) -> None:
        known = sorted(self.oracle.notes.keys() - self.oracle.corrected.keys())
        if not known:
            return self.kill()
        chosen = self.chance.choice(known)

        def erase(say: Callable[..., None]) -> None:
            with self.memory() as memory:
                say(what="erasing", id=chosen)
                memory.erase(EraseWish(ids=(chosen,)))
                say(what="erased", id=chosen)

        self.child(erase, self.chance.uniform(SHORT, LONG))
        return None

    def kill_importing(self) -> None:
        number = self.chance.randrange(1, 100_000)
        path = fixed_test_session(number, padding=4).write(self.folder / "in")

        def take(say: Callable[..., None]) -> None:
            with self.memory() as memory:
                memory.ingest([path])
                say(what="session", text=str(number))

        self.child(take, self.chance.uniform(SHORT, 2 * LONG))
        if self.chance.random() < 0.5:
            self.child(take)

    def full_disk(self) -> None:
        seed = self.chance.randrange(1 << 30)
        room = self.chance.randrange(0, 200_000)

        def fill(say: Callable[..., None]) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            largest = max((path.stat().st_size for path in self.workspace.glob("diarist.db*")), default=0)
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest + room, resource.RLIM_INFINITY))
            self.work(say, seed, ops=25)

        if not self.tmpfs(seed):
            self.child(fill)

    def tmpfs(self, seed: int) -> bool:
        """The same on a small disk of its own, where mounting is allowed."""
        if os.geteuid() != 0 or shutil.which("mount") is None:
            return False
        size = sum(path.stat().st_size for path in self.workspace.rglob("*") if path.is_file()) + self.chance.randrange(64_000, 1_500_000)
        disk = self.folder / "disk"
        disk.mkdir(exist_ok=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], capture_output=True, check=False)
        if mounted.returncode:
            return False
        home = self.workspace
        try:
            shutil.copytree(home, disk / "ws")
            self.workspace = disk / "ws"
            self.child(lambda say: self.work(say, seed, ops=25))
            self.workspace = home
            shutil.rmtree(home)
            shutil.copytree(disk / "ws", home)
        except OSError:
            self.workspace = home
        finally:
            subprocess.run(["umount", str(disk)], capture_output=True, check=False)
        return True

    def read_only(self) -> None:
        seed = self.chance.randrange(1 << 30)
        modes = {path: path.stat().st_mode for path in (self.folder, self.workspace, *self.workspace.rglob("*"))}
        for path in modes:
            path.chmod(0o555 if path.is_dir() else 0o444)

        def try_it(say: Callable[..., None]) -> None:
            if os.geteuid() == 0:
                self.warm()
                os.setegid(NOBODY)
                os.seteuid(NOBODY)
            self.work(say, seed, ops=3)

        code = self.child(try_it)
        for path, mode in modes.items():
            path.chmod(mode & 0o7777)
        assert code in (0, 3), f"a folder that cannot be written ended with {code}"

    def warm(self) -> None:
        """Loads every module that is needed: somebody else's account may not read them."""
        folder = Path(tempfile.mkdtemp(prefix="diarist-warm-"))
        with diarist.open_memory(folder, environ={"HOME": str(self.folder)}) as memory:
            note = memory.add_note(title="x", body="y")
            memory.edit_note(note.id, body="z")
            memory.add_entry(task_id="T", transcript="User: x\n$ make\nok")
            memory.memory_store("fault/items", Item(key="x", value="y"))
            memory.correct(note.id, "partly", text="w")
            memory.erase(EraseWish(ids=(note.id,)))
            memory.search("x")
        shutil.rmtree(folder, ignore_errors=True)

    def clock_back(self) -> None:
        seed = self.chance.randrange(1 << 30)
        back = datetime.now(UTC) - timedelta(days=self.chance.randrange(1, 9_000))
        self.child(lambda say: self.work(say, seed, lambda: back, ops=5))

    def newer_schema(self) -> None:
        database = self.workspace / "diarist.db"
        _set_schema(database, migrate.SCHEMA + 1)
        before = database.read_bytes()

        def refused(say: Callable[..., None]) -> None:
            try:
                self.work(say, 1, ops=1)
            except SchemaTooNewError:
                return
            raise AssertionError("a newer store was written to")

        assert self.child(refused) == 0
        assert database.read_bytes() == before, "a newer store was changed"
        _set_schema(database, migrate.SCHEMA)

    def migration(self) -> None:
        """A store of schema 2 is opened by this version and killed on the way; then opened again."""
        old = self.folder / f"old-{self.number}"
        old.mkdir()
        write_old_store(old, f"INSERT INTO workspaces VALUES ('local', 'ab', x'{bytes(32).hex()}')")

        def opens(say: Callable[..., None]) -> None:
            with diarist.open_memory(old, environ={"HOME": str(self.folder)}) as memory:
                assert memory.doctor()["faults"] == []
            say(what="opened")

        Child(opens).finish(self.chance.uniform(0.0005, 0.03))
        lines, code = Child(opens).finish()
        assert (len(lines), code) == (1, 0), "a migration that was interrupted cannot be done again"
        shutil.rmtree(old)

    def noise(self) -> None:
        """What a power cut may leave behind the last whole commit of the log."""
        self.kill()
        log = self.workspace / "diarist.db-wal"
        if log.exists():
            with log.open("ab") as stream:
                stream.write(self.chance.randbytes(self.chance.randrange(1, 9_000)))

    def damaged_index(self) -> None:
        files = [path for path in (self.workspace / "index").rglob("*") if path.is_file() and not path.name.endswith(".lock")]
        for path in self.chance.sample(files, min(len(files), 2)):
            path.write_bytes(self.chance.randbytes(self.chance.randrange(1, 400)))
        self.kill()

    # --- checking ---------------------------------------------------------------------------------------------------------

    def check(self, *, deep: bool) -> None:
        """In a child too: everything acknowledged is there, everything erased is gone, the store is whole."""
        code = self.child(lambda say: self.compare(say, deep=deep))
        assert code == 0, "what was acknowledged is not what is there"

    def compare(self, say: Callable[..., None], *, deep: bool) -> None:
        oracle = self.oracle
        with self.memory() as memory:
            memory.finish_erasures()
            store = memory._box.store
            assert store.check_history() == [], store.check_history()[:3]
            for record_id, text in oracle.notes.items():
                record = store.get_record(record_id)
                if record is None:
                    assert record_id in oracle.doubtful, f"the note {record_id} is lost"
                    say(what="erased", id=record_id)
                    continue
                body = json.loads(record.body)["body"]
                assert body == text or body in oracle.maybe.get(record_id, ()), f"the note {record_id} says something else"
            for record_id, digest in oracle.tasks.items():
                assert memory.get_entry(record_id).entry_hash == digest, f"the run {record_id} is lost"
            items = {item.id: item.value for item in memory.memory_list("fault/items")}
            assert all(items.get(item_id) == text for item_id, text in oracle.items.items()), "an item is lost"
            for record_id in oracle.erased:
                assert store.get_record(record_id) is None, f"{record_id} came back"
                assert all(event.payload is None for event in store.get_history(record_id))
            for record_id in (oracle.corrected.keys() & oracle.notes.keys()) - oracle.doubtful:
                assert store.list_corrections([record_id]), f"the correction of {record_id} is lost"
            if deep:
                memory.ingest([])
                report = memory.doctor()
                assert report["faults"] == [], report["faults"][:5]
                found = memory.verify_all()
                assert found.faults == (), found.faults[:5]
                memory.refresh()
                assert memory.verify_index() == []
                sessions = sum(1 for _ in store.list_sessions())
                assert sessions >= len(oracle.sessions)

    def inject(self) -> str:
        """One fault, then the comparison."""
        names = list(self.faults)
        name = names[self.number % len(names)] if self.number < len(names) else self.chance.choice(names)
        self.number += 1
        self.faults[name]()
        self.counts[name] += 1
        self.check(deep=self.number % DEEP_EVERY == 0)
        return name


@contextmanager
def suppress_refused() -> Iterator[None]:
    """A call that is refused was not acknowledged; the next one may go through."""
    with suppress(DiaristError):
        yield


def _set_schema(database: Path, number: int) -> None:
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute(f"PRAGMA user_version = {number}")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def load_everything() -> None:
    """All modules now: children then start at once, and what is run is what was there when the run began."""
    for module in pkgutil.walk_packages(diarist.__path__, "diarist."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):
                importlib.import_module(module.name)


def say_it(line: str) -> None:
    """Tells whoever waits for it."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--faults", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    load_everything()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="diarist-fault-") as folder:
        Path(folder).chmod(0o755)
        run = Run(Path(folder), given.seed)
        run.child(lambda say: run.work(say, given.seed, ops=10))
        for number in range(given.faults):
            try:
                name = run.inject()
            except AssertionError as error:
                sys.stderr.write(f"fault {number + 1} (seed {given.seed}): {error}\n")
                return 1
            if (number + 1) % 50 == 0:
                say_it(f"{number + 1} faults, the last one: {name}; {time.monotonic() - began:.0f} s")
        run.check(deep=True)
        oracle = run.oracle
        say_it(json.dumps({"faults": run.number, "by_kind": dict(sorted(run.counts.items()))}))
        kept = len(oracle.notes) + len(oracle.tasks) + len(oracle.items)
        say_it(f"nothing acknowledged was lost: {kept:,} writes there, {len(oracle.erased):,} erased and gone")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
