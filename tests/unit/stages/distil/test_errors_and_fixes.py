"""Each distinct error once, with what got rid of it."""

from __future__ import annotations

from typing import Any

GO_FAILURE = "--- FAIL: TestTotal (0.00s)\n    cart_test.go:59: expected 30 got 28\nFAIL\nFAIL\tshop/cart\t0.01s"
LINT = "cart/cart.go:81:15: string `total` has 3 occurrences, make it a constant (goconst)\n1 issues:\n* goconst: 1"


def test_a_failing_test_is_told_with_what_it_expected(talk: Any) -> None:
    entry = talk().ask("Fix").shell("go test ./cart", GO_FAILURE, 1).say("Hm.").entry()
    assert entry.errors[0].message == "TestTotal failed: cart_test.go:59: expected 30 got 28"
    assert entry.errors[0].where == "cart_test.go:59"
    assert entry.errors[0].steps


def test_the_fix_is_what_was_changed_between_failing_and_passing(talk: Any) -> None:
    entry = (
        talk()
        .ask("Lint it")
        .edit("cart/cart.go", "return 1", "return 2")
        .shell("golangci-lint run", LINT, 1)
        .say("I will introduce a constant for the repeated string.")
        .edit("cart/cart.go", 'x := "total"', 'const totalKey = "total"\nx := totalKey')
        .shell("golangci-lint run", "0 issues.", 0)
        .say("Lint is clean.")
        .entry()
    )
    (error,) = entry.errors
    (fix,) = entry.fixes
    assert error.resolved is True
    assert fix.error == error.fingerprint
    assert fix.files == ("cart/cart.go",)
    assert "totalKey" in fix.text
    assert "constant" in fix.text
    assert error.resolved_by


def test_an_error_that_came_back_last_is_not_resolved(talk: Any) -> None:
    entry = (
        talk()
        .ask("Fix")
        .edit("a.go", "1", "2")
        .shell("go test ./cart", GO_FAILURE, 1)
        .edit("a.go", "2", "3")
        .shell("go test ./cart", GO_FAILURE, 1)
        .say("Hm.")
        .entry()
    )
    (error,) = entry.errors
    assert (error.resolved, error.count) == (False, 2)
    assert not entry.fixes


def test_passing_on_another_try_is_no_fix(talk: Any) -> None:
    entry = talk().ask("Test").shell("go test ./cart", GO_FAILURE, 1).shell("go test ./cart", "ok  \tshop/cart\t0.1s").say("ok").entry()
    assert entry.errors[0].resolved is True
    assert not entry.fixes


def test_a_refused_edit_is_resolved_when_the_file_is_written_after_all(talk: Any) -> None:
    unread = "File has not been read yet. Read it first before writing to it."
    entry = (
        talk()
        .ask("Write the notes")
        .call("Edit", {"file_path": "/work/shop/notes.py", "old_string": "a", "new_string": "b"}, unread, error=True)
        .call("Read", {"file_path": "/work/shop/notes.py"}, "a")
        .edit("notes.py", "a", "b")
        .say("ok")
        .entry()
    )
    (error,) = entry.errors
    assert error.resolved is True
    assert error.resolved_by == "Read notes.py, then Edit notes.py went through"
    assert error.tool == "Edit"


def test_what_was_read_is_searched_for_no_errors(talk: Any) -> None:
    code = 'raise ValueError("bad")\nlogger.error("Error: it failed")\nE   AssertionError'
    entry = talk().ask("Look").call("Read", {"file_path": "/work/shop/a.py"}, code).shell("grep -rn Error src", code).say("ok").entry()
    assert not entry.errors


def test_no_match_is_no_failure(talk: Any) -> None:
    entry = talk().ask("Look").shell("grep -rn missing src", "", 1).shell("diff a b", "1c1", 1).say("ok").entry()
    assert not entry.errors
    assert not entry.failed


def test_a_program_that_speaks_in_its_own_name_is_heard_behind_a_pipe(talk: Any) -> None:
    entry = talk().ask("Look").shell("ls types | head", "ls: cannot access 'types': No such file or directory", 0).say("ok").entry()
    assert [error.message for error in entry.errors] == ["ls: cannot access 'types': No such file or directory"]


def test_an_error_that_the_person_reports_is_an_error(talk: Any) -> None:
    entry = (
        talk()
        .ask("I get this:\nTypeError: total is not a function")
        .edit("a.js", "x", "y")
        .say("Changed.")
        .ask("Thanks, now the docs")
        .say("ok")
        .entry()
    )
    (error,) = entry.errors
    assert error.tool == "person"
    assert error.resolved is True


def test_the_declined_call_is_no_error(talk: Any) -> None:
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    entry = (
        talk()
        .ask("Go")
        .call("Edit", {"file_path": "/work/shop/a.py"}, refused, error=True, mark="refusal")
        .ask("leave a.py alone")
        .say("ok")
        .entry()
    )
    assert not entry.errors


def test_quotes_of_errors_survive_colours(talk: Any) -> None:
    output = "\x1b[31m--- FAIL: TestTotal (0.00s)\x1b[0m\n\x1b[1m    cart_test.go:59: expected 30 got 28\x1b[0m\nFAIL"
    entry = talk().ask("Fix").shell("go test ./cart", output, 1).say("Hm.").entry()
    quote = entry.evidence["failed"][0].quote
    assert quote
    assert quote in output


def test_search_is_fed_the_words_around_an_error_too(talk: Any) -> None:
    trace = 'Traceback (most recent call last):\n  File "/venv/site-packages/sqlbox/pool.py", line 9, in take\nTimeout: no connection'
    made = talk().ask("Run it").shell("python load.py", trace, 1).say("Hm.").distilled()
    assert made is not None
    (line,) = made.search.errors.split("\n")
    assert line.startswith("Timeout: no connection")
    assert "sqlbox" in line
