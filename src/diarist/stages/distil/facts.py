"""What the bullets are made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from diarist.model.entry import Outcome
from diarist.stages.distil.corrections import Correction
from diarist.stages.distil.ledger import Ledger
from diarist.stages.distil.repairs import Repair


class Facts(NamedTuple):
    """A session read and judged."""

    ledger: Ledger
    outcome: Outcome
    verified: bool | None
    repairs: Sequence[Repair]
    corrections: Sequence[Correction]
