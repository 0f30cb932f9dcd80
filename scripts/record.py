"""Writes docs/images/first-minutes.cast (asciicast v2) and first-minutes.svg: the first commands of a newcomer, really run in a terminal.

    .venv/bin/python scripts/record.py

An empty home holds the example sessions that ship with the package, where Claude Code and Codex would have left them. What the commands
print is recorded as it comes; the times are made, so that typing and reading look the same each time. No path of this machine gets in.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import shutil
import struct
import sys
import tempfile
import termios
import textwrap
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
COLUMNS, ROWS = 100, 30
COMMANDS = ("diarist demo", "diarist ingest", "diarist connect claude-code", 'diarist search "flaky login test"', "diarist status")
ANSWERS = {"[y/N]": "y\n", "[Y/n]": "y\n"}
PROMPT = "~/shopfront $ "
KEY, LINE, PAUSE, END = 0.045, 0.07, 1.6, 6.0
"""Seconds between two keys, between two lines of output, after a command, and at the end."""
FONT, STEP = 14, 19
"""Pixels: of a letter, and from line to line."""
WIDTH_OF_A_LETTER = 0.602


class Shown(NamedTuple):
    """A piece of the recording: when, in seconds, and what comes onto the screen."""

    at: float
    text: str


def run(command: str, home: Path) -> str:
    """What a command prints in a terminal of our size; questions are answered."""
    environ = {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
    }
    child, master = pty.fork()
    if child == 0:
        os.chdir(home / "shopfront")
        os.execvpe("/bin/sh", ["sh", "-c", command], environ)  # noqa: S606 - the child of a terminal
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    said, answered = b"", 0
    while True:
        try:
            ready, _, _ = select.select([master], [], [], 120)
            piece = os.read(master, 65536) if ready else b""
        except OSError:  # its end, on Linux
            piece = b""
        if not piece:
            break
        said += piece
        for question, answer in ANSWERS.items():
            if said[answered:].decode("utf-8", "replace").rstrip().endswith((question, question + ":")):
                answered = len(said)
                os.write(master, answer.encode())
    os.close(master)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise SystemExit(f"{command} failed:\n{said.decode('utf-8', 'replace')}")
    return said.decode("utf-8").replace("\r\n", "\n").replace("\r", "").replace(str(home), "~")


def record(home: Path) -> list[Shown]:
    """The whole session."""
    shown, at = [], 0.5
    for command in COMMANDS:
        shown.append(Shown(at, PROMPT))
        at += 0.6
        for key in command:
            shown.append(Shown(at, key))
            at += KEY
        at += 0.4
        shown.append(Shown(at, "\r\n"))
        for line in run(command, home).splitlines():
            at += LINE
            shown.append(Shown(at, line + "\r\n"))
        at += PAUSE
    return [*shown, Shown(at, PROMPT)]


def cast(shown: Sequence[Shown]) -> str:
    """As asciicast v2."""
    head = {
        "version": 2,
        "width": COLUMNS,
        "height": ROWS,
        "title": "Diarist: the first minutes",
        "env": {"TERM": "dumb", "SHELL": "/bin/sh"},
    }
    lines = [json.dumps(head), *(json.dumps([round(each.at, 3), "o", each.text], ensure_ascii=False) for each in shown)]
    return "\n".join(lines) + "\n"


def screen_lines(shown: Sequence[Shown]) -> Iterator[Shown]:
    """Lines of the screen, those too long folded, each with the time at which it is whole."""
    line = ""
    for each in shown:
        line += each.text
        if line.endswith("\r\n"):
            for part in _folded(line.rstrip("\r\n")):
                yield Shown(each.at, part)
            line = ""
    yield Shown(shown[-1].at, line)


def _folded(line: str) -> list[str]:
    return textwrap.wrap(line, COLUMNS, drop_whitespace=False, replace_whitespace=False, break_on_hyphens=False) or [""]


def svg(shown: Sequence[Shown]) -> str:
    """A picture that moves without script: lines appear, the page scrolls. Where motion is unwanted it shows the end."""
    lines = list(screen_lines(shown))
    whole = lines[-1].at + END
    width, height = round(COLUMNS * FONT * WIDTH_OF_A_LETTER) + 24, ROWS * STEP + 24
    last = max(0, len(lines) - ROWS) * STEP
    stops, texts = [], []
    for number, line in enumerate(lines):
        share = f"{100 * line.at / whole:.2f}"
        kind = ' class="typed"' if line.text.startswith(PROMPT) else ""
        texts.append(f'<text y="{(number + 1) * STEP - 4}" style="animation-name:l{number}"{kind}>{escape(line.text)}</text>')
        stops.append(f"@keyframes l{number}{{0%,{share}%{{opacity:0}}{float(share) + 0.01:.2f}%,100%{{opacity:1}}}}")
    scroll = "".join(
        f"{100 * line.at / whole:.2f}%{{transform:translateY(-{max(0, number + 1 - ROWS) * STEP}px)}}" for number, line in enumerate(lines)
    )
    style = (
        f"text{{font:{FONT}px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d8dde0;white-space:pre}}.typed{{fill:#7fd6c2}}"
        f".page{{transform:translateY(-{last}px)}}"
        "@media (prefers-reduced-motion: no-preference){"
        f"text{{opacity:0;animation-duration:{whole:.1f}s;animation-iteration-count:infinite;animation-timing-function:step-end}}"
        f".page{{animation:scroll {whole:.1f}s step-end infinite}}}}"
        f"@keyframes scroll{{0%{{transform:translateY(0)}}{scroll}100%{{transform:translateY(-{last}px)}}}}" + "".join(stops)
    )
    told = escape("A terminal: " + ", ".join(COMMANDS), quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img" aria-label="{told}">'
        f'<style>{style}</style><rect width="100%" height="100%" rx="10" fill="#15191c"/>'
        f'<svg x="12" y="12" width="{width - 24}" height="{height - 24}"><g class="page">{"".join(texts)}</g></svg></svg>\n'
    )


def main() -> int:
    """Writes both files."""
    with tempfile.TemporaryDirectory(prefix="diarist-record-") as name, as_file(files("diarist") / "examples") as examples:
        home = Path(name).resolve()
        (home / "shopfront").mkdir()
        shutil.copytree(examples / "claude-code", home / ".claude" / "projects")
        shutil.copytree(examples / "codex", home / ".codex" / "sessions")
        shown = record(home)
    if any(str(home) in each.text for each in shown):
        raise SystemExit("a path of this machine got in")
    (IMAGES / "first-minutes.cast").write_text(cast(shown), encoding="utf-8")
    (IMAGES / "first-minutes.svg").write_text(svg(shown), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
