"""The tools that write. Offered only by a server that was started to write, or to a caller with a write key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from mcp_types import ToolAnnotations
from pydantic import Field

from diarist.app.editing import Wish
from diarist.mcp_server.results import Edited, Written

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from diarist.mcp_server.desk import Desk


def _writes(title: str) -> ToolAnnotations:
    return ToolAnnotations(title=title, read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def add_writing(server: MCPServer, desk: Desk) -> None:
    """Adds kb_edit and record_diary."""

    @server.tool(title="Propose an edit", annotations=_writes("Propose an edit"))
    def kb_edit(
        title: Annotated[str, Field(max_length=400)],
        body: Annotated[str, Field(description="Markdown", max_length=200_000)],
        kh_id: Annotated[str | None, Field(description="The document to change; null: a new one")] = None,
        project: Annotated[str, Field(description="As github.com/team/app")] = "",
        tags: Annotated[list[str] | None, Field(max_length=40)] = None,
        base_revision: Annotated[int | None, Field(description="Revision the edit was made on; a stale one is refused")] = None,
        idempotency_key: Annotated[str, Field(description="The same key files the edit once", max_length=200)] = "",
        actor: Annotated[str, Field(description="Who edits, for the history", max_length=200)] = "mcp:local",
    ) -> Edited:
        """Proposes a new document or a change to one. It waits until a person accepts it; nothing changes before."""
        wish = Wish(title, body, project, tags or (), base_revision, actor, idempotency_key)
        with desk.memory() as memory:
            filed = memory.propose_edit(wish, kh_id)
        return Edited(status="kept" if filed.what == "kept" else "pending_review", review_id=filed.proposal.id, what=filed.what)

    @server.tool(title="Record a diary entry", annotations=_writes("Record a diary entry"))
    def record_diary(
        task_id: Annotated[str, Field(description="Your own id of the run; the same id again replaces the entry", max_length=1000)],
        transcript: Annotated[
            str, Field(description="What happened, as plain text or JSON lines; secrets are masked", max_length=4_000_000)
        ],
        agent: Annotated[str, Field(max_length=100)] = "agent",
        project: Annotated[str, Field(description="As github.com/team/app", max_length=400)] = "",
    ) -> Written:
        """Distils the transcript of a finished run into a diary entry. Its outcome follows from what the transcript shows."""
        with desk.memory() as memory:
            entry = memory.add_entry(task_id=task_id, transcript=transcript, agent=agent, project=project, by_agent=True)
        return Written(id=entry.id, title=entry.title, outcome=entry.outcome, url=desk.url(entry.id))
