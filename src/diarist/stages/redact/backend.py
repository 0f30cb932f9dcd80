"""Builds the engine: tables on first use, the accelerated prefilter when there is enough text to be worth it."""

from __future__ import annotations

from contextlib import suppress

from diarist.stages.redact.engine import Engine, Rulebook
from diarist.stages.redact.prefilter import AcceleratedPrefilter, PlainPrefilter, Prefilter, cache_key
from diarist.stages.redact.settings import CompiledCache, RedactionRules

_WORTH = 400_000
"""Bytes after which compiling the accelerated tables pays: plain Python reads a few MB/s, and compiling takes a third of a second."""
_WORTH_LOADING = 4_000
"""The same where compiled tables can be loaded."""
_WORTH_KEEPING = 100_000
"""The same where none are there yet, but can be kept for later processes."""
_CALL = 300
"""However short a text is, plain Python takes as long for it as for so many bytes: half a millisecond, a dozenth of what loading takes."""


class Backend:
    """Chooses the engine for a redactor. All engines give the same result."""

    def __init__(self, rules: RedactionRules, cache: CompiledCache | None, prefilter: str) -> None:
        self._rulebook = rulebook(rules)
        self._cache = cache
        self._seen = 0
        self._fast_from = {"plain": None, "hyperscan": 0}.get(prefilter, _WORTH if cache is None else _WORTH_LOADING)
        self._must = prefilter == "hyperscan"
        self._plain = Engine(self._rulebook, PlainPrefilter(self._rulebook.watched()))
        self._fast: Engine | None = None

    def engine(self, size: int) -> Engine:
        """The engine for the next `size` bytes."""
        if self._fast is not None:
            return self._fast
        self._seen += size + _CALL
        if self._fast_from is None or self._seen < self._fast_from:
            return self._plain
        try:
            made = self._accelerated()
            if made is None:
                self._fast_from = _WORTH_KEEPING
                return self._plain
            self._fast = Engine(self._rulebook, made)
        except ImportError:
            if self._must:
                raise
            self._fast = self._plain
        return self._fast

    def _accelerated(self) -> Prefilter | None:
        """From the tables that an earlier process compiled, else from new ones; None where those do not pay yet.

        Raises ImportError without Hyperscan.
        """
        triggers, cache = self._rulebook.watched(), self._cache
        if cache is None:
            return AcceleratedPrefilter(triggers)
        key = cache_key(triggers)
        compiled = cache.load(key)
        if compiled is not None:
            import hyperscan

            with suppress(hyperscan.error, TypeError, ValueError):  # damaged, or of another build: made anew
                return AcceleratedPrefilter(triggers, compiled)
        if self._seen < _WORTH_KEEPING and not self._must:
            return None  # nor is there a need to know whether there is a wheel
        made = AcceleratedPrefilter(triggers)
        cache.save(key, made.compiled())
        return made


def rulebook(rules: RedactionRules) -> Rulebook:
    """All rules in force. Raises InvalidInputError where one of the user's cannot be understood."""
    from diarist.stages.redact import base64run, commands, keys, operators, rcfiles, shapes, tokens, urls, vendors, webtokens

    modules = (tokens, operators, vendors, shapes, urls, webtokens, keys, commands, rcfiles)
    built_in = tuple(trigger for module in modules for trigger in module.triggers())
    book = Rulebook(built_in, tuple(base64run.fingerprints()))
    if rules == RedactionRules():
        return book
    from diarist.stages.redact import gitleaks, personal, user

    own = [user.PatternFinder(pattern) for pattern in rules.patterns]
    imported = gitleaks.finders(rules.gitleaks) if rules.gitleaks else []
    return book._replace(
        finders=(*own, *imported, *personal.finders(rules.personal)),
        allowed_values=frozenset(value.encode("utf-8", "surrogatepass") for value in rules.allow_values),
        allowed_rules=frozenset(rules.allow_rules),
    )
