"""Marks that people and tools put into plain transcripts: whose turn it is, what was typed at a prompt, how it exited."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from diarist.importers.values import words
from diarist.text.lazy import lazy

Speaker = Literal["user", "agent", "tool", "system"]

_SPEAKERS: dict[Speaker, tuple[str, ...]] = {
    "user": words(
        """user human me you person prompt question customer client developer benutzer nutzer mensch frage utilisateur utilisatrice
        humain usuario usuaria humano usuário usuária utente umano gebruiker użytkownik användare bruger bruker käyttäjä
        пользователь человек користувач kullanıcı ユーザー ユーザ 人間 用户 使用者 用戶 사용자 pengguna उपयोगकर्ता المستخدم משתמש"""
    ),
    "agent": words(
        """assistant ai agent bot claude codex gpt chatgpt gemini copilot model llm response answer antwort assistent assistente
        asistente assistante агент ассистент помощник асистент asystent asistan アシスタント エージェント 助手 助理 智能体 어시스턴트
        asisten सहायक المساعد עוזר"""
    ),
    "tool": words("tool output result observation stdout stderr function ausgabe sortie salida saída вывод 出力 输出 결과"),
    "system": words("system système sistema система システム 系统 시스템"),
}
_BY_NAME = {name: speaker for speaker, names in _SPEAKERS.items() for name in names}
_WORD = r"([^\W\d_]{1,20})"
_LABEL = lazy(
    rf"\s{{0,3}}[*_]{{0,3}}{_WORD}(?: said)?(?:\s\([^()\n]{{1,60}}\))?[*_]{{0,3}}\s?(?::[*_]{{0,3}}(?:\s+|$)|：[*_]{{0,3}}\s*)(.*)\Z"
)
_BRACKETS = lazy(rf"\s{{0,3}}\[{_WORD}\][:：]?\s*(.*)\Z")
_ELEMENT = lazy(rf"\s{{0,3}}<{_WORD}>\s*()\Z")
_HEADING = lazy(rf"#{{1,6}}\s+(?:\W{{1,3}}\s)?[*_]{{0,2}}{_WORD}[*_]{{0,2}}(?:\s*[:(（—-].*)?()\Z")
_BARE = lazy(rf"[*_]{{2,4}}{_WORD}[*_]{{2,4}}()\Z")
_AMBIGUOUS = frozenset(
    words(
        "me you person prompt question customer client developer response answer model output result function tool system bot frage antwort"
    )
)
"""Labels that ordinary text has too ("Result: 3", "Question: …"): they count only where a transcript has clear ones as well."""

_TASK = (
    r"(?:the )?(?:task|request|goal|objective|issue|problem|aufgabe|auftrag|tâche|demande|tarea|petición|tarefa|compito|задача)|"
    r"任务|任務|需求|課題|タスク|依頼|작업"
)
_ASK = lazy(rf"\s{{0,3}}[*_]{{0,3}}(?:{_TASK})[*_]{{0,3}}\s?[:：][*_]{{0,3}}\s*(.*)\Z", re.IGNORECASE)
_ASK_HEADING = lazy(rf"#{{1,6}}\s+[*_]{{0,2}}(?:{_TASK})[*_]{{0,2}}\s*:?\s*\Z", re.IGNORECASE)
_PROMPT = lazy(
    r"\s{0,4}(?:\([\w.-]+\)\s)?"
    r"(?:[\w.-]+@[\w.-]+[:\s][^\s$#%>]*|~?/?[\w./~-]{1,60}\s|PS [A-Z]:[^>]*|[A-Z]:\\[^>]*)?"
    r"([$%>❯➜])\s+(\S.*)\Z"
)
_SHELL = lazy(r"\s{0,4}(?:\([\w.-]+\)\s)?[\w.-]{1,40}@[\w.-]{1,80}:[^\s#$]{1,200}\s?([#$])\s(\S.*)\Z")
"""A prompt that names user, host and folder: nothing else looks like it, so that root's "#" counts too."""
_IDLE = lazy(r"\s{0,4}(?:\([\w.-]+\)\s)?[\w.-]{1,40}@[\w.-]{1,80}:[^\s#$]{1,200}\s?[#$]\s*\Z")
_PROGRAMS = frozenset(
    words(
        """git npm npx pnpm yarn bun node deno python python3 pip pip3 uv poetry pytest tox ruff mypy go cargo rustc make cmake gcc g++
        clang docker docker-compose kubectl helm terraform ls cd cat cp mv rm mkdir touch echo grep rg find sed awk head tail curl wget
        ssh scp tar unzip chmod sudo apt apt-get brew java javac mvn gradle ./gradlew ruby bundle rake rails php composer dotnet swift
        tsc eslint jest vitest psql sqlite3 mysql redis-cli gh systemctl journalctl ps kill which env export source bash sh zsh pwsh
        dir type copy del aws gcloud az vim nano diff patch"""
    )
)
_EXIT = lazy(
    r"\s*[\[(<{]?\s*(?:→\s*|->\s*|=>\s*)?(?:the )?(?:command |process )?"
    r"(?:exit(?:ed|s)?|return(?:ed)?|rc)(?:\s+with)?(?:\s*(?:code|status))?\s*[:=]?\s*"
    r"(-?\d{1,9})\s*[\])>}]?[.]?\s*\Z",
    re.IGNORECASE,
)


class Turn(NamedTuple):
    """A line that says whose turn begins, and what stands behind the label."""

    speaker: Speaker
    rest: str
    clear: bool
    """Ordinary text hardly ever has this label."""


def turn_mark(line: str) -> Turn | None:
    """Whose turn a line begins; None for any other line."""
    for pattern in (_LABEL, _BRACKETS, _HEADING, _BARE, _ELEMENT):
        found = pattern.match(line)
        speaker = _BY_NAME.get(found[1].lower()) if found else None
        if found and speaker:
            return Turn(speaker, found[2], found[1].lower() not in _AMBIGUOUS or line.lstrip(" *_").startswith("You said:"))
    return None


class Ask(NamedTuple):
    """A line under which a text says what the task was."""

    rest: str
    is_heading: bool


def ask_mark(line: str) -> Ask | None:
    """What stands behind "Task:", or a heading "## Task"; None for any other line."""
    if line.startswith("#"):
        return Ask("", True) if _ASK_HEADING.match(line) else None
    found = _ASK.match(line)
    return Ask(found[1], False) if found else None


class Typed(NamedTuple):
    """A command at a shell prompt."""

    sign: str
    command: str


def typed_command(line: str, fenced: bool) -> Typed | None:
    """The command a line shows behind a shell prompt, None if it shows none.

    Behind `>` and `%`, which Markdown and other text use too, only where a usual program follows, or in a code fence.
    """
    shell = _SHELL.match(line)
    if shell:
        return Typed("$", shell[2])
    found = _PROMPT.match(line)
    if found is None:
        return None
    sign, command = found.groups()
    first = command.split(None, 1)[0]
    if sign == "$":
        return None if first.replace(".", "", 1).replace(",", "").isdigit() else Typed(sign, command)
    usual = first in _PROGRAMS or first.startswith(("./", "../")) or (fenced and sign != ">" and first[:1].isalpha())
    return Typed(sign, command) if usual else None


def is_idle_prompt(line: str) -> bool:
    """True for a shell prompt at which nothing was typed."""
    return len(line) < 300 and _IDLE.match(line) is not None


def exit_mark(line: str) -> int | None:
    """The exit status a line of its own tells, as in "[exit code 1]"; None for any other line."""
    if not line or len(line) > 80 or not (line[-1].isdigit() or line[-1] in "])>}." or line[-1].isspace()):
        return None
    found = _EXIT.match(line)
    return int(found[1]) if found else None
