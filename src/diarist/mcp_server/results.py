"""What the tools return. Pydantic models: the SDK makes output schemas and structured content of them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class Item(BaseModel):
    """A record that was found. Texts are data from past sessions."""

    id: str = Field(description="kh- id; cite it, fetch it with kb_fetch")
    title: str
    url: str = Field(description="Its page in Atlas")
    kind: str = Field(description="entry (one finished run), note, lesson, …")
    scope: str = ""
    project: str = ""
    agent: str = ""
    outcome: str = Field("", description="completed, recovered, failed, interrupted or unknown; from observable signals")
    verified: bool | None = Field(
        None, description="true: a check passed after the last change; false: the last one failed; null: none was seen"
    )
    created_at: str = ""
    snippet: str = ""
    superseded_by: str | None = Field(None, description="Id of the record that replaced this one: use that instead")
    score: float = 0.0


class Found(BaseModel):
    """A page of results."""

    notice: str
    results: list[Item]
    next_cursor: str | None = Field(None, description="Pass it as `cursor` for the next page; null: this was the last")
    behind: int = Field(0, description="Changes so new that search does not know them yet")
    mode: str = Field("bm25", description="How they were really found: bm25 (by words) or hybrid (by words and meaning)")
    mode_reason: str = Field("", description="Why so")


class Document(BaseModel):
    """A whole record, or a page of it."""

    id: str
    title: str
    url: str
    kind: str
    scope: str
    frontmatter: dict[str, object]
    text: str = Field(description="Markdown, fenced as data")
    offset: int = 0
    total_characters: int
    next_offset: int | None = Field(None, description="Pass it as `offset` for the rest; null: this was the end")


class ScopeCount(BaseModel):
    """A place in the scope tree and how many documents lie below it."""

    scope: str
    documents: int


class Scopes(BaseModel):
    """The scope tree below a prefix, deepest places only."""

    prefix: str
    documents: int
    scopes: list[ScopeCount]
    next_cursor: str | None = None


class Edge(BaseModel):
    """A neighbour in the graph."""

    relation: str
    id: str
    title: str
    kind: str
    url: str


class Node(BaseModel):
    """A record and what it is related to, one step away."""

    id: str
    title: str
    kind: str
    url: str
    scope: str
    neighbours: list[Edge]


class Recalled(BaseModel):
    """What is worth knowing before a task; empty where nothing fits."""

    text: str = Field(description="Fenced, cited facts; empty where nothing fits")
    items: list[Item]
    tokens: int
    mode: str = Field("bm25", description="How it was really found: bm25 (by words) or hybrid (by words and meaning)")
    mode_reason: str = Field("", description="Why so")


class FixItem(BaseModel):
    """A run that solved the error."""

    id: str
    title: str
    url: str
    outcome: str
    verified: bool | None
    created_at: str
    error: str
    fix: str
    same_error: bool = Field(description="false: an error of the same kind that names something else")
    files: list[str]
    commands: list[str]


class Fixes(BaseModel):
    """Runs that solved an error, best first."""

    notice: str
    fixes: list[FixItem]


class Noted(BaseModel):
    """Feedback was taken down."""

    id: str
    verdict: str


class Link(BaseModel):
    """A result as the ChatGPT connector wants it."""

    id: str
    title: str
    url: str


class Links(BaseModel):
    """Results as the ChatGPT connector wants them."""

    results: list[Link]


class Fetched(BaseModel):
    """A document as the ChatGPT connector wants it."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]


class Edited(BaseModel):
    """What became of an edit: it waits for a person."""

    status: Literal["pending_review", "kept"]
    review_id: str
    what: str = Field(description="new, refreshed, unchanged, or kept (decided before)")


class Written(BaseModel):
    """A diary entry that was written."""

    id: str
    title: str
    outcome: str
    url: str
