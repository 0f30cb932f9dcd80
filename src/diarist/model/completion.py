"""What a language model answers."""

from __future__ import annotations

from typing import NamedTuple


class Completion(NamedTuple):
    """An answer and what it took, in tokens as the service counts them (0: not told). The text is not redacted yet."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0
