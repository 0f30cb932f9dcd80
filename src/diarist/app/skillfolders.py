"""Accepted skills as folders of a checkout: written atomically, never over what somebody else wrote or edited."""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal, NamedTuple

from diarist.errors import InvalidInputError, StoreFullError, UsageError
from diarist.model.skill import FILE

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.skill import AcceptedSkill

Place = Literal["missing", "same", "ours", "edited", "foreign"]
"""ours: as Diarist wrote it earlier; edited: Diarist wrote one there, and it was changed since; foreign: never written by Diarist."""


class SkillPlace(NamedTuple):
    """One file of a skill. `name`: relative to the checkout, with forward slashes."""

    name: str
    file: Path
    place: Place
    diff: str = ""
    """What writing would change, where it is edited or foreign."""


def skill_roots(box: Toolbox) -> list[str]:
    """The configured folders, the one that holds the skill first.

    Raises
    ------
    UsageError
        None is configured, or one leads out of the checkout.
    """
    roots = [str(root).replace("\\", "/").strip("/") for root in box.settings.get("skills.roots")]
    for root in roots:
        path = PurePosixPath(root)
        if not root or path.is_absolute() or ".." in path.parts or ":" in root:
            raise UsageError(f"skills.roots: {root!r} must be a folder inside the checkout, as .agents/skills")
    if not roots:
        raise UsageError('skills.roots names no folder; use ["agents/skills"] or take the setting out')
    return list(dict.fromkeys(roots))


def places(box: Toolbox, checkout: Path, skill: AcceptedSkill) -> list[SkillPlace]:
    """Where the skill stands, or would, and what stands there now."""
    return [_place(checkout, f"{root}/{skill.name}/{FILE}", skill) for root in skill_roots(box)]


def write_skill(box: Toolbox, checkout: Path, skill: AcceptedSkill, *, overwrite: bool = False) -> list[str]:
    """Writes the skill's files that are missing or ours; with `overwrite` all. Names of the files written.

    Raises StoreFullError where one cannot be written.
    """
    written = []
    found = places(box, checkout, skill)
    for at, each in enumerate(found):
        if each.place == "same" or (each.place in ("edited", "foreign") and not overwrite):
            continue
        if at == 0 or not box.settings.get("skills.link") or not _link(each.file.parent, found[0].file.parent):
            _write(box, each.file, skill.text.encode("utf-8"))
        written.append(each.name)
    return written


def remove_skill(box: Toolbox, checkout: Path, skill: AcceptedSkill) -> tuple[list[str], list[str]]:
    """Removes the skill's files that are as Diarist wrote them: (names removed, names left because they were edited)."""
    removed, left = [], []
    for each in reversed(places(box, checkout, skill)):
        if each.place in ("same", "ours"):
            if each.file.parent.is_symlink():
                each.file.parent.unlink()
            else:
                each.file.unlink()
                with suppress(OSError):
                    each.file.parent.rmdir()
            removed.append(each.name)
        elif each.place == "edited":
            left.append(each.name)
    return removed, left


def _place(checkout: Path, name: str, skill: AcceptedSkill) -> SkillPlace:
    file = checkout.joinpath(*name.split("/"))
    root = checkout.resolve()
    if not file.parent.resolve().is_relative_to(root):
        raise InvalidInputError(f"{name} leads out of the checkout by a link; Diarist writes nothing there")
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return SkillPlace(name, file, "missing")
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror or error}") from error
    digest = hashlib.sha256(data).hexdigest()
    if digest == skill.digest:
        return SkillPlace(name, file, "same")
    if digest in skill.written:
        return SkillPlace(name, file, "ours")
    text = data.decode("utf-8", "replace")
    return SkillPlace(
        name, file, "edited" if skill.written and f'"{skill.proposal_id}"' in text else "foreign", diff(name, text, skill.text)
    )


def diff(name: str, old: str, new: str) -> str:
    """Unified diff of two texts."""
    return "".join(difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{name}", f"b/{name}"))


def _write(box: Toolbox, file: Path, data: bytes) -> None:
    try:
        if file.parent.is_symlink():
            file.parent.unlink()
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreFullError(f"cannot make {file.parent}: {error.strerror or error}") from error
    box.publisher().put(file, data, mode=0o644)


def _link(folder: Path, target: Path) -> bool:
    """Makes `folder` a relative link to `target`; False where that cannot be (then it is copied)."""
    if folder.exists() and not folder.is_symlink():
        return False
    with suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.unlink(missing_ok=True)
        folder.symlink_to(os.path.relpath(target, folder.parent), target_is_directory=True)
        return True
    return False


def shadows(name: str, home: Path, roots: Sequence[str]) -> list[str]:
    """Folders of the user that clients prefer to the project's skill of the same name."""
    users = [home / root for root in dict.fromkeys((*roots, ".agents/skills", ".claude/skills", ".codex/skills"))]
    return [str(folder / name) for folder in users if (folder / name / FILE).is_file()]
