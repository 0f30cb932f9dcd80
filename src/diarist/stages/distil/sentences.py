"""Telling sentences in what agents and persons wrote, in any language.

A sentence is always an exact piece of one line, so that it can be quoted. How telling it is follows from what it is made of
(names, paths, numbers, code) more than from its words; where words count, the usual languages are covered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

SHORTEST, LONGEST = 12, 420

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_LIST_MARK = re.compile(r"\s*(?:[-*+•‣◦]\s+|\d{1,3}[.)]\s+|>\s?)*(?:\[[ xX]\]\s+)?(?:[✅❌✓✗☑⚠️🔧🎉🚀📝🔍]+\s*)?")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]*`_]*\s+(?=[A-ZÀ-ÞА-Я¿¡\"'(\[`*_])|(?<=[。！？])")
_CODE = re.compile(r"`[^`\n]{2,80}`|\b[\w-]+(?:/[\w.-]+)+|\b\w+\.(?:[a-z]{1,4}\d?|[a-z]+\(\))\b|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b\w+_\w+\b|\b\w+\(\)|(?<!\w)--?[a-z][\w-]+|\b[A-Z]{2,}\d{2,}\b")
_NUMBER = re.compile(r"\b\d[\d.,:]*\b")
_SCRIPT_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")

CAUSE = re.compile(
    r"\b(?:because|since|due to|caused? by|root cause|the (?:issue|problem|reason|bug|error|failure|cause|culprit|fix|key|trick|catch)\b|turns? out|found (?:that|it|the)|discovered|actually|which means|"
    r"this means|so that|doesn'?t (?:exist|support|work|have)|does not (?:exist|support|work|have)|isn'?t|missing|instead of|rather than|however|but\b|only (?:when|if|works)|never|always|must|requires?|needs? to|"
    r"expects?|expected|incorrect|wrong|mismatch|conflict|outdated|deprecated|stale|duplicate|"
    r"weil|da\b|wegen|ursache|grund|problem|fehler|stattdessen|anstatt|fehlt|falsch|aber|jedoch|"
    r"parce que|car\b|à cause|cause|raison|problème|erreur|au lieu|manque|mais|cependant|"
    r"porque|debido a|causa|razón|problema|en lugar de|falta|pero|sin embargo|por causa|em vez|mas\b|perché|invece|manca)|"
    r"ため|ので|原因|問題|エラー|ではなく|しかし|ただし|不足|存在しない|間違|因为|因為|由于|由於|导致|導致|原因|问题|错误|錯誤|但是|而不是|缺少|不存在|왜냐|때문|문제|오류|하지만|потому|из-за|причина|проблема|ошибка|вместо|но ",
    re.IGNORECASE,
)
DECISION = re.compile(
    r"\b(?:instead|rather than|different (?:approach|way|strategy)|another (?:approach|way)|alternativ\w*|switch(?:ing|ed)? to|fall(?:ing)? back|let'?s try|let me try|try(?:ing)? (?:to )?|work ?around|revert\w*|give up|"
    r"simpler|better (?:approach|way)|approach|stattdessen|andere[rn]? (?:ansatz|weg)|versuch\w*|plutôt|autre approche|essay\w*|en cambio|otro enfoque|intent\w*|prob(?:ar|emos))\b|"
    r"代わりに|別の(?:方法|アプローチ)|試|换(?:一种|个)|改用|尝试|嘗試|另一种|대신|시도|вместо|попробу",
    re.IGNORECASE,
)
_INTENT = re.compile(
    r"\s*(?:(?:ok(?:ay)?|great|perfect|good|excellent|alright|sure|nice|now|next|first|finally|then|so|yes|done)[,.!:]?\s+)*(?:let me|let'?s|i'?ll|i will|i'?m going to|i need to|i should|we need to|now i|i can|going to|"
    r"ich werde|lass mich|jetzt|je vais|voyons|voy a|vamos a|ahora|それでは|では|次に|まず|让我|我将|现在|接下来|我来)",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"\s*(?:(?:great|perfect|excellent|awesome|good|wonderful|sounds good|ok(?:ay)?|sure|thanks?|thank you|you'?re (?:absolutely )?right|i understand|understood|got it|i see|of course|certainly|absolutely|done|yes|no problem|"
    r"would you like|do you want|shall i|should i|let me know|feel free|want me to|is there anything|please let|ready|here'?s (?:the|a|what)|here is|here are|summary|"
    r"perfekt|super|alles klar|möchten sie|parfait|très bien|voulez-vous|perfecto|excelente|¿quieres|完了|承知|わかりました|了解|好的|明白)\b[^.]{0,60}[.!:?。]?\s*$|.*\?\s*$)",
    re.IGNORECASE,
)
CLAIM = re.compile(
    r"\b(?:(?:all|every|existing|the)?\s*(?:\w+\s)?(?:tests?|checks?|builds?|lint(?:er|ing)?|type ?checks?|suite)\s+(?:\w+\s){0,3}(?:pass(?:es|ed|ing)?|succeed\w*|green|clean|ok)|passes\b|passed\b|success(?:fully|ful)?|fully functional|"
    r"production[- ]ready|works? (?:correctly|as expected|perfectly|properly|now|fine)|working (?:correctly|as expected|perfectly|properly)|is now (?:complete|working|fixed|ready)|complete[d]?!|everything (?:works|is)|no (?:more )?errors|"
    r"should (?:now )?work|has been (?:fixed|resolved|completed)|(?:is|are) (?:fixed|resolved|complete|done)\b|verified|tested|task (?:is )?complete|ready (?:for|to)|"
    r"erfolgreich|fehlerfrei|vollständig|avec succès|réussi|con éxito|exitosamente|correctamente|funciona)\b|成功|完璧|問題なく|正常に|完成|通过|通過|成功",
    re.IGNORECASE,
)


class Sentence(NamedTuple):
    text: str
    """Exact piece of a line, list marks left out."""
    score: float
    is_item: bool
    """A list item of its own."""


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text outside code blocks, tables and headings, each with how telling it is."""
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced or not line or line.isspace() or line.startswith(("#", "|", "<", "---", "===", "\t", "    ")) and not line.lstrip().startswith(("- ", "* ")):
            continue
        mark = _LIST_MARK.match(line)
        start = mark.end() if mark else 0
        is_item = start > len(line) - len(line.lstrip())
        for piece in _SENTENCE_END.split(line[start:]):
            piece = piece.strip()
            if SHORTEST <= len(piece) or (_SCRIPT_WITHOUT_SPACES.search(piece) and len(piece) >= 6):
                yield Sentence(piece[:LONGEST], score(piece), is_item)


def score(sentence: str) -> float:
    """How telling: names, numbers and reasons count for it; greetings, plans and claims against it. Around 0 is nothing much."""
    if _CHATTER.match(sentence):
        return -4.0
    names = len(set(_CODE.findall(sentence[:LONGEST])))
    value = 1.2 * min(names, 5) + 0.4 * min(len(_NUMBER.findall(sentence)), 3)
    if CAUSE.search(sentence):
        value += 2.5
    if _INTENT.match(sentence):
        value -= 2.0
    if CLAIM.search(sentence):
        value -= 3.0
    if len(sentence) < 40 and not _SCRIPT_WITHOUT_SPACES.search(sentence):
        value -= 1.0
    return value


def is_intent(sentence: str) -> bool:
    """Says what is going to be done, not what is."""
    return _INTENT.match(sentence) is not None


def is_claim(sentence: str) -> bool:
    """Praises the result: nothing that a diary may take from an agent's mouth."""
    return CLAIM.search(sentence) is not None


def is_cause(sentence: str) -> bool:
    return CAUSE.search(sentence) is not None


def is_decision(sentence: str) -> bool:
    return DECISION.search(sentence) is not None


def is_chatter(sentence: str) -> bool:
    return _CHATTER.match(sentence) is not None


def clean(sentence: str) -> str:
    """The sentence for a bullet: no bold marks, no colon at its end."""
    return re.sub(r"\*\*|__(?=\S)|(?<=\S)__", "", sentence).strip().rstrip(":：").strip()


def reason_in(text: str, *, prefer: frozenset[str] = frozenset()) -> str:
    """The sentence of an agent's words before or after an act that says most about it; empty where none says anything."""
    best, top = "", -2.5
    for number, sentence in enumerate(sentences(text[-2_500:])):
        value = sentence.score + 0.05 * number + (1.5 if prefer and any(word in sentence.text for word in prefer) else 0.0)
        if value > top:
            best, top = sentence.text, value
    return best
