"""What the person refused or corrected is told, in any language."""

from __future__ import annotations

from typing import Any

import pytest

from diarist.stages.distil.corrections import is_assent, is_correction
from diarist.stages.distil.ledger import Asked


@pytest.mark.parametrize(
    "text",
    [
        "no, leave the migration alone",
        "don't touch the footer",
        "that's wrong, it should stay green",
        "huh, that's what my expectation says. Try again.",
        "the test still fails",
        "Nein, bitte nicht die Datenbank ändern",
        "Mach das rückgängig, stattdessen den Cache leeren",
        "non, pas comme ça",
        "No, eso no es lo que pedí",
        "いや、そのファイルは変更しないで",
        "テストではなく実装を直して",
        "不要改这个文件",
        "这样不行，应该用另一个",
        "нет, не так",
        "아니, 하지 마",
    ],
)
def test_corrections_in_many_languages(text: str) -> None:
    assert is_correction(Asked(5, text))


@pytest.mark.parametrize(
    "text",
    [
        "now add a test for the empty cart",
        "yes",
        "go ahead",
        "ja, weiter",
        "続けて",
        "npm run build --silent",
        "Und jetzt die Doku",
        "次にテストを書いて",
    ],
)
def test_further_requests_are_no_corrections(text: str) -> None:
    assert not is_correction(Asked(5, text))


def test_words_after_an_interruption_correct_whatever_they_are(talk: Any) -> None:
    assert is_correction(Asked(5, "use the other branch", "interrupt"))


@pytest.mark.parametrize("text", ["ok", "Yes!", "danke", "merci", "はい", "好的", "sounds good", "continue"])
def test_assent_says_nothing(text: str) -> None:
    assert is_assent(text)


def test_a_refusal_is_told_with_the_person_s_reason(talk: Any) -> None:
    entry = (
        talk()
        .ask("Restyle the page")
        .say("I will edit the migration `0042.sql` so that the column is wider.")
        .call(
            "Edit", {"file_path": "/work/shop/0042.sql"}, "The user doesn't want to proceed with this tool use.", error=True, mark="refusal"
        )
        .ask("please do not touch the migration")
        .say("Understood.")
        .entry()
    )
    (bullet,) = entry.failed
    assert "0042.sql" in bullet
    assert "do not touch the migration" in bullet
    assert "column is wider" in bullet
    assert entry.evidence["failed"][0].quote == "please do not touch the migration"


def test_many_corrections_share_bullets_and_none_is_lost(talk: Any) -> None:
    session = talk().ask("Restyle").say("ok")
    for number in range(9):
        session.ask(f"no, not color{number}").say("Changed.")
    entry = session.entry()
    told = " ".join(entry.tried)
    assert all(f"color{number}" in told for number in range(9))
    assert len([item for item in entry.evidence["tried"] if "color" in item.quote]) == 9
