"""From entries to a report, through the gate, to lessons; and back."""

from __future__ import annotations

import hashlib
import random
import re
import shutil
import string
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from diarist.app.drafts import Written
from diarist.app.memory import Memory
from diarist.app.records import entry_record
from diarist.bootstrap import open_memory
from diarist.errors import ReadOnlyError, ReviewError, StaleReviewError, UsageError
from diarist.model.codec import from_json, seal, to_json
from diarist.model.entry import Entry, ErrorSeen, Fix
from diarist.model.ids import make_id
from diarist.model.record import RecordFilter, SearchText
from diarist.model.redacted import derived
from diarist.model.theme import Lesson, Report
from diary_runs import words

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TOPICS = {
    "lock": (
        "Fix the deadlock between two checkouts of the orders table",
        "lock the order rows in id order",
        "retrying the checkout hid the deadlock",
    ),
    "cert": (
        "Renew the expired tls certificate of the proxy",
        "reload the proxy from a renewal hook",
        "a self signed certificate broke clients",
    ),
    "cache": ("Product cache stampede when the redis key expires", "add jitter to the cache ttl", "a longer ttl moved the spike"),
}


def text_of(topic: str, number: int) -> str:
    """One run about a topic, in a host's plain words."""
    title, worked, failed = TOPICS[topic]
    return f"{title}, case {number}\nTried:\n- {worked}\n- {failed}\nWorked:\n- {worked}\nFailed:\n- {failed}\nRationale: {title.lower()}\n"


def add(memory: Memory, topic: str, numbers: range, project: str = "demo", at: datetime = NOW) -> None:
    """So many runs, an hour apart."""
    for number in numbers:
        created = at - timedelta(hours=number + 1)
        memory.add_entry(task_id=f"{topic}-{number}", transcript=text_of(topic, number), project=project, created_at=created)


class Clock:
    """The time, as the test sets it."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> Clock:
    """Noon."""
    return Clock()


@pytest.fixture
def opened(tmp_path: Path, clock: Clock) -> Callable[[], Memory]:
    """Opens the test's workspace."""
    return lambda: open_memory(tmp_path / "ws", now=clock)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with two topics of three runs each, for the tests to copy."""
    folder = tmp_path_factory.mktemp("filled")
    with open_memory(folder / "ws", now=Clock(), environ={"HOME": str(folder)}) as made:
        add(made, "lock", range(3))
        add(made, "cert", range(3))
    return folder / "ws"


@pytest.fixture
def memory(filled: Path, tmp_path: Path, opened: Callable[[], Memory]) -> Iterator[Memory]:
    """Two topics of three runs each."""
    shutil.copytree(filled, tmp_path / "ws")
    with opened() as made:
        yield made


def drafted(memory: Memory, **options: Any) -> tuple[Report, Written]:
    """The project's report, written."""
    report = memory.synthesize(project="demo", write=True, **options)
    written = memory.find_report(project="demo", **{name: value for name, value in options.items() if name != "now"})
    assert written is not None
    return report, written


def front_of(file: Path) -> dict[str, Any]:
    """Front matter of a report."""
    found = yaml.safe_load(file.read_text(encoding="utf-8").split("---\n")[1])
    assert isinstance(found, dict)
    return found


def lessons(memory: Memory) -> list[Lesson]:
    """Lessons that stand."""
    return [from_json(record.body, Lesson) for record in memory.list_records(RecordFilter(kinds=("lesson",)))]


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, but what SQLite keeps for its readers."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".db-shm"
    }


# --- finding --------------------------------------------------------------------------------------------------------------


def test_synthesize_writes_nothing_unless_told_to(memory: Memory, tmp_path: Path) -> None:
    """Not even a folder."""
    before = everything(tmp_path)
    report = memory.synthesize()
    assert [theme.size for theme in report.themes] == [3, 3]
    assert everything(tmp_path) == before
    assert memory.proposals() == []


def test_the_same_store_and_now_give_the_same_bytes(opened: Callable[[], Memory], tmp_path: Path, clock: Clock) -> None:
    """Whatever order the runs came in."""
    digests = set()
    for name, order in (("a", 1), ("b", -1)):
        with closing(open_memory(tmp_path / name, now=clock)) as made:
            for topic in list(TOPICS)[::order]:
                for number in list(range(4))[::order]:
                    add(made, topic, range(number, number + 1))
            digests |= {to_json(made.synthesize(now=NOW)) for _ in range(2)}
    assert len(digests) == 1


@pytest.mark.parametrize(("since", "entries"), [("1h", 2), ("3599s", 0), ("2h", 4), ("119m", 2), ("1d", 6), ("1", 6), ("14d", 6)])
def test_the_window_is_exact_to_the_second(memory: Memory, since: str, entries: int) -> None:
    """Bernstein makes a day of everything that is shorter. The first run of each topic ended an hour ago to the second."""
    assert memory.synthesize(since=since, now=NOW).entries == entries


def test_what_has_not_happened_yet_is_not_in_the_window(memory: Memory) -> None:
    """Bernstein lets every future date pass."""
    assert memory.synthesize(now=NOW - timedelta(hours=2, seconds=1)).entries == 2


@pytest.mark.parametrize("since", ["xyz", "", "-3d", "1.5d", "²", "99999999999d", "0d"])
def test_a_span_that_makes_no_sense_is_bad_usage(memory: Memory, since: str) -> None:
    """Never a traceback, never another span."""
    with pytest.raises(UsageError):
        memory.synthesize(since=since)


def test_a_span_that_reaches_before_the_calendar_is_bad_usage(memory: Memory) -> None:
    """A replay in the year 50."""
    with pytest.raises(UsageError, match="calendar"):
        memory.synthesize(since="36500d", now=datetime(50, 1, 1, tzinfo=UTC))


def test_a_damaged_record_is_named_and_the_rest_is_read(memory: Memory) -> None:
    """One bad file kills Bernstein's whole run."""
    record = memory.get("lock-0")
    body = b'{"id": 42}'
    broken = msgspec.structs.replace(record, body=body, digest=hashlib.sha256(body).hexdigest())
    with memory._box.store.transaction(actor="test", at=NOW) as tx:
        tx.put_record(broken, SearchText())
    report = memory.synthesize()
    assert [skipped.name for skipped in report.skipped] == [record.id]
    assert report.entries == 5
    assert report.themes


# --- the draft ------------------------------------------------------------------------------------------------------------


def test_a_report_is_written_unapproved_where_the_page_says(memory: Memory, tmp_path: Path) -> None:
    """And its themes wait for review."""
    report, written = drafted(memory)
    assert written.file == tmp_path / "ws" / "projects" / "demo" / "runtime" / "syntheses" / "2026-11-30.md"
    front = front_of(written.file)
    assert (front["approved"], front["theme_count"], front["since"]) == (False, 2, "14d")
    assert sorted(each.name for each in memory.proposals()) == sorted(theme.id for theme in report.themes)
    assert lessons(memory) == []


def test_over_all_projects_each_gets_its_own_report_about_its_own_entries(memory: Memory, tmp_path: Path) -> None:
    """Nothing of one project stands in another's files."""
    add(memory, "cache", range(3), project="other")
    memory.synthesize(write=True)
    texts = {name: (tmp_path / "ws" / "projects" / name / "runtime/syntheses/2026-11-30.md").read_text() for name in ("demo", "other")}
    assert "deadlock" in texts["demo"]
    assert "jitter" not in texts["demo"]
    assert "jitter" in texts["other"]
    assert "deadlock" not in texts["other"]


def test_a_second_report_of_a_day_takes_the_place_of_an_open_one(memory: Memory) -> None:
    """Id and place stay, the themes are refreshed."""
    _, first = drafted(memory)
    add(memory, "lock", range(3, 5))
    _, second = drafted(memory)
    assert second.file == first.file
    assert front_of(second.file)["entries_in_themes"] == 8
    assert len(memory.proposals()) == 2


def test_a_report_that_was_approved_or_edited_is_never_overwritten(memory: Memory) -> None:
    """Bernstein flips approved back to false, and loses hand edits."""
    _, first = drafted(memory)
    memory.approve_report(first)
    approved = first.file.read_bytes()
    add(memory, "lock", range(3, 5))
    _, second = drafted(memory)
    assert second.file.name == "2026-11-30-2.md"
    second.file.write_text(second.file.read_text() + "\nmy own remark\n")
    add(memory, "cert", range(3, 5))
    _, third = drafted(memory)
    assert third.file.name == "2026-11-30-3.md"
    assert first.file.read_bytes() == approved
    assert "my own remark" in second.file.read_text()


def test_a_file_that_diarist_did_not_write_is_left_alone(memory: Memory, tmp_path: Path) -> None:
    """Bernstein's own report, for instance."""
    file = tmp_path / "ws" / "projects" / "demo" / "runtime" / "syntheses" / "2026-11-30.md"
    file.parent.mkdir(parents=True)
    file.write_text("approved: true")
    assert drafted(memory)[1].file.name == "2026-11-30-2.md"
    assert file.read_text() == "approved: true"


def test_themes_of_an_older_draft_that_did_not_come_again_leave_the_queue(memory: Memory, clock: Clock) -> None:
    """Only what the newest report shows waits."""
    drafted(memory, since="1d")
    clock.at = NOW + timedelta(days=2)
    add(memory, "cache", range(3), at=clock.at)
    report, _ = drafted(memory, since="1d")
    assert [each.name for each in memory.proposals()] == [report.themes[0].id]
    assert len(memory.proposals(states=("superseded",))) == 2


def test_reading_only_refuses_to_write(memory: Memory, tmp_path: Path) -> None:
    """But finds themes."""
    with closing(open_memory(tmp_path / "ws", read_only=True)) as reader:
        assert len(reader.synthesize(now=NOW).themes) == 2
        with pytest.raises(ReadOnlyError):
            reader.synthesize(now=NOW, write=True)


# --- the gate -------------------------------------------------------------------------------------------------------------


def test_approving_a_report_makes_lessons_of_exactly_its_themes(memory: Memory) -> None:
    """With who, when and why, in the file, the store and the history."""
    report, written = drafted(memory)
    approved = memory.approve_report(written, why="seen it thrice", who="kim")
    assert {each.name for each in approved.accepted} == {theme.id for theme in report.themes}
    front = front_of(written.file)
    assert (front["approved"], front["approved_by"], front["why"]) == (True, "kim", "seen it thrice")
    assert front["accepted_themes"] == sorted(theme.id for theme in report.themes)
    assert {(lesson.approved_by, lesson.why, lesson.approved_at) for lesson in lessons(memory)} == {("kim", "seen it thrice", NOW)}
    assert {entry for lesson in lessons(memory) for entry in lesson.evidence} == {
        entry for theme in report.themes for entry in theme.entries
    }
    assert memory.proposals() == []


def test_lessons_are_found_and_recalled_and_drafts_are_not(memory: Memory) -> None:
    """Nothing steers an agent before a person agreed."""
    _, written = drafted(memory)
    assert memory.search("deadlock order rows", kinds=("proposal", "lesson", "state")) == []
    memory.approve_report(written)
    hits = memory.search("deadlock order rows", kinds=("proposal", "lesson", "state"))
    assert hits
    assert {hit.kind for hit in hits} == {"lesson"}


def test_a_report_edited_since_it_was_drafted_cannot_be_approved(memory: Memory) -> None:
    """Approval is of what was read; nothing is accepted then."""
    _, written = drafted(memory)
    written.file.write_text(written.file.read_text().replace("deadlock", "dead lock"))
    with pytest.raises(StaleReviewError, match="was edited since"):
        memory.approve_report(written)
    with pytest.raises(ReviewError, match="was edited since"):
        memory.decide(memory.proposals()[0].name, "accept")
    written.file.unlink()
    with pytest.raises(StaleReviewError, match="is gone"):
        memory.approve_report(written)
    assert lessons(memory) == []


def test_a_report_whose_entries_changed_cannot_be_approved(memory: Memory) -> None:
    """Nor one theme of it; new entries beside them do no harm."""
    _, written = drafted(memory)
    add(memory, "cache", range(3))
    memory.add_entry(
        task_id="lock-1",
        transcript="User: it was the weather\nAssistant: So it was.\n",
        project="demo",
        created_at=NOW - timedelta(hours=2),
    )
    with pytest.raises(StaleReviewError, match="have changed or gone"):
        memory.approve_report(written)
    assert lessons(memory) == []
    assert front_of(written.file)["approved"] is False
    fine = next(each for each in memory.proposals() if "proxy" in each.body)
    assert memory.decide(fine.name, "accept").state == "accepted"


def test_an_older_report_cannot_be_approved_once_a_newer_one_reads_differently(memory: Memory, clock: Clock) -> None:
    """Its themes have been refreshed since."""
    _, old = drafted(memory)
    clock.at = NOW + timedelta(days=1)
    add(memory, "lock", range(3, 6), at=clock.at)
    drafted(memory)
    with pytest.raises(StaleReviewError, match="has changed since you read it"):
        memory.approve_report(old)


def test_approving_twice_is_refused(memory: Memory) -> None:
    """It says who did."""
    _, written = drafted(memory)
    memory.approve_report(written, who="kim")
    with pytest.raises(ReviewError, match="approved already, by kim"):
        memory.approve_report(written)


def test_single_themes_are_decided_and_the_file_tells(memory: Memory) -> None:
    """The report as a whole stays open."""
    report, written = drafted(memory)
    one, two = report.themes
    memory.decide(one.id, "accept", why="yes")
    memory.decide(two.id, "reject", why="known")
    front = front_of(written.file)
    assert (front["approved"], front["accepted_themes"]) == (False, [one.id])
    assert len(lessons(memory)) == 1
    memory.decide(one.id, "reopen")
    assert lessons(memory) == []
    assert "accepted_themes" not in front_of(written.file)


def test_rejected_themes_stay_away_until_their_evidence_has_materially_changed(memory: Memory) -> None:
    """They are counted meanwhile."""
    report, _ = drafted(memory)
    lock = next(theme for theme in report.themes if "deadlock" in theme.label)
    memory.decide(lock.id, "reject")
    again, written = drafted(memory)
    assert [theme.lineage for theme in again.themes] == [theme.lineage for theme in report.themes if theme.id != lock.id]
    assert again.withheld == front_of(written.file)["withheld_themes"] == 1
    add(memory, "lock", range(3, 4))
    assert memory.synthesize().withheld == 1
    add(memory, "lock", range(4, 8))
    back = memory.synthesize()
    assert back.withheld == 0
    assert max(theme.size for theme in back.themes) == 8


def test_an_accepted_theme_comes_again_as_an_update_of_its_lesson(memory: Memory) -> None:
    """The new lesson takes the old one's place."""
    _, written = drafted(memory)
    memory.approve_report(written)
    add(memory, "lock", range(3, 8))
    report, second = drafted(memory)
    assert "approved on 2026-11-30" in second.file.read_text()
    [waiting] = memory.proposals()
    assert waiting.round == 1
    memory.approve_report(second)
    assert len(lessons(memory)) == 2
    assert max(len(lesson.evidence) for lesson in lessons(memory)) == max(theme.size for theme in report.themes) == 8


def lost_runs(memory: Memory, topics: Sequence[str]) -> None:
    """Runs about unlike things that met one error, and got past it in one way."""
    message, fix = derived("python: can't open file 'manage.py'"), derived("`python tests/runtests.py` went through")
    with memory._box.store.transaction(actor="test", at=NOW) as tx:
        for number, about in enumerate(topics):
            entry = Entry(
                id=make_id("lost", about),
                task_id=derived(f"lost-{number}"),
                session_id=derived(f"s-{about}"),
                agent=derived("agent"),
                project=derived("lost"),
                title=derived(about),
                prompt=derived(" ".join(words(40, len(about) + 100 * number))),
                errors=(ErrorSeen(fingerprint="f-manage", message=message, resolved=True),),
                fixes=(Fix(error="f-manage", text=fix),),
                created_at=NOW - timedelta(hours=number + 1),
                redaction_hash="0" * 64,
            )
            tx.put_record(entry_record(seal(entry), trust="host", at=NOW), SearchText())


def test_an_error_that_unlike_runs_met_passes_the_same_gate(memory: Memory) -> None:
    """Filed, approved, told to who meets it; once it is rejected it stays away until enough others met it."""
    lost_runs(memory, ["paint invoices", "sort the parcels", "shrink backups at night"])
    report = memory.synthesize(project="lost", write=True)
    assert report.themes == ()
    [error] = report.errors
    written = memory.find_report(project="lost")
    assert written is not None
    assert "fixed by: `python tests/runtests.py` went through (3)" in written.file.read_text()
    assert memory.approve_report(written).lessons == 1
    assert front_of(written.file)["accepted_themes"] == [error.id]
    [hit] = memory.search("manage.py", kinds=("lesson",), project="lost")
    [lesson] = lessons(memory)
    assert hit.title == lesson.title == error.label
    assert "runtests.py" in lesson.amplify[0]
    memory.decide(error.id, "reopen")
    memory.decide(error.id, "reject")
    assert (memory.synthesize(project="lost").errors, memory.synthesize(project="lost").withheld) == ((), 1)
    lost_runs(memory, ["quite another matter", "and a further one", "last of all: fonts"])
    assert [theme.id for theme in memory.synthesize(project="lost").errors] == [error.id]


def test_a_reviewers_wording_becomes_the_lesson(memory: Memory) -> None:
    """Edit, then accept."""
    _, written = drafted(memory)
    name = memory.proposals()[0].name
    memory.reword(name, title="Mind the locks", body="Take them in id order.")
    with pytest.raises(StaleReviewError):
        memory.approve_report(written)
    memory.decide(name, "accept")
    assert [(lesson.title, lesson.text) for lesson in lessons(memory)] == [("Mind the locks", "Take them in id order.")]


def test_reports_are_found_by_day_file_and_id(memory: Memory) -> None:
    """Of this project only."""
    _, written = drafted(memory)
    for wanted in ("2026-11-30", str(written.file), written.record_id):
        found = memory.get_report(wanted, project="demo")
        assert found is not None
        assert found.record_id == written.record_id
    assert memory.get_report("2026-11-30", project="other") is None
    assert memory.get_report("theme-x", project="demo") is None


def test_the_parameters_name_the_draft(memory: Memory) -> None:
    """A draft with other parameters is another matter."""
    drafted(memory, since="7d")
    assert memory.find_report(project="demo") is None
    assert memory.find_report(project="demo", since="7d", threshold=0.5) is None
    assert memory.find_report(project="demo", since="7d") is not None


def test_secrets_in_transcripts_reach_no_report(memory: Memory) -> None:
    """They are masked before anything else happens, and the mask is no tag."""
    key = "sk-" + "".join(random.Random(3).choices(string.ascii_letters + string.digits, k=48))
    for number in range(3):
        memory.add_entry(
            task_id=f"key-{number}",
            transcript=f"Rotate the api key {key} of billing\nWorked:\n- put {key} into the vault\n",
            project="demo",
            created_at=NOW - timedelta(hours=1),
        )
    report, written = drafted(memory)
    text = written.file.read_text()
    assert key not in text
    assert not re.search("redacted|openai", " ".join(tag for theme in report.themes for tag in theme.tags), re.IGNORECASE)
