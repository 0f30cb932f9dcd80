"""What a shell command was for, and what its exit status can tell.

`understand` takes a command line as an agent typed it and sees through what stands around the program that matters:
`cd x && …`, `timeout 60`, `uv run`, `npx`, `bash -lc '…'`, `docker exec c …`, pipes into `tail`, `|| true`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from diarist.model.entry import CommandKind
from diarist.stages.distil.programs import PROGRAMS, RUNNERS, SUBCOMMANDS, TEST_CLASS, TEST_FILE, task_kind
from diarist.stages.distil.shell import Simple, split
from diarist.stages.distil.words import word_pairs, word_set
from diarist.text.lazy import lazy

CHECKS: frozenset[CommandKind] = frozenset({"test", "build", "lint", "typecheck"})
_WEIGHT: dict[CommandKind, int] = {
    "test": 8,
    "build": 7,
    "typecheck": 6,
    "lint": 5,
    "install": 4,
    "run": 3,
    "vcs": 2,
    "search": 1,
    "other": 0,
}

_PREFIXES = word_set(
    """
    sudo doas time nice nohup exec command builtin stdbuf unbuffer setsid ionice caffeinate xvfb-run then do else if while until ! eval
    """
)
_SHELLS = word_set("bash sh zsh dash ksh fish /bin/bash /bin/sh pwsh powershell")
_EXEC = word_pairs(
    """
    uv run, poetry run, pipenv run, pdm run, rye run, hatch run, pixi run, bundle exec, pnpm exec, pnpm dlx, npm exec, yarn dlx,
    yarn exec, bun x, mise exec, mise x, asdf exec, direnv exec, conda run, mamba run, opam exec, nix develop, rbenv exec, coverage
    run, kubectl exec, docker exec, docker run, podman exec, podman run, docker-compose exec, docker-compose run, uv x
    """
)
"""Programs with a word after which another command line stands."""
_RUN_WORDS = frozenset(["run", "run-script", "exec", "-s", "--silent"])
_VALUE_OPTIONS = word_set(
    """
    -C --directory --prefix --cwd --filter -F -w --workspace -p --package --project -n --name -e --env -u --user -v --volume -f --file
    -r --with --python -W --config --manifest-path -j --group --extra --workdir --network --entrypoint -c --rm
    """
)
_PYTHON = lazy(r"(?:.*/)?(?:python|pypy)[\d.]*(?:w|\.exe)?$")
_INTERPRETERS = word_set("node ruby php perl bash sh zsh tsx ts-node deno Rscript julia")
_SHORT = 400
_NUMBER = lazy(r"-?[\d.]+[smhd]?$")


class Program(NamedTuple):
    """One program that really ran, wrappers taken off."""

    name: str
    words: tuple[str, ...]
    kind: CommandKind
    masked: bool
    """Its exit status is not that of the whole line, or the line succeeds whatever it says."""
    writes: tuple[str, ...] = ()
    heredoc: str = ""
    followed: bool = False
    """Another command runs after it whatever it says."""


class CommandLine(NamedTuple):
    """A command line understood."""

    kind: CommandKind
    key: str
    """Names the check whatever stands around it: the same for two runs of the same check."""
    programs: tuple[Program, ...]
    exit_tells: bool
    """Exit status 0 means that the program `kind` comes from passed."""
    exit_blames: bool = True
    """Another exit status means that it failed: it is not followed by other commands whatever it says."""
    seeks_faults: bool = False
    """Its output goes through a search for errors, so that no output means that there are none."""
    is_check: bool = False
    """Its passing says something about the work: a test, build, lint or type check that is not only a formatter at work."""


def without_own_scripts(command: CommandLine, is_own: Callable[[str], bool]) -> CommandLine:
    """A script that the run itself wrote and runs by hand is no test of the project, whatever its name is."""
    own = [program for program in command.programs if program.kind == "test" and is_script(program) and any(map(is_own, program.words[1:]))]
    if command.kind != "test" or len(own) < sum(program.kind == "test" for program in command.programs):
        return command
    return command._replace(kind="run", is_check=False)


def is_script(program: Program) -> bool:
    """Run by hand with an interpreter, not by a test runner."""
    return _PYTHON.match(program.words[0]) is not None or program.name in _INTERPRETERS or "/" in program.words[0]


def understand(text: str) -> CommandLine:
    """What a command line was for. Agents run the same few short ones again and again."""
    return _understood(text) if len(text) < _SHORT else _understand(text)


def _understand(text: str) -> CommandLine:
    """Takes a command line apart and says what it was for (its weightiest part: a test outweighs a build, …)."""
    programs = tuple(_programs(split(text), 0))
    if not programs:
        return CommandLine("other", "", (), True)
    main = max(programs, key=lambda program: _WEIGHT[program.kind])
    same = [program for program in programs if program.kind in CHECKS] if main.kind in CHECKS else [main]
    key = " && ".join(dict.fromkeys(_key(program) for program in same))
    is_check = main.kind in CHECKS and not all(_only_formats(program) or _only_looks(program) for program in same)
    is_check = is_check and not _is_stashed(programs, same)
    exit_tells = not any(program.masked for program in same)
    exit_blames = not any(program.followed for program in same)
    seeks = is_check and any(
        program.name in ("grep", "rg", "egrep") and _FAULT_WORD.search(" ".join(program.words[1:])) for program in programs
    )
    return CommandLine(main.kind, key, programs, exit_tells, exit_blames, seeks, is_check)


_understood = lru_cache(maxsize=1_024)(_understand)


def code_command(code: str) -> CommandLine:
    """Code that a tool runs directly, as a command line that runs it."""
    program = Program("code", ("code",), "run", False, heredoc=code[:4_000])
    return CommandLine("run", f"code {code.strip()[:80]}", (program,), True)


_FAULT_WORD = lazy(r"error|fail|warn|cannot find|exception", re.IGNORECASE)


_FORMATTERS = word_set(
    "black isort autopep8 yapf prettier gofmt gofumpt goimports rustfmt shfmt clang-format dprint swiftformat fmt format"
)
_FORMAT_TASK = lazy(r"(?:^|[:_-])(?:fmt|format)(?:$|[:_-])")
_DRY = lazy(r"--?(?:check|diff|list-different|dry-run|verify|l|d|n)\b|[:_-]check")


_LOOKS_ONLY = word_set(
    "--help -h --version -V --fixtures --collect-only --co --list --list-tests --listTests --dry-run -n --showConfig --print-config"
)


def _is_stashed(programs: tuple[Program, ...], checks: list[Program]) -> bool:
    """`git stash && make test; git stash pop` checks what was there before the work."""
    before = programs[: programs.index(checks[0])] if checks else ()
    return any(program.words[:2] == ("git", "stash") and program.words[2:3] in ((), ("push",), ("save",), ("-u",)) for program in before)


def _only_looks(program: Program) -> bool:
    """Asks a tool about itself or what it would do."""
    return any(word in _LOOKS_ONLY for word in program.words[1:]) and not (
        "-n" in program.words and program.name in ("pytest", "tox", "py.test")
    )


def _only_formats(program: Program) -> bool:
    """Rewrites files in its style: that it went through says nothing about the work."""
    words = program.words
    named = program.name in _FORMATTERS or any(_FORMAT_TASK.search(word) for word in words[1:4] if not word.startswith("-"))
    return named and not any(_DRY.match(word) or word.endswith(":check") for word in words[1:])


def _programs(simples: tuple[Simple, ...], depth: int) -> list[Program]:
    found: list[Program] = []
    for at, simple in enumerate(simples):
        masked, followed = _is_masked(simples, at), _is_followed(simples, at)
        words = _unwrap(simple.words)
        inner = _inner_script(words)
        if inner and depth < 3:
            found += [
                program._replace(masked=program.masked or masked, followed=program.followed or followed)
                for program in _programs(split(inner), depth + 1)
            ]
        elif words and words[0] not in (
            "cd",
            "pushd",
            "popd",
            "export",
            "source",
            ".",
            "set",
            "true",
            ":",
            "sleep",
            "wait",
            "done",
            "fi",
            "for",
            "esac",
        ):
            name = words[0].replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe")
            found.append(Program(name, words, _writing(simple, classify(words)), masked, simple.writes, simple.heredoc, followed))
        elif simple.writes:
            found.append(Program("", words, "other", masked, simple.writes, simple.heredoc, followed))
    return found


def _writing(simple: Simple, kind: CommandKind) -> CommandKind:
    """`cat > file` and `sort > file` write: nobody looks at their output."""
    return "other" if kind == "search" and any(not path.startswith("/dev/") for path in simple.writes) else kind


def _is_masked(simples: tuple[Simple, ...], at: int) -> bool:
    """Is the status of this command lost: in a pipe before its end, before `;`, or excused by `|| true`?"""
    piped = False
    for number in range(at, len(simples)):
        after = simples[number].after
        last = number == len(simples) - 1
        if after == "|" and not last:
            if number == at and _is_pipefail(simples):
                continue
            piped = True
        elif after == "||" and not last:
            return True
        elif (after in (";", "&") and not last) or after == "&":
            return not all(_is_status_kept(simple) for simple in simples[number + 1 :])
    return piped


def _is_followed(simples: tuple[Simple, ...], at: int) -> bool:
    later = simples[at:-1]
    return any(simple.after in (";", "&", "||") for simple in later) and not all(_is_status_kept(simple) for simple in simples[at + 1 :])


def _is_pipefail(simples: tuple[Simple, ...]) -> bool:
    return any(simple.words[:1] == ("set",) and "pipefail" in " ".join(simple.words) for simple in simples)


def _is_status_kept(simple: Simple) -> bool:
    return simple.words[:2] == ("exit", "$?") or simple.words[:1] in (("done",), ("fi",), ("}",))


def _unwrap(words: tuple[str, ...]) -> tuple[str, ...]:
    """Without the wrappers in front: `sudo -E timeout 60 uv run --group dev pytest -q` → `pytest -q`."""
    for _ in range(8):
        rest = _unwrap_once(words) if words else words
        if rest == words or not rest:
            break
        words = rest
    return words


def _unwrap_once(words: tuple[str, ...]) -> tuple[str, ...]:
    name = words[0].rsplit("/", 1)[-1]
    second = words[1] if len(words) > 1 else ""
    if name in _PREFIXES:
        return _skip_options(words[1:])
    if name in ("timeout", "gtimeout"):
        rest = _skip_options(words[1:])
        return rest[1:] if rest and _NUMBER.match(rest[0]) else rest
    if name == "env" and len(words) > 1:
        return tuple(_drop_assignments(words[1:]))
    if name in ("npx", "bunx", "pnpx", "uvx", "pipx") and second:
        return _skip_options(words[2:] if name == "pipx" and second == "run" else words[1:])
    if name == "xargs":
        return _skip_options(words[1:]) or words
    if name == "docker" and second == "compose":
        return ("docker-compose", *words[2:])
    if (name, second) in _EXEC and len(words) > 2:
        rest = _skip_options(words[2:])
        return rest[1:] if name in ("docker", "podman", "docker-compose", "kubectl") and len(rest) > 1 else rest or words
    return _python_module(words)


def _python_module(words: tuple[str, ...]) -> tuple[str, ...]:
    """`python -m pytest -q` → `pytest -q`."""
    if _PYTHON.match(words[0]):
        for at, word in enumerate(words[1:5], 1):
            if word == "-m" and at + 1 < len(words):
                return words[at + 1 :]
            if not word.startswith("-"):
                break
    return words


def _skip_options(words: tuple[str, ...]) -> tuple[str, ...]:
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return words[at + 1 :]
        if word in _VALUE_OPTIONS and word != "--rm":
            at += 2
        elif word.startswith("-"):
            at += 1
        else:
            break
    return words[at:]


def _drop_assignments(words: tuple[str, ...]) -> list[str]:
    rest = list(_skip_options(words))
    while rest and re.match(r"\w+=", rest[0]):
        rest.pop(0)
    return rest


def _inner_script(words: tuple[str, ...]) -> str:
    """The script of `bash -lc '…'`; empty where there is none."""
    if (words and words[0].rsplit("/", 1)[-1] in _SHELLS) or (words[:1] and words[0] in _SHELLS):
        for at, word in enumerate(words[1:4], 1):
            if word.lower() in ("-c", "-lc", "-ic", "-command", "-ec", "-euc", "-cl", "-xc") and at + 1 < len(words):
                return words[at + 1]
    return ""


def classify(words: tuple[str, ...]) -> CommandKind:
    """What one simple command is for; `words` are unwrapped and unquoted."""
    name = words[0].replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".exe").removesuffix(".cmd")
    rest = _skip_options(words[1:])
    first = rest[0] if rest else ""
    if _PYTHON.match(words[0]) or name in (
        "node",
        "ruby",
        "php",
        "perl",
        "bash",
        "sh",
        "zsh",
        "tsx",
        "ts-node",
        "deno",
        "Rscript",
        "julia",
    ):
        return _script_kind(name, words, rest)
    if name in RUNNERS:
        return _runner_kind(name, rest)
    if name in ("java", "kotlin", "scala") and any(TEST_CLASS.search(word) for word in rest[-2:]):
        return "test"
    table = SUBCOMMANDS.get(name)
    if table is not None:
        found = next((table[word] for word in rest if word in table), None) if name in ("mvn", "sbt") else table.get(first)
        if found:
            return found
    if name == "sed" and any(word.startswith("-i") or word == "--in-place" for word in words):
        return "other"
    return PROGRAMS.get(name) or ("other" if name in SUBCOMMANDS else _own_program_kind(words[0], name))


def _runner_kind(name: str, rest: tuple[str, ...]) -> CommandKind:
    words = [word for word in rest if word not in _RUN_WORDS]
    is_run = len(words) < len(rest)
    table = SUBCOMMANDS.get(name, {})
    if words and not is_run and words[0] in table:
        return table[words[0]]
    best = [kind for word in words[:3] if not word.startswith("-") and (kind := task_kind(word.lstrip(":")) or PROGRAMS.get(word))]
    if best:
        return max(best, key=lambda kind: _WEIGHT[kind])
    if name in ("make", "gmake", "gradle", "gradlew", "ant", "scons") and not is_run:
        return "build"
    return "run" if words else "other"


def _script_kind(name: str, words: tuple[str, ...], rest: tuple[str, ...]) -> CommandKind:
    script = rest[0] if rest else ""
    base = script.replace("\\", "/").rsplit("/", 1)[-1]
    if base in ("manage.py", "setup.py", "artisan") and len(rest) > 1:
        return SUBCOMMANDS[base].get(rest[1], "run")
    if name == "deno":
        return SUBCOMMANDS["deno"].get(script, "run")
    if "--test" in words and name == "node":
        return "test"
    if (name in ("ruby", "php") and "-c" in words) or (name == "php" and "-l" in words) or base == "py_compile":
        return "build"
    if script and "-c" not in words and "-e" not in words and TEST_FILE.search(base):
        return "test"
    if (script and base in ("test", "t", "runtests.py", "run_tests.py")) or script.endswith("bin/test"):
        return "test"
    if name in _SHELLS and script:
        return task_kind(base.removesuffix(".sh")) or "run"
    return "run"


def _own_program_kind(path: str, name: str) -> CommandKind:
    """A program nobody knows: the project's own script, or something else."""
    stem = re.sub(r"\.(?:sh|py|rb|js|ts|pl|bat|ps1|cmd)$", "", name)
    if "/" in path or stem != name:
        if TEST_FILE.search(name):
            return "test"
        return task_kind(stem) or "run"
    return "other"


_NOISE_OPTION = lazy(
    r"-{1,2}(?:v+|q+|verbose|quiet|s|x|tb=?\w*|no-header|color\S*|no-color|nocapture|count=\d+|maxfail=?\d*|cache-clear|runInBand|"
    r"silent|race|timeout=?\S*|fix|write)$"
)


def _key(program: Program) -> str:
    """What is checked: the program and its words, without options that change only what is printed."""
    words = [program.name, *(word for word in program.words[1:] if not _NOISE_OPTION.match(word))]
    return " ".join(words)[:200]
