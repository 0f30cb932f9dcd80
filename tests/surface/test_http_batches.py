"""Many runs or notes in one request: an answer for each, JSON arrays and JSON lines, and the index that follows behind."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from diarist.app.batches import MOST_AT_ONCE
from hubs import Asker, make_key, open_hub

JSON, LINES = {"content-type": "application/json"}, {"content-type": "application/x-ndjson"}


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Asker]:
    with open_hub(tmp_path) as hub:
        yield Asker(hub)


def run(number: int, **more: Any) -> dict[str, Any]:
    text = f"User: mend part {number}\n$ make part-{number}\nerror: no rule for {number}\n$ make part-{number}\nok"
    return {"task_id": f"T-{number}", "transcript": text, "agent": "host", **more}


@pytest.mark.parametrize("lines", [False, True], ids=["array", "lines"])
def test_runs_are_handed_in_together_and_found_by_the_next_search(ask: Asker, lines: bool) -> None:
    runs = [run(number) for number in range(20)]
    body = "\n".join(map(json.dumps, runs)) + "\n" if lines else json.dumps(runs)
    answer = ask("POST", "/v1/entries/batch", content=body.encode(), headers=LINES if lines else JSON).json()
    assert (answer["added"], answer["refused"], len(answer["items"])) == (20, 0, 20)
    found = ask("GET", "/v1/kb/search", params={"q": "no rule for 13"}).json()["results"]
    assert found[0]["id"] == answer["items"][13]["id"]
    assert ask("GET", "/v1/entries/T-13").json()["id"] == answer["items"][13]["id"]


@pytest.mark.parametrize("lines", [False, True], ids=["array", "lines"])
def test_a_bad_item_is_told_in_its_place_and_nothing_else_is_lost(ask: Asker, lines: bool) -> None:
    items = [run(1), {"task_id": "T-2"}, run(3, transcript=" "), run(4, colour="red"), 5, run(6), run(7, host={"route": [1]})]
    spelled = [json.dumps(item) for item in items]
    if lines:
        spelled.insert(5, "{torn")
    body = "\n".join(spelled) if lines else f"[{', '.join(spelled)}]"
    answer = ask("POST", "/v1/entries/batch", content=body.encode(), headers=LINES if lines else JSON)
    assert answer.status_code == 200
    told = answer.json()
    assert [not item["problem"] for item in told["items"]] == [True, False, False, False, False, *([False] if lines else []), True, False]
    assert (told["added"], told["refused"]) == (2, len(spelled) - 2)
    assert {each["task_id"] for each in ask("GET", "/v1/records", params={"kind": "entry"}).json()["items"]} == {"T-1", "T-6"}


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b"{}", JSON, 422),
        (b"[1,", JSON, 400),
        (b"[" * 100_000 + b"]" * 100_000, JSON, 422),
        (b'[{"host": {"route": ' + b"[" * 2000 + b"]" * 2000 + b"}}]", JSON, 422),
        (b"[]", {"content-type": "text/plain"}, 415),
        (b"[" + b",".join([b"1"] * (MOST_AT_ONCE + 1)) + b"]", JSON, 422),
    ],
)
def test_a_body_that_is_no_list_is_refused_as_a_whole(ask: Asker, content: bytes, headers: dict[str, str], status: int) -> None:
    assert ask("POST", "/v1/entries/batch", content=content, headers=headers).status_code == status


def test_notes_are_added_together(ask: Asker) -> None:
    notes = [{"title": f"Note {number}", "body": f"Rope {number} is wet.", "tags": ["rope"]} for number in range(3)]
    answer = ask("POST", "/v1/notes/batch", json=[*notes, {"title": "no body"}]).json()
    assert [bool(item["id"]) for item in answer["items"]] == [True, True, True, False]
    assert ask("GET", f"/v1/kb/docs/{answer['items'][1]['id']}").json()["title"] == "Note 1"


def test_a_batch_under_a_key_is_written_once(ask: Asker) -> None:
    headers = {"idempotency-key": "batch-1"}
    first = ask("POST", "/v1/entries/batch", json=[run(1), run(2)], headers=headers)
    again = ask("POST", "/v1/entries/batch", json=[run(1), run(2)], headers=headers)
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
    assert ask("GET", "/v1/kb/docs/T-1/history").json()["changes"][-1]["revision"] == 1


def test_a_key_of_one_project_puts_a_batch_there(tmp_path: Path) -> None:
    key = make_key(tmp_path, role="write", project="shop")
    with open_hub(tmp_path) as hub:
        told = Asker(hub)("POST", "/v1/entries/batch", json=[run(1, project="bank"), run(2)], headers={"x-api-key": key})
        assert told.json()["added"] == 2
        listed = Asker(hub)("GET", "/v1/records", params={"kind": "entry"}, headers={"x-api-key": key}).json()["items"]
        assert {each["project"] for each in listed} == {"shop"}


def test_the_index_follows_by_itself(ask: Asker) -> None:
    ask("POST", "/v1/entries/batch", json=[run(number) for number in range(5)])
    end = time.monotonic() + 60
    while not re.search(r"^diarist_index_behind 0$", ask("GET", "/metrics").text, re.MULTILINE):
        assert time.monotonic() < end, "nobody brought the index up to date"
        time.sleep(0.1)
    assert re.search(r"^diarist_records [1-9]", ask("GET", "/metrics").text, re.MULTILINE)


def test_runs_that_come_one_by_one_at_the_same_time_are_all_kept_and_answered_for(ask: Asker) -> None:
    def hand_in(number: int) -> Any:
        return ask("POST", "/v1/entries", json=run(number, transcript=" ") if number % 5 == 0 else run(number))

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(hand_in, range(20)))
    assert [answer.status_code for answer in answers] == [422 if number % 5 == 0 else 201 for number in range(20)]
    ids = [answer.json()["id"] for answer in answers if answer.status_code == 201]
    assert len(set(ids)) == 16
    kept, told = ask("GET", "/v1/entries/T-7").json(), answers[7].json()
    assert (kept["id"], kept["outcome"]) == (told["id"], told["outcome"])
