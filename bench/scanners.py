"""Redaction beside a public secret scanner on the same lines: planted secrets found, harmless look-alikes flagged, throughput.

    python bench/scanners.py [--lines 4000] [--peer PATH/bin/python]    # an interpreter that has detect-secrets 1.5

One line in ten holds a secret of a documented format, made at random here; one in ten a look-alike that is none (a commit, a checksum, a
UUID, a placeholder); the rest is what agents' logs say. A scanner *finds* a secret when it reports it or a part of ten characters of it;
redaction when no ten characters of it are left. Prints a table and writes bench/out/scanners.json.
"""

from __future__ import annotations

import argparse
import json
import random
import string
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

OUT = Path(__file__).resolve().parent / "out"
PART = 10
"""Characters of a secret that give it away."""
PEER = """
import json, sys, time
from detect_secrets.core.scan import scan_line
from detect_secrets.settings import default_settings
lines = json.load(sys.stdin)
found = []
with default_settings():
    list(scan_line("warm up"))
    began = time.process_time()
    for line in lines:
        found.append([each.secret_value or "" for each in scan_line(line)])
    print(json.dumps({"cpu_s": time.process_time() - began, "found": found}))
"""


class Line(NamedTuple):
    """A line, what kind it is, and the secret or look-alike in it; kind "log": neither."""

    kind: str
    text: str
    value: str


def make_lines(count: int, seed: int = 5) -> list[Line]:
    """The same lines for the same seed."""
    chance = random.Random(seed)
    lines = []
    for number in range(count):
        at = number % 10
        if at == 3:
            name = chance.choice(sorted(SECRETS))
            value = SECRETS[name](chance)
            lines.append(Line("secret", chance.choice(FRAMES).format(value), value))
        elif at == 7:
            name = chance.choice(sorted(HARMLESS))
            value = HARMLESS[name](chance)
            lines.append(Line("harmless", chance.choice(PLAIN_FRAMES).format(value), value))
        else:
            lines.append(Line("log", chance.choice(LOG).format(chance.randrange(10_000)), ""))
    return lines


def letters(chance: random.Random, count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """So many at random."""
    return "".join(chance.choices(alphabet, k=count))


SECRETS: dict[str, Callable[[random.Random], str]] = {
    "github": lambda chance: "ghp" + "_" + letters(chance, 36),
    "gitlab": lambda chance: "glpat" + "-" + letters(chance, 20),
    "aws": lambda chance: "AKIA" + letters(chance, 16, string.ascii_uppercase + "234567"),
    "slack": lambda chance: "xoxb" + f"-{letters(chance, 12, string.digits)}-{letters(chance, 12, string.digits)}-" + letters(chance, 24),
    "stripe": lambda chance: "sk" + "_live_" + letters(chance, 24),
    "npm": lambda chance: "npm" + "_" + letters(chance, 36),
    "google": lambda chance: "AIza" + letters(chance, 35),
    "anthropic": lambda chance: "sk" + "-ant-api03-" + letters(chance, 93) + "AA",
    "openai": lambda chance: "sk" + "-proj-" + letters(chance, 48),
    "url": lambda chance: f"postgres://app:{letters(chance, 18)}@db.internal:5432/app",
}
HARMLESS: dict[str, Callable[[random.Random], str]] = {
    "commit": lambda chance: letters(chance, 40, "0123456789abcdef"),
    "checksum": lambda chance: letters(chance, 64, "0123456789abcdef"),
    "uuid": lambda chance: str(uuid.UUID(int=chance.getrandbits(128), version=4)),
    "placeholder": lambda chance: chance.choice(
        ["<your-api-key>", "${GITHUB_TOKEN}", "xxxxxxxxxxxxxxxx", "changeme", "os.environ['API_KEY']"]
    ),
    "path": lambda chance: f"/srv/app/releases/{letters(chance, 14, string.digits)}/node_modules/.bin/esbuild",
}
FRAMES = ("export TOKEN={}", 'api_key = "{}"', "Authorization: Bearer {}", "fatal: could not read from {}", "the key {} was rejected")
PLAIN_FRAMES = ("HEAD is now at {}", "resolved {} from the lock file", "request id {}", 'key = "{}"', "wrote {}")
LOG = (
    "12 passed, {} warnings in 3.41s",
    "src/app/orders.py:{}: error: Incompatible return value type",
    "Compiling serde v1.0.{}",
    "the retry of request {} succeeded after the backoff",
    "step {} of the migration took longer than expected; reading the plan again",
)


def leaks(value: str, text: str) -> bool:
    """Are ten characters of it in a row still there?"""
    return any(value[at : at + PART] in text for at in range(max(1, len(value) - PART + 1)))


def ours(lines: list[Line]) -> dict[str, Any]:
    """What redaction does with each line."""
    import diarist

    diarist.redact("warm up")
    began = time.process_time()
    told = [diarist.redact(line.text) for line in lines]
    seconds = time.process_time() - began
    secrets = [(line, text) for line, text in zip(lines, told, strict=True) if line.kind == "secret"]
    harmless = [(line, text) for line, text in zip(lines, told, strict=True) if line.kind == "harmless"]
    return figures(
        seconds,
        lines,
        found=sum(not leaks(_secret_part(line.value), text) for line, text in secrets),
        flagged=sum(line.value not in text for line, text in harmless),
    )


def theirs(lines: list[Line], python: str) -> dict[str, Any]:
    """What detect-secrets reports on each line."""
    given = json.dumps([line.text for line in lines])
    done = subprocess.run([python, "-c", PEER], input=given, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout.splitlines()[-1])
    found = flagged = 0
    for line, values in zip(lines, told["found"], strict=True):
        hit = any(len(value) >= PART and (value in line.value or leaks(_secret_part(line.value), value)) for value in values)
        found += line.kind == "secret" and hit
        flagged += line.kind == "harmless" and hit
    return figures(told["cpu_s"], lines, found=found, flagged=flagged)


def _secret_part(value: str) -> str:
    """Of an address with a password: the password."""
    return value.split(":")[2].partition("@")[0] if "://" in value else value


def figures(seconds: float, lines: list[Line], *, found: int, flagged: int) -> dict[str, Any]:
    """As they are printed."""
    size = sum(len(line.text) + 1 for line in lines) / 1e6
    secrets, harmless = (sum(line.kind == kind for line in lines) for kind in ("secret", "harmless"))
    return {
        "secrets_found": round(found / secrets, 3),
        "harmless_flagged": round(flagged / harmless, 3),
        "mb_per_s": round(size / seconds, 2),
        "microseconds_a_line": round(1e6 * seconds / len(lines), 1),
    }


def main() -> None:
    """Prints a line for each scanner."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=4000)
    parser.add_argument("--peer", default="", help="Python interpreter with detect-secrets")
    options = parser.parse_args()
    lines = make_lines(options.lines)
    result = {"diarist": ours(lines)}
    if options.peer:
        result["detect-secrets"] = theirs(lines, options.peer)
    for name, row in result.items():
        print(f"{name:16}" + "  ".join(f"{key} {value}" for key, value in row.items()))
    OUT.mkdir(exist_ok=True)
    (OUT / "scanners.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
