"""`Memory.erase`: what is erased is gone from everything, what was made from it too, and none of it comes back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

import diarist
import residue
from builders import ClaudeSession, fixed_test_session
from diarist.app.documents import Edit
from diarist.app.editing import Wish
from diarist.app.keys import Grant
from diarist.app.memories import Item
from diarist.app.memory import Memory
from diarist.app.mining import Curated
from diarist.app.reading import read_file
from diarist.errors import ErasedError, InvalidInputError, NotFoundError, UsageError
from diarist.model.erasing import EraseWish
from diarist.model.record import RecordFilter

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
VALUE = "GRAMPUS-4711"

Open = Callable[..., Memory]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Opens the workspace; each call of the clock is a second later, or fails after so many calls."""

    def open_(*, fail_after: int | None = None, workspace: str = "ws") -> Memory:
        calls = count()

        def now() -> datetime:
            number = next(calls)
            if fail_after is not None and number >= fail_after:
                raise KeyboardInterrupt
            return START + timedelta(seconds=number)

        return diarist.open_memory(tmp_path / workspace, environ={"HOME": str(tmp_path / "home")}, now=now)

    return open_


@pytest.fixture
def memory(opened: Open) -> Iterator[Memory]:
    with opened() as found:
        yield found


def telling_session(number: int) -> ClaudeSession:
    """A session that tells of the value in a prompt, a command, its output and a file."""
    session = fixed_test_session(number, module="parser")
    session.bash(f"deploy --to {VALUE}", f"Error: host {VALUE} refused\nConnectionError: {VALUE}", 1)
    return session.edit(f"/home/kim/work/{VALUE}/hosts.py", "HOST = ''", f"HOST = '{VALUE}'").bash(f"deploy --to {VALUE}", "done")


def check(memory: Memory) -> None:
    """Everything fits together."""
    assert memory.doctor()["faults"] == []
    assert memory.verify_index() == []


def ids(memory: Memory, *kinds: str) -> list[str]:
    return [record.id for record in memory.list_records(RecordFilter(kinds=kinds, include_inactive=True))]  # type: ignore[arg-type]


# --- by id and by filter --------------------------------------------------------------------------------------------------


def test_an_erased_entry_leaves_nothing_behind(memory: Memory, tmp_path: Path) -> None:
    """Record, history, evidence, index, published files, free pages; what has nothing to do with it stays."""
    told = telling_session(1).write(tmp_path / "in")
    plain = fixed_test_session(2, module="router").write(tmp_path / "in")
    entry = memory.ingest([told]).entries[0]
    kept = memory.ingest([plain]).entries[0]
    memory.feedback(entry.id, "helped", session=f"claude-code:{entry.session_id}")
    receipt = memory.erase(EraseWish(ids=(entry.id,)))
    assert residue.find(tmp_path / "ws", [VALUE, entry.session_id]) == []
    assert {each.kind for each in receipt.reached} == {"entry", "observation"}
    assert (receipt.sessions, receipt.parts, receipt.done) == (1, 1, True)
    assert receipt.files >= 2
    assert memory.uses() == []
    assert ids(memory, "entry") == [kept.id]
    assert memory.search("router tests")
    check(memory)


def test_an_erased_session_that_grows_stays_erased(memory: Memory, tmp_path: Path) -> None:
    """Also under another name, and after a restart of ingest from nothing."""
    session = telling_session(1)
    path = session.write(tmp_path / "in")
    entry = memory.ingest([path]).entries[0]
    memory.erase(EraseWish(session=entry.session_id))
    session.prompt(f"And now {VALUE} again.").reply("Done.").write(tmp_path / "in")
    copy = session.write(tmp_path / "copies", "copy.jsonl")
    report = memory.ingest([path, copy])
    assert report.entries == []
    assert not report.lost
    assert ids(memory, "entry") == []
    assert residue.find(tmp_path / "ws", [VALUE]) == []
    check(memory)


def test_a_task_of_a_host_stays_erased(memory: Memory) -> None:
    entry = memory.add_entry(task_id="T-1", transcript="User: fix it\n$ make\nerror: no rule\n$ make\nok")
    memory.erase(EraseWish(ids=(entry.id,)))
    with pytest.raises(ErasedError, match="erased"):
        memory.add_entry(task_id="T-1", transcript="User: fix it\n$ make\nok")
    assert not memory.record(task_id="T-1", transcript="User: fix it\n$ make\nok").recorded
    assert memory.add_entry(task_id="T-2", transcript="User: fix it\n$ make\nok").task_id == "T-2"


def test_filters_narrow_together_and_ids_are_added(memory: Memory) -> None:
    old = memory.add_entry(task_id="T-1", transcript="User: a\n$ make\nok", project="shop", created_at=START - timedelta(days=9))
    memory.add_entry(task_id="T-2", transcript="User: b\n$ make\nok", project="shop", created_at=START)
    other = memory.add_entry(task_id="T-3", transcript="User: c\n$ make\nok", project="bank", created_at=START - timedelta(days=9))
    note = memory.add_note(title="A note", body="Of no project.")
    found = memory.preview_erase(EraseWish(project="shop", before=START - timedelta(days=1), ids=(note.id,)))
    assert {each.id for each in found.named.values() if each.kind != "observation"} == {old.id, note.id}
    memory.erase(EraseWish(project="shop"))
    assert ids(memory, "entry") == [other.id]


def test_a_query_says_what_to_erase(memory: Memory) -> None:
    gone = memory.add_note(title="Deploying to the narwhal cluster", body="Use the blue gate.")
    kept = memory.add_note(title="Testing the parser", body="Run it twice.")
    memory.erase(EraseWish(query="narwhal"))
    assert ids(memory, "note") == [kept.id]
    assert gone.id not in ids(memory)


def test_a_wish_that_names_nothing_is_refused(memory: Memory) -> None:
    with pytest.raises(UsageError, match="say what to erase"):
        memory.erase(EraseWish())
    with pytest.raises(NotFoundError):
        memory.erase(EraseWish(ids=("kh-aaaaaaaaaaaaaaaa",)))
    with pytest.raises(InvalidInputError, match="at least 4"):
        memory.erase(EraseWish(values=("a b",)))
    assert memory.erasures() == []


def test_an_item_of_memory_goes_with_the_events_that_tell_of_it(memory: Memory, tmp_path: Path) -> None:
    item = memory.memory_store("project/notes", Item(key="host", value="first"))
    memory.memory_update("project/notes", item.id, {"value": f"then {VALUE}"})
    record = next(record.id for record in memory.list_records(RecordFilter(kinds=("memory",))))
    memory.erase(EraseWish(ids=(record,)))
    assert residue.find(tmp_path / "ws", [VALUE]) == []
    assert list(memory.export_memory("project/notes")) == []


def test_history_keeps_that_something_was_erased_but_not_what(memory: Memory) -> None:
    note = memory.add_note(title=f"About {VALUE}", body="A text.")
    memory.erase(EraseWish(ids=(note.id,)))
    events = list(memory._box.store.get_history(note.id))
    assert [event.action for event in events] == ["create", "erase"]
    assert [event.payload for event in events] == [None, None]
    assert events[-1].actor == memory._box.actor
    (receipt,) = memory.erasures()
    assert receipt.reached[0].id == note.id
    assert VALUE not in repr(receipt)


# --- what was derived -----------------------------------------------------------------------------------------------------


def _lessons(memory: Memory, tmp_path: Path) -> tuple[list[str], Path]:
    """Entries of one project, a report, an accepted lesson, and a checkout with the lesson in its AGENTS.md."""
    made = []
    for number in range(1, 4):
        text = f"User: The {VALUE} import fails, please fix it\n$ pytest tests/test_import.py\nKeyError: '{VALUE}'\nexit code 1\n"
        text += "$ sed -i s/a/b/ importer.py\n$ pytest tests/test_import.py\n3 passed\nAssistant: Fixed."
        made.append(memory.add_entry(task_id=f"T-{number}", transcript=text, project="shop", created_at=START - timedelta(days=1)).id)
    memory.synthesize(since="3000d", write=True, project="shop")
    (theme,) = memory.proposals(project="shop")
    memory.decide(theme.id, "accept")
    return made, tmp_path / "ws" / "projects" / "shop"


def test_erasing_evidence_takes_reports_proposals_and_lessons_along(memory: Memory, tmp_path: Path) -> None:
    """Each is named in the receipt with what it was made from, and can be made anew from the evidence that is left."""
    made, root = _lessons(memory, tmp_path)
    assert list(root.glob("runtime/syntheses/*.md"))
    receipt = memory.erase(EraseWish(ids=(made[0],)))
    derived = {each.kind: each for each in receipt.reached if each.because}
    assert {"lesson", "proposal", "state", "observation"} <= set(derived)
    assert not list(root.glob("runtime/syntheses/*.md"))
    assert ids(memory, "lesson", "proposal") == []
    assert memory.synthesize(since="3000d", write=True, project="shop").themes
    assert [proposal.state for proposal in memory.proposals(project="shop")] == ["pending"]
    assert memory.search("import tests")
    check(memory)


# --- by value -------------------------------------------------------------------------------------------------------------


def _everywhere(memory: Memory, folder: Path) -> None:
    memory.ingest([telling_session(1).write(folder), fixed_test_session(2, module="router").write(folder)])
    memory.add_entry(task_id=f"Fix {VALUE}", transcript=f"User: fix {VALUE}\n$ make\nerror: {VALUE}\n$ make\nok", project=f"p {VALUE}")
    note = memory.add_note(title=f"About {VALUE}", body=f"It is {VALUE}.", tags=[VALUE, "hosts"], project=f"p {VALUE}")
    memory.edit_note(note.id, body=f"It still is {VALUE}.")
    edited = memory.add_note(title="A clean note", body=f"Once it said {VALUE}.")
    memory.edit_note(edited.id, body="It says nothing any more.")
    memory.memory_store("project/notes", Item(key=VALUE, value={"host": [VALUE]}))
    memory.synthesize(since="3000d", write=True, project=f"p {VALUE}", min_cluster_size=1)
    memory.search("deploy")


def test_an_erased_value_is_gone_from_everything_and_the_rest_stays(memory: Memory, tmp_path: Path) -> None:
    _everywhere(memory, tmp_path / "in")
    before = ids(memory, "entry", "note", "memory")
    assert {place.split(" ")[0] for place in memory.residue([VALUE])} >= {"vault", "file", "name", "table"}
    receipt = memory.erase(EraseWish(values=(VALUE,)))
    assert receipt.residue == ()
    assert receipt.rewritten > 10
    assert residue.find(tmp_path / "ws", [VALUE]) == []
    assert ids(memory, "entry", "note", "memory") == before
    assert "[REDACTED:erased]" in "".join(record.body.decode() for record in memory.list_records(RecordFilter(kinds=("note",))))
    check(memory)
    for record in memory.list_records(RecordFilter(kinds=("entry",))):
        assert memory.verify(record.id).faults == ()


def test_a_value_in_the_name_of_a_proposed_skill_is_taken_out_of_it(memory: Memory, tmp_path: Path) -> None:
    word = VALUE.partition("-")[0].lower()
    runs = [memory.add_entry(task_id=f"t{n}", transcript=f"user: ship {word}\nassistant: done", project="shop").id for n in (1, 2)]
    told = Curated(f"ship-{word}-today", "Ship it", "Ships it. Use when asked to.", "1. Run `ship`.", tuple(runs), project="shop")
    filed = memory.propose_skill(told).proposal
    receipt = memory.erase(EraseWish(values=(word,)))
    assert receipt.residue == ()
    assert residue.find(tmp_path / "ws", [word]) == []
    (left,) = memory.proposals(project="shop")
    assert (left.id, left.name) == (filed.id, "ship-[REDACTED:erased]-today")
    assert memory.finish_erasures() == []
    check(memory)


VARIANTS = {
    "as it was": VALUE,
    "case": VALUE.lower(),
    "Cyrillic letters": VALUE.replace("A", "А").replace("P", "Р"),
    "full width": "".join(chr(ord(char) + 0xFEE0) for char in VALUE),
    "white space": " ".join(VALUE),
    "line breaks": "\n".join(VALUE),
    "invisible characters": "\u200b".join(VALUE),
    "soft hyphens": VALUE.replace("U", "U\u00ad"),
    "another dash": VALUE.replace("-", "\u2011"),
    "tags of invisible letters": VALUE.replace("M", "M\U000e0041"),
    "mathematical letters": "".join(chr(0x1D400 + ord(char) - 65) if char.isalpha() else char for char in VALUE),
    "combining marks": VALUE.replace("R", "R\u0301"),
    "hex": VALUE.encode().hex(),
    "reversed": VALUE[::-1],
    "percent-encoded": VALUE.replace("-", "%2D"),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_no_way_in_brings_an_erased_value_back(memory: Memory, tmp_path: Path, name: str) -> None:
    """Ingest, a host's run, notes, edits, items, imports: the value is masked, the rest is kept; a paraphrase passes."""
    memory.add_note(title="First", body=f"It is {VALUE}.")
    memory.erase(EraseWish(values=(VALUE,)))
    told = VARIANTS[name]
    session = fixed_test_session(3, module="parser").bash(f"deploy --to '{told}'", f"Error: {told} refused", 1).prompt(f"Use {told} now.")
    memory.ingest([session.write(tmp_path / "in")])
    memory.add_entry(task_id="T-9", transcript=f"User: deploy {told}\n$ make {told}\nok", host={"model": told})
    note = memory.add_note(title=f"About {told}", body=f"The host was {told}, they said.", tags=[told])
    memory.edit_note(note.id, body=f"It was {told}; the fourth grampus.")
    memory.memory_store("project/notes", Item(key="host", value=told))
    log = tmp_path / "events.jsonl"
    event = {"type": "store", "id": "x1", "namespace": "n", "key": "k", "value": told, "stored_at": "2026-01-01T00:00:00Z"}
    log.write_text(json.dumps(event) + "\n")
    memory.import_memory(log, "project/more")
    assert memory.residue() == []
    assert memory.residue([told]) == []
    assert memory.search("grampus")[0].id == note.id
    check(memory)


def test_a_value_that_is_a_word_does_not_hide_longer_words(memory: Memory) -> None:
    memory.erase(EraseWish(values=("Anna",)))
    note = memory.add_note(title="A trip", body="Savannah and Susanna are fine, Anna is not.")
    assert "Savannah and Susanna are fine, [REDACTED:erased] is not." in note.body.decode()


def test_an_erasure_that_was_killed_is_finished(opened: Open, tmp_path: Path) -> None:
    """At whatever call of the clock it dies, the next one finishes it; nothing is left."""
    with opened() as memory:
        _everywhere(memory, tmp_path / "in")
    for after in (2, 4, 8, 16, 24, 40):
        with suppress(KeyboardInterrupt), opened(fail_after=after) as memory:
            memory.erase(EraseWish(values=(VALUE,)))
    with opened() as memory:
        memory.finish_erasures()
        if not memory.erasures():
            memory.erase(EraseWish(values=(VALUE,)))
        assert all(receipt.done for receipt in memory.erasures())
        check(memory)
    assert residue.find(tmp_path / "ws", [VALUE]) == []


def test_what_was_read_before_an_erasure_and_written_after_it_is_masked(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process erases a value and a session while an import is under way."""
    telling, gone = telling_session(1), fixed_test_session(2, module="router").prompt("about quagga")
    (first,) = memory.ingest([gone.write(tmp_path / "in")]).entries
    gone.prompt("more quagga").write(tmp_path / "in")
    real = read_file

    def erasing(*given: object) -> object:
        read = real(*given)  # type: ignore[arg-type]
        with monkeypatch.context() as patched, diarist.open_memory(tmp_path / "ws", environ={"HOME": str(tmp_path / "home")}) as other:
            patched.setattr("diarist.app.ingest.read_file", real)
            if not other.erasures():
                other.erase(EraseWish(ids=(first.id,), values=(VALUE,)))
        return read

    monkeypatch.setattr("diarist.app.ingest.read_file", erasing)
    memory.ingest([telling.write(tmp_path / "in"), tmp_path / "in" / f"{gone.id}.jsonl"])
    assert len(ids(memory, "entry")) == 1
    assert residue.find(tmp_path / "ws", [VALUE, "quagga"]) == []
    assert memory.search("parser")
    check(memory)


def test_no_name_beside_the_texts_brings_it_back(memory: Memory, tmp_path: Path) -> None:
    """Sessions of the ledger, keys, actors, projects, workflows, reasons, paths, names of files."""
    note = memory.add_note(title="A note", body="Text.")
    memory.erase(EraseWish(values=(VALUE,)))
    memory.feedback(note.id, "helped", session=VALUE)
    memory.note_use([((note.id,), f"client:{VALUE}", 1e9, "shown")])
    memory.add_key(Grant(VALUE))
    memory.init_project(tmp_path, VALUE)
    filed = memory.propose_edit(Wish("Title", "Body", "", (), None, VALUE, "k"), None)
    memory.reword(filed.proposal.id, title=VALUE, body=VALUE)
    memory.decide(filed.proposal.id, "accept", why=VALUE, who=VALUE)
    memory.edit_document(Edit(path=f"diaries/{VALUE}/x.md", title=VALUE, body=VALUE, actor=VALUE))
    memory.observe(session_id=VALUE, prompt=VALUE, run_id=VALUE, tools=[VALUE])
    memory.set_learning(True, VALUE)
    memory.correct(note.id, "partly", text=VALUE, why=VALUE)
    memory.add_note(title="x", body="y", project=VALUE, agent=VALUE, workflow=VALUE)
    memory.ingest([fixed_test_session(3).write(tmp_path / "in", f"{VALUE}.jsonl")])
    memory.record(task_id=VALUE, transcript=f"User: {VALUE}\n$ make\nok", agent=VALUE, project=VALUE, host={"workflow": VALUE})
    assert residue.find(tmp_path / "ws", [VALUE]) == []
    memory.search("x")
    check(memory)
