"""Atlas as routes: signs people in, checks forms, renders pages. Everything works without script."""

from __future__ import annotations

import hmac
import logging
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from diarist.asgi.access import COOKIE, SESSION_SECONDS, Doorkeeper
from diarist.asgi.bodies import SMALL_BYTES, may_be_large
from diarist.asgi.problems import TITLES, Problem, problem_of
from diarist.model.record import RecordFilter
from diarist.web.kept import Shelf
from diarist.web.page import Go, Page, Raw, Shown, Visit
from diarist.web.render import HERE, environment
from diarist.web.table import PAGES

if TYPE_CHECKING:
    from diarist.asgi.workroom import Workroom

log = logging.getLogger("diarist.http")
MAX_FIELDS = 100
PAGE_HEADERS = {"cache-control": "private, no-store"}


def routes(room: Workroom, door: Doorkeeper) -> list[BaseRoute]:
    """Every page, and the files they use."""
    shelf = Shelf()
    own: list[BaseRoute] = [_route(page, room, door, shelf) for page in PAGES]
    login = Route("/login", _login(room, door), methods=["GET", "POST"])
    return [*own, login, Mount("/static", StaticFiles(directory=HERE / "static"))]


def _route(page: Page, room: Workroom, door: Doorkeeper, shelf: Shelf) -> Route:
    async def endpoint(request: Request) -> Response:
        request.scope["diarist.route"] = page.path
        if page.method == "POST" and may_be_large(request.headers) and await room.run(lambda: door.by_cookie(cookie_of(request))) is None:
            return RedirectResponse("/login?next=/", 303)
        try:
            body = await request.body() if page.method == "POST" else b""
        except ClientDisconnect:
            return Response(status_code=400)
        return await room.run(lambda: _answer(page, room, door, shelf, request, body))

    return Route(page.path, endpoint, methods=[page.method])


def _answer(page: Page, room: Workroom, door: Doorkeeper, shelf: Shelf, request: Request, body: bytes) -> Response:
    session = door.by_cookie(cookie_of(request))
    if session is None:
        back = quote(request.url.path) if page.method == "GET" else "/"
        return RedirectResponse(f"/login?next={back}", 303)
    request.scope["diarist.key"], request.scope["diarist.tenant"] = session.caller.key_id, session.caller.tenant
    try:
        form = _form(request, body)
        visit = Visit(
            session.caller,
            room.memory(session.caller),
            room,
            door,
            session.token,
            request.path_params,
            dict(request.query_params),
            form,
            request.headers.get("hx-request") == "true",
            bool(session.caller.key_id),
            shelf,
        )
        _check(page, visit)
        made = page.handle(visit)
        if page.method == "POST":
            room.refresh(visit.memory, visit.caller, patient=True)
        return _sent(made, visit, request)
    except Exception as error:  # the page's outer edge: what went wrong is told as a page
        problem = problem_of(error)
        if problem.status == 500:
            log.exception("fault", extra={"told": {"error": type(error).__name__, "route": page.path}})
        return problem_page(problem)


def _check(page: Page, visit: Visit) -> None:
    if not visit.caller.may(page.role):
        raise Problem(403, f"this needs the role {page.role}; your key has {visit.caller.role}")
    if page.method == "POST" and not hmac.compare_digest(visit.form.get("token", ""), visit.token):
        raise Problem(403, "the form is out of date; go back, load the page again, and send it once more")


def _form(request: Request, body: bytes) -> dict[str, str]:
    if not body:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise Problem(415, "forms only")
    try:
        return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError as error:
        raise Problem(400, "that is no form") from error


def _sent(made: Shown | Go | Raw, visit: Visit, request: Request) -> Response:
    if isinstance(made, Go):
        response: Response = RedirectResponse(made.address, 303)
        if made.cookie is not None:
            _set_cookie(response, made.cookie, request)
        return response
    if isinstance(made, Raw):
        return Response(made.body, made.status, {**PAGE_HEADERS, **made.headers}, media_type=made.kind)
    return HTMLResponse(_page(made, visit, request), made.status, PAGE_HEADERS)


def _page(made: Shown, visit: Visit, request: Request) -> str:
    waiting = 0 if visit.lively else _waiting(visit)
    shared = {"visit": visit, "path": request.url.path, "waiting": waiting, "lively": visit.lively}
    return environment().get_template(made.template).render({**shared, **made.values})


def _waiting(visit: Visit) -> int:
    """How many proposals wait."""
    where = RecordFilter(kinds=("proposal",), outcome="pending")
    return visit.shelf.waiting.get(visit.scope, visit.memory.last_change(), lambda: visit.memory.count(where))


def problem_page(problem: Problem) -> Response:
    """What went wrong, for people."""
    values = {"title": TITLES.get(problem.status, "It did not work"), "detail": problem.detail, "status": problem.status}
    return HTMLResponse(environment().get_template("problem.html").render(values), problem.status, {**PAGE_HEADERS, **problem.headers})


def cookie_of(request: Request) -> str:
    """The value of our cookie; "" without one."""
    jar = SimpleCookie()
    try:
        jar.load(request.headers.get("cookie", ""))
    except CookieError:
        return ""
    return jar[COOKIE].value if COOKIE in jar else ""


def _set_cookie(response: Response, value: str, request: Request) -> None:
    secure = request.url.scheme == "https" or request.headers.get("x-forwarded-proto") == "https"
    if value:
        response.set_cookie(COOKIE, value, max_age=SESSION_SECONDS, httponly=True, samesite="strict", secure=secure, path="/")
    else:
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict", secure=secure)


def _login(room: Workroom, door: Doorkeeper) -> Any:
    """Sign in with a key. It needs no token: who does not know a key cannot make somebody sign in with one that matters."""

    def work(request: Request, body: bytes) -> Response:
        if not door.needs_key():
            return RedirectResponse("/", 303)
        wanted = local_address(request.query_params.get("next", "/"))
        wrong = False
        if request.method == "POST":
            secret = _form(request, body).get("key", "").strip()
            if secret and door.by_key(secret) is not None:
                response = RedirectResponse(wanted, 303)
                _set_cookie(response, door.make_cookie(secret), request)
                return response
            wrong = True
        text = environment().get_template("login.html").render(wrong=wrong, next=wanted)
        return HTMLResponse(text, 401 if wrong else 200, PAGE_HEADERS)

    async def endpoint(request: Request) -> Response:
        request.scope["diarist.route"] = "/login"
        if may_be_large(request.headers):
            raise Problem(413, f"a form to sign in with has {SMALL_BYTES:,} bytes at most, and says how many")
        try:
            body = await request.body() if request.method == "POST" else b""
        except ClientDisconnect:
            return Response(status_code=400)
        return await room.run(lambda: work(request, body))

    return endpoint


def local_address(address: str) -> str:
    """An address on this host, or "/": signing in leads nowhere else."""
    parts = urlsplit(address)
    fine = (
        address.startswith("/")
        and not address.startswith(("//", "/\\"))
        and not parts.netloc
        and not parts.scheme
        and address.isprintable()
    )
    return address if fine else "/"
