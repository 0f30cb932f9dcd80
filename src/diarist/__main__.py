"""Entry point. Looks at the first argument before anything is imported: start-up time is a budget."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main() -> int:
    """Runs the `diarist` command and returns its exit code: 0 done, 1 failed, 2 bad usage."""
    arguments = sys.argv[1:]
    if arguments[:1] in (["--version"], ["-V"]):
        from diarist import __version__

        sys.stdout.write(f"diarist {__version__}\n")
        return 0
    if arguments[:1] == ["hook"] and not {"-h", "--help"} & set(arguments):
        return _hook(arguments[1:])
    if arguments[:1] in (["search"], ["recall"], ["--workspace"]):
        from diarist.asking import ask

        code = ask(arguments)
        if code is not None:
            return code
    from diarist.cli import run

    return run(arguments, {"hook": _hook, "mcp": _mcp, "serve": _serve})


def _hook(arguments: list[str]) -> int:
    from diarist.hook.run import main as hook

    return hook(arguments)


def _mcp(workspace: str | None, *, write: bool) -> int:
    from diarist.mcp_server.stdio import serve

    return serve(workspace, write=write)


def _serve(workspace: str | None, **options: Any) -> int:
    from diarist.serving import start

    return start(workspace, **options)


if __name__ == "__main__":
    raise SystemExit(main())
