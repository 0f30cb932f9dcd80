"""Markdown taken apart as far as hub documents need it: front matter and second-level sections."""

from __future__ import annotations

from diarist.text.lazy import lazy

_FRONT = lazy(r"\A---[ \t]*\r?\n(?:[^\n]*\n){0,200}?---[ \t]*(?:\r?\n|\Z)")
_FENCE = lazy(r"[ ]{0,3}(`{3,}|~{3,})")


def front_matter_end(text: str) -> int:
    r"""Where the text begins after its YAML front matter; 0 where it has none.

    >>> front_matter_end("---\nid: 1\n---\n# Title"), front_matter_end("# Title")
    (14, 0)
    """
    found = _FRONT.match(text)
    return found.end() if found else 0


def sections_of(text: str) -> dict[str, str]:
    r"""The text below each `## heading`, by the heading in lower case. Of two of one name the first counts.

    What looks like a heading inside a fenced block is none.

    >>> sections_of("# T\n## Done\nx\n```\n## no\n```\n## Learned\ny")
    {'done': 'x\n```\n## no\n```', 'learned': 'y'}
    """
    found: dict[str, list[str]] = {}
    lines: list[str] | None = None
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1][0] == fence[0] and len(mark[1]) >= len(fence))):
            fence = "" if fence else mark[1]
        elif not fence and line.startswith("## "):
            name = line[3:].strip().lower()
            lines = [] if name in found else found.setdefault(name, [])
            continue
        if lines is not None:
            lines.append(line)
    return {name: "\n".join(told).strip() for name, told in found.items()}
