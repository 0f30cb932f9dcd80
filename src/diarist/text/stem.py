"""Light stemming: inflected forms of a word come together, different words stay apart. Pure and fast enough to be cached per word."""

from __future__ import annotations

from diarist.text.phrases import wordset

_VOWELS = frozenset("aeiouy")


def stem_english(word: str) -> str:
    """Takes plural, -ed, -ing, -ly and the commonest noun endings off an English word (lower case, letters only).

    The result is a key, not a word. Words of other languages that English rules fit lose the same endings in query and text.

    >>> [stem_english(word) for word in ("caches", "cached", "caching", "migrations", "migrated", "policies", "running")]
    ['cach', 'cach', 'cach', 'migr', 'migr', 'polici', 'run']
    """
    if len(word) <= 3:
        return word
    word = _plural(word)
    inflected = word.endswith(_FROM_ATE)
    for ending in ("ing", "ed") if word.endswith(("ing", "ed")) else ():
        if word.endswith(ending) and len(word) - len(ending) >= 2 and not word.endswith("eed"):
            rest = word[: -len(ending)]
            if any(letter in _VOWELS for letter in rest):
                word = _undouble(rest)
            break
    if word.endswith(_NOUN_ENDINGS):
        for ending, kept in _NOUNS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: len(word) - len(ending)] + kept
                break
    if len(word) > 3 and word[-1] == "e":
        word = word[:-1]
    if inflected and len(word) > 5 and word.endswith("at"):
        word = word[:-2]
    if len(word) > 3 and word[-1] == "y" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    return word


_FROM_ATE = ("ate", "ated", "ating", "ation", "ator", "ative")
"""Endings of the words around a verb in -ate or a noun in -ation, which lose that too: "installation" is "install"."""
_NOUNS = (
    ("ations", "at"), ("ation", "at"), ("ative", "at"),
    ("ement", ""), ("ments", ""), ("ment", ""), ("nesses", ""), ("ness", ""), ("ating", "at"),
    ("ization", "iz"), ("ively", "iv"), ("ally", "al"), ("ily", "i"), ("ly", ""), ("ators", "at"), ("ator", "at"), ("ting", "t"),
    ("ibility", "ibl"), ("ability", "abl"), ("ities", "iti"), ("ful", ""),
)  # fmt: skip
_NOUN_ENDINGS = tuple(ending for ending, _ in _NOUNS)


def _plural(word: str) -> str:
    if word[-1] != "s" or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    return word[:-1]


def _undouble(word: str) -> str:
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    return word


_ENDINGS: dict[str, tuple[str, ...]] = {
    language: tuple(sorted(endings.split(), key=lambda ending: (-len(ending), ending)))
    for language, endings in {
        "de": "ierungen ierung lichkeit ungen heiten keiten ung heit keit isch lich ern nen est ten en er es em te et st e n "
              "s t",
        "fr": "issements issement ations ation ements ement euses euse aient ances ance ités ité eurs eur ives ive ifs if ées "
              "ée és é er ent ait ez es e s x",
        "es": "aciones ación amientos amiento imientos imiento adores ador idades idad mente iendo ando aron ieron ados idos "
              "adas idas ado ido ada ida aba ar er ir an en as os es a o e s",
        "pt": "ações ação amentos amento imentos imento adores ador idades idade mente indo endo ando aram eram ados idos "
              "adas idas ado ido ada ida ava ar er ir am em as os es a o e s",
        "it": "azioni azione amenti amento imenti imento atori atore mente ando endo arono ati iti ate ite ato ito ata ita "
              "ava are ere ire ano ono i e a o",
        "nl": "ingen heden ing heid lijk eren en er es te de t e s",
        "ru": "иями ями ами ение ения ений ость ости ован ировать овать ить ать еть ого его ому ему ыми ими ает ует или али "
              "ый ий ой ая яя ое ее ые ие ов ев ей ам ям ах ях ом ем ть ла ли ет ит ут ют а я ы и о е у ю ь й",
        "pl": "owania owanie ościach ości ość ować ania anie enia enie ami ach ego emu ych ymi ów om em ie ej ą ę y i a e o u",
    }.items()
}  # fmt: skip


def stem_in(language: str, word: str) -> str:
    """Takes the longest inflection off a word (lower case, accents kept) of German, French, Spanish, Portuguese, Italian, Dutch,
    Russian or Polish ("de", "fr", …); what is left has at least three letters, four for a single letter taken off.
    """
    for ending in _ENDINGS[language]:
        if word.endswith(ending) and len(word) - len(ending) >= (4 if len(ending) == 1 else 3):
            return word[: -len(ending)]
    return word


FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "en": wordset("the of and to in is that it for was on are with as at be this have from or by not but what which when how does "
                  "we our you"),
    "de": wordset("der die das und ist nicht ein eine einen mit für auf den dem des von zu im wir wie wird werden bei auch sich "
                  "was wann warum welche welcher oder noch nur darf muss beim zum zur als aus jetzt ich"),
    "fr": wordset("le la les des est une un du et dans pour que qui sur pas avec au aux ce cette nous on sont plus par quel "
                  "quelle quels quelles comment combien pourquoi où ne se son sa il elle"),
    "es": wordset("el la los las de que en y un una es por con para del se no al lo como más pero sus cómo qué cuál cuándo dónde "
                  "está son ahora hay nos fue"),
    "pt": wordset("o a os as de que em e um uma é por com para do da dos das não no na se como mais mas são está foi qual quando "
                  "onde agora nós ao"),
    "it": wordset("il lo la gli le di che in e un una è per con del della dei non si come più ma sono ora quale quando dove nel "
                  "al ai da viene"),
    "nl": wordset("de het een en van is niet in op te dat voor met zijn die er aan om hoe wat welke wordt we nu bij ook maar"),
    "ru": wordset("и в не на что с по как это для из к у мы от так но за же был она он теперь где когда какой какая какие после"),
    "pl": wordset("i w nie na się z do jest to że o jak po co dla od czy przez są już tylko teraz gdzie kiedy jaki jaka jakie"),
}  # fmt: skip
"""The commonest words of each language: they tell it, and say nothing."""

SPOKEN_IN: dict[str, tuple[str, ...]] = {}
"""By function word, the languages it belongs to."""
for _language, _words in FUNCTION_WORDS.items():
    for _word in _words:
        SPOKEN_IN[_word] = (*SPOKEN_IN.get(_word, ()), _language)


def language_of(words: list[str]) -> str:
    """The language whose function words a text uses most, by two to one over English; "" where none stands out.

    `words`: the first hundred or so of the text, lower case.
    """
    counts: dict[str, int] = {}
    for word in filter(SPOKEN_IN.__contains__, words):
        for language in SPOKEN_IN[word]:
            counts[language] = counts.get(language, 0) + 1
    english = counts.pop("en", 0)
    if not counts:
        return ""
    best = max(sorted(counts), key=counts.__getitem__)
    return best if counts[best] >= 2 and counts[best] >= 2 * english else ""
