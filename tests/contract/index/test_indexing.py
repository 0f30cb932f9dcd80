"""Keeping the index in step with the store."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import diarist
from diarist.app.indexing import catch_up, index_status, verify
from diarist.app.memory import Memory
from diarist.errors import IndexUnavailableError
from diarist.index import open_index
from diarist.model.hit import Query
from diarist.ports import Index, Store

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
HOLDER = """
import sys, tantivy, glob
writer = tantivy.Index.open(glob.glob(sys.argv[1] + "/v-*")[0]).writer(15_000_000, 1)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with diarist.open_memory(tmp_path / "ws") as opened:
        yield opened


@pytest.fixture
def parts(memory: Memory) -> tuple[Store, Index]:
    return memory._box.store, memory._box.search_index()


def add(memory: Memory, *bodies: str) -> list[str]:
    return [memory.add_note(title="note", body=body, created_at=START + timedelta(days=day)).id for day, body in enumerate(bodies)]


def found(index: Index, term: str) -> int:
    return len(index.search(Query(terms=(term,)), 50))


def test_each_change_is_applied_once(memory: Memory, parts: tuple[Store, Index]) -> None:
    store, index = parts
    add(memory, "red", "blue")
    assert catch_up(store, index) == 2
    assert catch_up(store, index) == 0
    assert index_status(store, lambda: index) == {"position": 2, "last_change": 2, "behind": 0, "records": 2}


def test_of_a_record_only_the_newest_version_is_kept(memory: Memory, parts: tuple[Store, Index]) -> None:
    store, index = parts
    (wanted,) = add(memory, "red")
    memory.edit_note(wanted, body="blue")
    catch_up(store, index)
    assert (found(index, "red"), found(index, "blu"), index.record_count()) == (0, 1, 1)
    memory.edit_note(wanted, body="green")
    catch_up(store, index)
    assert (found(index, "blu"), found(index, "green"), index.record_count()) == (0, 1, 1)


def test_retracted_and_erased_records_leave_it(memory: Memory, parts: tuple[Store, Index]) -> None:
    store, index = parts
    retracted, erased, kept = add(memory, "red", "red", "red")
    catch_up(store, index)
    with store.transaction(actor="kim", at=START) as tx:
        tx.set_status(retracted, "retracted", action="retract")
        tx.erase_record(erased)
    catch_up(store, index)
    assert [hit.id for hit in memory.search("red")] == [kept]
    assert verify(store, index) == []


def test_an_index_ahead_of_a_restored_store_starts_anew(memory: Memory, parts: tuple[Store, Index], tmp_path: Path) -> None:
    store, index = parts
    add(memory, "red")
    catch_up(store, index)
    state = next((tmp_path / "ws" / "index").rglob("state.json"))
    state.write_text(json.dumps({**json.loads(state.read_text()), "position": 99}))
    assert catch_up(store, index) == 1
    assert index_status(store, lambda: index)["position"] == 1


def test_verify_tells_what_is_missing_and_what_is_too_much(memory: Memory, parts: tuple[Store, Index], tmp_path: Path) -> None:
    store, index = parts
    one, other = add(memory, "red", "blue")
    catch_up(store, index)
    record = store.get_record(other)
    assert record is not None
    with store.transaction(actor="kim", at=START) as tx:
        tx.erase_record(one)
    state = next((tmp_path / "ws" / "index").rglob("state.json"))
    state.write_text(json.dumps({"position": store.last_seq()}))
    assert verify(store, index) == ["not in the store any more: change 1"]
    with index.renewed():
        pass
    state = next((tmp_path / "ws" / "index").rglob("state.json"), next((tmp_path / "ws" / "index").iterdir()) / "state.json")
    state.write_text(json.dumps({"position": store.last_seq()}))
    assert verify(store, index) == [f"missing in the index: {other}"]


def test_while_another_process_writes_the_search_goes_on_and_says_how_far_behind_it_is(memory: Memory, tmp_path: Path) -> None:
    first, second = add(memory, "red", "red and blue")
    memory.search("red")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path / "ws" / "index")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        add(memory, "red and green", "red and yellow")
        hits = memory.search("red")
        assert {hit.id for hit in hits} == {first, second}
        assert getattr(hits, "behind", 0) == memory.index_status()["behind"] > 0
        with pytest.raises(IndexUnavailableError, match="another process"):
            catch_up(memory._box.store, memory._box.search_index())
        holder.communicate("")
    assert len(memory.search("red")) == 4
    assert memory.index_status()["behind"] == 0


def test_many_processes_bring_it_up_to_date_at_once(memory: Memory, tmp_path: Path) -> None:
    add(memory, *[f"red number{number}" for number in range(40)])
    search = "import sys, diarist\nwith diarist.open_memory(sys.argv[1]) as memory:\n    print(len(memory.search('red', limit=100)))"
    running = [
        subprocess.Popen([sys.executable, "-c", search, str(tmp_path / "ws")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    outputs = [process.communicate() for process in running]
    assert [errors for _, errors in outputs] == [""] * 4
    assert all(0 <= int(told) <= 40 for told, _ in outputs)
    assert len(memory.search("red", limit=100)) == 40
    assert memory.verify_index() == []


def test_a_rebuild_gives_the_same_answers_as_growing(memory: Memory, tmp_path: Path) -> None:
    add(memory, "red basket", "blue basket", "red voucher in the basket")
    before = [(hit.id, round(hit.score, 5)) for hit in memory.search("red basket")]
    memory.rebuild_index()
    assert [(hit.id, round(hit.score, 5)) for hit in memory.search("red basket")] == before
    fresh = open_index(tmp_path / "other", read_only=False)
    catch_up(memory._box.store, fresh)
    assert [match.seq for match in fresh.search(Query(terms=("red", "basket")), 9)] == [
        match.seq for match in memory._box.search_index().search(Query(terms=("red", "basket")), 9)
    ]
