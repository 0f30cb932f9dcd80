"""Fuzzes what is reached from outside: the HTTP API, the MCP tools, front matter, the query parser.

    python tests/fuzz/surfaces.py --seconds 120            each of them for two minutes
    python tests/fuzz/surfaces.py query --seconds 10 --seed 7

Made by chance from a seed: the same seed gives the same inputs. A surface must answer or refuse, never crash: no server error,
no exception of any other kind than the program's own, no answer that takes longer than a few seconds.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import anyio
from mcp import Client

from diarist.app.documents import Edit
from diarist.bootstrap import open_memory
from diarist.errors import DiaristError
from diarist.http_api.table import ROUTES
from diarist.mcp_server.server import build_server
from diarist.serving import Hub
from diarist.stages.rank.query import parse_query
from diarist.stages.skillfile import lint, parse_skill
from diarist.text.sections import front_matter_end, sections_of
from hubs import Asker, fill, open_hub

SLOWEST = 20.0
"""Seconds that one input may take, on a machine that is busy with other things."""
_PIECES = (
    *('"', "'", "(", ")", "{", "}", "[", "]", ":", "-", "---", "\n"),
    *("\r\n", "\t", "\0", "\x1b[31m", "\\", "/", "../", "%00", "%", "&", "<", ">", "|"),
    *("agent:", "project:", "since:14d", "before:2026-01-01", "tag:x", "kind:note", "file:a.py", "OR"),
    *("AND", "NOT", "*", "?", "~", "^", "\u202e", "\ud83d"),
    *("name:", "description:", "- a", "  b: c", "!!python/object:os.system", "&a *a"),
    *("[" * 200, "{" * 200, "a: &a [*a]", "0x1F", "1e999", "null", "true"),
    *("kh-aaaaaaaaaaaaaaaa", "narwhal", "quagga", "schlüssel", "鍵", "مفتاح", "e\u0301"),
    *("\u200b", "x" * 300, "9" * 400, "-1", "1.5", "NaN", "Infinity"),
)  # fmt: skip


def text(chance: random.Random, most: int = 12) -> str:
    """A text of pieces that parsers stumble over."""
    made = []
    for _ in range(chance.randrange(most)):
        piece = chance.choice(_PIECES)
        made.append(
            piece
            if chance.random() < 0.8
            else "".join(chr(chance.choice((chance.randrange(32, 127), chance.randrange(0xD7FF)))) for _ in range(6))
        )
        made.append(chance.choice(("", " ", "\n")))
    return "".join(made).encode("utf-8", "replace").decode()


def value(chance: random.Random, depth: int = 3) -> Any:
    """Any JSON value."""
    kind = chance.randrange(8 if depth else 6)
    if kind < 3:
        return text(chance)
    if kind < 6:
        return chance.choice((None, True, False, 0, -1, 1 << 60, 1.5, 1e300, "", "kh-aaaaaaaaaaaaaaaa"))
    if kind == 6:
        return [value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {chance.choice(("a", "id", "title", text(chance, 3))): value(chance, depth - 1) for _ in range(chance.randrange(4))}


@contextmanager
def fuzz_query(chance: random.Random, folder: Path) -> Iterator[Callable[[], None]]:
    """The query language, and a search with what came of it."""
    from datetime import UTC, datetime

    with open_memory(folder / "query") as memory:
        memory.add_note(title="A narwhal", body="It goes through the gate.")
        memory.search("narwhal")

        def once() -> None:
            asked = text(chance)
            try:
                parse_query(asked, datetime(2026, 11, 30, tzinfo=UTC), lenient=chance.random() < 0.5)
                memory.search(asked, limit=chance.randrange(1, 20))
                memory.recall(asked, budget=chance.randrange(0, 500))
            except DiaristError:
                return

        yield once


@contextmanager
def fuzz_front_matter(chance: random.Random, _folder: Path) -> Iterator[Callable[[], None]]:
    """SKILL.md and hub documents."""

    def once() -> None:
        told = (
            chance.choice(("---\n", "", "--- \n", "---"))
            + text(chance, 20)
            + chance.choice(("\n---\n", "\n---", "", "\n...\n"))
            + text(chance)
        )
        front_matter_end(told)
        sections_of(told)
        try:
            parse_skill(told)
            lint(told, "a-skill")
        except DiaristError:
            return

    yield once


@contextmanager
def fuzz_api(chance: random.Random, folder: Path) -> Iterator[Callable[[], None]]:
    """Every route, with bodies and parameters of its own names and of others."""
    known = list(fill(folder).values())
    with open_hub(folder) as hub:
        yield lambda: _ask(hub, chance, known)


def _ask(hub: Hub, chance: random.Random, known: list[str]) -> None:
    """One request of any kind; no answer says that the server stumbled."""
    route = chance.choice(ROUTES)
    path = "/".join(_filled(part, chance, known) for part in route.path.split("/"))
    options: dict[str, Any] = {}
    if route.body is not None or chance.random() < 0.1:
        names = route.body.__struct_fields__ if route.body is not None else ()
        body = {name: value(chance) for name in names if chance.random() < 0.7}
        options["content"] = json.dumps(body).encode() if chance.random() < 0.9 else text(chance).encode()
        options["headers"] = {"content-type": "application/json", "idempotency-key": f"k{chance.random()}"}
    options["params"] = {name: text(chance, 4) for name in (*route.query.__struct_fields__, "odd") if chance.random() < 0.4}
    answer = Asker(hub)(route.method, path, **options)
    assert answer.status_code < 500, (route.name, path, options, answer.status_code, answer.text[:300])


def _filled(part: str, chance: random.Random, known: list[str]) -> str:
    if "{" not in part:
        return part
    told = chance.choice(known) if chance.random() < 0.6 else text(chance, 3)
    return "".join(char for char in told if char.isalnum() or char in "-_.~%")[:200] or "x"


@contextmanager
def fuzz_mcp(chance: random.Random, folder: Path) -> Iterator[Callable[[], None]]:
    """Every tool, with arguments of its own names and of others."""
    with open_memory(folder / "mcp") as memory:
        memory.edit_document(Edit("diaries/agents/x/a.md", "A narwhal", "# narwhal"))
    server = build_server(lambda: open_memory(folder / "mcp"), base_url="http://atlas.test", tell=lambda *_: None, write=True, owned=True)

    async def batch() -> None:
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            for _ in range(20):
                tool = chance.choice(tools)
                names = tuple((tool.input_schema or {}).get("properties", {}))
                arguments = {name: value(chance) for name in (*names, "odd") if chance.random() < 0.6}
                result = await client.call_tool(tool.name, arguments)
                told = "".join(getattr(block, "text", "") for block in result.content)
                assert "Traceback" not in told, (tool.name, arguments, told[:300])

    yield lambda: anyio.run(batch)


TARGETS: dict[str, Callable[[random.Random, Path], AbstractContextManager[Callable[[], None]]]] = {
    "query": fuzz_query,
    "front_matter": fuzz_front_matter,
    "api": fuzz_api,
    "mcp": fuzz_mcp,
}


def fuzz(name: str, seconds: float, seed: int, folder: Path) -> int:
    """Runs one target for so long; how many inputs it took. Raises what it stumbles over."""
    until = time.monotonic() + seconds
    count = 0
    with TARGETS[name](random.Random(seed), folder) as once:
        while time.monotonic() < until or not count:
            began = time.monotonic()
            once()
            took = time.monotonic() - began
            assert took < SLOWEST, f"input {count} of seed {seed} took {took:.1f} s"
            count += 1
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], help="Default: all.")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for name in given.targets or TARGETS:
        with tempfile.TemporaryDirectory(prefix="diarist-fuzz-") as folder:
            count = fuzz(name, given.seconds, given.seed, Path(folder))
        sys.stdout.write(f"{name}: {count:,} inputs in {given.seconds:g} s, none was too much\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
