"""Stack frames around an error: where it happened, and in whose code."""

from __future__ import annotations

from typing import NamedTuple

from diarist.text.lazy import lazy
from diarist.text.prefix import strip

_PYTHON = lazy(r'\s*(?:[|+] )?\s*File "([^"]+)", line (\d+)')
_JAVASCRIPT = lazy(r"\s*at (?:.*?\()?((?:file://|node:|webpack:|[A-Za-z]:\\|/|\.)?[^\s()]*?):(\d+)(?::\d+)?\)?\Z")
_JAVA = lazy(r"\s*at [\w$.<>/@]+\(([\w$.]+\.(?:java|kt|scala|groovy)|Native Method|Unknown Source)(?::(\d+))?\)")
_ARROW = lazy(r"\s*(?:-->|at|╭─\[|,-\[) ?(\S+?):(\d+)")
_INSTALLED = lazy(
    r"(?:site-packages|dist-packages|node_modules(?:/\.pnpm/[^/]+/node_modules)?|gems|\.cargo/registry/src/[^/]+|pkg/mod)[/\\]"
    r"((?:@[\w.-]+/)?[\w.-]+)"
)
_STANDARD = lazy(r"lib(?:64)?/python[\d.]+/(?!site-packages|dist-packages)([a-z]\w+)")
_ABOVE, _BELOW = 60, 40
"""Lines in which frames are looked for, before and after the line that names the error."""


class Frames(NamedTuple):
    """What the frames around an error tell.

    `where`: the place in the project's own code; `names`: libraries and files of the innermost frames; `origin`: the library it
    was raised in.
    """

    where: str = ""
    names: tuple[str, ...] = ()
    origin: str = ""


def find_frames(lines: list[str], at: int, *, above: bool) -> Frames:
    """The frames that belong to the error on line `at`. `above`: a traceback stands before it (Python); else they follow."""
    found = (_above(lines, at) if above else []) or _below(lines, at)
    if not found:
        return Frames()
    own = next((f"{path}:{line}" if line else path for path, line in found if not library_of(path)), "")
    paths = [path for path, _ in found[:4]]
    libraries = [name for path in paths if (name := library_of(path))]
    files = [path.replace("\\", "/").rsplit("/", 1)[-1] for path in paths[:2]]
    return Frames(own, tuple(dict.fromkeys([*libraries, *files])), library_of(paths[0]))


def library_of(path: str) -> str:
    """Name of the library a path lies in; empty for the project's own code."""
    if found := _INSTALLED.search(path):
        return found.group(1).removesuffix(".py")
    if path.startswith(("<frozen ", "node:")):
        return path.strip("<>").removeprefix("frozen ").removeprefix("node:").split(".", 1)[0]
    found = _STANDARD.search(path)
    return found.group(1) if found else ""


def _above(lines: list[str], at: int) -> list[tuple[str, str]]:
    """(path, line number), innermost first."""
    frames: list[tuple[str, str]] = []
    for text in reversed(lines[max(at - _ABOVE, 0) : at]):
        if "Traceback (most recent" in text:
            break
        if 'File "' in text and (found := _PYTHON.match(strip(text[:400]).text)):
            frames.append((found.group(1), found.group(2)))
    return frames


def _below(lines: list[str], at: int) -> list[tuple[str, str]]:
    frames: list[tuple[str, str]] = []
    for text in lines[at + 1 : at + _BELOW]:
        bare = strip(text[:400]).text
        if found := _JAVA.match(bare) or _JAVASCRIPT.match(bare) or _ARROW.match(bare):
            frames.append((found.group(1), found.group(2) or ""))
        elif frames or not bare.startswith((" ", "\t", "E ")):
            break
    return frames
