"""Lines of console output that are program text, search results, lists or good news rather than reports of errors."""

from __future__ import annotations

from diarist.text.lazy import lazy

_NUMBERED = r"\d+[\t→|│] ?|\d+[:-](?=[\t/ ])|\d+ \||\d+\. "
_LISTED = r"[-*•] (?!What went wrong)|> (?:Task|Configure|Run|Transform) |\*\*\w"
_DIFF = r"[-+]{1,3}(?![- >]*ExceptionGroup)(?=\S)|@@ |diff --git|[|=] "
_COMMENT = r"#(?!\d)|//|/\*|\*(?!\*\*| What went wrong)|<!--"
_STATEMENT = (
    r"(?:raise|throw|except|catch|if|elif|else|return|for|while|class|def|func|fn|import|from|const|let|var|pub|try|assert(?!ion)|with|echo)\b"
    r"|console\.|log(?:ger|ging)?\.|self\.|this\.|print|\$ |>>> |\.\.\. |@\w+\(|[\w.]+ ?(?::?=|\+=)[^=]|[\w.\[\]]+\(.*\)\s*[;{:]?\Z"
)
_GOOD = r"✓|√|✔|(?:ok|PASS|PASSED)\b|[}\])]|\|"
_SOURCE = lazy(rf"\s*(?:{_NUMBERED}|{_LISTED}|{_DIFF}|{_COMMENT}|{_STATEMENT}|{_GOOD})")
_SOURCE_ENDS = (";", "{", "):", "=>", ",", "|")
_COMMIT = lazy(r"[*|\\/ ]*[0-9a-f]{7,40}\b")
_FOUND_LINE = lazy(r"[\w./@+-]+\.\w{1,8}[:-]\d+[:-]\s{2,}\S")
_CLEAN = lazy(
    r"(?:\b0|\bno|zero|without|without any|keine|aucune?|\bsin|never|\bnon)[ -]"
    r"(?:errors?|failures?|failed|exceptions?|problems?|issues?|fehler|erreurs?|errores)\b"
    r"|(?:errors?|failures?|failed)[:=] ?0\b| passed\Z|error-free"
)


def is_listing(text: str, low: str) -> bool:
    """Whether a line (`low`: in lower case) is program text, a search result, a commit or a list item."""
    if _SOURCE.match(text) or _COMMIT.match(text) or _FOUND_LINE.match(text):
        return True
    return text.endswith(_SOURCE_ENDS) and "error:" not in low[:200] and "error " not in low[:80]


def is_clean(low: str) -> bool:
    """Whether a line (in lower case) speaks of errors to say that there are none."""
    return _CLEAN.search(low) is not None


def hunk_lines(lines: list[str]) -> frozenset[int]:
    """Indexes of the lines inside a diff."""
    found: set[int] = set()
    inside = False
    for at, line in enumerate(lines):
        starts = line.startswith(("@@ -", "diff --git ", "--- a/", "+++ b/"))
        inside = starts or (inside and (not line or line[0] in " +-\\"))
        if inside:
            found.add(at)
    return frozenset(found)
