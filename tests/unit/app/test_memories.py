"""Namespaced memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diarist.app.memories import Item, check_namespace
from diarist.app.memory import Memory
from diarist.app.memory_search import cosine
from diarist.app.toolbox import Embedders
from diarist.bootstrap import open_memory
from diarist.errors import InvalidInputError, ModelError, NotFoundError, UsageError
from diarist.model.erasing import EraseWish
from diarist.model.memory_item import SpaceOptions
from diarist.model.record import RecordFilter
from diarist.model.redacted import Redacted
from diarist.stores import open_store
from unit.stages.redact.secrets_made import Maker

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SPACE = "project/notes"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty workspace whose clock goes on by a second a look."""
    ticks = iter(range(1_000_000))
    with open_memory(tmp_path / "ws", now=lambda: NOW + timedelta(seconds=next(ticks))) as opened:
        yield opened


class Wheel:
    """An embedder of two numbers: is it about engines, is it about food?"""

    name = "wheel/1"
    dimensions = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[Redacted]) -> list[list[float]]:
        """Counts."""
        self.asked += texts
        return [[float(sum(w in t for w in ("engine", "motor"))), float(sum(w in t for w in ("soup", "bread")))] for t in texts]


def keys(memory: Memory, query: str, **how: Any) -> list[str]:
    """Keys that recall gives."""
    return [hit.item.key for hit in memory.memory_recall(SPACE, query, **how).hits]


def test_only_what_fits_is_recalled_with_a_score(memory: Memory) -> None:
    """Words of text, key, tags and values."""
    memory.memory_store(SPACE, Item("deploy", "the gateway needs a warm-up before it is deployed", tags=["ops"]))
    memory.memory_store(SPACE, Item("lunch", {"soup": "tomato"}))
    found = memory.memory_recall(SPACE, "gateway")
    assert [hit.item.key for hit in found.hits] == ["deploy"]
    assert found.hits[0].score > 0
    assert keys(memory, "tomato") == ["lunch"]
    assert keys(memory, "ops") == ["deploy"]
    assert keys(memory, "nothing like that") == []


def test_equal_scores_stand_newest_first_and_no_query_lists_the_newest(memory: Memory) -> None:
    """Deterministic."""
    for number in range(4):
        memory.memory_store(SPACE, Item(f"k{number}", "the same words"))
    assert keys(memory, "same words", k=3) == ["k3", "k2", "k1"]
    found = memory.memory_recall(SPACE, "", k=2)
    assert [(hit.item.key, hit.score) for hit in found.hits] == [("k3", 0.0), ("k2", 0.0)]


def test_own_ids_and_times_are_kept_and_distinct_within_a_namespace(memory: Memory) -> None:
    """For imports and replays; the same id again replaces."""
    at = datetime(2025, 1, 2, tzinfo=UTC)
    for space in (SPACE, "project/other"):
        made = memory.memory_store(space, Item("k", space, id="mine", at=at))
        assert (made.id, made.stored_at) == ("mine", at)
    memory.memory_store(SPACE, Item("k", "newer", id="mine", at=at))
    assert [item.value for item in memory.memory_list(SPACE)] == ["newer"]
    assert [item.value for item in memory.memory_list("project/other")] == ["project/other"]


@pytest.mark.parametrize("bad", ["", " ", "/etc", "..", "a/../b", "a//b", "a/.", "C:/x", "\\x", "a/b/", "a\n/b"])
def test_namespaces_are_relative_paths(memory: Memory, bad: str) -> None:
    """Absolute ones and steps upwards are refused everywhere."""
    with pytest.raises(InvalidInputError, match="not a namespace"):
        check_namespace(bad)
    with pytest.raises(InvalidInputError):
        memory.memory_store(bad, Item("k", "v"))
    with pytest.raises(InvalidInputError):
        memory.memory_recall(bad, "x")


def test_projects_and_namespaces_are_apart(memory: Memory) -> None:
    """Nothing is read or forgotten across."""
    memory.memory_store(SPACE, Item("k", "v"), project="a")
    assert memory.memory_recall(SPACE, "v", project="b").hits == ()
    assert memory.memory_forget(SPACE, {"key": "k"}, project="b").ids == ()
    assert len(memory.memory_list(SPACE, project="a")) == 1


@pytest.mark.parametrize(
    ("predicate", "gone"),
    [
        ({"tag": "x"}, ["a", "b"]),
        ({"tags": ["x", "y"]}, ["a", "b", "c"]),
        ({"tag": "x", "key": "b"}, ["b"]),
        ({"query": "FIRST words"}, ["a"]),
        ({"id": "id-c"}, ["c"]),
        ("SECOND", ["b"]),
        ({"tag": "x", "query": "third"}, []),
    ],
)
def test_forgetting_takes_what_all_conditions_fit(memory: Memory, predicate: Any, gone: list[str]) -> None:
    """And says which; it is retracted, not erased."""
    for key, text, tags in (("a", "the first", ["x"]), ("b", "the second", ["x"]), ("c", "the third", ["y"])):
        memory.memory_store(SPACE, Item(key, text, tags=tags, id=f"id-{key}"))
    assert memory.memory_forget(SPACE, predicate).ids == tuple(f"id-{key}" for key in gone)
    assert [item.key for item in memory.memory_list(SPACE)] == [key for key in "abc" if key not in gone]
    assert len(memory.memory_list(SPACE, active=False)) == 3


@pytest.mark.parametrize("predicate", ["", "  ", {}, {"colour": "red"}])
def test_forgetting_by_nothing_is_refused(memory: Memory, predicate: Any) -> None:
    """It would be everything, or a typing error."""
    with pytest.raises(UsageError):
        memory.memory_forget(SPACE, predicate)


def test_updates_overlay_and_history_keeps_what_was(memory: Memory) -> None:
    """Flags are merged key by key."""
    made = memory.memory_store(SPACE, Item("k", "v1", flags={"a": 1, "b": 2}))
    changed = memory.memory_update(SPACE, made.id, {"value": "v2", "flags": {"b": 3}, "tags": ["t"]})
    assert (changed.value, changed.text, changed.flags, changed.tags, changed.key) == ("v2", "v2", {"a": 1, "b": 3}, ("t",), "k")
    record = next(iter(memory.list_records(RecordFilter(kinds=("memory",)))))
    assert [event.action for event in memory._box.store.get_history(record.id)] == ["store", "update"]
    with pytest.raises(InvalidInputError, match="cannot be changed"):
        memory.memory_update(SPACE, made.id, {"stored_at": "now"})


def test_what_is_unknown_or_forgotten_cannot_be_updated(memory: Memory) -> None:
    """It says so."""
    made = memory.memory_store(SPACE, Item("k", "v"))
    memory.memory_forget(SPACE, {"id": made.id})
    for wanted in (made.id, "nothing"):
        with pytest.raises(NotFoundError):
            memory.memory_update(SPACE, wanted, {"value": 1})


def test_a_summary_is_the_newest_items_in_their_own_words(memory: Memory) -> None:
    """Bounded, and it counts all."""
    for number in range(30):
        memory.memory_store(SPACE, Item(f"k{number}", f"text {number}"))
    made = memory.memory_summarize(SPACE, limit=2)
    assert (made.count, made.text) == (30, "- k29: text 29\n- k28: text 28")
    assert len(memory.memory_summarize(SPACE, limit=200).text) <= 4000
    assert memory.memory_summarize(SPACE, since=NOW + timedelta(days=1)).count == 0
    for limit in (0, 201):
        with pytest.raises(UsageError):
            memory.memory_summarize(SPACE, limit=limit)


@pytest.mark.parametrize("k", [0, 101])
def test_recall_gives_one_to_a_hundred(memory: Memory, k: int) -> None:
    """No more, no fewer."""
    with pytest.raises(UsageError):
        memory.memory_recall(SPACE, "x", k)


def test_retention_keeps_the_newest(memory: Memory) -> None:
    """As the namespace was opened last."""
    memory.memory_open(SPACE, SpaceOptions(retain=50))
    memory.memory_open(SPACE, SpaceOptions(retain=2))
    for number in range(4):
        memory.memory_store(SPACE, Item(f"k{number}", "v"))
    assert [item.key for item in memory.memory_list(SPACE)] == ["k2", "k3"]
    with pytest.raises(UsageError):
        memory.memory_open(SPACE, SpaceOptions(retain=0))


def test_a_mode_that_cannot_be_is_not_exchanged_silently(memory: Memory) -> None:
    """Without an embedder."""
    memory.memory_store(SPACE, Item("k", "engine"))
    found = memory.memory_recall(SPACE, "engine", mode="hybrid")
    assert (found.requested_mode, found.effective_mode) == ("hybrid", "bm25")
    assert "no embedder" in found.fallback_reason
    assert len(found.hits) == 1


def test_vectors_find_what_words_do_not_and_are_computed_once(memory: Memory) -> None:
    """Vector and hybrid recall by choice; the cache is keyed by text and model."""
    memory.memory_store(SPACE, Item("a", "the engine stalls"))
    memory.memory_store(SPACE, Item("b", "bread and soup"))
    wheel = Wheel()
    assert keys(memory, "motor", mode="vector", embedder=wheel) == ["a"]
    assert keys(memory, "motor", embedder=wheel) == []
    asked = len(wheel.asked)
    assert keys(memory, "motor", mode="hybrid", embedder=wheel) == ["a"]
    assert len(wheel.asked) == asked + 1
    assert {file.parent.name for file in (memory._box.settings.workspace / "vectors").rglob("*.json")} == {"wheel_1"}


def test_a_damaged_cache_is_made_anew(memory: Memory) -> None:
    """It is derived."""
    memory.memory_store(SPACE, Item("a", "the engine stalls"))
    keys(memory, "motor", mode="vector", embedder=Wheel())
    for file in (memory._box.settings.workspace / "vectors").rglob("*.json"):
        file.write_text("{torn")
    assert keys(memory, "motor", mode="vector", embedder=Wheel()) == ["a"]


def test_cosine_of_nothing_is_nothing_and_lengths_must_agree() -> None:
    """A zero vector is like none."""
    assert cosine([0, 0], [1, 1]) == 0
    assert cosine([1, 0], [2, 0]) == pytest.approx(1)
    with pytest.raises(InvalidInputError, match="cannot be compared"):
        cosine([1], [1, 2])


def test_secrets_are_masked_in_values_keys_tags_and_provenance(memory: Memory) -> None:
    """Before anything is kept."""
    secret = Maker(7).github()
    memory.memory_store(SPACE, Item(f"token {secret}", {"deep": [secret]}, tags=[secret], provenance={"from": secret}))
    memory.memory_update(SPACE, memory.memory_list(SPACE)[0].id, {"value": f"again {secret}"})
    for record in memory.list_records(RecordFilter(include_inactive=True)):
        assert secret.encode() not in record.body
        assert all(secret.encode() not in (event.payload or b"") for event in memory._box.store.get_history(record.id))


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"x", "x" * 300_000])
def test_a_value_that_is_no_json_or_too_long_is_refused(memory: Memory, value: Any) -> None:
    """With a reason."""
    with pytest.raises(InvalidInputError):
        memory.memory_store(SPACE, Item("k", value))


# --- events.jsonl ---------------------------------------------------------------------------------------------------------


def log_lines() -> list[dict[str, Any]]:
    """A log as Harn writes it."""
    days = [f"2026-01-0{day}T00:00:00Z" for day in range(1, 6)]
    first = {"key": "a", "value": {"x": 1}, "text": "x one", "tags": ["t"], "stored_at": days[1]}
    second = {"key": "b", "value": "two", "text": "two", "tags": [], "stored_at": days[2], "provenance": {"by": "me"}, "future": 7}
    return [
        {"type": "open", "namespace": SPACE, "backend": "bm25", "opened_at": days[0], "model_hint": "", "dim": 3},
        {"type": "store", "id": "01", "namespace": SPACE, **first},
        {"type": "store", "id": "02", "namespace": SPACE, **second},
        {"type": "update", "namespace": SPACE, "id": "02", "flags": {"seen": True}, "updated_at": days[3]},
        {"type": "forget", "namespace": SPACE, "predicate": {"tag": "t"}, "forgotten_ids": ["01"], "forgotten_at": days[4]},
    ]


def write_log(path: Path, lines: Sequence[Any], tail: str = "") -> Path:
    """A file of it."""
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines) + tail, encoding="utf-8")
    return path


def test_a_log_is_taken_over_and_given_back_without_loss(memory: Memory, tmp_path: Path) -> None:
    """Every field of every event, in order; and what it means is what recall sees."""
    source = write_log(tmp_path / "events.jsonl", log_lines())
    before = hashlib.sha256(source.read_bytes()).hexdigest()
    report = memory.import_memory(source, SPACE)
    assert (report.lines, report.opened, report.stored, report.updated, report.forgotten) == (5, 1, 2, 1, 1)
    assert not report.problems
    assert [json.loads(line) for line in memory.export_memory(SPACE)] == log_lines()
    (item,) = memory.memory_list(SPACE)
    assert (item.id, item.flags) == ("02", {"seen": True})
    assert hashlib.sha256(source.read_bytes()).hexdigest() == before


def test_a_second_import_adds_nothing_and_a_dry_run_writes_nothing(memory: Memory, tmp_path: Path) -> None:
    """So a broken one can simply be done again."""
    source = write_log(tmp_path / "events.jsonl", log_lines())
    assert memory.import_memory(source, SPACE, dry_run=True).stored == 2
    assert not memory.memory_list(SPACE, active=False)
    memory.import_memory(source, SPACE)
    seq = memory._box.store.last_seq()
    assert memory.import_memory(source, SPACE).known == 5
    assert memory._box.store.last_seq() == seq


def test_torn_and_bad_lines_are_named_and_left_out(memory: Memory, tmp_path: Path) -> None:
    """The rest is taken over."""
    lines = [log_lines()[1], "not json", "[1]", {"type": "sing"}, {"type": "store", "id": "3"}, log_lines()[2]]
    report = memory.import_memory(write_log(tmp_path / "events.jsonl", lines, '{"type": "sto'), SPACE)
    assert report.stored == 2
    assert [problem.path.rpartition(":")[2] for problem in report.problems] == ["2", "3", "4", "5", "7"]
    assert "torn" in report.problems[-1].reason
    assert report.lines == report.stored + len(report.problems)


def test_own_stores_updates_and_forgettings_are_exported_too(memory: Memory, tmp_path: Path) -> None:
    """A log of ours goes into another workspace whole."""
    made = memory.memory_store(SPACE, Item("k", {"deep": [1]}, tags=["b", "a"]))
    memory.memory_update(SPACE, made.id, {"tags": ["c"]})
    memory.memory_store(SPACE, Item("gone", "x"))
    memory.memory_forget(SPACE, {"key": "gone"})
    out = tmp_path / "out.jsonl"
    out.write_bytes(b"".join(memory.export_memory(SPACE)))
    with open_memory(tmp_path / "other", now=lambda: NOW) as other:
        assert not other.import_memory(out, SPACE).problems
        assert [(item.key, item.value, item.tags) for item in other.memory_list(SPACE)] == [("k", {"deep": [1]}, ("c",))]
        assert b"".join(other.export_memory(SPACE)) == out.read_bytes()


@given(st.lists(st.tuples(st.text(min_size=1, max_size=8).filter(str.strip), JSON), max_size=6))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_values_survive_export_and_import(tmp_path: Path, items: list[tuple[str, Any]]) -> None:
    """Keys and JSON of any kind."""
    mark = hashlib.sha256(repr(items).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    with open_memory(tmp_path / f"a{mark}", now=lambda: NOW) as one:
        for number, (key, value) in enumerate(items):
            one.memory_store(SPACE, Item(key, value, id=str(number), at=NOW + timedelta(seconds=number)))
        log = tmp_path / "log.jsonl"
        log.write_bytes(b"".join(one.export_memory(SPACE)))
        kept = [(item.id, item.key, item.value) for item in one.memory_list(SPACE)]
    with open_memory(tmp_path / f"b{mark}", now=lambda: NOW) as two:
        two.import_memory(log, SPACE)
        assert [(item.id, item.key, item.value) for item in two.memory_list(SPACE)] == kept


def test_history_tells_what_an_item_was(memory: Memory) -> None:
    """Stored, updated, forgotten; and nothing of an item that never was."""
    made = memory.memory_store(SPACE, Item("k", "v1"))
    memory.memory_update(SPACE, made.id, {"value": "v2"})
    memory.memory_forget(SPACE, {"id": made.id})
    past = memory.memory_history(SPACE, made.id)
    assert [(each.action, each.item.value if each.item else None) for each in past] == [("store", "v1"), ("update", "v2"), ("forget", None)]
    with pytest.raises(NotFoundError):
        memory.memory_history(SPACE, "nothing")
    with pytest.raises(NotFoundError):
        memory.memory_history(SPACE, made.id, project="other")


def test_a_log_is_written_where_harn_looks_for_it_and_never_over_more_than_is_known(memory: Memory, tmp_path: Path) -> None:
    """Again with more, it grows; a foreign line stops it."""
    memory.memory_store(SPACE, Item("k", {"a": 1}))
    file = memory.write_memory_log(SPACE, tmp_path)
    assert file == tmp_path / "memory" / "project" / "notes" / "events.jsonl"
    memory.memory_store(SPACE, Item("k2", "v"))
    memory.write_memory_log(SPACE, tmp_path)
    assert file.read_bytes() == b"".join(memory.export_memory(SPACE))
    with file.open("ab") as stream:
        stream.write(b'{"type":"store","id":"theirs"}\n')
    with pytest.raises(InvalidInputError, match="import"):
        memory.write_memory_log(SPACE, tmp_path)
    assert file.read_bytes().endswith(b'"theirs"}\n')


def test_two_tenants_of_one_database_share_nothing(tmp_path: Path) -> None:
    """Not items, observations, proposals, states or skills, whatever their namespaces and names."""
    with tenant_memory(tmp_path / "ws", "acme") as one, tenant_memory(tmp_path / "ws", "globex") as two:
        share_nothing(one, two)


@contextmanager
def tenant_memory(folder: Path, tenant: str) -> Iterator[Memory]:
    """A workspace as one of its tenants sees it."""
    with open_memory(folder, now=lambda: NOW) as memory, closing(memory._box.store):
        memory._box = memory._box._replace(store=open_store(folder, tenant=tenant))
        yield memory


def share_nothing(one: Memory, two: Memory) -> None:
    """What `one` keeps is nowhere in `two`."""
    for number in range(3):
        told = {"tools": ["mcp__vault__read", "mcp__vault__write"], "observed_at": NOW, "project": "shop"}
        one.observe(session_id=f"s{number}", prompt="rotate the signing keys", **told)
    one.memory_store(SPACE, Item("k", "of acme", id="1"), project="shop")
    (found,) = one.mine_patterns(now=NOW, project="shop")
    one.accept_skill(found.id)
    one.set_learning(False, "shop")
    assert two.memory_list(SPACE, project="shop") == []
    assert two.memory_recall(SPACE, "acme", project="shop").hits == ()
    assert not two.mine_patterns(now=NOW)
    assert not two.proposals(states=())
    assert not two.skills()
    assert two.learning("shop").enabled
    assert two.match_skills("rotate the signing keys") == []
    assert list(two.export_memory("project/pattern-learning", project="shop")) == []
    with pytest.raises(NotFoundError):
        two.get_proposal(found.id)


def test_the_configured_model_is_used_by_choice_and_within_its_cap(memory: Memory) -> None:
    """What it costs is counted; when the day's tokens are used up, or it fails, words decide and the reason is told."""
    memory.memory_store(SPACE, Item("a", "the engine stalls"))
    memory.memory_store(SPACE, Item("b", "bread and soup"))
    wheel = Wheel()
    memory._box = memory._box._replace(embedders=lambda: Embedders("wheel/1", wheel, wheel, costs=True))
    assert keys(memory, "motor") == []
    assert not wheel.asked
    assert keys(memory, "motor", mode="vector") == ["a"]
    spent = memory._box.store.get_spending_of(f"{NOW:%Y-%m-%d}", "embed")
    assert (spent.calls, spent.tokens > 5) == (2, True)
    values = {**memory._box.settings.values, "vectors.daily_tokens": 1}
    memory._box = memory._box._replace(settings=memory._box.settings._replace(values=values))
    found = memory.memory_recall(SPACE, "engine", mode="hybrid")
    assert (found.effective_mode, [hit.item.key for hit in found.hits]) == ("bm25", ["a"])
    assert "used up" in found.fallback_reason


def test_a_model_that_cannot_be_had_is_no_error_of_recall(memory: Memory) -> None:
    """It says so."""

    def broken() -> Embedders:
        raise ModelError("the model file is gone")

    memory.memory_store(SPACE, Item("a", "the engine stalls"))
    memory._box = memory._box._replace(embedders=broken)
    found = memory.memory_recall(SPACE, "engine", mode="vector")
    assert (found.requested_mode, found.effective_mode, found.fallback_reason) == ("vector", "bm25", "the model file is gone")


def test_an_item_is_erased_by_the_id_that_it_was_given(memory: Memory) -> None:
    """The one that storing and recalling tell."""
    made = memory.memory_store(SPACE, Item("k", "v"))
    kept = memory.memory_store(SPACE, Item("k", "w", id="mine"))
    memory.erase(EraseWish(ids=(made.id,)))
    assert [item.id for item in memory.memory_list(SPACE, active=False)] == [kept.id]
    memory.erase(EraseWish(ids=("mine",)))
    assert memory.memory_list(SPACE, active=False) == []


def test_secrets_in_ids_namespaces_and_predicates_are_masked_and_still_fit(memory: Memory) -> None:
    """What names a thing may hold a secret as any other text."""
    secret = Maker(9).github()
    space = f"project/{secret}"
    memory.memory_store(space, Item("k", "v", id=secret))
    assert memory.memory_update(space, secret, {"value": "w"}).value == "w"
    assert memory.memory_recall(space, "w").hits
    assert len(memory.memory_history(space, secret)) == 2
    assert len(memory.memory_forget(space, {"id": secret}).ids) == 1
    for record in memory.list_records(RecordFilter(include_inactive=True)):
        assert secret not in f"{record.namespace} {record.task_id}"
        assert secret.encode() not in record.body
        assert all(secret.encode() not in (event.payload or b"") for event in memory._box.store.get_history(record.id))
