"""Transcripts with faults that nobody thought of: whatever stands in any place, nothing fails and everything is counted."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from contract.importers.passes import SNIFFED, TRANSCRIPTS, known_importer
from diarist.importers import all_importers, find_importer, may_be
from diarist.ports import Importer

NAMES = sorted(path.name for path in TRANSCRIPTS.iterdir())
ROUNDS = 60
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 2**70, float("nan"), float("inf"), "", "x" * 300, "\ud800", "\x00", "\u2028", "2026-13-45T99:99:99"),
    *([], {}, [[]], [None], [1, "a", {}], {"a": 1}, {"text": 5}, {"content": None}, [{"type": "text", "text": 7}], {"role": 3}),
    *("<system-reminder>", "<user_query>", "exit code", "$ ", "```", "-" * 50, "[" * 200, '{"a":'),
)
ODD_BYTES = (
    b"<",
    b"{",
    b"[",
    b'"',
    b"\\",
    b"\x00",
    b"\xff",
    b"\n",
    b"> ",
    b"`",
    b"#### ",
    b"\xe2\x8e\xbf ",
    b"\x1b[",
    b"User: ",
    b"| ",
    b"[" * 3000,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside a value."""
    yield path
    if isinstance(value, dict):
        for name, item in value.items():
            yield from places(item, (*path, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from places(item, (*path, number))


def spoil(value: Any, chance: random.Random) -> Any:
    """The value with something odd, or nothing, in a few of its places."""
    for _ in range(chance.choice((1, 1, 2, 6))):
        way = chance.choice(list(places(value)))
        if not way:
            return chance.choice(ODD_VALUES)
        holder = value
        for step in way[:-1]:
            holder = holder[step]
        if chance.random() < 0.2:
            del holder[way[-1]]
        else:
            holder[way[-1]] = json.loads(json.dumps(chance.choice(ODD_VALUES)))
    return value


def spoil_json(data: bytes, chance: random.Random) -> bytes:
    """JSON, or a few of its lines, with odd values."""
    try:
        return json.dumps(spoil(json.loads(data), chance)).encode()
    except ValueError:
        pass
    lines = data.splitlines()
    for _ in range(chance.choice((1, 3, 8))):
        place = chance.randrange(len(lines))
        try:
            lines[place] = json.dumps(spoil(json.loads(lines[place]), chance)).encode()
        except ValueError:
            continue
    return b"\n".join(lines)


def spoil_bytes(data: bytes, chance: random.Random) -> bytes:
    """Bytes cut out, put in, exchanged, repeated."""
    first, second = sorted((chance.randrange(len(data)), chance.randrange(len(data))))
    return chance.choice(
        (
            data[:first] + data[second:],
            data[:first] + chance.choice(ODD_BYTES) * chance.choice((1, 40, 400)) + data[first:],
            data[second:] + data[:first],
            data[:second] + data[first:],
            bytes(byte ^ (chance.random() < 0.002) * chance.randrange(256) for byte in data),
            data.replace(b"\n", b""),
        )
    )


def check(importer: Importer, data: bytes) -> None:
    """Reads everything and looks whether it holds together."""
    reading = importer.read(io.BytesIO(data), None)
    steps = list(reading)
    captures = reading.captures
    assert list(reading.sessions) == list(captures)
    assert {step.session for step in steps} <= set(captures)
    assert len({(step.session, step.rid) for step in steps}) == len(steps)
    assert all(capture.seen == capture.kept + sum(capture.skipped.values()) + capture.malformed for capture in captures.values())
    assert msgspec.msgpack.encode([steps, reading.sessions, captures, reading.state])
    assert msgspec.json.encode([steps, reading.sessions, captures])


@pytest.mark.parametrize("name", NAMES)
def test_spoiled_transcripts_hold_together(name: str) -> None:
    """No importer that would know one is left out for want of its fields."""
    chance = random.Random(name)
    data = (TRANSCRIPTS / name).read_bytes()
    own, every = known_importer(data), all_importers()
    for round_ in range(ROUNDS):
        spoiled = (spoil_bytes if round_ % 3 == 0 or b"{" not in data[:1] + data[:2] else spoil_json)(data, chance)
        assert {each.name for each in every if each.sniff(spoiled[:SNIFFED], None)} <= set(may_be(spoiled[:SNIFFED]))
        for importer in {own, find_importer(spoiled[:SNIFFED], None) or own, chance.choice(every)}:
            check(importer, spoiled)
