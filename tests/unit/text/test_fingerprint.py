"""Errors found in console output, and when two of them are the same."""

from __future__ import annotations

import pytest

from diarist.text.fingerprint import errors_in, family, fingerprint


def only(text: str) -> str:
    """The message of the one error of a text."""
    found = errors_in(text)
    assert len(found) == 1, [error.message for error in found]
    return found[0].message


PYTHON = """\
collecting
Traceback (most recent call last):
  File "/home/ana/shop/run.py", line 12, in <module>
    main()
  File "/home/ana/shop/cart/total.py", line 40, in main
    return price * rate
TypeError: unsupported operand type(s) for *: 'NoneType' and 'float'
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PYTHON, "TypeError: unsupported operand type(s) for *: 'NoneType' and 'float'"),
        ('Traceback (most recent call last):\n  File "a.py", line 1, in f\nbotanic.NoSuchPlant: fern\n', "botanic.NoSuchPlant: fern"),
        ("/app/x.js:3\n    throw e\nRangeError [ERR_BAD]: bad offset\n    at read (/app/x.js:3:9)", "RangeError [ERR_BAD]: bad offset"),
        ('Exception in thread "main" java.lang.IllegalStateException: queue is closed\n\tat q.Queue.put(Queue.java:9)',
         "java.lang.IllegalStateException: queue is closed"),
        ("panic: assignment to entry in nil map\n\ngoroutine 1 [running]:", "assignment to entry in nil map"),
        ("error[E0308]: mismatched types\n --> src/lib.rs:4:5\n", "E0308 mismatched types"),
        ("thread 'main' panicked at src/main.rs:2:5:\nindex out of range: 9\n", "index out of range: 9"),
        ("lib/cart.rb:8:in `total': undefined method `sum' for nil (NoMethodError)", "NoMethodError: undefined method `sum' for nil"),
        ("PHP Fatal error:  Uncaught Error: Call to a member function add() on null in /srv/a.php on line 8",
         "Error: Call to a member function add() on null"),
        ("src/a.c:4:10: fatal error: zlib.h: No such file or directory", "zlib.h: No such file or directory"),
        ("Program.cs(7,13): error CS0103: The name 'cart' does not exist", "CS0103 The name 'cart' does not exist"),
        ("src/app.ts:9:3 - error TS2741: Property 'id' is missing in type '{}'", "TS2741 Property 'id' is missing in type '{}'"),
        ("/usr/bin/ld: main.o: undefined reference to `deflate'", "undefined reference to `deflate'"),
        ("CMake Error at CMakeLists.txt:9 (find_package):\n  Could not find a package file provided by\n  \"Fmt\".\n\n",
         'Could not find a package file provided by "Fmt".'),
        ("* What went wrong:\nExecution failed for task ':app:kaptDebug'.\n> Unresolved reference: cart\n", "Unresolved reference: cart"),
        ("E       assert 3 == 4\nE        +  where 3 = len('abc')", "assert 3 == 4"),
        ("  7:13  error  'cart' is not defined  no-undef", "'cart' is not defined no-undef"),
        ("fatal: not a git repository (or any parent): .git", "not a git repository (or any parent): .git"),
        (" ! [rejected]        main -> main (fetch first)", "rejected: fetch first"),
        ("docker: Error response from daemon: pull access denied for cart.", "pull access denied for cart."),
        ('Error from server (NotFound): pods "cart-1" not found', 'pods "cart-1" not found'),
        ("  Warning  BackOff  5m  kubelet  Back-off restarting failed container", "BackOff: Back-off restarting failed container"),
        ('ERROR:  relation "carts" does not exist', 'relation "carts" does not exist'),
        ("bash: line 3: jqq: command not found", "jqq: command not found"),
        ("sh: Datei oder Verzeichnis nicht gefunden", "Datei oder Verzeichnis nicht gefunden"),
        ("cat: carrito.txt: No existe el archivo o el directorio", "cat: carrito.txt: No existe el archivo o el directorio"),
        ("HTTP/1.1 503 Service Unavailable", "HTTP 503 Service Unavailable"),
        ('{"error": {"code": 9, "message": "quota of the month is used up"}}', "quota of the month is used up"),
        ("==71==ERROR: AddressSanitizer: heap-use-after-free on address 0x60f0", "AddressSanitizer: heap-use-after-free on address 0x60f0"),
        ("2026-05-01T10:00:00.5Z ##[error]Cannot find module 'left-pad'", "Cannot find module 'left-pad'"),
        ("May 01 10:00:00 host app[77]: ValueError: empty cart", "ValueError: empty cart"),
        ("\x1b[31mKeyError\x1b[0m: 'cart'\x1b[K", "KeyError: 'cart'"),
    ],
)  # fmt: skip
def test_finds_the_line_a_person_would_look_for(text: str, message: str) -> None:
    assert only(text) == message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Found 0 errors in 12 files",
        "12 passed, 0 failed",
        "test_error_is_reported PASSED",
        "✓ throws an error for an empty cart",
        '    raise ValueError("empty cart")',
        "  17\t    except KeyError as error:",
        'src/cart.py:12:    raise ValueError("empty")',
        '+    t.Fatalf("failed to open: %v", err)',
        "@@ -1,2 +1,2 @@\n-print('Error: old')\n+print('Error: new')\n",
        "a1b2c3d fix: error handling of the cart",
        "logger.error('no cart')",
        "errors.py  error.log  failures/",
        "- Error handling: every call returns a result",
        "INFO connection refused, will retry",
        "/opt/lib/a.py:3: DeprecationWarning: unsupported argument is ignored",
        '{"error": null, "errors": []}',
    ],
)
def test_not_everything_that_speaks_of_errors_is_one(text: str) -> None:
    assert errors_in(text) == []


def test_tells_where_it_happened_in_the_projects_own_code() -> None:
    text = PYTHON.replace(
        "TypeError", '  File "/venv/lib/python3.12/site-packages/moneylib/core.py", line 9, in times\n    raise\nTypeError'
    )
    error = errors_in(text)[0]
    assert error.where == "/home/ana/shop/cart/total.py:40"
    assert "moneylib" in error.words
    assert text.split("\n")[error.line].startswith("TypeError")


def test_what_only_says_that_something_failed_gives_way_to_the_cause() -> None:
    text = (
        "src/a.c:4:10: fatal error: zlib.h: No such file or directory\nmake: *** [Makefile:9: all] Error 1\nERROR: Job failed: exit code 1"
    )
    assert only(text) == "zlib.h: No such file or directory"
    assert only("make: *** [Makefile:9: all] Error 1") == "make: *** [Makefile:9: all] Error 1"


def test_each_distinct_error_is_told_once_in_order() -> None:
    text = "a.py:1: error: Name 'x' is not defined\nb.py:9: error: Name 'x' is not defined\nb.py:9: error: Missing return statement"
    assert [error.message for error in errors_in(text)] == ["Name 'x' is not defined", "Missing return statement"]


def test_a_level_that_every_line_has_says_nothing() -> None:
    lines = ["starting the cart", "listening on 80", "reading prices", "cart is ready", "KeyError: 'vat'"]
    assert only("\n".join(f"[2026-05-01 10:00:0{at},123] ERROR {line}" for at, line in enumerate(lines))) == "KeyError: 'vat'"


def test_a_hard_wrapped_message_is_read_whole() -> None:
    message = (
        "RuntimeError: the price list of the northern warehouse could not be read because the file that holds it was written by a newer "
        "version of the tool than the one that is installed on this machine"
    )
    wrapped = ["Traceback (most recent call last):"]
    line = ""
    for word in message.split():
        if len(line) + 1 + len(word) > 60:
            wrapped.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    found = errors_in("\n".join([*wrapped, line]))
    assert [error.fingerprint for error in found] == [fingerprint(message)]


def test_a_linters_lines_are_errors_where_it_failed() -> None:
    text = "pkg/a.py:3:1: F401 `os` imported but unused\nFound 1 error."
    assert [error.message for error in errors_in(text, failed=True)] == ["F401 `os` imported but unused"]


def test_output_of_something_known_to_have_failed_always_tells_something() -> None:
    text = "reading list\nsieve: no: flour: extra lumps at the end of the bag"
    assert errors_in(text) == []
    assert [error.message for error in errors_in(text, failed=True)] == ["sieve: no: flour: extra lumps at the end of the bag"]


SAME = [
    ("/home/a/x.py:3: error: Name 'foo' is not defined", "C:\\work\\y.py:99: error: Name 'bar' is not defined"),
    ("OSError: [Errno 28] No space left on device: '/var/tmp/a1'", "OSError: [Errno 28] No space left on device: '/mnt/b/c'"),
    ("2026-01-01 10:00:00 dial tcp 10.0.0.7:5432: connect: connection refused", "dial tcp 192.168.1.9:6000: connect: connection refused"),
    ("fixture 'cart_db' not found", "fixture 'user_api' not found"),
    ("Segmentation fault (core dumped)", "\x1b[31mSegmentation fault (core dumped)\x1b[0m"),
    (
        "requests.exceptions.Timeout: read of the price list timed out after 30 s",
        "httpx.ReadTimeout: read of the price list timed out after 5 s",
    ),
    ("<Cart id=7 at 0x7f00aa> is closed for writing now", "<Cart id=9 items=<list at 0x1>> is closed for writing now"),
    ('duplicate key value violates unique constraint "ix_cart"', 'duplicate key value violates unique constraint "uq_users_mail"'),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_fault_elsewhere_has_the_same_fingerprint(one: str, other: str) -> None:
    marks = [errors_in(text, failed=True)[0].fingerprint for text in (one, other)]
    assert marks[0] == marks[1]


KIN = [
    ("ModuleNotFoundError: No module named 'numpy'", "ModuleNotFoundError: No module named 'requests'"),
    (
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in position 3",
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x8b in position 1",
    ),
    ("HTTPError: request to the price service failed with status 404", "HTTPError: request to the price service failed with status 429"),
    ("worker was killed by signal 9 while it served", "worker was killed by signal 11 while it served"),
    ("error TS2304: Cannot find name 'foo'", "error TS2552: Cannot find name 'foo'"),
]


@pytest.mark.parametrize(("one", "other"), KIN)
def test_a_public_name_or_a_code_makes_it_another_fault(one: str, other: str) -> None:
    assert errors_in(one, failed=True)[0].fingerprint != errors_in(other, failed=True)[0].fingerprint


def test_faults_that_differ_only_in_a_name_are_one_family() -> None:
    one, other = (fingerprint(f"ModuleNotFoundError: No module named '{name}'") for name in ("numpy", "requests"))
    assert family(one) == family(other)


def test_a_chain_of_causes_belongs_to_the_family_of_the_innermost() -> None:
    chain = fingerprint("failed to start cart: failed to open store: price list is locked by another process")
    assert family(chain) == family(fingerprint("LockError: price list is locked by another process"))


def test_another_message_has_another_family() -> None:
    assert family(fingerprint("cannot open the price list")) != family(fingerprint("cannot close the price list"))
