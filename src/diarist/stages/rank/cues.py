"""Words by which people say that something decided earlier does not hold any more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from diarist.text.lazy import lazy

OVER, TAKEN, NEW = 3, 2, 1
"""How strong a cue is: something earlier is over; something was taken away, put in another's place or given other bounds; something
is new."""


class Cue(NamedTuple):
    """One sentence that speaks of a change, and how strongly (`OVER`, `TAKEN`, `NEW`)."""

    strength: int
    sentence: str


_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_DECISION = (
    "rule|decision|plan|notes?|limit|settings?|policy|value|default|approach|version|scheme|convention|cap|advice|workaround|agreement"
)
_DECISIONS = _DECISION.replace("s?", "").replace("|", " ")
_WORDS: tuple[tuple[int, str, str], ...] = (
    # English
    (OVER, "longer more anymore", r"\b(?:no|not)\b[^.;]{0,40}\b(?:any ?)?(?:longer|more)\b|n't\b[^.;]{0,40}\bany ?(?:more|longer)\b"),
    (OVER, "superseded overruled overrides overturned", r"\bsupersed\w+|\boverr(?:ul|id)\w+|\boverturn\w*"),
    (OVER, "amended retracted revoked rescinded withdrawn", (
        r"\bamend(?:ed|ing|ment|s)?\b|\bretract\w*|\brevok\w+|\brescind\w*|\bwithdr[ae]w\w*"
    )),
    (OVER, "obsolete outdated reverted undone undid undo", r"\bobsolete\b|\boutdated\b|\brevert\w*|\bundo(?:ne|ing)?\b|\bundid\b"),
    (OVER, "back", (
        r"\b(?:roll|took|taken?|taking|go(?:ing|ne)?|went|switched|moved|back|pulled|brought)\w*\b[^.;]{0,40}\bback\b"
        r"|\bback (?:to|on|at|out)\b"
    )),
    (OVER, "scrapped abandoned ditched cancelled called thrown", (
        r"\bscrapp\w+|\babandon\w*|\bditch\w*|\bcancel(?:l?ed|s)\b|\bcalled off\b|\bthrown? out\b"
    )),
    (OVER, "again", r"\b(?:is|are|was|were|be|runs?|uses?)\b[^.;,]{0,40}\bagain\b|\bnever again\b"),
    (OVER, "after minds wrong mistake mistaken backwards", (
        r"\bafter all\b|\bchanged (?:our|my|their) minds?\b|\bwas (?:wrong|mistaken)\b|\ba mistake\b"
        r"|\b(?:had|got) (?:that|it|this) (?:backwards|wrong)\b|\bwrong (?:call|choice|decision|idea|move)\b"
    )),
    (OVER, "forget ignore disregard discard", (
        r"\b(?:forget|ignore|disregard|discard)\b (?:the|that|this|those|these|them|it|about|any|all|what|my|our)\b"
    )),
    (OVER, "old earlier previous former", r"\bdo(?:n't| not) (?:use|follow|rely on) (?:the )?(?:old|earlier|previous|former)"),
    (OVER, "won't will don't", (
        r"\b(?:won't|will not|don't|do not) (?:do|use|need|want|keep)\b[^.;]{0,30}\b(?:that way|this way|it|them)\b"
    )),
    (OVER, "what used", r"\bwhat (?:i|we) (?:wrote|said|decided|noted|agreed|set)\b|\bused to\b"),
    (OVER, _DECISIONS, rf"\b(?:earlier|previous|former|old|last|original|{_MONTH})(?:'s)? (?:{_DECISION})\b"),
    (OVER, _DECISIONS, rf"\b(?:{_DECISION})s? (?:from|of) (?:last|{_MONTH})\b"),
    (OVER, "replaces replace place", r"\b(?:that|this|which|it) replaces\b|\breplaces? (?:the|our|what|that)\b|\bin place of\b"),
    (OVER, "out gone dead over history void table past", (
        r"\b(?:is|are|was) (?:out|gone|dead|over|history|void|off the table|a thing of the past)\b"
    )),
    (OVER, "from going", r"\bfrom (?:here|now|today) on(?:wards?)?\b|\bgoing forward\b|\bas of (?:now|today|this)\b"),
    (TAKEN, "instead rather dropped drop removed deleted", r"\binstead\b|\brather than\b|\bdropp\w+|\bdrops?\b|\bremov\w+|\bdelet\w+"),
    (TAKEN, "replaced gone switched turned disabled closed", r"\breplac\w+|\bgone\b|\bswitched\b|\bturned off\b|\bdisabled\b|\bclosed\b"),
    (TAKEN, "stopped ended retired sunset migrated split merged", (
        r"\bstopped\b|\bended\b|\bretired?\b|\bsunset\b|\bmigrat\w+|\bsplit\b|\bmerged into\b"
    )),
    (TAKEN, "down cut lowered raised reduced increased shortened extended moved changed went grew limited bumped", (
        r"(?<![-\w])(?:down|cut|lowered|raised|reduced|increased|shortened|extended|moved|changed|went|grew|limited|bumped|tightened"
        r"|relaxed|narrowed|widened) (?:from|to)\b"
    )),
    (TAKEN, "tightened relaxed narrowed widened", (
        r"(?<![-\w])(?:down|cut|lowered|raised|reduced|increased|shortened|extended|moved|changed|went|grew|limited|bumped|tightened"
        r"|relaxed|narrowed|widened) (?:from|to)\b"
    )),
    (TAKEN, "too far", r"\bfar too\b|\btoo (?:long|short|high|low|strict|loose|broad)\b"),
    (TAKEN, "only applies apply else", (
        r"\bonly (?:where|when|if|for|applies)\b|\bappl(?:y|ies) (?:only )?to\b[^.;]{0,60}\bonly\b|\b(?:every\w+|all) else\b"
    )),
    (TAKEN, "now", (
        r"\bonly\b[^.;]{0,30}\bnow\b"
        r"|\bnow (?:only|runs?|uses?|goes|takes|gets?|lives?|sits?|requires?|says|produces?|covers?|means)\b"
    )),
    (TAKEN, "former formerly previously new", r"\bformer\w*|\bpreviously\b|\bnew rule\b"),
    (NEW, "now new changed change set raised lower", r"\bnow\b|\bnew\b|\bchanged?\b|\bset to\b|\braised?\b|\blower\w*"),
    # German
    (OVER, "mehr hinfällig überholt veraltet ersetzt", r"\b(?:nicht|kein\w*) mehr\b|\bhinfällig\b|\büberholt\b|\bveraltet\b|\bersetzt\b"),
    (OVER, "anstelle statt stattdessen abgelöst aufgehoben", r"\banstelle\b|\bstatt(?:dessen)?\b|\babgelöst\b|\baufgehoben\b"),
    (OVER, "zurückgenommen rückgängig verworfen", r"\bzurückge(?:nommen|rollt)\b|\brückgängig\b|\bverworfen\b"),
    (OVER, "jetzt sofort heute künftig doch wieder gilt", (
        r"\bab (?:jetzt|sofort|heute)\b|\bvon nun an\b|\bkünftig\b|\bdoch (?:nicht|wieder)\b|\bgilt nicht\b"
    )),
    (TAKEN, "entfernt gelöscht jetzt umgestellt geändert nun", (
        r"\bentfern\w*|\bgelöscht\b|\bjetzt\b|\bumgestellt\b|\bgeändert\b|\bnun\b"
    )),
    # French
    (OVER, "plus", r"\b(?:ne |n')\S+ plus\b|\bplus valable\b"),
    (OVER, "abandonne remplace lieu place désormais dorénavant", (
        r"\babandonn\w+|\bremplac\w+|\b(?:au lieu|à la place) d\w*|\bdésormais\b|\bdorénavant\b"
    )),
    (OVER, "annulé caduc finalement revient retour", r"\bannul\w+|\bcaduc\w*|\bfinalement\b|\brevien[st]\b|\bretour (?:à|au)\b"),
    (TAKEN, "supprimé changé maintenant passe", r"\bsupprim\w+|\bchang\w+|\bmaintenant\b|\bpasse (?:à|de)\b"),
    # Spanish, Portuguese, Italian
    (OVER, "no lugar vez", r"\bya no\b|\ben (?:lugar|vez) de\b|\bem vez de\b"),
    (OVER, "reemplaza sustituye substitui sostituisce", r"\breemplaz\w+|\bsustitu\w+|\bsubstitu\w+|\bsostitui\w+"),
    (OVER, "quitamos dejamos deixamos volvemos voltamos torniamo", (
        r"\bquitamos\b|\bde(?:ja|ixa)mos de\b|\bvolvemos a\b|\bvoltamos (?:a|para)\b|\btorniamo a\w*"
    )),
    (OVER, "ahora agora ora anulada queda", (
        r"\ba partir de (?:ahora|agora)\b|\bd'ora in poi\b|\banulad\w+|\bqueda (?:anulad|sin efecto)"
    )),
    (OVER, "não mais non più invece superato", (
        r"\b(?:já não|não (?:\S+ ){1,3}mais)\b|\bnon (?:\S+ ){1,3}più\b|\binvece d\w+|\bsuperat[oa]\b"
    )),
    (TAKEN, "ahora eliminado cambió agora removido adesso", r"\bahora\b|\beliminad\w+|\bcambi\w+|\bagora\b|\bremovid\w+|\badesso\b"),
    # Dutch, Polish, Russian
    (OVER, "meer plaats vervangen vervallen vanaf voortaan terug", (
        r"\bniet meer\b|\bin plaats van\b|\bverv(?:ang|all)\w+|\bvanaf nu\b|\bvoortaan\b|\bterug naar\b"
    )),
    (OVER, "już zamiast zastąpiono teraz wycofane", r"\bjuż nie\b|\bzamiast\b|\bzastąpi\w+|\bod teraz\b|\bnieaktualn\w+|\bwycofa\w+"),
    (OVER, "больше вместо заменяет отменили этого теперь устарело", (
        r"\bбольше не\b|\bвместо\b|\bзамен\w+|\bотмен\w+|\bс этого момента\b|\bтеперь не\b|\bустарел\w+"
    )),
    (OVER, "откатили вернулись", r"\bоткатил\w+|\bвернулись к\b"),
    (TAKEN, "gewijzigd zmieniono изменили теперь", r"\bgewijzigd\b|\bzmieni\w+|\bизмен\w+|\bтеперь\b"),
)  # fmt: skip
"""(strength, words one of which stands in every match, pattern): a pattern is only tried on a sentence that holds such a word."""

_SPACELESS: tuple[tuple[int, str], ...] = (
    (OVER, r"不再|取代|替换|替代|废弃|弃用|作废|取消了?|撤销|回滚|改回"),
    (OVER, r"恢复(?:为|成|到)|不用了|停用|以后(?:都|一律|不)|从现在起"),
    (OVER, r"之前的.{0,8}(?:作废|无效|不算)|不要再用"),
    (OVER, r"やめ(?:ました|る|た)|廃止|撤回|取り消|置き換え|代わりに|元に戻|ではなく"),
    (OVER, r"なくなりました|使わないで|以前の|今後は|無効に|もう.{0,12}ません|切り戻"),
    (OVER, r"더 이상|대신|폐기|취소|철회|되돌|이제(?:는|부터)|앞으로는"),
    (OVER, r"사용하지 (?:마|않)"),
    (TAKEN, r"改为|改成|改用|现在|换成|删除|去掉|下线|に変更|削除|外し|変えました"),
    (TAKEN, r"下げました|上げました|변경|제거|바꿨"),
)  # fmt: skip

_UNCHANGED = (
    r"\b(?:nothing|no(?:thing else)?)(?: else| further)? (?:has |have |was |were )?(?:changed?|touched)\b"
    r"|\bno (?:further |other )?changes?\b"
    r"|\b(?:is|are|stays?|remains?|left) (?:unchanged|as (?:it|they) (?:is|are|was|were)|the same|untouched)\b"
    r"|\bnot (?:touched|affected|changed)\b|\bunverändert\b|\bnichts (?:\w+ )?(?:geändert|verändert|angefasst)\b|\bbleib(?:t|en)\b"
    r"|\brien d'autre\b|\bn'a (?:pas |rien )?changé\b|\binchangé\w*|\bsin cambios\b|\bno cambia\b|\bnada más (?:ha )?cambi\w*"
    r"|\bno se (?:cambió|tocó) nada\b|\binalterad\w+|\binvariat\w+|\bongewijzigd\b|\bбез изменений\b"
    r"|没有(?:动|变|改)|其他(?:都|均)?(?:没|未)|不变|保持原样|変更(?:なし|していません|ありません)|そのまま|그대로"
)
_UNCHANGED_HINTS = (
    "chang", "touched", "same", "as it", "as they", "affected", "verändert", "geändert", "angefasst", "bleib", "rien d'autre", "cambi",
    "tocó", "inalterad", "invariat", "ongewijzigd", "изменений", "没", "不变", "保持原样", "変更", "そのまま", "그대로",
)  # fmt: skip
"""One of these stands in every match; looking for them first is many times faster."""
_SENTENCE = lazy(r"[^.!?\n。！？]+(?:[.!?](?=\S)[^.!?\n。！？]*)*[.!?。！？]?")
_WORD = lazy(r"[^\W\d_]+(?:'[a-z]+)?")
_MARKS = {code: " " for code in range(128) if not chr(code).isalpha() and chr(code) != "'"}
_CJK = "[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]"
_KEY = 4


def _by_key() -> dict[str, list[tuple[int, str]]]:
    """Rules by the first letters of the words that announce them."""
    rules: dict[str, list[tuple[int, str]]] = {}
    for strength, words, pattern in _WORDS:
        for key in {word[:_KEY] for word in words.split()}:
            rules.setdefault(key, []).append((strength, pattern))
    return rules


_RULES = _by_key()


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled on first use: compiling all of them would take longer than a search."""
    return re.compile(pattern, re.IGNORECASE)


def find_cues(text: str) -> Iterator[Cue]:
    """The sentences of a text that speak of a change, in order."""
    for found in _SENTENCE.finditer(text):
        sentence = found.group().strip()
        strength = _strength(sentence)
        if strength == OVER or (strength and not says_unchanged(sentence)):
            yield Cue(strength, sentence)


def says_unchanged(sentence: str) -> bool:
    """Whether a sentence says that something stays as it was."""
    low = sentence.lower()
    return any(hint in low for hint in _UNCHANGED_HINTS) and _compiled(_UNCHANGED).search(sentence) is not None


def _words(low: str) -> list[str]:
    """The words of a sentence in lower case; of a plain one by splitting, which is several times faster."""
    return f" {low.translate(_MARKS)}".replace(" '", " ").split() if low.isascii() else _WORD.findall(low)


def _strength(sentence: str) -> int:
    best = 0
    for key in sorted(_RULES.keys() & {word[:_KEY] for word in _words(sentence.lower())}):
        for strength, pattern in _RULES[key]:
            if strength > best and _compiled(pattern).search(sentence):
                best = strength
    if best < OVER and not sentence.isascii() and _compiled(_CJK).search(sentence):
        best = max([best, *(strength for strength, pattern in _SPACELESS if _compiled(pattern).search(sentence))])
    return best
