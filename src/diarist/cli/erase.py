"""`diarist erase`."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

import click

from diarist.cli.common import count, emit_json, json_option, open_workspace, parse_time, read_text, say
from diarist.errors import UsageError

if TYPE_CHECKING:
    from diarist.app.erasing_reach import Reach
    from diarist.app.memory import Memory
    from diarist.model.erasing import EraseWish, Receipt

_SHOWN = 20


@click.command("erase")
@click.argument("wanted", nargs=-1, metavar="[ID]...")
@click.option("--query", default="", help="What a search for this finds, 1,000 records at most.")
@click.option("--session", default="", help="Everything of this session; it stays erased when its file grows.")
@click.option("--project", help="Everything of this project.")
@click.option("--agent", help="Everything of this agent.")
@click.option("--since", metavar="TIME", help="Not older than: 14d, or a date (2026-11-30, UTC).")
@click.option("--before", metavar="TIME", help="Older than, in the same forms.")
@click.option("--value", metavar="FILE|-", help="An exact value, from a file or standard input, so that no shell history keeps it.")
@click.option("--dry-run", is_flag=True, help="Show what would be erased and stop.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--audit", is_flag=True, help="Erase nothing: look through everything for the value, or for every value that was erased.")
@click.option("--finish", is_flag=True, help="Erase nothing more: do what an interrupted erasure left undone.")
@click.option("--list", "list_", is_flag=True, help="List the receipts of earlier erasures.")
@json_option
@click.pass_context
def erase_command(ctx: click.Context, /, **given: object) -> int:
    """Erase for good: records and what was made from them, history, evidence, index, published files.

    Filters narrow together; ids are added to what they find. What was erased does not come back by any way in. History keeps that
    something was erased, not what. `diarist memory forget` retracts and keeps history instead.

    \b
    diarist erase kh-3f6x --dry-run
    diarist erase --session 0d3f9a1e-5b7c-4f0e-9d8a-2c6b1e4f7a90
    pass show old-customer | diarist erase --value - --yes
    diarist erase --audit                            is anything of what was erased left?
    """
    if given["audit"]:
        return _audit(open_workspace(ctx, read_only=True), _value(given), as_json=bool(given["as_json"]))
    if given["list_"]:
        return _list(open_workspace(ctx, read_only=True), as_json=bool(given["as_json"]))
    memory = open_workspace(ctx)
    if given["finish"]:
        finished = memory.finish_erasures()
        if given["as_json"]:
            emit_json(finished)
        else:
            say(f"{count(len(finished), 'erasure')} finished.")
        return 0
    wish = _wish(given)
    found = memory.preview_erase(wish)
    if not (found.records or found.sessions or found.revisions or wish.values):
        raise UsageError("nothing fits, so there is nothing to erase")
    if given["dry_run"]:
        _show_preview(found, wish, as_json=bool(given["as_json"]))
        return 0
    if not given["yes"]:
        _show_preview(found, wish, as_json=False, err=bool(given["as_json"]))
        if not sys.stdin.isatty():
            raise UsageError("nothing was erased: say --yes, since there is nobody to ask")
        click.confirm("Erase this for good?", abort=True, err=True)
    receipt = memory.erase(wish)
    if given["as_json"]:
        emit_json(receipt)
    else:
        _show_receipt(receipt)
    return int(bool(receipt.residue))


def _wish(given: dict[str, object]) -> EraseWish:
    from diarist.model.erasing import EraseWish

    value = _value(given)
    return EraseWish(
        ids=tuple(str(each) for each in given["wanted"]),  # type: ignore[attr-defined]
        query=str(given["query"]),
        session=str(given["session"]),
        project=None if given["project"] is None else str(given["project"]),
        agent=None if given["agent"] is None else str(given["agent"]),
        since=parse_time(str(given["since"]), "--since") if given["since"] else None,
        before=parse_time(str(given["before"]), "--before") if given["before"] else None,
        values=value,
    )


def _value(given: dict[str, object]) -> tuple[str, ...]:
    if given["value"] is None:
        return ()
    text = read_text(str(given["value"])).rstrip("\r\n")
    if not text.strip():
        raise UsageError("--value: the value is empty")
    return (text,)


def _show_preview(found: Reach, wish: EraseWish, *, as_json: bool, err: bool = False) -> None:
    if as_json:
        emit_json({"reached": list(found.told()), "sessions": len(found.sessions), "values": len(wish.values)})
        return
    for record in list(found.named.values())[:_SHOWN]:
        say(f"{record.id}  {record.kind:11}  {record.title}", err=err)
    if len(found.named) > _SHOWN:
        say(f"… and {count(len(found.named) - _SHOWN, 'more record')}", err=err)
    if found.derived:
        say("made from these, and erased with them:", err=err)
    for record, because in list(found.derived.values())[:_SHOWN]:
        say(f"{record.id}  {record.kind:11}  {record.title}  (from {because})", err=err)
    if len(found.derived) > _SHOWN:
        say(f"… and {count(len(found.derived) - _SHOWN, 'more record')}", err=err)
    told = [f"{count(len(found.records), 'record')} with history, index and published files", count(len(found.sessions), "session")]
    if wish.values:
        told.append("a value wherever it is kept")
    say("to be erased: " + ", ".join(told), err=err)


def _show_receipt(receipt: Receipt) -> None:
    kinds = Counter(each.kind for each in receipt.reached if each.kind)
    told = ", ".join(f"{number:,} {kind}" for kind, number in sorted(kinds.items())) or "no record"
    say(f"erased: {told}; {count(receipt.sessions, 'session')}, {count(receipt.chunks, 'vault chunk')}, {count(receipt.files, 'file')}.")
    for each in receipt.reached:
        if each.because or each.what != "erased":
            say(f"  {each.id} {each.kind} {each.what}" + (f" (made from {each.because})" if each.because else ""))
    if receipt.values:
        say(f"{count(receipt.rewritten, 'place')} rewritten without the value.")
    for name in receipt.kept:
        say(f"left, because it was edited: {name}")
    for name in receipt.out_of_reach:
        say(f"out of reach: {name}")
    for place in receipt.residue or ():
        say(f"still there: {place}")
    if receipt.residue == ():
        say("Nothing of it is left in the workspace.")
    say(f"Receipt {receipt.id}.")


def _audit(memory: Memory, values: tuple[str, ...], *, as_json: bool) -> int:
    found = memory.residue(values)
    if as_json:
        emit_json({"residue": found})
    else:
        for place in found:
            say(place)
        say("Nothing was found." if not found else count(len(found), "place"))
    return int(bool(found))


def _list(memory: Memory, *, as_json: bool) -> int:
    receipts = memory.erasures()
    if as_json:
        emit_json(receipts)
        return 0
    for each in receipts:
        state = "" if each.done else "  not finished: run `diarist erase --finish`"
        reached = f"{count(len(each.reached), 'record')}, {count(each.values, 'value')}"
        say(f"{each.at:%Y-%m-%d %H:%M}  {each.id}  {reached}  {each.actor}{state}")
    return 0
