"""The shell's Tab key."""

from __future__ import annotations

import pytest

from conftest import Run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_calls_us_back(diarist: Run, shell: str) -> None:
    done = diarist("completion", shell)
    assert done.returncode == 0
    assert f"{shell}_complete" in done.stdout


@pytest.mark.parametrize(("words", "offered"), [("diarist sea", "plain,search"), ("diarist search --li", "plain,--limit")])
def test_commands_and_options_are_offered(diarist: Run, environ: dict[str, str], words: str, offered: str) -> None:
    environ |= {"_DIARIST_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    assert offered in diarist().stdout.splitlines()
