"""The user's redaction rules from a file, and where compiled tables are kept between processes."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diarist.errors import InvalidInputError
from diarist.stages.redact import RedactionRules, UserPattern

if TYPE_CHECKING:
    from diarist.config import Settings

PERSONAL = ("email", "phone", "iban", "card", "ip", "home")
_ALSO = {"user": "home"}


class FileCache:
    """Compiled tables as files. They hold rules, never text; a damaged or missing one is made anew.

    folders: looked into in this order; the first that can be written takes what is kept.
    """

    def __init__(self, *folders: Path) -> None:
        self._folders = folders

    def load(self, key: str) -> bytes | None:
        """What was saved under `key`, or None."""
        for folder in self._folders:
            with suppress(OSError):
                return (folder / key).read_bytes()
        return None

    def save(self, key: str, data: bytes) -> None:
        """Keeps `data`, whole or not at all; a disk that is full keeps nothing."""
        for folder in self._folders:
            with suppress(OSError):
                _put(folder, key, data)
                return


def _put(folder: Path, key: str, data: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = folder / f".{key}.{os.getpid()}"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
    draft.replace(folder / key)


def load_rules(settings: Settings) -> RedactionRules:
    """What `redact.rules` and `redact.pii` say.

    Raises
    ------
    InvalidInputError
        The file cannot be read or holds something that is no rule; names file and key.
    """
    kinds = [_ALSO.get(kind, kind) for kind in settings.get("redact.pii")]
    unknown = sorted(set(kinds) - set(PERSONAL))
    if unknown:
        raise InvalidInputError(f"redact.pii: there is no kind {unknown[0]!r}; there are {', '.join(PERSONAL)}")
    rules = RedactionRules(personal=tuple(dict.fromkeys(kinds)))
    return _with_file(rules, Path(settings.get("redact.rules")).expanduser()) if settings.get("redact.rules") else rules


def _with_file(rules: RedactionRules, path: Path) -> RedactionRules:
    text, table = _read(path)
    if "rules" in table or "allowlist" in table or "allowlists" in table:
        return rules._replace(gitleaks=text)
    known = {"pattern", "allow_values", "allow_rules", "gitleaks"}
    for key in table:
        if key not in known:
            raise InvalidInputError(f"{path}: {key!r} is not known; a rules file has {', '.join(sorted(known))}")
    imported = table.get("gitleaks", "")
    if not isinstance(imported, str):
        raise InvalidInputError(f"{path}: gitleaks must name a file")
    return rules._replace(
        patterns=tuple(_pattern(item, path) for item in _list(table, "pattern", dict, path)),
        allow_values=tuple(_list(table, "allow_values", str, path)),
        allow_rules=tuple(_list(table, "allow_rules", str, path)),
        gitleaks=_read(path.parent / imported)[0] if imported else "",
    )


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    import tomllib

    try:
        text = path.read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"cannot read the redaction rules {path}: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError(f"{path} is not valid TOML: {error}") from error


def _list(table: dict[str, Any], key: str, kind: type, path: Path) -> list[Any]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
        raise InvalidInputError(f"{path}: {key} must be a list of {'tables' if kind is dict else 'texts'}")
    return value


def _pattern(item: dict[str, Any], path: Path) -> UserPattern:
    if not isinstance(item.get("id"), str) or not isinstance(item.get("regex"), str):
        raise InvalidInputError(f"{path}: each [[pattern]] needs an id and a regex")
    return UserPattern(item["id"], item["regex"], tuple(_list(item, "keywords", str, path)))
