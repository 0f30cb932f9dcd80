"""Pattern learning as Harn keeps it: observation, pending and state records of `harn.pattern_learning.v1` in an `events.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from diarist.app.mining import namespace_of, rest_of, skill_of
from diarist.app.observing import learning_state, list_observations
from diarist.app.review import list_proposals
from diarist.model.observation import NAMESPACE, SCHEMA, LearningState

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.observation import Observation
    from diarist.model.proposal import Proposal


def project_records(box: Toolbox, project: str, namespace: str = NAMESPACE) -> Iterator[tuple[str, str, datetime, dict[str, Any]]]:
    """(record kind, key, time, value) of everything that is active: observations by time, then pending proposals, then the state."""
    store = box.store
    for observation in sorted(list_observations(store, project, namespace=namespace), key=lambda each: (each.observed_at, each.id)):
        yield "observation", f"observation:{observation.id}", observation.observed_at, _observation(observation)
    for proposal in sorted(list_proposals(store, kinds=("skill",), project=project), key=lambda each: (-len(each.session_ids), each.id)):
        if namespace_of(proposal) == namespace:
            yield "pending", f"pending:{proposal.id}", proposal.created_at, _pending(proposal)
    state = _state(box, project, namespace)
    if state.updated_at is not None:
        resting = {key: _iso(until) for key, until in sorted(state.suppressed_until.items())}
        yield (
            "state",
            "state",
            state.updated_at,
            {"enabled": state.enabled, "suppressed_until": resting, "updated_at": _iso(state.updated_at)},
        )


def _state(box: Toolbox, project: str, namespace: str) -> LearningState:
    """Enablement, and until when each rejected matter rests."""
    state = learning_state(box.store, project, namespace)
    rejected = [
        each
        for each in list_proposals(box.store, states=("rejected",), kinds=("skill",), project=project)
        if namespace_of(each) == namespace
    ]
    resting = {each.key: each.decisions[-1].at + rest_of(box) for each in rejected}
    times = [each.decisions[-1].at for each in rejected] + ([state.updated_at] if state.updated_at else [])
    return msgspec.structs.replace(state, suppressed_until={**state.suppressed_until, **resting}, updated_at=max(times, default=None))


def project_events(box: Toolbox, project: str, namespace: str = NAMESPACE) -> Iterator[bytes]:
    """The same as lines of an `events.jsonl` that Harn reads."""
    for kind, key, at, value in project_records(box, project, namespace):
        told = {"schema": SCHEMA, "record_kind": kind, **value}
        event = {
            "type": "store",
            "id": f"{kind}-{value.get('id', key)}",
            "namespace": namespace,
            "key": key,
            "value": told,
            "text": json.dumps(told, ensure_ascii=False, sort_keys=True),
            "tags": sorted(["pattern_learning", f"pattern_learning:{kind}", f"schema:{SCHEMA}"]),
            "stored_at": _iso(at),
            "provenance": {"source": "harn.pattern_learning"},
        }
        yield json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def _observation(observation: Observation) -> dict[str, Any]:
    return {
        "id": observation.id,
        "source_id": observation.source_id,
        "session_id": observation.session_id,
        "run_id": observation.run_id,
        "evidence_kind": observation.evidence_kind,
        "prompt": observation.prompt,
        "tool_sequence": [tool.name for tool in observation.tools],
        "outcome": observation.outcome,
        "observed_at": _iso(observation.observed_at),
    }


def _pending(proposal: Proposal) -> dict[str, Any]:
    skill = skill_of(proposal)
    return {
        "id": proposal.id,
        "kind": "skill",
        "source": "agent_curated" if skill.source == "curated" else "prompt_cluster",
        "name": skill.name,
        "title": proposal.shown_title,
        "description": skill.description,
        "when_to_use": skill.description.partition(" Use when ")[2] or skill.description,
        "body": proposal.shown_body,
        "support": skill.support,
        "sample_prompts": list(skill.examples[:3]),
        "tool_sequence": [step.tool for step in skill.steps if not step.optional],
        "created_at": _iso(proposal.created_at),
        "last_seen_at": _iso(skill.last_at or proposal.created_at),
        "evidence_ids": list(proposal.evidence),
    }


def _iso(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")
