"""Masks secrets. The only maker of `Redacted` text.

    redact(text)                 -> Redacted          default rules
    RedactStream().feed(text)    -> str               the same result, piece by piece
    Redactor(RedactionRules(…))  -> with a user's own rules; `.find`, `.step`, `.info`, `.json`
    default_redactor()           -> Redactor          cached
"""

from __future__ import annotations

from diarist.stages.redact.redactor import RULES_VERSION, Finding, RedactionRules, Redactor, RedactStream, UserPattern, default_redactor, redact

__all__ = ["RULES_VERSION", "Finding", "RedactStream", "RedactionRules", "Redactor", "UserPattern", "default_redactor", "redact"]
