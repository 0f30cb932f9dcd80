"""Connecting a client adds to its settings files, twice the same, and disconnecting gives back the bytes."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest

from diarist.app.connect.client import Where
from diarist.app.connect.connecting import CLIENTS, Change, apply_changes, get_client, is_connected, plan_connect, plan_disconnect
from diarist.app.connect.program import Program
from diarist.errors import InvalidInputError
from diarist.text import jsonc

PROGRAM = Program(("/opt/tools/bin/diarist",))

CLAUDE = """\
{
\t// mine
\t"model": "opus",
\t"hooks": {
\t\t"Stop": [
\t\t\t{ "hooks": [ { "type": "command", "command": "notify-send done" } ] } // keep me
\t\t],
\t}, /* and me */
\t"env": { "A": "b" }
}
"""
CODEX = 'model = "o9" # fast\n\n[mcp_servers.other]\ncommand = "x"\n'


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def where(tmp_path: Path) -> Where:
    root = tmp_path / "home"
    root.mkdir()
    return Where("user", root, {})


def connect(workspace: Path, name: str, where: Where, program: Program = PROGRAM, *, instructions: bool = False) -> list[Change]:
    changes = plan_connect(workspace, get_client(name), where, program, instructions=instructions)
    apply_changes(workspace, changes)
    return changes


def disconnect(workspace: Path, name: str, where: Where) -> list[Change]:
    changes = plan_disconnect(workspace, get_client(name), where, PROGRAM)
    apply_changes(workspace, changes)
    return changes


def files_below(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("scope", ["user", "project"])
def test_a_client_without_settings_gets_files_and_loses_them_again(workspace: Path, tmp_path: Path, name: str, scope: str) -> None:
    root = tmp_path / "place"
    root.mkdir()
    place = Where(scope, root, {})
    changes = connect(workspace, name, place, instructions=True)
    assert all(change.path.is_relative_to(root) for change in changes)
    assert is_connected(get_client(name), place, PROGRAM)
    assert connect(workspace, name, place, instructions=True) == []
    disconnect(workspace, name, place)
    assert list(root.iterdir()) == []
    assert not is_connected(get_client(name), place, PROGRAM)


@pytest.mark.parametrize("name", CLIENTS)
def test_every_hook_names_its_event_and_client(workspace: Path, where: Where, name: str) -> None:
    connect(workspace, name, where)
    written = b"".join(files_below(where.root).values()).decode()
    if name == "opencode":
        assert 'const COMMAND: string[] = ["/opt/tools/bin/diarist"]' in written
    else:
        assert f"/opt/tools/bin/diarist hook sessionstart --client {name}" in written.replace("SessionStart", "sessionstart").replace(
            "sessionStart", "sessionstart"
        )


def test_settings_with_comments_keep_every_byte(workspace: Path, where: Where) -> None:
    path = where.root / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(CLAUDE.encode())
    connect(workspace, "claude-code", where)
    made = path.read_text(encoding="utf-8")
    told = jsonc.parse(made).plain()
    assert told["hooks"]["Stop"][0]["hooks"][0]["command"] == "notify-send done"
    assert "diarist hook Stop --client claude-code" in told["hooks"]["Stop"][1]["hooks"][0]["command"]
    assert told["hooks"]["PostToolUseFailure"][0]["matcher"] == "Bash"
    for comment in ("// mine", "// keep me", "/* and me */"):
        assert comment in made
    disconnect(workspace, "claude-code", where)
    assert path.read_bytes() == CLAUDE.encode()


@pytest.mark.parametrize(
    "text", ["{}", "{}\n", '{"a": 1}', "", "\n", '\ufeff{\r\n  "a": 1\r\n}\r\n', '{"hooks": {}}', '{\n  "hooks": {\n  }\n}']
)
def test_whatever_the_file_looks_like_it_comes_back_as_it_was(workspace: Path, where: Where, text: str) -> None:
    path = where.root / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode())
    connect(workspace, "gemini", where)
    assert jsonc.parse(path.read_bytes().decode()).plain()["mcpServers"]["diarist"]["args"] == ["mcp"]
    disconnect(workspace, "gemini", where)
    assert path.read_bytes() == text.encode()


@pytest.mark.parametrize("text", [CODEX, CODEX.rstrip("\n"), "", CODEX.replace("\n", "\r\n")])
def test_toml_stays_toml_and_comes_back(workspace: Path, where: Where, text: str) -> None:
    path = where.root / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_bytes(text.encode())
    connect(workspace, "codex", where)
    servers = tomllib.loads(path.read_bytes().decode())["mcp_servers"]
    assert servers["diarist"] == {"command": "/opt/tools/bin/diarist", "args": ["mcp"]}
    disconnect(workspace, "codex", where)
    assert path.read_bytes() == text.encode()


def test_what_the_user_changed_meanwhile_stays(workspace: Path, where: Where) -> None:
    path = where.root / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(CLAUDE, encoding="utf-8")
    connect(workspace, "claude-code", where)
    path.write_text(path.read_text(encoding="utf-8").replace('"opus"', '"sonnet"'), encoding="utf-8")
    disconnect(workspace, "claude-code", where)
    assert path.read_text(encoding="utf-8") == CLAUDE.replace('"opus"', '"sonnet"')


def test_a_program_that_moved_takes_the_place_of_the_old_one(workspace: Path, where: Where) -> None:
    connect(workspace, "claude-code", where)
    connect(workspace, "claude-code", where, Program(("/new place/diarist",), "/data/space"))
    told = json.loads((where.root / ".claude" / "settings.json").read_text(encoding="utf-8"))
    commands = [hook["command"] for groups in told["hooks"].values() for group in groups for hook in group["hooks"]]
    assert len(commands) == len(told["hooks"])
    assert all(command.startswith("'/new place/diarist' hook ") and command.endswith("--workspace /data/space") for command in commands)
    disconnect(workspace, "claude-code", where)
    assert list(where.root.iterdir()) == []


def test_a_connection_is_undone_without_the_notes_of_its_making(workspace: Path, where: Where, tmp_path: Path) -> None:
    path = where.root / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(CLAUDE, encoding="utf-8")
    connect(workspace, "claude-code", where)
    disconnect(tmp_path / "another workspace", "claude-code", where)
    assert jsonc.parse(path.read_text(encoding="utf-8")).plain() == jsonc.parse(CLAUDE).plain()
    assert "diarist" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["{", '{"hooks": []}', "[1]", '{"a": 1} x'])
def test_a_file_that_cannot_be_understood_is_named_and_left_alone(workspace: Path, where: Where, text: str) -> None:
    path = where.root / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"settings\.json"):
        connect(workspace, "claude-code", where)
    assert files_below(where.root) == {".claude/settings.json": text.encode()}


def test_a_server_of_our_name_that_is_not_ours_to_change_is_reported(workspace: Path, where: Where) -> None:
    path = where.root / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('[mcp_servers.diarist]\ncommand = "else"\n', encoding="utf-8")
    with pytest.raises(InvalidInputError, match="TOML"):
        connect(workspace, "codex", where)


def test_a_link_to_settings_kept_elsewhere_stays_a_link(workspace: Path, where: Where, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}\n", encoding="utf-8")
    real.chmod(0o600)
    link = where.root / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(real)
    connect(workspace, "claude-code", where)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    disconnect(workspace, "claude-code", where)
    assert real.read_text(encoding="utf-8") == "{}\n"


def test_instructions_are_a_block_that_comes_and_goes(workspace: Path, where: Where) -> None:
    path = where.root / ".codex" / "AGENTS.md"
    path.parent.mkdir()
    path.write_text("# House rules\n\nBe kind.", encoding="utf-8")
    connect(workspace, "codex", where, instructions=True)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# House rules\n\nBe kind.\n\n<!-- diarist:begin -->\n")
    assert "find_fix" in text
    path.write_text(text + "\nMore of mine.\n", encoding="utf-8")
    disconnect(workspace, "codex", where)
    assert path.read_text(encoding="utf-8") == "# House rules\n\nBe kind.\nMore of mine.\n"


def test_the_notes_hold_nothing_of_the_files(workspace: Path, where: Where) -> None:
    path = where.root / ".claude" / "settings.json"
    path.parent.mkdir()
    secret = "hunter" + os.urandom(8).hex()
    path.write_text(json.dumps({"env": {"API_KEY": secret}}), encoding="utf-8")
    connect(workspace, "claude-code", where)
    assert all(secret.encode() not in content for content in files_below(workspace).values())
    disconnect(workspace, "claude-code", where)
    assert json.loads(path.read_text(encoding="utf-8")) == {"env": {"API_KEY": secret}}


def test_the_diff_shows_what_would_come(workspace: Path, where: Where) -> None:
    changes = plan_connect(workspace, get_client("cursor"), where, PROGRAM, instructions=False)
    diff = changes[0].diff()
    assert "+++ " in diff
    assert '+  "version": 1,' in diff
    assert list(where.root.iterdir()) == []
