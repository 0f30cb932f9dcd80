"""The managed block of approved lessons in files a user named (`AGENTS.md`, a role prompt). Written on request only, and reversible."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from diarist.app.lessons import list_lessons
from diarist.app.projects import resolve_project
from diarist.app.publishing import registered_checkout
from diarist.app.records import state_record
from diarist.errors import DiaristError, InvalidInputError, StaleReviewError, UsageError
from diarist.model.codec import from_json, to_json
from diarist.model.ids import make_id
from diarist.model.record import Record, RecordFilter, SearchText
from diarist.model.redacted import Redacted, derived
from diarist.stages.synthesis import render_block
from diarist.stages.synthesis.lessons import BEGIN, END
from diarist.text.lazy import lazy
from diarist.text.names import file_name

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox

NAMESPACE = derived("targets")
MOST_UNDONE = 19
"""Writes of one file, besides the last, that can be taken back."""
_BLOCK = lazy(rf"{re.escape(BEGIN)}\r?\n.*?{re.escape(END)}(?:\r?\n|\Z)", re.DOTALL)


class Change(NamedTuple):
    """What a target file would become. `before`: None where there is no file; `after`: None where none should be left."""

    name: str
    """Relative to the checkout, with forward slashes."""
    file: Path
    before: str | None
    after: str | None

    @property
    def diff(self) -> str:
        """Unified diff; empty where nothing changes."""
        old, new = (self.before or "").splitlines(keepends=True), (self.after or "").splitlines(keepends=True)
        lines = difflib.unified_diff(old, new, f"a/{self.name}" if self.before is not None else "/dev/null", f"b/{self.name}")
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


class Before(msgspec.Struct, frozen=True, kw_only=True):
    """What a write replaced."""

    block: Redacted | None
    """The block that stood there; None: none did."""
    tail: str
    """White space at the end of the file, where the block was put behind it."""
    existed: bool
    """Was there a file at all?"""


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    """Body of a record of kind state in the namespace "targets": how to take the writes of a block back, last one first."""

    name: str
    before: tuple[Before, ...]


def find_checkout(box: Toolbox, project: str, cwd: str = "") -> Path:
    """Where the project lies on this machine.

    Raises
    ------
    UsageError
        It is not known.
    """
    known = registered_checkout(box.settings.workspace / "projects" / file_name(project))
    if known is not None:
        return known
    folder = Path(cwd) if cwd else None
    if folder is not None and folder.is_dir() and resolve_project(cwd) == project:
        return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)
    raise UsageError(f"where project {project!r} lies on this machine is not known. Run `diarist init` in its checkout.")


def plan_block(box: Toolbox, project: str, cwd: str = "") -> list[Change]:
    """What the configured targets would become with the lessons that stand now; files that stay as they are, left out.

    Raises
    ------
    UsageError
        No target is configured, or one lies outside the checkout.
    InvalidInputError
        A target cannot be read, or its block is damaged.
    """
    names = box.settings.get("synthesis.targets")
    if not names:
        raise UsageError('no target is configured. Name the files in config.toml, as synthesis.targets = ["AGENTS.md"].')
    checkout = find_checkout(box, project, cwd)
    block = render_block(list(list_lessons(box.store, project)))
    changes = []
    for name in names:
        file = _resolve(checkout, name)
        before = _read(file)
        after = _with_block(name, before, block)
        if after != before:
            changes.append(Change(PurePosixPath(name).as_posix(), file, before, after))
    return changes


def plan_revert(box: Toolbox, project: str, cwd: str = "") -> list[Change]:
    """What every target that was ever written would be with the block it had before. Only the block changes."""
    checkout = find_checkout(box, project, cwd)
    changes = []
    for applied in _all_applied(box, project):
        file = _resolve(checkout, applied.name)
        now = _read(file)
        if now is not None:
            after = _restore(applied.name, now, applied.before[-1])
            if after != now:
                changes.append(Change(applied.name, file, now, after))
    return changes


def carry_out(box: Toolbox, project: str, changes: Sequence[Change], *, at: datetime, revert: bool = False) -> list[Path]:
    """Writes the files as planned, and notes how to take it back.

    Raises
    ------
    StaleReviewError
        A file changed since it was planned; nothing is written then.
    """
    for change in changes:
        if _read(change.file) != change.before:
            raise StaleReviewError(f"{change.file} changed since its diff was shown. Run the command again.")
    redact = box.reader().redactor.redact
    with box.store.transaction(actor=box.actor, at=at) as tx:
        for change in changes:
            record_id = make_id("target", project, change.name)
            known = box.store.get_record(record_id)
            stack = from_json(known.body, Applied).before if known is not None else ()
            stack = stack[:-1] if revert else (*stack[-MOST_UNDONE:], _before(change, redact))
            record = _record(record_id, project, Applied(name=change.name, before=stack), at)
            tx.put_record(record, SearchText(), action="revert-target" if revert else "write-target")
    for change in changes:
        if change.after is None:
            change.file.unlink()
        else:
            mode = change.file.stat().st_mode & 0o777 if change.before is not None else 0o644
            box.publisher().put(change.file, change.after.encode(), mode=mode)
    return [change.file for change in changes]


def drop_lessons(box: Toolbox, project: str) -> int:
    """After lessons were erased: every block that was written says what stands now, and what stood there before is forgotten.

    Returns how many files changed. A file that cannot be read, or whose block is damaged, is left as it is.
    """
    changed = 0
    block = render_block(list(list_lessons(box.store, project)))
    for record in list(box.store.list_records(RecordFilter(kinds=("state",), project=project, include_inactive=True))):
        if record.namespace != NAMESPACE:
            continue
        applied = from_json(record.body, Applied)
        with suppress(DiaristError):
            file = _resolve(find_checkout(box, project), applied.name)
            before = _read(file)
            after = None if before is None or BEGIN not in before else _with_block(applied.name, before, block)
            if after is not None and after != before:
                box.publisher().put(file, after.encode(), mode=file.stat().st_mode & 0o777)
                changed += 1
        with box.store.transaction(actor=box.actor, at=box.now()) as tx:
            tx.erase_record(record.id)
            made = _record(record.id, project, Applied(name=applied.name, before=()), box.now())
            tx.put_record(made, SearchText(), action="write-target")
    return changed


def _all_applied(box: Toolbox, project: str) -> Iterator[Applied]:
    """Targets whose last write can be taken back, by name."""
    for record in box.store.list_records(RecordFilter(kinds=("state",), project=project), sort="title"):
        if record.namespace == NAMESPACE:
            applied = from_json(record.body, Applied)
            if applied.before:
                yield applied


def _before(change: Change, redact: Callable[[str], Redacted]) -> Before:
    text = change.before or ""
    found = _BLOCK.search(text)
    return Before(block=redact(found[0]) if found else None, tail=text[len(text.rstrip()) :], existed=change.before is not None)


def _restore(name: str, text: str, before: Before) -> str | None:
    """The text with the block it had before the last write; all else stays as it is now."""
    if before.block is not None:
        return _with_block(name, text, before.block)
    found = _BLOCK.search(text)
    if found is None:
        return text
    head, rest = text[: found.start()], text[found.end() :]
    if rest.strip():
        return head + rest
    if not head.strip() and not before.existed:
        return None
    return head.rstrip() + before.tail


def _record(record_id: str, project: str, applied: Applied, at: datetime) -> Record:
    return state_record(record_id, to_json(applied), namespace=NAMESPACE, title=applied.name, at=at, project=project)


def _resolve(checkout: Path, name: str) -> Path:
    """The file a target names. Links may not lead out of the checkout."""
    pure = PurePosixPath(name)
    file = (checkout / pure).resolve()
    if pure.is_absolute() or not name.strip() or checkout.resolve() not in file.parents:
        raise UsageError(f"the target {name!r} must be a file inside the checkout {checkout}")
    return file


def _read(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"the target {file} cannot be read as UTF-8 text: {error}") from error


def _with_block(name: str, text: str | None, block: str) -> str | None:
    """The text with this block instead of the one it has, or at its end."""
    text_now = text or ""
    if text_now.count(BEGIN) != text_now.count(END) or text_now.count(BEGIN) > 1:
        raise InvalidInputError(
            f"the managed block of {name} is damaged: it needs one line {BEGIN} and one line {END} after it, or neither."
        )
    eol = "\r\n" if "\r\n" in text_now else "\n"
    block = block.replace("\n", eol)
    if BEGIN in text_now:
        return _BLOCK.sub(lambda _: block, text_now)
    if not block:
        return text
    return f"{text_now.rstrip()}{eol}{eol}{block}" if text_now.strip() else block
