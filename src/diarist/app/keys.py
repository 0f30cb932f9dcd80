"""The hub's keys: made and shown once, kept as a hash, scoped, expiring, revocable."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from diarist.errors import AmbiguousIdError, InvalidInputError, NotFoundError
from diarist.model.access import ROLES, ApiKey, Caller, Role

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox

PREFIX = "diarist_"
"""Of every key, so that people and secret scanners know one when they see it."""
SECRET_BYTES = 32
TOUCH_EVERY = timedelta(minutes=1)
MAX_NAME = 120


class NewKey(NamedTuple):
    """A key as it was made. `secret` is the key itself: this is the only time it can be seen."""

    key: ApiKey
    secret: str


class Grant(NamedTuple):
    """What a key is to allow. `project` None: every project of the tenant; `expires_at` None: until it is revoked."""

    name: str
    role: Role = "write"
    tenant: str = "local"
    project: str | None = None
    expires_at: datetime | None = None


def add_key(box: Toolbox, grant: Grant, random: bytes) -> NewKey:
    """Makes a key out of 32 random bytes.

    Raises
    ------
    InvalidInputError
        The name is blank or long, the role is none, or it would have expired already.
    """
    name = box.reader().redactor.redact(grant.name.strip())
    if not name or len(name) > MAX_NAME:
        raise InvalidInputError(f"a key needs a name of 1 to {MAX_NAME} characters, to know it by")
    if grant.role not in ROLES:
        raise InvalidInputError(f"{grant.role!r} is no role; use one of {', '.join(ROLES)}")
    if not _is_tenant(grant.tenant):
        raise InvalidInputError("a tenant is named by 1 to 64 lower-case letters, digits, - and _")
    now = box.now()
    if grant.expires_at is not None and grant.expires_at <= now:
        raise InvalidInputError("the key would have expired already")
    if len(random) != SECRET_BYTES:
        raise InvalidInputError(f"a key is made of {SECRET_BYTES} random bytes")
    secret = PREFIX + _letters(random)
    digest = hash_of(secret)
    project = None if grant.project is None else str(box.reader().redactor.redact(grant.project))
    key = ApiKey(f"key-{digest[:12]}", digest, name, grant.tenant, project, grant.role, box.actor, now, grant.expires_at)
    with box.store.transaction(actor=box.actor, at=now) as tx:
        tx.add_api_key(key)
    return NewKey(key, secret)


def list_keys(box: Toolbox, tenant: str | None = None) -> list[ApiKey]:
    """Keys that open a tenant (None: any), oldest first, those that are no longer good too."""
    return [key for key in box.store.list_api_keys() if tenant in (None, key.opens)]


def revoke_key(box: Toolbox, wanted: str, tenant: str | None = None) -> ApiKey:
    """Makes a key worthless from now on; `wanted` is its id, the beginning of it, or its name.

    Raises
    ------
    NotFoundError, AmbiguousIdError
    """
    good = [key for key in list_keys(box, tenant) if key.revoked_at is None]
    found = [key for key in good if key.id == wanted] or [key for key in good if key.name == wanted or key.id.startswith(wanted)]
    if not found:
        raise NotFoundError(f"no key in use has the id or name {wanted!r}. `diarist keys list` shows them.")
    if len(found) > 1:
        raise AmbiguousIdError(wanted, [key.id for key in found])
    now = box.now()
    with box.store.transaction(actor=box.actor, at=now) as tx:
        tx.revoke_api_key(found[0].id, now)
    return found[0]._replace(revoked_at=now)


def find_caller(box: Toolbox, secret: str) -> Caller | None:
    """Who shows this key; None where it is none of ours, revoked or past its time. Notes now and then that it was used."""
    key = box.store.find_api_key(hash_of(secret)) if secret.startswith(PREFIX) else None
    now = box.now()
    if key is None or not key.is_good(now):
        return None
    if key.used_at is None or now - key.used_at >= TOUCH_EVERY:
        with box.store.transaction(actor=box.actor, at=now) as tx:
            tx.touch_api_key(key.id, now)
    return caller_of(key)


def caller_of(key: ApiKey) -> Caller:
    """Who a key stands for."""
    return Caller(key.name, key.role, key.opens, key.project, key.id)


def hash_of(secret: str) -> str:
    """SHA-256 (hex) of a key. Its 256 random bits need no slow hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _is_tenant(name: str) -> bool:
    return 1 <= len(name) <= 64 and name.isascii() and all(c.islower() or c.isdigit() or c in "-_" for c in name)


_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _letters(random: bytes) -> str:
    """The bytes as 43 letters and digits: no mark that a shell or a double click would stop at."""
    number, told = int.from_bytes(random, "big"), ""
    while len(told) < 43:
        number, rest = divmod(number, 62)
        told += _ALPHABET[rest]
    return told
