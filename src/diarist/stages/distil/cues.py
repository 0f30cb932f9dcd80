"""Words by which sentences are told apart, in the languages that agents and persons usually write. Data for `sentences`.

Single words are compared as whole lower-case words, pairs of words as pairs; what languages without spaces say is looked
for as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from diarist.stages.distil.words import word_list, word_pairs, word_set

CAUSE, DECISION, CLAIM, CHECK, PASS, FIRST_OF_PAIR, PLAN, LET, ME, OPENER, GUESS, WILL, NAME = (1 << bit for bit in range(13))
"""Bits: states why; turns to another way; praises; names a check; says that it passed; may be the first of a pair of words that tells
one of these; says what is going to be done ("let's", or "let" and "me"); opens a sentence; guesses; may say what somebody is going to
do; names one thing, by its looks."""


OPENERS = word_set(
    """
    ok okay great perfect good excellent alright sure nice now next first finally then so yes done right ah hmm wait actually i see got
    it gut super also parfait bien perfecto excelente
    """
)


class _Cues(NamedTuple):
    bit: int
    words: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    pieces: tuple[str, ...]
    """Looked for only in sentences that are not plain ASCII."""


def _starts(text: str) -> tuple[str, ...]:
    """Beginnings of sentences; "_" stands for a space within one."""
    return tuple(start.replace("_", " ") for start in text.split())


def _cues(bit: int, words: str, pairs: str = "", pieces: str = "") -> _Cues:
    return _Cues(bit, word_set(words), word_pairs(pairs), word_list(pieces))


_CAUSE = _cues(
    CAUSE,
    """because since due caused causes cause reason reasons issue issues problem problems bug culprit turns turned found discovered
        actually however but missing instead never always must
    requires require required needs expects expected incorrect wrong mismatch conflict conflicts outdated deprecated stale duplicate
    duplicated unlike although whereas therefore thus otherwise
    only unused undefined nonexistent doesn't isn't aren't wasn't don't didn't can't cannot won't
    weil da wegen ursache grund fehler stattdessen anstatt fehlt fehlte falsch aber jedoch obwohl nur sondern
    parce car raison problème erreur manque manquait mais cependant donc lieu seulement
    porque debido causa razón problema falta faltaba pero embargo mas lugar solo perché invece manca tuttavia quindi porém
    потому причина проблема ошибка вместо поэтому""",
    "led to,leads to,leading to,results in,resulted in,root cause,so that,which means,this means,rather than,does not,is not,are not,"
    "no longer,not the,not a",
    "ため ので から、 原因 問題 エラー ではなく しかし ただし 不足 存在しない 間違 なかった "
    "因为 因為 由于 由於 导致 導致 问题 错误 錯誤 但是 而不是 缺少 不存在 没有 때문 문제 오류 하지만",
)
_DECISION = _cues(
    DECISION,
    """instead alternative alternatively switch switching switched workaround revert reverting reverted reverts simpler
        rethink retry simplify simplified
    stattdessen versuche versuchen alternativ plutôt essayons essayer autrement probemos intentemos intentar alternativa invece вместо
    попробую попробуем""",
    """
    rather than, different approach, different way, another approach, another way, different strategy, fall back, falling back, me
    try, let's try, work around, better approach, give up, giving up, anderen ansatz, anderer weg, autre approche, en cambio, otro
    enfoque
    """,
    "代わりに 別の方法 別のアプローチ 試し 试试 换一种 换个 改用 尝试 嘗試 另一种 대신 시도",
)
_CHECK = _cues(
    CHECK,
    """
    test tests testing check checks build builds compile compiles compilation lint linter linting typecheck suite ci formatting
    everything tsc pytest mypy eslint implementation types
    """,
)
_PASS = _cues(
    PASS,
    """
    pass passes passed passing succeed succeeds succeeded succeeding green clean cleanly ok working works compiles fine correct
    correctly
    """,
)
_CLAIM = _cues(
    CLAIM,
    """successfully successful success flawlessly perfectly verified tested production-ready bulletproof comprehensive robust elegant
        seamlessly
    erfolgreich fehlerfrei réussi succès éxito exitosamente correctamente sucesso успешно""",
    """
    resolved the, have resolved, has resolved, without introducing, without breaking, fixes the, fixed the, look correct, looks
    correct, look good, looks good, look great, looks great, correctly implemented, fully functional, production ready, works
    correctly, works as, works perfectly, works properly, works fine, works now, now works,     working correctly, working as,
    working perfectly, working properly, now complete, now working, now fixed,   is complete, are complete, is completed, no errors,
    now work, should work, been fixed, been resolved, is fixed, are fixed, is resolved, issue   resolved, task complete, ready for,
    ready to, all set, everything is, everything works, everything looks,   avec succès, con éxito
    """,
    "成功 完璧 問題なく 正常に 完成 通过 通過 성공",
)
_PLAN = _cues(PLAN, "let's please i'll we'll", "will now")
_GUESS = _cues(
    GUESS,
    """likely probably seems seem appears think believe guess glaube denke pense maybe perhaps might presumably apparently suspect
        wahrscheinlich vermutlich vielleicht offenbar
        scheint probablement semble apparemment probablemente parece quizás quizá provavelmente talvez forse probabilmente sembra
        возможно вероятно похоже""",
    "",
    "かもしれ おそらく たぶん 思われ 可能是 也许 似乎 大概 아마",
)
_ALL = (
    _CAUSE,
    _DECISION,
    _CLAIM,
    _CHECK,
    _PASS,
    _PLAN,
    _cues(LET, "let"),
    _cues(ME, "me"),
    _Cues(OPENER, OPENERS, frozenset(), ()),
    _GUESS,
    _cues(WILL, "will need"),
)


def _word_bits() -> dict[str, int]:
    """By word, alone and as the last one of a sentence."""
    bits: dict[str, int] = {}
    for cues in _ALL:
        for word in cues.words:
            bits[word] = bits.get(word, 0) | cues.bit
        for first, _ in cues.pairs:
            bits[first] = bits.get(first, 0) | FIRST_OF_PAIR
    return bits | {f"{word}.": bit for word, bit in bits.items()}


def _pair_bits() -> dict[str, dict[str, int]]:
    """By first and second word; a full stop may stand behind either."""
    bits: dict[str, dict[str, int]] = {}
    for cues in _ALL:
        for first, second in cues.pairs:
            for form in (first, f"{first}."):
                bits.setdefault(form, {}).update({second: cues.bit, f"{second}.": cues.bit})
    return bits


_BITS = _word_bits()
_PAIRS = _pair_bits()
_PIECES = tuple((piece, cues.bit) for cues in _ALL for piece in cues.pieces)
_COMMON = word_set("is are the a to in no so this which does")


def _rare_words(cues: _Cues) -> frozenset[str]:
    """The words, and of each pair the one that fewer sentences hold; each alone and as the last one of a sentence."""
    rare = [min(pair, key=lambda word: (word in _COMMON, -len(word))) for pair in cues.pairs]
    return frozenset(form for word in (*cues.words, *rare) for form in (word, f"{word}."))


RARE = {cues.bit: _rare_words(cues) for cues in (_CAUSE, _DECISION)}
"""By bit: words one of which is in every ASCII sentence that tells it. A quick look, so that few sentences need a careful one."""


def bits_of(words: Iterable[str]) -> int:
    """What single words tell: `CAUSE | CLAIM`, … They are lower-case; a full stop may end one."""
    found = 0
    for word in words:
        found |= _BITS.get(word, 0)
    return found


def bits_of_pairs(words: Iterable[str]) -> int:
    """What pairs of words tell that stand side by side."""
    found = 0
    for first, second in pairwise(words):
        if first in _PAIRS:
            found |= _PAIRS[first].get(second, 0)
    return found


def bits_of_pieces(low: str) -> int:
    """What a lower-case text tells in a language that does not part words by spaces."""
    found = 0
    for piece, bit in _PIECES:
        if piece in low:
            found |= bit
    return found


INTENT_STARTS = _starts(
    """
    let_me let's this_command this_will we'll we_will
    lets i'll i_will i'm_going i_am_going i_need_to i_should we_need_to now_i i_can i_want_to going_to time_to first,
    next, now, now_ next_ checking looking_at running ich_werde lass_mich lassen_sie_mich jetzt zuerst als_nächstes je_vais
    voyons maintenant d'abord voy_a vamos_a ahora primero vou agora ora それでは では 次に まず
    the_user_wants the_user_asked the_user_is_asking the_user_says user_wants
    the_next_step next_step this_script_will the_script_will i_suggest_we
    让我 讓我 我将 我会 现在 接下来 我来 先 이제 먼저 сейчас теперь
    давай
    """
)
POLITE = ("feel free", "reach out", "any other questions", "further assistance", "let me know", "happy to help")
"""A sentence that begins as chatter does and holds one of these says nothing, however long it is."""
CHATTER_STARTS = _starts(
    """
    if_you_need if_you_have_any if_you_have_other you're_welcome have_a_great have_a_nice have_a_good my_apologies i_apologize_for
    great perfect excellent awesome wonderful sounds_good sure thank you're_right you're_absolutely_right you_are_right i_understand
    understood got_it i_see of_course certainly absolutely would_you_like do_you_want shall_i should_i let_me_know feel_free
    want_me_to is_there_anything please_let je_comprends ich_verstehe entiendo entendo capisco понимаю bonjour hallo hola
    i_can_help i_can_assist here's here_is here_are summary perfekt alles_klar möchten_sie soll_ich parfait très_bien
    voulez-vous perfecto excelente quieres ¿quieres 完了 承知 わかりました 了解 好的 明白 알겠 хорошо отлично
    """
)
