"""Words and phrases that messages of failure are made of."""

from __future__ import annotations

from diarist.text.lazy import lazy


def wordset(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


ASIDES = (
    "detail:", "hint:", "context:", "note:", "help:", "warning:", "tip:", "suggestion:", "= note", "= help",
    "for more information", "for more details", "for further information", "after correcting", "to see the full stack trace", "re-run ",
    "see the full", "a complete log", "please refer to", "you can resume", "run with ",
)  # fmt: skip
"""How lines start that go on about another one."""

ENDINGS = (
    "no such file or directory", "permission denied", "command not found", "not found", "connection refused", "connection reset by peer",
    "no space left on device", "is a directory", "not a directory", "file exists", "directory not empty", "broken pipe", "timed out",
    "address already in use", "text file busy", "too many open files", "argument list too long", "exec format error", "invalid argument",
    "operation not permitted", "read-only file system", "device or resource busy", "resource temporarily unavailable", "bad interpreter",
    "unbound variable", "syntax error", "no route to host", "network is unreachable", "name or service not known", "host is down",
    "filename too long", "file name too long", "input/output error", "cannot allocate memory", "out of memory", "unknown host",
    "temporary failure in name resolution", "could not resolve host", "authentication failed", "access denied", "already exists",
    "import cycle not allowed", "segmentation fault", "segmentation fault (core dumped)", "aborted (core dumped)", "bus error",
    "illegal instruction", "killed",
    "kommando nicht gefunden", "befehl nicht gefunden", "datei oder verzeichnis nicht gefunden", "keine berechtigung",
    "aucun fichier ou dossier de ce type", "commande introuvable", "permission non accordée",
    "no existe el archivo o el directorio", "orden no encontrada", "permiso denegado",
    "file o directory non esistente", "comando non trovato", "permesso negato",
    "arquivo ou diretório inexistente", "comando não encontrado", "permissão negada",
    "нет такого файла или каталога", "команда не найдена", "отказано в доступе",
    "そのようなファイルやディレクトリはありません", "コマンドが見つかりません", "許可がありません",
    "没有那个文件或目录", "未找到命令", "权限不够", "nie ma takiego pliku ani katalogu",
)  # fmt: skip
"""What the C library and shells say at the end of a line, in lower case."""

STARTS = (
    "could not ", "couldn't ", "cannot ", "can't ", "unable to ", "failed to ", "module not found", "modulenotfound", "command not found",
    "unhandled ", "uncaught ", "undefined symbols for", "unrecognized ", "conflict (", "automatic merge failed", "fatal error", "fatal:",
    "segmentation fault", "killed", "aborted", "abort trap", "bus error", "illegal instruction", "floating point exception",
    "out of memory", "oom", "traceback", "could not", "execution failed for", "manifest merger failed", "duplicate class", "the term '",
    "access is denied", "permission denied", "access denied", "connection refused", "connection to ", "syntax error", "no such ",
    "no space left", "undefined ", "undefined reference", "unknown command", "unknown option", "invalid ", "unexpected ", "missing ",
    "assertion failed", "assert ", "refusing to ", "refused", "rejected", "host key verification failed", "authentication failed",
    "unauthorized", "forbidden", "deadlock", "timeout", "timed out", "not a git repository", "no module named", "no matching ",
    "not found", "incompatible ", "stack overflow", "double free", "free():", "malloc", "corrupted ", "*** ", "mismatch", "problem ",
    "unsupported ",
)  # fmt: skip
"""How lines start that tell of a failure without saying "error", in lower case."""

SPEAKS_OF_FAILURE = lazy(
    r"\b(?:is invalid|invalid \w+|cannot|can't|could not|couldn't|unable to|failed|failure"
    r"|not (?:\w+ )?(?:found|allowed|supported|permitted)|denied|refused|rejected|unsupported|incompatible"
    r"|does not exist|doesn't exist|no such|errors?|exceed(?:s|ed)?|must (?:be|not)|already exists|immutable"
    r"|too (?:many|large|long|big|quickly)|illegal|unknown|timed out|killed|mismatch)\b"
)

_CONSEQUENCE = wordset("""
    error errors failed fail failure failures exception an exit exited exiting status code codes command commands process processes job jobs
    build builds task tasks run running finished completed complete returned non zero nonzero make target recipe for aborting abort aborted
    due to previous stopped subcommand a the of with and in is was not by this stage step steps script scripts lifecycle elifecycle npm
    err could compile warnings warning emitted see above log logs full stack trace rerun re switch enable debug logging help interrupted
    during collection collections ld collect2 one more tests test suite suites ran passed total found problem problems fixable fix option
    potentially ninja gmake cmake configuring incomplete occurred be can logfile details more information please refer last output lines
    successfully unsuccessful ecommand cargo rustc try again crashed crash unexpectedly subprocess bin lib caused cause read following
    articles http https maven mvn workspace package packages worker pipeline phase hook pre post commit push husky container deployment
    deploy exceeded its progress deadline actionable executed up-to-date items collected execution goal find collecting setup teardown
    compilation re-run e cleaning up project directory file based variables also or on at from as out
""")


def is_consequence(outline: tuple[str, ...]) -> bool:
    """Whether a message (see `mask.Masked.outline`) says no more than that something failed.

    That is so where every word is one that such messages are made of, and there is not just one.
    """
    words = [token for token in outline if token[0] != "<"]
    return len(words) != 1 and all(word in _CONSEQUENCE for word in words)
