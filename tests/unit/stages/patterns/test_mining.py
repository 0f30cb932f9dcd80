"""What counts as one habit, and what does not."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from diarist.model.entry import Outcome
from diarist.model.observation import Observation, ToolUse
from diarist.model.redacted import derived
from diarist.stages.patterns import Draft, mine
from diarist.stages.patterns.grouping import Run, group_runs
from diarist.stages.patterns.refining import bear_it_out
from diarist.stages.patterns.splitting import split
from habits import NOW, SUPPORT, WINDOW, observation

TOOLS = ["Read", "Grep", "Edit", "Bash"]


def run(number: int, prompt: str, tools: list[str] | None = None, outcome: Outcome = "completed") -> Observation:
    """A run of a session of its own, so many hours ago."""
    return observation(f"s{number}", prompt, TOOLS if tools is None else tools, NOW - timedelta(hours=number + 1), outcome)


def mined(*runs: Observation, support: int = SUPPORT) -> tuple[Draft, ...]:
    """Habits among the runs and some others that have nothing to do with them."""
    others = [
        run(100 + number, prompt, ["Bash", "WebSearch"])
        for number, prompt in enumerate(
            ("what is a monad", "draw a cat in ascii", "name three birds", "count to ten in welsh", "sing me a song")
        )
    ]
    return mine([*runs, *others], now=NOW, window=WINDOW, support=support)


@pytest.mark.parametrize(
    "prompts",
    [
        ("Please refactor the parser module", "refactor the parser module", "can you refactor the parser module?"),
        ("обнови документацию проекта", "пожалуйста обнови документацию", "документацию проекта обнови"),
        ("請更新專案文件", "更新專案文件", "幫我更新專案文件"),
        ("プロジェクトのドキュメントを更新してください", "ドキュメントを更新して", "ドキュメントの更新をお願いします"),
        ("πρόσθεσε δοκιμές για το καλάθι", "δοκιμές για το καλάθι παρακαλώ", "γράψε δοκιμές για το καλάθι"),
        ("regenerate the fixtures", "regenrate the fixtures", "regenerate teh fixtures please"),
    ],
)
def test_rewordings_politeness_typing_errors_and_scripts_are_one_habit(prompts: tuple[str, ...]) -> None:
    """Not the first words decide, and not the alphabet."""
    drafts = mined(*(run(number, prompt) for number, prompt in enumerate(prompts)))
    assert [len(draft.session_ids) for draft in drafts] == [3]


def test_one_habit_of_words_and_tools_gives_one_proposal() -> None:
    """Prompts and procedures corroborate each other; they are not two habits."""
    runs = [run(number, "rotate the signing keys", ["mcp__vault__read", "mcp__vault__write", "Bash"]) for number in range(4)]
    (draft,) = mined(*runs)
    assert [step.tool for step in draft.steps] == ["mcp__vault__read", "mcp__vault__write", "shell"]


def test_support_counts_sessions_not_runs() -> None:
    """Five times in two sessions are two."""
    runs = [observation(f"s{number % 2}", "rotate the signing keys", TOOLS, NOW - timedelta(hours=number + 1)) for number in range(5)]
    assert not mined(*runs)


def test_runs_that_failed_count_against() -> None:
    """Three that went well do not stand against four that failed."""
    good = [run(number, "rotate the signing keys") for number in range(3)]
    bad = [run(10 + number, "rotate the signing keys", outcome="failed") for number in range(4)]
    assert len(mined(*good)) == 1
    assert not mined(*good, *bad)
    (draft,) = mined(*good, bad[0])
    assert len(draft.session_ids) == 3
    assert list(draft.failed_sessions) == [bad[0].session_id]
    assert list(draft.counter) == [bad[0].id]


def test_the_window_is_closed_on_both_sides() -> None:
    """Runs before it and after now are not looked at; its first moment belongs to it."""
    runs = [run(number, "rotate the signing keys") for number in range(2)]
    edge = msgspec.structs.replace(run(2, "rotate the signing keys"), observed_at=NOW - WINDOW)
    before = msgspec.structs.replace(edge, observed_at=NOW - WINDOW - timedelta(seconds=1))
    future = msgspec.structs.replace(edge, observed_at=NOW + timedelta(seconds=1))
    assert len(mined(*runs, edge)) == 1
    assert not mined(*runs, before)
    assert not mined(*runs, future)


def test_tool_names_with_separators_stay_whole() -> None:
    """`read_file` is one name, and two sequences that read alike when their names are cut are two."""
    one = [run(number, "go", ["mcp__a__list_x", "mcp__a__get"]) for number in range(3)]
    two = [run(10 + number, "go", ["mcp__a__list", "mcp__a__x_get"]) for number in range(3)]
    drafts = mined(*one, *two)
    assert sorted([step.tool for step in draft.steps] for draft in drafts) == [
        ["mcp__a__list", "mcp__a__x_get"],
        ["mcp__a__list_x", "mcp__a__get"],
    ]


def test_habits_that_share_words_but_not_steps_stay_apart() -> None:
    """Writing tests and mending them."""
    write = [run(number, f"write the unit tests of {name}", ["Read", "Glob", "Write", "Bash"]) for number, name in enumerate("abcdef")]
    mend = [
        run(10 + number, f"the unit tests of {name} fail, fix them", ["Bash", "Read", "Edit", "Bash"])
        for number, name in enumerate("abcdef")
    ]
    drafts = mined(*write, *mend)
    assert sorted(len(draft.session_ids) for draft in drafts) == [6, 6]


def test_long_prompts_about_other_things_are_no_habit_however_alike_the_tools_are() -> None:
    """That everybody ends with the linter is a rule of the project, not a request that recurs."""
    prompts = [
        "the export of invoices to spreadsheets drops the currency column when the customer lives abroad",
        "add a keyboard shortcut that opens the search box and closes it again on escape",
        "why does the nightly backup take twice as long since the migration of the storage cluster",
        "replace the deprecated date picker in the booking form by the native one",
        "let administrators merge duplicate accounts and keep the older comments",
    ]
    lint = ToolUse(name=derived("Bash"), kind="shell", shape=derived("golangci-lint run"))
    runs = [msgspec.structs.replace(each, tools=(*each.tools, lint)) for each in (run(at, prompt) for at, prompt in enumerate(prompts))]
    assert not mined(*runs)


def test_a_run_that_shares_a_word_with_a_request_made_twice_makes_no_habit_of_it() -> None:
    """Each of so many sessions as are asked for must surely belong, or twice as many probably."""
    twice = [Run((1, 2, 3, 4), (1, 2), (), False, number) for number in range(2)]
    noise = [
        Run((10 + number % 40, 50 + number % 37, 4 if number % 30 == 0 else 9), (1, 2), (), False, 20 + number) for number in range(300)
    ]
    runs = [*twice, Run((4, 5, 6), (1, 2), (), False, 2), Run((1, 2, 3, 7), (1, 2), (), False, 3), *noise]
    _, measures = group_runs(runs)
    assert not bear_it_out({0, 1, 2}, SUPPORT, [0, 1, 2], runs, measures)
    assert bear_it_out({0, 1, 3}, SUPPORT, [0, 1, 3], runs, measures)


def test_wordings_that_go_about_it_alike_are_not_split() -> None:
    """Other words alone do not make two habits of what was found to be one."""
    runs = [Run((1, 2 if number < 4 else 3, 4 if number < 4 else 5), (1, 2, 3), (), False, number) for number in range(9)]
    noise = [Run((10 + number,), (4 + number,), (), False, 20 + number) for number in range(30)]
    _, measures = group_runs(runs + noise)
    assert split(list(range(9)), runs + noise, measures) == [list(range(9))]
    other_way = [each._replace(common=(1, 2, 3) if each.session < 4 else (70, 71, 72)) for each in runs]
    _, measures = group_runs(other_way + noise)
    assert len(split(list(range(9)), other_way + noise, measures)) == 2


def test_what_is_filled_in_each_time_is_left_out_of_the_title() -> None:
    """Names and numbers vary, the habit does not."""
    names = ("billing", "orders", "search", "catalog", "payments")
    (draft,) = mined(*(run(number, f"write release notes for {name} {number}.2") for number, name in enumerate(names)))
    assert draft.title == "Write release notes for …"
    assert draft.name == "write-release-notes"


def test_a_title_of_many_gaps_is_told_as_one_run_had_it() -> None:
    """Too particular reads better than a sentence of which little is left."""
    names = ("willow", "granite", "falcon", "copper", "meadow", "lantern", "harbor", "pepper", "violet", "saddle", "thimble", "walnut")
    runs = [
        run(number, "transplant {} beside {} into the greenhouse after {} and before {}".format(*names[4 * number : 4 * number + 4]))
        for number in range(3)
    ]
    (draft,) = mined(*runs)
    assert draft.title.startswith("Transplant ")
    assert draft.title.count("…") <= 2
    assert any(name in draft.title for name in names)


def test_a_procedure_that_says_nothing_is_no_skill() -> None:
    """One step that every agent takes anyway."""
    assert not mined(*(run(number, "rename the constant again", ["Edit"]) for number in range(5)))


def test_some_command_or_other_is_no_procedure() -> None:
    """Unless it is not known which: a host may tell names of tools only."""
    shown = [run(number, "what does the sky look like from the cellar", ["Bash"]) for number in range(5)]
    assert mined(*shown)
    echo = ToolUse(name=derived("Bash"), kind="shell", shape=derived("echo <text>"))
    assert not mined(*(msgspec.structs.replace(each, tools=(echo,)) for each in shown))


def test_no_runs_no_habits() -> None:
    """Nothing to do is no error."""
    assert mine([], now=NOW, window=WINDOW, support=3) == ()


@pytest.mark.parametrize(
    ("prompts", "title"),
    [
        (("rotate the signing keys. It is urgent, see above.", "Hello there! Rotate the signing keys, please."), "Rotate the signing keys"),
        (("# Rotate the signing keys\n\n```\nkeys: [a, b]\n```", "## Rotate the signing keys\nwith care"), "Rotate the signing keys"),
        (("rotate the signing keys of HX2DUB", "rotate the signing keys of HX2DUB now"), "Rotate the signing keys of …"),
        ((f"rotate the signing keys {'k' * 60}", f"please rotate the signing keys {'k' * 60}"), "Rotate the signing keys …"),
    ],
)
def test_a_title_is_one_sentence_without_codes_values_and_markup(prompts: tuple[str, str], title: str) -> None:
    """And no name of a skill comes from the code of one case."""
    (draft,) = mined(*(run(number, prompts[number % 2]) for number in range(4)))
    assert draft.title == title
    assert draft.name.startswith("rotate-signing-keys")
    assert "hx" not in draft.name


def test_examples_are_the_most_typical_and_told_apart() -> None:
    """Not whichever came first."""
    odd = run(20, "we had some trouble with the old vault, and Kim said that somebody should rotate its signing keys one day or another")
    runs = [run(number, f"rotate the signing keys of {name}") for number, name in enumerate(("alpha", "beta", "gamma", "delta", "eps"))]
    (draft,) = mined(odd, *runs)
    assert odd.prompt[:40] not in "".join(draft.examples)
    told = draft.description.partition("in words like ")[2]
    assert len(set(told.split('"; "'))) == 3


def test_a_forms_own_words_make_no_habit() -> None:
    """Comments of an issue template are nobody's words."""
    form = "<!-- If your issue is a usage question, submit it to the forum instead; read the contributing guide, then fill this in -->"
    asked = ("colours of the legend are wrong", "the axis cannot be inverted any more", "saving as vector graphics takes minutes")
    assert not mined(*(run(number, f"{each} {form}") for number, each in enumerate(asked)))


def test_a_prompt_with_more_words_than_are_looked_at_is_no_trouble() -> None:
    """Its headline may hold words that were never counted."""
    long = ", ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(90))
    (draft,) = mined(*(run(number, f"rotate the signing keys, {long}") for number in range(3)))
    assert draft.title.startswith("Rotate the signing keys")


def test_a_title_does_not_begin_with_what_is_filled_in_where_another_wording_reads_better() -> None:
    """Of wordings that are about as typical."""
    tools = ["mcp__docker__build", "mcp__docker__push"]
    prompts = (
        "alpha image for docker",
        "docker image for beta",
        "gamma image for docker",
        "docker image for delta",
        "eps image for docker",
    )
    (draft,) = mined(*(run(number, prompt, tools) for number, prompt in enumerate(prompts)))
    assert draft.title == "Docker image for …"
