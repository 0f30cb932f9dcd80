"""What a benchmark keeps beside a run (labels, rewards, solutions) is never told: a diary must not know how a run was judged."""

from __future__ import annotations

import json

import msgspec
import pytest

from contract.importers.passes import TRANSCRIPTS, take

JUDGED = {
    "who-and-when.json": ("GT-LABEL-42", "Coder-LABEL", "REASON-LABEL", "is_correct"),
    "inspect-log.json": ("TARGET-LABEL", "SCORE-LABEL", "META-LABEL", "success"),
    "inspect-log.eval": ("TARGET-LABEL", "SCORE-LABEL", "META-LABEL", "success"),
    "tau-bench.json": ("reward", "You are Ada"),
    "openhands-output.jsonl": ("git_patch", "resolved"),
    "mini-swe-agent.traj.json": ("resolved",),
}


@pytest.mark.parametrize("name", sorted(JUDGED))
def test_no_label_is_told(name: str) -> None:
    told = msgspec.json.encode(take((TRANSCRIPTS / name).read_bytes())).decode()
    assert [label for label in JUDGED[name] if label in told] == []


@pytest.mark.parametrize(
    ("name", "place", "verdicts"),
    [
        ("who-and-when.json", ["is_correct"], (True, False)),
        ("tau-bench.json", [0, "reward"], (0.0, 1.0)),
        ("openhands-output.jsonl", ["resolved"], (True, False)),
        ("mini-swe-agent.traj.json", ["resolved"], (True, False)),
        ("inspect-log.json", ["samples", 0, "scores"], ({"match": {"value": "C"}}, {"match": {"value": "I"}})),
    ],
)
def test_a_run_reads_the_same_however_it_was_judged(name: str, place: list[str | int], verdicts: tuple[object, object]) -> None:
    taken = []
    for verdict in verdicts:
        document = json.loads((TRANSCRIPTS / name).read_bytes())
        holder = document
        for step in place[:-1]:
            holder = holder[step]
        holder[place[-1]] = verdict
        taken.append(take(json.dumps(document).encode()))
    assert taken[0] == taken[1]


def test_the_demonstration_of_another_task_is_never_told() -> None:
    taken = take((TRANSCRIPTS / "swe-agent.traj").read_bytes())
    assert not any("demo" in step.text.lower() for step in taken.steps)
    assert taken.capture.skipped["demo"] == 2
