"""A skill as a file: SKILL.md in the Agent Skills format, written, read and linted. Pure.

Frontmatter values are double-quoted scalars, so that no parser cuts or folds them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from diarist.errors import InvalidInputError
from diarist.model.redacted import Redacted, derived
from diarist.model.skill import Pitfall, Skill, SkillStep
from diarist.text.lazy import lazy

MOST_NAME, MOST_DESCRIPTION, MOST_COMPATIBILITY = 64, 1024, 500
MOST_LINES, MOST_TOKENS = 500, 5000
_CHARACTERS_PER_TOKEN = 4
_FEWEST_DESCRIPTION = 20
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_NAME = lazy(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_FENCE = lazy(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_WHEN = lazy(r"\b(?:use|when|whenever|if|before|after|for|asked)\b", re.IGNORECASE)
_UNQUOTED_COMMENT = lazy(r"^[\w-]+:[ \t]+[^\"'\s|>#][^\n]*[ \t]#", re.MULTILINE)
_FLOW = lazy(r"^[ \t]*[\w-]+:[ \t]*[\[{]", re.MULTILINE)
_FOLDED = lazy(r"^[ \t]*[\w-]+:[ \t]*[|>]", re.MULTILINE)
_LINK = lazy(r"\]\((?![a-z]+:|#|/)([^)\s]+)\)")
_TAG = lazy(r"<(?!(?:number|path|value|text|name|file|[a-z]+_[a-z_]+)>)/?[A-Za-z][^>\n]{0,80}>")
_HEADING = lazy(r"^#{1,6}\s+\S", re.MULTILINE)


class Finding(NamedTuple):
    """What is wrong with a skill. error: it must not be accepted or will not load; warning: it works but could be better."""

    level: Literal["error", "warning"]
    rule: str
    message: str


class SkillFile(NamedTuple):
    """A SKILL.md taken apart. `fields`: its frontmatter as it parses, values of any kind."""

    fields: Mapping[str, Any]
    body: str


# --- writing --------------------------------------------------------------------------------------------------------------


def render_skill(name: str, description: Redacted, body: Redacted, metadata: Mapping[str, str]) -> Redacted:
    """The text of SKILL.md. Metadata is sorted by key."""
    lines = ["---", f"name: {name}", f"description: {quote(' '.join(description.split()))}"]
    if metadata:
        lines += ["metadata:", *(f"  {key}: {quote(value)}" for key, value in sorted(metadata.items()))]
    return derived("\n".join([*lines, "---", "", body.strip(), ""]))


def quote(text: str) -> str:
    """A YAML double-quoted scalar on one line. `---` is kept apart: some parsers split the file on it."""
    plain = "".join(char if char.isprintable() else " " for char in text).replace("---", "--\u2011")
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def render_body(skill: Skill) -> Redacted:
    """The Markdown that an agent reads: when, steps, checks, pitfalls, and what it rests on."""
    if skill.source == "curated":
        return skill.body
    parts = [f"# {_line(skill.title)}", "", _origin(skill)]
    parts += _section("When to use", [f"- {_line(example)}" for example in skill.examples], "Requests that were handled this way:")
    parts += _section("Steps", _numbered(skill.steps))
    parts += _section("Checks", [_check(each.command, each.passed, each.runs) for each in skill.checks], "It was done when these passed:")
    parts += _section("Pitfalls", [line for each in skill.pitfalls for line in _pitfall(each)])
    return derived("\n".join(parts).rstrip() + "\n")


def _origin(skill: Skill) -> str:
    sessions = f"{skill.support} session{'s' if skill.support != 1 else ''}"
    days = [f"{at:%Y-%m-%d}" for at in (skill.first_at, skill.last_at) if at]
    dates = "" if len(days) < 2 else f" on {days[0]}" if days[0] == days[1] else f" between {days[0]} and {days[1]}"
    failed = f"; {skill.failed} more failed at it" if skill.failed else ""
    return f"How {sessions}{dates} did this{failed}. Adapt it where the case at hand differs."


def _section(title: str, lines: Sequence[str], lead: str = "") -> list[str]:
    return ["", f"## {title}", "", *([lead, ""] if lead else []), *lines] if lines else []


def _numbered(steps: Sequence[SkillStep]) -> list[str]:
    lines: list[str] = []
    for number, step in enumerate(steps, 1):
        starts = step.together and (number == 1 or steps[number - 2].together != step.together)
        hint = " (this and the next steps in any order)" if starts else ""
        lines.append(f"{number}. {'Where needed: ' if step.optional else ''}{_line(step.text)}{hint}")
    return lines


def _check(command: str, passed: int, runs: int) -> str:
    return f"- {code(command)} (passed in {passed} of {runs} run{'s' if runs != 1 else ''})"


def _pitfall(pitfall: Pitfall) -> list[str]:
    seen = f" ({pitfall.runs} runs)" if pitfall.runs > 1 else ""
    lines = [f"- Error {code(pitfall.error)}{seen}"]
    return [*lines, f"  What got past it: {_line(pitfall.fix)}"] if pitfall.fix else lines


def code(text: str) -> str:
    """A Markdown code span on one line, whatever the text holds."""
    flat = " ".join(text.split())
    fence = "`" * (max((len(run) for run in re.findall(r"`+", flat)), default=0) + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"


def _line(text: str) -> str:
    """One line that starts no heading, list or HTML of its own: what was quoted is text, not markup."""
    flat = " ".join(text.split())
    return re.sub(r"<(?=[A-Za-z/!])(?!(?:number|path|value|text|name|file)>)", "‹", flat)


# --- reading --------------------------------------------------------------------------------------------------------------


def parse_skill(text: str) -> SkillFile:
    """Takes a SKILL.md apart. A byte order mark is passed over (and complained of by `lint`).

    Raises
    ------
    InvalidInputError
        It has no frontmatter, or that is not a YAML mapping with distinct keys.
    """
    match = _FENCE.match(text.removeprefix("\ufeff"))
    if match is None:
        raise InvalidInputError("it does not begin with frontmatter between two lines of three hyphens")
    return SkillFile(_load(match[1]), text.removeprefix("\ufeff")[match.end() :])


def _load(source: str) -> Mapping[str, Any]:
    import yaml

    class Loader(yaml.SafeLoader):
        """Refuses what a strict parser refuses: a key twice, anchors and tags."""

    def mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[Any, Any]:
        pairs = [(loader.construct_object(key, deep=True), loader.construct_object(value, deep=True)) for key, value in node.value]
        if len({str(key) for key, _ in pairs}) < len(pairs):
            raise InvalidInputError("a key stands twice in the frontmatter")
        return dict(pairs)

    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    try:
        loaded = yaml.load(source, Loader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError) as error:
        where = getattr(error, "problem_mark", None)
        line = f" in line {where.line + 2}" if where is not None else ""
        raise InvalidInputError(f"its frontmatter is not valid YAML{line}") from error
    if not isinstance(loaded, dict):
        raise InvalidInputError("its frontmatter is not a mapping of names to values")
    return loaded


# --- linting --------------------------------------------------------------------------------------------------------------


def lint(text: str, folder: str) -> list[Finding]:
    """Everything that is wrong with a SKILL.md that stands in `folder` (its name, not its path)."""
    findings: list[Finding] = []
    if text.startswith("\ufeff"):
        findings.append(Finding("error", "bom", "it begins with a byte order mark, which strict parsers refuse"))
    try:
        parsed = parse_skill(text)
    except InvalidInputError as error:
        return [*findings, Finding("error", "frontmatter", str(error))]
    match = _FENCE.match(text.removeprefix("\ufeff"))
    assert match is not None
    return [
        *findings,
        *_lint_yaml(match[1]),
        *_lint_fields(parsed.fields),
        *_lint_name(parsed.fields.get("name"), folder),
        *_lint_description(parsed.fields.get("description")),
        *_lint_body(parsed.body),
    ]


def _lint_yaml(source: str) -> list[Finding]:
    findings = []
    if _UNQUOTED_COMMENT.search(source):
        findings.append(Finding("error", "comment", "an unquoted value holds ' #', which cuts the rest of it off; quote the value"))
    if _FLOW.search(source):
        findings.append(Finding("error", "flow-style", "a value is written as [..] or {..}, which strict parsers refuse"))
    if _FOLDED.search(source):
        findings.append(Finding("warning", "block-scalar", "a value runs over several lines; some clients read only the first"))
    if "---" in source:
        findings.append(Finding("error", "fence-in-value", "a value holds three hyphens, where some parsers end the frontmatter"))
    return findings


def _lint_fields(fields: Mapping[str, Any]) -> list[Finding]:
    findings = [
        Finding("error", "unknown-field", f"there is no field {field!r}; uploads refuse others than {', '.join(FIELDS)}")
        for field in fields
        if field not in FIELDS
    ]
    compatibility = fields.get("compatibility")
    if compatibility is not None and not (isinstance(compatibility, str) and 1 <= len(compatibility.strip()) <= MOST_COMPATIBILITY):
        findings.append(Finding("error", "compatibility", f"compatibility must be a text of 1 to {MOST_COMPATIBILITY} characters"))
    metadata = fields.get("metadata")
    if metadata is not None and not (
        isinstance(metadata, dict) and all(isinstance(key, str) and isinstance(value, str) for key, value in metadata.items())
    ):
        findings.append(Finding("error", "metadata", "metadata must map texts to texts; quote numbers and dates"))
    findings += [
        Finding("error", field, f"{field} must be a text (tools separated by spaces)")
        for field in ("license", "allowed-tools")
        if fields.get(field) is not None and not (isinstance(fields[field], str) and fields[field].strip())
    ]
    return findings


def _lint_name(name: Any, folder: str) -> list[Finding]:
    if not isinstance(name, str) or not name:
        return [Finding("error", "name", "it has no name")]
    findings = []
    if not _NAME.match(name) or len(name) > MOST_NAME:
        findings.append(
            Finding("error", "name", f"the name must hold 1 to {MOST_NAME} of a-z, 0-9 and single hyphens; it is {name[:80]!r}")
        )
    if name != folder:
        findings.append(Finding("error", "folder", f"the name {name[:80]!r} is not that of its folder, {folder[:80]!r}"))
    if any(word in name.split("-") for word in ("anthropic", "claude")):
        findings.append(Finding("error", "reserved-name", "names with 'claude' or 'anthropic' are refused by uploads"))
    return findings


def _lint_description(description: Any) -> list[Finding]:
    if not isinstance(description, str) or not description.strip():
        return [Finding("error", "description", "it has no description")]
    findings = []
    if len(description) > MOST_DESCRIPTION:
        findings.append(
            Finding("error", "description", f"the description has {len(description):,} characters; at most {MOST_DESCRIPTION:,}")
        )
    if _TAG.search(description):
        findings.append(Finding("error", "description-markup", "the description holds something like an XML tag, which clients refuse"))
    if len(description.strip()) < _FEWEST_DESCRIPTION or not _WHEN.search(description):
        findings.append(Finding("warning", "description-when", "the description should say what the skill does and when to use it"))
    return findings


def _lint_body(body: str) -> list[Finding]:
    lines = body.count("\n") + 1
    tokens = -(-len(body.encode("utf-8")) // _CHARACTERS_PER_TOKEN)
    if not body.strip():
        return [Finding("error", "body", "it says nothing below the frontmatter")]
    findings = []
    if lines > MOST_LINES or tokens > MOST_TOKENS:
        findings.append(
            Finding(
                "error",
                "size",
                f"it has {lines:,} lines and about {tokens:,} tokens; at most {MOST_LINES} lines and {MOST_TOKENS:,} tokens",
            )
        )
    if not _HEADING.search(body):
        findings.append(Finding("warning", "heading", "it has no heading"))
    findings += [
        Finding("error", "reference", f"the link {target[:80]!r} leads out of the folder or more than one level down")
        for target in _LINK.findall(body)
        if ".." in target.split("/") or target.count("/") > 1
    ]
    return findings
