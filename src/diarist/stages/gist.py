"""An entry → its gist: what synthesis reads of it, with the words of its texts found. A pure function of the entry."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import msgspec

from diarist.model.bullet import UNASKED
from diarist.model.gist import Gist, Run
from diarist.model.redacted import Redacted, derived
from diarist.text.remembered import Remembered
from diarist.text.stem import stem_english
from diarist.text.terms import forms, split_words

PROMPT = 2000
"""Characters of the prompt that count."""
FILES = 12
"""Changed files that count."""
MOST_WORDS = 2000
"""Words of one text that are looked at."""
_MOST = 1 << 14
"""Words whose terms are remembered."""

_decode = msgspec.json.Decoder(Run).decode
_encode = msgspec.msgpack.Encoder().encode
read_gist = msgspec.msgpack.Decoder(Gist).decode
"""A gist of this version as it is kept → the gist. Raises msgspec.MsgspecError where it is none."""
_terms: Remembered[str, tuple[tuple[str, str], ...]] = Remembered(
    lambda word: tuple([(form, stem_english(form)) for form in forms(word)]), _MOST, 40
)


def make_gist(body: bytes) -> bytes:
    """The gist of an entry's JSON, as it is kept; empty where it is no entry."""
    try:
        return _encode(gist_of_entry(body))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return b""


def gist_of_entry(body: bytes) -> Gist:
    """The gist of an entry's JSON. Raises msgspec.MsgspecError or UnicodeDecodeError where it is no entry."""
    return gist_of(_decode(body))


def gist_of(run: Run) -> Gist:
    """The gist of a run."""
    return Gist(
        run.task_id,
        run.session_id,
        run.agent,
        run.project,
        run.title,
        run.created_at,
        run.outcome,
        run.tried,
        run.worked,
        run.failed,
        run.errors,
        run.fixes,
        find_words(_texts(run)),
        tuple(dict.fromkeys(_marks(run))) if run.files or run.errors else (),
    )


def find_words(texts: Sequence[str]) -> Redacted:
    """The distinct words of some texts, in the order they are met, each as it was written first."""
    whole = "\n".join(texts)
    if len(whole) > 2 * MOST_WORDS:  # else none of them can hold so many
        whole = "\n".join([" ".join(split_words(text)[:MOST_WORDS]) for text in texts])
    found: dict[str, str] = {}
    for form, term in chain.from_iterable(map(_terms.__getitem__, dict.fromkeys(split_words(whole)))):
        found.setdefault(term, form)
    return derived(" ".join(found.values()))


def _texts(run: Run) -> list[str]:
    return [
        run.title.removeprefix(UNASKED),
        run.prompt[:PROMPT],
        run.rationale,
        run.learned,
        *[error.message for error in run.errors],
        *[file.path for file in run.files[:FILES]],
        *[tag for tag in run.tags if ":" not in tag],  # "task:…" and the like say where an entry comes from
        *run.tried,
        *run.worked,
        *run.failed,
        *[fix.text for fix in run.fixes],
    ]


def _marks(run: Run) -> Sequence[Redacted]:
    changed = [file.path for file in run.files if any(operation != "read" for operation in file.operations)]
    return [derived(f"error:{error.fingerprint}") for error in run.errors if error.fingerprint] + [
        derived(f"file:{path}") for path in changed[:FILES]
    ]
