"""Lines that are true and say nothing that anybody could act on, as the distiller words them."""

from __future__ import annotations

from diarist.text.lazy import lazy

_CALL = lazy(r"(?P<tool>[\w.:/-]+)(?: with .+?)? gave (?P<result>\S)")
_TOOL = lazy(r".*(?:[_.:/]|[a-z][A-Z])")
"""How names of tools are told from words: somebody may have found that caching gave fewer calls."""
_CHANGE = lazy(r"(?:Changed|Created|Moved) \S+(?: \(\d+×\))?\.?")
_AGAIN = " went through when it was called again"
_WAITING = lazy(r"(?i)(?:retrying|reconnecting|trying again|waiting|sleeping) (?:in|for|after) \d[\d.,]*\s?[a-z]{1,12}\W*")


def is_bare(text: str) -> bool:
    """Does it only name a call and what that gave, or a file that was changed? That is what happened, and no approach.

    >>> [is_bare(text) for text in ("send_mail with 7 gave {}", "caching gave us speed", "Changed a.py", "Changed a.py: added `x`")]
    [True, False, True, False]
    """
    if _CHANGE.fullmatch(text):
        return True
    call = _CALL.match(text)
    return call is not None and (call["result"] in "{[<" or _TOOL.match(call["tool"]) is not None)


def is_mere_repetition(fix: str) -> bool:
    """Does a fix only tell that the same call went through later on?"""
    return fix.endswith(_AGAIN)


def is_waiting(message: str) -> bool:
    """Does an error's message only tell that something will be tried again?

    >>> [is_waiting(text) for text in ("Retrying in 0.2 seconds...", "Waiting for a lock timed out")]
    [True, False]
    """
    return _WAITING.fullmatch(message) is not None
