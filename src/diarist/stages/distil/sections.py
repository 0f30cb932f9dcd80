"""Sections that the agent or a person wrote in so many words: `## Tried`, `**Worked:**`, `- Failed: …`, `Rationale: …`.

They are taken over as they are and end where they end: at another heading, and at the plain text that follows a list.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from diarist.text.lazy import lazy

LISTS = ("tried", "worked", "failed", "rationale", "learned")
_WORDS = {
    "tried": r"tried|attempted|attempts?|approaches tried|things tried|versucht|ausprobiert|essay[ée]s?|tentatives?|intentad[oa]s?|"
    r"probado|intentos|試した(?:こと|内容)?|尝试(?:过的?)?|嘗試",
    "worked": r"worked|succeeded|successes|works|funktioniert(?:e|en)?|hat funktioniert|geklappt|a (?:marché|fonctionné)|réussi|"
    r"funcion[óo]|うまくいった(?:こと)?|成功(?:した(?:こと)?)?|有效",
    "failed": r"failed|did(?:n't| not) work|failures|dead ends|gescheitert|fehlgeschlagen|nicht funktioniert|échoué|n'a pas (?:marché|"
    r"fonctionné)|fall[óo]|fallid[oa]s?|no funcion[óo]|失敗(?:した(?:こと)?)?|失败|无效",
    "rationale": r"rationale|why|lessons?|surprising|reason(?:ing)?|begründung|warum|pourquoi|raison|por ?qué|razón|理由|原因",
    "learned": r"learned|learnt|lessons learned|learnings|takeaways?|gelernt|appris|aprendido|学んだこと|教訓|学到的?|经验教训",
}
_NAMES = lazy(
    r"(?:what (?:i |we |was |has been |had |have )*|things (?:that )?|approaches )?(?:"
    + "|".join(f"(?P<{name}>{words})" for name, words in sorted(_WORDS.items()))
    + r")",
    re.IGNORECASE,
)
_MARKER = lazy(
    r"^(?P<indent>\s*)(?:>\s*)?(?P<heading>\#{1,6}\s+)?(?P<item>(?:[-*+•]|\d{1,2}[.)])\s+)?(?:[✅❌✓✗⚠️🔧💡📝]+\s*)?(?P<bold>\*\*|__|\*|"
    r"_)?(?P<name>[^\W\d_][^\n:：*_#|]{1,40}?)"
    r"(?P<colon1>\s*[:：])?(?(bold)(?P=bold))(?P<colon2>\s*[:：])?(?:(?<=[:：*_])\s+(?P<rest>\S.*))?\s*$"
)
_SIGNS = frozenset(":：#*_")
"""One of these stands in a line with a marker."""
_HINTS = (
    *(
        "tried",
        "attempt",
        "worked",
        "works",
        "succe",
        "fail",
        "not work",
        "'t work",
        "dead end",
        "rationale",
        "why",
        "lesson",
        "surpris",
        "reason",
    ),
    *(
        "learn",
        "takeaway",
        "versuch",
        "ausprobiert",
        "funktion",
        "geklappt",
        "gescheitert",
        "begründung",
        "warum",
        "gelernt",
        "essay",
        "tentative",
        "marché",
    ),
    *(
        "réussi",
        "échoué",
        "pourquoi",
        "raison",
        "appris",
        "intent",
        "probado",
        "funcion",
        "fall",
        "por qu",
        "razón",
        "aprendido",
        "試し",
        "うまく",
        "成功",
        "失敗",
    ),
    *("理由", "原因", "学ん", "教訓", "尝试", "嘗試", "有效", "失败", "无效", "学到", "教训"),
)
"""What a line with a marker holds, lower-case: a quick look before the careful one."""
_HEADING = lazy(r"^\s{0,3}(?:#{1,6}\s+\S|\*\*[^*]+\*\*:?\s*$|={3,}\s*$|-{3,}\s*$)")
_LIST_ITEM = lazy(r"^(\s*)(?:[-*+•‣]|\d{1,3}[.)])\s+(?:\[[ xX~-]\]\s+)?(.*)$")
_CHECKBOX = lazy(r"^\s*\[[ xX~-]\]\s+")
_NOTHING = lazy(
    r"(?:[\d\s.,%/()-]*|\d+\s*(?:[,;/]|of\b|tests?\b|passed|failed|errors?\b).*|none\.?|n/?a|nothing\.?|keine?[rs]?|aucune?|ningun[oa]|なし|无)\Z",
    re.IGNORECASE,
)


class Item(NamedTuple):
    """One line of a section: `text` is an exact piece of it."""

    list: str
    text: str


def parse_sections(text: str) -> list[Item]:
    """The items of every explicit section of a text, in order, each once."""
    if not _may_mark(text):
        return []
    found: dict[Item, None] = {}
    parser = _Parser()
    for line in text.split("\n"):
        for item in parser.take(line.rstrip("\r")):
            found.setdefault(item)
    for item in parser.flush():
        found.setdefault(item)
    return list(found)


def _may_mark(text: str) -> bool:
    """Does the beginning of any line hold a marker and a word that sections are named by?"""
    marked = [
        head
        for line in text.split("\n")
        if ":" in (head := line[:56]) or "：" in head or "**" in head or (head and line.lstrip().startswith(("#", "_")))
    ]
    low = "\n".join(marked).lower()
    for hint in _HINTS if low else ():  # noqa: SIM110 - a plain loop is twice as fast as any(), and this runs on every reply
        if hint in low:
            return True
    return False


class _Parser:
    def __init__(self) -> None:
        self.name = ""
        self.indent = 0
        self.listed = False  # the section holds list items
        self.blank = False
        self.said = False  # the section holds something
        self.fenced = False
        self.held = ""  # an item that may go on in the next line
        self.inline = False  # it began beside its marker

    def take(self, line: str) -> list[Item]:
        if line.lstrip().startswith(("```", "~~~")):
            self.fenced = not self.fenced
            return self.flush()
        if self.fenced:
            return []
        if not line.strip():
            self.blank = True
            return self.flush()
        marked = self._marker(line)
        return self._content(line) if marked is None else marked

    def flush(self) -> list[Item]:
        held, self.held = self.held, ""
        return [Item(self.name, held)] if held and self.name and not _NOTHING.match(held) else []

    def _marker(self, line: str) -> list[Item] | None:
        marker = _MARKER.match(line) if not _SIGNS.isdisjoint(line) else None
        name = _section_name(marker["name"]) if marker else ""
        if marker is None or not name:
            return None
        colon = bool(marker["colon1"] or marker["colon2"])
        if not colon and not (marker["heading"] or (marker["bold"] and not marker["rest"])):
            return None
        if marker["item"] and not colon:
            return None
        done = self.flush()
        self.name, self.indent = name, len(marker["indent"]) if marker["item"] else -1
        self.listed, self.blank, self.said = False, False, False
        rest = marker["rest"] or ""
        if rest:
            self.held, self.said = _item_text(rest), True
        self.inline = bool(rest)
        return done

    def _content(self, line: str) -> list[Item]:
        if not self.name:
            return []
        entry = _LIST_ITEM.match(line)
        if _HEADING.match(line) and not entry:
            return self._end()
        if entry:
            if len(entry[1]) <= self.indent and (self.said or self.indent > 0):
                return self._end()
            if self.said and not self.listed and self.blank:
                return self._end()
            done = self.flush()
            self.held, self.listed, self.blank, self.said, self.inline = _item_text(entry[2]), True, False, True, False
            return done
        indented = line.startswith((" ", "\t"))
        if self.held and not self.blank and (indented or self.name == "rationale" or (self.inline and line[:1].islower())):
            return []  # the item goes on; its first line is quoted
        if self.listed or (self.blank and self.said) or (self.said and self.indent >= 0):
            return self._end()
        done = self.flush()
        self.held, self.said, self.blank = _item_text(line), True, False
        return done

    def _end(self) -> list[Item]:
        done = self.flush()
        self.name = ""
        return done


def _section_name(name: str) -> str:
    match = _NAMES.fullmatch(name.strip())
    return next((key for key, value in match.groupdict().items() if value), "") if match else ""


def _item_text(text: str) -> str:
    return _CHECKBOX.sub("", re.sub(r"^\s*\d{1,3}[.)]\s+", "", text)).strip()
