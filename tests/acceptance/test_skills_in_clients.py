"""Accepted skills in the programs that read them: the public validator, Claude Code and Codex, offline.

Runs where `DIARIST_TEST_CLIENTS` names a folder that holds `agentskills`, `claude` and `codex`; none is needed for anything else.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from diarist.app.mining import Curated
from diarist.bootstrap import open_memory

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HABITS = (
    ("rotate the signing keys", ["mcp__vault__read", "mcp__vault__write"]),
    ('check "prices": every --- night # of the shop', ["mcp__shop__prices", "mcp__shop__compare"]),
    ("обнови недельный отчёт для отдела продаж", ["mcp__crm__report", "mcp__crm__send"]),
    ("release <v1.2> & tell {everybody} [soon]: yes", ["mcp__git__tag", "mcp__mail__send"]),
)


def client(name: str) -> str:
    """The program, if tests may use it."""
    place = os.environ.get("DIARIST_TEST_CLIENTS")
    found = shutil.which(name, path=place) if place else None
    if found is None:
        pytest.skip(f"DIARIST_TEST_CLIENTS names no folder with {name}")
    return found


@pytest.fixture
def skills(home: Path) -> Path:
    """A checkout with every kind of skill accepted: mined from awkward prompts, edited, curated."""
    checkout = home / "shop"
    (checkout / ".git").mkdir(parents=True)
    (checkout / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    with open_memory(home / "ws", now=lambda: NOW) as memory:
        for number, (prompt, tools) in enumerate(HABITS):
            for run in range(3):
                at = NOW - timedelta(hours=run + 1)
                memory.observe(session_id=f"s{number}-{run}", prompt=prompt, tools=tools, observed_at=at, project=str(checkout))
        found = memory.mine_patterns(now=NOW, project=str(checkout))
        assert len(found) == len(HABITS)
        memory.reword(found[0].id, title='Say "when": never --- again, it\'s #1', body="# By hand\n\n1. Do it.\n")
        body = "# Deploy\n\n1. Run `make deploy`\n\n---\n\n```yaml\nname: x\n```\n"
        told = Curated("deploy-by-hand", "Deploy", "Deploys. Use when asked to deploy.", body, found[1].evidence, project=str(checkout))
        memory.propose_skill(told)
        for proposal in memory.proposals(kinds=("skill",)):
            memory.accept_skill(proposal.id, cwd=str(checkout))
        assert {state.states for state in memory.skills(cwd=str(checkout))} == {("accepted",)}
    return checkout


def names(skills: Path) -> list[str]:
    """Names of the accepted skills."""
    found = sorted(folder.name for folder in (skills / ".agents" / "skills").iterdir())
    assert len(found) == len(HABITS) + 1
    return found


def test_the_public_validator_passes_every_accepted_skill(skills: Path) -> None:
    """In both places."""
    program = client("agentskills")
    for root in (".agents", ".claude"):
        for name in names(skills):
            done = subprocess.run([program, "validate", str(skills / root / "skills" / name)], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done.stdout + done.stderr


def test_claude_code_passes_them_as_skills_of_a_plugin(skills: Path, tmp_path: Path, environ: dict[str, str]) -> None:
    """Its own check is for plugins, so they are put into one."""
    program = client("claude")
    plugin = tmp_path / "plugin"
    (plugin / ".claude-plugin").mkdir(parents=True)
    about = {"name": "accepted", "version": "1.0.0", "description": "Accepted skills", "author": {"name": "Kim"}}
    (plugin / ".claude-plugin" / "plugin.json").write_text(json.dumps(about))
    shutil.copytree(skills / ".claude" / "skills", plugin / "skills")
    done = subprocess.run(
        [program, "plugin", "validate", "--strict", str(plugin)], capture_output=True, text=True, env=environ, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_codex_lists_them(skills: Path, environ: dict[str, str]) -> None:
    """In what it tells its model at the beginning."""
    program = client("codex")
    done = subprocess.run([program, "debug", "prompt-input", "hello"], capture_output=True, text=True, env=environ, cwd=skills, timeout=120)
    assert done.returncode == 0, done.stderr
    for name in names(skills):
        assert f"- {name}: " in done.stdout, done.stdout[:2000]
