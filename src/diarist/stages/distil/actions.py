"""Tool calls of any agent, understood: which files, what change, which command.

Agents name the same few tools in many ways. What a call does is read off its name where that is telling, else off the
names of its arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from diarist.model.entry import FileOperation
from diarist.stages.distil.words import word_list, word_set
from diarist.text.lazy import lazy

ActKind: TypeAlias = Literal[
    "shell", "code", "read", "edit", "create", "delete", "move", "search", "web", "agent", "plan", "ask", "submit", "other"
]

CLIP = 4_000
"""Characters kept of a replaced or new text."""


class Change(NamedTuple):
    """One file that a call writes."""

    path: str
    operation: FileOperation
    before: str = ""
    after: str = ""


class Act(NamedTuple):
    """What a tool call does, whatever the tool is called."""

    kind: ActKind
    paths: tuple[str, ...] = ()
    """Files read or searched."""
    changes: tuple[Change, ...] = ()
    command: str = ""
    about: str = ""
    """What a search, a page, a plan or a subagent is about."""
    detail: str = ""
    """A subagent's task in full, or the arguments of a tool of no known kind."""


_KINDS: dict[ActKind, str] = {
    "shell": """bash shell exec execcommand shellcommand terminal run runcommand runterminalcommand runterminalcmd runshellcommand
        execute executecommand executebash
            localshell localshellcall console powershell cmd process command runinterminal runshell bashtool developershell
            commandlinetool execbash killbash bashoutput
            writestdin interactivebash""",
    "code": "python ipython runipython executepython pythonrepl codeexecution codeinterpreter runcode executecode jupyter javascript repl",
    "read": """read readfile view viewfile open openfile cat getfile readmanyfiles notebookread filereader readtextfile showfile
        viewimage getfilecontents
            readnotebook fsread goto gotoline scrollup scrolldown""",
    "edit": """edit update editfile multiedit stredit strreplace replace searchreplace applypatch patch applydiff updatefile insert
        insertedit notebookedit modify
            modifyfile replaceinfile editblock edittool fsedit replacestringinfile insertedintofile""",
    "create": "write writefile create createfile writetofile save savefile newfile createnewfile fswrite writetextfile",
    "delete": "delete deletefile remove removefile rm unlink",
    "move": "move movefile rename renamefile mv",
    "search": """grep glob search find ls list listdir listdirectory listfiles filesearch codebasesearch ripgrep rg searchfiles
        searchdir searchfile findfile
            findfiles grepsearch searchcode semanticsearch searchcodebase searchforpattern findsymbol tree""",
    "web": """webfetch websearch fetch browse browser browseinteractive browseurl googlewebsearch searchweb visitpage visit navigate
        webbrowser url fetchurl httprequest
            websearchcall informationalwebsearch""",
    "agent": "task agent subagent spawnagent delegate dispatchagent runagent newtask spawn assign delegatetoagent",
    "plan": "todowrite todoread updateplan tasktracking tasktracker think plan exitplanmode enterplanmode todo writetodos "
    "updatetodolist recall sequentialthinking taskcreate taskupdate skill toolsearch",
    "ask": "askuserquestion ask askfollowupquestion askuser requestuserinput question",
    "submit": "submit finish attemptcompletion terminate done complete finalanswer exit",
}
_NAMES: dict[str, ActKind] = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_EDITOR_NAMES = word_set(
    """
    strreplaceeditor strreplacebasededittool fileeditor texteditor editor texteditor20241022 texteditor20250124 oheditor
    """
)
_EDITOR: dict[str, ActKind] = {
    "view": "read",
    "read": "read",
    "create": "create",
    "write": "create",
    "str_replace": "edit",
    "insert": "edit",
    "undo_edit": "edit",
    "edit": "edit",
    "delete": "delete",
    "rename": "move",
}

_PATH_KEYS = word_list(
    """
    file_path filePath path filename file absolute_path target_file notebook_path file_name fileName relative_path uri TargetFile
    AbsolutePath dir_path directory target_directory
    """
)
_COMMAND_KEYS = word_list("command cmd script CommandLine commandLine input shell_command code")
_BEFORE_KEYS = word_list("old_string oldString old_str oldText old_text search old_content old")
_AFTER_KEYS = word_list(
    """
    new_string newString new_str newText new_text replace content file_text contents new_content text code_edit new insert_text
    new_source fileContent replacement thought
    """
)
_ABOUT_KEYS = word_list(
    """
    description query pattern title url prompt task search_term question explanation objective message dir_path path thought
    instruction
    """
)
_PATCH_FILE = lazy(r"^\*\*\* (Update|Add|Delete) File: (.+?)\s*$", re.MULTILINE)
_DIFF_FILE = lazy(r"^\+\+\+ (?:b/)?(\S+)", re.MULTILINE)
_PATCH_KEYS = ("input", "patch", "diff", "patchText", "command", "cmd")
_MOVE_TO = lazy(r"^\*\*\* Move to: (.+?)\s*$", re.MULTILINE)


def understand_call(tool: str, arguments: Mapping[str, Any] | None, text: str = "") -> Act:
    """What a tool call does. `text` is what the format gives beside or in place of arguments (a patch, a raw command)."""
    values = arguments or {}
    name = _plain_name(tool)
    patch = _patch_text(values, text)
    if patch:
        return Act("edit", changes=_patch_changes(patch))
    kind = _kind(name, values)
    if kind in ("shell", "code"):
        return _shell(kind, values, text)
    if kind in ("edit", "create", "delete", "move"):
        return _change(kind, values, text)
    paths = tuple(path for path in (_first(values, _PATH_KEYS),) if path)
    about = _first(values, _ABOUT_KEYS) or text[:300]
    if kind == "agent":
        task = _first(values, ("prompt", "task", "message", "objective", "instruction"))
        return Act(kind, paths, about=about, detail=task if task != about else "")
    if kind == "plan":
        return Act(kind, paths, about=about or _plan(values))
    return Act(kind, paths, about=about, detail=_brief(values) if kind == "other" else "")


def _plan(values: Mapping[str, Any]) -> str:
    """The items of a to-do list, joined."""
    for value in values.values():
        if isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
            return "; ".join(
                text for item in value[:12] if (text := _first(item, ("content", "step", "title", "task", "text", "description")))
            )
    return ""


def _brief(values: Mapping[str, Any]) -> str:
    """What a tool of no known kind was given: its plain values, joined."""
    return ", ".join(_scalars(values, 4))[:400]


def _scalars(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for part in value[:20]:
            yield from _scalars(part, depth - 1) if depth else ()
    elif value not in (None, "", True, False):
        yield str(value)[:120]


@lru_cache(maxsize=512)
def _plain_name(tool: str) -> str:
    """`mcp__files__read_file`, `functions.read_file`, `ReadFile` → "readfile"."""
    last = re.split(r"__|[.:/]", tool.split("<|", maxsplit=1)[0])[-1]
    return re.sub(r"[^a-z0-9]", "", last.lower())


def _kind(name: str, values: Mapping[str, Any]) -> ActKind:
    command = values.get("command")
    if name in _EDITOR_NAMES or (isinstance(command, str) and command in _EDITOR and _first(values, _PATH_KEYS)):
        return _EDITOR.get(str(command), "edit")
    known = _NAMES.get(name)
    if known:
        return known
    if isinstance(command, str | list) or isinstance(values.get("cmd"), str | list):
        return "shell"
    path = _first(values, _PATH_KEYS)
    if path and any(key in values for key in _BEFORE_KEYS[:5]):
        return "edit"
    if path and any(key in values for key in ("content", "file_text", "contents")):
        return "create"
    for part, kind in (
        ("todo", "plan"),
        ("grep", "search"),
        ("search", "search"),
        ("read", "read"),
        ("shell", "shell"),
        ("bash", "shell"),
        ("edit", "edit"),
        ("browser", "web"),
    ):
        if part in name and (kind not in ("edit", "read") or path) and (kind != "shell" or _command(values)):
            return kind  # type: ignore[return-value]
    return "other"


def _first(values: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:  # a plain loop: several of these for every call
        value = values.get(key)
        if isinstance(value, str) and value and not value.isspace():
            return value
    return ""


def _command(values: Mapping[str, Any]) -> str:
    for key in _COMMAND_KEYS:
        value = values.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            if len(value) >= 3 and value[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh", "powershell", "pwsh") and value[1].startswith("-"):
                return str(value[2])
            return " ".join(part if re.fullmatch(r"[\w@%+=:,./-]+", part) else json.dumps(part, ensure_ascii=False) for part in value)
    return ""


def _shell(kind: ActKind, values: Mapping[str, Any], text: str) -> Act:
    command = _command(values) or text
    edit = (
        re.match(r"\s*(?:edit\s+\d+:\d+|edit\b|insert\s+\d+)[^\n]*\n(.*?)(?:\nend_of_(?:edit|insert))", command, re.DOTALL)
        if "end_of_" in command
        else None
    )
    if edit:
        return Act("edit", changes=(Change("", "edit", after=edit[1][:CLIP]),), command="")
    return Act(kind, command=command, about=_first(values, ("description", "explanation")))


def _change(kind: ActKind, values: Mapping[str, Any], text: str) -> Act:
    path = _first(values, _PATH_KEYS)
    operation: Any = kind
    if kind == "move":
        target = _first(values, ("new_path", "destination", "dest", "to", "target", "newPath"))
        source = path or _first(values, ("source", "old_path", "from"))
        return Act(kind, changes=tuple(Change(name, "move") for name in (source, target) if name))
    edits = values.get("edits") or values.get("replacements") or values.get("operations")
    if isinstance(edits, list) and edits and all(isinstance(edit, Mapping) for edit in edits):
        changes = tuple(
            Change(_first(edit, _PATH_KEYS) or path, operation, _first(edit, _BEFORE_KEYS)[:CLIP], _first(edit, _AFTER_KEYS)[:CLIP])
            for edit in edits[:40]
        )
        return Act(kind, changes=changes)
    if not path:
        return Act(kind, about=text[:300])
    return Act(kind, changes=(Change(path, operation, _first(values, _BEFORE_KEYS)[:CLIP], _first(values, _AFTER_KEYS)[:CLIP]),))


def _patch_text(values: Mapping[str, Any], text: str) -> str:
    for value in (*(values[key] for key in _PATCH_KEYS if key in values), text):
        if not value:
            continue
        candidate = (
            next((part for part in value if isinstance(part, str) and "*** Begin Patch" in part), "") if isinstance(value, list) else value
        )
        if isinstance(candidate, str) and ("*** Begin Patch" in candidate or candidate.startswith(("--- ", "diff --git "))):
            return candidate
    return ""


def _patch_changes(patch: str) -> tuple[Change, ...]:
    """The files of a `*** Begin Patch` or unified diff, each with its removed and added lines."""
    heads = list(_PATCH_FILE.finditer(patch)) or list(_DIFF_FILE.finditer(patch))
    found: list[Change] = []
    for at, head in enumerate(heads[:40]):
        body = patch[head.end() : heads[at + 1].start() if at + 1 < len(heads) else len(patch)][: 4 * CLIP]
        lines = body.split("\n")
        before = "\n".join(line[1:] for line in lines if line.startswith("-") and not line.startswith("---"))[:CLIP]
        after = "\n".join(line[1:] for line in lines if line.startswith("+") and not line.startswith("+++"))[:CLIP]
        word = head[1] if head.re is _PATCH_FILE else "Update"
        path = head[2] if head.re is _PATCH_FILE else head[1]
        operations: dict[str, Any] = {"Add": "create", "Delete": "delete"}
        moved = _MOVE_TO.search(body)
        if moved:
            found.append(Change(moved[1], "move"))
        found.append(Change(path, "move" if moved else operations.get(word, "edit"), before, after))
    return tuple(found)
