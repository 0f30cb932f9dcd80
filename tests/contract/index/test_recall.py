"""Search, error look-up and recall over a real store and a real index."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import diarist
from diarist.app.amendments import amendments_of
from diarist.app.memory import Memory
from diarist.app.recall import suggest
from diarist.errors import InvalidInputError, UsageError

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with diarist.open_memory(tmp_path / "ws") as opened:
        yield opened


def note(memory: Memory, title: str, body: str, *, day: int = 0, project: str = "shop", tags: tuple[str, ...] = ()) -> str:
    return memory.add_note(title=title, body=body, project=project, created_at=START + timedelta(days=day), tags=tags).id


FILLER = [
    ("Logs", "Log files are rotated at midnight and kept for a week."),
    ("Images", "Pictures of the products are scaled to 800 pixels."),
    ("Reports", "The nightly report goes to the finance team by mail."),
    ("Invoices", "Invoices are numbered without gaps over all shops."),
    ("Approval", "Orders above a thousand euros need a second approval."),
    ("Sorting", "Customer names are sorted by the rules of the locale."),
]


def fill(memory: Memory) -> None:
    for day, (title, body) in enumerate(FILLER):
        note(memory, title, body, day=day)


def test_what_was_just_written_is_found(memory: Memory) -> None:
    wanted = note(memory, "Basket", "Basket totals are cached in Redis.")
    fill(memory)
    hit = memory.search("where are basket totals cached?")[0]
    assert hit.id == wanted
    assert hit.snippet == "Basket totals are cached in Redis."
    assert hit.superseded_by is None


def test_only_records_that_hold_a_word_are_found(memory: Memory) -> None:
    fill(memory)
    wanted = note(memory, "Zebra", "Zebras graze.")
    assert [hit.id for hit in memory.search("zebra")] == [wanted]


def test_a_record_that_only_resembles_the_best_one_is_no_hit(memory: Memory) -> None:
    fill(memory)
    wanted = note(memory, "Zebra", "The savannah enclosure feeds the zebra at dawn with hay.", day=1)
    note(memory, "Giraffe", "The savannah enclosure feeds the giraffe at dawn with leaves and hay.", day=2)
    hits = memory.search("zebra")
    assert [hit.id for hit in hits] == [wanted]
    assert all(hit.snippet for hit in hits)


def test_a_quoted_phrase_binds_every_hit(memory: Memory) -> None:
    fill(memory)
    wanted = note(memory, "Queue", "Mails wait in the dead letter queue for nine days.", day=1)
    later = note(memory, "Queue", "Mails no longer wait for nine days in the queue; letters that are dead are dropped.", day=2)
    memory.judge(later, wanted, "supersedes")
    assert [(hit.id, hit.superseded_by) for hit in memory.search('"dead letter queue"')] == [(wanted, later)]
    assert {hit.id for hit in memory.search("dead letter queue")} == {wanted, later}


def test_what_replaced_a_hit_is_told_though_it_holds_no_word_of_the_query(memory: Memory) -> None:
    fill(memory)
    old = note(memory, "Basket cache", "Basket totals are cached in Redis.", day=10)
    new = note(memory, "Sums", "Sums live elsewhere.", day=20)
    memory.judge(new, old, "supersedes")
    assert [hit.id for hit in memory.search("basket totals redis")][:2] == [new, old]


def test_a_word_of_another_language_is_shown_where_its_stem_was_found(memory: Memory) -> None:
    fill(memory)
    wanted = note(memory, "TLS", "Die Laufzeit des Zertifikats ist nicht lang und wird von uns bei jedem Wechsel verdoppelt.")
    hits = memory.search("Zertifikat verdoppelt")
    assert hits[0].id == wanted
    shown = hits[0].snippet
    assert [shown[start:end] for start, end in hits.highlight(shown)] == ["Zertifikats", "verdoppelt"]


def test_an_empty_store_finds_nothing(memory: Memory) -> None:
    assert memory.search("anything") == []
    assert memory.search_error("ValueError: x") == []
    assert memory.recall("anything").text == ""


def test_filters_in_the_query_and_as_options(memory: Memory) -> None:
    first = note(memory, "Basket", "The basket is red.", tags=("ui",))
    second = note(memory, "Basket", "The basket is blue.", project="other", day=3)
    assert [hit.id for hit in memory.search("basket tag:ui")] == [first]
    assert [hit.id for hit in memory.search("basket project:other")] == [second]
    assert [hit.id for hit in memory.search("basket", project="other")] == [second]
    assert [hit.id for hit in memory.search("basket", kinds=["entry"])] == []
    assert [hit.id for hit in memory.search("since:2026-01-06")] == [second]
    assert {hit.id for hit in memory.search("kind:note")} == {first, second}
    with pytest.raises(UsageError, match="is not closed"):
        memory.search('"basket')


def test_an_amended_decision_gives_way_to_the_newest(memory: Memory) -> None:
    fill(memory)
    old = note(memory, "Basket cache", "Basket totals are cached in Redis for 60 minutes by the basket service.", day=10)
    new = note(memory, "Basket cache again", "Basket totals are no longer cached in Redis by the basket service, it computes them.", day=20)
    hits = memory.search("how long are basket totals cached in redis")
    assert [hit.id for hit in hits[:2]] == [new, old]
    assert [hit.superseded_by for hit in hits[:2]] == [None, new]
    pack = memory.recall("how long are basket totals cached in redis")
    assert [hit.id for hit in pack.items] == [new]
    for wanted in (old, new):
        judged = amendments_of(memory._box.store, memory._box.search_index(), wanted)
        assert [(one.earlier, one.later, one.stands) for one in judged] == [(old, new, False)]
        assert judged[0].score >= 1
        assert judged[0].parts["cue"] > 0.5


def test_a_person_can_say_that_a_decision_still_stands_and_take_it_back(memory: Memory) -> None:
    fill(memory)
    old = note(memory, "Basket cache", "Basket totals are cached in Redis for 60 minutes by the basket service.", day=10)
    new = note(memory, "Basket cache again", "Basket totals are no longer cached in Redis by the basket service, it computes them.", day=20)
    asked = "how long are basket totals cached in redis"
    memory.judge(new, old, "stands")
    assert {hit.id: hit.superseded_by for hit in memory.search(asked)[:2]} == {old: None, new: None}
    near = {each.record.id: each for each in memory.neighbours(new)}
    assert near[old].relation == "does not supersede"
    assert near[old].why.startswith("said by ")
    assert [each.relation for each in memory.neighbours(old) if each.record.id == new] == ["stands beside"]
    memory.judge(new, old, "undecided")
    assert {hit.id: hit.superseded_by for hit in memory.search(asked)[:2]} == {old: new, new: None}
    (again,) = [each for each in memory.neighbours(old) if each.record.id == new]
    assert again.relation == "superseded by"
    assert again.why.startswith("judged from the texts: ")
    with pytest.raises(InvalidInputError, match="itself"):
        memory.judge(new, new, "supersedes")


def test_a_person_can_say_what_the_texts_do_not(memory: Memory) -> None:
    """The later record takes the place of the earlier one, though it shares no word with the question."""
    fill(memory)
    old = note(memory, "Basket cache", "Basket totals are cached in Redis for 60 minutes.", day=10)
    new = note(memory, "Valkey", "Sums live in another place altogether.", day=20)
    other = note(memory, "Third", "A word of a third party.", project="depot", day=30)
    memory.judge(new, old, "supersedes")
    asked = "how long are basket totals cached in redis"
    hits = memory.search(asked)
    assert [hit.id for hit in hits[:2]] == [new, old]
    assert hits[1].superseded_by == new
    assert f"takes the place of {old}" in " ".join(hits[0].reasons)
    assert [hit.id for hit in memory.recall(asked).items] == [new]
    memory.judge(other, new, "supersedes")
    assert [hit.superseded_by for hit in memory.search(asked) if hit.id == old] == [new]
    assert memory.search(asked, project="shop", tag="none such") == []
    memory.judge(old, new, "supersedes")  # a circle ends somewhere, and nothing is lost
    assert {old, new} <= {hit.id for hit in memory.search(asked)}


def test_what_replaced_a_record_is_told_though_the_filter_leaves_it_out(memory: Memory) -> None:
    fill(memory)
    old = note(memory, "Basket cache", "Basket totals are cached in Redis.", day=10)
    new = note(memory, "Sums", "Sums live elsewhere.", project="depot", day=20)
    memory.judge(new, old, "supersedes")
    hits = memory.search("basket totals redis", project="shop")
    assert hits[0].id == old
    assert hits[0].superseded_by == new
    assert new not in {hit.id for hit in hits}


def test_what_a_person_marked_as_superseded_counts_less(memory: Memory) -> None:
    fill(memory)
    one = note(memory, "Basket", "The basket is red and the basket is large.", day=1)
    other = note(memory, "Basket", "The basket has a colour.", day=2)
    assert [hit.id for hit in memory.search("red basket")] == [one, other]
    store = memory._box.store
    with store.transaction(actor="kim", at=START + timedelta(days=9)) as tx:
        tx.set_status(one, "superseded", action="supersede")
    hits = memory.search("basket")
    assert [hit.id for hit in hits] == [other, one]
    assert "marked as superseded" in hits[1].reasons
    assert one not in {hit.id for hit in memory.recall("is the basket red and large").items}


def test_recall_says_nothing_where_nothing_fits(memory: Memory) -> None:
    fill(memory)
    assert memory.recall("how long does pizza dough rest").items == ()
    assert memory.recall("are log files rotated at midnight").items[0].title == "Logs"


def test_one_rare_word_of_several_is_no_answer(memory: Memory) -> None:
    fill(memory)
    note(memory, "Zoo", "The zebra eats hay.")
    assert memory.recall("paint the zebra fence green").items == ()
    assert memory.recall("what hay does the zebra eat").items[0].title == "Zoo"
    assert memory.recall("zebra").items[0].title == "Zoo"


FAILED = """\
User: The import does not run.
$ python import.py
Traceback (most recent call last):
  File "/home/a/import.py", line 9, in <module>
    load()
PriceListError: the price list of '{shop}' is locked by another process
[exit code 1]
Assistant: {what}
$ python import.py
{result}
"""


def test_an_error_finds_the_run_that_solved_it_first(memory: Memory) -> None:
    again = FAILED[FAILED.index("Traceback") : FAILED.index("Assistant")].strip()
    for task, what, result, day in (
        ("t1", "I could not find the other process; the import stays broken.", again.format(shop="t1"), 3),
        ("t2", "The lock file was stale, removed it.", "done\n[exit code 0]", 1),
    ):
        transcript = FAILED.format(shop=task, what=what, result=result)
        memory.add_entry(task_id=task, transcript=transcript, project="shop", created_at=START + timedelta(days=day))
    fill(memory)
    pasted = "2026-04-01 10:00:00 ERROR PriceListError: the price list of 'berlin' is locked by another process"
    hits = memory.search_error(pasted)
    assert [hit.task_id for hit in hits] == ["t2", "t1"]
    pack = memory.recall(pasted)
    assert pack.items[0].task_id == "t2"
    assert "stale" in pack.text


def test_suggestions_for_what_is_not_found(memory: Memory) -> None:
    note(memory, "Basket", "The basket holds vouchers.")
    assert memory.search("vuochers") == []
    assert memory.suggest("vuochers")[0].startswith("voucher")
    assert suggest(memory._box.search_index(), "vuochers", memory._box.store) == ["vouchers"]


def test_reasons_on_request(memory: Memory) -> None:
    """The parts of a score add up to it, and words that a record lacks are named."""
    note(memory, "Basket", "The basket is red.")
    hit = memory.search("red basket elephant", explain=True)[0]
    assert hit.reasons[0] == f"score {hit.score:.3f}"
    parts = dict(re.findall(r"(\w+) (\d\.\d+) \(rarity", hit.reasons[1]))
    assert hit.reasons[1].startswith(f"words {hit.score:.3f} = ")
    assert set(parts) == {"red", "basket"}
    assert sum(map(float, parts.values())) == pytest.approx(hit.score, abs=0.002)
    assert hit.reasons[-1] == "does not hold elephant"
    assert len(memory.search("red basket elephant")[0].reasons) == 1


def test_the_index_can_be_lost_at_any_time(memory: Memory, tmp_path: Path) -> None:
    wanted = note(memory, "Basket", "The basket is red.")
    assert memory.index_status()["behind"] == 1
    assert memory.search("red")[0].id == wanted
    assert memory.index_status() == {"position": 1, "last_change": 1, "behind": 0, "records": 1}
    assert memory.verify_index() == []
    assert memory.rebuild_index() == 1
    shutil.rmtree(tmp_path / "ws" / "index")
    assert memory.search("red")[0].id == wanted
    for path in (tmp_path / "ws" / "index").rglob("*"):
        if path.is_file():
            path.unlink()
    with diarist.open_memory(tmp_path / "ws") as again:
        assert again.search("red")[0].id == wanted


def test_reading_only_searches_what_is_indexed_and_tells_how_far_behind(memory: Memory, tmp_path: Path) -> None:
    note(memory, "Basket", "The basket is red.")
    memory.search("red")
    note(memory, "Voucher", "The voucher is red.")
    with diarist.open_memory(tmp_path / "ws", read_only=True) as reader:
        hits = reader.search("red")
        assert [hit.title for hit in hits] == ["Basket"]
        assert getattr(hits, "behind", None) == 1


def test_the_same_store_gives_the_same_answer(memory: Memory) -> None:
    fill(memory)
    assert memory.search("orders and invoices of the shops") == memory.search("orders and invoices of the shops")
    before = [hit.id for hit in memory.search("orders and invoices of the shops")]
    memory.rebuild_index()
    assert [hit.id for hit in memory.search("orders and invoices of the shops")] == before
