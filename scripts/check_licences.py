"""Fails where a package that the program or its hub installs has a licence that is not on the list, or says none."""

from __future__ import annotations

import re
import sys
from importlib import metadata

from dependency_digest import ROOT

ALLOWED = frozenset(
    [
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "LGPL-3.0-only",
        "MIT",
        "MIT-0",
        "MPL-2.0",
        "PSF-2.0",
        "Unlicense",
        "Zlib",
    ]
)
"""LGPL only of what is used as it comes (psycopg); the MPL covers single files, which we do not change (certifi, pathspec)."""
SPELLINGS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "LGPL v3": "LGPL-3.0-only",
}


def main() -> int:
    """0 when every installed package of the locks is allowed; those of other platforms are not installed and not looked at."""
    faults = []
    for name in sorted(_locked("core") | _locked("server")):
        try:
            told = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            continue
        found = licences(told.get("License-Expression"), told.get("License"), told.get_all("Classifier") or [])
        if not found or not all(choices & ALLOWED for choices in found):
            faults.append(f"{name}: {' and '.join(' or '.join(sorted(each)) for each in found) or 'says no licence'}\n")
    sys.stderr.writelines(faults)
    return int(bool(faults))


def licences(expression: str | None, text: str | None, classifiers: list[str]) -> list[set[str]]:
    """What must be agreed to: of each set one. The expression counts before classifiers, and they before free text."""
    if expression:
        return [set(re.split(r"\s+OR\s+", part.strip("() "))) for part in re.split(r"\s+AND\s+", expression)]
    names = [line.rpartition("::")[2].strip() for line in classifiers if line.startswith("License ::")]
    if not names and text and len(text) < 60:
        names = [text.strip()]
    return [{SPELLINGS.get(name, name)} for name in names]


def _locked(name: str) -> set[str]:
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    return set(re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==", text, re.MULTILINE))


if __name__ == "__main__":
    raise SystemExit(main())
