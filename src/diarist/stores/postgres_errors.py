"""PostgreSQL's errors in our words: what is wrong, and what to do about it."""

from __future__ import annotations

import psycopg

from diarist.errors import InvalidInputError, ReadOnlyError, StoreAwayError, StoreCorruptError, StoreFullError, StoreLockedError
from diarist.stores.database import NOT_UNICODE

LOST = ("08", "57P", "28", "3D", "53")
"""Classes of SQLSTATE where the server is away, stops, or does not let us in."""


def translate(error: psycopg.Error | UnicodeEncodeError, path: str, *, wait: float) -> Exception:
    """The error to raise instead: one of ours, or `error` itself where it is a fault in Diarist.

    `wait`: for how many seconds a lock was waited for. Texts of the server are repeated in part only: a detail may quote a row.
    """
    if isinstance(error, UnicodeEncodeError) or error.sqlstate in ("22021", "22P05"):
        return InvalidInputError(NOT_UNICODE)
    state = error.sqlstate or ""
    said = _first_line(error)
    if state in ("55P03", "40P01", "57014"):
        return StoreLockedError(f"{path} is in use by another writer for more than {wait:g} s. Try again when it has ended.")
    if state == "53100":
        return StoreFullError(f"No space is left on the server of {path}. Nothing was half written; free some space and run it again.")
    if state in ("25006", "42501"):
        return ReadOnlyError(f"{path} cannot be written ({said}). Grant the role what docs/howto/postgres.md lists.")
    if state.startswith("XX"):
        return StoreCorruptError(f"{path} is damaged ({said}). Restore it from a backup.")
    if state.startswith(LOST) or (not state and isinstance(error, psycopg.OperationalError)):
        return StoreAwayError(f"{path} cannot be reached ({said}). See that the server runs and that DIARIST_DATABASE_URL is right.")
    return error


def _first_line(error: psycopg.Error) -> str:
    return (error.diag.message_primary or str(error)).strip().partition("\n")[0]
