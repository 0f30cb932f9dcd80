"""Which later record replaces an earlier one, judged from texts."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

import pytest

from diarist.model.hit import Frequencies, HitRow
from diarist.stages.rank.cues import NEW, OVER, TAKEN, find_cues, says_unchanged
from diarist.stages.rank.standing import Amendment, Found, find_amendments, find_pairs, settle
from diarist.text.analyse import analyse

NOISE = [
    "The nightly report goes to the finance team by mail.",
    "Pictures of the products are scaled to 800 pixels.",
    "The search box suggests the ten most frequent words.",
    "Invoices are numbered without gaps over all shops.",
    "Log files are rotated at midnight and kept for a week.",
    "The mobile app asks for the location only once.",
    "Orders above a thousand euros need a second approval.",
    "Customer names are sorted by the rules of the locale.",
]


def row(name: str, text: str, day: int, project: str = "shop") -> HitRow:
    blank = dict.fromkeys(HitRow._fields, "")
    at = datetime(2026, 1 + day // 28, 1 + day % 28).isoformat() + "Z"  # noqa: DTZ001 - only its text is used
    return HitRow(**{**blank, "seq": day, "id": name, "verified": None, "tags": (), "project": project, "created_at": at, "text": text})  # type: ignore[arg-type]


def replaced(*rows: HitRow) -> list[tuple[str, str]]:
    """(earlier, later) of every amendment among the rows, in a store that holds other records too."""
    texts = [one.text for one in rows] + NOISE * 4
    counts = Counter(term for text in texts for term in set(analyse(text)))
    typical = sum(len(set(analyse(text))) for text in texts) / len(texts)
    return [(one.earlier, one.later) for one in find_amendments(find_pairs(rows), Frequencies(len(texts), dict(counts), typical))]


CASES = {
    "says so": (
        "Session tokens of the basket service live in Memcached for 20 minutes.",
        "Session tokens of the basket service no longer live in Memcached; they are kept in signed cookies.",
    ),
    "goes back": (
        "The basket importer was moved from Celery to a cron job.",
        "We went back to Celery for the basket importer, the cron job lost messages.",
    ),
    "a new number": (
        "basket/limits.yml: at most 40 positions in a basket, timeout 900 ms.",
        "basket/limits.yml: at most 120 positions in a basket, timeout 400 ms.",
    ),
    "German": (
        "Der Warenkorb wird mit Redis synchronisiert, alle 30 Sekunden.",
        "Die Regel, dass der Warenkorb alle 30 Sekunden mit Redis synchronisiert wird, ist hinfällig; jetzt läuft das über Ereignisse.",
    ),
    "Japanese": ("買い物かごの同期はレディスで行います。", "買い物かごの同期はレディスをやめました。今後はイベントで行います。"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_change_of_the_same_thing_is_an_amendment(name: str) -> None:
    earlier, later = CASES[name]
    assert replaced(row("old", earlier, 1), row("new", later, 30)) == [("old", "new")]


@pytest.mark.parametrize("name", CASES)
def test_never_an_earlier_one_nor_one_of_another_project(name: str) -> None:
    earlier, later = CASES[name]
    assert ("old", "new") not in replaced(row("old", earlier, 30), row("new", later, 1))
    assert replaced(row("old", earlier, 1), row("new", later, 1)) == []
    assert replaced(row("old", earlier, 1), row("new", later, 30, project="other")) == []


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("adapters/basket.toml: timeout 12 s, one retry.", "adapters/voucher.toml: timeout 25 s, no retry any more."),
        ("The basket keeps its positions in Redis.", "The basket shows the positions sorted by price."),
        (NOISE[0], "Log files are no longer rotated at midnight."),
        ("The basket service runs with two replicas. Tests are green.", "The voucher service writes audit lines. Tests are green."),
    ],
)
def test_what_is_about_something_else_replaces_nothing(earlier: str, later: str) -> None:
    assert replaced(row("one", earlier, 1), row("other", later, 30)) == []


def test_only_the_closest_of_several_earlier_records_is_replaced() -> None:
    later = "The basket importer no longer uses Celery; a cron job starts the importer every hour."
    rows = [
        row("right", "The basket importer uses Celery, with one worker for the importer queue.", 1),
        row("near", "Celery is monitored by the on-call team.", 2),
        row("new", later, 30),
    ]
    assert replaced(*rows) == [("right", "new")]


def test_long_unrelated_texts_of_one_project_replace_nothing() -> None:
    long = [" ".join(NOISE[at % 8 :] + NOISE[: at % 8]) + f" It is no longer as it was in case {at}." for at in range(6)]
    assert replaced(*(row(f"r{at}", text, at) for at, text in enumerate(long))) == []


@pytest.mark.parametrize(
    ("sentence", "strength"),
    [
        ("That rule no longer holds.", OVER),
        ("We rolled the cache back to memory.", OVER),
        ("Forget the earlier note about the cache.", OVER),
        ("Das gilt nicht mehr.", OVER),
        ("On abandonne le cache.", OVER),
        ("La cola ya no se usa.", OVER),
        ("Кэш больше не нужен.", OVER),
        ("缓存不再使用", OVER),
        ("캐시는 더 이상 쓰지 않습니다", OVER),
        ("The limit was cut to 30.", TAKEN),
        ("The flag was removed.", TAKEN),
        ("改为每小时一次", TAKEN),
        ("There is a new page.", NEW),
    ],
)
def test_cues(sentence: str, strength: int) -> None:
    assert [cue.strength for cue in find_cues(sentence)] == [strength]


@pytest.mark.parametrize(
    "sentence", ["No further change was needed.", "Nothing else was touched.", "Sonst wurde nichts geändert.", "其他没有动"]
)
def test_what_stays_is_no_change(sentence: str) -> None:
    assert says_unchanged(sentence)
    assert list(find_cues(sentence)) == []


def test_the_newest_standing_record_comes_first_and_the_others_are_marked() -> None:
    rows = [row("a", "x", 1), row("b", "x", 2), row("c", "x", 3), row("d", "x", 4)]
    found = [Found(one, score) for one, score in zip(rows, (9.0, 5.0, 1.0, 7.0), strict=True)]
    judged = find_amendments(find_pairs([]), Frequencies(0, {}))
    assert judged == []
    chain = [Amendment("a", "b", None), Amendment("b", "c", None)]  # type: ignore[arg-type]
    settled = settle(found, chain)
    assert [one.row.id for one in settled] == ["c", "a", "d", "b"]
    assert {one.row.id: one.superseded_by and one.superseded_by.id for one in settled} == {"a": "c", "b": "c", "c": None, "d": None}


def test_equal_scores_come_newest_first_then_by_id() -> None:
    found = [Found(row(name, "x", day), 1.0) for name, day in (("b", 2), ("a", 2), ("c", 9))]
    assert [one.row.id for one in settle(found, [])] == ["c", "a", "b"]
