"""Telling sentences in what agents and persons wrote, in any language.

A sentence is always an exact piece of the text, so that it can be quoted. How telling it is follows from what it is made of
(names, paths, numbers, code) more than from its words; where words count, the usual languages are covered (`cues`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from diarist.stages.distil.cues import (
    CAUSE,
    CHATTER_STARTS,
    CHECK,
    CLAIM,
    DECISION,
    FIRST_OF_PAIR,
    GUESS,
    INTENT_STARTS,
    LET,
    ME,
    NAME,
    OPENER,
    OPENERS,
    PASS,
    PLAN,
    POLITE,
    RARE,
    WILL,
    bits_of,
    bits_of_pairs,
    bits_of_pieces,
)
from diarist.stages.distil.prose import OPENERS as CODE_OPENERS
from diarist.stages.distil.prose import code_after, is_edge, is_no_prose
from diarist.text.lazy import lazy
from diarist.text.remembered import Remembered
from diarist.text.translation import Translation

SHORTEST, LONGEST = 12, 420
_BRIEF = 50

_LIST_MARK = lazy(r"\s*(?:[-*+•‣◦]\s+|\d{1,3}[.)]\s+|>\s?)*(?:\[[ xX]\]\s+)?(?:[✅❌✓✗☑⚠️🔧🎉🚀📝🔍]+\s*)?")
_END = lazy(r"[.!?。！？](?:(?<=[。！？])|[\"')\]*`_]*\s+(?=[A-ZÀ-ÞА-Я¿¡\"'(\[`*_]))")
"""It begins with the signs that it may begin with: a search passes over all else many times as fast."""
_PUNCTUATION = ".,:;!?()[]{}\"'*`“”‘’«»…—–-"
_to_spaces = Translation({**dict.fromkeys(',;:!?()[]{}"*`“”«»…—–', " "), "’": "'"})
_MAY_END = (". ", "! ", "? ", ".\n", "!\n", "?\n", ".)", '."', ".*", ".`", ".'", "。", "！", "？")
_MOST = 40
_DIGIT = lazy(r"\d")
_WE_WILL = lazy(r"\b(?:i|we) (?:will|need)\b")
_LABEL = lazy(r"\*\*[^*\n]{2,80}\*\*\s+(?=[A-ZÀ-ÞА-Я])")
_BOLD = lazy(r"(?<![\w*])\*\*(?=\S)|(?<=[^\s*])\*\*(?![\w*])")
"""Marks of bold print; "x**2" holds none."""


class Sentence(NamedTuple):
    """A sentence of a reply, weighed."""

    text: str
    score: float
    """How telling: names, numbers and reasons count for it; greetings, plans and claims against it. Around 0 is nothing much."""
    is_cause: bool
    """States how something is and why."""
    is_decision: bool
    """Turns to another way."""
    is_claim: bool
    """Praises the result: nothing that a diary may take from an agent's mouth."""
    is_intent: bool
    """Says what is going to be done, not what is."""
    is_chatter: bool
    is_guess: bool
    """Says what may be so."""


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text outside code blocks, tables and headings; the first and last ones of a very long text."""
    return tuple(map(judge, pieces_of(text)))


def causes(text: str) -> Iterator[Sentence]:
    """Those of `sentences` that state why."""
    return (sentence for sentence in _telling(text, CAUSE) if sentence.is_cause)


def decisions(text: str) -> Iterator[Sentence]:
    """Those of `sentences` that turn to another way."""
    return (sentence for sentence in _telling(text, DECISION) if sentence.is_decision)


def _telling(text: str, bit: int) -> Iterator[Sentence]:
    """Sentences that may tell `bit`: the others, mostly nine of ten, are not looked at closely."""
    if not text.isascii():
        yield from map(judge, pieces_of(text))
        return
    held = RARE[bit].intersection(_words(text.lower()))
    for piece in pieces_of(text) if held else ():
        low = piece.lower()
        for word in held:
            if word in low:
                yield judge(piece)
                break


def pieces_of(text: str) -> list[str]:
    """The sentences of a text as they stand in it."""
    if "\n" not in text:
        passage = _passage(text)
        pieces = _pieces(passage) if passage else []
    else:
        pieces = [piece for passage in _passages(text) for piece in _pieces(passage)]
    if len(pieces) > _MOST:
        pieces = pieces[: _MOST // 2] + pieces[-_MOST // 2 :]
    return pieces


def _passage(line: str) -> str:
    """A text of one line without its list mark; empty for what is no prose. As `_passages`."""
    bare = line.lstrip()
    if not bare or (bare[0] in CODE_OPENERS and is_edge(bare)) or is_no_prose(line, bare):
        return ""
    if bare[0].isalpha():
        return bare
    mark = _LIST_MARK.match(line)
    return line[mark.end() :] if mark else bare


def _passages(text: str) -> Iterator[str]:
    """Lines without their list marks; a line that a terminal wrapped is joined to the next one. Exact pieces of the text."""
    start, end, code = -1, 0, ""
    at = 0
    for line in text.split("\n"):
        bare = line.lstrip()
        begins, at = at, at + len(line) + 1
        if bare and bare[0] in CODE_OPENERS and (is_edge(bare) or code):
            code = code_after(bare, code)
            bare = ""
        if code or not bare or is_no_prose(line, bare):
            if start >= 0:
                yield text[start:end]
            start = -1
            continue
        mark = None if bare[0].isalpha() else _LIST_MARK.match(line)
        inset = mark.end() if mark else len(line) - len(bare)
        if start >= 0 and inset <= len(line) - len(bare) and _is_wrapped(text[start:end], bare):
            end = begins + len(line)
            continue
        if start >= 0:
            yield text[start:end]
        start, end = begins + inset, begins + len(line)
    if start >= 0:
        yield text[start:end]


def _is_wrapped(before: str, bare: str) -> bool:
    """Does a line go on from the one before: that was long and did not end a sentence, and this one begins within one."""
    last = before.rstrip()[-1:]
    return last not in ".!?:。！？" and len(before) - before.rfind("\n") > 50 and (bare[0].islower() or bare[0] in "(`\"'" or last == ",")


def _pieces(line: str) -> list[str]:
    """The sentences of one passage that are long enough to say something, each an exact piece of it."""
    found: list[str] = []
    label = _LABEL.match(line) if line.startswith("**") else None
    at = label.end() if label else 0
    for mark in _MAY_END:  # a plain loop is twice as fast as any(), and this runs on every line
        if mark in line:
            for end in _END.finditer(line, at):
                found.append(line[at : end.end()].strip())
                at = end.end()
            break
    found.append(line[at:].strip())
    return [piece[:LONGEST] for piece in found if len(piece) >= SHORTEST or (len(piece) >= 6 and not piece.isascii())]


@lru_cache(maxsize=4_096)
def judge(text: str) -> Sentence:
    """One sentence with all that is known of it."""
    low = text.lower()
    bits = names = 0
    for told in map(_meanings.__getitem__, set(text.split())):
        if told:
            bits |= told
            names += told // NAME
    if bits & FIRST_OF_PAIR:
        bits |= bits_of_pairs(_words(low))
    if not low.isascii():
        bits |= bits_of_pieces(low)
    chatter = _is_chatter(low)
    claim = bool(bits & CLAIM) or bits & (CHECK | PASS) == CHECK | PASS
    cause, decision = bool(bits & CAUSE), bool(bits & DECISION)
    planned = bits & PLAN != 0 or bits & (LET | ME) == LET | ME or (bits & WILL != 0 and _WE_WILL.search(low) is not None)
    intent = planned or _is_intent(low, may_open=bits & OPENER != 0)
    value = 1.2 * min(names, 5) + (2.5 if cause else 0.0) - (2.0 if intent else 0.0) - (3.0 if claim else 0.0) - (4.0 if chatter else 0.0)
    if len(text) < 40 and text.isascii():
        value -= 1.0
    return Sentence(text, value, cause, decision, claim, intent, chatter, bits & GUESS != 0)


def _mean(word: str) -> int:
    """What a word of a text, as it stands there, adds to its sentence: bits of `cues`, `NAME`."""
    if word.isascii() and word.isalpha():
        tail = word[1:]
        named = tail != tail.lower() and not word.isupper()
        return bits_of((word.lower(),)) | (NAME if named else 0)
    plain = word.isalpha() and (word.islower() or word.istitle() or word.isupper())
    named = not plain and ("`" in word or _is_name(word.strip(_PUNCTUATION)))
    return bits_of(_words(word.lower())) | (NAME if named else 0)


_meanings = Remembered(_mean, 1 << 14)
"""The same words come again and again."""


def _words(low: str) -> list[str]:
    return _to_spaces(low).split()


def _is_name(word: str) -> bool:
    """A path, an identifier, a number with a unit: something that names one thing."""
    if "_" in word or "/" in word or "." in word or "(" in word or "=" in word or word[:2] == "--":
        return True
    tail = word[1:]
    return (tail != tail.lower() and not word.isupper()) or _DIGIT.search(word) is not None


def _is_intent(low: str, *, may_open: bool) -> bool:
    """`may_open`: one of its words is an opener, after which the plan may stand."""
    if low.startswith(INTENT_STARTS):
        return True
    first = [word.removesuffix(".") for word in _words(low)[:3]] if may_open else ()
    if not first or first[0] not in OPENERS:
        return False
    rest = low
    for word in first:
        if word not in OPENERS:
            break
        rest = rest[rest.find(word) + len(word) :].lstrip(" ,.!:-")
    return rest.startswith(INTENT_STARTS)


def _is_chatter(low: str) -> bool:
    bare = low.rstrip("*_ ")
    if bare.endswith(("?", "？", "...", "…")) or (bare.endswith((":", "：")) and len(_words(low)) <= 5):
        return True
    if not low.lstrip("*_ ").startswith(CHATTER_STARTS):
        return False
    return low.endswith(":") or len(_words(low)) <= 14 or any(piece in low for piece in POLITE)


_OPENING = lazy(
    r"(?:(?:ok(?:ay)?|great|perfect|good|excellent|alright|nice|right|hmm+|ah|oh|yes|actually|i see|got it|now|so)\b[,.!:]+\s+)+(?=\S)",
    re.IGNORECASE,
)

_OPENING_STARTS = frozenset(
    {
        "ok ",
        "ok,",
        "ok.",
        "ok:",
        "oka",
        "gre",
        "per",
        "goo",
        "exc",
        "alr",
        "nic",
        "rig",
        "hmm",
        "ah,",
        "oh,",
        "yes",
        "act",
        "i s",
        "got",
        "now",
        "so,",
    }
)


def clean(sentence: str) -> str:
    """The sentence for a bullet: no bold marks, no "Great, " before it, no colon at its end."""
    bare = " ".join(sentence.split())
    if "**" in bare:
        bare = _BOLD.sub("", bare).strip()
    if bare[:3].lower() in _OPENING_STARTS:
        bare = _OPENING.sub("", bare, count=1)
        bare = bare[:1].upper() + bare[1:] if bare[:1].islower() and bare.split(" ", 1)[0].isalpha() else bare
    return bare.rstrip(":： ")


def best_of(found: tuple[Sentence, ...], *, prefer: frozenset[str] = frozenset()) -> str:
    """The sentence that says most about an act near it; empty where none says anything. Later ones win ties."""
    at = _best(found, prefer)
    return found[at].text if at >= 0 else ""


def words_on(found: tuple[Sentence, ...], limit: int, *, prefer: frozenset[str] = frozenset()) -> str:
    """Like `best_of`, with the sentence before or after it where that says something too and there is room."""
    at = _best(found, prefer)
    if at < 0 or (found[at].is_intent and found[at].score < 1.0 and len(found[at].text) < _BRIEF):
        return ""  # a short plan that names nothing is no reason
    kept = [at]
    for other in (at - 1, at + 1):
        if 0 <= other < len(found):
            sentence = found[other]
            length = sum(len(found[number].text) + 1 for number in kept) + len(sentence.text)
            if length <= limit and sentence.score > 0.5 and not (sentence.is_claim or sentence.is_chatter):
                kept.append(other)
    return " ".join(clean(found[number].text).rstrip(".") + "." for number in sorted(kept))


def _best(found: tuple[Sentence, ...], prefer: frozenset[str]) -> int:
    best, top = -1, -1.5
    for number in range(max(0, len(found) - 24), len(found)):
        sentence = found[number]
        if sentence.is_claim:
            continue
        value = sentence.score + 0.05 * number + (1.5 if prefer and any(word in sentence.text for word in prefer) else 0.0)
        if value > top:
            best, top = number, value
    return best
