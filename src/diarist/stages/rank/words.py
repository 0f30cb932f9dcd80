"""Words that questions are made of and that tell nothing about what is asked."""

from __future__ import annotations

from functools import cache

from diarist.text.analyse import analyse
from diarist.text.stem import FUNCTION_WORDS

_PUNCTUATION = ".,;:!?()\"'«»„“”¿¡"
_ENGLISH = """
a about above after again against all also am an and any are as at be because been before being below between both but by can could did do
does doing done down during each either else ever every few for from further get gets getting go goes going got had has have having he her
here hers him his how i if in into is it its just let like made make makes many may me might more most much must my need needs no nor not
now of off often on once one only or other our ours out over own per please put said same say see seem she should since so some still such
tell than that the their theirs them then there these they thing things this those though through to too under until up upon us use used
very via want wants was way we well went were what when where whether which while who whom whose why will with within without would yes
yet you your yours s t re ve ll d m don doesn didn isn aren wasn weren won hasn haven couldn shouldn wouldn ain
"""

_UNMISTAKABLE = """
auch auf aus bei beim darf eine einen ich jetzt muss nicht noch nur oder sich und von wann warum werden wie wir wird zum zur welche welcher
aux avec cette combien pourquoi quel quelle quelles quels qui une dans nous ahora pero por una como agora onde qual quando uma che della gli
nel quale viene aan bij een het hoe maar niet ook voor wordt zijn welke czy dla gdzie jaka jaki jakie kiedy nie przez teraz tylko
"""
"""Function words that are no words of English and no names of its tools: in a question of mixed languages no single one tells which."""

COMMON = frozenset(term for word in _ENGLISH.split() for term in analyse(word))
"""Analysed English function words."""


@cache
def _dull(language: str) -> frozenset[str]:
    """Analysed function words of English and one other language; made when that is met: a cold search pays for each."""
    if language == "en":
        return COMMON
    return COMMON.union(term for word in FUNCTION_WORDS.get(language, ()) for term in analyse(word, language))


@cache
def _foreign() -> frozenset[str]:
    return frozenset(_UNMISTAKABLE.split()).union(word for words in FUNCTION_WORDS.values() for word in words if not word.isascii())


def without_foreign(text: str) -> str:
    """A question without the function words of languages other than English; all of it where nothing else is left."""
    words = text.split()
    kept = [word for word in words if word.strip(_PUNCTUATION).lower() not in _foreign()]
    return " ".join(kept) if len(kept) < len(words) and kept else text


def telling(terms: list[str], language: str) -> list[str]:
    """The terms without function words, each once, in order; all of them where nothing else is left."""
    dull = _dull(language)
    kept = [term for term in dict.fromkeys(terms) if term not in dull and (len(term) > 1 or not term.isascii() or term.isdigit())]
    return kept or list(dict.fromkeys(terms))
