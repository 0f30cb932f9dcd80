"""`diarist memory`: small facts in namespaces, as agents keep them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from diarist.cli.common import count, emit_json, facts_of, json_option, open_workspace, parse_time, read_text, say
from diarist.errors import UsageError
from diarist.text.clip import clip

if TYPE_CHECKING:
    from diarist.app.memories import Predicate
    from diarist.model.memory_item import RecallMode

MODES = ("bm25", "vector", "hybrid")
_project = click.option("--project", default="", help="Project it belongs to. Default: none.")


@click.group("memory")
def memory_command() -> None:
    """Namespaced memory: store, recall, summarize, forget. A namespace is a relative path, as project/notes."""


@memory_command.command("open")
@click.argument("namespace")
@click.option("--backend", type=click.Choice(MODES), default="bm25", show_default=True)
@click.option("--retain", type=click.IntRange(1), default=10_000, show_default=True, help="Newest items that are kept.")
@click.option("--bm25-weight", type=click.FloatRange(0), default=0.5, show_default=True, help="For hybrid recall.")
@click.option("--vector-weight", type=click.FloatRange(0), default=0.5, show_default=True, help="For hybrid recall.")
@_project
@json_option
@click.pass_context
def open_command(
    ctx: click.Context, /, namespace: str, backend: str, retain: int, bm25_weight: float, vector_weight: float, project: str, as_json: bool
) -> None:
    """Set how a namespace recalls and how much it keeps."""
    from diarist.model.memory_item import SpaceOptions

    options = SpaceOptions(backend=cast("RecallMode", backend), retain=retain, bm25_weight=bm25_weight, vector_weight=vector_weight)
    made = open_workspace(ctx).memory_open(namespace, options, project=project)
    if as_json:
        emit_json(made)
    else:
        say(f"{namespace} recalls by {made.backend} and keeps {made.retain:,} items.")


@memory_command.command("store")
@click.argument("namespace")
@click.argument("key")
@click.argument("value", metavar="VALUE|-")
@click.option("--json-value", is_flag=True, help="VALUE is JSON, not a text.")
@click.option("--tag", "tags", multiple=True, help="May be repeated.")
@click.option("--id", "item_id", default="", help="An id of your own; the same id again replaces the item.")
@click.option("--at", metavar="TIME", help="When it became known. Default: now.")
@click.option("--text", help="What recall searches instead of VALUE.")
@click.option("--provenance", metavar="JSON", help="Where it comes from, as an object.")
@_project
@json_option
@click.pass_context
def store_command(
    ctx: click.Context,
    /,
    namespace: str,
    key: str,
    value: str,
    json_value: bool,
    tags: tuple[str, ...],
    item_id: str,
    at: str | None,
    text: str | None,
    provenance: str | None,
    project: str,
    as_json: bool,
) -> None:
    """Store VALUE (or standard input) under KEY."""
    from diarist.app.memories import Item

    told = read_text(value) if value == "-" else value
    source = _parsed(provenance) if provenance else None
    if source is not None and not isinstance(source, dict):
        raise UsageError("--provenance must be a JSON object")
    moment = parse_time(at, "--at") if at else None
    item = Item(key, _parsed(told) if json_value else told, tags, text=text, provenance=source, id=item_id, at=moment)
    made = open_workspace(ctx).memory_store(namespace, item, project=project)
    if as_json:
        emit_json(made)
    else:
        say(f"Stored {made.id} in {namespace}.")


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise UsageError(f"{clip(text, 40)!r} is not JSON: {error}") from error


@memory_command.command("recall")
@click.argument("namespace")
@click.argument("query", required=False, default="")
@click.option("--limit", "-k", "k", type=click.IntRange(1, 100), default=5, show_default=True)
@click.option("--mode", type=click.Choice(MODES), help="Default: as the namespace was opened.")
@_project
@json_option
@click.pass_context
def recall_command(ctx: click.Context, /, namespace: str, query: str, k: int, mode: str | None, project: str, as_json: bool) -> None:
    """Find items by words, best first; without QUERY the newest."""
    memory = open_workspace(ctx, read_only=mode in (None, "bm25"))  # what a model costs has to be written down
    found = memory.memory_recall(namespace, query, k, project=project, mode=cast("RecallMode | None", mode))
    if as_json:
        emit_json(found)
        return
    if found.fallback_reason:
        say(f"recalled by {found.effective_mode}, not {found.requested_mode}: {found.fallback_reason}", err=True)
    for hit in found.hits:
        say(f"{hit.score:8.3f}  {hit.item.key}: {' '.join(hit.item.text.split())[:200]}  ({hit.item.id})")
    if not found.hits:
        say("Nothing fits.")


@memory_command.command("summarize")
@click.argument("namespace")
@click.option("--since", metavar="TIME", help="Not older than: 14d, 36h, or a date.")
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True)
@_project
@json_option
@click.pass_context
def summarize_command(ctx: click.Context, /, namespace: str, since: str | None, limit: int, project: str, as_json: bool) -> None:
    """The newest items in a few lines of their own words."""
    memory = open_workspace(ctx, read_only=True)
    made = memory.memory_summarize(namespace, project=project, since=parse_time(since, "--since") if since else None, limit=limit)
    if as_json:
        emit_json(made)
        return
    say(made.text or "Nothing is stored there.")
    say(f"{count(made.count, 'item')} in all", err=True)


@memory_command.command("update")
@click.argument("namespace")
@click.argument("item_id", metavar="ID")
@click.argument("patch", metavar="JSON")
@_project
@json_option
@click.pass_context
def update_command(ctx: click.Context, /, namespace: str, item_id: str, patch: str, project: str, as_json: bool) -> None:
    """Overlay fields of an item, as '{"tags": ["done"]}'. History keeps what it was."""
    fields = _parsed(patch)
    if not isinstance(fields, dict):
        raise UsageError("JSON must be an object of the fields to change")
    made = open_workspace(ctx).memory_update(namespace, item_id, fields, project=project)
    if as_json:
        emit_json(made)
    else:
        say(f"Changed {made.id}.")


@memory_command.command("forget")
@click.argument("namespace")
@click.argument("text", required=False)
@click.option("--id", "item_id", help="This item.")
@click.option("--key", help="Items with this key.")
@click.option("--tag", "tags", multiple=True, help="Items with one of these tags; may be repeated.")
@click.option("--query", help="Items that share a word with this.")
@_project
@json_option
@click.pass_context
def forget_command(
    ctx: click.Context,
    /,
    namespace: str,
    text: str | None,
    item_id: str | None,
    key: str | None,
    tags: tuple[str, ...],
    query: str | None,
    project: str,
    as_json: bool,
) -> None:
    """Retract items; all that is given must fit. History keeps them: `diarist erase` is final."""
    fields = {name: value for name, value in {"id": item_id, "key": key, "tags": list(tags), "query": query}.items() if value}
    if bool(text) == bool(fields):
        raise UsageError("give a TEXT, or one or more of --id, --key, --tag, --query")
    predicate: Predicate = text or fields
    gone = open_workspace(ctx).memory_forget(namespace, predicate, project=project)
    if as_json:
        emit_json(gone)
    else:
        say(f"{count(len(gone.ids), 'item')} forgotten.")


@memory_command.command("import")
@click.argument("path", metavar="EVENTS.JSONL")
@click.argument("namespace")
@click.option("--dry-run", is_flag=True, help="Say what would be taken over; write nothing.")
@_project
@json_option
@click.pass_context
def import_command(ctx: click.Context, /, path: str, namespace: str, dry_run: bool, project: str, as_json: bool) -> int:
    """Take over an `events.jsonl` of Harn's memory. A second time adds nothing; bad lines are named and left out."""
    report = open_workspace(ctx).import_memory(Path(path), namespace, project=project, dry_run=dry_run)
    if as_json:
        emit_json({**facts_of(report), "problems": [each._asdict() for each in report.problems]})
    else:
        for problem in report.problems:
            say(f"skipped: {problem.path}: {problem.reason}", err=True)
        done = f"{report.stored} stored, {report.updated} updated, {report.forgotten} forgotten, {report.known} known"
        say(f"{count(report.lines, 'event')}: {done}{' (dry run)' if dry_run else ''}.")
    return int(bool(report.problems))


@memory_command.command("history")
@click.argument("namespace")
@click.argument("item_id", metavar="ID")
@_project
@json_option
@click.pass_context
def history_command(ctx: click.Context, /, namespace: str, item_id: str, project: str, as_json: bool) -> None:
    """Show what an item was, from the first to the last: stored, updated, forgotten."""
    found = open_workspace(ctx, read_only=True).memory_history(namespace, item_id, project=project)
    if as_json:
        emit_json([each._asdict() for each in found])
        return
    for each in found:
        told = f"{each.item.key}: {' '.join(each.item.text.split())[:200]}" if each.item is not None else ""
        say(f"{each.at:%Y-%m-%d %H:%M} UTC  {each.action} by {each.actor}  {told}".rstrip())


@memory_command.command("export")
@click.argument("namespace")
@click.option("--root", metavar="FOLDER", help="Write FOLDER/memory/NAMESPACE/events.jsonl instead of standard output.")
@_project
@click.pass_context
def export_command(ctx: click.Context, /, namespace: str, root: str | None, project: str) -> None:
    """Write a namespace as `events.jsonl`. A log that holds more than is known here is not written over: import it first."""
    memory = open_workspace(ctx, read_only=True)
    if root:
        say(f"Wrote {memory.write_memory_log(namespace, Path(root), project=project)}")
        return
    for line in memory.export_memory(namespace, project=project):
        sys.stdout.buffer.write(line)
