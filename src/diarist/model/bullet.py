"""First words of bullets that tell what was said, not what was done, of errors that went by without anybody's doing, and of titles.

The distiller writes them, synthesis reads them: a claim is not an approach that worked, and waiting is not a fix.
"""

from __future__ import annotations

from typing import Final

FOUND: Final = "Found: "
"""What an agent said that it found."""
ASKED: Final = "Asked next: "
"""What a person asked for after the first request."""
CORRECTED: Final = "Corrected by the person: "
"""What a person said when the agent went the wrong way."""
WENT_ON: Final = "the run went on"
"""What is told instead of a fix where nothing was done."""
UNASKED: Final = "Session without a request"
"""Begins the title of an entry whose session nobody asked anything in: our words, which tell nothing of what it was about."""
