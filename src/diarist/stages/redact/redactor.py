"""The redactor: one value that holds the rules in force and masks texts, steps and session facts by them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from diarist.errors import RedactionError
from diarist.stages.redact.engine import Engine
from diarist.stages.redact.prefilter import AcceleratedPrefilter, PlainPrefilter
from diarist.stages.redact.triggers import Trigger
from diarist.model.redacted import Redacted, RedactedJson

if TYPE_CHECKING:
    from diarist.model.session import RawStep, SessionInfo, Step

RULES_VERSION = "2026.11.0"


class UserPattern(NamedTuple):
    """A pattern of the user's own: what it finds is masked as `[REDACTED:<id>]`. Group 1, where there is one, is the secret."""

    id: str
    regex: str


class RedactionRules(NamedTuple):
    """What a user may set. All empty: the default rules."""

    patterns: tuple[UserPattern, ...] = ()
    allow_values: tuple[str, ...] = ()
    """Exact values that are never masked."""
    allow_rules: tuple[str, ...] = ()
    """Ids of rules that are switched off."""
    gitleaks: str = ""
    """Text of a `gitleaks.toml` whose rules are used as well."""
    personal: tuple[str, ...] = ()
    """Kinds of personal data to mask: email, phone, iban, card, ip, home."""


class Finding(NamedTuple):
    """What would be masked: characters `start` to `end` of the text, by which rule, as what kind."""

    rule: str
    kind: str
    start: int
    end: int


def _never(_data: bytes, _end: int) -> None:
    return None


class _Lazy:
    """Builds the tables on first use: plain ones at once, accelerated ones when there is enough text to be worth it."""

    _WORTH = 200_000

    def __init__(self) -> None:
        from diarist.stages.redact import base64run, commands, keys, operators, rcfiles, shapes, tokens, urls, vendors, webtokens

        modules = (tokens, operators, vendors, shapes, urls, webtokens, keys, commands, rcfiles)
        self._triggers = [trigger for module in modules for trigger in module.triggers()]
        self._fingerprints = base64run.fingerprints()
        self._all = self._triggers + [Trigger(one.text, _never) for one in self._fingerprints]
        self._engine: Engine | None = None
        self._seen = 0

    def engine(self, size: int) -> Engine:
        self._seen += size
        if self._engine is None:
            self._engine = Engine(self._triggers, self._fingerprints, PlainPrefilter(self._all))
        elif self._seen > self._WORTH and not self._fast:
            self._fast = True
            try:
                self._engine = Engine(self._triggers, self._fingerprints, AcceleratedPrefilter(self._all))
            except ImportError:
                pass
        return self._engine

    _fast = False


class Redactor:
    """Masks by the rules it was made from. Immutable; share it between threads."""

    def __init__(self, rules: RedactionRules = RedactionRules()) -> None:
        self.rules = rules
        self.version = RULES_VERSION
        self._lazy = _Lazy()

    def find(self, text: str) -> list[Finding]:
        data = text.encode("utf-8", "surrogatepass")
        found = []
        for span in self._lazy.engine(len(data)).find(data):
            start = len(data[: span.start].decode("utf-8", "surrogatepass"))
            found.append(Finding(span.rule, span.kind, start, start + len(data[span.start : span.end].decode("utf-8", "surrogatepass"))))
        return found

    def redact(self, text: str) -> Redacted:
        """The text with every secret replaced by `[REDACTED:<kind>]`. Raises RedactionError; then the text must be dropped."""
        return self._redact(text)[0]

    def _redact(self, text: str) -> tuple[Redacted, int]:
        try:
            found = self.find(text)
        except Exception as error:
            raise RedactionError("a text could not be redacted and was dropped") from error
        pieces, at = [], 0
        for finding in found:
            pieces += [text[at : finding.start], f"[REDACTED:{finding.kind}]"]
            at = finding.end
        return Redacted("".join([*pieces, text[at:]])), len(found)

    def json(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, dict):
            return {self.redact(str(key)): self.json(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.json(part) for part in value]
        return value

    def step(self, raw: RawStep, *, limit: int) -> tuple[Step, int]:
        """The step with every string redacted, long texts clipped to `limit` characters; and the number of places masked."""
        from diarist.model.session import Step

        text, masked = self._redact(raw.text)
        clipped = 0
        if len(text) > limit:
            clipped = len(text) - limit
            text = Redacted(text[: limit // 2] + f"\n[… {clipped} characters cut …]\n" + text[-(limit - limit // 2) :])
        return Step(
            kind=raw.kind,
            rid=self.redact(raw.rid),
            text=text,
            at=raw.at,
            tool=self.redact(raw.tool),
            arguments=None if raw.arguments is None else RedactedJson(self.json(raw.arguments)),
            call_id=self.redact(raw.call_id),
            error=raw.error,
            exit_code=raw.exit_code,
            mark=raw.mark,
            actor=self.redact(raw.actor),
            clipped=clipped,
        ), masked

    def info(self, info: SessionInfo) -> SessionInfo:
        """The facts about a session with every string redacted."""
        import msgspec

        changes: dict[str, Any] = {}
        for name in info.__struct_fields__:
            value = getattr(info, name)
            if isinstance(value, str) and value and name not in ("format", "role"):
                changes[name] = self.redact(value)
            elif name == "models":
                changes[name] = tuple(self.redact(model) for model in value)
        return msgspec.structs.replace(info, **changes)


class RedactStream:
    """`feed` pieces, `finish` at the end; what comes back, joined, is `redact` of the whole."""

    def __init__(self, redactor: Redactor | None = None) -> None:
        self._redactor = redactor or default_redactor()
        self._held: list[str] = []

    def feed(self, text: str) -> str:
        self._held.append(text)
        return ""

    def finish(self) -> str:
        return self._redactor.redact("".join(self._held))


@lru_cache(maxsize=1)
def default_redactor() -> Redactor:
    """The redactor with the default rules."""
    return Redactor()


def redact(text: str) -> Redacted:
    """Masks by the default rules. Raises RedactionError; then the text must be dropped."""
    return default_redactor().redact(text)
