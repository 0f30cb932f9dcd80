"""SKILL.md: what is written reads back, and what clients stumble over is told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diarist.errors import InvalidInputError
from diarist.model.redacted import derived
from diarist.model.skill import Pitfall, Skill, SkillCheck, SkillStep
from diarist.stages.skillfile import code, lint, parse_skill, quote, render_body, render_skill

DESCRIPTION = '"Cuts a release. Use when asked to release."'
GOOD = f"---\nname: cut-release\ndescription: {DESCRIPTION}\n---\n\n# Cut a release\n\n1. Tag.\n"
LINE = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=80)
KEY = st.from_regex(r"x-[a-z-]{1,8}", fullmatch=True)


def rules(text: str, folder: str = "cut-release") -> set[str]:
    """Rules that a text breaks."""
    return {finding.rule for finding in lint(text, folder)}


def told(description: str) -> str:
    """The good skill with another description."""
    return GOOD.replace(DESCRIPTION, description)


def named(name: str) -> str:
    """The good skill with another name."""
    return GOOD.replace("name: cut-release", f"name: {name}")


def having(fields: str) -> str:
    """The good skill with more frontmatter."""
    return GOOD.replace("---\n\n#", f"{fields}\n---\n\n#")


@given(description=LINE.filter(str.strip), body=LINE.filter(str.strip), values=st.dictionaries(KEY, LINE, max_size=3))
def test_whatever_is_written_reads_back(description: str, body: str, values: dict[str, str]) -> None:
    """Quotes, colons, hashes, fences, any script: no parser cuts or folds a value."""
    text = render_skill("cut-release", derived(description), derived(body), values)
    parsed = parse_skill(text)
    assert parsed.fields["name"] == "cut-release"
    flat = " ".join(description.split()).replace("---", "--\u2011")
    assert parsed.fields["description"].split() == "".join(char if char.isprintable() else " " for char in flat).split()
    assert parsed.body.strip() == body.strip()
    assert set(parsed.fields.get("metadata", {})) == set(values)
    assert "frontmatter" not in rules(text)


def test_a_good_skill_has_no_findings() -> None:
    """Nothing to complain of."""
    assert lint(GOOD, "cut-release") == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("# no frontmatter\n", "frontmatter"),
        ("---\nname: x\n", "frontmatter"),
        ("---\n- a\n---\n# x\n", "frontmatter"),
        ("---\nname: cut-release\nname: other\ndescription: Use it.\n---\n# x\n", "frontmatter"),
        (told("a: b: c"), "frontmatter"),
        ("\ufeff" + GOOD, "bom"),
        (having("model: opus"), "unknown-field"),
        (told("Cuts a release # always. Use when asked."), "comment"),
        (told('"Cuts --- a release. Use when asked."'), "fence-in-value"),
        (having("metadata: {a: b}"), "flow-style"),
        (having("metadata:\n  a: 1"), "metadata"),
        (having("metadata:\n  a:\n    b: c"), "metadata"),
        (having('compatibility: ""'), "compatibility"),
        (having("allowed-tools:\n  - Bash"), "allowed-tools"),
        (named("Cut-Release"), "name"),
        (named("-cut"), "name"),
        (named("größe"), "name"),
        (named("other"), "folder"),
        (named("claude-release"), "reserved-name"),
        (told('""'), "description"),
        (told('"' + "x" * 1100 + '"'), "description"),
        (told('"Cuts <b>a</b> release. Use when asked."'), "description-markup"),
        (told('"Releases."'), "description-when"),
        (told(">\n  Cuts a release. Use when\n  asked."), "block-scalar"),
        (GOOD.split("\n# ", maxsplit=1)[0] + "\n", "body"),
        (GOOD + "line\n" * 600, "size"),
        (GOOD + "word " * 5000, "size"),
        (GOOD + "[x](../up.md)\n", "reference"),
        (GOOD + "[x](a/b/c.md)\n", "reference"),
        (GOOD.replace("# Cut a release", "Cut a release"), "heading"),
    ],
)
def test_what_clients_stumble_over_is_told(text: str, rule: str) -> None:
    """Stricter than the public validator where that is lax."""
    assert rule in rules(text)


def test_links_and_anchors_that_are_fine_are_left_alone() -> None:
    """Addresses, one level down, headings."""
    assert rules(GOOD + "[a](https://example.org/a/b/c) [b](references/b.md) [c](#there)\n") == set()


@given(st.text(max_size=300), st.text(max_size=20))
def test_linting_never_raises(text: str, folder: str) -> None:
    """Any text is told of, none is fatal."""
    lint(text, folder)
    lint(f"---\n{text}\n---\n{text}", folder)


def test_tags_of_yaml_make_no_objects() -> None:
    """Frontmatter is data."""
    with pytest.raises(InvalidInputError):
        parse_skill("---\nname: !!python/object/apply:os.getcwd []\n---\n# x\n")


@given(st.text(max_size=200))
def test_a_code_span_holds_any_text_on_one_line(text: str) -> None:
    """However many backticks."""
    made = code(text)
    assert "\n" not in made
    assert made.endswith("`" * (len(made) - len(made.lstrip("`"))))


@given(st.text(max_size=200))
def test_a_quoted_value_is_one_line(text: str) -> None:
    """Control characters are gone."""
    assert quote(text).isprintable()


def test_a_mined_skill_tells_when_how_checks_and_pitfalls() -> None:
    """In that order, with what it rests on; what was quoted is text, not markup."""
    skill = Skill(
        name="cut-release",
        title=derived("Cut a release"),
        description=derived("Cuts."),
        steps=(
            SkillStep(text=derived("Read `CHANGELOG.md`"), together=1),
            SkillStep(text=derived("Search the code"), together=1),
            SkillStep(text=derived("Run `git tag <number>`"), optional=True),
        ),
        checks=(SkillCheck(command=derived("pytest -q"), passed=3, runs=4),),
        pitfalls=(Pitfall(error=derived("tag `v1` exists"), fix=derived("delete it\n<script>"), runs=2),),
        examples=(derived("release\n# now"),),
        support=3,
        failed=1,
        first_at=datetime(2026, 11, 1, tzinfo=UTC),
        last_at=datetime(2026, 11, 9, tzinfo=UTC),
    )
    assert render_body(skill) == (
        "# Cut a release\n\nHow 3 sessions between 2026-11-01 and 2026-11-09 did this; 1 more failed at it. "
        "Adapt it where the case at hand differs.\n\n"
        "## When to use\n\nRequests that were handled this way:\n\n- release # now\n\n"
        "## Steps\n\n1. Read `CHANGELOG.md` (this and the next steps in any order)\n2. Search the code\n"
        "3. Where needed: Run `git tag <number>`\n\n"
        "## Checks\n\nIt was done when these passed:\n\n- `pytest -q` (passed in 3 of 4 runs)\n\n"
        "## Pitfalls\n\n- Error ``tag `v1` exists`` (2 runs)\n  What got past it: delete it ‹script>\n"
    )


def test_a_curated_skill_keeps_its_markdown() -> None:
    """Nothing is collapsed."""
    body = derived("# X\n\n- a\n  - b\n\n```sh\nls   -l\n```\n")
    assert render_body(Skill(name="x", title=derived("X"), description=derived("x"), source="curated", body=body)) == body
