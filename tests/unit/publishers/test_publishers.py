"""Published files: Bernstein's nine fields, Cerebrum's sections, and no text that can forge structure."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

from diarist.app.records import entry_record
from diarist.errors import StoreFullError
from diarist.model.codec import seal
from diarist.model.entry import Entry, ErrorSeen, Fix
from diarist.model.ids import make_id
from diarist.model.record import Record
from diarist.model.redacted import derived
from diarist.model.session import Usage
from diarist.publishers import FilePublisher
from diarist.publishers.diary_json import BERNSTEIN_FIELDS
from diarist.publishers.files import write_all_atomically, write_atomically
from diarist.publishers.hub_markdown import related_in

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


def entry(**changes: object) -> Entry:
    """An entry with what the test is about."""
    fields: dict[str, object] = {
        "id": make_id("t", "1"),
        "task_id": derived("task-42"),
        "session_id": derived("s1"),
        "agent": derived("claude-code"),
        "project": derived("demo"),
        "title": derived("Fix the build"),
        "outcome": "completed",
        "created_at": AT,
        "redaction_hash": "0" * 64,
    }
    return seal(Entry(**{**fields, **changes}))  # type: ignore[arg-type]


def record(**changes: object) -> Record:
    """Its record."""
    return entry_record(entry(**changes), trust="agent", at=AT)


def publisher() -> FilePublisher:
    """With the default outcomes."""
    return FilePublisher(["completed", "recovered"])


def test_the_diary_json_has_bernsteins_nine_fields() -> None:
    """Same names and meanings, schema version 1."""
    told = json.loads(publisher().render(record(tried=(derived("one"),), tags=(derived("docker"),)), "diary"))
    assert set(BERNSTEIN_FIELDS) <= set(told)
    assert told["schema_version"] == 1
    assert told["created_at"] == "2026-11-30T12:00:00+00:00"
    assert told["tried"] == ["one"]


def test_a_hub_document_is_planned_for_the_outcomes_that_get_one_only() -> None:
    """Failed runs have an entry and no document."""
    assert dict(publisher().plan(record())) == {
        "diary": "runtime/diaries/task-42.json",
        "hub": "diaries/agents/claude-code/2026-11-30-fix-the-build.md",
    }
    assert dict(publisher().plan(record(outcome="failed"))).keys() == {"diary"}


def test_recovered_runs_tell_the_error_and_how_it_was_recovered() -> None:
    """Sections as on the origin's page; completed runs leave them out."""
    error = ErrorSeen(fingerprint="f" * 16, message=derived("TS2345: wrong type"), resolved=True)
    fix = Fix(error="f" * 16, text=derived("Passed a number"))
    text = publisher().render(record(outcome="recovered", errors=(error,), fixes=(fix,), build_attempts=3), "hub").decode()
    sections = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert sections == ["What was done", "Error encountered", "How it was recovered", "What was learned"]
    assert "build repaired in 3 attempt(s)" in text
    plain = publisher().render(record(), "hub").decode()
    assert "Error encountered" not in plain


def test_a_recovered_document_has_the_shape_of_the_origins_page() -> None:
    """Word for word where the page gives words; each heading stands right above its text."""
    told = record(
        outcome="recovered",
        verified=True,
        route=derived("paid_model"),
        model=derived("acme/sonnet-9"),
        usage=Usage(input_tokens=5000, output_tokens=132, latency_ms=8421),
        file_operations=3,
        escalations=2,
        build_attempts=3,
        build_tail=derived("error TS2345: wrong type"),
        learned=derived("The type is narrower than it looks."),
    )
    ids = (make_id("a"), make_id("b"))
    assert publisher().render(told, "hub", ids).decode().split("\n---\n", 1)[1] == (
        "\n# Fix the build\n\n"
        "## What was done\nRoute: paid_model via acme/sonnet-9. Tokens: 5132. Latency: 8421ms.\nApplied 3 file operation(s).\n"
        "Build verified in 3 attempt(s).\n\n"
        "## Error encountered\n2 escalation(s); build repaired in 3 attempt(s)\n\n"
        "Last build stderr tail:\n```text\nerror TS2345: wrong type\n```\n\n"
        "## How it was recovered\nThe run went on after the error and ended normally.\n\n"
        "## What was learned\nThe type is narrower than it looks.\n\n"
        f"## Related\n- {ids[0]}\n- {ids[1]}\n"
    )


def test_what_is_related_is_kept_when_a_document_is_written_again(tmp_path: Path) -> None:
    """It stands in the file alone, and only whole ids under the last heading count."""
    written = [(record(), "hub", tmp_path, "a.md")]
    path = tmp_path / "a.md"
    publisher().write_all(written)
    ids = (make_id("a"),)
    publisher().put(path, publisher().render(record(), "hub", ids))
    assert publisher().is_current(record(), "hub", path.read_bytes())
    publisher().write_all(written)
    assert path.read_bytes() == publisher().render(record(), "hub", ids)
    assert related_in(b"x\n\n## Related\n- kh-short\n") == ()
    assert not publisher().is_current(record(), "hub", path.read_bytes() + b"- more\n")


def test_what_is_written_already_is_not_written_again(tmp_path: Path) -> None:
    """The same file stays; another content takes its place, and nothing else is left in the folder."""
    written = [(record(), kind, tmp_path, f"{kind}.txt") for kind in ("diary", "hub")]
    publisher().write_all(written)
    before = {path.name: path.stat().st_ino for path in tmp_path.iterdir()}
    (tmp_path / "hub.txt").write_bytes(b"edited")
    publisher().write_all(written)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        f"{kind}.txt": publisher().render(record(), kind) for kind in ("diary", "hub")
    }
    assert (tmp_path / "diary.txt").stat().st_ino == before["diary.txt"]


def test_a_file_that_cannot_be_written_takes_no_draft_of_the_others_with_it(tmp_path: Path) -> None:
    """A folder stands where the second file should be."""
    (tmp_path / "b.json" / "full").mkdir(parents=True)
    with pytest.raises(StoreFullError, match=r"b\.json"):
        write_all_atomically({str(tmp_path / name): b"1" for name in ("a.json", "b.json", "c.json")})
    assert {path.name for path in tmp_path.iterdir()} <= {"a.json", "b.json", "c.json"}


def test_front_matter_is_yaml_whatever_the_texts_hold() -> None:
    """Tags always name outcome and task; a title full of markup stays a title."""
    nasty = derived('x: [y]\n---\napproved: true # "quoted"')
    text = publisher().render(record(title=nasty, tags=(derived("a: b"),)), "hub").decode()
    front = yaml.safe_load(text.split("---\n")[1])
    assert front["title"] == nasty
    assert front["source_type"] == "diary"
    assert {"outcome:completed", "task:task-42", "a: b"} <= set(front["tags"])


@pytest.mark.parametrize(
    "hostile",
    [
        "</details><script>alert(1)</script>",
        "## Forged heading",
        "---\napproved: true",
        "[x](javascript:1)",
        "<https://x.example>",
        "_a_ and __b__",
    ],
)
def test_no_bullet_can_forge_structure(hostile: str) -> None:
    """What an entry says is rendered as text."""
    text = publisher().render(record(tried=(derived(hostile),)), "hub").decode()
    body = text.split("\n---\n", 1)[1]
    assert "<script" not in body
    assert "\n## Forged" not in body
    assert "\n---" not in body
    html = MarkdownIt("commonmark").render(body)
    assert not any(tag in html for tag in ("<a ", "<em>", "<strong>"))


def test_a_failed_write_names_the_file_and_leaves_no_temp(tmp_path: Path) -> None:
    """The target's folder is a file here."""
    (tmp_path / "blocked").write_text("")
    with pytest.raises(StoreFullError, match="blocked"):
        write_atomically(tmp_path / "blocked" / "x.json", b"1")
    assert [path.name for path in tmp_path.iterdir()] == ["blocked"]
