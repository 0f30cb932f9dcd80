"""Mining as a whole: observations in, skill proposals in the review queue out. Also curated proposals, which come with evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from diarist.app.observing import learning_state, list_observations, sweep
from diarist.app.records import entry_of
from diarist.app.review import current_evidence, file_proposal, latest_round, list_proposals, materially_changed, supersede
from diarist.app.skill_evidence import find_checks, find_pitfalls
from diarist.app.times import utc
from diarist.errors import InvalidInputError, UsageError
from diarist.model.codec import from_json, to_json
from diarist.model.ids import is_id
from diarist.model.observation import NAMESPACE, LearningState, Observation
from diarist.model.proposal import Proposal, proposal_id
from diarist.model.redacted import Redacted, derived
from diarist.model.skill import Skill, SkillQuote
from diarist.stages.patterns import WELL, Draft, mine
from diarist.stages.skillfile import render_body
from diarist.text.clip import clip

if TYPE_CHECKING:
    from diarist.app.review import Filed, Reopens
    from diarist.app.toolbox import Toolbox
    from diarist.model.entry import Entry
    from diarist.model.record import Record
    from diarist.ports import Store

WINDOW_DAYS = 14
SUPPORT = 3
_SAME = 0.5
"""A habit is the one of an earlier proposal if it shares so many of the sessions of the smaller of both."""
_MOST_EVIDENCE = 60
_MOST_QUOTES = 6
_BODY = 20_000


def mine_patterns(
    box: Toolbox,
    *,
    now: datetime,
    project: str = "",
    window_days: float = WINDOW_DAYS,
    support: int = SUPPORT,
    namespace: str = NAMESPACE,
    write: bool = True,
) -> list[Proposal]:
    """Looks for habits and files them for review; what is pending then, most support first.

    Where learning is disabled nothing is looked for. With `write=False` nothing is filed: what would be.

    Raises
    ------
    UsageError, InvalidInputError
        `support` is less than 2, the window is empty, or `now` tells no zone.
    """
    if support < 2 or window_days <= 0:
        raise UsageError("a pattern needs a support of at least 2 and a window of more than 0 days")
    at = utc(now, "now")
    scope = box.reader().redactor.redact(project)
    if not learning_state(box.store, scope, namespace).enabled:
        return [each for each in list_proposals(box.store, kinds=("skill",), project=scope) if namespace_of(each) == namespace]
    if write:
        sweep(box, scope, namespace)
    window = timedelta(days=window_days)
    observations = list(list_observations(box.store, scope, since=at - window, until=at, namespace=namespace))
    drafts = mine(observations, now=at, window=window, support=support)
    known = {each.id: each for each in observations}
    made = [_propose(box, each, known, scope, at, namespace) for each in drafts]
    filed = _file(box, scope, made, at, namespace) if write else _unfiled(box, scope, made, at, namespace)
    return sorted(filed, key=lambda each: (-len(each.session_ids), each.name, each.id))


# --- filing ---------------------------------------------------------------------------------------------------------------


def _file(box: Toolbox, scope: Redacted, made: Sequence[Proposal], at: datetime, namespace: str) -> list[Proposal]:
    known = _matters(box.store, scope, namespace)
    reopens = _may_reopen(learning_state(box.store, scope, namespace), at, rest_of(box))
    pending = []
    with box.store.transaction(actor=box.actor, at=at) as tx:
        placed = _placed(made, known)
        for proposal in placed:
            filed = file_proposal(box, tx, proposal, at=at, reopens=reopens)
            if filed.proposal.state == "pending":
                pending.append(filed.proposal)
        keys = {each.key for each in placed}
        for old in known:
            if old.state == "pending" and old.key not in keys and skill_of(old).source == "mined" and old.edit is None:
                supersede(tx, old, by="", actor=box.actor, at=at, why="its runs no longer bear it out")
    return pending


def _unfiled(box: Toolbox, scope: Redacted, made: Sequence[Proposal], at: datetime, namespace: str) -> list[Proposal]:
    """What filing would leave pending."""
    known = {each.key: each for each in _matters(box.store, scope, namespace)}
    may = _may_reopen(learning_state(box.store, scope, namespace), at, rest_of(box))
    placed = _placed(made, list(known.values()))
    return [each for each in placed if (old := known.get(each.key)) is None or old.state in ("pending", "superseded") or may(old, each)]


def rest_of(box: Toolbox) -> timedelta:
    """How long a rejected matter rests."""
    return timedelta(days=box.settings.get("patterns.rest_days"))


def _may_reopen(state: LearningState, at: datetime, rest: timedelta) -> Reopens:
    """A rejected matter rests; then it comes back with new evidence only. So does an accepted skill, where it is done otherwise
    by now: as a new version of it.
    """

    def reopens(decided: Proposal, new: Proposal) -> bool:
        rests = decided.decisions[-1].at + rest if decided.decisions else at
        rests = max(rests, state.suppressed_until.get(decided.key, rests))
        if not materially_changed(decided, new):
            return False
        if decided.state == "accepted":
            return _differs(skill_of(decided), skill_of(new)) and (at >= rests or skill_of(new).source == "curated")
        return decided.state == "rejected" and at >= rests

    return reopens


def _differs(old: Skill, new: Skill) -> bool:
    """True where other steps are needed, or somebody wrote another text."""
    needed = [{step.tool for step in skill.steps if not step.optional} for skill in (old, new)]
    return needed[0] != needed[1] or old.body != new.body


def _matters(store: Store, scope: Redacted, namespace: str) -> list[Proposal]:
    """The last round of each skill matter of a project, by key."""
    latest: dict[str, Proposal] = {}
    for each in list_proposals(store, states=(), kinds=("skill",), project=scope):
        if "steps" in each.payload and namespace_of(each) == namespace and (each.key not in latest or each.round > latest[each.key].round):
            latest[each.key] = each
    return [latest[key] for key in sorted(latest)]


def _placed(made: Sequence[Proposal], known: Sequence[Proposal]) -> list[Proposal]:
    """Each habit under the key and name it had before; a new one under a key that no other matter has."""
    mined = [each for each in known if skill_of(each).source == "mined"]
    likeness = sorted(
        ((-_overlap(new, old), new.key, old.key) for new in made for old in mined if _overlap(new, old) >= _SAME), key=lambda each: each
    )
    placed: dict[str, str] = {}
    for _, new, old in likeness:
        if new not in placed and old not in placed.values():
            placed[new] = old
    taken = {each.key for each in known}
    by_name = {each.key for each in mined}
    result = []
    for proposal in made:
        key = placed.get(proposal.key)
        if key is None:
            free = proposal.key not in placed.values() and (proposal.key not in taken or proposal.key in by_name)
            key = proposal.key if free else _free(proposal.key, taken | set(placed.values()))
        taken.add(key)
        placed[proposal.key] = key
        result.append(_under(proposal, key))
    return result


def _under(proposal: Proposal, key: str) -> Proposal:
    name = key.rpartition("/")[2]
    if key == proposal.key:
        return proposal
    payload = {**proposal.payload, "name": name}
    return msgspec.structs.replace(proposal, id=proposal_id("skill", proposal.project, key), key=key, name=derived(name), payload=payload)


def _free(key: str, taken: set[str]) -> str:
    number = 2
    while f"{key[:60].rstrip('-')}-{number}" in taken:
        number += 1
    return f"{key[:60].rstrip('-')}-{number}"


def _overlap(a: Proposal, b: Proposal) -> float:
    one, two = set(a.session_ids), set(b.session_ids)
    return len(one & two) / min(len(one), len(two)) if one and two else 0.0


# --- proposals of habits --------------------------------------------------------------------------------------------------


def _propose(
    box: Toolbox, found: Draft, observations: Mapping[str, Observation], scope: Redacted, at: datetime, namespace: str
) -> Proposal:
    good = [observations[each] for each in found.supporting]
    bad = [observations[each] for each in found.counter]
    entries = _entries(box.store, [*good, *bad][: 2 * _MOST_EVIDENCE])
    well = [entries[each.entry_id] for each in good if each.entry_id in entries]
    skill = Skill(
        name=skill_name(found.name, namespace),
        title=found.title,
        description=found.description,
        steps=found.steps,
        checks=find_checks(well),
        pitfalls=find_pitfalls(entries.values()),
        examples=found.examples,
        evidence=_cite(good),
        counter_evidence=_cite(bad),
        quotes=tuple(
            SkillQuote(id=each.entry_id or each.id, text=derived(clip(" ".join(each.prompt.split()), 200))) for each in good[:_MOST_QUOTES]
        ),
        support=len(found.session_ids),
        failed=len(found.failed_sessions),
        first_at=found.first_at,
        last_at=found.last_at,
    )
    return proposal_of_skill(box.store, skill, scope, found.session_ids, at, namespace)


def _cite(runs: Sequence[Observation]) -> tuple[str, ...]:
    """Ids of the newest runs (oldest first when handed in): of their diary entries where there are any."""
    return tuple(sorted({run.entry_id or run.id for run in runs[-_MOST_EVIDENCE:]}))


def skill_name(name: str, namespace: str) -> str:
    """The name of a skill and of its folder: two namespaces never share one."""
    if namespace == NAMESPACE:
        return name
    import hashlib

    mark = hashlib.sha256(namespace.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[:55].rstrip('-')}-{mark}"


def proposal_of_skill(store: Store, skill: Skill, scope: Redacted, sessions: Sequence[Redacted], at: datetime, namespace: str) -> Proposal:
    """A pending proposal of a skill, not filed yet."""
    key = skill.name if namespace == NAMESPACE else f"{namespace}/{skill.name}"
    cited = sorted({*skill.evidence, *skill.counter_evidence})
    return Proposal(
        id=proposal_id("skill", scope, key),
        kind="skill",
        key=key,
        name=derived(skill.name),
        project=scope,
        title=skill.title,
        body=render_body(skill),
        target=derived(f"the skill {skill.name}"),
        evidence=tuple(cited),
        evidence_digest=current_evidence(store, cited),
        session_ids=tuple(sessions),
        payload=_payload(skill, namespace),
        created_at=at,
    )


def _payload(skill: Skill, namespace: str) -> dict[str, Any]:
    return {**from_json(to_json(skill), dict), "namespace": namespace}


def skill_of(proposal: Proposal) -> Skill:
    """The skill that a proposal of kind skill holds."""
    return msgspec.convert({key: value for key, value in proposal.payload.items() if key != "namespace"}, Skill)


def namespace_of(proposal: Proposal) -> str:
    """The namespace a skill proposal belongs to."""
    return str(proposal.payload.get("namespace", NAMESPACE))


def _entries(store: Store, observations: Iterable[Observation]) -> dict[str, Entry]:
    found = {}
    for observation in observations:
        record = store.get_record(observation.entry_id) if observation.entry_id else None
        if record is not None and record.kind == "entry" and record.status == "active":
            found[record.id] = entry_of(record)
    return found


# --- curated proposals ----------------------------------------------------------------------------------------------------


class Curated(NamedTuple):
    """A skill that a model or a person wrote. `evidence`: ids of the records it rests on."""

    name: str
    title: str
    description: str
    body: str
    evidence: Sequence[str]
    project: str = ""
    namespace: str = NAMESPACE


def propose_skill(box: Toolbox, told: Curated, at: datetime | None = None) -> Filed:
    """Files a curated skill. Its Markdown is kept as it is (redacted), and a refresh of mined ones never touches it.

    What was rejected rests as a mined one does.

    Raises
    ------
    InvalidInputError
        A text or evidence that cannot be, or a mined proposal of that name waits.
    UsageError
        Learning is disabled for the project.
    """
    moment = utc(at or box.now(), "at")
    redact = box.reader().redactor.redact
    if not told.body.strip() or len(told.body) > _BODY or not told.title.strip() or not told.description.strip():
        raise InvalidInputError(f"a skill needs a title, a description and a body of at most {_BODY:,} characters")
    told = told._replace(name=redact(told.name), namespace=redact(told.namespace))
    scope = redact(told.project)
    state = learning_state(box.store, scope, told.namespace)
    if not state.enabled:
        raise UsageError("learning is disabled for this project, so nothing is proposed. `diarist patterns enable` switches it on.")
    found = _cited(box.store, told.evidence, scope)
    well = sorted({record.session_id for record in found if record.outcome in WELL and record.session_id})
    skill = Skill(
        name=skill_name(told.name, told.namespace),
        title=redact(" ".join(told.title.split())),
        description=redact(" ".join(told.description.split())),
        source="curated",
        evidence=tuple(record.id for record in found),
        support=len(well),
        first_at=min(record.created_at for record in found),
        last_at=max(record.created_at for record in found),
        body=redact(told.body),
    )
    proposal = proposal_of_skill(box.store, skill, scope, well, moment, told.namespace)
    with box.store.transaction(actor=box.actor, at=moment) as tx:
        last = latest_round(box.store, "skill", scope, proposal.key)
        if last is not None and last.state == "pending" and skill_of(last).source == "mined":
            raise InvalidInputError(
                f"a proposal called {last.name} waits already, found in what runs had in common. Hand this one in under another "
                f"name, or put your words into that one: `diarist review edit {last.name}`."
            )
        return file_proposal(box, tx, proposal, at=moment, reopens=_may_reopen(state, moment, rest_of(box)))


def _cited(store: Store, evidence: Sequence[str], scope: Redacted) -> list[Record]:
    """The records, by id."""
    ids = sorted(set(evidence))
    found = [record for each in ids if is_id(each) and (record := store.get_record(each)) is not None]
    if not found or len(found) < len(ids):
        unknown = ", ".join(sorted(set(ids) - {record.id for record in found})[:5]) or "none given"
        raise InvalidInputError(f"a skill must cite the records it rests on by their ids; unknown: {unknown}")
    if any(record.project != scope for record in found):
        raise InvalidInputError("a skill must rest on records of its own project")
    return found
