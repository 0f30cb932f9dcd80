"""Atlas in a real browser: every page, review by mouse and by keyboard, hostile content, accessibility, light and dark."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest

from diarist.app.documents import Edit
from diarist.bootstrap import open_memory
from diarist.web.table import PAGES
from hubs import fill

CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH (Debian: apt-get install chromium)")
AXE = Path(__file__).parent / "vendor" / "axe.min.js"
HOSTILE = [
    "<script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "<svg onload=\"document.title='owned'\"><a href=\"javascript:document.title='owned'\">x</a></svg>",
    "[click](javascript:document.title='owned') ![pixel](https://evil.example/pixel.png) [data](data:text/html,<script>1</script>)",
    "\x1b]0;owned\x07\x1b[31mred\x1b[0m \u202egnp.exe\u202c \u2066x\u2069",
    "{{ 7*7 }} {% raw %} ${7*7} <% 7*7 %>",
    '"><input autofocus onfocus="document.title=\'owned\'"><style>*{display:none}</style>',
    "x" * 1_000_000,
]


class Site(NamedTuple):
    """A server with something of each kind."""

    url: str
    ids: dict[str, str]
    hostile: dict[str, str]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("atlas")
    ids = fill(folder)
    hostile = fill_hostile(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environ = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "HOME", "XDG_CONFIG_HOME")}
    command = [sys.executable, "-m", "diarist", "--workspace", str(folder / "ws"), "serve", "--port", str(port), "--rate", "0"]
    server = subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                if httpx2.get(f"{url}/readyz").status_code == 200:
                    break
            except httpx2.TransportError:
                time.sleep(0.1)
        yield Site(url, ids, hostile)
    finally:
        server.terminate()
        server.wait(timeout=60)


def fill_hostile(folder: Path) -> dict[str, str]:
    """One text in every field that an outsider can write."""
    text = "\n".join(HOSTILE[:-1])
    with open_memory(folder / "ws") as memory:
        entry = memory.add_entry(
            task_id=f"hostile {HOSTILE[0]}",
            transcript=f"{text}\n$ pytest\nE   ModuleNotFoundError: No module named '{HOSTILE[0]}'\n1 failed\n{HOSTILE[-1]}",
            agent=HOSTILE[1],
            project=HOSTILE[2],
            host={"workflow": HOSTILE[5], "title": text},
        )
        note = memory.add_note(title=text[:390], body=f"{text}\n{HOSTILE[-1][:150_000]}", tags=HOSTILE[:6], project=HOSTILE[2])
        edit = memory.edit_document(
            Edit("guides/hostile.md", text[:390], text, HOSTILE[:6], HOSTILE[0], actor=HOSTILE[1], project=HOSTILE[2])
        )
        merged = memory.edit_document(Edit("diaries/agents/<b>/hostile.md", text[:390], text, HOSTILE[:6], project=HOSTILE[2]))
        assert edit.review_id is not None
        return {"entry": entry.id, "note": note.id, "review": edit.review_id, "document": merged.id}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class Watched:
    """A browser's page, and everything about it that must not happen."""

    def __init__(self, browser: Any, site: Site, **options: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.faults: list[str] = []
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("request", lambda request: self._asked(request.url, site.url))
        self.page.on("dialog", lambda dialog: self.faults.append("a dialog opened"))
        self.page.on("popup", lambda popup: self.faults.append("a window opened"))

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self.faults.append(f"console: {message.text}")

    def _asked(self, url: str, home: str) -> None:
        if not url.startswith((home, "data:", "blob:")):
            self.faults.append(f"asked {url[:200]}")

    def close(self) -> None:
        self.context.close()


@pytest.fixture
def watched(browser: Any, site: Site) -> Iterator[Watched]:
    made = Watched(browser, site)
    yield made
    made.close()
    assert made.faults == []


def addresses(site: Site) -> list[str]:
    """Every page there is, with ids that fit it."""
    found = []
    for page in PAGES:
        if page.method != "GET" or page.path in ("/map/points", "/live") or page.path.endswith(("/raw", "/{number}")):
            continue
        if page.path.startswith("/kb/{id}"):
            known = {"/edit": ("document",), "/transcript": ("session", "entry"), "/verify": ("session",)}
            names = next((names for end, names in known.items() if page.path.endswith(end)), ("session", "note", "document"))
            found += [page.path.replace("{id}", site.ids[name]) for name in names]
        elif page.path == "/review/{id}":
            found.append(f"/review/{site.ids['review']}")
        elif page.path == "/trail/{workflow}":
            found.append(f"/trail/{site.ids['workflow']}")
        elif "{" not in page.path:
            found.append(page.path)
    return [*found, "/search?q=quagga", "/search?q=nothingofthekind", f"/kb/{site.ids['session']}/transcript?step=3"]


def test_every_page_shows_without_a_fault_and_axe_finds_nothing_serious(watched: Watched, site: Site) -> None:
    page = watched.page
    wrong = []
    for address in addresses(site):
        answer = page.goto(site.url + address)
        assert answer is not None
        assert answer.status == 200, address
        assert page.locator("h1").count() == 1, address
        wrong += [f"{address}: {each}" for each in serious(page)]
    assert wrong == []


@pytest.mark.parametrize("options", [{"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 800}}], ids=["dark", "phone"])
def test_pages_are_as_good_in_the_dark_and_on_a_phone(browser: Any, site: Site, options: dict[str, Any]) -> None:
    view = options.pop("viewport", None)
    watched = Watched(browser, site, **options)
    if view:
        watched.page.set_viewport_size(view)
    wrong = []
    for address in (
        "/",
        "/search?q=quagga",
        f"/kb/{site.ids['session']}",
        f"/review/{site.ids['review']}",
        "/review",
        "/keys",
        "/projects",
    ):
        watched.page.goto(site.url + address)
        wrong += [f"{address}: {each}" for each in serious(watched.page)]
        if watched.page.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1"):
            wrong.append(f"{address}: wider than the screen")
    watched.close()
    assert wrong == []
    assert watched.faults == []


def serious(page: Any) -> list[str]:
    """What axe-core finds serious or critical. It is put in by the tool, beside the page's own policy."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{each['id']}: {each['nodes'][0]['html'][:160]}" for each in found["violations"] if each["impact"] in ("serious", "critical")]


def test_search_answers_as_one_types_and_is_a_link(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.url + "/search")
    page.keyboard.type("quagga rules")
    page.wait_for_selector("#results mark")
    assert re.search(r"[?&]q=quagga(\+|%20)rules", page.url)
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/kb/*")
    page.go_back()
    page.wait_for_selector("#results mark")
    page.get_by_role("link", name="note", exact=True).click()
    page.wait_for_url("**kind=note**")
    assert page.locator("#results .item").count() >= 1


def test_a_bullet_opens_its_quote_and_leads_into_the_transcript(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(f"{site.url}/kb/{site.ids['session']}")
    quote = page.locator("details.quote").first
    quote.locator("summary").click()
    quote.locator("blockquote").wait_for()
    quote.get_by_role("link").click()
    page.wait_for_url("**/transcript?step=*")
    assert page.locator(".step.told").count() == 1
    page.goto(f"{site.url}/kb/{site.ids['session']}")
    page.get_by_role("link", name="Verify").click()
    page.get_by_text("Verified.").wait_for()


def test_a_long_transcript_loads_on_as_it_is_read(browser: Any, site: Site) -> None:
    watched = Watched(browser, site)
    page = watched.page
    page.goto(f"{site.url}/kb/{site.hostile['entry']}/transcript")
    page.wait_for_load_state("networkidle")
    assert page.locator(".step").count() >= 3
    watched.close()
    assert watched.faults == []


def propose(site: Site, name: str) -> str:
    body = {"path": f"guides/{name}.md", "title": f"Guide {name}", "body": f"About {name}."}
    review: str = httpx2.post(f"{site.url}/v1/kb/edit", json=body).json()["review_id"]
    return review


def state_of(site: Site, review: str) -> str:
    state: str = httpx2.get(f"{site.url}/v1/reviews/{review}").json()["state"]
    return state


def test_review_by_mouse(watched: Watched, site: Site) -> None:
    page = watched.page
    first, second = propose(site, "mouse-one"), propose(site, "mouse-two")
    page.goto(f"{site.url}/review")
    page.get_by_role("link", name="Guide mouse-one").click()
    page.locator(".diff .add").first.wait_for()
    page.locator("#edit summary").click()
    page.locator("#edit textarea").fill("About mouse-one, in better words.")
    page.get_by_role("button", name="Save the words").click()
    page.get_by_text("in better words").first.wait_for()
    page.get_by_role("button", name="Accept").click()
    page.wait_for_url(lambda url: first not in url)
    assert state_of(site, first) == "accepted"
    page.goto(f"{site.url}/review/{second}")
    watched.faults.clear()
    page.get_by_role("button", name="Reject").click()
    page.get_by_text("Say why").wait_for()
    watched.faults.clear()  # a form that was refused is a 422, which the browser tells in its console
    page.get_by_label("Why").fill("not true")
    page.get_by_role("button", name="Reject").click()
    page.wait_for_url(lambda url: second not in url)
    assert state_of(site, second) == "rejected"
    page.goto(f"{site.url}/review/{second}")
    page.get_by_role("button", name="Take the decision back").click()
    page.get_by_role("button", name="Accept").wait_for()
    assert state_of(site, second) == "pending"


def test_review_by_keyboard(watched: Watched, site: Site) -> None:
    page = watched.page
    first, second = propose(site, "key-one"), propose(site, "key-two")
    page.goto(f"{site.url}/review")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/review/kh-*")
    assert second in page.url
    page.keyboard.press("e")
    page.keyboard.press("End")
    page.keyboard.type(", edited")
    page.keyboard.press("Enter")
    page.locator("h1", has_text="Guide key-two, edited").wait_for()
    page.keyboard.press("a")
    page.wait_for_url(lambda url: second not in url)
    assert state_of(site, second) == "accepted"
    page.goto(f"{site.url}/review/{first}")
    page.keyboard.press("r")
    page.keyboard.type("not needed")
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.wait_for_url(lambda url: first not in url)
    assert state_of(site, first) == "rejected"


def test_a_document_is_edited_and_an_edit_on_an_old_text_is_not_lost(watched: Watched, site: Site) -> None:
    page = watched.page
    body = {"path": "diaries/edit.md", "title": "To edit", "body": "First."}
    known = httpx2.post(f"{site.url}/v1/kb/edit", json=body).json()["id"]
    page.goto(f"{site.url}/kb/{known}/edit")
    httpx2.post(f"{site.url}/v1/kb/edit", json={**body, "body": "Meanwhile."})
    page.locator("textarea").fill("Mine.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Somebody changed it meanwhile").wait_for()
    watched.faults.clear()  # the browser tells the 409 in its console
    assert page.locator("textarea").input_value() == "Mine."
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Mine.").wait_for()
    page.get_by_role("link", name="History").click()
    page.get_by_role("button", name="Bring this text back").last.click()
    page.get_by_text("First.").wait_for()


def test_hostile_content_is_inert_wherever_it_is_shown(watched: Watched, site: Site) -> None:
    page = watched.page
    own = ("/kb/{entry}", "/kb/{note}", "/kb/{document}", "/kb/{note}/edit", "/kb/{note}/history", "/review/{review}")
    for path in (*own, "/kb/{entry}/transcript", "/", "/review", "/search?q=script", "/projects", "/audit", "/trail", "/map"):
        page.goto(site.url + path.format(**site.hostile))
        assert page.title() != "owned"
        inert = page.evaluate(
            """() => [...document.querySelectorAll("main script:not([src]), main img, main style, main iframe, main object, [onload], "
               + "[onerror], [onfocus], a[href^='javascript:' i], a[href^='data:' i]")].map((each) => each.outerHTML)"""
        )
        assert inert == [], path
        text = page.locator("main").inner_text()
        assert not re.search("[\x00-\x08\x1b\u202a-\u202e\u2066-\u2069]", text), path
        assert len(text) < 700_000
        assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1"), path


def test_the_map_draws_its_points_and_a_lasso_lists_them(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(f"{site.url}/map")
    page.wait_for_selector("#map[data-ready]")
    assert int(page.get_attribute("#map", "data-ready") or 0) >= 6
    box = page.locator("#points").bounding_box()
    assert box is not None
    page.keyboard.down("Shift")
    corners = [(0.02, 0.02), (0.98, 0.02), (0.98, 0.98), (0.02, 0.98)]
    page.mouse.move(box["x"] + box["width"] * 0.02, box["y"] + box["height"] * 0.02)
    page.mouse.down()
    for x, y in corners[1:]:
        page.mouse.move(box["x"] + box["width"] * x, box["y"] + box["height"] * y, steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    page.locator("#chosen li").first.wait_for()
    page.select_option("#colour", "agent")
    page.select_option("#kind", "note")
    page.locator("#points").focus()
    page.keyboard.press("+")


def test_everything_works_without_script(browser: Any, site: Site) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    review = propose(site, "no-script")
    page.goto(f"{site.url}/search")
    page.locator("main input[type=search]").fill("quagga")
    page.locator("main").get_by_role("button", name="Search").click()
    page.locator("#results .item a").first.click()
    page.goto(f"{site.url}/review/{review}")
    page.get_by_role("button", name="Accept").click()
    context.close()
    assert state_of(site, review) == "accepted"
