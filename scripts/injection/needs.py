"""Works out what a text must hold for each pattern of `diarist.text.injection` to fit, and writes it beside them.

    python scripts/injection/needs.py [--check]

A pattern whose words are not in a text need not be tried, nor compiled. Each pattern is taken apart into runs of letters with a
choice here and there, as in `(?:ignor|forget)[^.]{0,60}instruction`; of the runs that every match holds, the two that are rarest
by their length are kept. `--check`: writes nothing and fails where the file is not what it should be.
"""

from __future__ import annotations

import argparse
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from diarist.text.injection_languages import foreign
from diarist.text.injection_words import ENGLISH

TARGET = Path(__file__).resolve().parents[2] / "src" / "diarist" / "text" / "injection_needs.py"
MOST = 24
"""Wordings of one run that are told apart."""
FEW = 4
"""Letters of a range that are: more of them say too little to be worth it."""
KEPT = 2
"""Runs of a pattern that are kept."""
WIDTH = 128
_HEAD = '''"""What a text must hold for a pattern to fit: one of each of these, by pattern of English and of the other languages, in order.

Made by `scripts/injection/needs.py` from the patterns themselves; not to be edited.
"""

from __future__ import annotations

'''

Wordings = frozenset[str]
NOTHING: Wordings = frozenset()
"""Nothing can be said."""
BLANK: Wordings = frozenset([""])


def needs(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Up to two sets of texts, each sorted; every match of the pattern holds one of each set."""
    runs = sorted(_runs(parser.parse(unicodedata.normalize("NFKC", pattern))), key=_rank)
    return tuple(dict.fromkeys(map(_shortest, runs[:KEPT])))


def _shortest(run: Wordings) -> tuple[str, ...]:
    return tuple(sorted(each for each in run if not any(other != each and other in each for other in run)))


def _runs(sequence: Iterable[tuple[Any, Any]]) -> list[Wordings]:
    """What every match of the sequence holds: of each, one of these."""
    runs: list[Wordings] = []
    open_run = BLANK
    for code, value in sequence:
        if code is codes.AT or code in (codes.ASSERT, codes.ASSERT_NOT):
            continue  # takes up no letters
        whole = _whole(code, value)
        if whole and len(whole) * len(open_run) <= MOST:
            open_run = frozenset(left + right for left in open_run for right in whole)
            continue
        runs += [open_run, whole, _inside(code, value)]
        open_run = BLANK
    return [run for run in [*runs, open_run] if run and "" not in run]


def _whole(code: Any, value: Any) -> Wordings:
    """All that this piece of a pattern can be, where that is not too much."""
    if code is codes.LITERAL:
        return frozenset([chr(value)])
    if code is codes.IN:
        return _letters(value)
    if code is codes.SUBPATTERN:
        return _written_out(value[3])
    if code is codes.BRANCH:
        options = [_written_out(option) for option in value[1]]
        return _few(frozenset().union(*options)) if all(options) else NOTHING
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and tuple(value[:2]) == (0, 1):
        once = _written_out(value[2])
        return _few(once | BLANK) if once else NOTHING
    return NOTHING


def _letters(choices: Sequence[tuple[Any, Any]]) -> Wordings:
    found: set[str] = set()
    for code, value in choices:
        if code is codes.LITERAL:
            found.add(chr(value))
        elif code is codes.RANGE and value[1] - value[0] < FEW:
            found.update(map(chr, range(value[0], value[1] + 1)))
        else:
            return NOTHING
    return _few(frozenset(found))


def _written_out(sequence: Iterable[tuple[Any, Any]]) -> Wordings:
    told = BLANK
    for code, value in sequence:
        if code is codes.AT:
            continue
        whole = _whole(code, value)
        told = _few(frozenset(left + right for left in told for right in whole))
        if not told:
            return NOTHING
    return told


def _few(wordings: Wordings) -> Wordings:
    return wordings if len(wordings) <= MOST else NOTHING


def _inside(code: Any, value: Any) -> Wordings:
    """What a piece that cannot be written out holds in any case."""
    if code is codes.SUBPATTERN:
        return _best(_runs(value[3]))
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and value[0] > 0:
        return _best(_runs(value[2]))
    if code is codes.BRANCH:
        options = [_best(_runs(option)) for option in value[1]]
        return frozenset().union(*options) if all(options) else NOTHING
    return NOTHING


def _best(runs: Sequence[Wordings]) -> Wordings:
    return min(runs, key=_rank, default=NOTHING)


def _rank(run: Wordings) -> tuple[float, list[str]]:
    """How often one of these is likely to stand in a text; a sign of a script without spaces says as much as three letters."""
    return sum(4.0 ** -min(sum(3 if ord(char) > 0x2E7F else 1 for char in each), 8) for each in run), sorted(run)


def render() -> str:
    """The file."""
    parts = [_HEAD]
    for name, rules in (("ENGLISH_NEEDS", ENGLISH), ("FOREIGN_NEEDS", foreign())):
        parts.append(f"{name}: tuple[tuple[tuple[str, ...], ...], ...] = (\n")
        parts += [_wrapped(needs(pattern)) for _, _, pattern in rules]
        parts.append(")  # fmt: skip\n")
    return "".join(parts)


def _wrapped(sets: Sequence[Sequence[str]]) -> str:
    """A tuple of tuples as lines."""
    told = [[f"{_quoted(word)}," for word in words] for words in sets]
    for words in told:
        words[0] = f"({words[0]}"
        words[-1] = f"{words[-1]}),"
    pieces = [piece for words in told for piece in words]
    if not pieces:
        return "    (),\n"
    lines, current = [], f"    ({pieces[0]}"
    for piece in pieces[1:]:
        if _columns(current) + _columns(piece) > WIDTH:
            lines.append(current)
            current = f"        {piece}"
        else:
            current += f" {piece}"
    return "\n".join([*lines, current]) + "),\n"


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _quoted(word: str) -> str:
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the file, or says whether it is as it should be."""
    ap = argparse.ArgumentParser(description="What texts must hold for patterns to fit.")
    ap.add_argument("--check", action="store_true")
    check = ap.parse_args(arguments).check
    if check:
        same = TARGET.exists() and TARGET.read_text("utf-8") == render()
        sys.stdout.write("up to date\n" if same else f"{TARGET.name} is out of date: run this without --check\n")
        return 0 if same else 1
    TARGET.write_text(render(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
