"""Templates and texts. Whatever a template prints is escaped and can neither steer a terminal nor turn the reading direction."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nh3
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from diarist.text.clip import clip
from diarist.text.sections import front_matter_end
from diarist.text.terminal import safe

HERE = Path(__file__).parent
LONGEST_MARKDOWN = 300_000
LONGEST_VALUE = 20_000
"""Characters of one value that a page shows; a page may ask for less."""
TAGS = {
    *("a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "strong"),
    *("table", "tbody", "td", "th", "thead", "tr", "ul"),
}


@functools.cache
def environment() -> Environment:
    """The templates. A value that a template forgot is an error, not an empty place."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(markdown=markdown, day=day, moment=moment, number=number, short=short, highlight=highlight, stem=stem)
    return made


def shown(value: Any) -> Any:
    """A value as a page prints it."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return "" if value is None else value
    text = value if len(value) <= LONGEST_VALUE else clip_text(value, LONGEST_VALUE)
    return safe(text)


def clip_text(text: str, most: int) -> str:
    """Head and tail of a text that is too long, with what was left out said between."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"


def markdown(text: str) -> Markup:
    """Markdown as HTML that can do nothing: no raw HTML, no images, no addresses but web and mail."""
    body = safe(clip_text(text[front_matter_end(text) :], LONGEST_MARKDOWN))
    clean = nh3.clean(
        _below(_markdown(), body),
        tags=TAGS,
        attributes={"a": {"href", "title"}, "td": {"align"}, "th": {"align"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(clean)  # noqa: S704 - cleaned in the line before


def _below(parser: MarkdownIt, text: str) -> str:
    """As HTML whose headings stand below the page's own."""
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
    return str(parser.renderer.render(tokens, parser.options, {}))


@functools.cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable("table").disable("image")


def highlight(text: str, query: str) -> Markup:
    """The text with the words of a query marked."""
    looked_for = _words(query)
    plain = safe(text)
    if looked_for is None:
        return escape(plain)
    # Escaped first, then marked: the words hold letters and digits only, and entities are passed over whole.
    marked = looked_for.sub(lambda found: f"<mark>{found[0]}</mark>" if found[1] else found[0], str(escape(plain)))
    return Markup(marked)  # noqa: S704 - escaped in the line before


@functools.lru_cache(256)
def _words(query: str) -> re.Pattern[str] | None:
    words = sorted(set(re.findall(r"\w[\w.-]*\w", query)), key=len, reverse=True)[:12]
    return re.compile(f"&(?:[a-z]+|#[0-9]+);|({'|'.join(map(re.escape, words))})", re.IGNORECASE) if words else None


def day(at: datetime | str) -> str:
    """A date as 2026-03-15."""
    return str(at)[:10]


def moment(at: datetime | str) -> Markup:
    """A time for people, with the exact one in `datetime`. UTC."""
    found = datetime.fromisoformat(at) if isinstance(at, str) else at
    iso = found.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Markup('<time datetime="{}">{}</time>').format(iso, f"{found.astimezone(UTC):%Y-%m-%d %H:%M}")


def number(value: float) -> str:
    """1,234 or 12.5."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def short(text: str, most: int = 200) -> str:
    """One line, cut to length."""
    flat = " ".join(str(text)[: 4 * most].split())
    return clip(flat, most) if len(flat) > most else flat


def stem(project: str) -> str:
    """A project's last parts: what people call it."""
    return "/".join(str(project).rstrip("/").split("/")[-2:]) or "no project"


def diff_lines(diff: str, most: int = 2_000) -> Sequence[tuple[str, str]]:
    """(class, line) for each line of a unified diff."""
    kinds = {"+": "add", "-": "del", "@": "hunk"}
    lines = diff.splitlines()
    told = [("hunk" if line[:3] in ("+++", "---") else kinds.get(line[:1], ""), line) for line in lines[:most]]
    return [*told, ("hunk", f"… {len(lines) - most:,} more lines")] if len(lines) > most else told
