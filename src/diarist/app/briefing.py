"""What a hook tells an agent unasked: for a beginning session, for a prompt, for a command that failed. Few words or none."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from diarist.model.hit import ContextPack, Hit, Query
from diarist.stages.briefing import Item, brief_text

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox

RECENT = timedelta(days=30)
MOST = 3
_TRUNKS = frozenset(("main", "master", "trunk", "develop", "dev", "head", "default", "release", "staging", "production"))


def brief(box: Toolbox, kind: str, asked: str, *, project: str, cwd: str) -> ContextPack:
    """Context of at most `recall.hook_characters` characters, cited and fenced; empty where nothing fits.

    All of it is asked of the index, as it is: a list that the store would have to filter costs more than the whole hook may.

    kind start: the last runs of the project, and what fits the name of its branch. prompt: what fits `asked`. tool: who solved
    the errors in `asked`.
    """
    limit = box.settings.get("recall.hook_characters")
    if limit <= 0:
        return ContextPack("", ())
    if kind == "tool":
        return _fixes(box, asked, project, limit)
    if kind == "prompt":
        return _recalled(box, asked, project, limit)
    return _beginning(box, project, cwd, limit)


def _recalled(box: Toolbox, query: str, project: str, limit: int) -> ContextPack:
    from diarist.app.influencing import by_usefulness
    from diarist.app.recall import recall
    from diarist.app.skill_cards import add_cards

    influence = by_usefulness(box.store)
    pack = recall(box.store, box.search_index(), query, budget=limit // 4, characters=limit, project=project, influence=influence)
    return add_cards(box, (query,), project, pack, limit)


def _fixes(box: Toolbox, error: str, project: str, limit: int) -> ContextPack:
    from diarist.app.fixes import find_same_fixes

    found = find_same_fixes(box, error, project=project, limit=MOST)
    items = [
        Item(
            each.hit.id, each.hit.created_at[:10], _state(each.hit), each.hit.title, (f"error: {each.error}", f"what solved it: {each.fix}")
        )
        for each in found
    ]
    return _packed("Past runs of this project met the same error and solved it.", items, [each.hit for each in found], limit)


def _beginning(box: Toolbox, project: str, cwd: str, limit: int) -> ContextPack:
    from diarist.app.skill_cards import FOR_RECENT, add_cards

    words = branch_words(cwd)
    if words and (pack := _recalled(box, words, project, limit)).text:
        return pack
    query = Query(kinds=("entry",), project=project, since=int((box.now() - RECENT).timestamp()))
    rows = box.store.get_hits([match.seq for match in box.search_index().search(query, 2 * MOST)])
    last = sorted((row for row in rows if row.status == "active"), key=lambda row: row.created_at, reverse=True)[:MOST]
    cited = [Hit(row.id, 0.0, row.kind, row.title, outcome=row.outcome, verified=row.verified) for row in last]
    items = [Item(row.id, row.created_at[:10], _state(hit), row.title, ()) for row, hit in zip(last, cited, strict=True)]
    pack = _packed("The last runs of agents in this project.", items, cited, limit)
    return add_cards(box, [row.title for row in last], project, pack, limit, FOR_RECENT)


def _packed(head: str, items: list[Item], cited: list[Hit], limit: int) -> ContextPack:
    text, shown = brief_text(head, items, limit)
    return ContextPack(text, tuple(cited[:shown]), -(-len(text) // 3)) if shown else ContextPack("", ())


def _state(hit: Hit) -> str:
    return f"{hit.outcome}, verified" if hit.verified else hit.outcome


def branch_words(cwd: str) -> str:
    """The words of the branch that is checked out in `cwd` ("fix/flaky-login" → "fix flaky login"); empty for a trunk or none."""
    for folder in (Path(cwd), *Path(cwd).parents) if cwd else ():
        git = folder / ".git"
        try:
            if git.is_file():
                pointer = git.read_text(encoding="utf-8", errors="replace").partition("gitdir:")[2].strip()
                git = (folder / pointer).resolve()
            head = (git / "HEAD").read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            continue
        branch = head.partition("ref: refs/heads/")[2]
        words = [word for part in branch.split("/") for word in part.replace("_", "-").split("-") if word]
        return "" if not words or words[0].lower() in _TRUNKS or len(words) < 2 else " ".join(words)
    return ""
