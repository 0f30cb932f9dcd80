"""ATIF, the Agent Trajectory Interchange Format of Harbor: one JSON document a run.

Runs that Diarist wrote carry their steps whole and come back as they were. Other converters leave noise, and no error
flag: it is read off what they print into the results. Since the native transcript of the same run has other steps, the
session's name is marked as a rendering then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from diarist.importers.adapter import FormatImporter
from diarist.importers.chat import add_output
from diarist.importers.claude_blocks import tool_outcome
from diarist.importers.documents import DocumentReading, opening_id
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
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
    storable,
)
from diarist.model.session import RawStep, SessionInfo

OWN = "diarist"
"""Key of a step's `extra` under which Diarist writes its own steps."""
_NOISE = re.compile(r"Executed \S+ \S*_\S+\Z")
_FLAGS = ("metadata", "exitCode", "exit_code")
_SECTION = re.compile(r"^\[(metadata|exitCode|exit_code|error|interrupted|stdout|stderr)\][ \t]*(.*)$", re.MULTILINE)


class AtifDocument:
    """The one run of a file."""

    name = "atif/json"

    def __init__(self) -> None:
        self._agent = "atif"
        self._asked = False

    def steps(self, document: Any, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of the run, in order."""
        document = as_dict(document)
        agent = as_dict(document.get("agent"))
        self._agent = as_str(agent.get("name")) or self._agent
        steps = as_list(document.get("steps"))
        own = any(OWN in as_dict(step.get("extra")) for step in dicts(steps))
        native = as_str(document.get("session_id")) or opening_id(steps[:3])
        session = native if own else f"atif:{native}"
        tally = ledger.open(session)
        self._note_facts(document, agent, tally)
        switches = SwitchWatch()
        for number, step in enumerate(steps, 1):
            if not isinstance(step, dict):
                tally.broken(number, "not a step")
                continue
            at = as_time(step.get("timestamp"))
            tally.moment(at)
            restored = _restored(step, session, tally)
            if restored is not None:
                tally.keep()
                yield from restored
                continue
            step_id = step.get("step_id")
            draft = Draft(session, f"s{step_id}" if isinstance(step_id, int | str) else f"#{number}", at, number)
            reason = self._fill(draft, step, switches, tally)
            if reason:
                tally.skip(reason)
            else:
                tally.keep()
            yield from draft.steps
        self._note_totals(as_dict(document.get("final_metrics")), tally)

    def _fill(self, draft: Draft, step: dict[str, Any], switches: SwitchWatch, tally: Tally) -> str:
        source, text = as_str(step.get("source")), content_text(step.get("message"))
        if source == "system":
            return "instructions"
        if source == "user":
            if self._asked:
                draft.user(0, text)
            else:
                add_task(draft, 0, text)
            self._asked = True
            return "" if draft.steps else "empty"
        model = as_str(step.get("model_name"))
        tell(tally, "model", model)
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
            _add_result(draft, f"result{number}", content_text(result.get("content")), call_id)
        used = _tokens(as_dict(step.get("metrics")))
        if any(used):
            tally.use("", used)
        tally.spend(as_cost(as_dict(step.get("metrics")).get("cost_usd")))
        return "" if draft.steps or any(used) else "empty"

    @staticmethod
    def _note_facts(document: dict[str, Any], agent: dict[str, Any], tally: Tally) -> None:
        extra = as_dict(agent.get("extra"))
        tell(tally, "version", agent.get("version"))
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
        """Facts of the run."""
        return tally.info(session, self._agent, self.name)


def _restored(step: dict[str, Any], session: str, tally: Tally) -> list[RawStep] | None:
    """Steps as Diarist wrote them, None where it did not."""
    written = as_dict(step.get("extra")).get(OWN)
    if not isinstance(written, list):
        return None
    restored = []
    for each in dicts(written):
        arguments = each.get("arguments")
        own = {"session": session, "arguments": storable(arguments) if isinstance(arguments, dict) else None}
        try:
            restored.append(msgspec.convert({**each, **own}, RawStep))
        except msgspec.ValidationError:
            continue
    for one in restored:
        if one.kind == "call":
            tally.call(one.call_id)
        elif one.kind == "result" and one.call_id:
            tally.result(one.call_id)
    return restored


def _add_result(draft: Draft, part: str, text: str, call_id: str) -> None:
    """A result, with the sections that converters print below it taken apart."""
    sections = list(_SECTION.finditer(text))
    named = {section[1]: section[2].strip() for section in sections}
    status = named.get("exitCode") or named.get("exit_code") or ""
    body = _SECTION.sub(lambda found: "" if found[1] in _FLAGS else found[2], text).strip("\n") if sections else text
    claude = tool_outcome(body, "error" in named or body.startswith(("Exit code ", "<tool_use_error>", "The user doesn't want")))
    if status.lstrip("-").isdigit():
        draft.result(part, body, call_id, error=int(status) != 0, exit_code=int(status))
    elif claude.error:
        draft.result(part, claude.text, call_id, error=True, exit_code=claude.exit_code, mark=claude.mark)
    else:
        add_output(draft, part, body, call_id)


def _tokens(metrics: dict[str, Any]) -> Tokens:
    cached = as_int(metrics.get("cached_tokens"))
    extra = as_dict(metrics.get("extra"))
    return Tokens(
        input=max(0, as_int(metrics.get("prompt_tokens")) - cached),
        output=as_int(metrics.get("completion_tokens")),
        cache_read=cached,
        cache_write=as_int(extra.get("cache_creation_input_tokens")),
        reasoning=as_int(extra.get("reasoning_output_tokens")),
    )


def _looks(seen: Glimpse) -> int:
    top = seen.mapping or seen.first
    if as_str(top.get("schema_version")).upper().startswith("ATIF"):
        return 97
    steps = list(dicts(top.get("steps")))[:2]
    return 70 if steps and all("source" in step and "step_id" in step for step in steps) else 0


IMPORTER = FormatImporter("atif", _looks, lambda stream, _state: DocumentReading(stream, AtifDocument()))
