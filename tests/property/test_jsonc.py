"""Settings files with comments: an insertion adds exactly what was asked for and leaves every byte that was there."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from diarist.text.jsonc import insert, parse, remove, walk

KEYS = st.sampled_from(["hooks", "Stop", "mcpServers", "a b", "é", 'q"uote', ""])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.sampled_from(["x", "// no comment", "/* nor this */", "a,b", "tab\there"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
BLANKS = st.sampled_from(["", "", " ", "\n", "\n    ", "\t", " // note\n", "/* c, } ] */", "\n// a\n// b\n  ", "\r\n  "])


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """An object written with blanks, comments and trailing commas wherever they may stand."""
    value = draw(st.dictionaries(KEYS, VALUES, max_size=4))
    return draw(BLANKS) + _written(draw, value) + draw(BLANKS), value


def _written(draw: st.DrawFn, value: Any) -> str:
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}{draw(BLANKS)}:{draw(BLANKS)}{_written(draw, item)}" for key, item in value.items()]
    elif isinstance(value, list):
        parts = [_written(draw, item) for item in value]
    else:
        return json.dumps(value)
    body = ",".join(f"{draw(BLANKS)}{part}{draw(BLANKS)}" for part in parts)
    if parts and draw(st.sampled_from([True, False])):
        body += "," + draw(BLANKS)
    opened, closed = ("{", "}") if isinstance(value, dict) else ("[", "]")
    return opened + (body or draw(BLANKS)) + closed


@settings(max_examples=60)
@given(documents())
def test_a_document_with_comments_reads_as_its_value(document: tuple[str, dict[str, Any]]) -> None:
    text, value = document
    assert parse(text).plain() == value


@settings(max_examples=60)
@given(documents(), VALUES)
def test_a_new_member_is_added_and_nothing_else_changes(document: tuple[str, dict[str, Any]], added: Any) -> None:
    text, value = document
    made = insert(text, ["added by us", "inner"], added, append=False)
    assert parse(made).plain() == {**value, "added by us": {"inner": added}}
    assert _is_subsequence(text, made)


@settings(max_examples=60)
@given(documents(), VALUES, KEYS)
def test_an_item_is_appended_to_a_list_wherever_it_lies(document: tuple[str, dict[str, Any]], added: Any, key: str) -> None:
    text, value = document
    if key in value and not isinstance(value[key], list):
        return
    made = insert(text, [key], added, append=True)
    assert parse(made).plain() == {**value, key: [*value.get(key, []), added]}
    assert _is_subsequence(text, made)


@settings(max_examples=60)
@given(documents())
def test_any_part_can_be_removed(document: tuple[str, dict[str, Any]]) -> None:
    text, _ = document
    for path, _node in walk(parse(text)):
        if path:
            expected = parse(text).plain()
            _delete(expected, list(path))
            assert parse(remove(text, path)).plain() == expected


@settings(max_examples=60)
@given(documents())
def test_comments_survive_an_insertion(document: tuple[str, dict[str, Any]]) -> None:
    text, _ = document
    comments = re.findall(r"// note|/\* c, } \] \*/|// a\n// b", text)
    made = insert(text, ["added by us"], 1, append=False)
    assert re.findall(r"// note|/\* c, } \] \*/|// a\n// b", made) == comments


def _is_subsequence(short: str, long: str) -> bool:
    rest = iter(long)
    return all(char in rest for char in short)


def _delete(value: Any, path: list[Any]) -> None:
    for step in path[:-1]:
        value = value[step]
    del value[path[-1]]
