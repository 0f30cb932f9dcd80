"""Error look-up: the order of records that met an error."""

from __future__ import annotations

from diarist.model.hit import Frequencies, HitRow
from diarist.stages.rank.faults import rank_faults, read_errors
from diarist.stages.rank.rarity import rarity_of
from diarist.text.fingerprint import fingerprint

LOCKED = "LockError: price list is locked by another process"
OTHER = "LockError: price list is empty"


def row(name: str, errors: str, outcome: str = "completed", text: str = "", seq: int = 1) -> HitRow:
    blank = dict.fromkeys(HitRow._fields, "")
    values = {**blank, "seq": seq, "id": name, "errors": errors, "outcome": outcome, "text": text, "verified": None, "tags": ()}
    return HitRow(**{**values, "created_at": "2026-01-01T00:00:00Z"})  # type: ignore[arg-type]


def order(paste: str, *rows: HitRow, marks: dict[int, set[str]] | None = None) -> list[str]:
    asked = read_errors(paste)
    common = Frequencies(100, dict.fromkeys(("lockerror", "lock", "error", "pric", "list"), 40))
    held = {seq: frozenset(some) for seq, some in (marks or {}).items()}
    return [one.row.id for one in rank_faults(asked, rows, held, rarity_of(common))]


def test_the_same_fault_comes_before_similar_words() -> None:
    same, words = row("same", "another wording", seq=1), row("words", OTHER, seq=2)
    assert order(LOCKED, words, same, marks={1: {fingerprint(LOCKED)}}) == ["same", "words"]


def test_who_solved_it_comes_before_who_did_not() -> None:
    mark = fingerprint(LOCKED)
    met, solved = row("met", LOCKED, seq=1), row("solved", LOCKED, outcome="failed", seq=2)
    assert order(LOCKED, met, solved, marks={1: {mark}, 2: {mark, "+" + mark}}) == ["solved", "met"]


def test_words_decide_where_no_fingerprint_agrees() -> None:
    assert order(LOCKED, row("empty", OTHER), row("locked", "price list was locked by a process")) == ["locked", "empty"]


def test_every_error_of_a_paste_counts() -> None:
    paste = f"{LOCKED}\nKeyError: 'vat'\n"
    assert len(read_errors(paste).errors) == 2
    assert order(paste, row("vat", "KeyError: 'vat'"), row("none", "disk is full"))[0] == "vat"


def test_a_paste_without_a_known_error_is_looked_for_by_its_words() -> None:
    asked = read_errors("flour and eggs")
    assert asked.all_terms() == ("flour", "egg")
    assert read_errors("   ").errors == ()


def test_the_same_order_whatever_order_the_rows_come_in() -> None:
    rows = [row(name, LOCKED, seq=at) for at, name in enumerate("cab")]
    assert order(LOCKED, *rows) == order(LOCKED, *reversed(rows)) == ["a", "b", "c"]


def test_reasons_are_given() -> None:
    mark = fingerprint(LOCKED)
    ranked = rank_faults(read_errors(LOCKED), [row("a", LOCKED)], {1: frozenset({mark, "+" + mark})}, lambda _: 1.0)
    assert ranked[0].reasons == (f"met the same error: {LOCKED}", "solved it")


TRACE = """\
Traceback (most recent call last):
  File "/home/kim/shop/.venv/lib/python3.12/site-packages/click/core.py", line 1, in main
  File "/home/kim/shop/prices/load.py", line 9, in run
SyntaxError: invalid syntax
"""


def test_the_files_of_a_trace_are_its_own_innermost_first() -> None:
    assert read_errors(TRACE).files == ("prices/load.py",)
    assert read_errors("src\\cart\\total.ts(3,1): error TS2304: Cannot find name 'x'.\nmain.go:3: boom").files == (
        "main.go",
        "cart/total.ts",
    )
    assert read_errors(LOCKED).files == ()


def test_among_equals_who_touched_the_files_of_the_trace_comes_first() -> None:
    """That tells less than having solved the error: everybody in a repository touches its files."""
    mark, asked = fingerprint("SyntaxError: invalid syntax"), read_errors(TRACE)
    held = {seq: frozenset({mark}) for seq in (1, 2)} | {3: frozenset({mark, "+" + mark})}
    rows = [row(name, "SyntaxError: invalid syntax", outcome="failed", seq=seq) for seq, name in enumerate(("a", "b", "c"), 1)]
    ranked = rank_faults(asked, rows, held, lambda _: 1.0, {2: 1.0})
    assert [one.row.id for one in ranked] == ["c", "b", "a"]
    assert any(reason.startswith("touched the same files (+") for reason in ranked[1].reasons)
    nothing = rank_faults(asked, [row("z", "", text="", outcome="failed", seq=9)], {}, lambda _: 1.0, {9: 1.0})
    assert nothing == []
