"""A file that has grown is read on from where the last pass ended, and gives what one pass over the whole gives."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.importers.passes import TRANSCRIPTS, known_importer, lines, take, take_in_pieces
from diarist.importers import get_importer

GROWING = sorted(path.name for path in TRANSCRIPTS.iterdir() if path.suffix == ".jsonl" and path.name != "gemini-chat.jsonl")
UNUSABLE: tuple[object, ...] = (None, [], {}, "x", [[["x"]]])
ODD_LINES = (
    b"\n",
    b"   \n",
    b"[1, 2]\n",
    b'"text"\n',
    b"    at Object.run (node:internal/main:1:1)\n",
    b'{"type": "made-up"}\n',
    b'{"type": "assistant", "message": {"role": "assistant", "content": "x"}} {"role": "user", "content": "y"}\n',
    b'{"broken": \n',
    b"\x00\x00\x00\n",
    b'{"role": "user", "content": "\xff\xfe"}\n',
    b'{"role": "user", "content": "\\ud800"}\n',
    b'{"at": NaN}\n',
)


def grown(data: bytes, odd: list[int]) -> bytes:
    """The transcript with lines between its own that do not belong there."""
    pieces = data.splitlines(keepends=True)
    for place in odd:
        pieces.insert(place % (len(pieces) + 1), ODD_LINES[place % len(ODD_LINES)])
    return b"".join(pieces)


@pytest.mark.parametrize("name", GROWING)
@settings(deadline=None, max_examples=25)
@given(cuts=st.lists(st.integers(0, 12_000), max_size=4), odd=st.lists(st.integers(0, 200), max_size=4), end=st.sampled_from([b"", b"\n"]))
def test_reading_in_pieces_gives_what_one_pass_gives(name: str, cuts: list[int], odd: list[int], end: bytes) -> None:
    data = grown((TRANSCRIPTS / name).read_bytes(), odd).rstrip(b"\n") + end
    importer = known_importer((TRANSCRIPTS / name).read_bytes()).name
    whole = take(data, importer)
    pieces = take_in_pieces(data, [cut % (len(data) + 1) for cut in cuts], importer)
    assert pieces.steps == whole.steps
    assert pieces.sessions == whole.sessions
    assert pieces.captures == whole.captures


@pytest.mark.parametrize("name", GROWING)
def test_a_checkpoint_holds_no_text_of_the_transcript(name: str) -> None:
    data = (TRANSCRIPTS / name).read_bytes()
    importer = known_importer(data)
    reading = importer.read(io.BytesIO(data), None)
    texts = {part for step in reading for part in step.text.split("\n") if len(part) > 12}
    assert reading.offset == len(data)
    assert texts
    assert not any(part.encode() in reading.state for part in texts)


@pytest.mark.parametrize("name", GROWING)
def test_nothing_new_gives_no_steps_and_the_same_facts(name: str) -> None:
    data = (TRANSCRIPTS / name).read_bytes()
    importer = known_importer(data)
    first = importer.read(io.BytesIO(data), None)
    assert list(first)
    stream = io.BytesIO(data)
    stream.seek(first.offset)
    again = importer.read(stream, None, first.state)
    assert list(again) == []
    assert dict(again.sessions) == dict(first.sessions)
    assert dict(again.captures) == dict(first.captures)
    assert (again.offset, again.state) == (first.offset, first.state)


@pytest.mark.parametrize("state", [b"\x01", b"\xc1\xff", msgspec.msgpack.encode({"v": 99}), msgspec.msgpack.encode([1, 2])])
@pytest.mark.parametrize("name", GROWING)
def test_a_checkpoint_that_cannot_be_used_leads_to_one_whole_pass(name: str, state: bytes) -> None:
    data = (TRANSCRIPTS / name).read_bytes()
    importer = known_importer(data)
    stream = io.BytesIO(data)
    stream.seek(len(data) // 2)
    reading = importer.read(stream, None, state)
    assert list(reading) == take(data).steps
    assert dict(reading.captures) == take(data).captures


def test_a_damaged_checkpoint_leads_to_one_whole_pass() -> None:
    data = (TRANSCRIPTS / "claude-code.jsonl").read_bytes()
    importer = get_importer("claude-code")
    assert importer is not None
    reading = importer.read(io.BytesIO(data), None)
    assert list(reading)
    held = msgspec.msgpack.decode(reading.state)
    for name in held:
        for wrong in UNUSABLE:
            stream = io.BytesIO(data)
            stream.seek(reading.offset)
            again = importer.read(stream, None, msgspec.msgpack.encode({**held, name: wrong}))
            list(again)
            assert set(again.sessions) == set(again.captures)


def test_an_unfinished_last_line_waits_for_the_rest_of_it(tmp_path: Path) -> None:
    data = lines({"role": "user", "content": "Fix the label."}, {"role": "assistant", "content": "It is fixed now."})
    torn = take(data[:-6], "messages")
    assert torn.texts("reply") == []
    assert torn.capture.skipped == {"unfinished": 1}
    assert torn.capture.seen == 2
    whole = take_in_pieces(data, [len(data) - 6], "messages")
    assert whole.texts("reply") == ["It is fixed now."]
    assert whole.capture.skipped == {}


def test_a_whole_object_without_a_line_end_is_taken_at_once() -> None:
    data = lines({"role": "user", "content": "Fix the label."}, {"role": "assistant", "content": "It is fixed now."}).rstrip()
    assert take(data, "messages").texts("reply") == ["It is fixed now."]
    assert take_in_pieces(data, [len(data)], "messages") == take(data, "messages")


def test_a_session_without_an_id_keeps_its_name_while_it_grows() -> None:
    first = lines({"role": "user", "content": "Fix the label."}, {"role": "assistant", "content": "It is fixed now."})
    more = first + lines({"role": "user", "content": "And the stamp."}, {"role": "assistant", "content": "Fixed as well."})
    assert list(take(first, "messages").sessions) == list(take(more, "messages").sessions)


def test_sessions_that_begin_with_the_same_words_are_told_apart() -> None:
    begun = lines({"role": "user", "content": "Fix the label."})
    one = begun + lines({"role": "assistant", "content": "It is fixed now."})
    other = begun + lines({"role": "assistant", "content": "Which label?"})
    assert set(take(one, "messages").sessions).isdisjoint(take(other, "messages").sessions)
