"""What is said of a file that nobody knows: its records by name, its shape, and none of its words."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from diarist.text.records import outline, outlines, record_types

LINES = [{"type": "response_item", "payload": {"type": "message"}}, {"type": "turn"}, {"type": "turn"}, {"x": 1}]


def test_lines_are_counted_by_what_they_call_themselves() -> None:
    data = [json.dumps(line).encode() + b"\n" for line in LINES]
    assert record_types(data) == {"turn": 2, "response_item/message": 1, "other": 1}
    assert record_types([*data, b"Error: socket hang up\n", b"[1]\n"]) == {
        "turn": 2,
        "response_item/message": 1,
        "other": 2,
        "not JSON": 1,
    }


def test_the_lists_of_a_document_are_counted_where_they_stand() -> None:
    document = {
        "info": {"id": 1},
        "messages": [{"role": "user"}, {"role": "assistant"}, {"role": "user"}],
        "runs": [{"steps": [{"kind": "a"}]}],
    }
    expected = {"messages: user": 2, "messages: assistant": 1, "runs: other": 1, "runs.steps: a": 1}
    for text in (json.dumps(document), json.dumps(document, indent=1)):
        assert record_types(text.encode().splitlines(keepends=True)) == expected
    assert record_types([b"# A page\n", b"with words\n"]) == {}
    assert record_types([]) == {}


@given(
    st.dictionaries(
        st.sampled_from(["text", "body", "n", "list"]), st.text(min_size=5) | st.lists(st.text(min_size=5)) | st.integers(10**6)
    )
)
def test_an_outline_holds_no_word_and_no_number(value: dict[str, object]) -> None:
    shown = json.dumps(outline(value))
    for held in value.values():
        for each in held if isinstance(held, list) else [held]:
            assert json.dumps(each) not in shown


def test_the_first_records_of_a_file_are_outlined() -> None:
    assert outlines(b'{"type":"say","text":"the weight"}\n{"a":1}\n') == [
        '{"type": "say", "text": "<text, 10>"}',
        '{"a": "<number>"}',
    ]
    assert outlines(b"words only\n") == []
    assert outlines(json.dumps({"a": [1, 2, 3]}, indent=2).encode()) == ['{"a": ["<number>", "<number>", "… 1 more"]}']
