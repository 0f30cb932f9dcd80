"""Atlas without a browser: signing in, forms, roles, and that another tenant's or project's visitor sees nothing on any page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from diarist.asgi.access import COOKIE
from diarist.bootstrap import open_memory
from diarist.serving import Hub
from diarist.web.render import highlight, markdown, shown
from diarist.web.site import local_address
from diarist.web.table import PAGES
from hubs import MARK, Asker, fill, make_key, open_hub

FORM = {"content-type": "application/x-www-form-urlencoded"}


def sign_in(hub: Hub, key: str) -> Asker:
    """A visitor with the cookie that signing in gave."""
    answer = Asker(hub)("POST", "/login", content=f"key={key}", headers=FORM)
    assert answer.status_code == 303
    return Asker(hub, headers={"cookie": f"{COOKIE}={answer.cookies[COOKIE]}"})


def token_of(ask: Asker, path: str = "/new") -> str:
    found = re.search(r'name="token" value="([0-9a-f]+)"', ask("GET", path).text)
    assert found is not None
    return found[1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def test_who_is_not_signed_in_is_sent_to_the_door_and_back(folder: Path) -> None:
    key = make_key(folder)
    with open_hub(folder) as hub:
        away = Asker(hub)("GET", "/review")
        assert (away.status_code, away.headers["location"]) == (303, "/login?next=/review")
        made = Asker(hub)("POST", "/login?next=/review", content=f"key={key}", headers=FORM)
        assert made.headers["location"] == "/review"
        cookie = made.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        assert key not in cookie
        wrong = Asker(hub)("POST", "/login", content="key=diarist_nonsense", headers=FORM)
        assert (wrong.status_code, "set-cookie" in wrong.headers) == (401, False)


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("/review?a=1", True),
        ("//evil.example", False),
        ("https://evil.example", False),
        ("/\\evil.example", False),
        ("", False),
        ("javascript:1", False),
    ],
)
def test_signing_in_leads_nowhere_else(address: str, safe: bool) -> None:
    assert local_address(address) == (address if safe else "/")


def test_a_cookie_ends_with_its_key_and_cannot_be_made_up(folder: Path) -> None:
    key, other = make_key(folder), make_key(folder, "other")
    with open_hub(folder) as hub:
        ask = sign_in(hub, key)
        assert ask("GET", "/keys").status_code == 200
        cookie = ask._headers["cookie"]
        for forged in (cookie[:-1] + ("0" if cookie[-1] != "0" else "1"), f"{COOKIE}=x.y", f"{COOKIE}=", "nonsense"):
            assert Asker(hub, headers={"cookie": forged})("GET", "/keys").status_code == 303
        [known] = [each["id"] for each in Asker(hub, other)("GET", "/v1/keys").json()["keys"] if each["name"] == "somebody"]
        Asker(hub, other)("DELETE", f"/v1/keys/{known}")
        assert ask("GET", "/keys").status_code == 303


def test_a_form_needs_the_token_of_its_own_visit(folder: Path) -> None:
    key, other = make_key(folder), make_key(folder, "other")
    with open_hub(folder) as hub:
        ask, stranger = sign_in(hub, key), sign_in(hub, other)
        body = "path=diaries/a.md&title=t&body=b&tags=&project="
        for token in ("", "0" * 64, token_of(stranger)):
            assert ask("POST", "/new", content=f"{body}&token={token}", headers=FORM).status_code == 403
        made = ask("POST", "/new", content=f"{body}&token={token_of(ask)}", headers=FORM)
        assert (made.status_code, made.headers["location"][:7]) == (303, "/kb/kh-")
        assert (
            ask("POST", "/new", content=f"{body}&token={token_of(ask)}", headers={**FORM, "origin": "https://evil.example"}).status_code
            == 403
        )


def test_without_keys_a_form_needs_a_token_all_the_same(folder: Path) -> None:
    with open_hub(folder) as hub:
        ask = Asker(hub)
        assert ask("POST", "/keys", content="name=x&role=admin", headers=FORM).status_code == 403
        made = ask("POST", "/keys", content=f"name=x&role=admin&project=&expires=&token={token_of(ask)}", headers=FORM)
        assert re.search(r"diarist_[0-9A-Za-z]{43}", made.text)
        assert ask("GET", "/").status_code == 303


@pytest.mark.parametrize("role", ["read", "write", "review", "admin"])
def test_each_role_reaches_exactly_the_pages_for_it(folder: Path, role: Any) -> None:
    order = ["read", "write", "review", "admin"]
    with open_hub(folder) as hub:
        key = make_key(folder, "one", role)
        ask = sign_in(hub, key)
        for page in PAGES:
            if page.method == "GET":
                answer = ask("GET", re.sub(r"\{\w+\}", "kh-aaaaaaaaaaaaaaaa", page.path))
                assert (answer.status_code == 403) is (order.index(role) < order.index(page.role)), page.path


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hub, dict[str, str], dict[str, Asker]]]:
    place = tmp_path_factory.mktemp("web")
    ids = fill(place)
    fill(place, "team-b", "okapi")
    keys = {
        "tenant": make_key(place, "b", "admin", tenant="team-b"),
        "project": make_key(place, "p", "admin", project="example.com/other"),
        "own": make_key(place, "o", "admin"),
    }
    with open_hub(place) as hub:
        yield hub, ids, {name: sign_in(hub, key) for name, key in keys.items()}


@pytest.mark.parametrize("who", ["tenant", "project"])
def test_another_tenants_or_projects_visitor_sees_nothing_on_any_page(filled: Any, who: str) -> None:
    _, ids, visitors = filled
    ask = visitors[who]
    for page in PAGES:
        if page.method != "GET":
            continue
        for wanted in ids.values() if "{" in page.path else [""]:
            path = page.path.replace("{number}", "0")
            answer = ask("GET", re.sub(r"\{\w+\}", wanted.replace("/", "%2F"), path))
            assert answer.status_code < 500, path
            assert MARK not in answer.text, (path, wanted)
            if "{id}" in path:
                assert answer.status_code in (403, 404), (path, wanted)
    assert MARK not in ask("GET", "/search", params={"q": f"the {MARK[:3]} settings"}).text
    own = visitors["own"]("GET", "/search", params={"q": MARK})
    assert own.text.count(f"<mark>{MARK}</mark>") >= 3


def test_writing_pages_touch_nothing_of_others(filled: Any) -> None:
    _, ids, visitors = filled
    ask = visitors["tenant"]
    token = token_of(ask)
    for path in (f"/kb/{ids['document']}/revert", f"/kb/{ids['note']}/edit", f"/kb/{ids['entry']}/erase", f"/kb/{ids['entry']}/feedback"):
        answer = ask("POST", path, content=f"token={token}&confirm={ids['entry']}&revision=1&verdict=helped&title=t&body=b", headers=FORM)
        assert answer.status_code == 404
    seen = visitors["own"]("GET", f"/review/{ids['review']}").text
    digest = re.search(r'name="seen" value="([0-9a-f]+)"', seen)
    assert digest is not None
    body = f"token={token}&verdict=accept&seen={digest[1]}"
    assert ask("POST", f"/review/{ids['review']}/decision", content=body, headers=FORM).status_code == 404


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("<script>alert(1)</script>", "<script"),
        ("[x](javascript:alert(1))", "href"),
        ("[x](JaVaScRiPt:alert(1))", "href"),
        ("[x](data:text/html,y)", "href"),
        ("![x](https://evil.example/p.png)", "<img"),
        ("<svg onload=x>", "<svg"),
        ('[x](https://a.example "t" onclick=y)', "<a"),
        ("| a |\n|---|\n| <b onmouseover=x>y</b> |", "<b"),
        ("\x1b[31mred", "\x1b"),
        ("a\u202eb", "\u202e"),
    ],
)
def test_markdown_can_do_nothing(text: str, never: str) -> None:
    assert never not in str(markdown(text))


def test_front_matter_is_not_shown_and_headings_stand_below_the_pages_own() -> None:
    assert str(markdown("---\nid: 1\n---\n# Title\n\n## Part\n")) == "<h2>Title</h2>\n<h3>Part</h3>\n"


def test_words_are_marked_without_opening_the_text() -> None:
    assert str(highlight("<b> the Login test", "login <b>")) == "&lt;b&gt; the <mark>Login</mark> test"


def test_what_a_template_prints_is_bounded_and_cannot_turn_the_page() -> None:
    told = shown("x" * 100_000)
    assert len(told) < 21_000
    assert "characters left out" in told
    assert "\u202e" not in shown("a\u202eb")


def test_the_home_page_follows_only_what_is_new(folder: Path) -> None:
    with open_hub(folder) as hub:
        ask = Asker(hub)
        ask("POST", "/v1/kb/edit", json={"path": "diaries/a.md", "title": "First", "body": "b"})
        found = re.search(r'hx-get="(/live\?change=\d+)"', ask("GET", "/").text)
        assert found is not None
        assert ask("GET", found[1]).status_code == 204
        ask("POST", "/v1/kb/edit", json={"path": "diaries/b.md", "title": "Second", "body": "b"})
        assert "Second" in ask("GET", found[1]).text


def test_workflows_are_listed_by_what_they_began_with(folder: Path) -> None:
    with open_memory(folder / "ws") as memory:
        for number, title in enumerate(("Plan the move", "Do the move")):
            told = {"workflow": "w-7", "title": title}
            at = datetime(2026, 3, 1 + number, tzinfo=UTC)
            memory.add_entry(task_id=f"T-{number}", transcript="$ make\nok", agent="a", project="p/q", host=told, created_at=at)
    with open_hub(folder) as hub:
        page = Asker(hub)("GET", "/trail").text
    assert ">Plan the move<" in page
    assert ">Do the move<" not in page
    assert "2 runs" in page


def test_a_person_who_is_lost_gets_a_page_and_a_program_a_problem(folder: Path) -> None:
    with open_hub(folder) as hub:
        assert Asker(hub)("GET", "/nothing", headers={"accept": "text/html"}).headers["content-type"].startswith("text/html")
        assert Asker(hub)("GET", "/v1/nothing", headers={"accept": "text/html"}).headers["content-type"] == "application/problem+json"


def test_what_was_erased_is_on_no_page_any_more(folder: Path) -> None:
    ids = fill(folder)
    with open_hub(folder) as hub:
        ask = Asker(hub)
        before = [ask("GET", path) for path in ("/", "/search?q=feed", "/map/points", f"/kb/{ids['note']}")]
        assert all("quagga rules" in each.text for each in before)
        refused = ask("POST", f"/kb/{ids['note']}/erase", content=f"confirm=nonsense&token={token_of(ask)}", headers=FORM)
        assert "That was not the id" in refused.text
        done = ask("POST", f"/kb/{ids['note']}/erase", content=f"confirm={ids['note']}&token={token_of(ask)}", headers=FORM)
        assert done.status_code == 303
        for path in ("/", "/search?q=feed", "/map/points", "/audit", f"/kb/{ids['note']}"):
            assert "quagga rules" not in ask("GET", path).text, path
