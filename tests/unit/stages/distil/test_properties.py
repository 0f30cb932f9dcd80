"""Whatever the steps hold: an entry, bounded, the same each time, with quotes that stand where they say."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diarist.model.codec import to_json
from diarist.model.redacted import derived
from diarist.model.session import Step

LINES = st.sampled_from(
    [
        "",
        "Let me try another way instead.",
        "The issue is that `a_b` is missing because of x.",
        "## Tried",
        "- Failed: it broke",
        "1 failed, 2 passed in 0.1s",
        "OK",
        "```",
        'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: bad',
        "no, not that",
        "いや、違う",
        "\x1b[31merror: broken\x1b[0m",
        "a" * 700,
        "| a | b |",
        "\u2028\x00",
        "src/a.ts(1,2): error TS2304: Cannot find name 'x'.",
        "ls: cannot access 'x': No such file or directory",
        "Exit code 1",
        "**bold**: text",
        "()[]{}'\"`",
    ]
)
TEXTS = st.lists(LINES, max_size=6).map("\n".join) | st.text(max_size=80)
COMMANDS = st.sampled_from(
    [
        "pytest -q",
        "cd a && npm test | tail -3",
        "cat > x.py <<'E'\nprint(1)\nE",
        "git checkout -- a.py",
        "sed -i 's/a/b/' a.py",
        "'unclosed",
        "rm x.py",
        "mv a b c/",
    ]
) | st.text(max_size=40)
PATHS = st.sampled_from(["/work/shop/a.py", "a.py", "src/b.go", "README.md", "", "/", "..", "a/../b", "C:\\x\\y.cs"]) | st.text(max_size=20)
ARGUMENTS = st.one_of(
    st.none(),
    st.fixed_dictionaries({"command": COMMANDS}),
    st.fixed_dictionaries({"file_path": PATHS, "old_string": TEXTS, "new_string": TEXTS}),
    st.fixed_dictionaries({"path": PATHS, "content": TEXTS}),
    st.fixed_dictionaries({"path": PATHS, "edits": st.lists(st.fixed_dictionaries({"oldText": TEXTS, "newText": TEXTS}), max_size=2)}),
    st.dictionaries(
        st.text(max_size=8), st.none() | st.integers() | st.text(max_size=20) | st.lists(st.text(max_size=5), max_size=3), max_size=4
    ),
)
MARKS = st.sampled_from(
    ["", "", "", "refusal", "interrupt", "api-error", "limit", "machine", "command", "submit", "end", "escalation", "compaction"]
)
TOOLS = st.sampled_from(
    ["Bash", "Edit", "Write", "Read", "Grep", "Task", "apply_patch", "str_replace_editor", "python", "book_flight", ""]
) | st.text(max_size=10)
STEPS = st.builds(
    Step,
    kind=st.sampled_from(["prompt", "reply", "thought", "call", "result", "notice"]),
    rid=st.just(derived("r")),
    text=TEXTS,
    tool=TOOLS,
    arguments=ARGUMENTS,
    call_id=st.sampled_from(["", "c1", "c2"]),
    error=st.sampled_from([None, True, False]),
    exit_code=st.sampled_from([None, 0, 1, 127]),
    mark=MARKS,
    actor=st.sampled_from(["", "", "sub"]),
)


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for part in value.values() for text in strings(part)]
    return [text for part in value for text in strings(part)] if isinstance(value, list) else []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=st.lists(STEPS, max_size=14))
def test_any_steps_give_a_sound_entry_or_none(talk: Any, steps: list[Step]) -> None:
    session = talk()
    session.steps = steps
    made = session.distilled()
    if made is None:
        assert not any(step.kind == "call" or (step.kind in ("reply", "prompt") and step.text.strip() and not step.actor) for step in steps)
        return
    entry = made.entry
    assert to_json(entry) == to_json(session.entry())
    assert entry.title
    assert entry.outcome == "unknown" or entry.signals
    assert max(len(entry.tried), len(entry.worked), len(entry.failed)) <= 12
    for name in ("tried", "worked", "failed"):
        assert {item.bullet for item in entry.evidence.get(name, ())} == set(range(len(getattr(entry, name))))
    for items in entry.evidence.values():
        for item in items:
            beside = [
                text
                for number in item.steps
                if 0 <= number < len(steps)
                for text in (steps[number].text, *strings(steps[number].arguments or {}))
            ]
            assert item.quote.strip()
            assert any(item.quote in text for text in beside)
