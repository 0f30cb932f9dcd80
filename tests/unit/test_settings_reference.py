"""Every variable of the environment that the code asks for is in the settings reference."""

from __future__ import annotations

import re
from pathlib import Path

import diarist
from diarist.config import SETTINGS, VARIABLES

SOURCES = sorted(Path(diarist.__file__).parent.rglob("*.py"))
_NAME = re.compile(r"\"((?:DIARIST|KB|MOTHER_AI)_[A-Z_]+)\"")


def test_what_the_code_asks_the_environment_for_is_documented() -> None:
    asked = {name for path in SOURCES for name in _NAME.findall(path.read_text(encoding="utf-8"))}
    known = {setting.env for setting in SETTINGS if setting.env} | VARIABLES.keys()
    assert asked
    assert sorted(asked - known) == []


def test_nothing_stands_in_both_tables() -> None:
    assert not VARIABLES.keys() & {setting.env for setting in SETTINGS}
