"""Replacing single characters: as `str.translate`, and of plain ASCII, which most texts are, several times as fast."""

from __future__ import annotations

from collections.abc import Mapping


class Translation:
    """Characters and what stands for them; None: nothing. ASCII characters become ASCII ones."""

    def __init__(self, table: Mapping[str, str | None]) -> None:
        self._table = {ord(char): new for char, new in table.items()}
        plain = {char: new for char, new in table.items() if char.isascii()}
        self._bytes = bytes(ord(plain.get(chr(code)) or chr(code)) for code in range(256))
        self._dropped = "".join(char for char, new in plain.items() if new is None).encode()

    def __call__(self, text: str) -> str:
        """The text with every such character replaced."""
        if text.isascii():
            return text.encode("ascii").translate(self._bytes, self._dropped).decode("ascii")
        return text.translate(self._table)
