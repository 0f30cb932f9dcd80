"""What of a reply is prose: code stands in fences, in edit blocks, or bare among the sentences.

Looked at line by line, so everything here answers from a line and what was open before it.
"""

from __future__ import annotations

from diarist.stages.distil.words import word_set
from diarist.text.lazy import lazy

OPENERS = frozenset("`~<>")
"""Signs that a line begins with that opens or ends a stretch of code: all others need no closer look."""
_FENCE = ("```", "~~~")
_TAGS = ("<source>", "<code>", "<pre>")
_END_TAGS = ("</source>", "</code>", "</pre>")
_EDGES = (*_FENCE, *_TAGS, *_END_TAGS)
_REGION = lazy(r"<{5,9}(?: |$)")
_REGION_ENDS = lazy(r">{5,9}(?: |$)")

_CODE_LINE = lazy(
    r"(?:from [\w.]+ import |import [\w.{*]|(?:def|class|func|fn|const|let|var|return|public|private|#include|package|using) .*[({;:=].*$|"
    r"@\w+|[<>=]{5,}|[}\])]+[;,]?$)|\"[\w:@.$-]+\": "
)
_LOG_LINE = lazy(r"[\w./~@-]*[/.][\w./-]+:\d+:|\d{4}-\d\d-\d\d[T ]\d\d:|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|TRACE)\b")
"""What a program printed and somebody pasted."""
_CODE_HEADS = word_set("from import def class func fn const let var return public private package using")
_HEAD_LETTERS = frozenset(word[0] for word in _CODE_HEADS)
_BARE_CODE = lazy(
    r"//|/\*|\*/|\^+$|"
    r"(?:return|break|continue|pass|else:|try:|finally:|\.\.\.)(?: (?:None|True|False|self|null|true|false|[\w.]*[._\[][\w.\[\]]*))?$|"
    r"(?:el)?if [^`]*(?:[=!<>]=|[\w)\]](?:\(|\.\w|_\w)| in )[^`]*:$|for [\w, ()]+ in [^`]+:$|"
    r"(?:while|with|except|async (?:def|with|for)) [^`]+:$|"
    r"(?:await|raise|assert|yield|del|elif) [^`]*[\w)\]][(.=\[][^`]*[^.\s]$|"
    r"[a-z_$][\w.$\[\]'\"]*(?:: [\w\[\], |.]+)? ?(?:[-+*/|&%]?=|:=) ?[^=\s`][^`]*[^.`\s]$|"
    r"[a-z_$][\w.$]*\([^`]*\)[;,:]?(?:\s*(?:#|//).*)?$|[a-z_$][\w.$]*\($|"
    r"['\"]?[\w-]+['\"]?: [^`]*,$"
)
"""A line of code that begins in lower case or with a sign, as most do. Prose names code between backticks and ends in a full stop."""
_SIGNS = frozenset("/_$'\"^.*")
_ALONE = word_set("return break continue pass")
_LONGEST = 200
"""A longer line is no line of code, or says enough beside."""
_FRAME = ('File "', "Traceback (most recent call last)")


def code_after(bare: str, open_code: str) -> str:
    """What stretches of code are open after a line. `bare`: the line without its indent; `open_code`: what was open before it.

    One letter for each, innermost last: "f" a fence, "t" a tag, "r" a region of an edit block or a merge conflict, in which
    fences are content.
    """
    if open_code.endswith("r"):
        return open_code[:-1] if _REGION_ENDS.match(bare) else open_code
    if bare.startswith("<<<<<") and _REGION.match(bare):
        return open_code + "r"
    if open_code == "t":
        return "" if bare.startswith(_END_TAGS) else open_code
    if bare.startswith(_FENCE):
        return "" if open_code else "f"
    return "t" if not open_code and bare.startswith(_TAGS) and "</" not in bare else open_code


def is_edge(bare: str) -> bool:
    """Does a line only open or end a stretch of code?"""
    if bare.startswith(_EDGES):
        return True
    return bare[0] in "<>" and (_REGION.match(bare) or _REGION_ENDS.match(bare)) is not None


def _may_be_code(bare: str) -> bool:
    """A quick look: most lines that begin in lower case are the rest of a wrapped sentence."""
    return "(" in bare or "=" in bare or bare[-1] in ":,^" or bare[0] in "/*." or bare.split(" ", 1)[0] in _ALONE


def is_no_prose(line: str, bare: str) -> bool:
    """Code, a table, a heading, markup, a listing: by how a line begins and ends."""
    first = bare[0]
    if line[0] in "#|<\t=" or bare[-1] in ";{" or (":" in bare and _LOG_LINE.match(bare)):
        return True
    if (first in '@<>=}])"#' or (first in _HEAD_LETTERS and bare.split(" ", 1)[0] in _CODE_HEADS)) and _CODE_LINE.match(bare):
        return True
    if (first.islower() or first in _SIGNS) and len(bare) <= _LONGEST and _may_be_code(bare) and _BARE_CODE.match(bare):
        return True
    if first in "FT0123456789" and (bare.startswith(_FRAME) or "→" in bare[:9]):
        return True
    return line.startswith("    ") and first not in "-*+0123456789" and len(bare) < 60
