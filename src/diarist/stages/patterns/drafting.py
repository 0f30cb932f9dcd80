"""A habit in words: title, name, description, steps, examples."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from math import log

import msgspec

from diarist.model.observation import Observation
from diarist.model.redacted import Redacted, derived
from diarist.model.skill import SkillStep
from diarist.stages.patterns.features import WELL, Corpus, labels
from diarist.stages.patterns.procedure import find_procedure
from diarist.stages.patterns.words import prompt_words
from diarist.text.clip import clip
from diarist.text.lazy import lazy

_TITLE = 72
_CANDIDATES = 12
_NEARLY = 0.6
_LONGEST = 40
"""Characters of a word in a title; longer ones are values."""
_EXAMPLE = 160
_READ = 1_200
"""Characters of a prompt that are looked through for its headline."""
_MOST_EXAMPLES = 5
_NAME = 64
_NAME_WORDS = 5
_RESERVED = ("claude", "anthropic")
"""Uploads refuse names with these."""
_CONSTANT = 0.3
"""A word of the title that fewer runs have is what is filled in each time."""
_SUBJECT = 0.4
"""A word that so many runs have says what the habit is about."""
_PIECE = lazy(r"\S+")
_PASTED = lazy(r"<!--.*?(?:-->|\Z)|```.*?(?:```|\Z)|^[ \t]*(?:[#>*-]+[ \t]+)+", re.DOTALL | re.MULTILINE)
"""What stands around the words of a person: comments, code, marks of headings and lists."""
_SENTENCE = lazy(r"(?<=[.!?])\s+|(?<=[。！？])|\s*\n\s*")
_CODE = lazy(r"\W*(?=[\dA-Z-]*\d)(?=[\dA-Z-]*[A-Z])[\dA-Z][\dA-Z-]{2,}\W*\Z")
"""A code that names one case, as HX2DUB or PROJ-417: never part of what a habit is about."""
_ASCII_WORD = lazy(r"[a-z][a-z0-9]+")
_FILLED = "…"
_MOST_FILLED = 2
"""A title with more gaps than this reads worse than one that is too particular."""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A habit that was found. Times are those of its first and last run in the window."""

    name: str
    title: Redacted
    description: Redacted
    steps: tuple[SkillStep, ...]
    examples: tuple[Redacted, ...]
    session_ids: tuple[Redacted, ...]
    """Distinct sessions that bear it out, sorted."""
    failed_sessions: tuple[Redacted, ...]
    """Distinct sessions where it only failed, sorted."""
    supporting: tuple[str, ...]
    """Ids of the observations that bear it out, oldest first."""
    counter: tuple[str, ...]
    """Ids of the observations where it was tried and failed, oldest first."""
    first_at: datetime
    last_at: datetime


def draft(group: Sequence[int], observations: Sequence[Observation], corpus: Corpus, rarity: Mapping[tuple[int, int], float]) -> Draft:
    """The habit that the runs of `group` show."""
    runs = sorted((observations[n] for n in group), key=lambda each: (each.observed_at, each.id))
    good = [run for run in runs if run.outcome in WELL]
    sessions = {run.session_id for run in good}
    shares = Counter(word for n in group for word in corpus.runs[n].words)
    about = {word: count / len(group) for word, count in shares.items()}
    weight = {word: share * rarity.get((0, word), log(2)) for word, share in about.items()}
    spelt = Counter(word for n in group for word in corpus.words[n])
    fits = {observations[n].id: _typicality(n, corpus, weight, spelt) for n in group}
    ranked = sorted(group, key=lambda n: (-fits[observations[n].id], observations[n].prompt, observations[n].id))
    typical = _best_told(ranked[:_CANDIDATES], fits, observations, corpus, about)
    steps = find_procedure([run.tools for run in (good or runs)])
    said = _headline(observations[typical].prompt, corpus, about)
    coded = {word for piece in _PIECE.findall(said) if _CODE.match(piece) for word in prompt_words(piece)}
    subject = [word for word in corpus.words[typical] if _share(word, corpus, about) >= _SUBJECT and word not in coded]
    title = _title(said, corpus, about) if subject else _title_of_tools(good)
    examples = _examples([(run.prompt, fits[run.id]) for run in good])
    return Draft(
        name=_name(subject, steps, good),
        title=title,
        description=describe(title, examples),
        steps=steps,
        examples=examples,
        session_ids=tuple(sorted(sessions)),
        failed_sessions=tuple(sorted({run.session_id for run in runs} - sessions)),
        supporting=tuple(run.id for run in good),
        counter=tuple(run.id for run in runs if run.outcome not in WELL),
        first_at=runs[0].observed_at,
        last_at=runs[-1].observed_at,
    )


def _best_told(
    ranked: Sequence[int], fits: Mapping[str, float], observations: Sequence[Observation], corpus: Corpus, about: Mapping[int, float]
) -> int:
    """The most typical run; one nearly as typical where the title of that one would be one word, or begin with what is filled in."""
    good = [n for n in ranked if fits[observations[n].id] >= _NEARLY * fits[observations[ranked[0]].id]]
    return next((n for n in good if _reads(_title(_headline(observations[n].prompt, corpus, about), corpus, about))), ranked[0])


def _reads(title: str) -> bool:
    words = [piece for piece in title.split() if not piece.startswith(_FILLED)]
    return not title.startswith(_FILLED) and (len(words) > 1 or not title.isascii())


def describe(title: Redacted, examples: Sequence[Redacted]) -> Redacted:
    """What the skill is for and when to use it, in one line without markup."""
    short = dict.fromkeys(clip(" ".join(example.split()), 80) for example in examples)
    told = "; ".join(f'"{each}"' for each in list(short)[:3])
    said = title if title.endswith("…") else f"{title}."
    line = clip(f"{said} Use when asked for this, in words like {told}." if told else said, 1000)
    return derived(line.replace("<", "‹").replace(">", "›"))


def _share(word: str, corpus: Corpus, about: Mapping[int, float]) -> float:
    return max((about.get(family, 0.0) for family in corpus.families.get(word, ())), default=0.0)


def _typicality(n: int, corpus: Corpus, weight: Mapping[int, float], spelt: Mapping[str, int]) -> float:
    """How much of what the habit is about a prompt says, and nothing else; the same words, spelt as others spell them, say more."""
    words, written = corpus.runs[n].words, corpus.words[n]
    if not words:
        return 0.0
    usual = sum(spelt[word] for word in written) / (len(written) * max(spelt.values()))
    return round(sum(weight.get(word, 0.0) for word in words) / (1 + len(words)) * (1 + usual), 9)


def _headline(prompt: Redacted, corpus: Corpus, about: Mapping[int, float]) -> str:
    """The first sentence that says what the habit is about; without one, the sentence that says most of it."""
    told = [piece for piece in _SENTENCE.split(_PASTED.sub("\n", prompt[:_READ])) if piece.strip()] or [prompt[:_READ]]
    held = [sum(_share(word, corpus, about) >= _SUBJECT for word in prompt_words(piece)) for piece in told]
    most = max(held)
    return next(piece for piece, count in zip(told, held, strict=True) if count >= min(2, most))


def _title(said: str, corpus: Corpus, about: Mapping[int, float]) -> Redacted:
    """A sentence without politeness around it, what is filled in each time left out."""
    told = _without_dull_ends([(piece, prompt_words(piece)) for piece in _PIECE.findall(said[:400])])
    lifted = _fill(told, corpus, about)
    pieces = lifted if sum(piece.startswith(_FILLED) for piece in lifted) <= _MOST_FILLED else _fill(told, corpus, {})
    text = " ".join(pieces).strip(" .,;:!?-")
    return derived(clip(text[:1].upper() + text[1:], _TITLE))


def _fill(told: Sequence[tuple[str, tuple[str, ...]]], corpus: Corpus, about: Mapping[int, float]) -> list[str]:
    """The pieces, "…" for codes and long ones, and for what is filled in each time; without `about` it is not known what is."""
    pieces: list[str] = []
    for piece, words in told:
        known = [word for word in words if word in corpus.families] if about else []
        varies = known and all(_share(word, corpus, about) < _CONSTANT for word in known)
        if varies or len(piece) > _LONGEST or _CODE.match(piece) or (not words and any(char.isdigit() for char in piece)):
            shown = _FILLED + (piece[-1] if piece[-1] in ",.?!:" else "")
        else:
            shown = piece
        if not (pieces and shown.startswith(_FILLED) and pieces[-1].startswith(_FILLED)):
            pieces.append(shown)
    return pieces


def _without_dull_ends(pieces: list[tuple[str, tuple[str, ...]]]) -> list[tuple[str, tuple[str, ...]]]:
    def dull(piece: str, words: tuple[str, ...]) -> bool:
        return not words and not any(char.isdigit() for char in piece)

    while len(pieces) > 1 and dull(*pieces[0]):
        pieces = pieces[1:]
    while len(pieces) > 1 and dull(*pieces[-1]):
        pieces = pieces[:-1]
    return pieces


def _title_of_tools(runs: Sequence[Observation]) -> Redacted:
    """Where the words say nothing: what the telling tools are, in their order."""
    counts = Counter(name for run in runs for name, special in dict(labels(run.tools)).items() if special)
    often = {name for name, count in counts.items() if count >= 0.6 * len(runs)}
    order = [name for run in runs for name, _ in labels(run.tools) if name in often]
    names = [_pretty(name) for name in dict.fromkeys(order)][:4]
    return derived(clip("Routine: " + ", ".join(names), _TITLE)) if names else derived("A routine")


def _pretty(name: str) -> str:
    """The tool "mcp__jira__get_issue" is "jira get issue"."""
    return " ".join(part for part in re.split(r"[_\W]+", name.removeprefix("$ ").removeprefix("mcp")) if part)


def _name(subject: Sequence[str], steps: Sequence[SkillStep], runs: Sequence[Observation]) -> str:
    """A slug of what it is about; of its own tools where the words are in a script that slugs cannot have."""
    words = [word for each in subject for word in _ASCII_WORD.findall(each.lower()) if word not in _RESERVED][:_NAME_WORDS]
    if len(words) < 2:
        special = [step.tool for step in steps if not step.optional and not step.tool.isalpha()]
        words += [word for tool in special for word in _ASCII_WORD.findall(_pretty(tool).lower())][: _NAME_WORDS - len(words)]
    if not words:
        words = ["habit", hashlib.sha256(" ".join(sorted(subject) or [runs[0].prompt]).encode("utf-8", "surrogatepass")).hexdigest()[:8]]
    return "-".join(dict.fromkeys(words))[:_NAME].strip("-")


def _examples(told: Sequence[tuple[Redacted, float]]) -> tuple[Redacted, ...]:
    """The most typical prompts (handed in oldest first, each with how typical it is), each wording once, oldest first."""
    distinct: dict[str, tuple[Redacted, float]] = {}
    for prompt, fits in told:
        short = derived(clip(" ".join(prompt.split()), _EXAMPLE))
        if short:
            distinct.setdefault(short.casefold(), (short, fits))
    order = list(distinct.values())
    chosen = sorted(range(len(order)), key=lambda at: (-round(order[at][1], 9), at))[:_MOST_EXAMPLES]
    return tuple(order[at][0] for at in sorted(chosen))
