"""Shell command lines taken apart: which programs run, joined how, writing where. Never executed, never expanded."""

from __future__ import annotations

import re
from typing import NamedTuple

from diarist.text.lazy import lazy

LIMIT = 20_000
"""Characters of a command line that are read. Here-documents are skipped over, so this is rarely reached."""

_TOKEN = lazy(
    r"""(?P<space>(?:[^\S\n]|\\\n)+)
      | (?P<comment>(?<![^\s;&|()])\#[^\n]*)
      | (?P<heredoc><<-?\s*(?P<quote>['"]?)(?P<mark>[\w.!-]+)(?P=quote))
      | (?P<redirect>(?:\d|&)?>>?\|?(?:&(?:\d|-))?|<<<|<)
      | (?P<op>&&|\|\|?&?|;;?|&|\n|\(|\)|(?<![^\s;&|()])[{}](?=\s|;|$))
      | (?P<word>(?:'[^']*'?|"(?:\\.|[^"\\])*"?|\\.|\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`?|[^\s;&|()<>'"\\`])+)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_UNQUOTE = lazy(r"'([^']*)'?|\"((?:\\.|[^\"\\])*)\"?|\\(.)", re.DOTALL)
_PLAIN = lazy(r"[^'\"\\]*\Z")
_ASSIGN = lazy(r"[A-Za-z_]\w*=")


class Simple(NamedTuple):
    """One simple command: `FOO=1 pytest -q > log` has the words (pytest, -q) and writes log."""

    words: tuple[str, ...]
    after: str = ""
    """What joins it to the next one: "&&", "||", ";", "|", "&", or "" at the end. A new line counts as ";"."""
    writes: tuple[str, ...] = ()
    heredoc: str = ""


def unquote(word: str) -> str:
    """The word without its quotes, nothing expanded."""
    if _PLAIN.match(word):
        return word
    return _UNQUOTE.sub(lambda m: next((part for part in m.groups() if part is not None), ""), word)


def split(text: str) -> tuple[Simple, ...]:
    """The simple commands of a command line, in order. Sub-shells and groups are flattened; keywords are left as words.

    >>> [simple.words for simple in split("cd x && FOO=1 pytest -q 2>&1 | tail -3")]
    [('cd', 'x'), ('pytest', '-q'), ('tail', '-3')]
    """
    return _Splitter(text[:LIMIT]).run()


class _Splitter:
    """State of one pass over a command line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.done: list[Simple] = []
        self.words: list[str] = []
        self.writes: list[str] = []
        self.heredoc = ""
        self.waiting: list[str] = []
        self.redirect = ""

    def run(self) -> tuple[Simple, ...]:
        at = 0
        while at < len(self.text):
            token = _TOKEN.match(self.text, at)
            if token is None:
                break
            at = token.end()
            kind = token.lastgroup
            if kind == "word":
                self._word(token.group())
            elif token.group("heredoc"):
                self.waiting.append(token["mark"])
            elif kind == "redirect":
                target = token.group()
                self.redirect = "" if "&" in target[1:] else target
            elif kind == "op":
                at = self._operator(token.group(), at)
        self._close("")
        return tuple(self.done)

    def _word(self, word: str) -> None:
        if self.redirect:
            if ">" in self.redirect:
                self.writes.append(unquote(word))
            self.redirect = ""
        elif self.words or not _ASSIGN.match(word):
            self.words.append(unquote(word))

    def _operator(self, operator: str, at: int) -> int:
        if operator == "\n" and self.waiting:
            at = self._skip_heredocs(at)
        self._close({"\n": ";", ";;": ";", "|&": "|", "(": ";", ")": ";", "{": ";", "}": ";"}.get(operator, operator))
        return at

    def _skip_heredocs(self, at: int) -> int:
        for mark in self.waiting:
            end = re.compile(rf"^\s*{re.escape(mark)}\s*$", re.MULTILINE).search(self.text, at)
            self.heredoc += self.text[at : end.start() if end else len(self.text)]
            at = end.end() if end else len(self.text)
        self.waiting.clear()
        return at

    def _close(self, operator: str) -> None:
        if self.words or self.writes:
            self.done.append(Simple(tuple(self.words), operator, tuple(self.writes), self.heredoc))
        elif self.done and operator in ("&&", "||", "|") and self.done[-1].after == ";":
            self.done[-1] = self.done[-1]._replace(after=operator)  # `( … ) && next`
        self.words, self.writes, self.heredoc = [], [], ""
