"""What a user may set about redaction."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class UserPattern(NamedTuple):
    """A pattern of the user's own: what it finds is masked as `[REDACTED:<id>]`. Its first group, where it has one, is the secret."""

    id: str
    regex: str
    keywords: tuple[str, ...] = ()
    """Where none of these occurs (whatever their case), the pattern is not tried."""


class RedactionRules(NamedTuple):
    """All empty: the default rules."""

    patterns: tuple[UserPattern, ...] = ()
    allow_values: tuple[str, ...] = ()
    """Exact values that are never masked."""
    allow_rules: tuple[str, ...] = ()
    """Ids of rules, or kinds, that are switched off."""
    gitleaks: str = ""
    """Text of a `gitleaks.toml` whose rules are used as well."""
    personal: tuple[str, ...] = ()
    """Kinds of personal data to mask: email, phone, iban, card, ip, home."""


class CompiledCache(Protocol):
    """Keeps compiled tables between processes. A stage does no input or output of its own, so the caller hands one in."""

    def load(self, key: str) -> bytes | None:
        """What was saved under `key` (hex digits), or None. Must not raise."""
        ...

    def save(self, key: str, data: bytes) -> None:
        """Keeps `data`. Must not raise."""
        ...


class Finding(NamedTuple):
    """What would be masked: characters `start` to `end` of the text, by which rule, as what kind."""

    rule: str
    kind: str
    start: int
    end: int
