"""Observations to runs: words and tools become numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from diarist.model.observation import Observation, ToolUse, loaded_skill
from diarist.stages.patterns.evidence import Features
from diarist.stages.patterns.families import families
from diarist.stages.patterns.grouping import Run
from diarist.stages.patterns.words import prompt_words
from diarist.text.lazy import lazy

WELL = frozenset(("completed", "recovered", "unknown"))
"""Outcomes that do not speak against a habit."""
_MOST_TOOLS = 200
_SHELL_LABEL = lazy(r"[\w.+-]+(?: [a-z][\w-]*)?")
_PROGRAMS = """
    cat cd ls echo pwd head tail wc grep rg find sed awk mkdir touch cp mv rm true test which sleep tree sort uniq xargs env export
    source python python3 node bash sh cmd powershell pwsh printf tee chmod diff date less more type dir
"""
_FURNITURE = frozenset(_PROGRAMS.split())
"""Programs that tell nothing about what is done."""


class Corpus(NamedTuple):
    """The runs, and what their numbers stand for."""

    runs: list[Run]
    words: list[tuple[str, ...]]
    """By run: its words as written, in order."""
    families: dict[str, tuple[int, ...]]
    """Written word → numbers of its families."""


def label(tool: ToolUse) -> str:
    """What a tool use is called in a procedure: "$ git commit" for a telling command, "read" for a common tool, else its name."""
    if tool.kind == "shell":
        found = _SHELL_LABEL.match(tool.shape)
        return f"$ {found[0]}" if found and found[0].partition(" ")[0] not in _FURNITURE else "shell"
    return tool.name if tool.kind == "other" else tool.kind


def is_special(name: str, tool: ToolUse) -> bool:
    """False for what every agent does all day."""
    return tool.kind == "other" or name.startswith("$ ")


def labels(tools: Sequence[ToolUse]) -> list[tuple[str, bool]]:
    """The calls as (label, special?), repeats in a row collapsed."""
    found: list[tuple[str, bool]] = []
    for tool in tools[:_MOST_TOOLS]:
        if loaded_skill(tool):
            continue
        name = label(tool)
        if not found or found[-1][0] != name:
            found.append((name, is_special(name, tool)))
    return found


def make_corpus(observations: Sequence[Observation]) -> Corpus:
    """Everything as numbers. Numbers depend on the observations' order, so hand them in sorted."""
    written = [prompt_words(observation.prompt) for observation in observations]
    family_names = families(written)
    word_numbers: dict[str, int] = {}
    families_of = {
        word: tuple([word_numbers.setdefault(name, len(word_numbers)) for name in names]) for word, names in family_names.items()
    }
    tool_numbers: dict[str, int] = {}
    sessions: dict[str, int] = {}
    runs = []
    for observation, words in zip(observations, written, strict=True):
        common, special = _tool_features(labels(observation.tools))
        runs.append(
            Run(
                words=_numbers({number for word in words for number in families_of[word]}),
                common=_numbers(tool_numbers.setdefault(name, len(tool_numbers)) for name in common),
                special=_numbers(tool_numbers.setdefault(name, len(tool_numbers)) for name in special),
                failed=observation.outcome not in WELL,
                session=sessions.setdefault(observation.session_id, len(sessions)),
            )
        )
    return Corpus(runs, written, families_of)


def _tool_features(sequence: Sequence[tuple[str, bool]]) -> tuple[dict[str, None], dict[str, None]]:
    """What was used, what came right after what, what was first and last: (of common tools only, with special ones)."""
    sides: tuple[dict[str, None], dict[str, None]] = ({}, {})
    previous: tuple[str, bool] | None = None
    for name, special in sequence:
        sides[special][name] = None
        if previous is not None:
            sides[special or previous[1]][f"{previous[0]} > {name}"] = None
        previous = name, special
    if sequence:
        sides[sequence[0][1]][f"> {sequence[0][0]}"] = None
        sides[sequence[-1][1]][f"{sequence[-1][0]} >"] = None
    return sides


def _numbers(found: Iterable[int]) -> Features:
    return tuple(sorted(set(found)))
