"""Resources (documents, by id) and prompts (for a person who reviews)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from diarist.mcp_server.desk import NOTICE, Desk, text_of
from diarist.text.fence import fenced

if TYPE_CHECKING:
    from mcp.server import MCPServer

RECENT = 30


def add_resources(server: MCPServer, desk: Desk) -> None:
    """Adds `kb://document/{kh_id}` and `kb://recent`."""

    @server.resource("kb://document/{kh_id}", name="document", title="A document of the hub", mime_type="text/markdown")
    def document(kh_id: str) -> str:
        """One document as Markdown, fenced as data."""
        with desk.memory() as memory:
            return fenced(text_of(memory, memory.get(kh_id)))

    @server.resource("kb://recent", name="recent", title="The newest documents", mime_type="text/markdown")
    def recent() -> str:
        """The newest diary entries, notes and lessons, one a line."""
        from diarist.model.record import RecordFilter

        with desk.memory() as memory:
            records = list(memory.list_records(RecordFilter(kinds=("entry", "note", "lesson")), limit=RECENT))
        lines = [
            f"- {record.id} {record.created_at:%Y-%m-%d} {record.outcome or record.kind}: {' '.join(record.title.split())}"
            for record in records
        ]
        return fenced("\n".join(lines) or "Nothing yet.")


def add_prompts(server: MCPServer, desk: Desk) -> None:
    """Adds prompts that a person picks."""

    @server.prompt(title="Review what Diarist proposes")
    def review_proposals(project: Annotated[str, Field(description="Only this project; empty: all")] = "") -> str:
        """Goes through the proposals that wait for a decision. The decision stays with the person."""
        from diarist.model.record import RecordFilter

        with desk.memory() as memory:
            where = RecordFilter(kinds=("proposal",), outcome="pending", project=project or None)
            records = list(memory.list_records(where, limit=RECENT))
        waiting = "\n".join(f"- {record.id} {record.namespace.rpartition('/')[2]} {record.task_id}: {record.title}" for record in records)
        return (
            "Help me review the proposals below, one at a time. For each, fetch it with kb_fetch and the entries it rests on, say what "
            "speaks for it and what against it, and whether the evidence bears it. Do not decide: I accept or reject with "
            f"`diarist review accept ID` or in Atlas.\n\n{NOTICE}\n{fenced(waiting or 'Nothing waits for review.')}"
        )

    @server.prompt(title="Review one diary entry")
    def review_entry(kh_id: Annotated[str, Field(description="The entry's id")]) -> str:
        """Checks what an entry says against its evidence."""
        with desk.memory() as memory:
            text = text_of(memory, memory.get(kh_id))
        return (
            "Check this diary entry with me: is the outcome borne out by what was run, is anything told as tried or worked that was only "
            f"claimed, and what would the next agent need to know? \n\n{NOTICE}\n{fenced(text)}"
        )
