"""Accepted skills in the store."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING

from diarist.errors import NotFoundError
from diarist.model.codec import from_json, to_json
from diarist.model.ids import make_id
from diarist.model.observation import NAMESPACE
from diarist.model.record import Record, RecordFilter, SearchText
from diarist.model.redacted import Redacted, derived
from diarist.model.skill import AcceptedSkill

if TYPE_CHECKING:
    from diarist.ports import Store, Transaction


def skill_id(project: str, name: str, namespace: str = NAMESPACE) -> str:
    """Id of the record of an accepted skill."""
    return make_id("skill", namespace, project, name)


def put_skill(tx: Transaction, skill: AcceptedSkill, project: Redacted, *, at: datetime, action: str) -> None:
    """Writes the record of an accepted skill. Search does not find it by its words: `skill_use.match_skills` offers it where it fits."""
    body = to_json(skill)
    record = Record(
        id=skill_id(project, skill.name, skill.namespace),
        kind="skill",
        namespace=derived(skill.namespace),
        project=project,
        task_id=derived(skill.name),
        title=skill.title,
        trust="person",
        created_at=skill.accepted_at,
        updated_at=at,
        digest=hashlib.sha256(body).hexdigest(),
        body=body,
    )
    tx.put_record(record, SearchText(), action=action)


def list_skills(store: Store, project: str | None = None, *, retired: bool = False) -> list[tuple[Record, AcceptedSkill]]:
    """Accepted skills, by name; with `retired` those that were taken back too."""
    where = RecordFilter(kinds=("skill",), project=project, include_inactive=retired)
    found = [(record, from_json(record.body, AcceptedSkill)) for record in store.list_records(where)]
    return sorted(found, key=lambda each: (each[1].name, each[0].project, each[0].id))


def find_skill(store: Store, project: str, name: str, namespace: str = NAMESPACE) -> AcceptedSkill | None:
    """The accepted skill of this name; None where there is none (any more)."""
    record = store.get_record(skill_id(project, name, namespace))
    return from_json(record.body, AcceptedSkill) if record is not None and record.status == "active" else None


def replaced_skill(store: Store, record_id: str, proposal: str) -> AcceptedSkill | None:
    """The accepted skill that the acceptance of this proposal replaced; None where nothing was there, or history was erased."""
    before = current = last = None
    for event in store.get_history(record_id):
        body = event.payload.partition(b"\n")[2] if event.payload else b""
        last = body or last
        if event.action == "accept":
            before = current
        current = None if event.action == "retract" else last
    if before is None or current is None or from_json(current, AcceptedSkill).proposal_id != proposal:
        return None
    skill = from_json(before, AcceptedSkill)
    return skill if skill.proposal_id != proposal else None


def get_skill(store: Store, name: str, project: str | None = None) -> tuple[Record, AcceptedSkill]:
    """The accepted skill of this name (or id). Raises NotFoundError."""
    for record, skill in list_skills(store, project):
        if name in (skill.name, record.id):
            return record, skill
    raise NotFoundError(f"no accepted skill is called {name!r}. `diarist skills list` shows them.")
