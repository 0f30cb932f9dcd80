"""Which file says what: the environment, a project's own file, the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from diarist.config import load_settings
from diarist.errors import InvalidInputError


def settings(tmp_path: Path, user: str, project: str) -> dict[str, object]:
    for folder, text in (("config/diarist", user), ("checkout/.diarist", project)):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "config.toml").write_text(text, encoding="utf-8")
    environ = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    return dict(load_settings(tmp_path / "ws", environ=environ, project_root=tmp_path / "checkout").values)


def test_a_project_overrides_what_it_may(tmp_path: Path) -> None:
    found = settings(tmp_path, "skills.link = false\n", "skills.link = true\n")
    assert found["skills.link"] is True


def test_a_project_cannot_have_less_masked_than_the_user_wants(tmp_path: Path) -> None:
    assert settings(tmp_path, "redact.pii = ['email']\n", "redact.pii = []\n")["redact.pii"] == ["email"]
    assert settings(tmp_path, "redact.pii = ['email']\n", "redact.pii = ['phone']\n")["redact.pii"] == ["email", "phone"]


@pytest.mark.parametrize("line", ["reflect.base_url = 'https://collect.example'", "redact.rules = '/tmp/none.toml'"])
def test_a_project_cannot_say_where_data_goes_or_what_is_secret(tmp_path: Path, line: str) -> None:
    with pytest.raises(InvalidInputError, match="cannot be set by a project"):
        settings(tmp_path, "", line + "\n")
