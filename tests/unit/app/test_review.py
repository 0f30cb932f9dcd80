"""The queue of proposals: one state machine for every kind."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from diarist.app.memory import Memory
from diarist.app.review import (
    Effect,
    Filed,
    Finish,
    Ruling,
    decide_proposal,
    file_proposal,
    get_proposal,
    list_proposals,
    materially_changed,
    reword_proposal,
    supersede,
)
from diarist.app.toolbox import Toolbox
from diarist.bootstrap import open_memory
from diarist.errors import AmbiguousIdError, NotFoundError, ReviewError, StaleReviewError
from diarist.model.proposal import Decision, Proposal, evidence_digest, proposal_id, review_digest
from diarist.model.record import RecordFilter
from diarist.model.redacted import derived
from diarist.ports import Transaction

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = datetime(2026, 12, 1, 9, tzinfo=UTC)


class NoteIt:
    """A kind whose acceptance is only noted down."""

    def __init__(self, *reasons: str) -> None:
        self.reasons, self.done = list(reasons), list[str]()

    def check(self, box: Toolbox, proposal: Proposal) -> list[str]:
        """Whatever the test says."""
        return self.reasons

    def accept(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:
        """Notes who."""
        self.done.append(f"accepted by {decision.who}")
        return lambda: self.done.append("committed")

    def undo(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:
        """Notes it."""
        self.done.append("undone")
        return None


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A workspace with three entries."""
    with open_memory(tmp_path / "ws", now=lambda: NOW) as opened:
        for number in range(3):
            opened.add_entry(task_id=f"t{number}", transcript=f"User: fix {number}\nAssistant: Fixed it.\n", project="demo", created_at=NOW)
        yield opened


@pytest.fixture
def box(memory: Memory) -> Toolbox:
    """Its parts."""
    return memory._box


def draft(box: Toolbox, *, key: str = "k", title: str = "Do it", evidence: tuple[str, ...] = (), project: str = "demo") -> Proposal:
    """A proposal about `key`."""
    records = [box.store.get_record(each) for each in evidence]
    return Proposal(
        id="",
        kind="skill",
        key=key,
        name=derived(f"skill-{key}"),
        project=derived(project),
        title=derived(title),
        body=derived("Step by step."),
        evidence=tuple(sorted(evidence)),
        evidence_digest=evidence_digest((each.id, each.digest) for each in records if each is not None) if evidence else "",
        created_at=NOW,
    )


def put(box: Toolbox, new: Proposal, at: datetime = NOW) -> Filed:
    """Files it."""
    with box.store.transaction(actor="test", at=at) as tx:
        return file_proposal(box, tx, new, at=at)


def rule(box: Toolbox, proposal: Proposal, ruling: Ruling, effect: Effect | None = None) -> Proposal:
    """Decides."""
    return decide_proposal(box, proposal, ruling, effect or NoteIt())


def test_a_filed_proposal_waits_and_is_found_by_id_name_and_prefix(box: Toolbox) -> None:
    """It is found by nothing else: search tells of nothing that nobody approved."""
    filed = put(box, draft(box))
    assert filed.what == "new"
    assert filed.proposal.id == proposal_id("skill", "demo", "k")
    for wanted in (filed.proposal.id, filed.proposal.id[:12], "skill-k", "skill"):
        assert get_proposal(box.store, wanted) == filed.proposal
    assert list(list_proposals(box.store)) == [filed.proposal]
    with pytest.raises(NotFoundError, match="review list"):
        get_proposal(box.store, "nothing")


def test_a_prefix_of_several_names_lists_them(box: Toolbox) -> None:
    """As for every id."""
    put(box, draft(box, key="a"))
    put(box, draft(box, key="b"))
    with pytest.raises(AmbiguousIdError) as raised:
        get_proposal(box.store, "skill")
    assert len(raised.value.candidates) == 2


def test_lists_are_narrowed_by_state_kind_and_project(box: Toolbox) -> None:
    """Pending ones by default."""
    one, two = put(box, draft(box, key="a")).proposal, put(box, draft(box, key="b", project="other")).proposal
    rule(box, one, Ruling("reject", NOW))
    assert [each.key for each in list_proposals(box.store)] == ["b"]
    assert {each.key for each in list_proposals(box.store, states=())} == {"a", "b"}
    assert [each.key for each in list_proposals(box.store, states=("rejected",))] == ["a"]
    assert [each.key for each in list_proposals(box.store, states=(), project="other")] == [two.key]
    assert list(list_proposals(box.store, kinds=("theme",))) == []


def test_a_decision_keeps_who_when_why_and_what_was_seen(box: Toolbox) -> None:
    """In the proposal and in the history."""
    effect = NoteIt()
    waiting = put(box, draft(box)).proposal
    seen = review_digest(waiting)
    made = rule(box, waiting, Ruling("accept", LATER, seen=seen[:8], why="read it twice", who="kim"), effect)
    assert made.state == "accepted"
    assert made.decisions == (Decision(verdict="accept", seen=seen, who=derived("kim"), at=LATER, why=derived("read it twice")),)
    assert get_proposal(box.store, made.id) == made
    assert effect.done == ["accepted by kim", "committed"]
    assert [(event.action, event.actor) for event in box.store.get_history(made.id)] == [("propose", "test"), ("accept", "kim")]


def test_a_reason_is_redacted_like_everything_that_is_kept(box: Toolbox) -> None:
    """A person may paste a key too."""
    key = "ghp_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))
    made = rule(box, put(box, draft(box)).proposal, Ruling("reject", NOW, why=f"it tells {key}", who=f"kim {key}"))
    assert key not in made.decisions[0].why + made.decisions[0].who
    assert all(key not in event.actor for event in box.store.get_history(made.id))


def test_what_changed_since_it_was_read_cannot_be_decided(box: Toolbox) -> None:
    """The digest of what was seen does not fit any more."""
    waiting = put(box, draft(box)).proposal
    put(box, draft(box, title="Do something else"))
    with pytest.raises(StaleReviewError, match="has changed since you read it"):
        rule(box, waiting, Ruling("accept", NOW))
    for seen in ("", "abc", "0" * 64):
        with pytest.raises(StaleReviewError):
            rule(box, get_proposal(box.store, waiting.id), Ruling("accept", NOW, seen=seen or "short"))
    assert get_proposal(box.store, waiting.id).state == "pending"


def test_acceptance_is_refused_when_an_entry_behind_it_changed_or_went(memory: Memory, box: Toolbox) -> None:
    """Rejecting is not."""
    ids = tuple(record.id for record in memory.list_records(entries()))
    waiting = put(box, draft(box, evidence=ids)).proposal
    memory.add_entry(task_id="t1", transcript="User: now all is different\nAssistant: So it is.\n", project="demo", created_at=NOW)
    effect = NoteIt()
    with pytest.raises(StaleReviewError, match="have changed or gone"):
        rule(box, waiting, Ruling("accept", NOW), effect)
    assert effect.done == []
    assert rule(box, waiting, Ruling("reject", NOW)).state == "rejected"


def test_a_failed_check_names_every_reason_and_changes_nothing(box: Toolbox) -> None:
    """The effect is not carried out."""
    effect = NoteIt("too long", "holds a secret")
    waiting = put(box, draft(box)).proposal
    with pytest.raises(ReviewError, match="too long; holds a secret"):
        rule(box, waiting, Ruling("accept", NOW), effect)
    assert effect.done == []
    assert get_proposal(box.store, waiting.id).state == "pending"


def test_deciding_twice_is_refused_and_says_who_decided(box: Toolbox) -> None:
    """And how to take it back."""
    made = rule(box, put(box, draft(box)).proposal, Ruling("accept", NOW, who="kim"))
    with pytest.raises(ReviewError, match=r"accepted already \(by kim on 2026-11-30\); `diarist review reopen"):
        rule(box, made, Ruling("reject", NOW))


def test_reopening_undoes_what_acceptance_wrote(box: Toolbox) -> None:
    """And lets it be decided anew."""
    effect = NoteIt()
    made = rule(box, put(box, draft(box)).proposal, Ruling("accept", NOW), effect)
    open_again = rule(box, made, Ruling("reopen", LATER), effect)
    assert (open_again.state, effect.done[-1]) == ("pending", "undone")
    assert [each.verdict for each in open_again.decisions] == ["accept", "reopen"]
    assert rule(box, open_again, Ruling("reject", LATER), effect).state == "rejected"
    with pytest.raises(ReviewError, match="still open"):
        rule(box, put(box, draft(box, key="z")).proposal, Ruling("reopen", NOW))


def test_refiling_refreshes_what_waits_and_keeps_a_reviewers_wording(box: Toolbox) -> None:
    """Id, round and time of filing stay."""
    first = put(box, draft(box)).proposal
    edited = reword_proposal(box, first, title="Mine", body=None, at=NOW)
    assert (edited.shown_title, edited.shown_body) == ("Mine", "Step by step.")
    assert put(box, draft(box), LATER).what == "unchanged"
    filed = put(box, draft(box, title="Do it better"), LATER)
    assert filed.what == "refreshed"
    assert (filed.proposal.id, filed.proposal.title, filed.proposal.shown_title) == (first.id, "Do it better", "Mine")
    assert filed.proposal.created_at == NOW
    with pytest.raises(ReviewError, match="accepted already"):
        reword_proposal(box, rule(box, filed.proposal, Ruling("accept", NOW)), title="Too late", body=None, at=NOW)


@pytest.mark.parametrize("verdict", ["accept", "reject"])
def test_a_decided_matter_stays_closed_until_its_evidence_materially_changed(memory: Memory, box: Toolbox, verdict: str) -> None:
    """Then it is a new round with an id of its own; the name means the last round."""
    ids = tuple(record.id for record in memory.list_records(entries()))
    made = rule(box, put(box, draft(box, evidence=ids[:2])).proposal, Ruling("accept" if verdict == "accept" else "reject", NOW))
    assert put(box, draft(box, evidence=ids[:2], title="Reworded")).what == "kept"
    assert put(box, draft(box, evidence=ids)).what == "kept"  # one new entry of three
    fresh = put(box, draft(box, evidence=(ids[2], "kh-new")))
    assert (fresh.what, fresh.proposal.round) == ("new", 1)
    assert fresh.proposal.id != made.id
    assert get_proposal(box.store, "skill-k") == fresh.proposal
    assert get_proposal(box.store, made.id) == made


def test_material_change_means_half_of_the_evidence_and_two_records() -> None:
    """One new entry never reopens anything."""
    base = Proposal(
        id="x",
        kind="theme",
        key="k",
        name=derived("n"),
        title=derived("t"),
        body=derived("b"),
        evidence=("a", "b"),
        created_at=NOW,
    )
    for evidence, expected in (
        (("a", "b"), False),
        (("a", "c"), False),
        (("c", "d"), True),
        (("a", "b", "c", "d"), True),
        (("a", "b", "c", "d", "e"), True),
    ):
        assert materially_changed(base, msgspec.structs.replace(base, evidence=evidence)) is expected
    assert not materially_changed(base, msgspec.structs.replace(base, evidence=("a", "b", "c", "d", "e")[:3]))


def test_a_superseded_proposal_leaves_the_queue_for_good(box: Toolbox) -> None:
    """It names what took its place."""
    old, new = put(box, draft(box, key="old")).proposal, put(box, draft(box, key="new")).proposal
    with box.store.transaction(actor="test", at=NOW) as tx:
        supersede(tx, old, by=new.id, actor="test", at=NOW)
    assert [each.key for each in list_proposals(box.store)] == ["new"]
    record = box.store.get_record(old.id)
    assert record is not None
    assert record.status == "superseded"
    gone = next(each for each in list_proposals(box.store, states=("superseded",)))
    with pytest.raises(ReviewError, match=new.id):
        rule(box, gone, Ruling("accept", NOW))


def test_nothing_is_kept_when_the_effect_fails(box: Toolbox) -> None:
    """Decision and effect are one transaction."""

    class Broken(NoteIt):
        def accept(self, box: Toolbox, tx: Transaction, proposal: Proposal, decision: Decision) -> Finish | None:
            tx.set_status(proposal.id, "retracted", action="retract")
            raise OSError("disk full")

    waiting = put(box, draft(box)).proposal
    with pytest.raises(OSError, match="disk full"):
        rule(box, waiting, Ruling("accept", NOW), Broken())
    assert get_proposal(box.store, waiting.id) == waiting


def entries() -> RecordFilter:
    """All entries."""
    return RecordFilter(kinds=("entry",))
