"""`/v1/stats`, `/v1/keys`, `/v1/audit`: numbers for everybody, and what only an admin may see."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from diarist.app.keys import Grant
from diarist.app.worth import as_plain
from diarist.asgi.problems import Problem
from diarist.asgi.reading import iso
from diarist.http_api.answered import Audit, Event, Key, KeyList, KeyMade, Numbers
from diarist.http_api.route import Call, Reply
from diarist.text.durations import parse_duration

if TYPE_CHECKING:
    from diarist.app.memory import Memory
    from diarist.model.access import ApiKey


def stats(call: Call) -> Numbers:
    """Outcomes over time, agents, projects, errors that come back, tokens and cost; and what the usefulness ledger knows."""
    told = call.memory.stats(days=call.query.days, project=call.query.project)
    plain: dict[str, Any] = told._asdict()
    for name in ("by_day", "agents", "projects", "errors"):
        plain[name] = [each._asdict() for each in plain[name]]
    return Numbers(**plain, usefulness=as_plain(call.memory.usefulness()))


def list_keys(call: Call) -> KeyList:
    """Keys of this tenant. A key itself is never told again."""
    now = call.memory.now()
    return KeyList(keys=[_key(each, good=each.is_good(now)) for each in _hub(call).api_keys(call.caller.tenant)])


def add_key(call: Call) -> Reply:
    """Makes a key for this tenant. It is shown in this answer and never again."""
    body = call.body
    until = call.memory.now() + parse_duration(body.expires) if body.expires else None
    made = _hub(call).add_key(Grant(body.name, body.role, call.caller.tenant, body.project, until))
    return Reply(KeyMade(id=made.key.id, secret=made.secret), 201, {"cache-control": "no-store"})


def revoke_key(call: Call) -> Key:
    """Makes a key worthless from now on."""
    key = _hub(call).revoke_key(call.ids["id"], tenant=call.caller.tenant)
    return _key(key, good=False)


def audit(call: Call) -> Audit:
    """Every change of every record: who, what, when; with the commitment that proves it. Texts are not told."""
    if call.caller.project is not None:
        raise Problem(403, "the audit trail is the tenant's; use a key without a project")
    limit = call.query.limit
    events = list(islice(call.memory.audit(after=call.query.after), limit + 1))
    told = [
        Event(
            seq=each.seq,
            record_id=each.record_id,
            action=each.action,
            actor=each.actor,
            at=iso(each.at),
            revision=each.revision,
            commitment=each.commitment,
        )
        for each in events[:limit]
    ]
    return Audit(events=told, next_after=told[-1].seq if len(events) > limit else None)


def _hub(call: Call) -> Memory:
    """The workspace that keeps the keys: the hub's own. What is asked of it names the caller's tenant."""
    if call.caller.project is not None:
        raise Problem(403, "keys are the tenant's; use a key without a project")
    return call.room.memory()


def _key(key: ApiKey, *, good: bool) -> Key:
    return Key(
        id=key.id,
        name=key.name,
        project=key.project,
        role=key.role,
        created_by=key.created_by,
        created_at=iso(key.created_at),
        expires_at=iso(key.expires_at) or None,
        revoked_at=iso(key.revoked_at) or None,
        used_at=iso(key.used_at) or None,
        good=good,
    )
