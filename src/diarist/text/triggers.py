"""Which lines of a text are worth a closer look: those that hold a piece of a word that tells of failure.

Each piece is searched for in one pass over the whole text, so that a text without any costs next to nothing.
"""

from __future__ import annotations

from diarist.text.lazy import lazy

_ENGLISH = (
    "rror", "fail", "cannot ", "can't ", "not found", "fatal", "missing", "invalid", "xception", "could not", "unable to", "no such",
    "denied", "refused", "rejected", "undefined", "abort", "panic", "traceback (most", "killed", "conflict", "timed out", "err!",
    "definition of", "segmentation", "unbound", "not allowed", "no space", "too many", "exceeded", "unauthorized", "forbidden",
    "warning  ", "http/", "went wrong", "too long", "too large", "e       ",
)  # fmt: skip
_OTHERS = (
    "fehler", "nicht gefunden", "keine berechtigung", "erreur", "introuvable", "aucun fichier", "no existe el", "no encontrad", "denegado",
    "non trovato", "non esistente", "inexistente", "erro:", "não encontrado", "ошибк", "нет такого", "не найден", "отказано", "błąd",
    "nie ma takiego", "エラー", "ありません", "見つかりません", "错误", "没有那个", "未找到", "权限不够", "錯誤", "오류",
)  # fmt: skip
_WEAK = (
    "out of memory", "reset by peer", "in use", "a directory", "unrecognized", "unexpected", "deadlock", "no module", "unsupported",
    "unknown ",
    "file exists", "not empty", "broken pipe", "unreachable", "busy", "not permitted", "read-only file", "no route", "not known",
    "unavailable", "overflow", "double free", "crash", "terminated", "inconsistent", "unhandled", "uncaught", "refusing", "incompatible",
    "duplicate", "illegal", "timeout", "not a git", "corrupt", "already ", "mismatch", "expected", "fixture", "supported", "immutable",
    "is disabled", "too big", "too quickly",
)  # fmt: skip
"""Further ones that count in the output of something that is known to have failed."""

_LINTED = lazy(r":\d+: \[?[a-z]{1,4}\d{3,5}\b")
"""A linter's line: place and rule."""
_LONG = 4_000
_MOST = 4_000
"""Lines looked at in one text: the first three thousand and the last thousand."""


def is_suspicious(low: str) -> bool:
    """Whether a text (in lower case) can hold an error at all."""
    for piece in _ENGLISH:  # a plain loop is twice as fast as any(), and this runs on every text
        if piece in low:
            return True
    return _any_language(low) and any(piece in low for piece in _OTHERS)


def candidate_lines(low: str, *, failed: bool) -> list[int]:
    """Indexes of the lines of a text (in lower case) that hold a piece, in order. `failed`: it is known to tell of a failure."""
    found: set[int] = set()
    for piece in (*_ENGLISH, *(_OTHERS if _any_language(low) else ()), *(_WEAK if failed else ())):
        line, before, at = 0, 0, low.find(piece)
        while at >= 0:
            line += low.count("\n", before, at)
            found.add(line)
            before = at
            end = low.find("\n", at)
            at = low.find(piece, end) if end >= 0 else -1
    if failed:
        found.update(low.count("\n", 0, match.start()) for match in _LINTED.finditer(low))
    ordered = sorted(found)
    return ordered if len(ordered) <= _MOST else ordered[: _MOST * 3 // 4] + ordered[-_MOST // 4 :]


def _any_language(low: str) -> bool:
    """Whether messages in languages other than English are worth looking for: not in long texts of ASCII alone."""
    return len(low) < _LONG or not low.isascii()
