"""How one line of console output shows that something went wrong. Every pattern is anchored and linear."""

from __future__ import annotations

import re
from typing import NamedTuple


class Sign(NamedTuple):
    """What a line says. `strength`: 3 a fault, 2 a line that starts as faults do, 1 one that speaks of failure somewhere, 0 says only that something else
    failed."""

    message: str
    strength: int = 3
    where: str = ""
    kind: str = ""
    """"traceback" where frames stand around it, "block" where the message goes on in the lines that follow."""


_CLASS = r"(?:[A-Za-z_$][\w$]*(?:\.|::|\\|/))*[A-Za-z_$][\w$]*"
_EXCEPTION = re.compile(
    r"(?:(?:\[)?(?:Uncaught|Unhandled|Caused by:|Suppressed:|Unhandled exception[.:]?|\[cause\]:|Exception in thread \S+|\(node:\d+\)|"
    r"Unhandled Promise Rejection|UnhandledPromiseRejectionWarning:|Exception:|(?:PHP )?Fatal error:|\+ ExceptionGroup:|[|>+-]) *){0,4}"
    rf"\[?((?:{_CLASS})?(?:Error|Exception|Failure|Fault|Violation|Interrupt|Expired|Timeout|Refused|Denied|Forbidden|Warning(?=: .*error))"
    r"(?:Group)?)((?: \[[\w.:-]+\])?(?: \([\w ]+\))?)(?:: ?(.*)|\]?)\Z"
)
_BARE_CLASS = re.compile(rf"(?:[|+] *)?({_CLASS})(?:: (.*))?\Z")
_PLACE = re.compile(r"((?:[A-Za-z]:)?[^\s:(]{1,300}?)(?::(\d+)|\((\d+)(?:,\d+)?\)|:\[(\d+),\d+\])(?:[:,.-]\d+)*:?[ \t]")
_AFTER_PLACE = re.compile(
    r"(?:- )?(?:(?:fatal |internal compiler |syntax |parse )?(?:error|Error|ERROR|fehler|erreur|错误)\b ?(?:\[?([A-Za-z]*[A-Z]{0,6}\d{2,6})\]?)?: ?"
    r"|(undefined reference to|multiple definition of|undefined: |undefined symbol|cannot use |cannot find |cannot |missing |declared and not used"
    r"|imported and not used|syntax error|invalid |too many |not enough |assignment mismatch|duplicate |unknown |unexpected |could not ))(.*)\Z"
)
_LINTER = re.compile(r"(?:\[?([A-Z]{1,4}\d{3,5})\]?:? |[CEFWR]: ([A-Z]\w+/\w+): )(.+)\Z")
_TABLE_LINTER = re.compile(r"\s{1,8}\d+:\d+ +error +(.+)\Z")
_CODED = re.compile(r"(?:[^\s:]{1,200}[ :]+){0,3}?(?:fatal )?[Ee]rror [A-Z]{1,8}\d{2,6} ?: (.+)\Z")
_HEAD = re.compile(
    r"(?P<who>(?:[\w./@+-]{1,60}(?:\[\d+\])?: ){0,3})"
    r"(?P<head>(?:internal |compile |runtime |build |syntax |parse |type |bus |fatal |uncaught )?(?:[Ee]rror|ERROR|ERR!|FATAL(?: ERROR)?|[Ff]atal(?: [Ee]rror)?|[Pp]anic|PANIC|"
    r"CRITICAL|SEVERE|Fehler|Erreur|FEHLER|Erro|Errore|Błąd|Ошибка|Помилка|エラー|错误|錯誤|오류)"
    r"(?:\[(?P<code>[\w:-]+)\]| (?P<number>[A-Z]{0,6}\d{2,6})(?: \([\w ]+\))?)?)"
    r"(?:[:!：]|(?<=ERR!)) ?(?P<rest>.*)\Z"
)
_TOOL_HEAD = re.compile(
    r"(?:npm (?:ERR!|error)|yarn error|error|gyp ERR!|E:|ERROR|lerna ERR!|Error from server(?: \(\w+\))?:|Error response from daemon:|"
    r"docker: |curl: \(\d+\)|wget: |ssh: |scp: |rsync: |rsync error: |tar: |kex_exchange_identification: |OCI runtime \w+ failed: |remote: (?:error|fatal|ERROR|rejected)[:!]?|"
    r"ssh: |pq: |mysql: |psql: |redis: |exec |Unhandled |node:internal\S+ )[ \t]?(.+)\Z"
)
_SHELL = re.compile(r"(?:-?(?:[\w./~-]*/)?(?:ba|z|da|k|c|fi)?sh|[\w./~-]+\.(?:sh|bash|zsh))(?:\[\d+\])?: (?:line )?(?:\d+: )?(.+)\Z")
_RUBY = re.compile(r"(\S+:\d+):in [`'][^']*': (.+?) ?\(([A-Z][\w:]*)\)\Z")
_PHP = re.compile(
    r"(?:PHP )?(?:Fatal|Parse|Catchable fatal|Recoverable fatal) error: +(?:Uncaught )?(.+?)(?: in (\S+) ?(?:on line |:)(\d+))?\Z"
)
_PERL = re.compile(r"(.{3,300}) at (\S+) line (\d+)\.\Z")
_PANICKED = re.compile(r"thread '[^']*'(?: \(\d+\))? panicked at (?:'(.*)', )?(\S+?):?\Z")
_REJECTED = re.compile(r"\s?! \[((?:remote )?rejected|remote failure)\].*?(?:\(([^()]*)\))?\Z")
_STATUS_LINE = re.compile(r"(?:[<*] )?HTTP/[\d.]+ ([45]\d\d)\b(.*)\Z|([45]\d\d) ([A-Z][A-Za-z]+(?: [A-Za-z]+){0,4})\Z")
_EVENT = re.compile(r"\s{0,4}Warning\s+([A-Z]\w+)\s+\S.*?\s{2,}\S+\s{2,}(.+)\Z")
_SANITIZER = re.compile(r"==\d+==\s?ERROR: (.+)\Z")
_ASSERTION = re.compile(r"(?:\S+: )?(\S+?):(\d+): (?:.*?: )?(?:block: \[.*?\] )?(Assertion [`'].{1,300}?' failed\.?)")
_JSON_SAYS = re.compile(r'"(?:message|error_description|detail|error|errorMessage|msg|reason|Message)"\s*:\s*"((?:[^"\\]|\\.){3,500})"')
_LINKER = re.compile(
    r"\b((?:undefined reference to|multiple definition of|undefined symbol:?|unresolved external symbol|duplicate symbol) [^\n]+)"
)
_QUALIFIED = re.compile(r"(?:[a-z_]\w*\.)+[A-Z]\w+: \S")
_FAILED_TEST = re.compile(r"(?:FAILED|ERROR) (\S+?\.py(?:::\S+)?)(?: - (.+))?\Z|--- FAIL: (\S+)|not ok \d+ (?:- )?(.+)\Z")
_CMAKE = re.compile(r"CMake Error(?: at (\S+?:\d+)(?: \(\w+\))?)?:? ?(.*)\Z")
_UNIT = re.compile(
    r"(?:\S+: )?((?:Failed (?:with result|at step|to start|to)|Main process exited, code=\w+, status=|Start request repeated).*)\Z"
)
_GO_TOOL = re.compile(r"(?:go: |vet: |\tpanic: |package \S+: )(.+)\Z|(missing go\.sum entry.*)\Z")

_SPEAKS_OF_FAILURE = re.compile(
    r"\b(?:is invalid|invalid \w+|cannot|can't|could not|couldn't|unable to|failed|failure|not (?:\w+ )?(?:found|allowed|supported|permitted)|denied|refused|rejected"
    r"|unsupported|incompatible|does not exist|doesn't exist|no such|errors?|exceed(?:s|ed)?|must (?:be|not)"
    r"|already exists|immutable|too (?:many|large|long|big|quickly)|illegal|unknown|timed out|killed|mismatch)\b"
)

_ASIDES = ("detail:", "hint:", "context:", "note:", "help:", "warning:", "tip:", "suggestion:", "= note", "= help")
"""Lines that go on about another one."""

_ENDINGS = (
    "no such file or directory", "permission denied", "command not found", "not found", "connection refused", "connection reset by peer",
    "no space left on device", "is a directory", "not a directory", "file exists", "directory not empty", "broken pipe", "timed out",
    "address already in use", "text file busy", "too many open files", "argument list too long", "exec format error", "invalid argument",
    "operation not permitted", "read-only file system", "device or resource busy", "resource temporarily unavailable", "bad interpreter",
    "unbound variable", "syntax error", "no route to host", "network is unreachable", "name or service not known", "host is down",
    "filename too long", "file name too long", "input/output error", "cannot allocate memory", "out of memory", "unknown host",
    "temporary failure in name resolution", "could not resolve host", "authentication failed", "access denied", "already exists",
    "import cycle not allowed", "segmentation fault", "segmentation fault (core dumped)", "aborted (core dumped)", "bus error", "illegal instruction", "killed",
    "kommando nicht gefunden", "befehl nicht gefunden", "datei oder verzeichnis nicht gefunden", "keine berechtigung",
    "aucun fichier ou dossier de ce type", "commande introuvable", "permission non accordée",
    "no existe el archivo o el directorio", "orden no encontrada", "permiso denegado",
    "file o directory non esistente", "comando non trovato", "permesso negato",
    "arquivo ou diretório inexistente", "comando não encontrado", "permissão negada",
    "нет такого файла или каталога", "команда не найдена", "отказано в доступе",
    "そのようなファイルやディレクトリはありません", "コマンドが見つかりません", "許可がありません",
    "没有那个文件或目录", "未找到命令", "权限不够", "nie ma takiego pliku ani katalogu",
)  # fmt: skip
_STARTS = (
    "could not ", "couldn't ", "cannot ", "can't ", "unable to ", "failed to ", "module not found", "modulenotfound", "command not found",
    "unhandled ", "uncaught ", "undefined symbols for", "unrecognized ", "conflict (", "automatic merge failed", "fatal error", "fatal:",
    "segmentation fault", "killed", "aborted", "abort trap", "bus error", "illegal instruction", "floating point exception", "out of memory",
    "oom", "traceback", "could not", "execution failed for", "manifest merger failed", "duplicate class", "the term '", "access is denied",
    "permission denied", "access denied", "connection refused", "connection to ", "syntax error", "no such ", "no space left", "undefined ",
    "undefined reference", "unknown command", "unknown option", "invalid ", "unexpected ", "missing ", "assertion failed", "assert ",
    "refusing to ", "refused", "rejected", "host key verification failed", "authentication failed", "unauthorized", "forbidden",
    "deadlock", "timeout", "timed out", "not a git repository", "no module named", "no matching ", "not found", "incompatible ",
    "stack overflow", "double free", "free():", "malloc", "corrupted ", "*** ", "mismatch", "problem ", "unsupported ",
)  # fmt: skip
_WORDS_OF_CONSEQUENCE = frozenset(
    "error errors failed fail failure failures exit exited exiting status code codes command commands process processes job jobs build builds "
    "task tasks run running finished completed complete returned non zero nonzero make target recipe for aborting abort aborted due to previous "
    "stopped subcommand a an the of with and in is was not by this stage step steps script scripts lifecycle elifecycle npm err could compile "
    "warnings warning emitted see above log logs full stack trace rerun re switch enable debug logging help interrupted during collection "
    "collections ld collect2 one more tests test suite suites ran passed total found problem problems fixable fix option potentially ninja gmake "
    "cmake configuring incomplete occurred be can logfile details more information please refer last output lines completed successfully unsuccessful "
    "ecommand cargo rustc try again crashed crash unexpectedly subprocess bin lib caused cause read following articles http https maven mvn "
    "workspace package packages worker pipeline phase hook pre post commit push husky container deployment deploy exceeded its progress deadline "
    "actionable executed up-to-date items collected an exception execution goal to find collecting setup teardown compilation re-run e cleaning up project directory file based variables also or on at from as up out".split()
)


def consequence(template: tuple[str, ...]) -> bool:
    """Whether a message says no more than that something failed: every word of it is one that such messages are made of."""
    return all(token in _WORDS_OF_CONSEQUENCE or token.startswith("<") for token in template)


def recognise(line: str, low: str) -> Sign | None:
    """What a line (prefixes stripped, right-trimmed; `low`: the same in lower case) says went wrong, or None."""
    text = line.lstrip()
    if not text or low.lstrip().startswith(_ASIDES):
        return None
    for look in _LOOKS:
        sign = look(line, text, low)
        if sign is not None:
            return sign
    return None


def exception_of_traceback(text: str) -> Sign | None:
    """The last line of a traceback: any class, with or without a message."""
    found = _BARE_CLASS.match(text)
    if found is None:
        return None
    name = found.group(1).replace("::", ".").rsplit(".", 1)[-1]
    return Sign(text, 3, "", "traceback") if name[0].isupper() or name.endswith(("error", "exception")) or found.group(2) else None


def _special(line: str, text: str, low: str) -> Sign | None:
    """Formats of one tool each, told by a fixed word."""
    if "error:" in low and (found := _SANITIZER.match(text)):
        return Sign(found.group(1))
    if "panicked at" in low and (found := _PANICKED.match(text)):
        return Sign(found.group(1) or "panicked", 3, found.group(2), "" if found.group(1) else "block")
    if "rejected]" in low and (found := _REJECTED.match(line)):
        return Sign(f"{found.group(1)}: {found.group(2) or ''}")
    if "cmake error" in low and (found := _CMAKE.match(text)):
        said = found.group(2).removeprefix("Error: ")
        return Sign(said, 3, found.group(1) or "", "" if said else "block")
    if ("undefined" in low or "definition of" in low or " symbol" in low) and (found := _LINKER.search(text)):
        return Sign(found.group(1))
    if "*** [" in text and " error " in low:
        return Sign(text, 0)  # make
    if "assertion" in low and (found := _ASSERTION.match(text)):
        return Sign(found.group(3), 3, f"{found.group(1)}:{found.group(2)}")
    if low.startswith(("failed ", "error ", "--- fail", "not ok ")) and (found := _FAILED_TEST.match(text)):
        return _test(found)
    if "warning" in low and (found := _EVENT.match(line)):
        return Sign(f"{found.group(1)}: {found.group(2)}")
    if "went wrong:" in low:
        return Sign("", 3, "", "block")
    return None


def _test(found: re.Match[str]) -> Sign:
    """A test runner's summary line: what it says of the cause, else only that a test failed."""
    where, cause, go, tap = found.groups()
    name = where or go or tap
    if cause:
        return recognise(cause, cause.lower()) or Sign(cause, 3, where)
    return Sign(f"test failed: {name}", 1, name)


def _language(line: str, text: str, low: str) -> Sign | None:
    """Exceptions as the run-times of languages print them."""
    if "error" in low and "php" in low[:4] + low[-40:] + low[:12] and (found := _PHP.match(text)):
        return Sign(found.group(1), 3, f"{found.group(2)}:{found.group(3)}" if found.group(2) else "")
    if ":in " in low and (found := _RUBY.match(text)):
        return Sign(f"{found.group(3)}: {found.group(2)}", 3, found.group(1), "traceback")
    found = _EXCEPTION.match(text)
    if found is None:
        telling = "exception" in low or "error" in low
        return Sign(text, 3 if telling else 2, "", "traceback") if _QUALIFIED.match(text) else None
    name, code, message = found.group(1), found.group(2) or "", found.group(3)
    if text[0] == "[" and message and "]" in message:
        message = message[: message.index("] {")] if "] {" in message else message.rstrip("] ")
    if message is None and "." not in name and not code and line[:1].isspace():
        return None
    return Sign(f"{name}{code}: {message}" if message else name + code, 3, "", "traceback")


def _compiler(line: str, text: str, low: str) -> Sign | None:
    """file:line: error: …, and linters."""
    if line[:1].isspace():
        found = _TABLE_LINTER.match(line)
        return Sign(" ".join(found.group(1).split())) if found else None
    placed = _PLACE.match(text)
    if placed:
        rest = text[placed.end() :].lstrip()
        where = placed.group(1) + ":" + (placed.group(2) or placed.group(3) or placed.group(4))
        if found := _AFTER_PLACE.match(rest):
            code, words, message = found.groups()
            return Sign(f"{code or ''} {words or ''}{message}".strip(), 3, where)
        if found := _LINTER.match(rest):
            return Sign(f"{found.group(1) or found.group(2)} {found.group(3)}", 3, where)
        return _compiler(rest, rest, rest.lower()) if ":(" in rest[:300] and _PLACE.match(rest) else None
    if " error " in low[:400] and (found := _CODED.match(text)):
        return Sign(text[text.lower().index("error ") + 6 :] if found else text)
    return None


def _headed(line: str, text: str, low: str) -> Sign | None:
    """error: …, fatal: …, tool: error: …"""
    if line[:1].isspace() and len(line) - len(text) > 3:
        return None
    if text.startswith(("Warning: ", "warning: ", "note: ", "hint: ", "help: ", "= ")):
        return None
    found = _HEAD.match(text)
    if found:
        rest, code = found.group("rest").strip(), found.group("code") or found.group("number") or ""
        inner = recognise(rest, rest.lower()) if rest else None
        if inner is not None and inner.strength >= 2 and not code:
            return inner
        return Sign(f"{code} {rest}".strip() if rest else text, 3)
    if found := _TOOL_HEAD.match(text):
        rest = found.group(1).strip()
        inner = recognise(rest, rest.lower())
        if inner is not None:
            return inner
        return Sign(rest, 2) if rest else None
    return None


def _shell(line: str, text: str, low: str) -> Sign | None:
    """What shells and the C library say: the same words at the end of the line whatever stands before."""
    tail = low.rstrip(" .)！。\"'")
    if found := _SHELL.match(text):
        rest = found.group(1)
        if rest and not line[:1].isspace():
            return Sign(rest, 3 if any(tail.endswith(end) for end in _ENDINGS) else 2)
    if tail.endswith(_ENDINGS) and ":" in text and line[:1] != " ":
        return Sign(text, 3)
    return None


def _service(line: str, text: str, low: str) -> Sign | None:
    """HTTP, JSON bodies, units."""
    if '"' in text and ("error" in low or "fail" in low or "exception" in low):
        if "{" in text and (found := _JSON_SAYS.search(text)) and " " in found.group(1) and "|" not in found.group(1):
            return Sign(found.group(1).replace('\\"', '"').replace("\\n", " "), 3, "", "json")
        if text[:1] in '"{':
            return None
    if found := _STATUS_LINE.match(text):
        return Sign(f"HTTP {found.group(1) or found.group(3)} {(found.group(2) or found.group(4) or '').strip()}".strip(), 2)
    if "failed " in low or "exited" in low or "repeated" in low:
        if found := _UNIT.match(text):
            return Sign(found.group(1))
    if found := _GO_TOOL.match(line):
        return Sign(found.group(1) or found.group(2), 2)
    return None


def _plainly(line: str, text: str, low: str) -> Sign | None:
    """A line that simply starts with the words of a failure."""
    if line[:1].isspace() and len(line) - len(text) > 3:
        return None
    start = low.lstrip(" ✘✖❌✗×⨯>*●!-")
    if start.startswith(_STARTS) and len(start) > 5:
        return Sign(text.lstrip("✘✖❌✗×⨯>*●!- "), 2)
    if not line[:1].isspace() and len(text) < 600 and _SPEAKS_OF_FAILURE.search(low):
        return Sign(text.lstrip("> "), 1)
    return None


_LOOKS = (_special, _language, _compiler, _service, _headed, _shell, _plainly)
