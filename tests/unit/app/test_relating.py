"""Hub documents name the older documents that are most like them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import diarist

AT = datetime(2026, 11, 2, 9, tzinfo=UTC)
SAIL = "user: Mend the mainsail of the sloop.\nassistant: The luff of the mainsail of the sloop is sewn with waxed thread."


def add(memory: diarist.Memory, number: int, transcript: str, *, verified: bool = True) -> str:
    """One entry, an hour after the one before it."""
    entry = memory.add_entry(
        task_id=f"t{number}", transcript=transcript, agent="worker", created_at=AT + timedelta(hours=number), host={"verified": verified}
    )
    return str(entry.id)


def documents(workspace: Path) -> dict[str, list[str]]:
    """By title, the ids under "Related"."""
    found = {}
    for path in workspace.rglob("diaries/agents/worker/*.md"):
        text = path.read_text(encoding="utf-8")
        title = next(line[2:] for line in text.splitlines() if line.startswith("# "))
        found[title] = text.partition("## Related\n")[2].replace("- ", "").split()
    return found


def test_a_document_names_older_ones_like_it_and_no_others(tmp_path: Path) -> None:
    with diarist.open_memory(tmp_path) as memory:
        first = add(memory, 1, SAIL)
        add(memory, 2, "user: Count the barrels in the hold.\nassistant: There are nine barrels of tar in the hold.")
        second = add(memory, 3, SAIL.replace("Mend", "Patch"))
    told = documents(tmp_path)
    assert told["Patch the mainsail of the sloop."] == [first]
    assert told["Mend the mainsail of the sloop."] == []
    assert not any(second in ids for ids in told.values())


def test_failed_runs_are_not_named(tmp_path: Path) -> None:
    """They have no document."""
    with diarist.open_memory(tmp_path) as memory:
        add(memory, 1, SAIL, verified=False)
        add(memory, 2, SAIL.replace("Mend", "Patch"))
    assert documents(tmp_path)["Patch the mainsail of the sloop."] == []


def test_what_is_related_stays_when_others_come(tmp_path: Path) -> None:
    with diarist.open_memory(tmp_path) as memory:
        first = add(memory, 1, SAIL)
        add(memory, 2, SAIL.replace("Mend", "Patch"))
    before = documents(tmp_path)["Patch the mainsail of the sloop."]
    with diarist.open_memory(tmp_path) as memory:
        add(memory, 3, SAIL.replace("Mend", "Wash"))
        assert not memory.verify_all().faults
    assert documents(tmp_path)["Patch the mainsail of the sloop."] == before == [first]


def test_the_order_of_arrival_in_one_sitting_does_not_matter(tmp_path: Path) -> None:
    texts = {number: SAIL.replace("Mend", verb) for number, verb in enumerate(["Mend", "Patch", "Wash"], 1)}
    for name, order in (("a", [1, 2, 3]), ("b", [3, 1, 2])):
        with diarist.open_memory(tmp_path / name) as memory:
            for number in order:
                add(memory, number, texts[number])
    assert documents(tmp_path / "a") == documents(tmp_path / "b")
