"""A skill: what a habit needs to be written down, before and after a person agreed to it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

from diarist.model.redacted import Redacted

FILE = "SKILL.md"

SkillSource: TypeAlias = Literal["mined", "curated"]
"""mined: found by Diarist in what runs had in common; curated: handed in by a model or a person, with evidence."""


class SkillStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One step of a procedure. Steps with the same `together` number (not 0) may be done in any order."""

    text: Redacted
    tool: Redacted = Redacted("")
    """How the step is called among the tools: "read", "$ git tag", "mcp__jira__get_issue"."""
    together: int = 0
    optional: bool = False
    runs: int = 0
    """Runs that did it."""


class SkillCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A command whose success showed that the work was done."""

    command: Redacted
    passed: int
    runs: int


class Pitfall(msgspec.Struct, frozen=True, kw_only=True):
    """An error that runs of this habit met, and what got them past it (empty: not known)."""

    error: Redacted
    fix: Redacted = Redacted("")
    runs: int = 1
    evidence: tuple[str, ...] = ()
    """Ids of the entries or observations it was seen in."""


class SkillQuote(msgspec.Struct, frozen=True, kw_only=True):
    """The exact redacted words that a claim rests on."""

    id: str
    """Entry or observation."""
    text: Redacted


class Skill(msgspec.Struct, frozen=True, kw_only=True):
    """Payload of a proposal of kind skill."""

    name: str
    """1 to 64 of a-z, 0-9 and single hyphens; also the folder's name."""
    title: Redacted
    description: Redacted
    """What it is for and when to use it; at most 1,024 characters."""
    source: SkillSource = "mined"
    steps: tuple[SkillStep, ...] = ()
    checks: tuple[SkillCheck, ...] = ()
    pitfalls: tuple[Pitfall, ...] = ()
    examples: tuple[Redacted, ...] = ()
    """Prompts that asked for it, oldest first."""
    evidence: tuple[str, ...] = ()
    """Ids of the runs that bear it out, sorted: of their diary entries, or of their observations where there is no entry. For a
    curated one, of the records it cites."""
    counter_evidence: tuple[str, ...] = ()
    """The same of the runs where it was tried and failed."""
    quotes: tuple[SkillQuote, ...] = ()
    support: int = 0
    """Distinct sessions where it went well (or at least not badly)."""
    failed: int = 0
    """Distinct sessions where it only failed."""
    first_at: datetime | None = None
    last_at: datetime | None = None
    body: Redacted = Redacted("")
    """Curated: its Markdown, as handed in. Mined: empty, the body is rendered from the rest."""


class AcceptedSkill(msgspec.Struct, frozen=True, kw_only=True):
    """Body of a record of kind skill: what was accepted, and what was written for it."""

    name: str
    title: Redacted
    description: Redacted
    proposal_id: str
    namespace: str
    evidence: tuple[str, ...] = ()
    examples: tuple[Redacted, ...] = ()
    text: Redacted
    """SKILL.md as accepted."""
    digest: str
    """SHA-256 (64 hex digits) of `text` in UTF-8."""
    written: tuple[str, ...] = ()
    """Digests of every text that Diarist wrote under this name: a file that has one of them was not edited since."""
    accepted_at: datetime
    accepted_by: Redacted = Redacted("")
    tools: tuple[Redacted, ...] = ()
    """How its required steps are called among the tools: by these a later run is seen to follow it."""


class SkillUsage(msgspec.Struct, frozen=True, kw_only=True):
    """What later runs tell of a skill, in distinct sessions."""

    offered: int = 0
    loaded: int = 0
    followed: int = 0
    """Loaded, and its steps were taken in their order."""
    well: int = 0
    """Loaded, and the run ended well."""
    badly: int = 0
    objections: int = 0
    """Times somebody called it harmful or refuted."""
    recently_well: int = 0
    """The same of the newest sessions that loaded it: what helped once may not help any more."""
    recently_badly: int = 0
    runs: int = 0
    """All runs of its project since it was accepted."""
