"""Keys and the audit trail: for admins. Signing out."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, cast

from diarist.app.keys import Grant
from diarist.asgi.problems import Problem
from diarist.errors import DiaristError
from diarist.model.access import ROLES
from diarist.text.durations import parse_duration
from diarist.web.page import Go, Shown, Visit, number_of

if TYPE_CHECKING:
    from diarist.app.memory import Memory
    from diarist.model.access import Role

PAGE = 100


def keys(visit: Visit, secret: str = "", problem: str = "", status: int = 200) -> Shown:
    """Keys of the tenant: what they allow, when they were last used."""
    hub = _hub(visit)
    now = hub.now()
    found = [(key, key.is_good(now)) for key in hub.api_keys(visit.caller.tenant)]
    values = {"keys": found[::-1], "roles": ROLES, "secret": secret, "problem": problem, "none_yet": not visit.door.needs_key()}
    return Shown("keys.html", values, status)


def add_key(visit: Visit) -> Shown:
    """Makes a key and shows it, this once."""
    hub, form = _hub(visit), visit.form
    try:
        until = hub.now() + parse_duration(form["expires"]) if form.get("expires") else None
        role = cast("Role", form.get("role", "read"))
        made = hub.add_key(Grant(form.get("name", ""), role, visit.caller.tenant, form.get("project") or None, until))
    except DiaristError as error:
        return keys(visit, problem=str(error), status=422)
    visit.door.key_was_made()
    return keys(visit, secret=made.secret)


def revoke_key(visit: Visit) -> Go:
    """Makes a key worthless from now on."""
    _hub(visit).revoke_key(visit.form.get("id", ""), tenant=visit.caller.tenant)
    return Go("/keys")


def audit(visit: Visit) -> Shown:
    """Every change of every record, newest page first."""
    if visit.caller.project is not None:
        raise Problem(403, "the audit trail is the tenant's; use a key without a project")
    last = visit.memory.last_change()
    until = number_of(visit.query.get("until", ""), last, last) or last
    events = list(islice(visit.memory.audit(after=max(0, until - PAGE)), PAGE))
    return Shown("audit.html", {"events": events[::-1], "older": until - PAGE if until > PAGE else None, "last": last})


def sign_out(visit: Visit) -> Go:
    """Forgets the visit."""
    del visit
    return Go("/login", "")


def _hub(visit: Visit) -> Memory:
    if visit.caller.project is not None:
        raise Problem(403, "keys are the tenant's; use a key without a project")
    return visit.room.memory()
