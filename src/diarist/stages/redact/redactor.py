"""The redactor: one value that holds the rules in force and masks texts, steps and facts about sessions by them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from diarist.errors import DiaristError, RedactionError
from diarist.model.redacted import Redacted
from diarist.stages.redact.private import PrivateFilter, may_hold_sections, sections
from diarist.stages.redact.segments import AHEAD, SIZE, Segment, Segmenter, decode, encode
from diarist.stages.redact.settings import CompiledCache, Finding, RedactionRules
from diarist.stages.redact.spans import masked

if TYPE_CHECKING:
    from diarist.model.session import RawStep, SessionInfo, Step
    from diarist.stages.redact.backend import Backend
    from diarist.stages.redact.engine import Engine

RULES_VERSION = "1.1.0"
"""Version of the built-in rules; changes whenever the same text may be masked differently."""

_DROPPED = "a text could not be redacted and was dropped"


class Redactor:
    """Masks by the rules it was made from. Immutable, picklable; may be shared between threads.

    `cache` keeps compiled tables between processes; `prefilter` "plain" or "hyperscan" forces a back end (both give the same
    result), "" chooses by what is installed and how much there is to do.
    """

    def __init__(self, rules: RedactionRules = RedactionRules(), cache: CompiledCache | None = None, prefilter: str = "") -> None:  # noqa: B008 - immutable
        self.rules = rules
        self._cache = cache
        self._prefilter = prefilter
        self._backend: Backend | None = None
        self.version = RULES_VERSION
        if rules != RedactionRules():
            from diarist.stages.redact.user import digest

            self.version += "+" + digest(rules)

    def __reduce__(self) -> tuple[type[Redactor], tuple[RedactionRules, CompiledCache | None, str]]:
        return Redactor, (self.rules, self._cache, self._prefilter)

    def redact(self, text: str) -> Redacted:
        """The text with every secret replaced by `[REDACTED:<kind>]`.

        Raises RedactionError where anything goes wrong: then the text must be dropped, never kept as it was.
        """
        return self.masked(text)[0]

    def masked(self, text: str) -> tuple[Redacted, int]:
        """The same, with the number of places that were masked. Raises RedactionError as `redact` does."""
        try:
            count = 0
            if may_hold_sections(text):
                count = len(sections(text))
                text = PrivateFilter().feed(text, last=True) if count else text
            if len(text) < SIZE + AHEAD:
                data = encode(text)
                spans = self.engine(len(data)).find(data)
                return (Redacted(decode(masked(data, spans))), len(spans) + count) if spans else (Redacted(text), count)
            segments = self._segments(text)
            joined = decode(b"".join(masked(segment.data, segment.spans) for segment in segments))
            return Redacted(joined), sum(len(segment.spans) for segment in segments) + count
        except DiaristError:
            raise
        except Exception as error:
            raise RedactionError(_DROPPED) from error

    def find(self, text: str) -> list[Finding]:
        """What `redact` masks, in order: rule, kind and place, never the value. Raises RedactionError as that does."""
        try:
            return list(self._findings(text))
        except DiaristError:
            raise
        except Exception as error:
            raise RedactionError(_DROPPED) from error

    def _findings(self, text: str) -> list[Finding]:
        found = [Finding("private", "private", start, end) for start, end in sections(text)] if may_hold_sections(text) else []
        kept, old, new, pieces = [], 0, 0, []
        for section in found:
            pieces.append((new, old, section.start - old))
            kept += [text[old : section.start], "[REDACTED:private]"]
            new += section.start - old + len("[REDACTED:private]")
            old = section.end
        pieces.append((new, old, len(text) - old))
        from diarist.stages.redact.spans import OffsetMap

        offsets = OffsetMap(pieces, len(text))
        base = 0
        for segment in self._segments("".join([*kept, text[old:]])):
            for span in segment.spans:
                start = base + len(decode(segment.data[: span.start]))
                end = start + len(decode(segment.data[span.start : span.end]))
                found.append(Finding(span.rule, span.kind, offsets.start(start), offsets.end(end)))
            base += len(decode(segment.data))
        return sorted(found, key=lambda finding: finding.start)

    def _segments(self, text: str) -> list[Segment]:
        segmenter = Segmenter(self.engine(len(text)))
        return [*segmenter.feed(text), segmenter.finish()]

    def json(self, value: Any) -> Any:
        """A JSON value with every string redacted, keys included; a text under a key that names a secret is one."""
        from diarist.stages.redact.steps import redact_json

        return redact_json(self, value)[0]

    def step(self, raw: RawStep, *, limit: int) -> tuple[Step, int]:
        """The step with every string redacted, and the number of places masked.

        Images and other binary data are dropped first (`[image]`, `[binary 1234 bytes]`; not counted). Texts longer than `limit`
        characters keep their head and tail; what was cut out is counted in `Step.clipped`.
        """
        from diarist.stages.redact.steps import redact_step

        return redact_step(self, raw, limit)

    def info(self, info: SessionInfo) -> SessionInfo:
        """The facts about a session with every string redacted."""
        from diarist.stages.redact.steps import redact_info

        return redact_info(self, info)

    def engine(self, size: int) -> Engine:
        """The engine for the next `size` bytes of text."""
        if self._backend is None:
            from diarist.stages.redact.backend import Backend

            self._backend = Backend(self.rules, self._cache, self._prefilter)
        return self._backend.engine(size)


class RedactStream:
    """`feed` pieces of a text, `finish` at the end: what comes back, joined, is `redact` of the whole, whatever the pieces are.

    Holds some 160,000 characters at most. Raises RedactionError; then the whole text must be dropped.
    """

    def __init__(self, redactor: Redactor | None = None) -> None:
        self._redactor = redactor or default_redactor()
        self._filter = PrivateFilter()
        self._segmenter = Segmenter(self._redactor.engine(0))

    def feed(self, text: str) -> str:
        """What is settled so far and was not given back before; often nothing. Raises RedactionError: drop the whole stream then."""
        try:
            return _joined(self._segmenter.feed(self._filter.feed(text)))
        except Exception as error:
            raise RedactionError(_DROPPED) from error

    def finish(self) -> str:
        """The rest. The stream is then empty and may be used again. Raises RedactionError."""
        try:
            segments = self._segmenter.feed(self._filter.feed("", last=True))
            self._filter = PrivateFilter()
            return _joined([*segments, self._segmenter.finish()])
        except Exception as error:
            raise RedactionError(_DROPPED) from error


def _joined(segments: list[Segment]) -> str:
    return "".join(decode(masked(segment.data, segment.spans)) for segment in segments)


@lru_cache(maxsize=1)
def default_redactor() -> Redactor:
    """The redactor with the default rules; one for the process."""
    return Redactor()


def redact(text: str) -> Redacted:
    """Masks by the default rules. Raises RedactionError; then the text must be dropped."""
    return default_redactor().redact(text)
