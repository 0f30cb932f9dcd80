"""Observations for pattern learning: one for every ended run, at ingest or told by a host; and whether a project learns at all."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

import msgspec

from diarist.app.records import state_record
from diarist.app.times import utc
from diarist.errors import DiaristError, ErasedError, InvalidInputError
from diarist.model.codec import from_json, to_json
from diarist.model.entry import Outcome
from diarist.model.ids import make_id
from diarist.model.observation import NAMESPACE, EvidenceKind, LearningState, Observation, ToolUse
from diarist.model.record import Record, RecordFilter, SearchText, Trust
from diarist.model.redacted import Redacted, derived
from diarist.model.skill import FILE
from diarist.stages.briefing import CARD
from diarist.text.clip import clip
from diarist.text.lazy import lazy

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.entry import Entry
    from diarist.model.session import Session, Step
    from diarist.ports import Store, Transaction

_SWEEP_EVERY = 512
_PROMPT = 2_000
_MOST_TOOLS = 300
_MOST_WORDS = 10
_WORD = 60
_SKILL_TOOLS = ("skill", "load_skill", "activate_skill")
_SKILL_NAMES = ("skill", "name", "command", "skill_name")
_SKILL_FILE = lazy(r"(?:^|[/\\])([a-z0-9]+(?:-[a-z0-9]+)*)[/\\]SKILL\.md\Z")
_CARD = lazy(rf"^- kh-[a-z2-7]{{16}} \([^()\n]*{re.escape(CARD)}\): ([a-z0-9]+(?:-[a-z0-9]+)*): ", re.MULTILINE)

_SEARCH_WORDS = """
    grep glob ls find search list rg ripgrep file files dir directory content code codebase symbol symbols pattern tool text web
    fetch google browse browser page url visit website navigate http request get read open semantic query for in by name folder
    workspace path regex functions default api
"""
_PLAIN_SEARCH = frozenset(_SEARCH_WORDS.split())
_PRINTERS = frozenset(("cat", "sed", "head", "tail", "less", "more", "bat", "batcat", "nl", "awk", "type", "gc", "get-content"))

ToolSpec = str | Mapping[str, Any]
"""A tool's name, or {"name": …, "arguments": {…} or "shape": …, "error": true}."""


class Observed(NamedTuple):
    """What became of a run that was to be observed. `why`: in plain words, where it was not kept or was kept before."""

    observed: bool
    observation_id: str = ""
    enabled: bool | None = None
    """None: could not be read."""
    unavailable: bool = False
    why: str = ""


# --- observing ------------------------------------------------------------------------------------------------------------


class Told(NamedTuple):
    """An ended run as a host tells it. Without `run_id`, the time and the prompt name the run; `observed_at` None: now."""

    session_id: str
    prompt: str
    tools: Sequence[ToolSpec] = ()
    observed_at: datetime | None = None
    outcome: str = "completed"
    project: str = ""
    run_id: str = ""
    evidence_kind: EvidenceKind = "manual"
    namespace: str = NAMESPACE


def observe(box: Toolbox, told: Told) -> Observed:
    """Keeps what a host tells of an ended run. Never raises: a host must not fail because learning did.

    The same session and run again replace the observation.
    """
    enabled: bool | None = None
    try:
        scope = box.reader().redactor.redact(told.project)
        told = told._replace(namespace=box.reader().redactor.redact(told.namespace))
        enabled = learning_state(box.store, scope, told.namespace).enabled
        if not enabled:
            return Observed(False, enabled=False, why="learning is disabled for this project")
        made = _read(box, told, scope)
        with box.store.transaction(actor=box.actor, at=box.now()) as tx:
            new = put_observation(tx, made, trust="host", at=box.now(), namespace=told.namespace)
        if box.store.last_seq() % _SWEEP_EVERY == 0:
            sweep(box, scope, told.namespace)
    except Exception as error:  # noqa: BLE001 - whatever it is: the host's run is done, and learning must not undo that
        why = str(error) if isinstance(error, DiaristError | TypeError | ValueError) else ""
        return Observed(False, enabled=enabled, unavailable=True, why=why or type(error).__name__)
    return Observed(True, made.id, enabled=True, why="" if new else "it was known already")


def _read(box: Toolbox, told: Told, scope: Redacted) -> Observation:
    """Raises InvalidInputError for what cannot be an observation."""
    redact = box.reader().redactor.redact
    at = utc(told.observed_at or box.now(), "observed_at")
    text = redact(told.prompt)
    if told.outcome not in get_args(Outcome):
        raise InvalidInputError(f"there is no outcome {told.outcome[:40]!r}; use one of {', '.join(get_args(Outcome))}")
    if not told.session_id.strip() or not text.strip():
        raise InvalidInputError("a run needs a session id and a prompt to be observed")
    run = redact(told.run_id) or derived(hashlib.sha256(f"{at.isoformat()}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16])
    return Observation(
        id=observation_id(scope, redact(told.session_id), run, told.namespace),
        source_id=derived(f"{redact(told.session_id)}::{run}"),
        session_id=redact(told.session_id),
        run_id=run,
        evidence_kind=told.evidence_kind,
        prompt=derived(clip(text.strip(), _PROMPT)),
        tools=tuple(read_tool(each, box) for each in told.tools[:_MOST_TOOLS]),
        outcome=cast("Outcome", told.outcome),
        observed_at=at,
        project=scope,
    )


def observation_id(project: str, session: str, run: str, namespace: str = NAMESPACE) -> str:
    """Id of the observation of a run."""
    place = () if namespace == NAMESPACE else (namespace,)
    return make_id("observation", *place, project, session, run)


def entry_observation(entry: Entry, tools: Sequence[ToolUse], offered: Sequence[str] = ()) -> Observation | None:
    """The observation of a distilled run; None where it has no prompt to learn from."""
    if not entry.prompt.strip():
        return None
    return Observation(
        id=make_id("observation", entry.id),  # names may be masked anew later; the entry's id stays
        source_id=derived(f"{entry.session_id}::{entry.id}"),
        session_id=entry.session_id,
        run_id=derived(entry.id),
        prompt=derived(clip(entry.prompt.strip(), _PROMPT)),
        tools=tuple(tools[:_MOST_TOOLS]),
        outcome=entry.outcome,
        verified=entry.verified,
        observed_at=entry.created_at,
        project=entry.project,
        entry_id=entry.id,
        offered=tuple(offered),
    )


def observe_entry(
    box: Toolbox, tx: Transaction, entry: Entry, tools: Sequence[ToolUse], offered: Sequence[str] = (), *, learns: bool | None = None
) -> bool:
    """Keeps the observation of a run that was just distilled, where the project learns. True where something was written.

    `learns`: whether it does, where the caller has looked that up.
    """
    made = entry_observation(entry, tools, offered)
    if made is None or not (learning_state(box.store, entry.project).enabled if learns is None else learns):
        return False
    try:
        return put_observation(tx, made, trust="agent", at=box.now())
    except ErasedError:
        return False


def put_observation(tx: Transaction, made: Observation, *, trust: Trust, at: datetime, namespace: str = NAMESPACE) -> bool:
    """Writes it; False where it stands there already, the same."""
    return tx.put_record(observation_record(made, trust=trust, at=at, namespace=namespace), SearchText(), action="observe")


def observation_record(made: Observation, *, trust: Trust, at: datetime, namespace: str = NAMESPACE) -> Record:
    """The record of an observation."""
    body = to_json(made)
    return Record(
        id=made.id,
        kind="observation",
        namespace=derived(namespace),
        project=made.project,
        session_id=made.session_id,
        outcome=made.outcome,
        verified=made.verified,
        title=derived(clip(" ".join(made.prompt.split()), 80)),
        trust=trust,
        created_at=made.observed_at,
        updated_at=at,
        digest=hashlib.sha256(body).hexdigest(),
        body=body,
    )


def list_observations(
    store: Store, project: str | None, *, since: datetime | None = None, until: datetime | None = None, namespace: str = NAMESPACE
) -> Iterator[Observation]:
    """Observations of a project (None: of all), by id. `until` is included."""
    before = None if until is None else until + timedelta(microseconds=1)
    where = RecordFilter(kinds=("observation",), namespace=namespace, project=project, since=since, before=before)
    decode = msgspec.json.Decoder(Observation).decode
    for _, _, body in store.list_bodies(where, sort="id"):
        yield decode(body)


def sweep(box: Toolbox, project: str, namespace: str = NAMESPACE, kept: int | None = None) -> int:
    """Removes all but the newest observations of a project for good; returns how many went. `kept` None: as it is set."""
    kept = box.settings.get("patterns.keep") if kept is None else kept
    where = RecordFilter(kinds=("observation",), namespace=namespace, project=project)
    if box.store.count_records(where) <= kept:
        return 0
    ids = [each for each, _, _ in box.store.list_bodies(where, sort="-created_at")][kept:]
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        for each in ids:
            tx.erase_record(each)
    return len(ids)


# --- whether to learn -----------------------------------------------------------------------------------------------------


def learning_state(store: Store, project: str, namespace: str = NAMESPACE) -> LearningState:
    """Whether a project learns; the default is that it does."""
    record = store.get_record(state_id(project, namespace))
    return from_json(record.body, LearningState) if record is not None and record.status == "active" else LearningState()


def set_learning(box: Toolbox, project: str, enabled: bool, namespace: str = NAMESPACE) -> LearningState:
    """Switches learning on or off for a project; nothing that was learned is lost. One write: there is no moment without a state."""
    scope = box.reader().redactor.redact(project)
    state = msgspec.structs.replace(learning_state(box.store, scope, namespace), enabled=enabled, updated_at=box.now())
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        put_state(tx, scope, state, at=box.now(), namespace=namespace)
    return state


def put_state(tx: Transaction, project: Redacted, state: LearningState, *, at: datetime, namespace: str = NAMESPACE) -> None:
    """Writes the state of a project, in the caller's transaction."""
    record = state_record(
        state_id(project, namespace), to_json(state), namespace=namespace, title="pattern learning", at=at, project=project
    )
    tx.put_record(record, SearchText(), action="enable" if state.enabled else "disable")


def state_id(project: str, namespace: str = NAMESPACE) -> str:
    """Id of the record that holds a project's learning state."""
    return make_id("state", namespace, project)


# --- tools ----------------------------------------------------------------------------------------------------------------


class CallTap:
    """Notes the calls of the main agent, with what became of each, and the skills it was told of, while a session's steps are
    read by somebody else.
    """

    def __init__(self) -> None:
        self._steps: Iterable[Step] = ()
        self._uses: list[ToolUse] = []
        self._offered: set[str] = set()
        self._by_call: dict[str, int] = {}

    def watch(self, session: Session) -> Session:
        """The session, its steps passing through here."""
        self._steps = session.steps
        return msgspec.structs.replace(session, steps=self)

    def __iter__(self) -> Iterator[Step]:
        self._uses, self._by_call, self._offered = [], {}, set()
        for step in self._steps:
            if step.kind == "call" and not step.actor:
                self._note(step)
            elif step.kind == "result" and (step.error or step.exit_code):
                at = self._by_call.get(step.call_id)
                if at is not None:
                    self._uses[at] = msgspec.structs.replace(self._uses[at], error=True)
            if step.kind != "call" and CARD in step.text:
                self._offered.update(_CARD.findall(step.text))
            yield step

    @property
    def uses(self) -> tuple[ToolUse, ...]:
        """The calls of the last pass, in order."""
        return tuple(self._uses)

    @property
    def offered(self) -> tuple[str, ...]:
        """Names of the accepted skills whose cards stood in what the agent was given, sorted."""
        return tuple(sorted(self._offered))

    def _note(self, step: Step) -> None:
        if len(self._uses) >= _MOST_TOOLS or not step.tool.strip():
            return
        if step.call_id:
            self._by_call[step.call_id] = len(self._uses)
        self._uses.append(tool_use(step.tool, step.arguments, step.text))


def tool_use(name: Redacted, arguments: Mapping[str, Any] | None, text: str = "") -> ToolUse:
    """One call, with what it does and a short shape of its (redacted) arguments."""
    from diarist.stages.distil.actions import understand_call

    if name.lower().replace("-", "_") in _SKILL_TOOLS:
        told = next((value for key in _SKILL_NAMES if isinstance(value := (arguments or {}).get(key), str)), text)
        skill = derived(told.strip().removeprefix("/").rpartition(":")[2][:_WORD])
        return ToolUse(name=name, shape=skill, skill=skill)
    act = understand_call(name, arguments, text)
    if name.startswith("mcp__") or act.kind == "other" or (act.kind in ("search", "web") and not _is_plain(name)):
        return ToolUse(name=name, shape=derived(", ".join(f"`{key}`" for key in sorted(arguments or {})[:6])))
    if act.kind == "shell":
        return ToolUse(name=name, kind="shell", shape=command_shape(act.command), skill=_read_skill(act.command))
    path = (act.changes[0].path if act.changes else "") or (act.paths[0] if act.paths else "")
    parts = path.replace("\\", "/").rstrip("/").split("/")
    shape = "/".join(parts[-2:]) if parts[-1] == "SKILL.md" else parts[-1]
    loads = _SKILL_FILE.search(path) if act.kind == "read" else None
    return ToolUse(name=name, kind=act.kind, shape=derived(shape[-2 * _WORD :]), skill=derived(loads[1] if loads else ""))


def _read_skill(command: str) -> Redacted:
    """The skill whose file a command line prints: agents without a tool for skills read them so."""
    from diarist.stages.distil.commands import understand

    if FILE not in command:
        return Redacted("")
    for program in understand(command[:2_000]).programs:
        if program.name in _PRINTERS and not program.writes:
            found = next((match for word in program.words[1:] if (match := _SKILL_FILE.search(word))), None)
            if found:
                return derived(found[1])
    return Redacted("")


def _is_plain(name: str) -> bool:
    """False for a tool that searches something of its own, as search_direct_flight."""
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
    return all(word in _PLAIN_SEARCH for word in words)


def command_shape(command: str) -> Redacted:
    """The part of a command line that says what it was for, wrappers and long words taken off."""
    from diarist.stages.distil.commands import understand

    line = understand(command[:2_000])
    main = next((program for program in line.programs if program.kind == line.kind), None)
    if main is None or not main.words:
        return Redacted("")
    words = [main.name, *main.words[1:_MOST_WORDS]]
    return derived(" ".join(word if len(word) <= _WORD and word.isprintable() and " " not in word else "<text>" for word in words))


def read_tool(told: object, box: Toolbox) -> ToolUse:
    """A tool as a host tells it. Raises InvalidInputError for what is none."""
    redactor = box.reader().redactor
    if isinstance(told, str):
        return tool_use(redactor.redact(told), None)
    if not isinstance(told, Mapping) or not isinstance(told.get("name"), str):
        raise InvalidInputError("a tool is told by its name, or as an object with a name")
    arguments = told.get("arguments")
    made = tool_use(redactor.redact(told["name"]), redactor.json(dict(arguments)) if isinstance(arguments, Mapping) else None)
    if isinstance(told.get("shape"), str):
        made = msgspec.structs.replace(made, shape=redactor.redact(told["shape"][:200]))
    return msgspec.structs.replace(made, error=bool(told.get("error", False)))
