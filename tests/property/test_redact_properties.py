"""Redaction as properties: the same in pieces, stable, the same with each prefilter, and no planted secret survives anywhere."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diarist.model.session import RawStep
from diarist.stages.redact import Redactor, RedactStream, segments
from unit.stages.redact import transcript_cases
from unit.stages.redact.harmless_cases import HARMLESS
from unit.stages.redact.secrets_made import Maker

seeds = st.integers(0, 2**32)
plain = Redactor(prefilter="plain")
PIECES = [
    *("password=", "token: ", "is ", "name", "value", "API_KEY ", "curl -u ", "machine a login b password ", "Cookie: sid=", "密码："),
    *("\n", " ", '"', "'", "\\n", "\\", "=", ":", "|", "{", "}", ",", "- ", "…", "é", "\ud800", "\0", "%3D", "\x1b[31m"),
    *("ghp" + "_", "sk-", "eyJ", "://u:", "@h", "-----BEGIN PRIVATE" + " KEY-----", "A1b2C3d4E5f6", "cGFzc3dvcmQ9"),
    *("0123456789abcdef", "hunter2", "[REDACTED:password]", "<private>", "</private>"),
]
soup = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


def told(seed: int) -> str:
    """A text like a transcript, a few hundred characters to some thousand, secrets and harmless lines mixed."""
    make = Maker(seed)
    texts: list[str] = []
    for _ in range(make.random.randint(1, 8)):
        positive = make.random.choice(list(transcript_cases.POSITIVE.values()))
        texts.append(make.random.choice(list(positive(make))).text)
        texts.append(make.random.choice(list(make.random.choice(list(HARMLESS.values()))(make))))
    return "\n".join(texts)


def in_pieces(text: str, cuts: list[int]) -> str:
    stream = RedactStream(plain)
    places = sorted(cut % (len(text) + 1) for cut in cuts)
    pieces = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    return "".join([*(stream.feed(piece) for piece in pieces), stream.finish()])


@settings(max_examples=40, deadline=None)
@given(seeds, st.lists(st.integers(0, 10**6), max_size=12))
def test_pieces_give_what_the_whole_gives(seed: int, cuts: list[int]) -> None:
    text = told(seed)
    assert in_pieces(text, cuts) == plain.redact(text)


@settings(max_examples=60, deadline=None)
@given(soup, st.lists(st.integers(0, 10**6), max_size=6))
def test_pieces_of_anything_give_what_the_whole_gives(text: str, cuts: list[int]) -> None:
    assert in_pieces(text, cuts) == plain.redact(text)


@settings(max_examples=12, deadline=None)
@given(seeds, st.integers(300, 3000), st.lists(st.integers(0, 10**6), max_size=6))
def test_the_same_where_texts_are_cut_into_segments(seed: int, size: int, cuts: list[int]) -> None:
    """With segments of a few hundred characters: pieces agree with the whole, and no secret is cut in two."""
    before = segments.SIZE, segments.AHEAD
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "SIZE", size)
        patch.setattr(segments, "AHEAD", 2000)
        patch.setattr("diarist.stages.redact.redactor.SIZE", size)
        patch.setattr("diarist.stages.redact.redactor.AHEAD", 2000)
        make = Maker(seed)
        tokens = [make.github() for _ in range(20)]
        text = "\n".join(f"{told(seed + at)}\nexport GH_TOKEN={token}" for at, token in enumerate(tokens))
        safe = plain.redact(text)
        assert in_pieces(text, cuts) == safe
        assert not any(token in safe for token in tokens)
    assert before == (segments.SIZE, segments.AHEAD)


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_masking_twice_changes_nothing(seed: int) -> None:
    safe = plain.redact(told(seed))
    assert plain.redact(safe) == safe


@settings(max_examples=150, deadline=None)
@given(soup)
def test_masking_anything_twice_changes_nothing(text: str) -> None:
    safe = plain.redact(text)
    assert plain.redact(safe) == safe


@settings(max_examples=60, deadline=None)
@given(seeds, soup)
def test_both_prefilters_give_the_same(seed: int, text: str) -> None:
    pytest.importorskip("hyperscan")
    text = told(seed) + text
    assert accelerated().find(text) == plain.find(text)


def accelerated(made: list[Redactor] = []) -> Redactor:  # noqa: B006 - one for all examples
    if not made:
        made.append(Redactor(prefilter="hyperscan"))
    return made[0]


@settings(max_examples=80, deadline=None)
@given(seeds, soup)
def test_findings_lie_in_the_text_in_order_and_apart(seed: int, text: str) -> None:
    text = text + told(seed)
    at = 0
    for finding in plain.find(text):
        assert at <= finding.start < finding.end <= len(text)
        at = finding.end


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-1000, 1000), st.text(max_size=20)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(seeds, json_values)
def test_a_secret_planted_anywhere_in_a_step_is_gone(seed: int, value: Any) -> None:
    """In the text, in any string of the arguments however deep, in keys, and in every id."""
    make = Maker(seed)
    secret = make.vendor()
    places = ["text", "rid", "tool", "call_id", "actor", "key", "leaf", "deep", "escaped"]
    place = make.random.choice(places)
    arguments: dict[str, Any] = {"value": value}
    if place == "key":
        arguments[secret] = 1
    elif place == "leaf":
        arguments["command"] = f"run {secret} now"
    elif place == "deep":
        arguments = {"a": [{"b": [arguments, {"c": secret}]}]}
    elif place == "escaped":
        arguments["content"] = json.dumps({"env": json.dumps({"x": secret})})
    told_in = {name: f"a {secret} b" if place == name else "plain" for name in ("text", "rid", "tool", "call_id", "actor")}
    raw = msgspec.structs.replace(RawStep(kind="call", session="s", rid="", arguments=arguments), **told_in)
    step, masked = plain.step(raw, limit=5000)
    assert secret not in repr(step)
    assert masked >= 1
    assert set(step.arguments or {}) == set(arguments) or place == "key"
