"""Every verb of the library can be reached from the command line, from MCP and over HTTP, or stands on a list that says why not.

`diarist search` and `recall` of the command line and the hooks are fast paths that ask the same functions as the façade.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import diarist
from diarist.app.memory import Memory

SURFACES = {"cli": ("cli",), "mcp": ("mcp_server",), "http": ("http_api", "web", "asgi")}
VERBS = sorted(name for name in dir(Memory) if not name.startswith("_"))

PLUMBING = [
    "acting_as",
    "brief",
    "close",
    "crew",
    "draft_due_reports",
    "due_projects",
    "embed_pending",
    "deliver",
    "find_answer",
    "find_caller",
    "get_key",
    "keep_answer",
    "request_mark",
    "last_change",
    "listen",
    "may_capture",
    "now",
    "note_use",
    "refresh",
    "signing_key",
    "tidy",
]
"""What a server, a hook or the worker needs to do its work; no wish of anybody."""

NOT_OF_THE_COMMAND_LINE = {
    "add_entries": "`diarist ingest` takes any number of transcripts at once",
    "add_notes": "for programs that hand over many",
    "audit": "`diarist hub history` and `diary show` tell it by record",
    "corrections": "`diarist correct --list`",
    "find_fixes": "`diarist search --error`",
    "map": "a picture",
    "match_skills": "part of what `diarist recall` prints",
    "memory_list": "`diarist memory recall` without a query",
    "observe": "a host's own call; `diarist ingest` observes by itself",
    "propose_edit": "`diarist hub edit`",
    "recall": "a fast path",
    "search": "a fast path",
    "suggest": "a fast path",
}
MACHINE = [
    "anchor",
    "back_up",
    "doctor",
    "embedding_status",
    "erasures",
    "explain",
    "export_each",
    "export_memory",
    "export_store",
    "find_sessions",
    "finish_erasures",
    "import_memory",
    "import_store",
    "index_status",
    "init_project",
    "judge",
    "migrate_burin",
    "migrate_session_store",
    "plan_targets",
    "preview_reflections",
    "rebuild_index",
    "redistil",
    "reflect",
    "rescan",
    "residue",
    "sync",
    "take_back_correction",
    "verify_all",
    "verify_file",
    "verify_index",
    "watch",
    "write_memory_log",
    "write_skills",
    "write_targets",
]
"""Looks after a workspace, or reads and writes files of the machine it is on: for whoever sits there."""

REVIEW = [
    "accept_skill",
    "approve_report",
    "decide",
    "learning",
    "memory_open",
    "mine_patterns",
    "objections",
    "retire_skill",
    "review_warnings",
    "set_learning",
    "skill_difference",
    "synthesize",
    "find_report",
]
"""Steers agents, so it is a person's; over HTTP the review queue (`/v1/reviews`) covers each kind."""

NOT_FOR_AGENTS = [
    "add_entries",
    "add_notes",
    "add_key",
    "add_note",
    "api_keys",
    "approve_report",
    "audit",
    "cancel_job",
    "correct",
    "corrections",
    "diff",
    "edit_document",
    "edit_note",
    "erase",
    "export",
    "feedback",
    "get_entry",
    "get_proposal",
    "get_report",
    "get_skill",
    "history",
    "jobs",
    "map",
    "markdown",
    "match_skills",
    "memory_history",
    "memory_list",
    "memory_update",
    "preview_erase",
    "proposals",
    "retry_job",
    "revert",
    "revoke_key",
    "reword",
    "search_error",
    "stats",
    "suggest",
    "transcript",
    "usefulness",
    "uses",
    "verify",
    "worth",
    "ingest",
]
"""Administration, a person's review, or there in a form made for agents: `kb_edit`, `kb_fetch`, `find_fix`, `record_feedback`."""

NOT_OVER_HTTP = {
    "corrections": "part of a node (`/v1/kb/nodes/{id}`)",
    "match_skills": "part of `/v1/recall`",
    "memory_history": "on the machine",
    "memory_summarize": "on the machine, and over MCP",
    "memory_update": "on the machine; `memory_store` replaces by key",
    "observe": "`/v1/entries` observes by itself",
    "propose_edit": "`/v1/kb/edit`",
    "propose_skill": "over MCP at `/mcp`",
    "search_error": "`/v1/fixes`",
}


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    root = Path(diarist.__file__).parent
    return {
        surface: "\n".join(path.read_text(encoding="utf-8") for folder in folders for path in sorted((root / folder).rglob("*.py")))
        for surface, folders in SURFACES.items()
    }


def uses(source: str, verb: str) -> bool:
    return re.search(rf"\.{verb}\b", source) is not None


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in PLUMBING])
def test_every_verb_is_on_every_surface_or_excluded(verb: str, sources: dict[str, str]) -> None:
    assert uses(sources["cli"], verb) or verb in NOT_OF_THE_COMMAND_LINE, f"{verb} cannot be reached from the command line"
    assert uses(sources["http"], verb) or verb in {*MACHINE, *REVIEW, *NOT_OVER_HTTP}, f"{verb} cannot be reached over HTTP"
    assert uses(sources["mcp"], verb) or verb in {*MACHINE, *REVIEW, *NOT_FOR_AGENTS}, f"{verb} cannot be reached over MCP"


def test_what_is_excluded_exists() -> None:
    lists = [*PLUMBING, *NOT_OF_THE_COMMAND_LINE, *MACHINE, *REVIEW, *NOT_FOR_AGENTS, *NOT_OVER_HTTP]
    assert sorted(set(lists) - set(VERBS)) == []


def test_a_verb_that_no_surface_calls_is_noticed(sources: dict[str, str]) -> None:
    assert not any(uses(source, "sail_away") for source in sources.values())
