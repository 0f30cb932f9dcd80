"""Steps, facts about sessions and JSON values: every string is redacted, structure and ids stay."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from diarist.model.session import RawStep, SessionInfo
from diarist.stages.redact import default_redactor
from unit.stages.redact.secrets_made import BASE64, Maker

make = Maker(23)
redactor = default_redactor()


def call(**arguments: object) -> RawStep:
    return RawStep(
        kind="call", session=make.uuid(), rid=make.uuid(), tool="Bash", arguments=dict(arguments), call_id="toolu_01" + make.mixed(22)
    )


def test_every_string_of_a_step_is_redacted() -> None:
    token = make.github()
    raw = RawStep(
        kind="call",
        session="s",
        rid=f"rid-{token}",
        text=f"use {token}",
        tool=f"tool {token}",
        arguments={f"arg {token}": {"list": [token, {"deep": f"x {token}"}]}},
        call_id=f"call {token}",
        actor=f"agent {token}",
    )
    step, masked = redactor.step(raw, limit=1000)
    assert token not in repr(step)
    assert masked == 8
    assert step.arguments == {"arg [REDACTED:github-token]": {"list": ["[REDACTED:github-token]", {"deep": "x [REDACTED:github-token]"}]}}


def test_ids_times_flags_and_numbers_stay() -> None:
    at = datetime(2026, 1, 5, tzinfo=UTC)
    raw = RawStep(
        kind="result",
        session="s",
        rid=make.uuid(),
        text="ok",
        at=at,
        call_id="call_" + make.mixed(24),
        error=False,
        exit_code=0,
        mark="",
        line=7,
    )
    step, masked = redactor.step(raw, limit=1000)
    assert (step.rid, step.call_id, step.at, step.error, step.exit_code, step.kind) == (raw.rid, raw.call_id, at, False, 0, "result")
    assert masked == 0


@pytest.mark.parametrize("name", ["password", "apiKey", "client_secret", "DB_PASSWORD", "accessToken"])
def test_a_value_under_a_key_that_names_a_secret_is_masked_whole(name: str) -> None:
    password = make.mixed(16)
    step, masked = redactor.step(call(**{name: password, "host": "db.internal"}), limit=1000)
    assert step.arguments is not None
    assert step.arguments["host"] == "db.internal"
    assert step.arguments[name].startswith("[REDACTED:")
    assert masked == 1


def test_numbers_lists_and_name_value_pairs_under_such_keys_are_masked() -> None:
    password = make.mixed(12)
    value = {"pin": 4711, "passwords": [password], "env": [{"name": "API_TOKEN", "value": password}, {"name": "MODE", "value": "fast"}]}
    safe = redactor.json(value)
    assert password not in json.dumps(safe)
    assert safe["pin"] == "[REDACTED:pin]"
    assert safe["env"][1] == {"name": "MODE", "value": "fast"}


def test_counts_and_names_under_similar_keys_stay() -> None:
    value = {
        "max_tokens": 4096,
        "token_count": 12,
        "secretName": "db-credentials",
        "password": None,
        "tokenType": "bearer",
        "keys": ["a", "b"],
    }
    assert redactor.json(value) == value


def test_long_texts_keep_head_and_tail_and_count_what_was_cut() -> None:
    raw = RawStep(kind="result", session="s", rid="r", text="head " + "middle words " * 1000 + " tail")
    step, _ = redactor.step(raw, limit=400)
    assert step.text.startswith("head ")
    assert step.text.endswith(" tail")
    assert step.clipped == len(raw.text) - 400
    assert f"[… {step.clipped} characters cut …]" in step.text


def test_a_text_that_was_cut_before_stays_as_it_is_and_is_still_counted() -> None:
    """A session that was written out comes in again as the same one."""
    first, _ = redactor.step(RawStep(kind="result", session="s", rid="r", text="head " + "middle words " * 1000 + " tail"), limit=400)
    again, _ = redactor.step(RawStep(kind="result", session="s", rid="r", text=first.text), limit=400)
    assert again == first
    long = RawStep(kind="result", session="s", rid="r", text=first.text + "more words " * 100)
    assert len(redactor.step(long, limit=400)[0].text) < 500


def test_a_secret_at_the_cut_is_redacted_before_it_is_cut() -> None:
    token = make.github()
    for shift in range(0, 60, 7):
        raw = RawStep(kind="result", session="s", rid="r", text="x " * 90 + "y" * shift + " " + token + " z" * 400)
        step, masked = redactor.step(raw, limit=400)
        assert masked == 1
        assert not any(token[at : at + 12] in step.text for at in range(len(token) - 12))
        assert "[REDACTED:github-token]" in step.text or "[REDACT" not in step.text


def test_long_arguments_are_clipped_too() -> None:
    step, _ = redactor.step(call(content="line of text\n" * 1000, path="a.txt"), limit=300)
    assert step.arguments is not None
    assert len(step.arguments["content"]) < 400
    assert step.arguments["path"] == "a.txt"
    assert step.clipped == 13000 - 300


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("before data:image/png;base64,{blob} after", "before [image] after"),
        ("before iVBORw0KGgo{blob} after", "before [image] after"),
        ("data:application/pdf;base64,{blob}", "[binary 1500 bytes]"),
        ("blob {blob}== end", "blob [binary 1500 bytes] end"),
    ],
)
def test_images_and_blobs_are_dropped_and_not_counted(text: str, left: str) -> None:
    blob = make.mixed(2000, BASE64)
    step, masked = redactor.step(RawStep(kind="result", session="s", rid="r", text=text.format(blob=blob)), limit=10_000)
    assert step.text == left
    assert masked == 0


def test_long_words_that_are_no_base64_stay() -> None:
    for text in ("a" * 3000, "0123456789abcdef" * 200, "x" * 300 + " " + "function(){return a+b}" * 100):
        assert redactor.step(RawStep(kind="result", session="s", rid="r", text=text), limit=10_000)[0].text == text


def test_facts_about_a_session_are_redacted() -> None:
    token = make.github()
    info = SessionInfo(
        session=make.uuid(), agent="codex", format="codex/bare", cwd=f"/work/{token}", title=f"fix {token}", models=("m", f"m-{token}")
    )
    safe = redactor.info(info)
    assert token not in repr(safe)
    assert (safe.session, safe.agent, safe.format, safe.models[0]) == (info.session, "codex", "codex/bare", "m")


def test_a_value_too_deep_to_walk_is_dropped_not_kept() -> None:
    from diarist.errors import RedactionError

    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RedactionError):
        redactor.json(deep)
