"""SpecStory's Markdown renderings of other agents' sessions.

Turns are headed `_**User (time)**_` and `_**Agent (model time)**_`; tools stand in `<tool-use>` elements, thoughts in
`<think>`. Output is shortened and the error flag is lost, so failures are read off the output's own words. The session's
name is marked as a rendering: the native transcript of the same session has other steps and must not be mixed with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from diarist.importers.adapter import FormatImporter
from diarist.importers.claude_blocks import tool_outcome
from diarist.importers.claude_notices import as_machine
from diarist.importers.draft import Draft
from diarist.importers.glimpse import Glimpse
from diarist.importers.ledger import Ledger, Tally
from diarist.importers.markup import Element, elements, fences, without
from diarist.importers.speech import understand
from diarist.importers.texts import TextReading
from diarist.importers.tool_output import Output, understand_output
from diarist.importers.values import MadeId, as_time, renamed
from diarist.model.session import RawStep, SessionInfo
from diarist.text.lazy import lazy

_TURN = lazy(r"^_\*\*(User|Agent|Assistant)( - sidechain)?(?: \(([^)\n]*)\))?\*\*_[ \t]*$", re.MULTILINE)
_SIDECHAIN = "sidechain"
"""Turns of subagents, of which the rendering does not say which one."""
_SESSION = lazy(r"<!-- ([A-Z][\w. -]{1,30}?) Session ([\w.-]{8,80})(?: \(([^)\n]*)\))? -->")
_TITLE = lazy(r"^#{1,2} (.{1,300}?)(?: \((\d{4}-\d\d-\d\d[^)]*)\))?[ \t]*$", re.MULTILINE)
_WHEN = lazy(r"(\d{4}-\d\d-\d\d[ _T]\d\d[:-]\d\d(?:[:-]\d\d)?Z?)\Z")
_TAG = lazy(r"^(?:</details>)?<(/?)(tool-use|think)\b[^<>\n]{0,400}>", re.MULTILINE)
"""An element's own tags begin a line; those in files that a tool showed have a line number or a mark of a diff before them."""
_MOST_INSIDE = 200
_SUMMARY = lazy(r"\s*<details>\s*<summary>(?:Tool use: )?\*\*(.{1,200}?)\*\*(.{0,2000}?)</summary>", re.DOTALL)
_OLD_TOOL = lazy(r"^Tool use: \*\*(.+?)\*\*(.*)$", re.MULTILINE)
_INLINE = lazy(r"(?:^|(?<=\s))`([^`\n]+)`(?=\s|$)|^`([^`]+)`$", re.MULTILINE)
_NAMED = lazy(r"\b(\w{1,40}) `([^`\n]*)`")
_WRITTEN = lazy(r"(?:The file|File created successfully at:|created)\s+(\S+?)(?: has been| \(|$)", re.MULTILINE)
_FAILED = ("Exit code ", "<tool_use_error>", "The user doesn't want", "Error: Exit code", "User rejected")
_SHELLS = frozenset(("bash", "shell", "exec_command", "shell_command", "local_shell", "run_terminal_cmd", "run_shell_command", "execute"))
_AGENTS = {"Claude Code": "claude-code", "Codex CLI": "codex", "Gemini CLI": "gemini-cli", "Cursor IDE": "cursor", "Cursor CLI": "cursor"}


class SpecStory:
    """The one session of a file."""

    def __init__(self) -> None:
        self._agent = "specstory"
        self._rendering = False
        self._number = 0
        self._commanded: datetime | None = None
        """When the person last typed a client's command: text put in at the same moment is the command's own."""

    def steps(self, text: str, opening: MadeId, ledger: Ledger) -> Iterator[RawStep]:
        """Steps of all turns."""
        turns = list(_TURN.finditer(text))
        head = text[: turns[0].start()] if turns else text
        named = _SESSION.search(head)
        if named:
            self._agent = _AGENTS.get(named[1], named[1].lower().replace(" ", "-"))
        session = renamed(named[2], f"specstory:{named[2]}") if named else opening.within("specstory:")
        self._rendering = bool(named)
        tally = ledger.open(session)
        self._note_title(head, tally)
        line, counted = 1, 0
        for number, (turn, end) in enumerate(_spans(turns, len(text)), 1):
            model, at = _who(turn[3] or "")
            line, counted = line + text.count("\n", counted, turn.start()), turn.start()
            draft = Draft(session, f"#{number}", at, line, _SIDECHAIN if turn[2] else "")
            body = text[turn.end() : end].strip().removesuffix("---").strip()
            if turn[1] == "User":
                self._user(draft, body)
            else:
                self._reply(draft, body, tally)
                if model and not draft.actor:
                    tally.facts.tell("model", model, 0)
            tally.moment(at)
            if draft.steps:
                tally.keep()
            else:
                tally.skip("empty")
            yield from draft.steps

    def _note_title(self, head: str, tally: Tally) -> None:
        title = _TITLE.search(head)
        if title:
            tally.moment(as_time((title[2] or title[1]).strip()))
            if as_time(title[1].strip()) is None:
                tally.facts.tell("title", title[1].strip(), 0)

    def _user(self, draft: Draft, body: str) -> None:
        parts = understand(body)
        if draft.at is not None and draft.at == self._commanded:
            parts = as_machine(parts)
        if any(said.mark == "command" for said in parts):
            self._commanded = draft.at
        draft.said(parts, 0)

    def _reply(self, draft: Draft, body: str, tally: Tally) -> None:
        """Text, thoughts and tools of a turn, in order."""
        at = 0
        for number, element in enumerate(_own_elements(body)):
            self._words(draft, f"{number}.text", body[at : element.start], tally)
            at = element.end
            if element.name == "think":
                draft.thought(number, _plain(element.content))
            else:
                summary = _SUMMARY.match(element.content)
                name, beside = (summary[1], summary[2]) if summary else ("", "")
                content = element.content[summary.end() if summary else 0 :]
                self._tool(draft, number, name, f"{beside}\n{content}", tally)
        self._words(draft, "text", body[at:], tally)

    def _words(self, draft: Draft, part: str, text: str, tally: Tally) -> None:
        """Text of a reply; in the oldest renderings tools stand in it as words."""
        tools = list(_OLD_TOOL.finditer(text))
        draft.reply(part, text[: tools[0].start() if tools else len(text)].strip())
        for number, (tool, end) in enumerate(_spans(tools, len(text))):
            self._tool(draft, f"{part}{number}", tool[1], f"{tool[2]}\n{text[tool.end() : end]}", tally)

    def _tool(self, draft: Draft, part: object, name: str, content: str, tally: Tally) -> None:
        blocks = list(fences(content))
        shown = content[: blocks[0].start] if blocks else content
        output = blocks[-1] if blocks and (len(blocks) > 1 or blocks[-1].language in ("", "text")) else None
        written = blocks[0] if blocks and blocks[0] is not output else None
        text = output.content.rstrip("\n") if output else ""
        call_id = f"{draft.rid}/{part}"
        tally.call(call_id)
        draft.call(part, name, _arguments(name, shown.replace("</details>", "").strip(), written.content if written else "", text), call_id)
        if output:
            tally.result(call_id)
            self._result(draft, f"{part}.result", text, call_id)

    @staticmethod
    def _result(draft: Draft, part: str, text: str, call_id: str) -> None:
        """A tool's output, which says itself whether it failed: as Codex prints it, or as Claude does."""
        found = understand_output(text)
        if found.exit_code is None:
            claude = tool_outcome(text, text.startswith(_FAILED))
            found = Output(claude.text, True if claude.error else found.error, claude.exit_code, claude.mark)
        draft.result(part, found.text, call_id, error=found.error, exit_code=found.exit_code, mark=found.mark)

    def info(self, session: str, tally: Tally) -> SessionInfo:
        """Models, times, title."""
        return tally.info(session, self._agent, "specstory/markdown", rendering=self._rendering)


def _spans(marks: list[re.Match[str]], end: int) -> Iterator[tuple[re.Match[str], int]]:
    """Each mark with the place where the next one begins."""
    starts = [mark.start() for mark in marks] + [end]
    return zip(marks, starts[1:], strict=True)


def _own_elements(body: str) -> Iterator[Element]:
    """Tools and thoughts of a turn; elements that stand in a tool's output are part of it."""
    tags = list(_TAG.finditer(body))
    at = 0
    for number, tag in enumerate(tags):
        if tag.start() < at or tag[1]:
            continue
        close = _closing(tags[number : number + _MOST_INSIDE])
        if close is not None:
            at = close.end()
            yield Element(tag[2], body[tag.end() : close.start()], tag.start(), at)


def _closing(tags: list[re.Match[str]]) -> re.Match[str] | None:
    """The tag that closes the first of these; the next one of its name where they do not pair up."""
    depth, nearest = 0, None
    for tag in tags:
        if tag[2] != tags[0][2]:
            continue
        depth += -1 if tag[1] else 1
        nearest = nearest or (tag if tag[1] else None)
        if not depth:
            return tag
    return nearest


def _who(label: str) -> tuple[str, datetime | None]:
    """Model and time of a turn's head."""
    label = label[-200:]
    when = _WHEN.search(label)
    model = label[: when.start()].strip() if when else label.strip()
    return model, as_time(when[1].replace("_", " ")) if when else None


def _plain(content: str) -> str:
    text = without(content, list(elements(content, ("summary",))))
    return text.replace("<details>", "").replace("</details>", "").strip()


def _arguments(name: str, shown: str, written: str, output: str) -> dict[str, Any]:
    """Arguments as far as the rendering shows them: a command or path in backticks, named values, a description."""
    named = dict(_NAMED.findall(shown)) if re.match(r"(?:path|pattern|glob|query|url|type) `", shown) else {}
    if named:
        return named
    code = _INLINE.search(shown)
    value = (code[1] or code[2]) if code else ""
    described = (shown[: code.start()] if code else shown).strip(" \n•")
    arguments: dict[str, Any] = {}
    if value:
        shell = name.lower() in _SHELLS or " " in value
        arguments["command" if shell else "file_path"] = value
    if described:
        arguments["description"] = described
    if not value and output:
        path = _WRITTEN.search(output[:1000])
        if path:
            arguments["file_path"] = path[1]
    if written:
        arguments["content"] = written
    return arguments


def _looks(seen: Glimpse) -> int:
    if seen.is_json:
        return 0
    if "<!-- Generated by SpecStory" in seen.text[:300]:
        return 95
    return 85 if _SESSION.search(seen.text[:2000]) and _TURN.search(seen.text) else 0


IMPORTER = FormatImporter("specstory-md", _looks, lambda stream, _state: TextReading(stream, SpecStory()))
