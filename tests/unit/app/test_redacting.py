"""A user's redaction rules, from settings and files."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from diarist.app.redacting import FileCache
from diarist.bootstrap import build_redactor
from diarist.config import Settings, load_settings, user_cache_path
from diarist.errors import InvalidInputError


def settings(tmp_path: Path, rules: str = "", **environ: str) -> Settings:
    """Settings whose rules file holds this."""
    path = tmp_path / "rules.toml"
    path.write_text(rules)
    named = {"DIARIST_REDACT_RULES": str(path)} if rules else {}
    return load_settings(tmp_path / "ws", environ={"HOME": str(tmp_path), **named, **environ})


def test_own_patterns_mask_and_allowed_values_stay(tmp_path: Path) -> None:
    """The version of the rules changes with them."""
    token = "ghp_" + "".join(chr(97 + (number * 5) % 26) for number in range(36))
    rules = f'allow_values = ["{token}"]\n[[pattern]]\nid = "badge"\nregex = "badge-([0-9]{{4}})"\n'
    redactor = build_redactor(settings(tmp_path, rules))
    assert redactor.redact(f"badge-1234 and {token}") == f"badge-[REDACTED:badge] and {token}"
    plain = build_redactor(settings(tmp_path))
    assert plain.redact("badge-1234") == "badge-1234"
    assert plain.version != redactor.version


def test_a_gitleaks_file_is_taken_as_it_is(tmp_path: Path) -> None:
    """Named directly, or from a rules file."""
    gitleaks = "[[rules]]\nid = \"internal-key\"\nregex = '''ik-[a-z]{8}'''\nkeywords = [\"ik-\"]\n"
    assert "internal-key" in build_redactor(settings(tmp_path, gitleaks)).redact("ik-abcdefgh")
    (tmp_path / "gitleaks.toml").write_text(gitleaks)
    assert "internal-key" in build_redactor(settings(tmp_path, 'gitleaks = "gitleaks.toml"\n')).redact("ik-abcdefgh")


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("not toml", "not valid TOML"),
        ("colour = 1", "'colour' is not known"),
        ("[[pattern]]\nid = 'x'", "needs an id and a regex"),
        ("[[pattern]]\nid = 'x'\nregex = '('", "x"),
        ("allow_values = 'x'", "must be a list of texts"),
        ("gitleaks = 'missing.toml'", "cannot read"),
    ],
)
def test_a_bad_rules_file_is_named(tmp_path: Path, rules: str, said: str) -> None:
    """With what is wrong in it."""
    with pytest.raises(InvalidInputError, match=said):
        build_redactor(settings(tmp_path, rules)).redact("x")


def test_unknown_kinds_of_personal_data_are_named(tmp_path: Path) -> None:
    """With those there are."""
    config = tmp_path / ".config" / "diarist"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[redact]\npii = ['email', 'shoe-size']\n")
    with pytest.raises(InvalidInputError, match="shoe-size"):
        build_redactor(load_settings(tmp_path / "ws", environ={"HOME": str(tmp_path)}))
    (config / "config.toml").write_text("[redact]\npii = ['email']\n")
    redactor = build_redactor(load_settings(tmp_path / "ws", environ={"HOME": str(tmp_path)}))
    assert redactor.redact("write to kim@example.org now") == "write to [REDACTED:email] now"


def test_a_cache_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    """And what it keeps it gives back."""
    cache = FileCache(tmp_path / "cache")
    cache.save("ab", b"1")
    assert cache.load("ab") == b"1"
    assert cache.load("cd") is None
    (tmp_path / "file").write_text("")
    blocked = FileCache(tmp_path / "file")
    blocked.save("ab", b"1")
    assert blocked.load("ab") is None


def test_what_the_first_folder_does_not_take_the_next_one_does(tmp_path: Path) -> None:
    """A home that cannot be written, as in many containers."""
    (tmp_path / "file").write_text("")
    cache = FileCache(tmp_path / "file", tmp_path / "cache")
    cache.save("ab", b"1")
    assert cache.load("ab") == b"1"
    assert (tmp_path / "cache" / "ab").is_file()


@pytest.mark.skipif(find_spec("hyperscan") is None, reason="without Hyperscan nothing is compiled")
def test_tables_of_the_built_in_rules_are_kept_for_all_workspaces_of_a_user(tmp_path: Path) -> None:
    """Those of own rules in the workspace only: they may say what is private to it."""
    code = "import sys; from diarist.bootstrap import *; build_redactor(load_settings(sys.argv[1])).redact('word ' * 40_000)"

    def read(workspace: str, **more: str) -> set[str]:
        (tmp_path / workspace).mkdir(exist_ok=True)
        environ = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "LOCALAPPDATA": str(tmp_path), "PATH": "", **more}
        subprocess.run([sys.executable, "-c", code, str(tmp_path / workspace)], env=environ, check=True)
        return {str(path.parent.relative_to(tmp_path)) for path in tmp_path.rglob("*") if re.fullmatch("[0-9a-f]{32}", path.name)}

    shared = str(user_cache_path({"HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}).relative_to(tmp_path))
    assert read("one") == {shared}
    assert read("two") == {shared}
    (tmp_path / "rules.toml").write_text("[[pattern]]\nid = 'badge'\nregex = 'badge [0-9]+'\n")
    assert read("three", DIARIST_REDACT_RULES=str(tmp_path / "rules.toml")) == {shared, str(Path("three", "cache"))}
