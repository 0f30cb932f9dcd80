"""How one line of console output shows that something went wrong. Every pattern is anchored and linear."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from diarist.text.lazy import lazy
from diarist.text.phrases import ASIDES, ENDINGS, SPEAKS_OF_FAILURE, STARTS

SURE, STARTS_SO, NOTED, SPEAKS, FOLLOWS = 4, 3, 2, 1, 0
"""How strong a sign is: a fault; a line that starts as faults do; what a linter warns of, which may be why a check failed; one that
speaks of failure somewhere; one that says only that something else failed."""


class Sign(NamedTuple):
    """What a line says.

    `kind`: "traceback" where frames stand around it, "block" where the message goes on in the lines that follow, "level" where
    only its log level tells.
    """

    message: str
    strength: int = SURE
    where: str = ""
    kind: str = ""


_CLASS = r"(?:[A-Za-z_$][\w$]*(?:\.|::|\\|/))*[A-Za-z_$][\w$]*"
_EXCEPTION = lazy(
    r"(?:\[?(?:Uncaught|Unhandled|Caused by:|Suppressed:|Unhandled exception[.:]?|\[cause\]:|Exception in thread \S+|\(node:\d+\)"
    r"|Unhandled Promise Rejection|UnhandledPromiseRejectionWarning:|Exception:|(?:PHP )?Fatal error:|\+ ExceptionGroup:|[|>+-]) *){0,4}"
    rf"\[?((?:{_CLASS})?(?:Error|Exception|Failure|Fault|Violation|Interrupt|Expired|Timeout|Refused|Denied|Forbidden)"
    r"(?:Group)?)((?: \[[\w.:-]+\])?(?: \([\w ]+\))?)(?:: ?(.*)|\]?)\Z"
)
_BARE_CLASS = lazy(rf"(?:[|+] *)?({_CLASS})(?:: (.*))?\Z")
_QUALIFIED = lazy(r"(?:[a-z_]\w*\.)+[A-Z]\w+: \S")
_RUBY = lazy(r"(\S+:\d+):in [`'][^']*': (.+?) ?\(([A-Z][\w:]*)\)\Z")
_PHP = lazy(r"(?:PHP )?(?:Fatal|Parse|Catchable fatal|Recoverable fatal) error: +(?:Uncaught )?(.+?)(?: in (\S+) ?(?:on line |:)(\d+))?\Z")

_PLACE = lazy(r"((?:[A-Za-z]:)?[^\s:(]{1,300}?)(?::(\d+)|\((\d+)(?:,\d+)?\)|:\[(\d+),\d+\])(?:[:,.-]\d+)*:?[ \t]")
_AFTER_PLACE = lazy(
    r"(?:- )?(?:(?:fatal |internal compiler |syntax |parse )?(?:error|Error|ERROR|fehler|erreur|错误)\b ?"
    r"(?:\[?([A-Za-z]*[A-Z]{0,6}\d{2,6})\]?)?: ?"
    r"|(undefined reference to|multiple definition of|undefined: |undefined symbol|cannot use |cannot find |cannot |missing "
    r"|declared and not used|imported and not used|syntax error|invalid |too many |not enough |assignment mismatch|duplicate |unknown "
    r"|unexpected |could not ))(.*)\Z"
)
_LINTER = lazy(r"(?:\[?([A-Z]{1,4}\d{3,5})\]?:? |[CEFWR]: ([A-Z]\w+/\w+): )(.+)\Z")
_TABLE_LINTER = lazy(r"\s{1,8}\d+:\d+ +error +(.+)\Z")
_CODED = lazy(r"(?:[^\s:]{1,200}[ :]+){0,3}?(?:fatal )?[Ee]rror ([A-Z]{1,8}\d{2,6} ?: .+)\Z")

_HEAD = lazy(
    r"(?:[\w./@+-]{1,60}(?:\[\d+\])?: ){0,3}"
    r"(?:internal |compile |runtime |build |syntax |parse |type |bus |fatal |uncaught )?"
    r"(?:[Ee]rror|ERROR|ERR!|FATAL(?: ERROR)?|[Ff]atal(?: [Ee]rror)?|[Pp]anic|PANIC|CRITICAL|SEVERE"
    r"|Fehler|Erreur|FEHLER|Erro|Errore|Błąd|Ошибка|Помилка|エラー|错误|錯誤|오류)"
    r"(?:\[([\w:-]+)\]| ([A-Z]{0,6}\d{2,6})(?: \([\w ]+\))?)?(?:[:!：]|(?<=ERR!)) ?(.*)\Z"
)
_TOOL_HEAD = lazy(
    r"(?:(?:npm (?:ERR!|error)|yarn error|error|gyp ERR!|E:|ERROR|lerna ERR!)(?=[ \t])"
    r"|Error from server(?: \(\w+\))?:|Error response from daemon:"
    r"|docker: |curl: \(\d+\)|wget: |ssh: |scp: |rsync: |rsync error: |tar: |kex_exchange_identification: |OCI runtime \w+ failed: "
    r"|remote: (?:error|fatal|ERROR|rejected)[:!]?|pq: |mysql: |psql: |redis: |exec |Unhandled |node:internal\S+ )[ \t]?(.+)\Z"
)
_SHELL = lazy(r"(?:-?(?:[\w./~-]*/)?(?:ba|z|da|k|c|fi)?sh|[\w./~-]+\.(?:sh|bash|zsh))(?:\[\d+\])?: (?:line )?(?:\d+: )?(.+)\Z")

_PANICKED = lazy(r"thread '[^']*'(?: \(\d+\))? panicked at (?:'(.*)', )?(\S+?):?\Z")
_REJECTED = lazy(r"\s?! \[((?:remote )?rejected|remote failure)\].*?(?:\(([^()]*)\))?\Z")
_STATUS_LINE = lazy(r"(?:[<*] )?HTTP/[\d.]+ ([45]\d\d)\b(.*)\Z|([45]\d\d) ([A-Z][A-Za-z]+(?: [A-Za-z]+){0,4})\Z")
_EVENT = lazy(r"\s{0,4}Warning\s+([A-Z]\w+)\s+\S.*?\s{2,}\S+\s{2,}(.+)\Z")
_SANITIZER = lazy(r"==\d+==\s?ERROR: (.+)\Z")
_ASSERTION = lazy(r"(?:\S+: )?(\S+?):(\d+): (?:.*?: )?(?:block: \[.*?\] )?(Assertion [`'].{1,300}?' failed\.?)")
_JSON_SAYS = lazy(r'"(?:message|error_description|detail|error|errorMessage|msg|reason|Message)"\s*:\s*"((?:[^"\\]|\\.){3,500})"')
_LINKER = lazy(
    r"\b((?:undefined reference to|multiple definition of|undefined symbol:?|unresolved external symbol|duplicate symbol) [^\n]+)"
)
_FAILED_TEST = lazy(r"(?:FAILED|ERROR) (\S+?\.py(?:::\S+)?)(?: - (.+))?\Z|--- FAIL: (\S+)|not ok \d+ (?:- )?(.+)\Z")
_CMAKE = lazy(r"CMake Error(?: at (\S+?:\d+)(?: \(\w+\))?)?:? ?(?:Error: )?(.*)\Z")
_UNIT = lazy(
    r"(?:\S+: )?((?:Failed (?:with result|at step|to start|to)|Main process exited, code=\w+, status=|Start request repeated).*)\Z"
)
_GO_TOOL = lazy(r"(?:go: |vet: |\tpanic: |package \S+: )(.+)\Z|(missing go\.sum entry.*)\Z")
_WARNING = lazy(r"(?:\A|[\s.(\])])[A-Za-z]*Warning: ")
RULED = lazy(r"Error: ?[=*#-]{5}")
"""What a client puts before the output of a failed command that begins with a ruler: "Error: ==== test session starts ====".
"""
_MARKS = " ✘✖❌✗×⨯>*●!-"


def recognise(line: str, low: str) -> Sign | None:
    """What a line (prefixes stripped, right-trimmed; `low`: the same in lower case) says went wrong, or None."""
    text = line.lstrip()
    if not text or low.lstrip().startswith(ASIDES) or _WARNING.search(text) or RULED.match(text):
        return None
    return next((sign for look in _LOOKS if (sign := look(line, text, low)) is not None), None)


def exception_of_traceback(text: str) -> Sign | None:
    """The last line of a traceback: any class, with or without a message."""
    found = _BARE_CLASS.match(text)
    if found is None:
        return None
    name = found.group(1).replace("::", ".").rsplit(".", 1)[-1]
    named = name[0].isupper() or name.endswith(("error", "exception")) or found.group(2)
    return Sign(text, kind="traceback") if named else None


def _special(line: str, text: str, low: str) -> Sign | None:
    """Formats of compilers and test runners, told by a fixed word."""
    if "error:" in low and (found := _SANITIZER.match(text)):
        return Sign(found.group(1))
    if "panicked at" in low and (found := _PANICKED.match(text)):
        return Sign(found.group(1) or "panicked", where=found.group(2), kind="" if found.group(1) else "block")
    if "cmake error" in low and (found := _CMAKE.match(text)):
        return Sign(found.group(2), where=found.group(1) or "", kind="" if found.group(2) else "block")
    if ("undefined" in low or "definition of" in low or " symbol" in low) and (found := _LINKER.search(text)):
        return Sign(found.group(1))
    if "*** [" in text and " error " in low:
        return Sign(text, FOLLOWS)  # make
    if "assertion" in low and (found := _ASSERTION.match(text)):
        return Sign(found.group(3), where=f"{found.group(1)}:{found.group(2)}")
    return Sign("", kind="block") if "went wrong:" in low else _of_tools(line, text, low)


def _of_tools(line: str, text: str, low: str) -> Sign | None:
    """Summaries of test runners, refusals of git, events of Kubernetes."""
    if low.startswith(("failed ", "error ", "--- fail", "not ok ")) and (found := _FAILED_TEST.match(text)):
        return _test(found)
    if "rejected]" in low and (found := _REJECTED.match(line)):
        return Sign(f"{found.group(1)}: {found.group(2) or ''}")
    if "warning" in low and (found := _EVENT.match(line)):
        return Sign(f"{found.group(1)}: {found.group(2)}")
    return None


def _test(found: re.Match[str]) -> Sign:
    """A test runner's summary line: what it says of the cause, else only that a test failed."""
    where, cause, go, tap = found.groups()
    name = where or go or tap
    if cause:
        return recognise(cause, cause.lower()) or Sign(cause, where=where)
    return Sign(f"test failed: {name}", SPEAKS, name)


def _language(line: str, text: str, low: str) -> Sign | None:
    """Exceptions as the run-times of languages print them."""
    if "error" in low and "php" in low[:12] + low[-40:] and (found := _PHP.match(text)):
        return Sign(found.group(1), where=f"{found.group(2)}:{found.group(3)}" if found.group(2) else "")
    if ":in " in low and (found := _RUBY.match(text)):
        return Sign(f"{found.group(3)}: {found.group(2)}", where=found.group(1), kind="traceback")
    found = _EXCEPTION.match(text)
    if found is None:
        told = "exception" in low or "error" in low
        return Sign(text, SURE if told else STARTS_SO, kind="traceback") if _QUALIFIED.match(text) else None
    name, code, message = found.group(1), found.group(2) or "", found.group(3)
    if text[0] == "[" and message and "]" in message:
        message = message[: message.index("] {")] if "] {" in message else message.rstrip("] ")
    if message is None and "." not in name and not code and line[:1].isspace():
        return None
    return Sign(f"{name}{code}: {message}" if message else name + code, kind="traceback")


def _compiler(line: str, text: str, low: str) -> Sign | None:
    """file:line: error: …, and linters."""
    if line[:1].isspace():
        found = _TABLE_LINTER.match(line)
        return Sign(" ".join(found.group(1).split())) if found else None
    if placed := _PLACE.match(text):
        rest = text[placed.end() :].lstrip()
        where = placed.group(1) + ":" + (placed.group(2) or placed.group(3) or placed.group(4))
        if found := _AFTER_PLACE.match(rest):
            code, words, message = found.groups()
            return Sign(f"{code or ''} {words or ''}{message}".strip(), where=where)
        if found := _LINTER.match(rest):
            return Sign(f"{found.group(1) or found.group(2)} {found.group(3)}", where=where)
        return None
    if " error " in low[:400] and (found := _CODED.match(text)):
        return Sign(found.group(1))
    return None


def _service(line: str, text: str, low: str) -> Sign | None:
    """HTTP, JSON bodies, units, the go command."""
    if '"' in text and ("error" in low or "fail" in low or "exception" in low):
        if "{" in text and (found := _JSON_SAYS.search(text)) and " " in found.group(1) and "|" not in found.group(1):
            return Sign(found.group(1).replace('\\"', '"').replace("\\n", " "), kind="json")
        if text[:1] in '"{':
            return None
    if found := _STATUS_LINE.match(text):
        return Sign(f"HTTP {found.group(1) or found.group(3)} {(found.group(2) or found.group(4) or '').strip()}".strip(), STARTS_SO)
    if ("failed " in low or "exited" in low or "repeated" in low) and (found := _UNIT.match(text)):
        return Sign(found.group(1))
    if found := _GO_TOOL.match(line):
        return Sign(found.group(1) or found.group(2), STARTS_SO)
    return None


def _headed(line: str, text: str, _low: str) -> Sign | None:
    """error: …, fatal: …, tool: error: …; what the head stands before may say more by itself."""
    if _is_indented(line, text):
        return None
    if found := _HEAD.match(text):
        code, rest = found.group(1) or found.group(2) or "", found.group(3).strip()
        inner = recognise(rest, rest.lower()) if rest and not code else None
        return inner if inner is not None and inner.strength >= STARTS_SO else Sign(f"{code} {rest}".strip() if rest else text)
    if (found := _TOOL_HEAD.match(text)) and (rest := found.group(1).strip()):
        inner = recognise(rest, rest.lower())
        return inner if inner is not None and inner.strength != SPEAKS else Sign(rest, STARTS_SO)
    return None


def _shell(line: str, text: str, low: str) -> Sign | None:
    """What shells and the C library say: the same words at the end of the line whatever stands before."""
    ends_so = low.rstrip(" .)！。\"'").endswith(ENDINGS)
    if not line[:1].isspace() and (found := _SHELL.match(text)):
        return Sign(found.group(1), SURE if ends_so else STARTS_SO)
    return Sign(text) if ends_so and ":" in text and line[:1] != " " else None


def _plainly(line: str, text: str, low: str) -> Sign | None:
    """A line that simply starts with the words of a failure, or speaks of one."""
    if _is_indented(line, text):
        return None
    start = low.lstrip(_MARKS)
    if start.startswith(STARTS) and len(start) > 5:
        return Sign(text.lstrip(_MARKS), STARTS_SO)
    if not line[:1].isspace() and len(text) < 600 and SPEAKS_OF_FAILURE.search(low):
        return Sign(text.lstrip("> "), SPEAKS)
    return None


def _is_indented(line: str, text: str) -> bool:
    return line[:1].isspace() and len(line) - len(text) > 3


_LOOKS: tuple[Callable[[str, str, str], Sign | None], ...] = (_special, _language, _compiler, _service, _headed, _shell, _plainly)
