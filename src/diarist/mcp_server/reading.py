"""The tools that read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

from mcp_types import ToolAnnotations
from pydantic import Field

from diarist.mcp_server.desk import MOST_CHARACTERS, NOTICE, PAGE_CHARACTERS, Desk, make_cursor, read_cursor, text_of
from diarist.mcp_server.results import (
    Document,
    Edge,
    Fetched,
    Fixes,
    FixItem,
    Found,
    Link,
    Links,
    Node,
    Noted,
    Recalled,
    ScopeCount,
    Scopes,
)
from diarist.text.fence import fenced

if TYPE_CHECKING:
    from mcp.server import MCPServer

Tell = Callable[[str, str, str], None]
"""Takes down what became of a record: id, verdict, session."""
SCOPES_PAGE = 200
LARGE = {"anthropic/maxResultSizeChars": 2 * MOST_CHARACTERS}
"""Claude Code cuts longer results unless a tool says so."""

Query = Annotated[
    str, Field(description='Words to look for; "phrases" and filters as outcome:recovered since:30d work too', max_length=4000)
]
Id = Annotated[str, Field(description="A kh- id, a task id, or a unique beginning of either", max_length=400)]
Project = Annotated[str | None, Field(description="Only this project (its git remote, as github.com/team/app); null: all")]
Prefix = Annotated[str, Field(description='Only below this scope, as "github.com/team/app/diaries" or "diaries/agents/codex"')]
Cursor = Annotated[str | None, Field(description="`next_cursor` of the page before")]


def _reads(title: str) -> ToolAnnotations:
    return ToolAnnotations(title=title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def add_reading(server: MCPServer, desk: Desk) -> None:
    """Adds the hub's tools and the ChatGPT connector's."""

    @server.tool(title="Search the knowledge hub", annotations=_reads("Search the knowledge hub"))
    def kb_search(
        query: Query,
        top_k: Annotated[int, Field(description="Results of a page", ge=1, le=50)] = 8,
        scope_prefix: Prefix = "",
        cursor: Cursor = None,
    ) -> Found:
        """Finds diary entries of past agent runs, curated notes and approved lessons. Best first; few or none if nothing fits."""
        return desk.find(query, top_k, scope_prefix, cursor)

    @server.tool(title="Fetch a document", annotations=_reads("Fetch a document"), meta=LARGE)
    def kb_fetch(
        kh_id: Id,
        offset: Annotated[int, Field(description="Character to begin at", ge=0)] = 0,
        max_characters: Annotated[int, Field(description="Characters at most", ge=200, le=MOST_CHARACTERS)] = PAGE_CHARACTERS,
    ) -> Document:
        """The whole of one document with its front matter: what was tried, what worked, what failed, how an error was fixed."""
        return desk.document(kh_id, offset, max_characters)

    @server.tool(title="List scopes", annotations=_reads("List scopes"))
    def kb_list_scope(prefix: Prefix = "", cursor: Cursor = None) -> Scopes:
        """The scope tree: projects, and in each the diaries by agent, notes and lessons, with how many documents each holds."""
        return _scopes(desk, prefix, cursor)

    @server.tool(title="Show a node and its neighbours", annotations=_reads("Show a node and its neighbours"))
    def kb_node(kh_id: Id) -> Node:
        """A document's place in the graph: what it is related to, supersedes, or was derived from, one step away."""
        return _node(desk, kh_id)

    @server.tool(title="Search", annotations=_reads("Search"))
    def search(query: Query) -> Links:
        """Finds documents of the knowledge hub by words."""
        return Links(results=[Link(id=item.id, title=item.title, url=item.url) for item in desk.find(query, 10, "", None).results])

    @server.tool(title="Fetch", annotations=_reads("Fetch"), meta=LARGE)
    def fetch(id: Id) -> Fetched:  # noqa: A002 - the connector's contract names it so
        """The whole of one document that `search` found."""
        return _fetched(desk, id)


def add_recall(server: MCPServer, desk: Desk) -> None:
    """Adds what an agent at work asks: what is known about a task, who fixed an error, and its feedback."""

    @server.tool(title="Recall", annotations=_reads("Recall"))
    def recall(
        query: Annotated[str, Field(description="The task, in a sentence or two", max_length=20_000)],
        project: Project = None,
        budget: Annotated[int, Field(description="Tokens at most", ge=50, le=8000)] = 1500,
    ) -> Recalled:
        """What past runs teach about a task, before starting it. Few, cited facts; empty where nothing fits."""
        with desk.memory() as memory:
            pack = memory.recall(query, budget=budget, project=project)
        items = [desk.item(hit) for hit in pack.items]
        return Recalled(text=pack.text, items=items, tokens=pack.tokens, mode=pack.mode, mode_reason=pack.mode_reason)

    @server.tool(title="Find a fix", annotations=_reads("Find a fix"))
    def find_fix(
        error: Annotated[
            str, Field(description="The error as it was printed: a traceback, a compiler's or a test's output", max_length=100_000)
        ],
        project: Project = None,
        limit: Annotated[int, Field(ge=1, le=20)] = 5,
    ) -> Fixes:
        """Past runs that met this very error and got past it, and what did it. Ask before trying to fix an error anew."""
        with desk.memory() as memory:
            found = memory.find_fixes(error, project=project, limit=limit)
        fixes = [
            FixItem(
                id=each.hit.id,
                title=each.hit.title,
                url=desk.url(each.hit.id),
                outcome=each.hit.outcome,
                verified=each.hit.verified,
                created_at=each.hit.created_at,
                error=each.error,
                fix=each.fix,
                same_error=each.same,
                files=list(each.files),
                commands=list(each.commands),
            )
            for each in found
        ]
        return Fixes(notice=NOTICE, fixes=fixes)


def add_feedback(server: MCPServer, desk: Desk, tell: Tell) -> None:
    """Adds the one tool that writes whoever asks: a row in the usefulness ledger."""
    hints = ToolAnnotations(
        title="Record feedback", read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
    )

    @server.tool(title="Record feedback", annotations=hints)
    def record_feedback(
        kh_id: Id,
        verdict: Annotated[
            Literal["helpful", "helped", "harmful", "ignored", "followed", "refuted"],
            Field(description="What became of it in this session"),
        ],
        session: Annotated[str, Field(description="Id of this session, if it is known", max_length=200)] = "",
    ) -> Noted:
        """Says whether a document was of use. Rank and retirement rest on it."""
        with desk.memory() as memory:
            record_id = memory.get(kh_id).id
        tell(record_id, verdict, session)
        return Noted(id=record_id, verdict=verdict)


def _scopes(desk: Desk, prefix: str, cursor: str | None) -> Scopes:
    from diarist.app.graph import in_scope, scope_of

    start = read_cursor(cursor)
    with desk.memory() as memory:
        counts: dict[str, int] = {}
        for scope in memory.scopes():
            if scope.kind != "proposal" and in_scope(name := scope_of(scope.kind, scope.project, scope.agent), prefix):
                counts[name] = counts.get(name, 0) + scope.records
    names = sorted(counts)
    page = [ScopeCount(scope=name, documents=counts[name]) for name in names[start : start + SCOPES_PAGE]]
    more = make_cursor(start + SCOPES_PAGE) if len(names) > start + SCOPES_PAGE else None
    return Scopes(prefix=prefix, documents=sum(counts.values()), scopes=page, next_cursor=more)


def _node(desk: Desk, wanted: str) -> Node:
    from diarist.app.graph import scope_of

    with desk.memory() as memory:
        record = memory.get(wanted)
        found = memory.neighbours(record.id)
    edges = [
        Edge(relation=each.relation, id=each.record.id, title=each.record.title, kind=each.record.kind, url=desk.url(each.record.id))
        for each in found
    ]
    scope = scope_of(record.kind, record.project, record.agent)
    return Node(id=record.id, title=record.title, kind=record.kind, url=desk.url(record.id), scope=scope, neighbours=edges)


def _fetched(desk: Desk, wanted: str) -> Fetched:
    with desk.memory() as memory:
        record = memory.get(wanted)
        text = text_of(memory, record)
    metadata = {"kind": record.kind, "project": record.project, "agent": record.agent, "outcome": record.outcome}
    metadata["created_at"] = record.created_at.isoformat()
    if len(text) > MOST_CHARACTERS:
        metadata["cut"] = f"{len(text) - MOST_CHARACTERS} characters were left out"
    return Fetched(
        id=record.id,
        title=record.title,
        text=fenced(text[:MOST_CHARACTERS]),
        url=desk.url(record.id),
        metadata={name: value for name, value in metadata.items() if value},
    )
