"""Command lines are taken apart without being run."""

from __future__ import annotations

import pytest

from diarist.stages.distil.shell import split, unquote


def test_simple_commands_are_found_with_what_joins_them() -> None:
    found = split("cd api && FOO=1 pytest -q | tail -3; echo done")
    assert [(simple.words, simple.after) for simple in found] == [
        (("cd", "api"), "&&"),
        (("pytest", "-q"), "|"),
        (("tail", "-3"), ";"),
        (("echo", "done"), ""),
    ]


def test_quotes_and_escapes_keep_a_word_together() -> None:
    assert split(r"""git commit -m "fix: a && b" 'it''s' a\ b""")[0].words == ("git", "commit", "-m", "fix: a && b", "its", "a b")


def test_redirects_name_what_is_written() -> None:
    assert split("sort a.txt > out.txt 2>&1")[0].writes == ("out.txt",)
    assert split("make 2>/dev/null >> log.txt")[0].writes == ("/dev/null", "log.txt")


def test_a_here_document_is_kept_aside_and_not_read_as_commands() -> None:
    first, second = split("cat > a.py <<'EOF'\nimport os; rm -rf /\nEOF\npython a.py")
    assert first.writes == ("a.py",)
    assert "import os" in first.heredoc
    assert second.words == ("python", "a.py")


def test_comments_and_continued_lines_are_no_commands() -> None:
    assert [simple.words for simple in split("# first build\nmake \\\n  -j4 # all\n")] == [("make", "-j4")]


@pytest.mark.parametrize("text", ["", "   ", "'unclosed", "((((", "&& ||", "<<EOF", "\x00", "$(", "a" * 50_000])
def test_odd_text_is_survived(text: str) -> None:
    split(text)


def test_unquote_expands_nothing() -> None:
    assert unquote("\"$HOME/x\"'y'") == "$HOME/xy"
