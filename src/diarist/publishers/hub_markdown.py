"""`diaries/agents/<agent-id>/<YYYY-MM-DD>-<slug>.md`: the hub document, in the shape of Cerebrum's agent diaries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from json.encoder import encode_basestring

from diarist.model.codec import from_json
from diarist.model.entry import Entry
from diarist.model.ids import is_id
from diarist.model.record import Record
from diarist.text.names import file_name, slug

RELATED = "## Related"


def path_of(record: Record, outcomes: Sequence[str]) -> str | None:
    """Where the document is published, relative to the publish root; None where this record has none."""
    if record.kind != "entry" or record.outcome not in outcomes:
        return None
    name = slug(record.title) or record.id
    return f"diaries/agents/{file_name(record.agent or 'agent')}/{record.created_at:%Y-%m-%d}-{name}.md"


def render(record: Record, related: Sequence[str] = ()) -> bytes:
    """UTF-8 Markdown with YAML front matter: same entry and `related` ids, same bytes.

    Texts are escaped so that none can forge structure.
    """
    entry = from_json(record.body, Entry)
    parts = [_front_matter(record, entry), f"# {_line(entry.title)}", *_section("What was done", _done(entry))]
    if entry.outcome == "recovered":
        parts += [*_section("Error encountered", _errors(entry)), *_section("How it was recovered", _recovery(entry))]
    parts += _section("What was learned", [_learned(entry)])
    if related:
        parts.append(f"{RELATED}\n" + "\n".join(f"- {each}" for each in related))
    return ("\n\n".join(part for part in parts if part) + "\n").encode("utf-8", "replace")


def _section(title: str, paragraphs: Sequence[str]) -> list[str]:
    """A heading with the first paragraph right under it, as on the origin's page, and the others."""
    return [f"## {title}\n{paragraphs[0]}", *paragraphs[1:]]


def related_in(data: bytes) -> tuple[str, ...]:
    """The ids under the last heading of a document, if that is "Related" and nothing else stands there."""
    _, heading, tail = data.decode("utf-8", "replace").rpartition(f"\n\n{RELATED}\n")
    lines = tail.splitlines() if heading else []
    ids = tuple(line.removeprefix("- ") for line in lines)
    return ids if all(line.startswith("- ") for line in lines) and all(map(is_id, ids)) else ()


def _front_matter(record: Record, entry: Entry) -> str:
    tags = list(dict.fromkeys([*entry.tags, f"outcome:{entry.outcome}", f"task:{entry.task_id}"]))
    fields: dict[str, str | bool | list[str] | None] = {
        "id": record.id,
        "source_type": "diary",
        "title": entry.title,
        "agent": entry.agent,
        "project": entry.project,
        "workflow": entry.workflow or None,
        "outcome": entry.outcome,
        "verified": entry.verified,
        "tags": tags,
        "started_at": entry.started_at.isoformat(timespec="seconds") if entry.started_at else None,
        "created_at": record.created_at.isoformat(timespec="seconds"),
        "redaction_hash": entry.redaction_hash,
        "entry_hash": entry.entry_hash,
    }
    lines = [f"{name}: {_value(value)}" for name, value in fields.items() if value is not None]
    return "---\n" + "\n".join(lines) + "\n---"


def _value(value: str | bool | list[str]) -> str:
    """A JSON scalar or list is valid YAML, whatever stands in the text."""
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, list):
        return f"[{', '.join(map(encode_basestring, value))}]"
    return "true" if value else "false"


def _done(entry: Entry) -> list[str]:
    route = entry.route or "direct"
    told = [f"Route: {_line(route)}" + (f" via {_line(entry.model)}" if entry.model else "") + "."]
    tokens = entry.usage.input_tokens + entry.usage.output_tokens
    told += [f"Tokens: {tokens}."] if tokens else []
    told += [f"Latency: {entry.usage.latency_ms}ms."] if entry.usage.latency_ms is not None else []
    lines = [" ".join(told), f"Applied {entry.file_operations} file operation(s)."]
    if entry.verified is not None:
        state = "verified" if entry.verified else "not verified"
        lines.append(f"Build {state} in {max(1, entry.build_attempts)} attempt(s).")
    return ["\n".join(lines), _bullets("Tried", entry.tried), _bullets("Worked", entry.worked), _bullets("Failed", entry.failed)]


def _errors(entry: Entry) -> list[str]:
    summary = f"{entry.escalations} escalation(s); build repaired in {max(1, entry.build_attempts)} attempt(s)"
    tail = [f"Last build stderr tail:\n{_fence(entry.build_tail)}"] if entry.build_tail else []
    return [summary, *tail, _bullets("", [error.message for error in entry.errors[:8]])]


def _recovery(entry: Entry) -> list[str]:
    fixes = _bullets("", [fix.text for fix in entry.fixes[:8]])
    return [fixes or "The run went on after the error and ended normally."]


def _learned(entry: Entry) -> str:
    """What was learned, else the strongest fix or failure."""
    told = (entry.learned, *(fix.text for fix in entry.fixes[:1]), *entry.failed[:1], entry.rationale)
    return next((_text(text) for text in told if text), "Nothing beyond what was done.")


def _bullets(title: str, items: Sequence[str]) -> str:
    if not items:
        return ""
    head = f"{title}:\n" if title else ""
    return head + "\n".join(f"- {_line(item)}" for item in items)


_ESCAPES = (("\\", "\\\\"), ("`", "\\`"), ("<", "&lt;"), (">", "&gt;"), ("[", "\\["), ("]", "\\]"), ("|", "\\|"), ("*", "\\*"))
"""The backslash first: the others bring some in. One `replace` each is a tenth of what `str.translate` takes."""
_EDGE = re.compile(r"_(?![^\W_])|(?<![^\W_])_")
"""An underscore that could begin or end emphasis: not one within a word."""


def _line(text: str) -> str:
    """One line of Markdown that renders as the text and nothing else."""
    flat = " ".join(text.split())
    for character, escape in _ESCAPES:
        flat = flat.replace(character, escape)
    if "_" in flat:
        flat = _EDGE.sub(r"\\_", flat)
    return f"\\{flat}" if flat[:1] in "#-+=~" else flat


def _text(text: str) -> str:
    return "\n".join(_line(line) for line in text.splitlines())


def _fence(text: str) -> str:
    longest = max((len(run) for run in _runs(text)), default=0)
    bar = "`" * max(3, longest + 1)
    return f"{bar}text\n{text}\n{bar}"


def _runs(text: str) -> list[str]:
    return re.findall(r"`+", text)
