"""`harn.pattern_learning.v1` records of other systems → observations, proposals and states of ours."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from diarist.app.mining import proposal_of_skill
from diarist.app.observing import learning_state, observation_id, put_observation, put_state, read_tool
from diarist.app.review import file_proposal, latest_round
from diarist.app.sources import SourceProblem
from diarist.errors import InvalidInputError
from diarist.model.observation import LearningState, Observation
from diarist.model.redacted import Redacted, derived
from diarist.model.skill import Skill, SkillStep
from diarist.text.clip import clip

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.proposal import Proposal
    from diarist.ports import Transaction

_PROMPT = 2_000


class Migrated(msgspec.Struct):
    """What a migration did. Falsy fields that say nothing are left out of `as_dict`."""

    migrated: bool = False
    already_done: bool = False
    skipped: bool = False
    unavailable: bool = False
    marker_status: str = ""
    dry_run: bool = False
    why: str = ""
    observations: int = 0
    proposals: int = 0
    states: int = 0
    known: int = 0
    problems: list[SourceProblem] = msgspec.field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """As Harn tells it: `migrated` always, the rest where it is so."""
        told = {name: value for name, value in msgspec.structs.asdict(self).items() if value and name != "problems"}
        return {"migrated": self.migrated, **told, **({"problems": [each._asdict() for each in self.problems]} if self.problems else {})}


def take_record(
    box: Toolbox, tx: Transaction, stream: str, raw: Mapping[str, Any], scope: Redacted, namespace: str, report: Migrated
) -> None:
    """Writes one record. Raises InvalidInputError, or what a malformed one causes (KeyError, TypeError, ValueError)."""
    if stream == "observations":
        made = read_observation(box, raw, scope, namespace)
        # What local sources told of the same run is better than what comes back from elsewhere.
        known = box.store.get_record(made.id)
        native = known is not None and known.trust != "import"
        new = not native and put_observation(tx, made, trust="import", at=box.now(), namespace=namespace)
        report.observations += new
        report.known += not new
    elif stream == "pending":
        proposal = _read_pending(box, raw, scope, namespace)
        new = latest_round(box.store, "skill", scope, proposal.key) is None
        if new:
            file_proposal(box, tx, proposal, at=box.now())
        report.proposals += new
        report.known += not new
    else:
        _take_state(box, tx, raw, scope, namespace)
        report.states += 1


def read_observation(box: Toolbox, raw: Mapping[str, Any], scope: Redacted, namespace: str) -> Observation:
    """An observation of Harn's or Burin's form; camelCase names are understood. Tool names are kept whole.

    Raises InvalidInputError where prompt, session or tools are missing.
    """
    redact = box.reader().redactor.redact
    prompt = redact(str(_field(raw, "prompt")))
    session = redact(str(_field(raw, "session_id", "sessionId")))
    run = redact(str(raw.get("run_id") or raw.get("runId") or raw.get("id") or ""))
    tools = raw.get("tool_sequence", raw.get("toolSequence")) or []
    if not prompt.strip() or not session.strip() or not isinstance(tools, list):
        raise InvalidInputError("an observation needs a prompt, a session and a list of tools")
    return Observation(
        id=observation_id(scope, session, run, namespace),
        source_id=redact(str(raw.get("source_id") or raw.get("sourceId") or f"{session}::{run}")),
        session_id=session,
        run_id=run,
        evidence_kind="import",
        prompt=derived(clip(" ".join(prompt.split()), _PROMPT)),
        tools=tuple(read_tool(tool, box) for tool in tools[:300]),
        outcome="unknown",
        observed_at=read_time(_field(raw, "observed_at", "observedAt")),
        project=scope,
    )


def _read_pending(box: Toolbox, raw: Mapping[str, Any], scope: Redacted, namespace: str) -> Proposal:
    """A proposal that waited there. It comes as a curated one: nothing here bears it out, so it cannot be accepted as it is."""
    redact = box.reader().redactor.redact
    title = redact(" ".join(str(_field(raw, "title", "name")).split()))
    name = redact(str(raw.get("name") or title)).lower()  # before it is cut up
    body = redact(str(raw.get("body") or raw.get("description") or title))
    when = str(raw.get("when_to_use") or raw.get("whenToUse") or "")
    samples = raw.get("sample_prompts", raw.get("samplePrompts")) or []
    skill = Skill(
        name="-".join(part for part in "".join(char if char.isascii() and char.isalnum() else "-" for char in name).split("-") if part)[
            :64
        ],
        title=title,
        description=redact(" ".join(f"{raw.get('description') or title} {when}".split()))[:1024],  # type: ignore[arg-type]
        source="curated",
        steps=tuple(SkillStep(text=redact(f"Call `{tool}`"), tool=redact(str(tool))) for tool in raw.get("tool_sequence") or ()),
        examples=tuple(redact(str(sample)) for sample in samples[:5]),
        support=0,
        body=body,
    )
    if not skill.name:
        raise InvalidInputError("a pending proposal needs a name")
    told = raw.get("created_at") or raw.get("createdAt")
    at = box.now() if told is None else read_time(told)
    return proposal_of_skill(box.store, skill, scope, (), at, namespace)


def _take_state(box: Toolbox, tx: Transaction, raw: Mapping[str, Any], scope: Redacted, namespace: str) -> None:
    """Enablement and rests; what rests here and there, rests until the later of both times."""
    known = learning_state(box.store, scope, namespace)
    told = raw.get("suppressed_until", raw.get("suppressedUntil")) or {}
    suppressed = dict(known.suppressed_until)
    for key, until in told.items():
        at = read_time(until)
        suppressed[str(key)] = max(at, suppressed.get(str(key), at))
    # What was set here holds: a person may have decided otherwise since.
    enabled = raw.get("enabled", True) is not False if known.updated_at is None else known.enabled
    state = LearningState(enabled=enabled, suppressed_until=dict(sorted(suppressed.items())), updated_at=box.now())
    put_state(tx, scope, state, at=box.now(), namespace=namespace)


def _field(raw: Mapping[str, Any], *names: str) -> Any:
    for name in names:
        if raw.get(name) is not None:
            return raw[name]
    raise InvalidInputError(f"it has no {names[0]}")


def read_time(value: Any) -> datetime:
    """ISO text or seconds since 1970, as an aware UTC time. Raises InvalidInputError."""
    try:
        at = datetime.fromtimestamp(value, UTC) if isinstance(value, int | float) else datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidInputError(f"{str(value)[:40]!r} is not a time") from error
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
