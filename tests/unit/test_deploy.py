"""What `deploy/` holds: files that parse, and commands in them that the program has."""

from __future__ import annotations

import configparser
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from diarist.cli import cli

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))


def parse(arguments: list[str]) -> None:
    """Raises UsageError where the program has no such command or option."""
    ctx = cli.make_context("diarist", list(arguments))
    name, command, rest = cli.resolve_command(ctx, [*ctx._protected_args, *ctx.args])
    assert command is not None
    command.make_context(name, rest, parent=ctx)


def test_the_compose_file_holds_nodes_and_workers_on_one_database() -> None:
    told: Any = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    services = told["services"]
    assert services.keys() == {"database", "node1", "node2", "worker"}
    assert {services[name]["environment"]["DIARIST_DATABASE_URL"] for name in ("node1", "node2", "worker")} == {
        "postgresql://diarist:${POSTGRES_PASSWORD}@database/diarist"
    }
    volumes = [each.split(":")[0] for service in services.values() for each in service["volumes"]]
    assert sorted(volumes) == sorted(told["volumes"])
    assert services["worker"]["healthcheck"] == {"disable": True}
    parse(services["worker"]["command"])


def test_the_container_runs_a_command_there_is() -> None:
    lines = (DEPLOY / "Containerfile").read_text(encoding="utf-8").splitlines()
    (command,) = [line.removeprefix("CMD ") for line in lines if line.startswith("CMD ")]
    parse(yaml.safe_load(command))
    assert "USER diarist" in lines


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_starts_a_command_there_is_and_is_fenced_in(unit: Path) -> None:
    told = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    told.optionxform = str  # type: ignore[assignment, method-assign]
    told.read_string(unit.read_text(encoding="utf-8"))
    parse(shlex.split(told["Service"]["ExecStart"])[1:])
    for name in ("NoNewPrivileges", "PrivateTmp", "DynamicUser"):
        assert told["Service"][name] == "yes"
    assert told["Service"]["ProtectSystem"] == "strict"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze on PATH")
@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_systemd_takes_a_unit(unit: Path, tmp_path: Path) -> None:
    """With a program in the place of ours that is there."""
    copy = tmp_path / unit.name
    copy.write_text(unit.read_text(encoding="utf-8").replace("/opt/diarist/bin/diarist", shutil.which("true") or "/bin/true"))
    done = subprocess.run(["systemd-analyze", "verify", str(copy)], capture_output=True, text=True)
    assert [line for line in done.stderr.splitlines() if unit.name in line] == []


def test_there_are_units_to_check() -> None:
    assert len(UNITS) == 2
    assert isinstance(cli, click.Group)
