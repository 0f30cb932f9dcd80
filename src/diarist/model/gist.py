"""What synthesis reads of an entry, and the part of the entry that it is made of."""

from __future__ import annotations

from datetime import datetime

import msgspec

from diarist.model.redacted import Redacted


class RunError(msgspec.Struct, frozen=True, gc=False):
    """The part of `model.entry.ErrorSeen` that is read."""

    fingerprint: str
    message: Redacted
    resolved: bool | None = None
    resolved_by: Redacted = Redacted("")


class RunFix(msgspec.Struct, frozen=True, gc=False):
    """The part of `model.entry.Fix` that is read."""

    error: str
    text: Redacted


class RunFile(msgspec.Struct, frozen=True, gc=False):
    """The part of `model.entry.FileTouched` that is read."""

    path: Redacted
    operations: tuple[str, ...] = ()


class Run(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The part of `model.entry.Entry` that is read; decodes from its JSON."""

    id: str
    task_id: Redacted
    session_id: Redacted
    agent: Redacted
    project: Redacted
    title: Redacted
    created_at: datetime
    prompt: Redacted = Redacted("")
    outcome: str = "unknown"
    tried: tuple[Redacted, ...] = ()
    worked: tuple[Redacted, ...] = ()
    failed: tuple[Redacted, ...] = ()
    rationale: Redacted = Redacted("")
    learned: Redacted = Redacted("")
    errors: tuple[RunError, ...] = ()
    fixes: tuple[RunFix, ...] = ()
    files: tuple[RunFile, ...] = ()
    tags: tuple[Redacted, ...] = ()


class Gist(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A run as synthesis reads it, its texts taken apart into words: that is a half of the work, so it is done when an entry is written."""

    task_id: Redacted
    session_id: Redacted
    agent: Redacted
    project: Redacted
    title: Redacted
    created_at: datetime
    outcome: str
    tried: tuple[Redacted, ...]
    worked: tuple[Redacted, ...]
    failed: tuple[Redacted, ...]
    errors: tuple[RunError, ...]
    fixes: tuple[RunFix, ...]
    words: Redacted
    """What it is about: distinct words, parted by spaces, each in a form that is one term (see `text.terms`)."""
    marks: tuple[Redacted, ...]
    """Its errors and the files it changed, as `error:…` and `file:…`."""
