"""Text to search terms."""

from __future__ import annotations

import pytest

from diarist.text.analyse import analyse, analyse_joined, fold, language_in
from diarist.text.stem import language_of, stem_english, stem_in


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getUserName", ["getusername", "get", "user", "nam"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("max_retry_count", ["max_retry_count", "max", "retri", "count"]),
        ("src/cart/total.py", ["src/cart/total.py", "src", "cart", "total.py", "total", "py"]),
        (r"C:\work\a.txt", [r"c:\work\a.txt", "c", "work", "a.txt", "a", "txt"]),
        ("Python 3.11.4", ["python", "3.11.4", "3.11"]),
        ("v2.0", ["v2.0", "2.0"]),
        ("E0308 ENOENT 0x80070005", ["e0308", "enoent", "0x80070005"]),
        ("C++ and C#", ["c++", "c", "and", "c#", "c"]),
        ("end-to-end", ["end-to-end", "end", "to"]),
        ("https://api.example.org/v1?x=1", ["http", "api.example.org", "api", "exampl", "org", "v1", "x", "1"]),
        ("Größe café ＡＢＣ", ["gross", "caf", "abc"]),
        ("数据库", ["数据", "据库"]),
        ("库", ["库"]),
        ("在login画面", ["在", "login", "画面"]),
        ("안녕하세요", ["안녕", "녕하", "하세", "세요"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("…!? ", []),
        ("", []),
    ],
)
def test_identifiers_stand_whole_and_in_parts(text: str, terms: list[str]) -> None:
    assert analyse(text) == terms


@pytest.mark.parametrize(
    "forms",
    [
        "cache caches cached caching",
        "migrate migrates migrated migrations migration",
        "policy policies",
        "retry retries retried retrying",
        "run runs running",
        "class classes",
        "install installed installing installation",
    ],
)
def test_english_inflections_come_together(forms: str) -> None:
    assert len({stem_english(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(("one", "other"), [("status", "state"), ("port", "porter"), ("organ", "organism"), ("bus", "bush")])
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert stem_english(one) != stem_english(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Wie werden die Rechnungen für den Kunden erstellt?", "Die Rechnung wird nicht mit dem Kunden erstellt."),
        ("¿Cómo se envían los correos de las reservas?", "El correo de una reserva no se envía con la cola."),
        ("Как настроить серверы для базы данных?", "Это настройка сервера, и она не для базы."),
    ],
)
def test_a_text_in_another_language_is_stemmed_by_its_rules_too(one: str, other: str) -> None:
    assert len(set(analyse(one)) & set(analyse(other))) >= 3


def test_the_language_shows_in_function_words() -> None:
    assert language_of(["wie", "ist", "das", "mit", "der", "datenbank"]) == "de"
    assert language_of(["how", "is", "the", "index", "made"]) == ""
    assert language_of(["select", "drop"]) == ""


def test_what_is_left_of_a_stem_is_never_short() -> None:
    assert stem_in("de", "eier") == "eier"
    assert stem_in("it", "ora") == "ora"


def test_folding_keeps_marks_that_are_letters() -> None:
    assert fold("हिन्दी") == "हिन्दी"
    assert fold("Ünïcödé") == "unicode"


def test_long_runs_are_cut_and_do_no_harm() -> None:
    terms = analyse("x" * 5_000 + " " + "1." * 3_000 + "_")
    assert max(map(len, terms)) <= 64


def test_joined_terms_are_those_of_the_list() -> None:
    for text in ("Die Häuser und der getUserName() in src/app.py, v3.11.4!", "データベース接続 failed - twice", "", " — "):
        assert analyse_joined(text).split() == analyse(text)


def test_what_surrounds_a_word_does_not_change_what_it_gives() -> None:
    for word in ("policies", "src/app.py", "v1.2.3", "C++", "データ", "ERR_CONN"):
        assert analyse(f"({word}), '{word}';\t{word}", "") == 3 * analyse(word, "")


def test_the_language_of_a_text_is_told_by_its_first_words() -> None:
    assert language_in("die Häuser und der Garten sind nicht groß") == "de"
    assert language_in("the house and the garden are not large") == ""
    assert language_in("lint und deploy") == ""
