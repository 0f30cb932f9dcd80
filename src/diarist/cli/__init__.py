"""The command line: each command parses, calls one verb of `Memory`, and renders.

A new command is one module here and one line in `COMMANDS`; it is imported only when it is called.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from diarist.errors import DiaristError, UsageError

COMMANDS: dict[str, tuple[str, str, str]] = {
    # name: (module, task it is listed under, one line)
    "demo": ("demo", "Start here", "See it work on example sessions, in a minute."),
    "ingest": ("ingest", "Start here", "Import finished sessions of your agents."),
    "connect": ("connect", "Start here", "Let an agent's client capture its sessions and recall by itself."),
    "status": ("status", "Start here", "Is it working? Last events, backlog, last errors."),
    "init": ("init", "Start here", "Let a project publish its diary in its own .diarist folder."),
    "search": ("search", "Find", "Find past runs, errors and notes."),
    "recall": ("search", "Find", "What an agent should know before it starts; may be empty."),
    "trail": ("trail", "Find", "What agents did and noted on a workflow, in order."),
    "diary": ("diary", "Read and write", "List, show, add, verify and export entries."),
    "note": ("note", "Read and write", "Add a curated note."),
    "memory": ("memory", "Read and write", "Small facts in namespaces: store, recall, summarize, forget."),
    "knowledge": ("knowledge", "Read and write", "The same commands under Bernstein's names."),
    "synthesize": ("synthesize", "Learn", "Group recent entries into themes and draft a report to review."),
    "review": ("review", "Learn", "Decide on what is proposed: themes, skills, edits."),
    "patterns": ("patterns", "Learn", "Find what runs had in common and draft skills from it."),
    "skills": ("skills", "Learn", "Skills that were accepted: in place, edited, used? And checks of skill folders."),
    "disconnect": ("connect", "In the agent's loop", "Take what connect added out again, byte for byte."),
    "pause": ("status", "In the agent's loop", "Capture and recall nothing until resumed."),
    "resume": ("status", "In the agent's loop", "Go on after a pause."),
    "serve": ("serve", "Run a hub", "Serve the hub and Atlas over HTTP, and MCP beside them."),
    "keys": ("keys", "Run a hub", "Keys for the hub: add, list, revoke."),
    "hub": ("hub", "Run a hub", "Documents of the hub: fetch, edit, list, node, history, revert."),
    "mcp": ("mcp", "In the agent's loop", "Serve the workspace to an agent over MCP (standard streams)."),
    "hook": ("hook", "In the agent's loop", "What clients call at every turn; not for people."),
    "worker": ("worker", "In the agent's loop", "Import what hooks left; started by itself."),
    "feedback": ("feedback", "In the agent's loop", "Say whether an entry helped; show what was used."),
    "stats": ("stats", "Look after it", "Outcomes, agents, projects, errors, tokens, and what was of use."),
    "export": ("export", "Look after it", "Write sessions or entries out: ATIF, OpenTelemetry, JSON lines, Markdown."),
    "import": ("import_", "Look after it", "Read a whole store that export wrote, into an empty one."),
    "redact": ("redact", "Look after it", "Mask secrets in a text, or show what would be masked."),
    "sync": ("sync", "Look after it", "Take over diaries that others published."),
    "migrate": ("migrate", "Look after it", "Take over what Burin, Harn and Bernstein kept."),
    "index": ("index", "Look after it", "Status, rebuild and check of the search index."),
    "correct": ("correct", "Read and write", "Say that something was wrong, or is no longer so."),
    "erase": ("erase", "Look after it", "Erase for good, with everything that was made from it."),
    "verify": ("verify", "Look after it", "Check that what the store says is what was written; anchors."),
    "backup": ("backup", "Look after it", "Write everything to one file, checked."),
    "restore": ("backup", "Look after it", "Make a backup the workspace."),
    "doctor": ("doctor", "Look after it", "Check that nothing was lost and everything fits together."),
    "redistil": ("doctor", "Look after it", "Make entries anew from the evidence kept."),
    "completion": ("completion", "Look after it", "Print the script that completes commands in your shell."),
    "config": ("config", "Look after it", "Show settings and where they come from."),
}


class _Lazy(click.Group):
    """Loads a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        module = import_module(f"diarist.cli.{COMMANDS[cmd_name][0]}")
        command = getattr(module, f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for task in dict.fromkeys(task for _, task, _ in COMMANDS.values()):
            with formatter.section(task):
                formatter.write_dl([(name, line) for name, (_, of, line) in COMMANDS.items() if of == task])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, 1)
            hint = f" Did you mean `diarist {close[0]}`?" if close else " `diarist --help` lists all commands."
            raise click.UsageError(f"there is no command {args[0]!r}.{hint}", ctx) from error


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option("--workspace", metavar="PATH", help="Folder that holds the store. Default: DIARIST_HOME, else your user data folder.")
@click.version_option(package_name="diarist", message="diarist %(version)s")
@click.pass_context
def cli(ctx: click.Context, workspace: str | None) -> None:
    """Diarist reads the sessions your coding agents finished, keeps a redacted diary of what was tried, worked and failed,
    and finds it again when the next session needs it.

    \b
    diarist demo                              see it work
    diarist ingest                            import the sessions on this machine
    diarist connect claude-code               let an agent do it by itself
    diarist search "flaky login test"         find past runs
    some-command 2>&1 | diarist search --error -     find who fixed this error
    """
    ctx.obj = {**(ctx.obj or {}), "workspace": workspace}


def run(arguments: list[str], surfaces: Mapping[str, Callable[..., int]] | None = None) -> int:
    """Runs a command line. Never a traceback for what a user, a file or a disk can cause.

    `surfaces`: how to start the other surfaces (hook, mcp), which no command may import.
    """
    try:
        result = cli.main(args=arguments, prog_name="diarist", standalone_mode=False, obj={"surfaces": surfaces or {}})
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.Abort:
        return _said("stopped; nothing is half done. Run the same command again to go on.", 130)
    except KeyboardInterrupt:
        return _said("stopped; nothing is half done. Run the same command again to go on.", 130)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except UsageError as error:
        return _said(str(error), 2)
    except DiaristError as error:
        return _said(str(error), 1)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): that is no fault of ours or theirs.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return _code(result)


def _code(result: Any) -> int:
    return result if isinstance(result, int) else 0


def _said(message: str, code: int) -> int:
    from diarist.text.terminal import safe

    click.echo(f"diarist: {safe(message)}", err=True)
    return code
