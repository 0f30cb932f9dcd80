"""What a user keeps out of Diarist."""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple


class WithholdRules(NamedTuple):
    """What to withhold of a session beside `<private>` parts and Diarist's own words."""

    paths: tuple[str, ...] = ()
    """Shell patterns: calls that name such a file, and their results."""
    prompts: tuple[re.Pattern[str], ...] = ()
    """Turns whose prompt fits."""
    pauses: tuple[tuple[datetime, datetime], ...] = ()
    """Spans of time."""

    @property
    def needs_whole(self) -> bool:
        """True where a step cannot be judged without those before it: a source is then never read on from its middle."""
        return bool(self.paths or self.prompts)
