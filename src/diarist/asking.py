"""`diarist search` and `diarist recall`: what they take, do and print, without the command-line library.

A process that asks once pays for every module it loads, so a plain command line is read here. What is not plain (help, a mistake)
is left to `diarist.cli.search`, which makes the same commands of the same table.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from diarist.errors import DiaristError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from diarist.app.memory import Memory
    from diarist.app.recall import Hits
    from diarist.model.hit import Hit

_WIDTH = 240


class Option(NamedTuple):
    """One option. `kind`: text, many (may be repeated), flag, or number (`least` to `most`). `choices`: the only values; none: any."""

    flag: str
    help: str
    kind: str = "text"
    metavar: str | None = None
    least: int = 0
    most: int = 0
    default: int = 0
    choices: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As a parameter: "as_json" for --json."""
        return {"--json": "as_json"}.get(self.flag, self.flag.lstrip("-"))


_FILTERS = (
    Option("--project", "Only this project. Default: every project."),
    Option("--here", "Only the project of this folder.", "flag"),
    Option("--kind", "Only records of this kind (entry, note, lesson, …); may be repeated.", "many"),
    Option("--agent", "Only this agent's, as claude-code or codex."),
    Option("--workflow", "Only this workflow's."),
    Option("--outcome", "Only runs that ended so: completed, recovered, failed, interrupted or unknown."),
    Option("--tag", "Only what carries this tag; repeated: all of them.", "many"),
    Option("--tool", "Only runs that used this tool; repeated: all of them.", "many"),
    Option("--file", "Only runs that touched a file whose path ends so; repeated: all of them.", "many"),
    Option("--since", "Not older than: 14d, 36h, or a date (2026-11-30, UTC).", metavar="TIME"),
    Option("--before", "Older than, in the same forms.", metavar="TIME"),
)
_MODE = Option("--mode", "By words, or by words and meaning. Default: the setting search.mode.", choices=("bm25", "hybrid"))
_JSON = Option("--json", "Machine-readable output.", "flag")
OPTIONS: dict[str, tuple[Option, ...]] = {
    "search": (
        Option("--error", "Look up this error output instead; entries that fixed it come first.", metavar="FILE|-"),
        Option("--limit", "Results at most.", "number", least=1, most=1000, default=10),
        *_FILTERS,
        Option("--explain", "Print the parts of each hit's score.", "flag"),
        _MODE,
        _JSON,
    ),
    "recall": (
        Option("--error", "Look up this error output instead.", metavar="FILE|-"),
        Option("--budget", "Tokens at most.", "number", least=50, most=100_000, default=2000),
        *_FILTERS,
        _MODE,
        _JSON,
    ),
}


def ask(arguments: Sequence[str]) -> int | None:
    """Runs a plain command line and returns its exit code; None where it is another command, or not plain."""
    workspace, rest = None, list(arguments)
    if len(rest) > 2 and rest[0] == "--workspace":
        workspace, rest = rest[1], rest[2:]
    if not rest or rest[0] not in OPTIONS:
        return None
    read = read_plain(rest[0], rest[1:])
    if read is None:
        return None
    import gc

    gc.set_threshold(200_000)  # the process ends in a moment; collecting what importing leaves would take a twentieth of its time
    try:
        return perform(rest[0], workspace, *read)
    except UsageError as error:
        return _said(str(error), 2)
    except DiaristError as error:
        return _said(str(error), 1)
    except KeyboardInterrupt:
        return _said("stopped; nothing is half done. Run the same command again to go on.", 130)
    except BrokenPipeError:
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def read_plain(command: str, arguments: Sequence[str]) -> tuple[list[str], dict[str, Any]] | None:
    """The words of the query and the options by name; None where anything is unusual."""
    known = {option.flag: option for option in OPTIONS[command]}
    values = {option.name: _unset(option) for option in known.values()}
    words: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if not argument.startswith("-"):
            words.append(argument)
            continue
        flag, joined, value = argument.partition("=")
        option = known.get(flag)
        if option is None or (option.kind == "flag" and joined):
            return None
        if option.kind == "flag":
            values[option.name] = True
            continue
        value = value if joined else next(rest, "")
        if not _fits(option, value):
            return None
        values[option.name] = (*values[option.name], value) if option.kind == "many" else int(value) if option.kind == "number" else value
    return (words, values) if bool(words) != bool(values["error"]) else None


def _unset(option: Option) -> Any:
    return {"flag": False, "many": (), "number": option.default}.get(option.kind)


def _fits(option: Option, value: str) -> bool:
    if option.kind == "number":
        return value.isascii() and value.isdecimal() and option.least <= int(value) <= option.most
    return bool(value) and (value == "-" or not value.startswith("-")) and (not option.choices or value in option.choices)


def perform(command: str, workspace: str | None, words: Sequence[str], values: dict[str, Any]) -> int:
    """Searches or recalls and prints. `values` as `read_plain` gives them. Raises DiaristError."""
    from diarist.bootstrap import open_memory

    filters = {name: values[name] or None for name in ("project", "agent", "workflow", "outcome", "tag", "tool", "file", "since", "before")}
    filters["kinds"] = values["kind"] or None
    if values["here"]:
        import os

        from diarist.app.projects import resolve_project

        filters["project"] = resolve_project(os.getcwd())  # noqa: PTH109
    text = _read(values["error"]) if values["error"] else " ".join(words)
    if values["error"] and not text.strip():
        raise UsageError("no error text came; pipe the output of what failed, as in `make 2>&1 | diarist search --error -`")
    with open_memory(workspace) as memory:
        if command == "search":
            _search(memory, text, values, filters)
        else:
            _recall(memory, text, values, filters)
    return 0


def _search(memory: Memory, text: str, values: dict[str, Any], filters: dict[str, Any]) -> None:
    if values["error"]:
        hits = memory.search_error(text, limit=values["limit"], **filters)
    else:
        hits = memory.search(text, limit=values["limit"], mode=values["mode"], explain=values["explain"], **filters)
    if values["as_json"]:
        _print_json([_told(hit, hits) for hit in hits])
    else:
        _show_all(hits, explain=values["explain"], errors=bool(values["error"]))
        if not hits:
            close = [] if values["error"] else memory.suggest(text)
            _print("Nothing found." + (f" Did you mean: {', '.join(close)}?" if close else ""))
    _tell_mode(hits.mode, hits.mode_reason, explain=values["explain"])
    if hits.behind:
        changes = f"{hits.behind:,} change is" if hits.behind == 1 else f"{hits.behind:,} changes are"
        _print(f"{changes} too new for the search index, which another process is writing; search again in a moment.", error=True)


def _recall(memory: Memory, text: str, values: dict[str, Any], filters: dict[str, Any]) -> None:
    pack = memory.recall(text, budget=values["budget"], mode=values["mode"], is_error=bool(values["error"]), **filters)
    if values["as_json"]:
        shown: dict[str, Any] = {"text": pack.text, "tokens": pack.tokens, "items": [hit._asdict() for hit in pack.items]}
        _print_json(shown | {"mode": pack.mode, "mode_reason": pack.mode_reason})
        return
    if pack.text:
        _print(pack.text)
    _tell_mode(pack.mode, pack.mode_reason, explain=False)


def _told(hit: Hit, hits: Hits) -> dict[str, Any]:
    """A hit as JSON, with where in its snippet the words are and how it was found."""
    return {**hit._asdict(), "highlights": hits.highlight(hit.snippet), "mode": hits.mode, "mode_reason": hits.mode_reason}


def _show_all(hits: Hits, *, explain: bool, errors: bool) -> None:
    """All hits. Of an error look-up it is said who met that very error: runs with like words may be of no use."""
    from diarist.model.hit import SAME_ERROR

    met = [any(reason.startswith(SAME_ERROR) for reason in hit.reasons) for hit in hits] if errors else []
    if met and not any(met):
        _print("No run met this very error. These met something in like words:")
    for number, hit in enumerate(hits):
        _show(hit, hits, explain=explain)
        if met and met[number] and not explain:
            _print("    met this very error and " + ("solved it" if "solved it" in hit.reasons else "did not solve it"))


def _show(hit: Hit, hits: Hits, *, explain: bool) -> None:
    from diarist.model.hit import RESEMBLES

    what = f"{hit.outcome}" + (", verified" if hit.verified else "") if hit.outcome else hit.kind
    _print(f"{hit.id}  {hit.created_at[:10]}  {what}  {_line(hit.title, hits)}", raw=True)
    if hit.superseded_by:
        _print(f"    superseded by {hit.superseded_by}")
    if hit.snippet:
        _print(f"    {_line(hit.snippet, hits)}", raw=True)
    elif not explain and any(reason.startswith(RESEMBLES) for reason in hit.reasons):
        _print(f"    {RESEMBLES}")
    for reason in hit.reasons if explain else ():
        _print(f"    {reason}")


def _line(text: str, hits: Hits) -> str:
    """One line that cannot act on the terminal; on a terminal, the words that were looked for are bold."""
    from diarist.text.terminal import safe

    flat = safe(" ".join(text.split()))
    flat = flat if len(flat) <= _WIDTH else flat[: _WIDTH - 1] + "…"
    if not _has_colors():
        return flat
    pieces, at = [], 0
    for start, end in hits.highlight(flat):
        pieces += [flat[at:start], "\x1b[1m", flat[start:end], "\x1b[0m"]
        at = end
    return "".join([*pieces, flat[at:]])


def _has_colors() -> bool:
    import os

    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _tell_mode(mode: str, reason: str, *, explain: bool) -> None:
    """On standard error, unless it is what everybody gets who asked for nothing else."""
    if explain or mode != "bm25" or reason.startswith("hybrid was wanted"):
        _print(f"found by {mode}: {reason}", error=True)


def _read(source: str) -> str:
    if source == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        with open(source, "rb") as stream:  # noqa: PTH123 - pathlib costs start-up time here
            return stream.read().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"cannot read {source}: {error.strerror or error}") from error


def _print_json(value: object) -> None:
    import json

    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _print(text: str, *, error: bool = False, raw: bool = False) -> None:
    """A line. What a transcript says cannot steer the terminal; `raw`: that is seen to."""
    from diarist.text.terminal import safe

    stream = sys.stderr if error else sys.stdout
    stream.write((text if raw else safe(text)) + "\n")
    stream.flush()


def _said(message: str, code: int) -> int:
    _print(f"diarist: {message}", error=True)
    return code
