"""The façade's verbs for finding: search, error look-up, recall, and the index behind them. `Memory` inherits them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diarist.app.recall import Hits
    from diarist.app.toolbox import Toolbox
    from diarist.model.hit import ContextPack


class SearchVerbs:
    """See `app.memory.Memory`. `mode`: bm25 or hybrid; None: as the setting `search.mode` says."""

    _box: Toolbox

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        project: str | None = None,
        kinds: Sequence[str] | None = None,
        mode: str | None = None,
        **filters: Any,
    ) -> Hits:
        """Ranked hits for a query; see `docs/explanation/search.md` for its syntax. Raises UsageError for a query that cannot be read.

        `.mode` and `.mode_reason` of the answer tell how it was really found, and why so; `.behind` as in `app.recall.Hits`.
        """
        from diarist.app.influencing import influence_of
        from diarist.app.recall import search

        influence, told = influence_of(self._box, query, mode)
        filters |= {"project": project, "kinds": kinds, "influence": influence}
        hits = search(self._box.store, self._box.search_index(), query, limit=limit, **filters)
        hits.mode, hits.mode_reason = told()
        return hits

    def search_error(self, error_text: str, *, limit: int = 10, project: str | None = None, **filters: Any) -> Hits:
        """Entries that met this error (a pasted stderr), those that fixed it first. `filters`: as for `search`."""
        from diarist.app.influencing import by_usefulness
        from diarist.app.recall import search_error

        influence = by_usefulness(self._box.store)
        filters |= {"project": project, "influence": influence}
        hits = search_error(self._box.store, self._box.search_index(), error_text, limit=limit, **filters)
        hits.mode_reason = "errors are looked up by their fingerprints and words"
        return hits

    def recall(
        self,
        query: str,
        *,
        budget: int = 2000,
        project: str | None = None,
        mode: str | None = None,
        is_error: bool = False,
        **filters: Any,
    ) -> ContextPack:
        """What an agent should be told before it starts: fenced, cited, at most `budget` tokens; may be empty.

        A text that holds error output is looked up as such; `is_error` says that it is. `filters`: as for `search`.
        Its `mode` and `mode_reason` tell how it was really found, and why so.
        """
        from diarist.app.influencing import influence_of
        from diarist.app.recall import recall
        from diarist.app.skill_cards import add_cards

        influence, told = influence_of(self._box, query, mode)
        filters |= {"project": project, "influence": influence}
        pack = recall(self._box.store, self._box.search_index(), query, budget=budget, is_error=is_error, **filters)
        really, why = told()
        return add_cards(self._box, (query,), project, pack, 3 * budget)._replace(mode=really, mode_reason=why)

    def suggest(self, query: str) -> list[str]:
        """Words of records, as they write them, that are a typo away from those of a query that no record holds."""
        from diarist.app.recall import suggest

        return suggest(self._box.search_index(), query, self._box.store)

    def index_status(self) -> dict[str, Any]:
        """`position` of the index in the change log, `last_change` of the log, how many changes it is `behind`; `problem`: no index."""
        from diarist.app.recall import index_status

        return index_status(self._box.store, self._box.search_index)

    def verify_index(self) -> list[str]:
        """Differences between index and store, one line each; empty when there are none."""
        from diarist.app.recall import verify

        return verify(self._box.store, self._box.search_index())
