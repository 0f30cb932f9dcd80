"""ATIF, the Agent Trajectory Interchange Format of Harbor: one JSON document a run.

Runs that Diarist wrote come back as they were (`atif_own`). Other converters leave noise, and no error flag: it is read off
what they print into the results. Since the native transcript of the same run has other steps, such a trajectory is a
rendering of its session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diarist.importers.adapter import FormatImporter
from diarist.importers.atif_own import Placed, Where, is_own, note_facts, restored, trajectories
from diarist.importers.chat import add_output
from diarist.importers.claude_blocks import add_result, tool_outcome
from diarist.importers.documents import DocumentReading, decode_document, opening_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.glued import decode_lines
from diarist.importers.host_tasks import add_task
from diarist.importers.ledger import Ledger, Tally, Tokens
from diarist.importers.messages import tell
from diarist.importers.switches import SwitchWatch
from diarist.importers.values import (
    as_arguments,
    as_cost,
    as_dict,
    as_int,
    as_list,
    as_str,
    as_time,
    content_text,
    dicts,
    first_str,
    renamed,
)
from diarist.model.session import RawStep, SessionInfo
from diarist.text.lazy import lazy

_NOISE = lazy(r"Executed \S+ \S*_\S+\Z")
_DEPTH = 16
"""Subagents of subagents that are looked into."""
_FLAGS = ("metadata", "exitCode", "exit_code")
_SECTION = lazy(r"^\[(metadata|exitCode|exit_code|error|interrupted|stdout|stderr)\][ \t]*(.*)$", re.MULTILINE)


class AtifDocument:
    """The run of a file, or the runs of a file with a document on each line."""

    name = "atif/json"

    def __init__(self) -> None:
        self._agents: dict[str, str] = {}
        self._kept: dict[str, dict[str, Any]] = {}
        """By session: facts that Diarist wrote and that stand for themselves."""
        self._asked = False
        self._silent: dict[str, list[str]] = {}
        """By actor: calls of the last turn that no result is told of."""

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of each run, in order."""
        for number, each in enumerate(document if isinstance(document, list) else [document], 1):
            if isinstance(each, dict):
                yield from self._run(each, ledger)
            else:
                ledger.open("").broken(number, "not a trajectory")

    def _run(self, document: dict[str, Any], ledger: Ledger) -> Iterator[RawStep]:
        agent = as_dict(document.get("agent"))
        steps = as_list(document.get("steps"))
        own = is_own(document)
        named = as_str(document.get("session_id"))
        session = renamed(named, "" if own else f"atif:{named}") if named else opening_id(steps[:3]).within("atif:")
        tally = ledger.open(session)
        self._agents.setdefault(session, as_str(agent.get("name")) or "atif")
        self._asked = False
        self._silent.clear()
        tell(tally, "version", "" if own and agent.get("version") == "unknown" else agent.get("version"))
        if own:
            self._kept[session] = note_facts(document, tally)
            yield from self._own(document, session, tally)
        else:
            self._kept[session] = {"rendering": bool(named)}
            self._note_facts(document, agent, tally)
            yield from self._foreign(document, session, "", tally)
        self._note_totals(as_dict(document.get("final_metrics")), tally)

    def _own(self, document: dict[str, Any], session: str, tally: Tally) -> Iterator[RawStep]:
        """Steps as they were written, subagents' among the others; a step that somebody added stands behind the one before it."""
        found: list[Placed] = []
        for actor, trajectory in trajectories(document):
            switches = SwitchWatch()
            for number, step in enumerate(as_list(trajectory.get("steps")), 1):
                where = Where(session, actor, as_time(as_dict(step).get("timestamp")), number)
                placed = restored(as_dict(step), where)
                if placed is None:
                    last = found[-1][0] if found else -1
                    found += ((last, added) for added in self._step(step, where, switches, tally))
                    continue
                tally.keep()
                found += placed
        for _, step in sorted(found, key=lambda placed: placed[0]):
            tally.moment(step.at)
            if step.kind == "call":
                tally.call(step.call_id)
            elif step.kind == "result" and step.call_id:
                tally.result(step.call_id)
            yield step

    def _foreign(self, trajectory: dict[str, Any], session: str, actor: str, tally: Tally, depth: int = 0) -> Iterator[RawStep]:
        """Steps of another's trajectory; an embedded subagent's stand behind the step that names it, or at the end."""
        below = dicts(trajectory.get("subagent_trajectories")) if depth < _DEPTH else iter(())
        embedded = {as_str(each.get("trajectory_id")): each for each in below}
        switches = SwitchWatch()
        for number, step in enumerate(as_list(trajectory.get("steps")), 1):
            yield from self._step(step, Where(session, actor, as_time(as_dict(step).get("timestamp")), number), switches, tally)
            for name in _named_subagents(as_dict(step)):
                if name in embedded:
                    yield from self._foreign(embedded.pop(name), session, name, tally, depth + 1)
        for name, each in embedded.items():
            yield from self._foreign(each, session, name or "subagent", tally, depth + 1)

    def _step(self, step: Any, where: Where, switches: SwitchWatch, tally: Tally) -> list[RawStep]:
        if not isinstance(step, dict):
            tally.broken(where.line, "not a step")
            return []
        if step.get("is_copied_context") is True:
            tally.skip("duplicate")
            return []
        tally.moment(where.at)
        step_id = step.get("step_id")
        rid = f"s{step_id}" if isinstance(step_id, int | str) else f"#{where.line}"
        draft = Draft(where.session, f"{where.actor}:{rid}" if where.actor else rid, where.at, where.line, where.actor or _sidechain(step))
        reason = self._fill(draft, step, switches, tally)
        if reason:
            tally.skip(reason)
        else:
            tally.keep()
        return draft.steps

    def _fill(self, draft: Draft, step: dict[str, Any], switches: SwitchWatch, tally: Tally) -> str:
        source, text = as_str(step.get("source")), content_text(step.get("message"))
        if source == "system":
            return "instructions"
        if source == "user":
            self._silent.pop(draft.actor, None)
            if draft.actor:
                draft.add("notice", 0, text, "machine")
            elif self._asked:
                draft.user(0, text)
            else:
                add_task(draft, 0, text)
            self._asked = self._asked or not draft.actor
            return "" if draft.steps else "empty"
        self._tell_silent(draft, tally)
        model = as_str(step.get("model_name"))
        tell(tally, "model", model)
        tell(tally, "cwd", as_dict(step.get("extra")).get("cwd"))
        switches.see(draft, 0, model=model, effort=as_str(step.get("reasoning_effort")))
        draft.thought("thought", content_text(step.get("reasoning_content")))
        if not _NOISE.match(text):
            draft.reply(0, text)
        calls = list(dicts(step.get("tool_calls")))
        for number, call in enumerate(calls, 1):
            call_id = first_str(call, "tool_call_id") or f"{draft.rid}/{number}"
            tally.call(call_id)
            draft.call(number, as_str(call.get("function_name")), as_arguments(call.get("arguments")), call_id)
        for number, result in enumerate(dicts(as_dict(step.get("observation")).get("results"))):
            call_id = first_str(result, "source_call_id") or (first_str(calls[0], "tool_call_id") if len(calls) == 1 else "")
            if call_id:
                tally.result(call_id)
            _add_result(draft, number, result, call_id, tally, as_dict(step.get("extra")) if len(calls) == 1 else {})
        asked = [each.call_id for each in draft.steps if each.kind == "call"]
        self._silent[draft.actor] = [call_id for call_id in asked if call_id not in tally.answered]
        used = _tokens(as_dict(step.get("metrics")))
        if any(used):
            tally.use("", used)
        tally.spend(as_cost(as_dict(step.get("metrics")).get("cost_usd")))
        return "" if draft.steps or any(used) else "empty"

    def _tell_silent(self, draft: Draft, tally: Tally) -> None:
        """Harbor leaves out what a tool of Claude Code gave back if it was nothing; where the agent goes on, it did get an answer."""
        for number, call_id in enumerate(self._silent.pop(draft.actor, ())):
            if self._agents.get(draft.session) == "claude-code":
                tally.result(call_id)
                draft.result(f"silent{number}", "", call_id, error=False)

    @staticmethod
    def _note_facts(document: dict[str, Any], agent: dict[str, Any], tally: Tally) -> None:
        extra = as_dict(agent.get("extra"))
        for name in ("cwd", "branch", "repository", "title"):
            tell(tally, name, as_dict(document.get("extra")).get(name) or extra.get(name))
        tell(tally, "cwd", next((folder for folder in as_list(extra.get("cwds")) if isinstance(folder, str)), None))
        if not any(as_str(step.get("model_name")) for step in dicts(document.get("steps"))):
            tell(tally, "model", agent.get("model_name"))

    @staticmethod
    def _note_totals(metrics: dict[str, Any], tally: Tally) -> None:
        """The run's totals stand in for what its steps do not tell."""
        total = _tokens({name.removeprefix("total_"): value for name, value in metrics.items()})
        if any(total) and not any(tally.tokens):
            tally.use("", total)
        if tally.cost is None:
            tally.spend(as_cost(metrics.get("total_cost_usd")))

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Facts of a run."""
        return tally.info(session, self._agents.get(session, "atif"), self.name, **self._kept.get(session, {}))


def _named_subagents(step: dict[str, Any]) -> Iterator[str]:
    """Subagents whose trajectories the results of a step point to."""
    for result in dicts(as_dict(step.get("observation")).get("results")):
        for named in dicts(result.get("subagent_trajectory_ref")):
            yield as_str(named.get("trajectory_id"))


def _sidechain(step: dict[str, Any]) -> str:
    """The subagent of Claude Code that Harbor tells among the main agent's steps."""
    extra = as_dict(step.get("extra"))
    return (as_str(extra.get("agent_id")) or "sidechain") if extra.get("is_sidechain") is True else ""


def _add_result(draft: Draft, number: int, result: dict[str, Any], call_id: str, tally: Tally, beside: dict[str, Any]) -> None:
    """A result. Harbor keeps Claude Code's own block beside it, in older versions beside the step."""
    extra = as_dict(result.get("extra")) or beside
    native = as_dict(as_dict(extra.get("tool_result_metadata")).get("raw_tool_result"))
    if native:
        add_result(draft, f"result{number}", native, tally, call_id=call_id)
        return
    flag = extra.get("tool_result_is_error", extra.get("is_error"))
    _add_printed(draft, f"result{number}", content_text(result.get("content")), call_id, flag is True)


def _add_printed(draft: Draft, part: str, text: str, call_id: str, failed: bool) -> None:
    """A result, with the sections that converters print below it taken apart."""
    sections = list(_SECTION.finditer(text))
    named = {section[1]: section[2].strip() for section in sections}
    status = named.get("exitCode") or named.get("exit_code") or ""
    body = _SECTION.sub(lambda found: "" if found[1] in _FLAGS else found[2], text).strip("\n") if sections else text
    failed = failed or "error" in named or body.startswith(("Exit code ", "<tool_use_error>", "The user doesn't want"))
    claude = tool_outcome(body, failed)
    if status.lstrip("-").isdigit():
        draft.result(part, body, call_id, error=int(status) != 0, exit_code=int(status))
    elif claude.error:
        draft.result(part, claude.text, call_id, error=True, exit_code=claude.exit_code, mark=claude.mark)
    else:
        add_output(draft, part, body, call_id)


def _tokens(metrics: dict[str, Any]) -> Tokens:
    """Usage. Prompt tokens count those read from a cache, and in newer files those written to it too."""
    cached = as_int(metrics.get("cached_tokens"))
    extra = as_dict(metrics.get("extra"))
    written = as_int(extra.get("cache_creation_input_tokens"))
    fresh = max(0, as_int(metrics.get("prompt_tokens")) - cached)
    return Tokens(
        input=fresh - written if fresh >= written else fresh,
        output=as_int(metrics.get("completion_tokens")),
        cache_read=cached,
        cache_write=written,
        reasoning=as_int(extra.get("reasoning_output_tokens")),
    )


class AtifReading(DocumentReading):
    """One document, or one a line."""

    def decode(self, data: bytes) -> Any:
        """A document, or all documents."""
        document = decode_document(data)
        if document is not None:
            return document
        lines = list(decode_lines(data))
        return lines if lines and "steps" in as_dict(lines[0]) else None


def _looks(seen: Glimpse) -> int:
    top = seen.mapping or seen.first
    if as_str(top.get("schema_version")).upper().startswith("ATIF"):
        return 97
    steps = list(dicts(top.get("steps")))[:2]
    return 70 if steps and all("source" in step and "step_id" in step for step in steps) else 0


IMPORTER = FormatImporter("atif", _looks, lambda stream, _state: AtifReading(stream, AtifDocument()))
