"""`skills validate`: any skill folder on disk, ours or not."""

from __future__ import annotations

from pathlib import Path

from diarist.errors import InvalidInputError
from diarist.model.skill import FILE
from diarist.stages.skillfile import Finding, lint

MAX_BYTES = 1 << 20


def validate_folder(path: Path) -> list[Finding]:
    """What is wrong with a skill folder, or with the SKILL.md that is named.

    Raises
    ------
    InvalidInputError
        There is no such file, it cannot be read, or it is larger than 1 MiB.
    """
    file = path if path.name == FILE else path / FILE
    try:
        if file.stat().st_size > MAX_BYTES:
            raise InvalidInputError(f"{file} is larger than {MAX_BYTES >> 20} MiB")
        data = file.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror or error}") from error
    folder = file.resolve().parent.name
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return [Finding("error", "encoding", "it is not UTF-8")]
    return lint(text, folder)
