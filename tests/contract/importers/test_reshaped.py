"""A transcript that was written another way tells the same: other line ends and encodings, in a list, indented, glued, with a torn end."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from contract.importers.passes import TRANSCRIPTS, known_importer, take
from contract.importers.test_formats import EXPECTED, TEXTS
from diarist.importers import find_importer
from diarist.model.session import RawStep

LINES = sorted(name for name in EXPECTED if name.endswith(".jsonl"))
DOCUMENTS = sorted(
    name for name, importer in EXPECTED.items() if name not in LINES and importer not in TEXTS and not name.endswith(".eval")
)


def records(name: str) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    found = []
    for line in (TRANSCRIPTS / name).read_bytes().splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def in_lines(values: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def told(steps: list[RawStep]) -> list[object]:
    """What steps say, without ids that are made of how a file is written."""
    return [(step.kind, step.text, step.tool, step.arguments, step.error, step.exit_code, step.mark, step.at) for step in steps]


SHAPES: dict[str, Callable[[list[dict[str, Any]]], bytes]] = {
    "list": lambda values: json.dumps(values).encode(),
    "indented list": lambda values: json.dumps(values, indent=1).encode(),
    "indented objects": lambda values: "".join(json.dumps(value, indent=2) + "\n" for value in values).encode(),
    "glued": lambda values: "".join(json.dumps(value) for value in values).encode(),
    "CRLF": lambda values: in_lines(values).replace(b"\n", b"\r\n"),
    "byte order mark": lambda values: b"\xef\xbb\xbf" + in_lines(values),
    "UTF-16": lambda values: in_lines(values).decode().encode("utf-16"),
    "blank lines": lambda values: b"\n \n" + in_lines(values).replace(b"\n", b"\n\n"),
    "NUL tail": lambda values: in_lines(values) + bytes(4096),
    "fields sorted": lambda values: "".join(json.dumps(value, sort_keys=True) + "\n" for value in values).encode(),
    "no last line end": lambda values: in_lines(values).rstrip(b"\n"),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", LINES)
def test_records_in_another_shape_tell_the_same(name: str, shape: str) -> None:
    values = records(name)
    data = SHAPES[shape](values)
    assert known_importer(data).name == EXPECTED[name]
    if (EXPECTED[name], shape) == ("openhands", "glued"):
        return  # a row is a run: two glued ones are two
    taken = take(data)
    assert told(taken.steps) == told(take(in_lines(values)).steps)
    assert sum(capture.malformed for capture in taken.captures.values()) == 0


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_with_something_behind_it_is_read_and_that_is_counted(name: str) -> None:
    data = (TRANSCRIPTS / name).read_bytes()
    whole, more = take(data), take(data.rstrip() + b"\n<<< written over an older, longer file")
    assert known_importer(data.rstrip() + b"\nmore").name == EXPECTED[name]
    assert told(more.steps) == told(whole.steps)
    assert sum(each.malformed for each in more.captures.values()) == 1 + sum(each.malformed for each in whole.captures.values())


@pytest.mark.parametrize("name", [*DOCUMENTS, "plain.txt", "specstory.md"])
def test_a_file_that_was_made_longer_than_it_is_tells_the_same(name: str) -> None:
    data = (TRANSCRIPTS / name).read_bytes()
    longer = data + bytes(5000)
    assert known_importer(longer).name == EXPECTED[name]
    assert told(take(longer).steps) == told(take(data).steps)


def test_an_indented_record_that_is_not_whole_yet_is_left_for_later() -> None:
    data = SHAPES["indented objects"](records("pi.jsonl"))
    torn = take(data[:-40])
    assert sum(capture.skipped.get("unfinished", 0) for capture in torn.captures.values()) == 1
    assert told(torn.steps) == told(take(data).steps)[: len(torn.steps)]


@pytest.mark.parametrize("text", ["[1] the first note\n[2] the second\n", "[]\n", "{}\n{}\n", "[[1]]", '{"a": 1}\n', "{\n"])
def test_text_that_only_begins_like_json_is_no_transcript_of_an_agent(text: str) -> None:
    found = find_importer(text.encode(), None)
    assert found is None or found.name in ("plain", "messages")


def test_a_line_that_is_a_list_among_records_is_still_counted() -> None:
    values = records("pi.jsonl")
    taken = take(b"[]\n" + in_lines(values), "pi")
    assert told(taken.steps) == told(take(in_lines(values)).steps)
    assert taken.capture.malformed == 1
    assert take(json.dumps(["a note", *values]).encode(), "pi").capture.malformed == 1
