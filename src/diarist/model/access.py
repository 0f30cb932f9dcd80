"""Who may ask the hub for what."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias, get_args

Role: TypeAlias = Literal["read", "write", "review", "admin"]
"""Each may do what those before it may. write: entries, notes, edits; review: decide on proposals; admin: keys and the audit trail."""
ROLES: tuple[Role, ...] = get_args(Role)


class ApiKey(NamedTuple):
    """A key as it is kept: its SHA-256 and never itself. `opens` is its tenant; `project` None: every project of that tenant."""

    id: str
    hash: str
    name: str
    opens: str
    project: str | None
    role: Role
    created_by: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    used_at: datetime | None = None

    def is_good(self, at: datetime) -> bool:
        """Neither revoked nor past its time."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


class Caller(NamedTuple):
    """Whose request it is. Tenant and project come from the credential alone, never from what a request says."""

    name: str
    """Goes into the history as the actor."""
    role: Role = "read"
    tenant: str = "local"
    project: str | None = None
    key_id: str = ""
    """Empty: nobody had to show a key (loopback, and no key was ever made)."""

    def may(self, role: Role) -> bool:
        """Does the role include this one?"""
        return ROLES.index(self.role) >= ROLES.index(role)


class Answer(NamedTuple):
    """What was answered to a request that may come again. `request`: digest of what was asked; `body` holds ids and numbers only."""

    request: str
    status: int
    body: bytes
    at: datetime
