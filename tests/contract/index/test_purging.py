"""What is removed for good is in no file of the index any more, and no more of it is written anew than has to be."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import tantivy

import diarist
import residue
from diarist.app.memory import Memory
from diarist.index import folders
from diarist.index.schema import RECORD, TEXT
from diarist.model.erasing import EraseWish

START = datetime(2026, 3, 1, tzinfo=UTC)
MANY = 40


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with diarist.open_memory(tmp_path / "ws") as opened:
        for number in range(MANY):
            note(opened, f"Shelf {number}", "Parcels wait on this shelf until they are fetched.")
        opened.rebuild_index()
        yield opened


def note(memory: Memory, title: str, body: str) -> str:
    return memory.add_note(title=title, body=body, project="depot", created_at=START).id


def generation(folder: Path) -> str:
    return folders.current(str(folder / "ws" / "index"))


def held(folder: Path, *terms: str) -> list[int]:
    """In how many documents, removed ones too, the files of the index hold each term."""
    searcher = tantivy.Index.open(generation(folder)).searcher()
    return [searcher.doc_freq(TEXT, term) for term in terms]


def test_an_erased_record_leaves_the_index_and_only_its_neighbours_are_written_anew(memory: Memory, tmp_path: Path) -> None:
    erased, kept = note(memory, "Quokka", "A quokka ate the label."), note(memory, "Wombat", "A wombat moved the parcel.")
    memory.search("quokka")
    before = generation(tmp_path)
    oldest = {path.name for path in Path(before).glob("*.term")}
    memory.erase(EraseWish(ids=(erased,)))
    assert generation(tmp_path) == before
    assert oldest & {path.name for path in Path(before).glob("*.term")}
    assert held(tmp_path, "quokka", "wombat", "shelf") == [0, 1, MANY]
    searcher = tantivy.Index.open(before).searcher()
    assert searcher.doc_freq(RECORD, erased) == 0
    assert residue.find(tmp_path / "ws" / "index", ["quokka", erased]) == []
    assert memory.search("wombat parcel")[0].id == kept
    assert memory.verify_index() == []


def test_what_lies_among_most_of_the_records_makes_it_anew(memory: Memory, tmp_path: Path) -> None:
    first = memory.search("shelf 7")[0]
    before = generation(tmp_path)
    memory.erase(EraseWish(ids=(first.id,)))
    assert generation(tmp_path) != before
    assert held(tmp_path, "shelf") == [MANY - 1]
    assert residue.find(tmp_path / "ws" / "index", [first.id]) == []
    assert memory.verify_index() == []


def test_what_an_unfinished_erasure_left_goes_too(memory: Memory, tmp_path: Path) -> None:
    """A part of the index that holds what is gone from the store is written anew whatever made it so."""
    gone, _ = note(memory, "Numbat", "The numbat sleeps."), note(memory, "Wombat", "The wombat wakes.")
    memory.search("numbat")
    with memory._box.store.transaction(actor="kim", at=START) as tx:
        tx.erase_record(gone)
    assert memory.search("numbat") == []
    assert held(tmp_path, "numbat") == [1]
    erased = note(memory, "Quokka", "A quokka ate the label.")
    memory.search("quokka")
    memory.erase(EraseWish(ids=(erased,)))
    assert held(tmp_path, "quokka", "numbat") == [0, 0]
    assert memory.verify_index() == []


def test_a_search_goes_on_in_a_process_that_had_the_old_parts_open(memory: Memory, tmp_path: Path) -> None:
    erased = note(memory, "Quokka", "A quokka ate the label.")
    memory.search("quokka")
    with diarist.open_memory(tmp_path / "ws", read_only=True) as reader:
        assert reader.search("quokka")
        memory.erase(EraseWish(ids=(erased,)))
        assert reader.search("quokka") == []
        assert len(reader.search("parcels shelf", limit=5)) == 5
