"""Leaves out of a session what its user does not want kept, and what Diarist itself put there. Before redaction; pure.

A step keeps its place: only its text and arguments are withheld, so that counts and pairs still add up. Of what Diarist itself
answered the ids stay: they tell the usefulness ledger what an agent was shown.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from diarist.text.fence import WITHHELD, ids_only, without_fenced
from diarist.text.lazy import lazy

if TYPE_CHECKING:
    from diarist.model.privacy import WithholdRules
    from diarist.model.session import RawStep

_PRIVATE = lazy(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
_OWN_TOOL = lazy(
    r"(?:mcp__(?:plugin_diarist_)?diarist__|diarist[._/-]{1,2})"
    r"(?:kb_search|kb_fetch|kb_list_scope|kb_node|search|fetch|recall|find_fix)\Z"
)
"""How clients name the tools of Diarist's own MCP server: `mcp__diarist__recall`, `diarist.recall`, `diarist__recall`."""


class Withholding:
    """Goes through the steps of one source in order."""

    def __init__(self, rules: WithholdRules) -> None:
        self._rules = rules
        self._turns: set[str] = set()
        """Sessions in the middle of a turn that is withheld."""
        self._calls: dict[tuple[str, str], bool] = {}
        """Calls (session, call id) whose results are withheld; whether they were Diarist's own, of which the ids stay."""

    def __call__(self, step: RawStep) -> RawStep:
        """The step as it may be kept."""
        if step.kind == "prompt" and self._rules.prompts:
            self._begin_turn(step)
        if step.session in self._turns or self._paused(step) or self._of_withheld_call(step):
            return _blank(step)
        if step.kind == "result" and self._calls.get((step.session, step.call_id)):
            return _with(_blank(step), text=ids_only(step.text))
        return _cleaned(step)

    def _begin_turn(self, step: RawStep) -> None:
        if any(pattern.search(step.text) for pattern in self._rules.prompts):
            self._turns.add(step.session)
        else:
            self._turns.discard(step.session)

    def _paused(self, step: RawStep) -> bool:
        at = step.at
        return at is not None and any(start <= at <= end for start, end in self._rules.pauses)

    def _of_withheld_call(self, step: RawStep) -> bool:
        key = (step.session, step.call_id)
        if step.kind == "result":
            return bool(step.call_id) and self._calls.get(key) is False
        if step.kind != "call":
            return False
        own = _OWN_TOOL.search(step.tool) is not None
        hidden = any(self._hides(text) for text in _texts(step.arguments)) if self._rules.paths else False
        if own or hidden:
            self._calls[key] = own and not hidden
        return hidden

    def _hides(self, text: str) -> bool:
        """True where a text is, or holds as one of its words, a path that fits a pattern."""
        if len(text) > 10_000:
            return False
        words = {text, *(word.strip("'\"`,;()") for word in text.split())}
        return any(fnmatchcase(word, pattern) for word in words for pattern in self._rules.paths)


def _cleaned(step: RawStep) -> RawStep:
    text = step.text
    if "<" not in text:
        return step
    text = without_fenced(text)
    if step.kind == "result" and text != step.text and (ids := ids_only(step.text)) != WITHHELD:
        text = f"{text}\n{ids}".strip()
    if "private>" in text.lower():
        text = _PRIVATE.sub("[private]", text)
    return _with(step, text=text) if text != step.text else step


def _blank(step: RawStep) -> RawStep:
    return _with(step, text=WITHHELD if step.text else "", arguments={} if step.arguments else step.arguments)


def _with(step: RawStep, **changes: Any) -> RawStep:
    import msgspec

    return msgspec.structs.replace(step, **changes)


def _texts(value: Any, depth: int = 0) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth > 8:
        return []
    if isinstance(value, dict):
        return [text for part in value.values() for text in _texts(part, depth + 1)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in _texts(part, depth + 1)]
    return []
