"""Masks secrets. The only maker of `Redacted` text.

    redact(text)                 -> Redacted          default rules
    RedactStream().feed(text)    -> str               the same result, piece by piece
    Redactor(RedactionRules(…))  -> with a user's own rules; `.redact`, `.find`, `.step`, `.info`, `.json`
    default_redactor()           -> Redactor          one for the process

How it works is told in docs/explanation/redaction.md.
"""

from __future__ import annotations

from diarist.stages.redact.redactor import RULES_VERSION, Redactor, RedactStream, default_redactor, redact
from diarist.stages.redact.settings import CompiledCache, Finding, RedactionRules, UserPattern

__all__ = [
    "RULES_VERSION",
    "CompiledCache",
    "Finding",
    "RedactStream",
    "RedactionRules",
    "Redactor",
    "UserPattern",
    "default_redactor",
    "redact",
]
