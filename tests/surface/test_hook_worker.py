"""From events in the spool to entries in the store: the worker that hooks start, in processes of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from builders import ClaudeSession
from diarist.app.backlog import Seen, read_backlog
from diarist.app.spool import add_event
from diarist.app.wake import take_lock
from diarist.app.worker import MAX_TRIES
from diarist.bootstrap import open_memory
from diarist.errors import DiaristError
from diarist.model.record import RecordFilter

DEADLINE = 60.0


class Place:
    """A user's home with sessions of Claude Code in it."""

    def __init__(self, home: Path, environ: dict[str, str]) -> None:
        self.home = home
        self.workspace = home / ".local" / "share" / "diarist"
        self.environ = {**environ, "DIARIST_IDLE_SECONDS": "1"}

    def session(self, number: int) -> tuple[ClaudeSession, Path]:
        session = ClaudeSession(number, cwd=str(self.home / "work")).prompt(f"Task number {number}").bash("make", "ok").reply("Done.")
        return session, session.write(self.home / ".claude" / "projects" / "work")

    def fire(self, event: str, session: str, transcript: Path | str = "") -> int:
        payload = {"session_id": session, "transcript_path": str(transcript), "cwd": str(self.home / "work"), "hook_event_name": event}
        command = [sys.executable, "-m", "diarist", "hook", event, "--client", "claude-code"]
        return subprocess.run(command, input=json.dumps(payload).encode(), env=self.environ, cwd=self.home, timeout=60).returncode

    def wait(self) -> None:
        """Until the spool is empty and the worker has gone."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            lock = take_lock(str(self.workspace))
            if lock is not None:
                os.close(lock)
                if not read_backlog(self.workspace).events:
                    return
                self.work()
            time.sleep(0.1)
        raise AssertionError(f"the worker did not finish: {self.log()}")

    def work(self) -> None:
        subprocess.run([sys.executable, "-m", "diarist", "worker", "--once"], env=self.environ, capture_output=True, timeout=60)

    def titles(self) -> list[str]:
        with open_memory(self.workspace, read_only=True) as memory:
            return sorted(record.title for record in memory.list_records(RecordFilter(kinds=("entry",))))

    def titles_if_any(self) -> list[str]:
        try:
            return self.titles()
        except DiaristError:
            return []

    def log(self) -> str:
        path = self.workspace / "log" / "diarist.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.fixture
def place(home: Path, environ: dict[str, str]) -> Place:
    return Place(home, environ)


def test_a_session_that_ended_becomes_an_entry_by_itself(place: Place) -> None:
    session, path = place.session(1)
    assert place.fire("Stop", session.id, path) == 0
    assert place.fire("SessionEnd", session.id, path) == 0
    place.wait()
    assert place.titles() == ["Task number 1"]
    assert Seen(place.workspace).clients["claude-code"]["events"] == 2
    assert "Task number" not in place.log()


def test_a_session_whose_end_was_lost_is_imported_when_it_is_idle(place: Place) -> None:
    session, path = place.session(2)
    place.fire("Stop", session.id, path)
    place.wait()
    assert place.titles() == ["Task number 2"]


def test_a_session_that_goes_on_is_read_on(place: Place) -> None:
    session, path = place.session(3)
    place.fire("Stop", session.id, path)
    place.wait()
    session.prompt("And now the other half").bash("make other", "ok").reply("Done too.").write(path.parent)
    place.fire("SessionEnd", session.id, path)
    place.wait()
    with open_memory(place.workspace, read_only=True) as memory:
        [record] = memory.list_records(RecordFilter(kinds=("entry",)))
        assert record.revision == 2
        assert "And now the other half" in memory.transcript(record.id)


def test_events_of_many_hooks_at_once_are_each_recorded_once_and_one_worker_takes_them(place: Place) -> None:
    sessions = [place.session(number) for number in range(10, 30)]
    with ThreadPoolExecutor(20) as pool:
        codes = list(pool.map(lambda job: place.fire("Stop", job[0].id, job[1]), sessions * 10))
    assert codes == [0] * 200
    place.wait()
    assert Seen(place.workspace).clients["claude-code"]["events"] == 200
    assert place.titles() == sorted(f"Task number {number}" for number in range(10, 30))
    assert len({line.split("worker[")[1].split("]")[0] for line in place.log().splitlines()}) == 1
    assert [path.name for path in (place.workspace / "spool" / "events").iterdir()] == []


def test_a_worker_that_was_killed_loses_nothing(place: Place) -> None:
    session, path = place.session(4)
    lock = take_lock(str(place.workspace))
    assert lock is not None
    place.fire("SessionEnd", session.id, path)
    os.close(lock)
    command = [sys.executable, "-m", "diarist", "worker"]
    worker = subprocess.Popen(command, env=place.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.3)
    worker.kill()
    worker.wait()
    assert take_and_free(place.workspace)
    place.wait()
    assert place.titles() == ["Task number 4"]


def take_and_free(workspace: Path) -> bool:
    lock = take_lock(str(workspace))
    if lock is not None:
        os.close(lock)
    return lock is not None


def test_a_transcript_that_cannot_be_found_is_reported_and_set_aside(place: Place, diarist: Any) -> None:
    from diarist.app.worker import Timing, Worker

    add_event(str(place.workspace), {"kind": "end", "client": "codex", "session": "session-gone", "event": "SessionEnd"})
    add_event(str(place.workspace), {"kind": "stop", "client": "codex", "session": "session-gone", "event": "Stop"})
    clock = [time.time() + 1000]
    timing = Timing(now=lambda: clock[0], idle=1)
    worker = Worker(place.workspace, lambda: open_memory(place.workspace), lambda _line: None, timing)
    for _ in range(4):
        worker.step()
        clock[0] += 1000
    told = json.loads(diarist("status", "--json").stdout)
    assert told["backlog"]["events"] == 0
    assert told["backlog"]["set_aside"] == 2
    assert "session-gone" in told["errors"][-1]["message"]
    assert told["clients"]["codex"]["events"] == 2


STEP = """
import sys
from pathlib import Path
from diarist.app.worker import Timing, Worker
from diarist.bootstrap import open_memory

workspace = Path(sys.argv[1])
Worker(workspace, lambda: open_memory(workspace), print, Timing(now=lambda: float(sys.argv[2]), idle=1)).step()
"""


def test_a_transcript_that_kills_its_worker_is_set_aside(place: Place) -> None:
    """As one would for which there is too little memory: it is not tried for ever, and the next session is imported."""
    large, small = place.session(1)[0], place.session(2)[0]
    for number in range(2000):
        large.bash(f"make part-{number}", f"{number} parts made")
    folder = place.home / ".claude" / "projects" / "work"
    for session in (large, small):
        event = {"kind": "end", "client": "claude-code", "session": session.id, "event": "SessionEnd"}
        add_event(str(place.workspace), {**event, "transcript": str(session.write(folder))})

    def written() -> int:
        told = place.workspace / "spool" / "seen.json"
        return told.stat().st_mtime_ns if told.exists() else 0

    now = time.time() + 1000
    deaths = 0
    while deaths < MAX_TRIES:
        now += 1000
        before = written()
        worker = subprocess.Popen([sys.executable, "-c", STEP, str(place.workspace), str(now)], env=place.environ)
        while worker.poll() is None:
            if written() != before and Seen(place.workspace).at_work == f"claude-code:{large.id}":
                worker.kill()
        deaths += worker.returncode != 0
    subprocess.run([sys.executable, "-c", STEP, str(place.workspace), str(now + 1000)], env=place.environ, check=True)
    assert place.titles() == ["Task number 2"]
    assert not read_backlog(place.workspace).events
    assert "the worker died" in Seen(place.workspace).errors[-1]["message"]
    assert Seen(place.workspace).at_work == ""


def test_a_worker_that_is_asked_to_end_blames_no_session(place: Place) -> None:
    """As when the machine is shut down: the session is imported the next time."""
    large = place.session(1)[0]
    for number in range(2000):
        large.bash(f"make part-{number}", f"{number} parts made")
    path = large.write(place.home / ".claude" / "projects" / "work")
    event = {"kind": "end", "client": "claude-code", "session": large.id, "event": "SessionEnd", "transcript": str(path)}
    add_event(str(place.workspace), event)
    os.utime(path, (time.time() - 100,) * 2)
    worker = subprocess.Popen([sys.executable, "-m", "diarist", "worker"], env=place.environ, stdout=subprocess.DEVNULL)
    while worker.poll() is None and not Seen(place.workspace).at_work:
        time.sleep(0.005)
    worker.terminate()
    assert worker.wait(60) == 128 + signal.SIGTERM
    assert (Seen(place.workspace).at_work, Seen(place.workspace).tries) == ("", {})
    place.wait()
    assert place.titles() == ["Task number 1"]


def test_a_session_without_a_path_is_found_by_its_id(place: Place) -> None:
    session, _ = place.session(5)
    place.fire("SessionEnd", session.id)
    place.wait()
    assert place.titles() == ["Task number 5"]


def test_garbage_in_the_spool_is_set_aside(place: Place, diarist: Any) -> None:
    events = place.workspace / "spool" / "events"
    events.mkdir(parents=True)
    for number, content in enumerate([b"", b"{", b"[]", b'{"kind": 7}', b"\x00" * 40]):
        (events / f"{number:020d}-1-aa.json").write_bytes(content)
    place.work()
    assert read_backlog(place.workspace).broken == ()
    assert json.loads(diarist("status", "--json").stdout)["backlog"]["set_aside"] == 5


def test_a_full_spool_counts_what_it_drops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, diarist: Any) -> None:
    from diarist.app import spool

    monkeypatch.setattr(spool, "MAX_EVENTS", 3)
    kept = [add_event(str(tmp_path), {"kind": "stop", "client": "c", "session": str(number)}) for number in range(5)]
    assert kept == [True, True, True, False, False]
    assert json.loads(diarist("--workspace", tmp_path, "status", "--json").stdout)["backlog"]["dropped"] == 2


def test_a_program_that_was_replaced_makes_the_worker_give_way(place: Place) -> None:
    from diarist.app.worker import Timing, Worker

    add_event(str(place.workspace), {"kind": "stop", "client": "c", "session": "s"})
    answers = iter([False, True])
    worker = Worker(place.workspace, lambda: open_memory(place.workspace), lambda _line: None, Timing(sleep=lambda _seconds: None))
    assert worker.run(lambda: next(answers)) == "changed"


def test_old_work_that_nobody_does_shows_in_the_status(place: Place, diarist: Any) -> None:
    add_event(str(place.workspace), {"kind": "stop", "client": "codex", "session": "s", "event": "Stop"})
    [name] = [path.name for path in (place.workspace / "spool" / "events").iterdir()]
    old = place.workspace / "spool" / "events" / name
    old.write_text(
        json.dumps({"at": str(int((time.time() - 7200) * 1000)), "kind": "stop", "client": "codex", "session": "s"}), encoding="utf-8"
    )
    done = diarist("status", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["health"] == "behind"


def test_feedback_reaches_the_ledger(place: Place, diarist: Any) -> None:
    session, path = place.session(6)
    with open_memory(place.workspace) as memory:
        entry = memory.ingest([path]).entries[0].id
    assert diarist("feedback", entry, "helped").returncode == 0
    add_event(
        str(place.workspace),
        {"kind": "used", "use": "shown", "client": "codex", "session": session.id, "ids": f"{entry} kh-aaaaaaaaaaaaaaaa x"},
    )
    place.work()
    told = json.loads(diarist("feedback", entry, "--json").stdout)
    assert [(use["event"], use["record_id"]) for use in told] == [("helped", entry), ("shown", entry)]
    assert told[1]["session"] == f"codex:{session.id}"


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
def test_opencode_is_asked_for_the_one_session(place: Place, tmp_path: Path) -> None:
    """Stands in for `opencode export`, which prints one session of OpenCode's database."""
    export = {
        "info": {"id": "ses_abc123", "directory": str(place.home / "work"), "title": "Tidy up", "time": {"created": 1793600000000}},
        "messages": [
            {
                "info": {"id": "msg_1", "role": "user", "sessionID": "ses_abc123", "time": {"created": 1793600000000}},
                "parts": [{"id": "prt_1", "type": "text", "text": "Tidy up the parcel module"}],
            },
            {
                "info": {"id": "msg_2", "role": "assistant", "sessionID": "ses_abc123", "time": {"created": 1793600001000}},
                "parts": [{"id": "prt_2", "type": "text", "text": "Tidied."}],
            },
        ],
    }
    (tmp_path / "export.json").write_text(json.dumps(export), encoding="utf-8")
    script = tmp_path / "opencode"
    script.write_text(
        f'#!/bin/sh\n[ "$1 $2" = "export ses_abc123" ] && [ "$DIARIST_DISABLE" = 1 ] && cat {tmp_path}/export.json\n', encoding="utf-8"
    )
    script.chmod(0o755)
    place.environ["PATH"] = f"{tmp_path}{os.pathsep}{place.environ['PATH']}"
    payload = json.dumps({"sessionID": "ses_abc123", "cwd": str(place.home / "work")}).encode()
    for event in ("session.idle", "session.deleted"):
        command = [sys.executable, "-m", "diarist", "hook", event, "--client", "opencode"]
        assert subprocess.run(command, input=payload, env=place.environ, timeout=60).returncode == 0
    place.wait()
    with open_memory(place.workspace, read_only=True) as memory:
        [record] = memory.list_records(RecordFilter(kinds=("entry",)))
        assert (record.agent, record.session_id) == ("opencode", "ses_abc123")
    assert list((place.workspace / "spool" / "exports").iterdir()) == []


def test_a_program_that_is_replaced_goes_on_as_the_new_one(place: Place, tmp_path: Path) -> None:
    """An upgrade while the worker waits for a session to become idle: the same process, with its lock, as the new program."""
    import diarist

    site = tmp_path / "site"
    shutil.copytree(Path(diarist.__file__).parent, site / "diarist", ignore=shutil.ignore_patterns("__pycache__"))
    place.environ.update(PYTHONPATH=str(site), DIARIST_IDLE_SECONDS="6")
    session, path = place.session(7)
    place.fire("Stop", session.id, path)
    deadline = time.monotonic() + DEADLINE
    while not (place.workspace / "spool" / "worker.json").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    (site / "diarist" / "__init__.py").write_text(Path(diarist.__file__).read_text("utf-8") + "\n# newer\n", encoding="utf-8")
    while place.titles_if_any() != ["Task number 7"]:
        assert time.monotonic() < deadline, place.log()
        time.sleep(0.1)
    lines = place.log().splitlines()
    assert "restarting" in lines[0]
    assert len({line.split("worker[")[1].split("]")[0] for line in lines}) == 1
    place.wait()
