"""Two hub nodes, three workers and a PostgreSQL server, each in a network namespace of its own, while things break at random.

    sudo python bench/nodes.py [--seconds 300] [--seed 1]

Nodes are killed (SIGKILL) and started anew, their links are cut and mended, the database's connections are ended, workers are killed.
Meanwhile clients of two tenants write documents and search for what was acknowledged. Whoever gets no answer asks again, on any node,
with the same idempotency key. At the end a checker that knows every acknowledged write looks for what is lost, doubled, or visible to
the other tenant. Needs Linux, root, `ip` and `setpriv`; all traffic stays between the namespaces.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from postgres_server import Server, running_server  # noqa: E402

NET = "10.77.0"
BRIDGE = "diarist-br"
PLACES = {"db": 2, "node1": 11, "node2": 12, "work1": 21, "work2": 22, "work3": 23}
NODES = ("node1", "node2")
TENANTS = ("sail", "oar")
PORT = 7788
DIARIST = [sys.executable, "-m", "diarist"]


def ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, capture_output=True)


@contextlib.contextmanager
def network() -> Iterator[None]:
    """A bridge and a namespace for each place, gone again at the end."""
    ip("link", "add", BRIDGE, "type", "bridge")
    try:
        ip("addr", "add", f"{NET}.1/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        for name, number in PLACES.items():
            ip("netns", "add", f"diarist-{name}")
            ip("link", "add", f"d-{name}", "type", "veth", "peer", "name", "eth0", "netns", f"diarist-{name}")
            ip("link", "set", f"d-{name}", "master", BRIDGE, "up")
            for words in (("addr", "add", f"{NET}.{number}/24", "dev", "eth0"), ("link", "set", "eth0", "up"), ("link", "set", "lo", "up")):
                ip("-n", f"diarist-{name}", *words)
        yield
    finally:
        for name in PLACES:
            ip("netns", "del", f"diarist-{name}", check=False)
        ip("link", "del", BRIDGE, check=False)


class Written(NamedTuple):
    """A write that was acknowledged."""

    tenant: str
    word: str
    id: str


class Site:
    """What runs, and what was acknowledged."""

    def __init__(self, url: str, folder: Path, seed: int) -> None:
        self.url = url
        self.folder = folder
        self.random = random.Random(seed)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.keys: dict[str, str] = {}
        self.written: list[Written] = []
        self.counts: Counter[str] = Counter()
        self.waits: list[float] = []
        self.lock = threading.Lock()
        self.stop = threading.Event()

    def environ(self, place: str) -> dict[str, str]:
        return {**os.environ, "DIARIST_DATABASE_URL": self.url, "DIARIST_HOME": str(self.folder / place), "PYTHONPATH": str(ROOT / "src")}

    def start(self, place: str) -> None:
        words = ["worker", "--queue"] if place.startswith("work") else ["serve", "--host", f"{NET}.{PLACES[place]}", "--rate", "0"]
        with (self.folder / f"{place}.log").open("ab") as log:
            self.processes[place] = subprocess.Popen(
                ["ip", "netns", "exec", f"diarist-{place}", *DIARIST, *words], env=self.environ(place), stdout=log, stderr=log
            )

    def make_keys(self) -> None:
        for tenant in TENANTS:
            words = [*DIARIST, "keys", "add", tenant, "--tenant", tenant, "--role", "write", "--json"]
            done = subprocess.run(
                ["ip", "netns", "exec", "diarist-node1", *words], env=self.environ("node1"), capture_output=True, check=True
            )
            self.keys[tenant] = json.loads(done.stdout)["secret"]

    def ask(self, node: str, tenant: str, path: str, body: dict[str, Any] | None = None, seconds: float = 5) -> Any:
        request = urllib.request.Request(
            f"http://{NET}.{PLACES[node]}:{PORT}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"x-api-key": self.keys[tenant], "content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return json.load(answer)


def client(site: Site, number: int) -> None:
    """Writes and searches until it is told to stop; a write without an answer is repeated until it has one."""
    rng = random.Random(number)
    serial = 0
    while not site.stop.is_set():
        tenant = rng.choice(TENANTS)
        if rng.random() < 0.5 or not site.written:
            serial += 1
            write(site, rng, tenant, f"w{number}x{serial}")
        else:
            search(site, rng, site.written[rng.randrange(len(site.written))], tenant)


def write(site: Site, rng: random.Random, tenant: str, word: str) -> None:
    body = {"path": f"diaries/agents/load/2026-01-01-{word}.md", "title": word, "body": f"About {word}.", "idempotency_key": word}
    while True:
        try:
            answer = site.ask(rng.choice(NODES), tenant, "/v1/kb/edit", body)
        except (OSError, ValueError, HTTPException) as error:  # also where a node dies in the middle of an answer
            site.counts[f"write refused: {getattr(error, 'code', type(error).__name__)}"] += 1
            if site.stop.is_set():
                return  # never acknowledged: it may be there or not
            time.sleep(0.2)
        else:
            with site.lock:
                site.written.append(Written(tenant, word, answer["id"]))
            return


def search(site: Site, rng: random.Random, known: Written, tenant: str) -> None:
    began = time.perf_counter()
    try:
        found = site.ask(rng.choice(NODES), tenant, f"/v1/kb/search?q={known.word}")
    except (OSError, ValueError, HTTPException) as error:  # also where a node dies in the middle of an answer
        site.counts[f"search refused: {getattr(error, 'code', type(error).__name__)}"] += 1
        return
    site.waits.append(time.perf_counter() - began)
    ids = [hit["id"] for hit in found["results"]]
    if tenant != known.tenant:
        site.counts["SEEN BY ANOTHER TENANT"] += known.id in ids
    elif known.id in ids:
        site.counts["search found"] += 1
    else:
        site.counts["search said it was behind" if found.get("behind") else "SEARCH MISSED"] += 1


def accidents(site: Site) -> None:
    """One at a time, with a little peace between."""
    while not site.stop.wait(site.random.uniform(1, 4)):
        kind = site.random.choice(("kill node", "cut link", "end connections", "kill worker"))
        site.counts[kind] += 1
        if kind in ("kill node", "kill worker"):
            place = site.random.choice([name for name in site.processes if name.startswith("node" if kind == "kill node" else "work")])
            kill(site.processes[place])
            time.sleep(site.random.uniform(0.2, 2))
            site.start(place)
        elif kind == "cut link":
            place = site.random.choice([name for name in PLACES if name != "db"])
            ip("link", "set", f"d-{place}", "down")
            time.sleep(site.random.uniform(0.5, 4))
            ip("link", "set", f"d-{place}", "up")
        else:
            with contextlib.suppress(psycopg.Error), psycopg.connect(site.url, autocommit=True, connect_timeout=5) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
                )


def kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def check(site: Site) -> list[str]:
    """What is lost, doubled or elsewhere; the history's own check beside it."""
    sys.path.insert(0, str(ROOT / "src"))
    from diarist.bootstrap import open_memory
    from diarist.model.record import RecordFilter

    faults: list[str] = []
    for tenant in TENANTS:
        environ = {**site.environ("checker"), "HOME": str(site.folder)}
        with open_memory(site.folder / "checker", environ=environ, tenant=tenant) as memory:
            titles = Counter(str(record.title) for record in memory.list_records(RecordFilter(include_inactive=True)))
            mine = [written for written in site.written if written.tenant == tenant]
            faults += [f"lost: {written.word} of {tenant}" for written in mine if not titles[written.word]]
            faults += [f"doubled: {title} of {tenant}" for title, count in titles.items() if count > 1]
            others = {written.word for written in site.written if written.tenant != tenant}
            faults += [f"at the wrong tenant: {title}" for title in titles if title in others - {each.word for each in mine}]
            faults += memory.doctor().get("faults", [])
    return faults + [f"{name}: {count}" for name, count in site.counts.items() if name.isupper() and count]


def wait_for(site: Site) -> None:
    for node in NODES:
        for _ in range(150):
            with contextlib.suppress(OSError, ValueError):
                site.ask(node, TENANTS[0], "/v1/kb/search?q=x")
                break
            time.sleep(0.2)
        else:
            raise SystemExit(f"{node} did not start; see {site.folder}")


@contextlib.contextmanager
def database() -> Iterator[str]:
    """A server in the namespace `db`, reached over the bridge."""
    enter = ("ip", "netns", "exec", "diarist-db")
    with running_server(enter=enter, address=f"{NET}.{PLACES['db']}", network=f"{NET}.0/24") as server:
        assert isinstance(server, Server)
        yield server.make_database().partition("?")[0].replace("@/", f"@{NET}.{PLACES['db']}/")


def main() -> None:
    """Prints what was done and what was found; exit code 1 for any fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="diarist-nodes-"))
    with network(), database() as url:
        site = Site(url, folder, options.seed)
        try:
            site.make_keys()
            for place in PLACES:
                if place != "db":
                    site.start(place)
            wait_for(site)
            threads = [threading.Thread(target=client, args=(site, number)) for number in range(options.clients)]
            threads.append(threading.Thread(target=accidents, args=(site,)))
            for thread in threads:
                thread.start()
            time.sleep(options.seconds)
            site.stop.set()
            for thread in threads:
                thread.join()
        finally:
            for process in site.processes.values():
                kill(process)
        faults = check(site)
    waits = sorted(site.waits) or [0.0]
    told = {
        "seconds": options.seconds,
        "acknowledged writes": len(site.written),
        "search ms": {"median": round(1e3 * statistics.median(waits), 1), "p95": round(1e3 * waits[int(len(waits) * 0.95)], 1)},
        "counts": dict(sorted(site.counts.items())),
        "faults": faults,
    }
    sys.stdout.write(json.dumps(told, indent=2) + "\n")
    if not faults:
        shutil.rmtree(folder)
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
