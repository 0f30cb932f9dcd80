"""Faults of real files: each is survived, counted, and takes nothing with it."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
import zstandard

from contract.importers.passes import TRANSCRIPTS, Taken, lines, take
from diarist.importers import find_importer
from unit.importers.records import SESSION, Claude, call, text


def read(data: bytes) -> Taken:
    return take(data, "claude-code")


def test_two_objects_on_one_line_are_two_records() -> None:
    claude = Claude()
    one, two = lines(claude.user("One.")), lines(claude.user("Two."))
    for glue in (b"", b" ", b","):
        assert read(one.rstrip() + glue + two).texts("prompt") == ["One.", "Two."]


def test_an_object_cut_off_by_another_is_malformed_and_the_other_is_read() -> None:
    claude = Claude()
    torn = lines(claude.user("One."))[:-20] + b"\n"
    taken = read(torn + lines(claude.user("Two.")))
    assert taken.texts("prompt") == ["Two."]
    assert taken.capture.malformed == 1
    assert taken.capture.problems[0].line == 1


def test_text_between_the_lines_is_malformed_and_never_told() -> None:
    claude = Claude()
    trace = b"Error: boom\n    at Object.run (/home/kim/a.js:1:1)\n"
    taken = read(lines(claude.user("One.")) + trace + lines(claude.user("Two.")))
    assert taken.texts("prompt") == ["One.", "Two."]
    assert taken.capture.malformed == 2
    assert all("boom" not in problem.reason for problem in taken.capture.problems)


def test_lines_that_are_no_objects_are_malformed() -> None:
    taken = read(b'"text"\n1\n[]\nnull\n' + lines(Claude().user("One.")))
    assert taken.texts("prompt") == ["One."]
    assert taken.capture.malformed == 4


def test_an_image_of_many_megabytes_is_passed_over_without_a_trace() -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "QUJD" * 1_000_000}}
    taken = read(lines(Claude().user([image, text("Like here.")])))
    assert [len(step.text) for step in taken.steps] == [len("Like here.")]


def test_a_line_beyond_any_bound_is_malformed_and_the_next_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diarist.importers.jsonlines.MAX_LINE", 5_000)
    claude = Claude()
    data = lines(claude.user("One."), claude.user("x" * 30_000), claude.user("Two."))
    taken = read(data)
    assert taken.texts("prompt") == ["One.", "Two."]
    assert (taken.capture.seen, taken.capture.malformed) == (3, 1)


def test_a_record_nested_beyond_all_measure_is_survived() -> None:
    claude = Claude()
    record = lines(claude.assistant(call("t1", tree="HERE"))).replace(b'"HERE"', b"[" * 30_000 + b"]" * 30_000)
    taken = read(record + lines(claude.user("Two.")))
    assert taken.texts("prompt") == ["Two."]
    assert taken.capture.seen == 2


@pytest.mark.parametrize("wrong", [None, True, 7, -1.5, "x", [], [None], {}, {"type": 3}, [[["a"]]], "\u0000", 10**30])
@pytest.mark.parametrize(
    "field",
    ["uuid", "sessionId", "timestamp", "type", "cwd", "version", "message", "isMeta", "isSidechain", "agentId", "forkedFrom", "origin"],
)
def test_a_wrong_type_in_any_field_is_survived(field: str, wrong: object) -> None:
    claude = Claude()
    taken = read(lines({**claude.user("One."), field: wrong}, claude.user("Two.")))
    assert taken.texts("prompt")[-1] == "Two."
    assert sum(capture.seen for capture in taken.captures.values()) == 2


def test_numbers_that_json_does_not_know_are_survived() -> None:
    record = lines(Claude().assistant(text("Done."))).replace(b'"input_tokens":1', b'"input_tokens":NaN,"x":Infinity,"y":' + b"9" * 5000)
    assert read(record).texts("reply") == ["Done."]


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    taken = read(lines(Claude().user("Stra?e")).replace(b"?", b"\xdf"))
    assert taken.texts("prompt") == ["Stra\ufffde"]


def test_broken_escapes_of_a_replaced_path_are_repaired() -> None:
    taken = read(lines(Claude().user("See C:/kim.")).replace(b"C:/kim", b"C:\\kim"))
    assert taken.texts("prompt") == ["See C:\\kim."]


def test_zeros_and_blank_lines_are_nothing() -> None:
    record = lines(Claude().user("One."))
    taken = read(b"\x00" * 500 + b"\n \n\r\n" + record + b"\x00\x00")
    assert taken.texts("prompt") == ["One."]
    assert taken.capture.seen == 1


def test_a_log_packed_with_zstandard_is_read() -> None:
    """Archives packed so cannot be read by the standard library of this Python."""
    source = zipfile.ZipFile(TRANSCRIPTS / "inspect-log.eval")
    plain = io.BytesIO()
    with zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED) as archive:
        for name in source.namelist():
            archive.writestr(name, zstandard.ZstdCompressor().compress(source.read(name)))
    data = bytearray(plain.getvalue())
    for name in source.namelist():
        content = source.read(name)
        with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
            entry = archive.getinfo(name)
        central = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") if name == source.namelist()[0] else _central(data, name))
        data[entry.header_offset + 8 : entry.header_offset + 10] = (93).to_bytes(2, "little")
        data[entry.header_offset + 22 : entry.header_offset + 26] = len(content).to_bytes(4, "little")
        data[central + 10 : central + 12] = (93).to_bytes(2, "little")
        data[central + 24 : central + 28] = len(content).to_bytes(4, "little")
    packed, unpacked = take(bytes(data), "inspect-eval"), take((TRANSCRIPTS / "inspect-log.eval").read_bytes())
    assert packed.steps == unpacked.steps


def _central(data: bytearray, name: str) -> int:
    """Where the archive's directory tells of an entry."""
    return data.rindex(b"PK\x01\x02", 0, data.rindex(name.encode()))


def test_a_damaged_archive_names_what_is_wrong() -> None:
    data = bytearray((TRANSCRIPTS / "inspect-log.eval").read_bytes())
    at = data.index(b"samples/") + 60
    data[at : at + 40] = b"\x00" * 40
    taken = take(bytes(data), "inspect-eval")
    assert [problem.reason for capture in taken.captures.values() for problem in capture.problems] == ["damaged archive entry"]
    cut = take(bytes(data[:100]), "inspect-eval")
    assert [problem.reason for capture in cut.captures.values() for problem in capture.problems] == ["not a whole archive"]


def test_escapes_and_progress_bars_are_shown_as_a_person_saw_them() -> None:
    taken = take((TRANSCRIPTS / "terminal.log").read_bytes(), "terminal-log")
    output = taken.texts("result")[0]
    assert "\x1b" not in output
    assert "60%" not in output
    assert "100%" in output


def test_json_that_no_format_knows_is_known_by_none() -> None:
    for value in ({"name": "parcel", "version": "1.0"}, [1, 2, 3], {"rows": [{"a": 1}]}):
        assert find_importer(json.dumps(value).encode(), None) is None
        assert find_importer(json.dumps(value, indent=1).encode(), None) is None
    assert find_importer(b'{"a":1}\n{"a":2}\n', None) is None


def test_messages_below_other_names_are_found_but_not_below_a_label(tmp_path: Any) -> None:
    messages = [{"role": "user", "content": "Fix the label."}, {"role": "assistant", "content": "Fixed."}]
    deep = json.dumps({"run": {"data": {"trace": messages}}}).encode()
    found = find_importer(deep, None)
    assert found is not None
    assert found.name == "messages"
    assert take(deep).texts("prompt") == ["Fix the label."]
    assert find_importer(json.dumps({"ground_truth": {"trace": messages}}).encode(), None) is None


def test_json_that_quotes_a_text_of_another_format_is_still_json() -> None:
    for name in ("aider.chat.history.md", "specstory.md", "console-copy.md", "terminal.log"):
        quoted = (TRANSCRIPTS / name).read_text("utf-8")
        messages = [{"role": "user", "content": f"What is this?\n{quoted}"}, {"role": "assistant", "content": "A transcript."}]
        found = find_importer(json.dumps(messages).encode(), None)
        assert found is not None
        assert found.name == "messages", name


def test_messages_inside_events_are_found() -> None:
    data = lines(
        {"event": "start", "time": 1},
        {"event": "message", "message": {"role": "user", "content": "Fix the label."}},
        {"event": "message", "message": {"role": "assistant", "content": "Fixed."}},
    )
    taken = take(data)
    assert (taken.texts("prompt"), taken.texts("reply")) == (["Fix the label."], ["Fixed."])
    assert taken.capture.skipped == {"unknown-type": 1}


def test_a_session_in_several_files_has_the_same_ids_in_each() -> None:
    claude = Claude()
    records = [claude.user("One."), claude.assistant(text("Two.")), claude.user("Three.")]
    whole = read(lines(*records))
    later = read(lines(*records[1:]))
    assert {step.rid for step in later.steps} < {step.rid for step in whole.steps}
    assert list(later.sessions) == list(whole.sessions) == [SESSION]
