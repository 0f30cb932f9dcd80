"""Tags of a session: languages, frameworks, tools, error codes, subsystems and words of the task. A pure function of it.

How much a tag counts is decided later, by how rare it is in the store.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from diarist.model.entry import Command, ErrorSeen
from diarist.stages.distil.words import STOP, content_words, whole_words, word_list, word_set
from diarist.text.lazy import lazy

MOST = 40
ASKED = 6
"""Requests whose words count: what a session is about is said in its first ones."""
_SUFFIXES = {
    "python": "py pyi ipynb",
    "typescript": "ts tsx mts cts",
    "javascript": "js jsx mjs cjs",
    "rust": "rs",
    "go": "go",
    "java": "java",
    "kotlin": "kt kts",
    "scala": "scala",
    "c": "c h",
    "cpp": "cc cpp cxx hpp hh",
    "csharp": "cs",
    "ruby": "rb",
    "php": "php",
    "swift": "swift",
    "shell": "sh bash zsh",
    "sql": "sql",
    "html": "html htm",
    "css": "css scss sass less",
    "markdown": "md mdx",
    "yaml": "yml yaml",
    "terraform": "tf",
    "lua": "lua",
    "r": "r",
    "dart": "dart",
    "elixir": "ex exs",
    "haskell": "hs",
    "zig": "zig",
    "vue": "vue",
    "svelte": "svelte",
    "asciidoc": "adoc",
}
_LANGUAGES = {suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
_FRAMEWORKS = {
    word: word
    for word in word_list(
        """
        django flask fastapi react next.js vue nuxt svelte angular express nestjs rails laravel symfony spring tailwind vite webpack prisma
        sqlalchemy pydantic pandas numpy scikit-learn sklearn pytorch tensorflow xarray matplotlib sympy docker kubernetes helm terraform
        ansible postgres postgresql mysql sqlite redis mongodb kafka graphql grpc cobra tokio axum actix electron flutter expo playwright
        cypress storybook celery slog opentelemetry openai anthropic mcp asciidoc jackson junit spring-boot github-actions
        """
    )
}
_CODE = lazy(
    r"\b(?:TS\d{4,5}|E\d{3,4}|[A-Z]{2,4}\d{3,5}|SC\d{4}|CS\d{4}|C\d{4}|E[A-Z]{4,}|ERR_[A-Z_]+|SQLSTATE\w*|HTTP \d{3}|[45]\d\d)\b|"
    r"\b[A-Z]\w+(?:Error|Exception)\b"
)
_GENERIC_FOLDERS = word_set(
    """
    src lib app apps pkg packages cmd internal test tests spec docs doc main home users user dev work tmp var opt usr node_modules dist
    build scripts path code project repo testbed workspace cli core
    """
)


class TagFacts(NamedTuple):
    """What the tags of a session follow from."""

    outcome: str
    task_id: str
    workflow: str
    prompts: Sequence[str]
    files: Sequence[str]
    """Changed files first."""
    commands: Sequence[Command]
    errors: Sequence[ErrorSeen]
    bullets: Sequence[str]
    given: Sequence[str] = ()
    """By the host."""


def make_tags(facts: TagFacts) -> list[str]:
    """Lower-case, distinct, the fixed ones first."""
    tags: dict[str, None] = {f"outcome:{facts.outcome}": None, f"task:{facts.task_id.lower()}": None}
    if facts.workflow:
        tags[f"workflow:{facts.workflow.lower()}"] = None
    asked = Counter(word for prompt in facts.prompts[:ASKED] for word in dict.fromkeys(content_words(prompt[:1_500])))
    told = Counter(whole_words("\n".join([*facts.bullets, *facts.files[:60]]).lower()))
    found = [
        *facts.given,
        *_languages(facts.files),
        *_frameworks(chain(asked, told)),
        *_tools(facts.commands),
        *_codes(facts.errors),
        *_subsystems(facts.files),
        *_task_words(facts.prompts, asked, told),
    ]
    for tag in found:
        cleaned = " ".join(tag.lower().split())
        if cleaned and len(tags) < MOST:
            tags.setdefault(cleaned[:60])
    return list(tags)


def _languages(files: Sequence[str]) -> list[str]:
    counts = Counter(language for path in files if "." in path and (language := _LANGUAGES.get(path.rsplit(".", 1)[-1].lower())))
    return [language for language, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:4]]


def _frameworks(words: Iterable[str]) -> list[str]:
    found = [name for word in words if (name := _FRAMEWORKS.get(word.replace("nextjs", "next.js").rstrip(".")))]
    return list(dict.fromkeys(found))[:8]


def _tools(commands: Sequence[Command]) -> list[str]:
    found: dict[str, None] = {}
    for command in commands:
        if command.kind in ("test", "build", "lint", "typecheck", "install"):
            found.setdefault({"test": "tests"}.get(command.kind, command.kind))
            for word in command.text.split()[:6]:
                name = word.rsplit("/", 1)[-1]
                if (
                    re.fullmatch(r"[a-z][a-z0-9_.-]{1,20}", name)
                    and name not in STOP
                    and name not in ("cd", "run", "exec", "python", "test", "bash", "sh", "sudo")
                ):
                    found.setdefault(name)
                    break
    return list(found)[:10]


def _codes(errors: Sequence[ErrorSeen]) -> Iterator[str]:
    counts = Counter(code.lower() for error in errors for code in _CODE.findall(error.message))
    yield from (code for code, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:6])


def _subsystems(files: Sequence[str]) -> list[str]:
    counts: Counter[str] = Counter()
    for path in files:
        for part in path.lower().split("/")[-4:-1]:
            if 2 < len(part) <= 30 and part not in _GENERIC_FOLDERS and not part.startswith(".") and re.search(r"[a-z]", part):
                counts[part] += 1
        stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0].lower()
        if 2 < len(stem) <= 30 and stem not in _GENERIC_FOLDERS:
            counts[stem] += 1
    return [name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:8]]


def _task_words(prompts: Sequence[str], asked: Counter[str], told: Counter[str]) -> list[str]:
    """Words that the request and the account of the work share count most."""
    scored = {word: number + min(told[word], 3) for word, number in asked.items()}
    first = list(content_words(prompts[0][:600])) if prompts else []
    order = {word: at for at, word in reversed(list(enumerate(first)))}
    return sorted(scored, key=lambda word: (-scored[word], order.get(word, 9_999), word))[:14]
