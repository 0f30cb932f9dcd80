"""Sessions written out as transcripts, in forms that other tools read. Pure; one module a form.

`render(session, form)` gives the pieces of one document as they come, so that a session is never whole in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from diarist.errors import UsageError
from diarist.model.session import Session


class _Render(Protocol):
    def __call__(self, session: Session) -> Iterator[bytes]: ...


class Form(NamedTuple):
    """A form: the end of its files' names, and what stands between two sessions in one stream."""

    suffix: str
    between: bytes


FORMS = {
    "atif": Form(".atif.json", b""),
    "otel": Form(".otlp.jsonl", b""),
    "jsonl": Form(".session.jsonl", b""),
    "markdown": Form(".md", b"\n---\n\n"),
}


def render(session: Session, form: str) -> Iterator[bytes]:
    """Pieces of one document, a line feed at its end: the same session gives the same bytes.

    Raises UsageError for a form that is none of `FORMS`.
    """
    if form not in FORMS:
        raise UsageError(f"there is no form {form!r} of a session; there are {', '.join(FORMS)}")
    return _renderer(form)(session)


def _renderer(form: str) -> _Render:
    if form == "atif":
        from diarist.stages.transcripts import atif

        return atif.render
    if form == "otel":
        from diarist.stages.transcripts import otel

        return otel.render
    if form == "jsonl":
        from diarist.stages.transcripts import neutral

        return neutral.render
    from diarist.stages.transcripts import markdown

    return markdown.render
