"""The schema of the neutral form and the importer that reads it say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

from contract.importers.passes import TRANSCRIPTS
from diarist.importers.neutral import VERSION
from diarist.model.session import Mark, StepKind

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "reference" / "neutral-transcript.schema.json").read_text("utf-8"))["$defs"]


def test_version_kinds_and_marks_are_those_of_the_code() -> None:
    assert SCHEMA["header"]["properties"]["diarist"]["const"] == VERSION
    assert SCHEMA["step"]["properties"]["kind"]["enum"] == list(get_args(StepKind))
    assert SCHEMA["step"]["properties"]["mark"]["enum"] == list(get_args(Mark))


def test_the_example_uses_fields_of_the_schema_only() -> None:
    header, *steps = [json.loads(line) for line in (TRANSCRIPTS / "neutral.jsonl").read_text("utf-8").splitlines()]
    assert set(header) <= set(SCHEMA["header"]["properties"])
    for step in steps:
        assert set(step) <= set(SCHEMA["step"]["properties"])
        assert set(step.get("usage", {})) <= set(SCHEMA["usage"]["properties"])
