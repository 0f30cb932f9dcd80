"""No text makes redaction slow out of proportion: work is counted, not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from diarist.stages.redact import Redactor

UNITS = {
    "token=": "token=",
    "password: ": "password: ",
    "url": "://a:b@",
    "sk-": "sk-",
    "pem": "-----BEGIN PRIVATE" + " KEY-----\n",
    "end": "-----END PRIVATE" + " KEY-----\n",
    "jwt": "eyJhbGciOiJI.",
    "base64": "cGFzc3dvcm",
    "base64 lines": "cGFzc3dvcmQ9" * 6 + "\n",
    "curl": "curl -u a:",
    "netrc": "machine a login b password ",
    "cookie": "Cookie: a=b; ",
    "quotes": 'password=\\"',
    "ansi": "\x1b[31mg\x1b[0mhp_",
    "private": "<private>",
    "pairs": '{"name":"API_KEY","value":"',
    "wrap": "ghp_abcdefghij12\n",
}


def calls(work: Callable[[], object]) -> int:
    """How many functions are called: grows like the work does, and is the same on every machine."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("filling", [" ", "\\n", "\t", '\\"', "-", "."])
def test_a_name_with_much_behind_it_is_read_once(filling: str) -> None:
    """Ends at all: a repeat that gives back what it took would not in a lifetime."""
    text = ("token" + filling * 100_000)[:200_000]
    assert Redactor(prefilter="plain").redact(text) == text


@pytest.mark.parametrize("name", UNITS)
def test_four_times_the_text_is_about_four_times_the_work(name: str) -> None:
    redactor = Redactor(prefilter="plain")
    small, big = ((UNITS[name] * 20_000)[:size] for size in (12_000, 48_000))
    for _ in range(2):
        redactor.redact(big)  # what is compiled once is no work of a text's
    assert calls(lambda: redactor.redact(big)) <= 5.5 * calls(lambda: redactor.redact(small)) + 500
