"""A hub to test against: the real app over a workspace of its own, asked without a socket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2

from builders import ClaudeSession
from diarist.app.documents import Edit
from diarist.app.keys import Grant
from diarist.asgi.guard import Limits
from diarist.bootstrap import open_memory
from diarist.model.access import Role
from diarist.serving import Hub, Options, build

ADDRESS = "http://127.0.0.1:7788"
MARK = "quagga"
"""Stands in every text of the tenant that others must not see."""
FREE = Limits(per_minute=0)


class Asker:
    """Asks a hub as one caller."""

    def __init__(self, hub: Hub, key: str = "", headers: Mapping[str, str] | None = None) -> None:
        self._hub = hub
        self._headers = {**({"x-api-key": key} if key else {}), **(headers or {})}

    def __call__(self, method: str, path: str, **options: Any) -> httpx2.Response:
        """One request, answered."""

        async def ask() -> httpx2.Response:
            transport = httpx2.ASGITransport(self._hub.app, raise_app_exceptions=False)  # type: ignore[arg-type]
            headers = {**self._headers, **options.pop("headers", {})}
            async with httpx2.AsyncClient(transport=transport, base_url=ADDRESS) as client:
                return await client.request(method, path, headers=headers, **options)

        made: httpx2.Response = anyio.run(ask)
        return made


@contextmanager
def open_hub(folder: Path, options: Options | None = None) -> Iterator[Hub]:
    """The hub over `folder / "ws"`."""
    hub = build(folder / "ws", options or Options(limits=FREE))
    try:
        yield hub
    finally:
        hub.room.close()


def make_key(
    folder: Path, name: str = "somebody", role: Role = "admin", *, tenant: str = "local", project: str | None = None, expires_at: Any = None
) -> str:
    """A key of the workspace, made as the command line makes it."""
    with open_memory(folder / "ws") as memory:
        return memory.add_key(Grant(name, role, tenant, project, expires_at)).secret


def fill(folder: Path, tenant: str = "local", mark: str = MARK, project: str = "") -> dict[str, str]:
    """Puts one of each thing into a tenant, all of whose texts hold the mark; ids by what they are."""
    place = project or f"example.com/team-{len(mark)}/app"
    with open_memory(folder / "ws", tenant=tenant) as memory:
        session = ClaudeSession(len(mark), cwd=str(folder / f"{mark}-work")).prompt(f"Read the {mark} settings")
        session.bash("python -m pytest -q", f"E   ModuleNotFoundError: No module named '{mark}'\n1 failed", 1)
        session.edit("pyproject.toml", "[]", f'["{mark}"]').bash("python -m pytest -q", "3 passed").reply(f"The {mark} was missing.")
        report = memory.ingest([session.write(folder / f"t-{tenant}-{mark}")])
        entry = memory.add_entry(
            task_id=f"task-{len(mark)}",
            transcript=f"please find the {mark}\n$ pytest\n1 failed",
            project=place,
            host={"workflow": f"flow-{len(mark)}"},
        )
        note = memory.add_note(title=f"{mark} rules", body=f"Feed the {mark}.", tags=[mark], project=place)
        merged = memory.edit_document(Edit(f"diaries/agents/{mark}/a.md", f"{mark} diary", f"# {mark}", project=place))
        waiting = memory.edit_document(Edit(f"guides/{mark}.md", f"{mark} guide", f"About the {mark}.", project=place))
        memory.feedback(entry.id, "helped", session=f"{mark}-session")
        assert waiting.review_id is not None
        return {
            "session": report.entries[0].id,
            "entry": entry.id,
            "note": note.id,
            "document": merged.id,
            "review": waiting.review_id,
            "task": f"task-{len(mark)}",
            "workflow": f"flow-{len(mark)}",
            "project": place,
        }
