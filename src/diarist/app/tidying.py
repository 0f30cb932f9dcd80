"""What a workspace needs now and then: what was cut off is finished (erasures, published files), observations are kept within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diarist.app.erasing import finish
from diarist.app.observing import sweep
from diarist.app.published import publish_left

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox


def tidy(box: Toolbox) -> dict[str, int]:
    """Does it; counts of what was done."""
    observed = sorted({scope.project for scope in box.store.list_scopes() if scope.kind == "observation"})
    return {"erasures": len(finish(box)), "published": publish_left(box), "observations": sum(sweep(box, project) for project in observed)}
