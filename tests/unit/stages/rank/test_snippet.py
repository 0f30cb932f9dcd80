"""The piece of a text that answers best."""

from __future__ import annotations

from diarist.stages.rank.snippet import excerpt, highlight, snippet
from diarist.text.analyse import analyse

TEXT = "The basket is large. Prices are cached in Redis for 60 seconds. Nobody knows why. The end."


def find(query: str, limit: int = 240, text: str = TEXT) -> str:
    return snippet(text, analyse(query), lambda _: 1.0, limit)


def test_the_sentence_that_holds_most_of_the_words_with_what_follows() -> None:
    assert find("price cache", limit=62) == "Prices are cached in Redis for 60 seconds. Nobody knows why."


def test_cut_where_it_is_too_long() -> None:
    assert len(find("redis", limit=20)) <= 20


def test_nothing_where_no_word_stands() -> None:
    assert find("elephant") == ""
    assert find("x", text="") == ""


def test_words_of_scripts_without_spaces_are_found() -> None:
    assert find("缓存", text="价格。数据缓存一分钟。结束。") == "数据缓存一分钟。 结束。"


def test_highlights_cover_the_matched_words() -> None:
    assert [TEXT[start:end] for start, end in highlight(TEXT, analyse("cache price"))] == ["Prices", "cached"]


def test_of_a_run_without_spaces_only_what_matched_is_highlighted() -> None:
    text = "データベースの価格は一分間キャッシュされる"
    assert [text[start:end] for start, end in highlight(text, analyse("価格 キャッシュ"))] == ["価格", "キャッシュ"]
    assert [start for start, _ in highlight("Größe der Datei", analyse("größe"))] == [0]


def test_an_excerpt_is_of_the_first_text_that_holds_a_word_else_how_the_first_begins() -> None:
    texts = ("", "Nothing of the kind stands here. Or here.", "E: the port is taken")
    assert excerpt(texts, ["port"], lambda _: 1.0) == "E: the port is taken"
    assert excerpt(texts, ["absent"], lambda _: 1.0).startswith("Nothing of the kind")
    assert excerpt(("", " "), ["absent"], lambda _: 1.0) == ""
