"""Prompts to words: any script, without politeness, numbers and what only names one case."""

from __future__ import annotations

import re
import unicodedata

from diarist.text.analyse import fold
from diarist.text.lazy import lazy
from diarist.text.stem import FUNCTION_WORDS

MOST_WORDS = 40
"""Distinct words of a prompt that are looked at: what is wanted stands at the front, pasted text behind it."""
_MOST_CHARACTERS = 1200
_READ = 4000
_COMMENT = lazy(r"<!--.*?(?:-->|\Z)", re.DOTALL)
"""A form's own words, which nobody wrote."""

NAME = "~"
"""Before a file or path name."""
GLYPHS = "^"
"""Before a piece of a script that is written without spaces."""

_PIECE = lazy(
    r"""
    [a-z][\w+.-]*://\S+ | <[^<>\n]{1,40}>             # addresses and placeholders: no words
    | (?P<path>[\w.~@-]*[/\\][\w./\\~@-]+)
    | (?P<file>[\w-]+(?:\.[\w-]+)*\.[a-z]{1,5}\b)
    | (?P<word>\w+)
    """,
    re.VERBOSE,
)
_PARTS = lazy(r"[^\W\d_]+")
_IDENTIFIER = lazy(r"[^\W\d_]{2,}\d{0,3}\Z")
_SCRIPTS = lazy(
    "(?P<han>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3005]+)|(?P<kana>[\u30a1-\u30ff]+)|(?P<hiragana>[\u3041-\u309f]+)"
    "|(?P<hangul>[\uac00-\ud7af]+)|(?P<tight>[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+)"
    "|(?P<plain>[^\u3005\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+)"
)
_HAN_PARTICLES = lazy("[请請把给給的了吗嗎呢吧我你您他她它们們帮幫被让讓一下个個里]+")
_COMBINING = lazy("[\u0300-\u036f]")

_POLITE = """
please pls plz thanks thank thx ty hey hi hello kindly asap ok okay now again just also too could can would should will must may
might need needs want wants like let lets make makes made get got go give gives tell show me my i we us our you your some any all
each every more most very one ones do does did done so up out over into about then there here when what which who why how not no
yes too quick minute time usual always next last new old
bitte danke mal mach mache machen kannst könntest könnten ich du er sie es mir mich dir uns wir ihr ihm nochmal jetzt schnell hallo
brauche möchte will soll
merci svp plaît plait peux pouvez pourrais fais faire faut veux voudrais bonjour salut moi toi nous vous tu je il elle ils elles à
gracias favor puedes podrías puede haz hacer necesito quiero quisiera hola mi tu su me te nos
obrigado obrigada podes pode poderia faz fazer preciso quero olá oi eu ele ela eles
grazie favore puoi potresti fai fare ho bisogno voglio vorrei ciao io tu noi voi
graag bedankt kun kan zou wil moet maak doe hoi ik jij je wij
пожалуйста спасибо можешь можете надо нужно нужен нужна нужны хочу сделай привет мне меня нам вас ты вы мы я
proszę dzięki dziękuję możesz zrób chcę potrzebuję cześć mi
"""
_ENGLISH = """
a an the and or but if of to in on at for from by with without as is are was were be been being it its this that these those they
them their than because while where whether under between through during before after has have had having he she his her
"""
DULL = frozenset(
    fold(word) for word in (*_POLITE.split(), *_ENGLISH.split(), *(word for words in FUNCTION_WORDS.values() for word in words))
)
"""Function words and politeness in the languages that prompts are mostly written in, folded. Rare in no stream, telling in none."""


def prompt_words(prompt: str) -> tuple[str, ...]:
    """Distinct words in order, folded to lower case without accents; names of files begin with "~", pieces of Chinese,
    Japanese kanji, Korean or Thai with "^". Numbers, addresses, placeholders and dull words are left out.

    >>> prompt_words("Please fix 3 failing tests in billing/tax.py, thanks!")
    ('fix', 'failing', 'tests', '~tax.py')
    """
    text = unicodedata.normalize("NFKC", _COMMENT.sub(" ", prompt[:_READ])[:_MOST_CHARACTERS]).lower()
    found: dict[str, None] = {}
    for match in _PIECE.finditer(text):
        for word in _of_piece(match):
            found[word] = None
        if len(found) >= MOST_WORDS:
            break
    return tuple(found)[:MOST_WORDS]


def _of_piece(match: re.Match[str]) -> list[str]:
    kind, piece = match.lastgroup, match[0]
    if kind == "word":
        if piece.isascii():
            return _latin(piece)
        return _any_script(piece)
    if kind == "path":
        base = re.split(r"[/\\]", piece.rstrip("/\\"))[-1]
        return [NAME + base] if base else []
    return [NAME + piece] if kind == "file" else []


def _latin(piece: str) -> list[str]:
    if piece.isalpha():
        return [] if len(piece) < 2 or piece in DULL else [piece]
    return [word for part in piece.split("_") if _IDENTIFIER.match(part) for word in _latin(part.rstrip("0123456789"))]


def _any_script(piece: str) -> list[str]:
    if _SCRIPTS.fullmatch(piece) and _SCRIPTS.match(piece).lastgroup == "plain":  # type: ignore[union-attr]
        return [word for part in piece.split("_") for word in _plain(part)]
    found: list[str] = []
    kana = any("\u3041" <= char <= "\u30ff" for char in piece)
    for run in _SCRIPTS.finditer(piece):
        found += _run(run.lastgroup or "", run[0], kana)
    return found


def _plain(part: str) -> list[str]:
    word = fold(part.rstrip("0123456789"))
    return [] if len(word) < 2 or word in DULL or not _IDENTIFIER.match(word) else [word]


def _run(script: str, run: str, kana: bool) -> list[str]:
    """One run of a script. Kanji and katakana carry the meaning of a Japanese text, hiragana its grammar."""
    if script == "plain":
        return [word for part in run.split("_") for word in _plain(part)]
    if script == "han":
        runs = [run] if kana else _HAN_PARTICLES.split(run)
        return [GLYPHS + each[at : at + 2] for each in runs for at in range(len(each) - 1)]
    if script == "kana":
        return [GLYPHS + run] if len(run) > 1 else []
    if script == "hangul":
        return [GLYPHS + run[:2]] if len(run) > 1 else []
    if script == "tight":
        return [GLYPHS + run[at : at + 3] for at in range(max(1, len(run) - 2))]
    return []
