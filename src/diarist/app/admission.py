"""What a skill proposal has to pass before it can be accepted. Each reason is told in plain words."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from diarist.app.evidence import Evidence
from diarist.app.mining import namespace_of, skill_of
from diarist.app.records import entry_of
from diarist.app.review import proposal_of
from diarist.app.skill_records import find_skill
from diarist.app.suspecting import commanding_lines
from diarist.app.verifying import parts_of
from diarist.model.codec import from_json
from diarist.model.observation import Observation
from diarist.model.redacted import derived
from diarist.stages.skillfile import lint, render_skill

if TYPE_CHECKING:
    from collections.abc import Iterable

    from diarist.app.toolbox import Toolbox
    from diarist.model.entry import Entry
    from diarist.model.proposal import Proposal
    from diarist.model.record import Record
    from diarist.model.redacted import Redacted

FEWEST_SESSIONS = 2
_SUCCESS = ("completed", "recovered")
_MOST_READ = 20
"""Cited sessions whose transcripts are looked through for borrowed sentences."""
_SENTENCE_WORDS = 6
_MOST_EVIDENCE_NAMED = 12


def skill_text(proposal: Proposal) -> Redacted:
    """SKILL.md as acceptance would write it, in the reviewer's wording if there is one."""
    skill = skill_of(proposal)
    body = proposal.shown_body
    description = skill.description if proposal.edit is None or not proposal.edit.title else _described(proposal)
    metadata = {
        "diarist-proposal": proposal.id,
        "diarist-evidence": " ".join(skill.evidence[:_MOST_EVIDENCE_NAMED]),
        "diarist-digest": _digest(body),
    }
    return render_skill(skill.name, description, body, metadata)


def _described(proposal: Proposal) -> Redacted:
    """The description, its first sentence replaced by the reviewer's title."""
    skill = skill_of(proposal)
    if proposal.shown_title == proposal.title:
        return skill.description
    title = proposal.shown_title.replace("<", "‹").replace(">", "›")
    _, when, rest = skill.description.partition(" Use when ")
    return derived(f"{title}.{when}{rest}" if when else f"{title}. {skill.description}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]


def objections(box: Toolbox, proposal: Proposal) -> list[str]:
    """Why the skill must not be accepted; empty when it may."""
    skill = skill_of(proposal)
    text = skill_text(proposal)
    reasons = [f"{each.message} ({each.rule})" for each in lint(text, skill.name) if each.level == "error"]
    sessions = successful_sessions(box, proposal)
    if len(sessions) < FEWEST_SESSIONS:
        reasons.append(f"it rests on {len(sessions)} session(s) that ended well; at least {FEWEST_SESSIONS} independent ones are needed")
    if box.reader().redactor.find(text):
        reasons.append("it holds something that looks like a secret")
    other = _holder_of_name(box, proposal, skill.name)
    if other:
        reasons.append(f"another accepted skill is called {skill.name} ({other}); retire it or give this one another name")
    reasons += [
        f"a sentence of it comes from a tool's output, not from a person or the agent: {each!r}" for each in _borrowed(box, proposal)
    ]
    if proposal.edit is None:
        reasons += [
            f"a line of it speaks as an injected instruction would; put it into your own words with `diarist review edit`: {each!r}"
            for each in commanding_lines(f"{skill.description}\n{proposal.shown_body}")
        ]
    return reasons


def successful_sessions(box: Toolbox, proposal: Proposal) -> set[str]:
    """Cited sessions that ended well by what could be observed."""
    found = set()
    for each in skill_of(proposal).evidence:
        record = box.store.get_record(each)
        if (
            record is not None
            and record.status == "active"
            and record.outcome in _SUCCESS
            and record.trust != "import"
            and record.session_id
        ):
            found.add(str(record.session_id))
    return found


def _holder_of_name(box: Toolbox, proposal: Proposal, name: str) -> str:
    known = find_skill(box.store, proposal.project, name, namespace_of(proposal))
    if known is None:
        return ""
    holder = box.store.get_record(known.proposal_id)
    if holder is None:
        return known.proposal_id
    return "" if proposal_of(holder).key == proposal.key else known.proposal_id


# --- sentences from tool output -------------------------------------------------------------------------------------------


def _borrowed(box: Toolbox, proposal: Proposal) -> list[str]:
    """Sentences of the text that came up in a cited session's tool output, and in none from a person, or from an agent that had
    not read them before. What a reviewer wrote is the reviewer's.
    """
    skill = skill_of(proposal)
    body, shown = (proposal.body, proposal.shown_body) if skill.source == "curated" else ("", "")
    drafted = _sentences(f"{proposal.title}\n{skill.description}\n{body}")
    told = {each: drafted[each] for each in _sentences(f"{proposal.shown_title}\n{skill.description}\n{shown}") if each in drafted}
    if not told:
        return []
    heard: set[str] = set()
    said: set[str] = set()
    for entry in _entries(box, skill.evidence)[:_MOST_READ]:
        first: dict[str, str] = {}
        for kind, text in _texts(box, entry):
            flat = _flat(text)
            for sentence in told:
                if sentence in flat and (kind == "prompt" or sentence not in first):
                    first[sentence] = kind
        heard.update(sentence for sentence, kind in first.items() if kind == "result")
        said.update(sentence for sentence, kind in first.items() if kind != "result")
    return sorted(told[sentence] for sentence in heard - said)[:3]


def _sentences(text: str) -> dict[str, str]:
    """Flattened sentence → as written; code blocks and short ones left out."""
    prose = re.sub(r"```.*?```|`[^`\n]*`", " ", text, flags=re.DOTALL)
    pieces = (piece.strip(" -*>#\t") for line in prose.splitlines() for piece in re.split(r"(?<=[.!?。])\s+", line))
    return {_flat(piece): piece[:120] for piece in pieces if len(piece.split()) >= _SENTENCE_WORDS or len(piece) >= 40}


def _flat(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _entries(box: Toolbox, evidence: Iterable[str]) -> list[Entry]:
    found = []
    for each in evidence:
        record: Record | None = box.store.get_record(each)
        if record is not None and record.kind == "observation":
            entry_id = from_json(record.body, Observation).entry_id
            record = box.store.get_record(entry_id) if entry_id else None
        if record is not None and record.kind == "entry" and record.status == "active":
            found.append(entry_of(record))
    return found


def _texts(box: Toolbox, entry: Entry) -> Iterable[tuple[str, str]]:
    parts = parts_of(box, entry)
    if parts:
        for step in Evidence(parts, box.reader()):
            if step.kind in ("result", "prompt", "reply", "thought", "call") and step.text:
                yield step.kind, step.text
