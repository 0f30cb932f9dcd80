"""`diarist verify`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from diarist.cli.common import count, emit_json, facts_of, json_option, open_workspace, say
from diarist.errors import InvalidInputError, UsageError

if TYPE_CHECKING:
    from diarist.app.memory import Memory
    from diarist.app.verifying_store import StoreVerification

_SHOWN = 50


@click.command("verify")
@click.argument("wanted", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="Everything: history, records, entries, evidence, published files.")
@click.option("--anchor", metavar="FILE|-", help="Write down the head of the history chain, to be kept elsewhere.")
@click.option("--against", metavar="FILE", help="With --all: check that history up to this anchor is what it was.")
@json_option
@click.pass_context
def verify_command(
    ctx: click.Context, /, wanted: tuple[str, ...], everything: bool, anchor: str | None, against: str | None, as_json: bool
) -> int:
    """Check that what the store says is what was written. Names the first break.

    \b
    diarist verify --all
    diarist verify --anchor /mnt/stick/anchor.json
    diarist verify --all --against /mnt/stick/anchor.json
    diarist verify kh-3f6x                              one entry, against its evidence
    """
    if not (wanted or everything or anchor):
        raise UsageError("give ids, --all, or --anchor FILE")
    if against and not everything:
        raise UsageError("--against goes with --all")
    memory = open_workspace(ctx, read_only=True)
    code = 0
    if everything:
        code = _everything(memory, against, as_json=as_json)
    for each in wanted:
        code = max(code, _one(memory, each, as_json=as_json))
    if anchor:
        _write_anchor(memory, anchor)
    return code


def _everything(memory: Memory, against: str | None, *, as_json: bool) -> int:
    found = memory.verify_all(None if against is None else _read(against))
    if as_json:
        emit_json({"ok": found.ok, "first": found.first, **facts_of(found)})
        return int(not found.ok)
    _show(found)
    return int(not found.ok)


def _show(found: StoreVerification) -> None:
    told = [count(found.history, "change"), count(found.entries, "entry", "entries"), f"{count(found.chunks, 'chunk')} of evidence"]
    told.append(count(found.files, "published file") + (f" ({found.missing_files:,} more are not there)" if found.missing_files else ""))
    say(", ".join(told))
    if found.ok:
        say("everything is what was written")
        return
    say(f"first break: {found.first}")
    for fault in found.faults[1:_SHOWN]:
        say(f"then: {fault}")
    if len(found.faults) > _SHOWN:
        say(f"… and {count(len(found.faults) - _SHOWN, 'more break')}")


def _one(memory: Memory, wanted: str, *, as_json: bool) -> int:
    found = memory.verify(wanted)
    if as_json:
        emit_json({"id": found.id, "ok": found.ok, "checked": found.checked, "faults": found.faults, "notes": found.notes})
    else:
        say(f"{found.id}: " + ("; ".join(found.faults) if found.faults else f"{', '.join(found.checked)}: all right"))
        for note in found.notes:
            say(f"{found.id}: {note}")
    return int(not found.ok)


def _read(path: str) -> bytes:
    try:
        with Path(path).open("rb") as stream:
            return stream.read(1 << 16)
    except OSError as error:
        raise InvalidInputError(f"cannot read the anchor {path}: {error.strerror or error}") from error


def _write_anchor(memory: Memory, target: str) -> None:
    data = memory.anchor()
    if target == "-":
        click.echo(data.decode(), nl=False)
        return
    try:
        Path(target).write_bytes(data)
    except OSError as error:
        raise InvalidInputError(f"cannot write the anchor {target}: {error.strerror or error}") from error
    say(f"{target}: keep it where those who write the store cannot reach it.")
