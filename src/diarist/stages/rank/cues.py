"""Words by which people say that something decided earlier does not hold any more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Cue(NamedTuple):
    """One sentence that speaks of a change. `strength`: 3 says that something earlier is over, 2 that something was taken away or put
    in another's place, 1 that something is new."""

    strength: int
    sentence: str


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_OVER = _any(
    r"\bno longer\b|\bnot\b[^.;]{0,40}\bany ?(?:more|longer)\b|n't\b[^.;]{0,40}\bany ?(?:more|longer)\b",
    r"\bsupersed\w+|\boverr(?:ul|id)\w+|\boverturn\w*|\bamend(?:ed|ing|ment|s)?\b|\bretract\w*|\brevok\w+|\brescind\w*|\bwithdr[ae]w\w*|\bobsolete\b|\boutdated\b",
    r"\b(?:rolled|rolling|roll|took|taken|take|taking|going|go|went|gone|switched|moved|back(?:ed)?|pulled|brought)\b[^.;]{0,40}\bback(?: to| out)?\b|\bback (?:to|on|at)\b",
    r"\brevert\w*|\bundo(?:ne|ing)?\b|\bundid\b|\bbacked out\b|\bscrapp\w+|\babandon\w*|\bditch\w*|\bthrown? out\b|\bcalled off\b|\bcancel(?:l?ed|s)\b",
    r"\b(?:is|are|was|were|be|runs?|uses?)\b[^.;,]{0,40}\bagain\b|\bafter all\b|\bchanged (?:our|my|their) minds?\b|\b(?:had|got) (?:that|it|this) (?:backwards|wrong)\b|\bwas (?:wrong|mistaken)\b|\bwrong (?:call|choice|decision|idea|move)\b|\ba mistake\b",
    r"\b(?:forget|ignore|disregard|discard)\b (?:the|that|this|those|these|them|it|about|any|all|what|my|our|earlier|older)\b|\bdo(?:n't| not) (?:use|follow|rely on) (?:the )?(?:old|earlier|previous|former)",
    r"\b(?:we |i )?(?:won't|will not|don't|do not) (?:do|use|need|want|keep)\b[^.;]{0,30}\b(?:that way|this way|it|them|more)\b",
    r"\bwhat (?:i|we) (?:wrote|said|decided|noted|agreed|set)\b|\bused to\b|\b(?:earlier|previous|former|old|last|original|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)(?:'s)? (?:rule|decision|plan|note|notes|limit|setting|settings|policy|value|default|approach|version|scheme|convention|cap|advice|workaround|agreement)\b",
    r"\b(?:rule|decision|plan|note|limit|policy|setting|convention|workaround|agreement)s? (?:from|of) (?:last|january|february|march|april|may|june|july|august|september|october|november|december|the)\b[^.;]{0,30}",
    r"\b(?:that|this|which|it) replaces\b|\breplaces? (?:the|our|what|that)\b|\bin place of\b|\b(?:is|are|was) (?:out|gone|dead|over|history|void|off the table|a thing of the past)\b",
    r"\bonly\b[^.;]{0,40}\bfrom (?:here|now) on\b|\bfrom (?:here|now|today) on(?:wards?)?\b|\bgoing forward\b|\bas of (?:now|today|this)\b|\bnot (?:valid|true) (?:any|now)\b|\bnever again\b",
    # German
    r"\b(?:nicht|kein\w*) mehr\b|\bhinfällig\b|\büberholt\b|\bveraltet\b|\bersetzt\b|\banstelle\b|\bstatt(?:dessen)?\b|\babgelöst\b|\baufgehoben\b|\bzurückgenommen\b|\bzurückgerollt\b|\brückgängig\b|\bverworfen\b"
    r"|\bab (?:jetzt|sofort|heute)\b|\bvon nun an\b|\bkünftig\b|\bdoch (?:nicht|wieder)\b|\bwieder (?:auf|zurück)\b|\bgilt nicht\b|\bfrühere?n? (?:regel|entscheidung|festlegung|einstellung)",
    # French
    r"\bn'?\S* ?\S+ plus\b|\bne \S+ plus\b|\babandonn\w+|\bremplac\w+|\bau lieu de\b|\bà la place\b|\bdésormais\b|\bdorénavant\b|\bannul\w+|\bcaduc\w*|\bobsolète\w*|\bplus valable\b|\bfinalement\b|\brevien[st]\b|\bretour (?:à|au)\b",
    # Spanish, Portuguese, Italian
    r"\bya no\b|\ben (?:lugar|vez) de\b|\breemplaz\w+|\bsustitu\w+|\bquitamos\b|\babandon\w+|\bdejamos de\b|\ba partir de ahora\b|\bde ahora en adelante\b|\banulad\w+|\bobsolet\w+|\bvolvemos a\b|\bqueda (?:anulad|sin efecto)",
    r"\bnão (?:\S+ ){1,3}mais\b|\bjá não\b|\bem vez de\b|\bsubstitu\w+|\ba partir de agora\b|\bdeixa(?:mos|ram)? de\b|\bvoltamos (?:a|para)\b|\brevertid\w+",
    r"\bnon (?:\S+ ){1,3}più\b|\binvece d\w+|\bsostitui\w+|\bd'ora in poi\b|\bannullat\w+|\btorniamo (?:a|al)\b|\bsuperat[oa]\b",
    # Dutch, Polish, Russian
    r"\bniet meer\b|\bin plaats van\b|\bvervang\w+|\bvervallen\b|\bvanaf nu\b|\bvoortaan\b|\bteruggedraaid\b|\bterug naar\b",
    r"\bjuż nie\b|\bzamiast\b|\bzastąpi\w+|\bod teraz\b|\bnieaktualn\w+|\bwycofa\w+",
    r"\bбольше не\b|\bвместо\b|\bзаменя?\w+|\bотмен\w+|\bс этого момента\b|\bтеперь не\b|\bустарел\w+|\bоткатил\w+|\bвернулись к\b",
    # Chinese, Japanese, Korean
    r"不再|取代|替换|替代|废弃|弃用|作废|取消了?|撤销|回滚|改回|恢复(?:为|成|到)|不用了|停用|以后(?:都|一律|不)|从现在起|之前的.{0,8}(?:作废|无效|不算)|不要再用",
    r"やめ(?:ました|る|た)|廃止|撤回|取り消|置き換え|代わりに|元に戻|ではなく|なくなりました|使わないで|以前の|今後は|無効に|もう.{0,12}ません|切り戻",
    r"더 이상|대신|폐기|취소|철회|되돌|이제(?:는|부터)|앞으로는|사용하지 (?:마|않)",
)  # fmt: skip
_TAKEN = _any(
    r"\binstead\b|\brather than\b|\bdropp\w+|\bdrops?\b|\bremov\w+|\bdelet\w+|\breplac\w+|\bgone\b|\bswitched\b|\bturned off\b|\bdisabled\b|\bclosed\b|\bstopped\b|\bended\b|\bretired?\b|\bsunset\b",
    r"(?<![-\w])(?:down|up|cut|lowered|raised|reduced|increased|shortened|extended|moved|changed|went|grew|limited|bumped|tightened|relaxed|narrowed|widened) (?:from|to)\b|\bfar too\b|\btoo (?:long|short|high|low|strict|loose|broad)\b",
    r"\bmigrat\w+|\bsplit\b|\bonly (?:where|when|if|for|applies)\b|\bappl(?:y|ies) (?:only )?to\b[^.;]{0,60}\bonly\b|\b(?:everyone|everybody|everything|all) else\b|\bmerged into\b|\bnew rule\b|\bonly\b[^.;]{0,30}\bnow\b|\bnow (?:only|runs?|uses?|goes|takes|gets?|lives?|sits?|requires?|says|produces?|covers?|means)\b|\bformer\w*|\bpreviously\b",
    r"\bentfern\w*|\bgelöscht\b|\bjetzt\b|\bumgestellt\b|\bgeändert\b|\bläuft (?:jetzt|nun)\b|\bnun\b|\bsupprim\w+|\bchang\w+|\bmaintenant\b|\bpasse (?:à|de)\b|\bahora\b|\beliminad\w+|\bcambi\w+|\bagora\b|\bremovid\w+|\badesso\b|\bora\b",
    r"\bnu\b|\bgewijzigd\b|\bteraz\b|\bзмен\w+|\bизмен\w+|\bтеперь\b|改为|改成|改用|现在|换成|删除|去掉|下线|に変更|削除|外し|変えました|下げました|上げました|변경|제거|바꿨",
)  # fmt: skip
_NEW = _any(r"\bnow\b|\bnew\b|\bchanged?\b|\bset to\b|\braised?\b|\blower\w*|\bjetzt\b|\bneu\w*\b|\bnouveau\w*|\bnuev\w+|现|新|した")

_ELSEWHERE = _any(
    r"\b(?:nothing|no(?:thing else)?)(?: else| further)? (?:has |have |was |were )?(?:changed?|touched)\b|\bno (?:further |other )?changes?\b|\b(?:is|are|stays?|remains?|left) (?:unchanged|as (?:it|they) (?:is|are|was|were)|the same|untouched)\b|\bnot (?:touched|affected|changed)\b",
    r"\bunverändert\b|\bnichts (?:\w+ )?(?:geändert|verändert|angefasst)\b|\brien d'autre\b|\bn'a (?:pas |rien )?changé\b|\bnada más (?:cambi|ha cambiado)\w*|\bno se (?:cambió|tocó) nada\b|\bbleib(?:t|en)\b|\binchangé\w*|\bsin cambios\b|\bno cambia\b|\binalterad\w+|\binvariat\w+|\bongewijzigd\b|\bбез изменений\b|没有(?:动|变|改)|其他(?:都|均)?(?:没|未)|不变|保持原样|変更(?:なし|していません|ありません)|そのまま|그대로",
)  # fmt: skip
_SENTENCE = re.compile(r"[^.!?\n。！？]+(?:[.!?](?=\S)[^.!?\n。！？]*)*[.!?。！？]?")


def find_cues(text: str) -> Iterator[Cue]:
    """The sentences of a text that speak of a change, in order."""
    for found in _SENTENCE.finditer(text):
        sentence = found.group().strip()
        strength = 3 if _OVER.search(sentence) else 2 if _TAKEN.search(sentence) else 1 if _NEW.search(sentence) else 0
        if strength == 3 or (strength and not says_unchanged(sentence)):
            yield Cue(strength, sentence)


def says_unchanged(sentence: str) -> bool:
    """Whether a sentence says that something stays as it was."""
    return _ELSEWHERE.search(sentence) is not None
