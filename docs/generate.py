"""Writes the reference pages from the code: commands, settings, JSON schemas. `--check` only says which are stale."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from diarist import queueing, serving
from diarist.app.jobs import JOBS
from diarist.asgi import workroom
from diarist.cli import COMMANDS, cli
from diarist.config import SETTINGS, VARIABLES
from diarist.http_api.openapi import describe
from diarist.http_api.table import ROUTES
from diarist.model.entry import Entry
from diarist.model.session import CaptureReport, Step
from diarist.stores import postgres, postgres_schema

REFERENCE = Path(__file__).resolve().parent / "reference"


def main() -> int:
    """0 when every page is fresh (or was written)."""
    pages = {
        "commands.md": commands(),
        "settings.md": settings(),
        "http.md": http(),
        "openapi.json": json.dumps(describe(ROUTES), indent=1, sort_keys=True) + "\n",
        "diarist.1": manual(),
        "schemas/entry.json": schema(Entry),
        "schemas/capture-report.json": schema(CaptureReport),
        "schemas/step.json": schema(Step),
    }
    stale = [name for name, text in pages.items() if not (REFERENCE / name).is_file() or (REFERENCE / name).read_text("utf-8") != text]
    if "--check" in sys.argv[1:]:
        for name in stale:
            sys.stderr.write(f"docs/reference/{name} is stale: run python docs/generate.py\n")
        return int(bool(stale))
    for name in stale:
        (REFERENCE / name).parent.mkdir(parents=True, exist_ok=True)
        (REFERENCE / name).write_text(pages[name], "utf-8")
    return 0


def commands() -> str:
    """Every command with its help, in the order of the command line."""
    parts = ["# Commands\n\nMade from the code by `docs/generate.py`.\n"]
    parts += [f"## `{path}`\n\n```text\n{text}\n```\n" for path, text in _helps(cli, click.Context(cli, info_name="diarist"))]
    return "\n".join(parts)


def _helps(command: click.Command, ctx: click.Context) -> list[tuple[str, str]]:
    ctx.terminal_width = ctx.max_content_width = 110
    found = [(ctx.command_path, command.get_help(ctx).rstrip())]
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            child = command.get_command(ctx, name)
            if child is not None and not child.hidden:
                found += _helps(child, click.Context(child, info_name=name, parent=ctx))
    return found


def manual() -> str:
    """The manual page (section 1, roff)."""
    lines = [
        '.TH DIARIST 1 "" "Diarist" "User commands"',
        ".SH NAME",
        r"diarist \- a redacted, searchable diary of what coding agents tried, and what worked",
        ".SH SYNOPSIS",
        r".B diarist\fR [\fB\-\-workspace\fR \fIPATH\fR] \fICOMMAND\fR [\fIARGS\fR]",
        ".SH DESCRIPTION",
        _roff(" ".join((cli.help or "").partition("\b")[0].split())),
    ]
    for task in dict.fromkeys(task for _, task, _ in COMMANDS.values()):
        lines.append(f".SH {task.upper()}")
        for name, (_, of, line) in COMMANDS.items():
            if of == task:
                lines += [".TP", rf".B diarist {_roff(name)}", _roff(line)]
    lines.append(".SH ENVIRONMENT")
    for each in SETTINGS:
        if each.env:
            lines += [".TP", f".B {_roff(each.env)}", _roff(each.help)]
    lines += [
        ".SH EXIT STATUS",
        "0: done. 1: failed. 2: the command line was not understood.",
        ".SH SEE ALSO",
        r"Every command explains itself: \fBdiarist\fR \fICOMMAND\fR \fB\-\-help\fR.",
    ]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    made = text.replace("\\", r"\e").replace("-", r"\-")
    return r"\&" + made if made.startswith((".", "'")) else made


def settings() -> str:
    """Every setting with type, default and meaning."""
    rows = [
        f"| `{each.name}` | {each.kind.__name__} | `{json.dumps(each.default)}` | {f'`{each.env}`' if each.env else ''} "
        f"| {'yes' if each.project else ''} | {each.help} |"
        for each in SETTINGS
    ]
    head = [
        "# Settings",
        "",
        "Made from the code by `docs/generate.py`. Environment wins over the project's `.diarist/config.toml`, which wins over the",
        "user's `config.toml` (`diarist config path`). `DIARIST_HOME` or `--workspace` names the workspace folder.",
        "",
        "| setting | type | default | environment | project may set it | meaning |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    return "\n".join([*head, *rows, *_environment(), *_server()]) + "\n"


def _environment() -> list[str]:
    head = [
        "",
        "## Environment only",
        "",
        "Places and secrets: no settings file holds them.",
        "",
        "| variable | meaning |",
        "| --- | --- |",
    ]
    return [*head, *[f"| `{name}` | {meaning} |" for name, meaning in VARIABLES.items()]]


def _server() -> list[str]:
    """Options of the two commands that run for long, what a connection string may say, and the numbers that are not to be set."""
    lines = ["", "## The server and its workers", ""]
    for name in ("serve", "worker"):
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden and each.name != "help"]
        lines += [f"`diarist {name}`:", "", "| option | default | meaning |", "| --- | --- | --- |"]
        lines += [f"| `{'`, `'.join(each.opts)}` | {_default(each)} | {each.help or ''} |" for each in options]
        lines.append("")
    lines += ["A connection string (`DIARIST_DATABASE_URL`) takes what libpq takes; these matter most:", "", "| parameter | meaning |"]
    lines += ["| --- | --- |", *[f"| `{name}` | {meaning} |" for name, meaning in LIBPQ.items()]]
    lines += ["", "Not to be set, and worth knowing:", "", "| number | value |", "| --- | --- |"]
    return [*lines, *[f"| {meaning} | {value} |" for meaning, value in _numbers()]]


def _default(option: click.Option) -> str:
    return (
        f"`{option.default}`"
        if option.default and isinstance(option.default, (str, int, float)) and not isinstance(option.default, bool)
        else ""
    )


def _numbers() -> list[tuple[str, str]]:
    jobs = ", ".join(f"{name} {job.minutes}" for name, job in sorted(JOBS.items()))
    return [
        ("connections of one process to PostgreSQL for the store of each tenant", f"{postgres.POOL_SIZE} at most"),
        ("wait for a connection, or for the turn of another writer", f"{postgres.WAIT_SECONDS:g} s"),
        ("threads of a node that work on requests", str(workroom.THREADS)),
        ("requests at work when a node is told to stop get", f"{serving.GRACE_SECONDS} s"),
        ("minutes between runs of a background job", jobs),
        ("tries of a job, with pauses of 4, 16, 64 … seconds", str(queueing.ATTEMPTS)),
        ("a worker that was not heard of loses its jobs to others after", f"{queueing.LOST_SECONDS:g} s"),
        ("jobs that failed for good are shown for", f"{queueing.KEPT_HOURS // 24} days"),
        ("history partitions are made ahead for", f"{postgres_schema.MONTHS_AHEAD} months"),
    ]


LIBPQ = {
    "sslmode": "`verify-full` over any network: encrypted, and the server's name is checked.",
    "sslrootcert": "The authority that signed the server's certificate, or `system`.",
    "sslcert`, `sslkey": "A certificate of our own, in the place of a password.",
    "passfile": "A file with the password (`PGPASSFILE`), so that it stands in no environment.",
    "service": "A section of `pg_service.conf`.",
    "host": "One or several, with `target_session_attrs=read-write` the one that may be written.",
    "connect_timeout`, `keepalives_idle`, `tcp_user_timeout": "How soon a server that is cut off is noticed.",
    "options": "`-c statement_timeout=60000` and the like.",
}


def http() -> str:
    """Every operation over HTTP, from the same table that is served."""
    document = describe(ROUTES)
    parts = [
        "# HTTP",
        "",
        "Made from the table of routes by `docs/generate.py`. The server tells the same at `/v1/openapi.json` ([here](openapi.json)).",
        "A key goes into `x-api-key`, or is a bearer. Errors are `application/problem+json`. Further addresses: `/healthz`, `/readyz`,",
        "`/metrics`, `/mcp`. [Serve a hub](../howto/serve.md) tells how to use it.",
    ]
    for tag in dict.fromkeys(route.tag for route in ROUTES):
        parts += ["", f"## {tag.capitalize()}"]
        for route in (each for each in ROUTES if each.tag == tag):
            told = document["paths"][route.path][route.method.lower()]
            parts += [
                "",
                f"### `{route.method} {route.path}`",
                "",
                f"{route.summary}. Role: {route.role}.",
                "",
                _first(told["description"]),
            ]
            if rows := [_parameter(each) for each in told["parameters"] if each["in"] != "path"]:
                parts += ["", "| parameter | in | meaning |", "| --- | --- | --- |", *rows]
            if route.body is not None:
                shape = _shape(document, route.body.__name__)
                parts += ["", "```json", json.dumps([shape] if route.many else shape, indent=2), "```"]
    return "\n".join(parts) + "\n"


def _first(description: str) -> str:
    return " ".join(description.rpartition("\n\nRole:")[0].split())


def _parameter(told: dict[str, Any]) -> str:
    limits = [f"one of {', '.join(map(str, told['schema']['enum']))}"] if "enum" in told["schema"] else []
    limits += [f"default {json.dumps(told['schema']['default'])}"] if told["schema"].get("default") not in (None, "") else []
    meaning = "; ".join([*([told["description"]] if told.get("description") else []), *limits])
    return f"| `{told['name']}` | {told['in']} | {meaning} |"


def _shape(document: dict[str, Any], name: str) -> dict[str, str]:
    """Fields of a body and what they hold, short."""
    told = document["components"]["schemas"][name]
    return {
        field: _kind(schema) + ("" if field in told.get("required", ()) else ", optional") for field, schema in told["properties"].items()
    }


def _kind(schema: dict[str, Any]) -> str:
    options = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    if options:
        return _kind(options[0])
    return " | ".join(map(str, schema["enum"])) if "enum" in schema else str(schema.get("type", "any"))


def schema(kind: type) -> str:
    """JSON Schema of a model value."""
    return json.dumps(msgspec.json.schema(kind), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    raise SystemExit(main())
