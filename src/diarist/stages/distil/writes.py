"""Files that a shell command writes, moves or deletes, as far as its words tell."""

from __future__ import annotations

import posixpath
import re

from diarist.model.entry import FileOperation
from diarist.stages.distil.actions import CLIP, Change
from diarist.stages.distil.commands import CommandLine, Program
from diarist.text.lazy import lazy

_SED_IN_PLACE = lazy(r"(?:-i\S*|--in-place\S*|-\w*i\w*)$")
_SED_SCRIPT = lazy(r"s[/|#,@]|\d+[,dspi]|/.*/\w{0,2}(?:,.*)?$|/.*[\s\\]|\$")
"""A path may begin with a slash, too: a pattern ends with one."""
_FILE_WORD = lazy(r"\.\w+$|/")
_WRITERS: dict[str, FileOperation] = {
    "tee": "create",
    "touch": "create",
    "cp": "create",
    "rm": "delete",
    "unlink": "delete",
    "trash": "delete",
    "mv": "move",
}
_BARE_FILES = frozenset({"Makefile", "Dockerfile", "LICENSE", "README", "Jenkinsfile", "Procfile", "Gemfile", "Rakefile", "Vagrantfile"})
_NO_FILE = lazy(r"/dev/|[*?$<>|{}]|^-$|^&?\d$")
_SCRIPT_WRITES = lazy(
    r"""(?:open\(\s*|Path\(\s*|writeFileSync\(\s*|writeFile\(\s*|File\.write\(\s*)['"]([^'"\n]{1,200})['"]\s*(?:,\s*['"][wax]|\)\s*\.write_|,)"""
)

_NAMED_WRITES = lazy(r"(?:open\(\s*(?=\w+\s*,\s*['\"][wax])|\b(?=\w+\.write_(?:text|bytes)\())([A-Za-z_]\w{0,40})")
_SCRIPT = 60_000
"""Characters of a script that are looked at."""


def shell_changes(command: CommandLine, folder: str = "") -> tuple[Change, ...]:
    """What a command line writes. `folder`: where the shell stands; relative paths are joined to it."""
    found: list[Change] = []
    for program in command.programs:
        found += [Change(path, "create", after=program.heredoc[:CLIP]) for path in program.writes]
        found += _by_program(program)
    return tuple(
        change._replace(path=posixpath.normpath(posixpath.join(folder, change.path)))
        for change in found
        if change.path and not _NO_FILE.search(change.path)
    )


_READERS = frozenset({"cat", "head", "tail", "less", "more", "bat", "nl", "sed", "wc", "diff"})


def shell_reads(command: CommandLine) -> tuple[str, ...]:
    """Files that a command line shows."""
    shown = [program for program in command.programs if program.name in _READERS and program.kind == "search" and not program.writes]
    words = (word for program in shown for word in program.words[1:] if not word.startswith("-"))
    return tuple(word for word in words if _has_suffix(word) and not _NO_FILE.search(word) and not _SED_SCRIPT.match(word))


def reverted_by(command: CommandLine) -> tuple[str, ...]:
    """Paths whose changes a `git checkout -- PATH`, `git restore PATH`, `git reset --hard` takes back; "*" for all."""
    for program in command.programs:
        if program.name == "git" and len(program.words) > 1:
            words = program.words[1:]
            if words[0] in ("checkout", "restore") and "--staged" not in words and "-b" not in words:
                paths = (
                    words[words.index("--") + 1 :]
                    if "--" in words
                    else tuple(word for word in words[1:] if "." in word or "/" in word)
                    if words[0] == "restore"
                    else ()
                )
                if paths:
                    return tuple("*" if path in (".", "*", ":/") else path for path in paths if not path.startswith("-"))
            if words == ("reset", "--hard"):
                return ("*",)
    return ()


def _by_program(program: Program) -> list[Change]:
    name, words = program.name, program.words
    operands = [word for word in words[1:] if not word.startswith("-")]
    if name in ("sed", "gsed", "perl") and any(_SED_IN_PLACE.match(word) for word in words[1:4]):
        files = [word for word in operands if _FILE_WORD.search(word) and not _SED_SCRIPT.match(word)]
        script = next((word for word in operands if word not in files), "")
        return [Change(path, "edit", after=script[:CLIP]) for path in files]
    if name == "git" and len(words) > 2 and words[1] in ("mv", "rm"):
        return [Change(path, "move" if words[1] == "mv" else "delete") for path in operands[1:]]
    if name in ("mv", "cp") and len(operands) > 1 and (len(operands) > 2 or not _has_suffix(operands[-1])):
        targets = [posixpath.join(operands[-1], posixpath.basename(path)) for path in operands[:-1]]
        return [
            Change(path, "move" if name == "mv" else "create")
            for path in [*(operands[:-1] if name == "mv" else ()), *targets]
            if _has_suffix(path)
        ]
    operation = _WRITERS.get(name)
    if operation is not None:
        return [Change(path, operation, after=program.heredoc[:CLIP]) for path in (operands[-1:] if name == "cp" else operands)]
    return _by_script(program) if program.kind == "run" else []


def _has_suffix(path: str) -> bool:
    """Names a file, as far as a name can tell: folders rarely have a suffix."""
    return "." in path.rstrip("/").rsplit("/", 1)[-1].lstrip(".") or path.rsplit("/", 1)[-1] in _BARE_FILES


def _by_script(program: Program) -> list[Change]:
    """Files that an inline script opens for writing."""
    words = program.words
    script = program.heredoc or next((words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-c", "-e")), "")
    return [Change(path, "edit", after=script[:CLIP]) for path in script_targets(script)]


def script_targets(script: str) -> tuple[str, ...]:
    """Files that a script opens for writing, as far as their names stand in it as plain strings."""
    script = script[:_SCRIPT]
    if "write" not in script and "open(" not in script:
        return ()
    found = dict.fromkeys(_SCRIPT_WRITES.findall(script))
    for name in dict.fromkeys(_NAMED_WRITES.findall(script)):
        given = re.search(rf"^\s*{name}\s*=\s*(?:Path\(\s*)?['\"]([^'\"\n]{{1,200}})['\"]", script, re.MULTILINE)
        if given:
            found.setdefault(given[1])
    return tuple(path for path in found if not _NO_FILE.search(path))
