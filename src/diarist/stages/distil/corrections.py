"""What the person refused or corrected, in any language.

Told apart from further requests by structure first (a declined call, a prompt right after the person stopped the agent) and
by the words with which corrections begin or turn on, in the usual languages.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from diarist.stages.distil.ledger import Asked, Ledger, Said
from diarist.text.clip import clip
from diarist.text.lazy import lazy

_START = lazy(
    r"\W*(?:no\b|nope|nah|not\b|don'?t\b(?! you\b)|"
    r"do not|dont\b|stop\b|wait\b|hold on|actually|hmm+|huh|wtf|omfg|wrong|incorrect|that'?s (?:not|"
    r"wrong|incorrect)|this is (?:not|wrong)|it'?s not|you (?:did not|didn'?t|forgot|missed|broke|should(?:n'?t| not))|"
    r"undo|revert|roll ?back|again\b|still\b|try again|redo|i (?:said|told|undid|asked|meant|reverted|still)|why (?:did|are|do) you|"
    r"instead|rather|never\b|please (?:don'?t|do not|stop|undo|revert)|we (?:don'?t|do not|shouldn'?t)|let'?s not|"
    r"nein|nicht\b|falsch|stopp?|halt\b|warte|doch\b|lieber|stattdessen|mach .{0,20}rückgängig|ich (?:sagte|meinte)|"
    r"non\b|pas\b|arrête|faux|c'est (?:faux|pas)|ce n'est pas|plutôt|annule|attends|"
    r"incorrecto|para\b|espera|eso no|no es|deshaz|mejor\b|não\b|errado|pare\b|sbagliato|fermati|"
    r"いや|いいえ|違|ちが|やめ|戻して|だめ|ダメ|待って|そうじゃ|"
    r"不是|不要|不对|不對|错|錯|别\b|停|撤销|等等|아니|하지 ?마|틀렸|нет\b|не\b|неправильно|стоп|отмени)",
    re.IGNORECASE,
)
_ANSWER = lazy(r"\W*(?:no\b|nope|nah|not yet|hmm+|actually|wait\b|nein|doch\b|non\b|não\b|いや|いいえ|不是|아니|нет\b)", re.IGNORECASE)
"""How an answer to a question may begin that sounds like a correction."""
_TURN = lazy(
    r"\b(?:not correct|incorrect|is wrong|doesn'?t work|does not work|not working|still (?:fail\w*|not|broken|get|see|the same|an? )|"
    r"is failing|fails\b|should(?:n'?t| not) (?:be|have)|must not|don'?t (?:want|need|touch|use|change|modify|do)|no need|"
    r"instead of|rather than|i'?d (?:like us|rather|prefer)|you (?:forgot|missed|ignored|removed|broke)|let'?s not|next time|undid|"
    r"revert(?:ed)?|too (?:much|many|complicated|verbose|long)|"
    r"nicht (?:richtig|so|anfassen|ändern)|funktioniert nicht|statt dessen|ne (?:marche|fonctionne) pas|au lieu de|no funciona|"
    r"en lugar de|en vez de)\b|"
    r"ではなく|じゃなく|しないで|動かない|動きません|間違|おかしい|"
    r"而不是|不应该|不應該|不行|有问题|有問題|不工作|没有用|말고|안 ?돼|не работает|вместо",
    re.IGNORECASE,
)
_TURN_PIECES = (
    *("correct", "wrong", "work", "still ", "fail", "should", "must not", "don't ", "dont ", "no need", "instead of", "rather", "i'd like"),
    *(
        "id like",
        "i'd prefer",
        "id prefer",
        "you forgot",
        "you missed",
        "you ignored",
        "you removed",
        "you broke",
        "let's not",
        "lets not",
        "next time",
        "undid",
    ),
    *("revert", "too ", "nicht ", "funktioniert", "statt dessen", "marche", "fonctionne", "au lieu de", "no funciona", "en lugar de"),
    *("en vez de", "なく", "しないで", "動か", "動きません", "間違", "おかしい", "而不是", "不应该", "不應該", "不行", "有问题", "有問題"),
    *("不工作", "没有用", "말고", "안 돼", "안돼", "не работает", "вместо"),
)
"""One of these is in each text that `_TURN` finds something in."""
_LOOKS_LIKE_COMMAND = lazy(r"[/!$]?(?:[\w./-]+ )?[\w./-]+(?: (?:-{1,2}[\w=./-]+|[\w./:-]*[./:_][\w./:-]*))+$")
_ASK_ONLY = lazy(
    r"\W*(?:system: )?(?:yes|yeah|yep|ok(?:ay)?|sure|go ahead|continue|proceed|thanks?|thank you|great|good|perfect|"
    r"(?:looks|sounds) (?:good|great)|please continue|"
    r"lgtm|ja|weiter|gut|"
    r"danke|oui|d'accord|merci|sí|si|vale|gracias|はい|お願いします|続けて|好的?|继续|谢谢|네|да)\W*$",
    re.IGNORECASE,
)
_ASSENT = lazy(
    r"\W*(?:(?:yes|yeah|yep|ok(?:ay)?|sure|great|good|perfect|alright|please|thanks?(?: a lot| so much| again)?|"
    r"thank you(?: so much| very much)?|(?:i|we) (?:confirm|agree)|(?:(?:that|this|it) )?(?:looks|sounds) (?:good|great)|"
    r"go ahead|proceed|continue|lgtm|(?:for|with) (?:(?:all|your|the|that|this|it)\b ?){1,3}\w*|"
    r"i (?:really )?appreciate (?:it|that|(?:all )?your help))\b\W*(?:and\b\W*)?)+\Z",
    re.IGNORECASE,
)
"""Several words of assent and thanks in a row."""
_LONGEST_ASSENT = 100
_HARNESS_GOES_ON = "please continue working on the task"
_REASON = lazy(
    r"(?:the user said|user (?:said|feedback|response|provided the following reason)|reason for (?:the )?rejection|feedback|"
    r"to tell you how to proceed, the user said)\s*:?\s*(.+)",
    re.IGNORECASE | re.DOTALL,
)
_STANDARD = lazy(
    r"the user (?:doesn'?t|does not) want|tool use was rejected|user (?:rejected|declined|denied|cancelled|canceled)|"
    r"stop what you are doing|wait for the user|rejected by (?:the )?user|request interrupted|permission (?:to use|denied)|"
    r"note: the user's next message|tell claude what to do differently",
    re.IGNORECASE,
)


_PRAISE = lazy(
    r"\W*(?:wow|perfect|great|nice|awesome|excellent|amazing|thanks?|thank you|super|perfekt|genial|parfait|perfecto|完璧|太好了|完美)"
    r"(?!.*(?:\b(?:but|not|except|however|still|aber|mais|pero|instead|undo|wrong|rather|revert (?:it|that|this|the))\b|n't\b|但|でも))"
    r".{0,60}\Z",
    re.IGNORECASE | re.DOTALL,
)
"""A few words of praise without a but, also right after the agent was stopped."""


class Correction(NamedTuple):
    """A person's word against what the agent did or was about to do."""

    step: int
    quote: str
    """The person's words, exact."""
    what: str
    """What they were about: the declined call, if it was one."""
    why: Said | None
    """What the agent had said just before, if anything."""
    refused: bool
    raw: str = ""
    """What the format keeps of the refusal, where the person said nothing."""


def find_corrections(ledger: Ledger) -> list[Correction]:
    """In order. The reason given in the next prompt is joined to the refusal it explains."""
    prompts = list(ledger.prompts)
    found: list[Correction] = []
    used: set[int] = set()
    for refused in ledger.refused:
        quote = _reason_of(refused.quote)
        step = refused.step
        if not quote:
            following = next((prompt for prompt in prompts if prompt.step > refused.step), None)
            if (
                following is not None
                and following.follows
                and not any(other.step > refused.step and other.step < following.step for other in ledger.refused)
            ):
                quote, step = _first_part(following.text), following.step
                used.add(following.step)
        found.append(Correction(step, quote, refused.what, refused.why, True, refused.quote))
    for number, prompt in enumerate(prompts):
        if number and prompt.step not in used and is_correction(prompt):
            found.append(Correction(prompt.step, _first_part(prompt.text), "", None, False))
    return sorted(found, key=lambda correction: correction.step)


def is_correction(prompt: Asked) -> bool:
    """Does a later prompt correct what was done, rather than ask for something new?"""
    text = prompt.text.strip()
    if not text or len(text) > 3_000 or _ASK_ONLY.match(text) or (len(text) <= 80 and _PRAISE.match(text)):
        return False
    if _LOOKS_LIKE_COMMAND.match(text):
        return False
    if prompt.follows:
        return True
    begins = _START.match(text) is not None and not (prompt.answers and _ANSWER.match(text))
    return begins or (len(text) < 600 and _turns(text))


def _turns(text: str) -> bool:
    low = text.lower()
    for piece in _TURN_PIECES:  # a plain loop: many times as fast as the pattern, and few texts hold one
        if piece in low:
            return _TURN.search(text) is not None
    return False


def is_assent(text: str) -> bool:
    """Says no more than yes, go on, thanks."""
    bare = text.strip()
    if _ASK_ONLY.match(bare) or bare[:60].lower().startswith(_HARNESS_GOES_ON):
        return True
    return len(bare) < _LONGEST_ASSENT and _ASSENT.match(bare) is not None


def _reason_of(text: str) -> str:
    """What the person said when declining; empty where there is only the client's standard text."""
    match = _REASON.search(text)
    if match:
        return _first_part(match[1])
    return "" if _STANDARD.search(text) or not text.strip() else _first_part(text)


def _first_part(text: str) -> str:
    """The first lines that say something, at most 400 characters, an exact piece of the text."""
    text = text.strip()
    end = text.find("\n\n", 60)
    piece = text[: end if 0 < end <= 400 else 400]
    return piece if len(piece) == len(text) else clip(piece, 399).removesuffix("…").rstrip()
