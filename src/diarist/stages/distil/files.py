"""The files a run touched, and which of them a check would be about."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from diarist.model.entry import FileOperation
from diarist.stages.distil.programs import TEST_FILE
from diarist.text.lazy import lazy

MOST = 4_000
_SHOWN_EDIT = lazy(r"(?:: .*=>|\)(?:…|\.{3}) ).*$", re.DOTALL)
"""As consoles show an edit: "a.py: old... => new...", "a.py)… Cost: …"."""
_ERRAND = lazy(
    r"(?:apply|fix|check|examine|verify|debug|try|demo|patch|modify|edit|analy[sz]e|find|show|print|trace|inspect|simulate|final|quick|simple)_"
)
_BACKUP = lazy(r"\.(?:bak|backup|orig|old|rej|patch|diff)$|^patch\.txt$")
_DOCUMENT = lazy(
    r"(?:^|/)(?:[^/]*\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|log|png|jpe?g|gif|svg|pdf|docx?)|LICENSE\S*|CHANGELOG\S*|AUTHORS|"
    r"NOTICE|\.gitignore)$",
    re.IGNORECASE,
)
_SCRATCH = lazy(
    r"^(?:/private)?/(?:tmp|var/folders)/|(?:^|/)(?:\.claude|\.codex|\.aider\S*|scratch|scratchpad|\.?tmp|temp)/|"
    r"(?:^|/)(?:repro\w*|reproduc\w*|debug_\w+|scratch\w*|tmp_\w+|temp_\w+|demo_\w+|try_\w+|check_\w+|verify_\w+|output\.txt)(?:\.\w+)?$",
    re.IGNORECASE,
)


def needs_no_check(path: str) -> bool:
    """Documents and pictures: a build or test says nothing about them."""
    return _DOCUMENT.search(path) is not None


def is_scratch(path: str) -> bool:
    """Files that an agent makes to look at something, by their place or name."""
    return _SCRATCH.search(path) is not None


class FileBook:
    """Files by path, with what was done to them in order. Paths below the working directory are told relative to it."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd.rstrip("/\\")
        self._files: dict[str, dict[FileOperation, int]] = {}
        self._last: dict[str, FileOperation] = {}
        self._endings: dict[str, list[str]] = {}
        self._by_hand: set[str] = set()
        self._made: set[str] = set()
        self._gone: set[str] = set()

    def relative(self, path: str) -> str:
        """The path as seen from the working folder, where it lies below it."""
        path = _SHOWN_EDIT.sub("", path.strip().removeprefix("file://"))
        if self._cwd and path.startswith(self._cwd) and path[len(self._cwd) : len(self._cwd) + 1] in ("/", "\\"):
            path = path[len(self._cwd) + 1 :]
        path = posixpath.normpath(path)[:400] if path else ""
        return path if not path or path in self._files else self._alias(path)

    def _alias(self, path: str) -> str:
        """A relative path from another folder, or an absolute one, names the one known file that it ends like."""
        known = self._endings.get(path.rsplit("/", 1)[-1], ())
        if path.startswith(("/", "~")) or path[1:3] == ":/":
            same = [other for other in known if path.endswith("/" + other) and ("/" in other or other in self._made)]
        else:
            same = [other for other in known if other.endswith("/" + path)]
        return same[0] if len(same) == 1 and "/" in path else path

    def note(self, path: str, operation: FileOperation) -> str:
        """Notes an operation; returns the path as it is told, or "" for none."""
        path = self.relative(path)
        if not path or path in (".", "/") or (path not in self._files and len(self._files) >= MOST):
            return ""
        if path not in self._files:
            self._endings.setdefault(path.rsplit("/", 1)[-1], []).append(path)
        known = self._files.setdefault(path, {})
        if operation == "create":
            if path in self._made or (known and path not in self._gone):
                operation = "edit"
            else:
                self._made.add(path)
                self._gone.discard(path)
        elif operation == "delete":
            self._gone.add(path)
        known[operation] = known.get(operation, 0) + 1
        self._last[path] = operation
        return path

    def has_part(self, name: str) -> bool:
        """Is there a file or folder of this name (a module of the project, say) among those touched?"""
        return any(
            name == part or part.startswith(f"{name}.") for path in (*self._files, self._cwd) for part in path.replace("\\", "/").split("/")
        )

    def last_operation(self, path: str) -> FileOperation:
        """What was done to the file last. Raises KeyError for a file that was not touched."""
        return self._last[path]

    def is_thrown_away(self, path: str) -> bool:
        """Made and deleted again in this run: it leaves nothing."""
        return path in self._made and path in self._gone

    def is_made(self, path: str) -> bool:
        """Made in this run."""
        return path in self._made

    def is_project(self, path: str) -> bool:
        """Seen before in this run, and not made in it."""
        path = self.relative(path)
        return path in self._files and path not in self._made

    def is_own(self, word: str) -> bool:
        """Does a word of a command name a file that this run made?"""
        name = word.split("::", 1)[0].replace("\\", "/").rsplit("/", 1)[-1]
        return "." in name and any(path == name or path.endswith("/" + name) for path in self._made)

    def note_by_hand(self, words: Iterable[str]) -> None:
        """Words of a command that runs a script by hand."""
        self._by_hand.update(word.rsplit("/", 1)[-1] for word in words if "." in word)

    def is_throwaway(self, path: str) -> bool:
        """Made in this run to look at something: a backup, or a script named for trying and run by hand."""
        name = path.rsplit("/", 1)[-1]
        if path not in self._made:
            return False
        if is_scratch(path) or _BACKUP.search(name) is not None:
            return True
        return name in self._by_hand and (TEST_FILE.search(name) is not None or ("/" not in path and _ERRAND.match(name) is not None))

    def revert(self, path: str) -> None:
        """The version control system took changes back: of one path, or of all that existed before ("*")."""
        for name in [name for name in self._files if path == "*" or name == self.relative(path) or name.endswith("/" + path)]:
            if name not in self._made:
                self._files[name] = {"read": 1}

    def operations(self) -> dict[str, dict[FileOperation, int]]:
        """What each file went through. Left out: what leaves nothing, and throw-away files where others were changed too."""
        left = {path: done for path, done in self._files.items() if not self.is_thrown_away(path)}
        real = {path: done for path, done in left.items() if not self.is_throwaway(path)}
        return real if any(set(done) - {"read"} for done in real.values()) else left
