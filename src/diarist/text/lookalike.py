"""Texts folded so that what looks the same is the same: case, Unicode look-alikes, white space, invisible characters.

The folded form is UTF-8 in lower case without white space, marks and invisible characters. Folding goes character by
character, so the fold of two texts joined is their folds joined, and a place in it can be found again in the text.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from diarist.text.lazy import lazy

BREAK = "\x1e"
"""Record separator: kept by folding, so that texts joined with it do not run into each other."""

_DROPPED = bytes(code for code in (*range(0x21), 0x7F) if code != ord(BREAK))
_LETTERS = {**{upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}, ord("I"): ord("l")}
_ALIKE = {ord("0"): ord("o"), ord("1"): ord("l"), ord("i"): ord("l"), ord("|"): ord("l"), ord("`"): ord("'")}
_ASCII = bytes({**_LETTERS, **_ALIKE}.get(code, code) for code in range(256))
_OTHER = lazy(r"[^\x00-\x7f]+")
_EMPTY = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and signs that show nothing, whatever their category says."""

# Letters of other scripts, and further letters of our own, that a reader takes for the Latin ones (after lower case).
_PAIRS = (
    "аa ѐe ёe вb еe ѕs іi їi јj кk мm нh оo рp сc тt уy хx һh ԁd ԛq ԝw гr пn ьb зз бb ӏl ґr ғf ҝk қk ңh ҳx ҷч ә3 ɡg ɩi ɑa ʏy ᴀa ᴄc ᴅd ᴇe "
    "αa βb γy εe ζz ηn ιi κk μu νv οo ρp σo ςc τt υu χx ωw ϲc ϳj ϙq ϝf ͻc "
    "աw գq զq հh յj ոn սu օo ցg քp եt լl ժd "
    "łl øo đd ðd þp ħh ıi ŧt ƀb ƈc ɗd ɖd ƒf ɠg ɨi ƙk ƚl ɲn ƞn ɵo "
    "ƥp ʠq ɾr ʂs ƭt ʈt ʉu ʋv ƴy ƶz ȷj ɢg ʙb ʜh ʟl ɴn ʀr ꜱs ᴋk ᴍm ᴏo ᴘp ᴛt ᴜu ᴠv ᴡw ᴢz "
    "ⅼl ⅽc ⅾd ⅿm ℓl ꞁl ǀl ∣l ❘l │l ¡l ×x ∕/ ⁄/ ⧸/ ∖\\ ⟍\\ ﹨\\ ∶: ː: ꞉: ։: ׃: ‚, ، , ٫, · . ․. ۔. ܂. 。. ‥.. ﹒. ｡. "
    "‐- ‑- ‒- –- —- ―- −- ⁃- ➖- ﹣- ﹘- ー- ⎯- ─- ━- ‿_ ＿_ ‘' ’' ‛' ′' ʹ' ʼ' ʻ' ˈ' ´' “\" ”\" ‟\" ″\" «\" »\" "
)


@lru_cache(maxsize=1)
def _table() -> dict[str, bytes]:
    made = {}
    for pair in _PAIRS.split():
        if len(pair) > 1 and not pair[0].isascii():
            made[pair[0]] = pair[1:].encode().translate(_ASCII, _DROPPED)
    return made


def fold(text: str) -> bytes:
    """The folded form of a text; see the module's text."""
    if not text.isascii():
        text = _OTHER.sub(lambda found: _fold_run(found[0]), text)
        return text.encode("utf-8", "surrogatepass").translate(_ASCII, _DROPPED)
    return text.encode("ascii").translate(_ASCII, _DROPPED)


def widths(text: str) -> list[int]:
    """How many bytes of the folded form each character gives; for finding a place again."""
    return [len(fold(char)) for char in text]


@lru_cache(maxsize=65536)
def _fold_run(run: str) -> str:
    return "".join(map(_fold_char, run))


@lru_cache(maxsize=16384)
def _fold_char(char: str) -> str:
    """One character that is not ASCII, as text that the table of ASCII then finishes."""
    folded, table = [], _table()
    for each in unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold()):
        alike = table.get(each)
        if alike is not None:
            folded.append(alike.decode())
        elif each not in _EMPTY and not each.isspace() and unicodedata.category(each) not in ("Mn", "Me", "Cf", "Cc", "Cs", "Zs"):
            folded.append(each)
    return "".join(folded)


def plain_latin(text: str) -> str:
    """The text with look-alikes as the Latin letters they are taken for, accents and invisible characters dropped; white space stays."""
    return text if text.isascii() else _OTHER.sub(lambda found: "".join(_latin_char(char) for char in found[0]), text)


@lru_cache(maxsize=16384)
def _latin_char(char: str) -> str:
    if char.isspace():
        return " "
    return "".join(_letters().get(each.lower(), each) for each in unicodedata.normalize("NFKD", char) if _shows(each))


def _shows(char: str) -> bool:
    return char not in _EMPTY and unicodedata.category(char) not in ("Mn", "Me", "Cf", "Cc", "Cs")


@lru_cache(maxsize=1)
def _letters() -> dict[str, str]:
    return {pair[0]: pair[1:] for pair in _PAIRS.split() if len(pair) > 1 and not pair[0].isascii()}
