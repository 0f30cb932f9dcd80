"""Kinds of faults that a third reading of entries beside their transcripts found."""

from __future__ import annotations

from typing import Any

import pytest

from diarist.stages.distil.blocks import blocks
from diarist.stages.distil.commands import understand
from diarist.stages.distil.sentences import sentences
from diarist.stages.distil.writes import shell_changes

TRACE = "Traceback (most recent call last):\n  File \"label.py\", line 1, in <module>\nValueError: no total for 'boxes'"

EDIT_BLOCK = """Rounding happens in one place now.

label.py
<source>python
<<<<<<< SEARCH
    weight = weight.strip(":")
    return weight
=======
    weight = weight.rstrip(":")
    ```
    return round_to_gram(weight)
>>>>>>> REPLACE
</source>

The helper `round_to_gram` is called by `print_label` because both need the same weight.
"""


def test_lines_of_an_edit_block_are_no_sentences() -> None:
    told = [block.text for block in blocks(EDIT_BLOCK, merge=True)]
    assert told == [
        "Rounding happens in one place now.",
        "The helper `round_to_gram` is called by `print_label` because both need the same weight.",
    ]
    assert not any("strip" in sentence.text for sentence in sentences(EDIT_BLOCK))


@pytest.mark.parametrize(
    "line",
    [
        "weight = weight.strip(':')",
        "return round_to_gram(weight)",
        "// Draw the border before the label is measured",
        "chart.options.height = '75%'; // taller on phones",
        "any(part.startswith(mark) for part in parts)",
        "self.assertIn('label', str(error.exception))",
        "label: format,",
        "for number, label in enumerate(labels):",
        "if weight == limit:",
        'File "/srv/shop/label.py", line 410, in print_label',
        "1141→var onlyLabels bool // skip the sums",
        '"og:title": "Labels and sums in the shop - Search",',
    ],
)
def test_a_bare_line_of_code_is_no_sentence(line: str) -> None:
    assert not sentences(line)
    assert not sentences(f"{line}\n")
    assert not blocks(f"{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "return values are rounded before they are printed.",
        "if the label is empty, the sum is printed alone.",
        "label.py prints the weight twice.",
        "weight is a float, so it loses a gram.",
        "if `limit` is 0: nothing is printed at all",
        "for two labels the sum is printed once.",
    ],
)
def test_prose_that_begins_in_lower_case_is_told(line: str) -> None:
    assert [sentence.text for sentence in sentences(line)] == [line]
    assert [sentence.text for sentence in sentences(f"\n{line}\n")] == [line]


@pytest.mark.parametrize(
    "output",
    [
        "platform linux -- Python 3.12.1, pytest-8.0.0\ncollecting ... collected 1 item\ntest_label.py::test_sum FAILED [100%]",
        "check for added large files....................................Passed\nlint-labels.......Failed\nlabel.py is not formatted: fail",
        "testing: warning: no tests to run\n--- FAIL: TestSum (0.00s)\nFAIL",
        "=========== short test summary info ===========\nFAILED test_label.py::test_sum - AssertionError: 2 != 3",
    ],
)
def test_what_a_runner_prints_around_its_results_is_no_error(talk: Any, output: str) -> None:
    entry = talk().ask("Fix the sum").edit("label.py", "a", "b").shell("pytest -q test_label.py", output, 1).say("Hm.").entry()
    assert entry.errors
    for error in entry.errors:
        assert not error.message.startswith(("platform", "collecting", "check for", "testing:", "=====")), error.message


def test_a_file_that_could_not_be_written_is_not_told_as_created(talk: Any) -> None:
    entry = (
        talk()
        .ask("Write a guide")
        .call("Write", {"file_path": "/work/shop/GUIDE.md", "content": "# Guide"}, "You haven't granted permission to write.", error=True)
        .say("I've created a short GUIDE.md for the shop. The folder holds `label.py` and no tests.")
        .entry()
    )
    assert not any("created" in bullet for bullet in entry.worked)
    assert not entry.file_operations


def test_how_to_use_what_was_made_is_not_told_as_work(talk: Any) -> None:
    reply = 'Done.\n\n- Click the "Print" button of `index.html` to print\n- `index.html` keeps each label in localStorage'
    entry = talk().ask("Make a page").write("index.html", "<button>Print</button> localStorage label").say(reply).entry()
    assert not any(bullet.startswith("Click") for bullet in entry.worked)
    assert any("keeps each label" in bullet for bullet in entry.worked)


@pytest.mark.parametrize(
    "thanks",
    [
        "Yes, please proceed with that booking. Thank you!",
        "Great, thank you so much for your help!",
        "Yes, I confirm. Please go ahead with this payment.",
        "Please continue working on the task on whatever approach you think is suitable.",
    ],
)
def test_thanks_and_assent_are_no_requests(talk: Any, thanks: str) -> None:
    entry = talk().ask("Book the first flight").say("It costs 305.").ask(thanks).say("Booked as HATHAT.").entry()
    assert not any("Asked next" in bullet for bullet in entry.tried)


def test_assent_that_asks_for_something_is_a_request(talk: Any) -> None:
    entry = talk().ask("Is it a constant?").say("No.").ask("Yes please make both labels a constant").say("Both are.").entry()
    assert any("make both labels" in bullet for bullet in entry.tried)


@pytest.mark.parametrize(
    "words",
    [
        "You're welcome! If you have any other questions or need any further assistance with labels, feel free to reach out.",
        "I suggest we proceed with ending the conversation.",
        "Error processing publish message; shop.client.BadLabelError: code 400 for `print_label`",
    ],
)
def test_politeness_and_tracebacks_are_no_findings(talk: Any, words: str) -> None:
    entry = talk().ask("Which label is the smallest?").say("`label_7` is the smallest, it weighs 3 g.").ask("And then?").say(words).entry()
    assert not any(words[:20] in bullet for bullet in entry.worked)


def test_a_fix_after_which_the_command_failed_otherwise_says_so(talk: Any) -> None:
    entry = (
        talk()
        .ask("Sum the labels")
        .shell("python label.py", TRACE, 1)
        .edit("label.py", "total['boxes']", "total.get('boxes')")
        .shell("python label.py", TRACE.replace("ValueError: no total for 'boxes'", "TypeError: a sum of None and int"), 1)
        .say("Hm.")
        .entry()
    )
    assert any("then it failed otherwise" in fix.text for fix in entry.fixes)


def test_a_plan_is_not_told_as_learned(talk: Any) -> None:
    said = "The next step is to locate `label.py` because the error is raised there. `print_label` fails because `weight` is None."
    entry = talk().ask("Fix the label").say(said).shell("cat label.py", "x").say("It is in `label.py`.").entry()
    assert "next step" not in entry.learned
    assert "`weight` is None" in entry.learned


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Let's look at these two:\n\n- The label is printed twice\n- The sum", "Let's look at these two: The label is printed twice"),
        ("Labels:\nprint them", "Labels:"),
        ('when I run it I get:\n  File "label.py", line 3, in f\nValueError: x', "when I run it I get: ValueError: x"),
        ("when I run it I get:\n  print(label)", "when I run it I get:"),
        (
            "Low Severity\n\nThe label of a parcel is printed twice when its weight is unknown, which wastes paper.",
            "Low Severity: The label of a parcel is printed twice when its weight is unknown, which wastes paper.",
        ),
        ("Print labels\n\nTwice.", "Print labels"),
        ("• loading labels\n  ✗ printing\nError: no printer 'hall' found", "Error: no printer 'hall' found"),
        ("• the label\n• the sum", "• the label"),
        ('Traceback (most recent call last):\n  File "label.py", line 3, in f\nValueError: no weight', "ValueError: no weight"),
    ],
)
def test_a_title_says_what_its_first_line_announces(talk: Any, prompt: str, title: str) -> None:
    assert talk().ask(prompt).say("Hm.").entry().title == title


SCRIPT = """cat > patch_label.py << 'EOF'
target = '/work/shop/src/label.py'
with open(target) as f:
    text = f.read()
with open(target, 'w') as f:
    f.write(text.replace('grams', 'kilos'))
EOF"""


def test_what_a_script_of_the_run_changes_is_told_when_it_was_run(talk: Any) -> None:
    begun = talk().ask("Print kilos").shell("sed -n '1,9p' /work/shop/src/label.py", "unit = 'grams'").shell(SCRIPT, "")
    assert not any(file.path == "src/label.py" and "edit" in file.operations for file in begun.entry().files)
    entry = begun.shell("cd /work/shop && python patch_label.py", "patched").say("`src/label.py` prints kilos now.").entry()
    assert [(file.path, file.operations) for file in entry.files] == [("src/label.py", ("read", "edit"))]
    assert any(bullet.startswith("Changed src/label.py") for bullet in entry.worked)


def test_a_script_that_failed_or_writes_files_of_its_own_changes_nothing_of_the_project(talk: Any) -> None:
    begun = (
        talk()
        .ask("Print kilos")
        .shell("cat /work/shop/src/label.py", "unit = 'grams'")
        .shell(SCRIPT.replace("src/label.py", "out.json"), "")
    )
    entry = begun.shell("python patch_label.py", "patched").say("Hm.").entry()
    assert "out.json" not in [file.path for file in entry.files]
    failed = talk().ask("Print kilos").shell("cat /work/shop/src/label.py", "x").shell(SCRIPT, "").shell("python patch_label.py", TRACE, 1)
    assert all("edit" not in file.operations for file in failed.say("Hm.").entry().files)


def test_an_edit_in_place_of_an_absolute_path_is_a_change(talk: Any) -> None:
    entry = talk().ask("Print kilos").shell("sed -i 's/grams/kilos/' /work/shop/src/label.py", "").say("`label.py` prints kilos.").entry()
    assert [(file.path, file.operations) for file in entry.files] == [("src/label.py", ("edit",))]


@pytest.mark.parametrize("script", ["/old unit/d", "/unit/,/weight/p", "/unit/a the new.line", "12,40p", "s/a.b/c.d/"])
def test_the_pattern_of_an_edit_in_place_is_no_file(script: str) -> None:
    changes = shell_changes(understand(f"sed -i '{script}' label.py"))
    assert [change.path for change in changes] == ["label.py"]


def test_a_file_that_a_command_writes_and_shows_was_made_by_it(talk: Any) -> None:
    entry = (
        talk()
        .ask("Check")
        .edit("label.py", "a", "b")
        .shell("make > /tmp/out.txt; cat /tmp/out.txt", "all made")
        .say("`label.py` is made.")
        .entry()
    )
    assert [file.path for file in entry.files] == ["label.py"]
