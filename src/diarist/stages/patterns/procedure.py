"""What runs of one habit did alike: a procedure with gaps, order-free where the order varies, arguments lifted to parameters."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from diarist.model.observation import ToolUse, loaded_skill
from diarist.model.redacted import Redacted, derived
from diarist.model.skill import SkillStep
from diarist.stages.patterns.features import is_special, label
from diarist.text.lazy import lazy

_NEEDED = 0.6
_SOMETIMES = 0.4
"""A telling tool that so many runs use is an optional step."""
_HELD = 0.5
"""The procedure as a whole must be contained in so many runs."""
_LOOSE = 0.3
"""Two steps are in any order if each comes first in at least this share of the runs."""
_MOST_STEPS = 12
_MOST_RUNS = 60
_MOST_CALLS = 120
_OCCURRENCES = 2

_VERBS = {
    "read": "Read", "edit": "Edit", "create": "Write", "delete": "Delete", "move": "Move", "search": "Search", "web": "Look up",
    "agent": "Delegate", "plan": "Plan", "ask": "Ask", "submit": "Hand in", "code": "Run code", "shell": "Run",
}  # fmt: skip
_PLAIN = {
    "read": "Read the files concerned", "edit": "Edit the files concerned", "create": "Write the new file",
    "delete": "Delete what is no longer needed", "move": "Move or rename the files", "search": "Search the code",
    "web": "Look it up on the web", "agent": "Delegate a part to a subagent", "plan": "Write down a plan", "ask": "Ask the user",
    "submit": "Hand in the result", "code": "Run code", "shell": "Run a command",
}  # fmt: skip
_USUAL = frozenset(("read", "edit", "create", "search", "ask", "submit", "code", "plan"))
_NUMBER = lazy(r"[-+]?v?\d[\d.,:-]*\Z")
_PATH = lazy(r"[\w.~@+-]*[/\\][\w./\\~@+-]*\Z|[\w-]+\.\w{1,5}\Z")

_Item = tuple[str, int]
"""Label, and which occurrence of it in the run (from 0)."""


class _Run(NamedTuple):
    items: tuple[_Item, ...]
    uses: dict[_Item, ToolUse]


def find_procedure(tools: Sequence[Sequence[ToolUse]]) -> tuple[SkillStep, ...]:
    """The steps that most of the runs share, in their common order. `tools`: the calls of each run that went well."""
    runs = [run for run in map(_itemise, tools[:_MOST_RUNS]) if run.items]
    if not runs:
        return ()
    counts = Counter(item for run in runs for item in run.items)
    needed = {item for item, count in counts.items() if count >= _NEEDED * len(runs)}
    needed = _kept(needed, counts, runs)
    special = {item for run in runs for item, use in run.uses.items() if is_special(item[0], use)}
    optional = {item for item in special - needed if counts[item] >= max(2, _SOMETIMES * len(runs))}
    chosen = sorted(needed | optional, key=lambda item: (-counts[item], item))[:_MOST_STEPS]
    ordered = _order(chosen, runs)
    return tuple(_steps(ordered, needed, counts, runs))


def says_something(steps: Sequence[SkillStep], tools: Sequence[Sequence[ToolUse]] = ()) -> bool:
    """False for a procedure of which nothing but one step is needed that every agent takes anyway: to edit a file, or to run some
    command or other, where it is known which.
    """
    needed = [step.tool for step in steps if not step.optional]
    commands_known = any(use.shape for calls in tools for use in calls if use.kind == "shell")
    return len(needed) > 1 or any(tool not in _USUAL and (tool != "shell" or not commands_known) for tool in needed)


def follows(tools: Sequence[ToolUse], wanted: Sequence[str]) -> bool:
    """True where the calls hold the wanted labels in this order, whatever stands between. Any command is a "shell"."""
    names = [(label(tool), tool.kind) for tool in tools]
    at = 0
    for want in wanted:
        while at < len(names) and want not in names[at]:
            at += 1
        if at == len(names):
            return False
        at += 1
    return bool(wanted)


def _itemise(tools: Sequence[ToolUse]) -> _Run:
    """Repeats in a row collapsed, later occurrences told apart."""
    items: list[_Item] = []
    uses: dict[_Item, ToolUse] = {}
    seen: Counter[str] = Counter()
    previous = ""
    for tool in tools[:_MOST_CALLS]:
        name = label(tool)
        if loaded_skill(tool) or tool.kind == "plan":
            continue
        if name != previous and seen[name] < _OCCURRENCES:
            item = (name, seen[name])
            seen[name] += 1
            items.append(item)
            uses[item] = tool
        previous = name
    return _Run(tuple(items), uses)


def _kept(needed: set[_Item], counts: Counter[_Item], runs: Sequence[_Run]) -> set[_Item]:
    """Drops the rarest steps until enough runs contain all of them in the common order."""
    while len(needed) > 1:
        groups = _group(_order(sorted(needed), runs), runs)
        held = sum(_contains(run.items, groups) for run in runs)
        if held >= max(2, _HELD * len(runs)):
            break
        needed = needed - {min(needed, key=lambda item: (counts[item], -item[1], item))}
    return needed


def _precedes(a: _Item, b: _Item, runs: Sequence[_Run]) -> float:
    """In how many of the runs that have both `a` comes before `b` (0 to 1; one half where none has both)."""
    first = both = 0
    for run in runs:
        if a in run.uses and b in run.uses:
            both += 1
            first += run.items.index(a) < run.items.index(b)
    return first / both if both else 0.5


def _order(items: Sequence[_Item], runs: Sequence[_Run]) -> list[_Item]:
    """By how many others a step mostly precedes, then by where it mostly stands."""
    wins = {a: sum(_precedes(a, b, runs) > 0.5 for b in items if b != a) for a in items}
    places: dict[_Item, list[float]] = defaultdict(list)
    for run in runs:
        for at, item in enumerate(run.items):
            places[item].append(at / len(run.items))
    return sorted(items, key=lambda item: (-wins[item], round(sum(places[item]) / len(places[item]), 6), item))


def _group(ordered: Sequence[_Item], runs: Sequence[_Run]) -> list[list[_Item]]:
    """Neighbours that come now in this, now in that order stand together."""
    groups: list[list[_Item]] = []
    for item in ordered:
        if groups and all(_LOOSE <= _precedes(other, item, runs) <= 1 - _LOOSE for other in groups[-1]):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _contains(items: Sequence[_Item], groups: Sequence[Sequence[_Item]]) -> bool:
    """True where the run has all steps in the order of the groups, whatever stands between."""
    at = -1
    for group in groups:
        places = [items.index(item) if item in items else -1 for item in group]
        if min(places) <= at:
            return False
        at = max(places)
    return True


def _steps(ordered: Sequence[_Item], needed: set[_Item], counts: Counter[_Item], runs: Sequence[_Run]) -> list[SkillStep]:
    steps = []
    together = 0
    for group in _group(ordered, runs):
        together += len(group) > 1
        for item in group:
            uses = [run.uses[item] for run in runs if item in run.uses]
            steps.append(
                SkillStep(
                    text=_told(item[0], uses),
                    tool=derived(item[0]),
                    together=together if len(group) > 1 else 0,
                    optional=item not in needed,
                    runs=counts[item],
                )
            )
    return [step for at, step in enumerate(steps) if at == 0 or step.text != steps[at - 1].text]


def _told(name: str, uses: Sequence[ToolUse]) -> Redacted:
    kind = uses[0].kind
    shape = lift([use.shape for use in uses])
    if kind == "other":
        return derived(f"Call `{uses[0].name}`" + (f" with {shape}" if shape else ""))
    if not shape or kind in ("search", "ask", "submit", "agent", "web", "code"):
        return derived(_PLAIN[kind] if not name.startswith("$ ") else f"Run `{name[2:]}`")
    return derived(f"{_VERBS[kind]} `{shape}`")


def lift(shapes: Sequence[Redacted]) -> Redacted:
    """What calls of one step have in common; what varies becomes a parameter.

    >>> lift(["git tag v1.2 -m x", "git tag v1.3 -m y"])
    'git tag <number> -m <value>'
    """
    told = [shape.split() for shape in shapes if shape]
    if not told or len(told) < len(shapes) / 2:
        return Redacted("")
    length = Counter(map(len, told)).most_common(1)[0][0]
    alike = [words for words in told if len(words) == length]
    if len(alike) < 0.6 * len(told):
        return _common_start(told)
    words = [_one_word([each[at] for each in alike]) for at in range(length)]
    return derived(" ".join(words)) if any(not word.startswith("<") for word in words) else Redacted("")


def _one_word(variants: Sequence[str]) -> str:
    word, count = Counter(variants).most_common(1)[0]
    return word if count >= 0.7 * len(variants) and count > 1 else _parameter(variants)


def _parameter(variants: Sequence[str]) -> str:
    if all(_NUMBER.match(word) for word in variants):
        return "<number>"
    if all(_PATH.match(word) for word in variants):
        endings = {word.rpartition(".")[2] for word in variants if "." in word}
        return f"<path>.{endings.pop()}" if len(endings) == 1 and all("." in word for word in variants) else "<path>"
    return "<value>"


def _common_start(told: Sequence[Sequence[str]]) -> Redacted:
    start: list[str] = []
    for at in range(min(map(len, told))):
        word, count = Counter(words[at] for words in told).most_common(1)[0]
        if count < 0.7 * len(told):
            break
        start.append(word)
    return derived(" ".join(start) + " …") if start else Redacted("")
