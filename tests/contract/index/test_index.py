"""What every search index has to do, run against Tantivy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest

from diarist.errors import IndexUnavailableError
from diarist.index import open_index
from diarist.index.typos import distance
from diarist.model.hit import Query
from diarist.model.ids import make_id
from diarist.model.record import Change, Record, SearchText
from diarist.model.redacted import derived
from diarist.ports import Index

START = datetime(2026, 1, 1, tzinfo=UTC)


def made(seq: int, body: str = "", *, name: str = "", record: dict[str, Any] | None = None, **search: Any) -> tuple[Record, SearchText]:
    """A record with number `seq` and what the index is told of it."""
    values: dict[str, Any] = {"kind": "entry", "project": "shop", **(record or {})}
    kept = Record(
        id=make_id("test", name or str(seq)),
        created_at=START + timedelta(days=seq),
        updated_at=START,
        digest="",
        body=b"{}",
        seq=seq,
        **values,
    )
    return kept, SearchText(body=derived(body), **search)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def index(folder: Path) -> Iterator[Index]:
    opened = open_index(folder, read_only=False)
    yield opened
    opened.close()


def seqs(index: Index, **query: Any) -> list[int]:
    return [match.seq for match in index.search(Query(**query), 50)]


def test_a_new_one_is_empty(index: Index) -> None:
    assert index.position() == 0
    assert index.record_count() == 0
    assert seqs(index, terms=("basket",)) == []


def test_finds_by_words_identifiers_and_their_parts(index: Index) -> None:
    index.apply([made(1, "the getBasketTotal function"), made(2, "no such thing")], 2)
    assert seqs(index, terms=("basket",)) == [1]
    assert seqs(index, terms=("getbaskettotal",)) == [1]
    assert index.position() == 2


def test_every_text_of_a_record_is_searched(index: Index) -> None:
    texts = {"title": "apples", "errors": "pears", "fixes": "plums", "tags": "figs", "body": "dates"}
    search: dict[str, Any] = {name: derived(text) for name, text in texts.items() if name != "body"}
    index.apply([made(1, texts["body"], **search)], 1)
    for term in ("appl", "pear", "plum", "fig", "dat", "shop"):
        assert seqs(index, terms=(term,)) == [1], term


def test_more_and_rarer_words_rank_higher(index: Index) -> None:
    index.apply([made(1, "basket"), made(2, "basket voucher"), made(3, "basket"), made(4, "basket")], 4)
    assert seqs(index, terms=("basket", "voucher"))[0] == 2


def test_phrases_are_exact(index: Index) -> None:
    index.apply([made(1, "price list of the shop"), made(2, "list the price")], 2)
    assert seqs(index, phrases=(("pric", "list"),)) == [1]
    assert seqs(index, phrases=(("pric", "list"),), terms=("shop",)) == [1]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"project": "shop"}, [3, 1]),
        ({"project": "other shop"}, [2]),
        ({"agent": "codex"}, [2]),
        ({"outcome": "failed"}, [2]),
        ({"workflow": "w1"}, [3]),
        ({"kinds": ("note",)}, [3]),
        ({"kinds": ("note", "entry")}, [3, 2, 1]),
        ({"tags": ("slow query",)}, [1]),
        ({"tags": ("slow query", "db")}, [1]),
        ({"tags": ("slow query", "ui")}, []),
        ({"files": ("total.py",)}, [1]),
        ({"files": ("cart/total.py",)}, [1]),
        ({"files": (r"cart\total.py",)}, [1]),
        ({"files": ("tal.py",)}, []),
        ({"tools": ("bash",)}, [1]),
        ({"since": int((START + timedelta(days=2)).timestamp())}, [3, 2]),
        ({"before": int((START + timedelta(days=2)).timestamp())}, [1]),
        ({"since": int((START + timedelta(days=2)).timestamp()), "terms": ("basket",)}, [3]),
        ({}, [3, 2, 1]),
    ],
)
def test_filters(index: Index, query: dict[str, Any], found: list[int]) -> None:
    index.apply(
        [
            made(1, "basket", record={"tags": ("slow query", "db")}, files=("/home/a/shop/cart/total.py",), tools=("Bash",)),
            made(2, "voucher", record={"project": "other shop", "agent": "codex", "outcome": "failed"}),
            made(3, "basket", record={"kind": "note", "workflow": "w1"}),
        ],
        3,
    )
    assert seqs(index, **query) == found


def test_errors_are_found_by_fingerprint_family_and_what_solved_them(index: Index) -> None:
    one, other = "aaaaaaaa11111111", "aaaaaaaa22222222"
    index.apply([made(1, fingerprints=(one,), fixed_fingerprints=(one,)), made(2, fingerprints=(other,)), made(3, "lock")], 3)
    assert seqs(index, fingerprints=(one,)) == [1]
    assert sorted(seqs(index, fingerprints=(one[:8],))) == [1, 2]
    assert seqs(index, fingerprints=("+" + one,)) == [1]
    assert seqs(index, fingerprints=("+" + other,)) == []
    assert seqs(index, fingerprints=(other,), terms=("lock",))[0] == 2


def test_words_can_be_looked_for_among_errors_alone(index: Index) -> None:
    index.apply([made(1, "lock"), made(2, errors=derived("lock is held"))], 2)
    assert seqs(index, terms=("lock",), errors_only=True) == [2]
    assert index.frequencies(("lock",), errors_only=True).counts == {"lock": 1}


def test_frequencies(index: Index) -> None:
    index.apply([made(1, "basket basket price"), made(2, "basket")], 2)
    common = index.frequencies(("basket", "pric", "none"))
    assert (common.records, common.counts) == (2, {"basket": 2, "pric": 1, "none": 0})
    assert common.typical > 0


def test_equal_scores_come_newest_first_whatever_the_limit(index: Index) -> None:
    index.apply([made(seq, "basket") for seq in range(1, 31)], 30)
    assert seqs(index, terms=("basket",)) == list(range(30, 0, -1))
    assert index.search(Query(terms=("basket",)), 3)[0].seq >= 3


def test_a_newer_version_replaces_the_older(index: Index) -> None:
    index.apply([made(1, "old words", name="a")], 1)
    index.apply([made(2, "new words", name="a")], 2)
    assert seqs(index, terms=("old",)) == []
    assert seqs(index, terms=("new",)) == [2]
    assert index.record_count() == 1


def test_removed_is_gone(index: Index) -> None:
    record, search = made(1, "basket")
    index.apply([(record, search)], 1)
    index.apply([Change(seq=2, record_id=record.id, op="remove")], 2)
    assert seqs(index, terms=("basket",)) == []
    assert index.position() == 2


def test_applying_again_changes_nothing(index: Index) -> None:
    """A crash between the commit and the note of its position leads to this."""
    changes = [made(1, "basket"), made(2, "voucher")]
    index.apply(changes, 2)
    index.apply(changes, 2)
    assert index.record_count() == 2
    assert seqs(index, terms=("basket", "voucher")) == seqs(index, terms=("voucher", "basket"))


def test_a_failing_source_of_changes_leaves_it_as_it_was(index: Index) -> None:
    index.apply([made(1, "basket")], 1)

    def broken() -> Iterator[tuple[Record, SearchText]]:
        yield made(2, "voucher")
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        index.apply(broken(), 2)
    assert index.position() == 1
    assert seqs(index, terms=("voucher",)) == []
    index.apply([made(3, "again")], 3)
    assert seqs(index, terms=("again",)) == [3]


def test_readers_see_what_another_process_commits(index: Index, folder: Path) -> None:
    index.apply([made(1, "basket")], 1)
    reader = open_index(folder, read_only=True)
    assert seqs(reader, terms=("voucher",)) == []
    index.apply([made(2, "voucher")], 2)
    assert seqs(reader, terms=("voucher",)) == [2]
    assert reader.position() == 2
    with pytest.raises(IndexUnavailableError, match="reading only"):
        reader.apply([], 3)


_HOLDER = """
import sys, tantivy, glob
index = tantivy.Index.open(glob.glob(sys.argv[1] + "/v-*")[0])
writer = index.writer(15_000_000, 1)
print("held", flush=True)
sys.stdin.read()
"""


def test_another_writer_is_told_and_readers_go_on(index: Index, folder: Path) -> None:
    index.apply([made(1, "basket")], 1)
    holder = subprocess.Popen([sys.executable, "-c", _HOLDER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(IndexUnavailableError, match="another process is writing"):
            index.apply([made(2, "voucher")], 2)
        assert seqs(index, terms=("basket",)) == [1]
    finally:
        holder.communicate("")
    index.apply([made(2, "voucher")], 2)
    assert index.position() == 2


def test_there_is_none_to_read(folder: Path) -> None:
    with pytest.raises(IndexUnavailableError, match="diarist index rebuild"):
        open_index(folder, read_only=True)
    assert not folder.exists()


def _files(folder: Path, ending: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith(ending)]


@pytest.mark.parametrize("damage", ["no meta", "meta is not JSON", "segment gone", "segment cut"])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_damaged_one_is_made_anew(folder: Path, damage: str) -> None:
    first = open_index(folder, read_only=False)
    first.apply([made(seq, f"basket number{seq}") for seq in range(1, 200)], 199)
    first.close()
    meta = _files(folder, "meta.json")[0]
    if damage == "no meta":
        meta.unlink()
    elif damage == "meta is not JSON":
        meta.write_text("{")
    elif damage == "segment gone":
        _files(folder, ".term")[0].unlink()
    else:
        for path in [path for path in _files(folder, "") if path.suffix in (".term", ".idx", ".fast", ".pos")]:
            path.write_bytes(path.read_bytes()[:10])
    with pytest.raises(IndexUnavailableError):
        open_index(folder, read_only=True).search(Query(terms=("basket",)), 5)
    again = open_index(folder, read_only=False)
    assert again.position() == 0
    again.apply([made(1, "basket")], 1)
    assert seqs(again, terms=("basket",)) == [1]


def test_a_lost_or_spoilt_position_means_applying_from_the_start(index: Index, folder: Path) -> None:
    index.apply([made(1, "basket")], 1)
    state = _files(folder, "state.json")[0]
    state.write_text(json.dumps({"position": "x", "other": 1}))
    assert index.position() == 0
    state.unlink()
    assert index.position() == 0


def test_an_index_of_another_version_is_left_behind(folder: Path) -> None:
    old = folder / "v-00000000"
    old.mkdir(parents=True)
    (old / "meta.json").write_text("{}")
    assert open_index(folder, read_only=False).position() == 0
    assert old.exists(), "another version may be at work in it"
    os.utime(old, (0, 0))
    assert open_index(folder, read_only=False).position() == 0
    assert not old.exists()


def test_it_is_searched_until_the_one_made_beside_it_is_whole(index: Index, folder: Path) -> None:
    index.apply([made(1, "basket"), made(2, "basket")], 2)
    reader = open_index(folder, read_only=True)
    with index.renewed() as fresh:
        assert (fresh.position(), fresh.record_count()) == (0, 0)
        fresh.apply([made(1, "basket")], 1)
        assert [seqs(one, terms=("basket",)) for one in (index, reader, fresh)] == [[2, 1], [2, 1], [1]]
    assert [seqs(one, terms=("basket",)) for one in (index, reader)] == [[1], [1]]
    assert (index.position(), reader.position()) == (1, 1)
    index.apply([made(3, "basket")], 3)
    assert seqs(open_index(folder, read_only=True), terms=("basket",)) == seqs(reader, terms=("basket",)) == [3, 1]
    assert len(list(folder.iterdir())) == 1


def test_making_it_anew_fails_or_dies_and_it_stays_as_it_was(index: Index, folder: Path) -> None:
    index.apply([made(1, "basket")], 1)

    def source() -> Iterator[tuple[Record, SearchText]]:
        yield made(2, "basket")
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"), index.renewed() as fresh:
        fresh.apply(source(), 2)
    assert seqs(index, terms=("basket",)) == [1]
    assert len(list(folder.iterdir())) == 1
    left = folder / "new-1-00"  # of a process that was killed
    left.mkdir()
    assert open_index(folder, read_only=False).position() == 1
    assert left.exists(), "it may still be at work"
    os.utime(left, (0, 0))
    assert seqs(open_index(folder, read_only=False), terms=("basket",)) == [1]
    assert not left.exists()


def test_two_that_make_it_anew_at_once_both_succeed(index: Index, folder: Path) -> None:
    other = open_index(folder, read_only=False)
    with index.renewed() as first, other.renewed() as second:
        first.apply([made(1, "basket")], 1)
        second.apply([made(1, "basket"), made(2, "basket")], 2)
    assert seqs(index, terms=("basket",)) in ([1], [2, 1])
    assert len(seqs(open_index(folder, read_only=True), terms=("basket",))) in (1, 2)
    assert len(list(folder.iterdir())) == 1


def test_common_words_decide_the_order_and_never_hide_a_record(index: Index) -> None:
    """With many records the rarer words alone say which ones are looked at."""
    index.apply([made(seq, f"basket {'red ' * (seq % 2)}{'shelf' if seq % 40 == 0 else ''} number{seq}") for seq in range(1, 2001)], 2000)
    shelves = [seq for seq in range(1, 2001) if seq % 40 == 0]
    both = index.search(Query(terms=("basket", "shelf")), 100)
    assert {match.seq for match in both[:50]} == set(shelves)
    assert len(both) == 100, "rarer words found too few: the common one counts too"
    some = index.search(Query(terms=("basket", "red", "shelf")), 1)
    assert some[0].score > index.search(Query(terms=("shelf",)), 1)[0].score


def test_the_folder_deleted_under_it_is_made_again(index: Index, folder: Path) -> None:
    index.apply([made(1, "basket")], 1)
    shutil.rmtree(folder)
    assert open_index(folder, read_only=False).position() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of another kind")
def test_a_folder_that_may_not_be_written_can_be_searched(folder: Path) -> None:
    first = open_index(folder, read_only=False)
    first.apply([made(1, "basket")], 1)
    first.close()
    files = sorted(folder.rglob("*"))
    with _protected([folder, *files]), _as_nobody():
        assert not os.access(folder, os.W_OK)
        assert seqs(open_index(folder, read_only=True), terms=("basket",)) == [1]
        assert sorted(folder.rglob("*")) == files


@contextmanager
def _protected(paths: Sequence[Path]) -> Iterator[None]:
    """Everybody may read these, nobody write; the folders above are opened as far as that needs it."""
    for path in paths:
        path.chmod(0o444 if path.is_file() else 0o555)
    for parent in paths[0].parents:
        if parent.is_relative_to(gettempdir()) and parent != Path(gettempdir()):
            parent.chmod(0o755)
    try:
        yield
    finally:
        for path in paths:
            path.chmod(0o755)


@contextmanager
def _as_nobody() -> Iterator[None]:
    """As a user without rights, where this is root, who would be allowed everything."""
    if os.getuid() != 0:
        yield
        return
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def test_typos_find_what_was_meant(index: Index) -> None:
    index.apply([made(1, "basket voucher"), made(2, "basket basketball")], 2)
    assert index.suggest("bsaket")[0] == "basket"
    assert index.suggest("voucer") == ["voucher"]
    assert index.suggest("xyzzy") == []
    assert index.suggest("") == []


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [("abc", "abc", 0), ("abc", "acb", 1), ("abc", "abd", 1), ("abc", "ab", 1), ("abcd", "badc", 2), ("abc", "xyz", 3)],
)
def test_distance_counts_edits(one: str, other: str, apart: int) -> None:
    assert distance(one, other, 2) == apart
