"""Columns of many rows as PostgreSQL takes them: a list of texts, numbers or bytes, written down as a whole and not value by value.

psycopg asks itself about every value of a list anew, which costs more than the server takes to store it. Here every list is of one
type (or None), and the statement says which (`:id::text[]`); lists of bytes go over in binary.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from psycopg.adapt import Dumper
from psycopg.pq import Format

if TYPE_CHECKING:
    from collections.abc import Sequence

NUL = "\U0010fffe"
"""Stands for U+0000, which PostgreSQL's texts cannot hold: a code point that Unicode promises never to assign."""
_BYTEA, _BYTEA_ARRAY = 17, 1001
_HEAD = struct.Struct("!iIIii")
_LENGTH = struct.Struct("!i")
_NO_VALUE = _LENGTH.pack(-1)


class ArrayDumper(Dumper):
    """Texts or numbers → an array as text, whose type the statement gives."""

    def dump(self, obj: Sequence[str | float | None]) -> bytes:
        """Raises UnicodeEncodeError for half of a surrogate pair."""
        first = next((value for value in obj if value is not None), None)
        told = _texts(obj) if isinstance(first, str) else ",".join("NULL" if value is None else str(value) for value in obj)
        return f"{{{told}}}".encode()


class ByteaArrayDumper(Dumper):
    """Bytes → an array of bytea, in binary."""

    format = Format.BINARY
    oid = _BYTEA_ARRAY

    def dump(self, obj: Sequence[bytes | None]) -> bytes:
        """None becomes NULL."""
        parts = [_HEAD.pack(1, None in obj, _BYTEA, len(obj), 1)]
        for value in obj:
            parts += (_NO_VALUE,) if value is None else (_LENGTH.pack(len(value)), value)
        return b"".join(parts)


def _texts(values: Sequence[object]) -> str:
    """Escaped together, a NUL between any two: no text holds one then."""
    told = [value.replace("\0", NUL) if isinstance(value, str) and "\0" in value else value for value in values]
    if None in told:
        return ",".join("NULL" if value is None else f'"{_escaped(str(value))}"' for value in told)
    return '"' + _escaped("\0".join(map(str, told))).replace("\0", '","') + '"'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
