"""The hub over HTTP: the edit contract, search, history, review, uploads, and what a request may be."""

from __future__ import annotations

import gzip
import hashlib
import json
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

import residue
from builders import ClaudeSession
from diarist.asgi.guard import Limits, Rates
from diarist.bootstrap import open_memory
from diarist.model.access import Answer
from diarist.serving import Options
from hubs import ADDRESS, FREE, Asker, make_key, open_hub

DIARY = "diaries/agents/codex/2026-03-15-fix.md"
ERROR = "ModuleNotFoundError: No module named 'tomlkit'"


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Asker]:
    with open_hub(tmp_path) as hub:
        yield Asker(hub)


def edit(ask: Asker, path: str = DIARY, *, headers: dict[str, str] | None = None, **more: Any) -> Any:
    body = {"path": path, "title": "Repair the parcel build", "body": "# Repair\n\nAdded the tomlkit dependency.", "actor": "codex", **more}
    return ask("POST", "/v1/kb/edit", json=body, headers=headers or {})


# --- the edit contract ----------------------------------------------------------------------------------------------------


def test_a_diary_lands_at_once_and_the_next_search_finds_it(ask: Asker) -> None:
    made = edit(ask, tags=["outcome:recovered", "task:t-9"], source_type="diary")
    assert made.status_code == 200
    assert made.json() == {"id": made.json()["id"], "path": DIARY, "revision": 1, "status": "merged", "review_id": None}
    [found] = ask("GET", "/v1/kb/search", params={"q": "tomlkit dependency"}).json()["results"]
    assert found["id"] == made.json()["id"]
    assert (found["outcome"], found["task_id"], found["agent"], found["scope"]) == (
        "recovered",
        "t-9",
        "codex",
        "(no project)/diaries/agents/codex",
    )
    assert found["url"] == f"{ADDRESS}/kb/{found['id']}"


def test_any_other_edit_waits_with_a_diff_and_nothing_is_found_before_it_is_accepted(ask: Asker) -> None:
    made = edit(ask, "guides/parcel.md").json()
    assert (made["status"], made["revision"]) == ("pending_review", 0)
    assert ask("GET", "/v1/kb/search", params={"q": "tomlkit"}).json()["results"] == []
    assert ask("GET", f"/v1/kb/docs/{made['id']}").status_code == 404
    [listed] = ask("GET", "/v1/reviews").json()["reviews"]
    review = ask("GET", f"/v1/reviews/{listed['id']}").json()
    assert "+Added the tomlkit dependency." in review["diff"].splitlines()
    decided = ask("POST", f"/v1/reviews/{review['id']}/decision", json={"verdict": "accept", "seen": review["digest"], "why": "right"})
    assert decided.json() == {"id": review["id"], "state": "accepted"}
    [found] = ask("GET", "/v1/kb/search", params={"q": "tomlkit"}).json()["results"]
    assert found["id"] == made["id"]
    assert ask("GET", f"/v1/kb/docs/{made['id']}").json()["path"] == "guides/parcel.md"


def test_a_decision_on_what_reads_differently_by_now_is_refused(ask: Asker) -> None:
    made = edit(ask, "guides/parcel.md").json()
    seen = ask("GET", f"/v1/reviews/{made['review_id']}").json()["digest"]
    assert ask("PATCH", f"/v1/reviews/{made['review_id']}", json={"title": "Other words"}).json()["title"] == "Other words"
    refused = ask("POST", f"/v1/reviews/{made['review_id']}/decision", json={"verdict": "accept", "seen": seen})
    assert refused.status_code == 409
    assert "has changed since" in refused.json()["detail"]


def test_a_stale_base_revision_gets_both_versions(ask: Asker) -> None:
    edit(ask)
    edit(ask, body="A newer text.", base_revision=1)
    stale = edit(ask, body="Mine.", base_revision=1)
    assert stale.status_code == 409
    assert stale.headers["content-type"] == "application/problem+json"
    told = stale.json()
    assert (told["current"]["revision"], told["current"]["body"], told["yours"]["body"]) == (2, "A newer text.", "Mine.")
    assert edit(ask, "guides/new.md", base_revision=3).status_code == 409


def test_base_revision_0_means_a_new_document(ask: Asker) -> None:
    assert edit(ask, base_revision=0).json()["revision"] == 1
    assert edit(ask, base_revision=0, body="Again.").status_code == 409


def test_the_etag_of_a_document_serves_as_a_condition(ask: Asker) -> None:
    known = edit(ask).json()["id"]
    etag = ask("GET", f"/v1/kb/docs/{known}").headers["etag"]
    assert ask("GET", f"/v1/kb/docs/{known}", headers={"if-none-match": etag}).status_code == 304
    assert edit(ask, body="A newer text.", headers={"if-match": etag}).json()["revision"] == 2
    assert edit(ask, body="Mine.", headers={"if-match": etag}).status_code == 409
    assert ask("GET", f"/v1/kb/docs/{known}", headers={"if-none-match": etag}).status_code == 200


def test_a_secret_in_an_idempotency_key_is_not_kept(tmp_path: Path) -> None:
    """Clients make keys of what they have at hand. Keys that are masked alike stay different keys, for requests and for edits that wait."""
    first, second = (f"ghp_{secrets.token_hex(18)}" for _ in range(2))
    with open_hub(tmp_path) as hub:
        ask = Asker(hub)
        made = [edit(ask, "guides/parcel.md", headers={"idempotency-key": key}, body=f"For {n}.") for n, key in enumerate((first, second))]
        assert len({answer.json()["review_id"] for answer in made}) == 2
        again = edit(ask, "guides/parcel.md", headers={"idempotency-key": first}, body="For 0.")
        assert (again.json(), again.headers["idempotent-replayed"]) == (made[0].json(), "true")
        assert edit(ask, "guides/parcel.md", headers={"idempotency-key": first}, body="For 2.").status_code == 422
    assert residue.find(tmp_path, [first, second]) == []


def test_a_request_is_called_as_its_client_calls_it_unless_that_is_a_secret(ask: Asker) -> None:
    """The name goes into the log."""
    secret = f"AKIA{''.join(secrets.choice('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567') for _ in range(16))}"
    for name, kept in (("7f3c-0001", True), (secret, False), ("a b", False)):
        assert (ask("GET", "/v1/kb/scopes", headers={"x-request-id": name}).headers["x-request-id"] == name) is kept


def test_an_answer_that_an_earlier_version_kept_is_given_again(tmp_path: Path) -> None:
    """They were kept with a plain digest of the request."""
    body = json.dumps({"task_id": "T-1", "transcript": "User: mend it"}).encode()
    with open_memory(tmp_path / "ws") as memory:
        plain = hashlib.sha256(b"POST /v1/entries\0" + body).hexdigest()
        memory.keep_answer("owner", "k-1", Answer(plain, 200, b'{"kept": true}', memory.now()), forget_before=memory.now())
    with open_hub(tmp_path) as hub:
        headers = {"idempotency-key": "k-1", "content-type": "application/json"}
        assert Asker(hub)("POST", "/v1/entries", content=body, headers=headers).json() == {"kept": True}


@pytest.mark.parametrize("where", ["header", "body"])
def test_the_same_key_again_is_answered_as_before_and_nothing_is_done_twice(ask: Asker, where: str) -> None:
    key = {"headers": {"idempotency-key": "k-1"}} if where == "header" else {"idempotency_key": "k-1"}
    first = edit(ask, **key)
    edit(ask, body="Written since by somebody else.")
    again = edit(ask, **key)
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
    assert ask("GET", f"/v1/kb/docs/{first.json()['id']}").json()["body"] == "Written since by somebody else."
    other = edit(ask, body="Another request under the same key.", **key)
    assert other.status_code == 422


@pytest.mark.parametrize(
    "path",
    [
        "diaries/../guides/x.md",
        "/etc/passwd",
        "diaries//x.md",
        "diaries\\x.md",
        "diaries/./x.md",
        "diaries/ /x.md",
        "a\x00b",
        "",
        "x" * 500,
    ],
)
def test_a_path_that_could_mean_another_place_is_refused(ask: Asker, path: str) -> None:
    refused = edit(ask, path)
    assert refused.status_code == 422
    assert ask("GET", "/v1/reviews").json()["reviews"] == []


def test_a_folder_that_only_begins_like_an_auto_merge_prefix_is_none(ask: Asker) -> None:
    assert edit(ask, "diaries-old/x.md").json()["status"] == "pending_review"
    assert edit(ask, "Diaries/x.md").json()["status"] == "pending_review"


def test_auto_merge_prefixes_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_AUTO_MERGE_PREFIXES", "notes/, runbooks")
    with open_hub(tmp_path) as hub:
        ask = Asker(hub)
        states = [edit(ask, path).json()["status"] for path in ("notes/a.md", "runbooks/b.md", DIARY)]
    assert states == ["merged", "merged", "pending_review"]


def test_secrets_are_masked_before_anything_is_kept(ask: Asker, tmp_path: Path) -> None:
    secret = "ghp_" + "".join("aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hL3nR6"[:36])
    made = edit(ask, body=f"export GITHUB_TOKEN={secret}", tags=[secret]).json()
    assert secret not in ask("GET", f"/v1/kb/docs/{made['id']}").text
    assert not [path for path in (tmp_path / "ws").rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def test_a_text_comes_back_by_revert_and_history_keeps_all(ask: Asker) -> None:
    known = edit(ask).json()["id"]
    edit(ask, body="Worse.", title="Worse")
    made = ask("POST", f"/v1/kb/docs/{known}/revert", json={"revision": 1}).json()
    assert (made["revision"], made["status"]) == (3, "merged")
    changes = ask("GET", f"/v1/kb/docs/{known}/history").json()["changes"]
    assert [(each["revision"], each["title"]) for each in changes] == [
        (1, "Repair the parcel build"),
        (2, "Worse"),
        (3, "Repair the parcel build"),
    ]
    assert ask("POST", f"/v1/kb/docs/{known}/revert", json={"revision": 9}).status_code == 404


def test_a_diary_document_is_found_by_the_error_it_tells_of(ask: Asker) -> None:
    edit(ask, body=f"# Repair\n\n## Error encountered\n\n{ERROR}\n\n## What was learned\n\nDeclare it.", tags=["outcome:recovered"])
    [found] = ask("GET", "/v1/kb/search", params={"q": ERROR}).json()["results"]
    assert found["outcome"] == "recovered"


# --- reading --------------------------------------------------------------------------------------------------------------


def test_lists_are_paged_and_a_record_that_is_written_meanwhile_moves_nothing(ask: Asker) -> None:
    ids = [edit(ask, f"diaries/n/{number}.md").json()["id"] for number in range(5)]
    first = ask("GET", "/v1/records", params={"limit": 2}).json()
    edit(ask, "diaries/n/late.md")
    second = ask("GET", "/v1/records", params={"limit": 2, "cursor": first["next_cursor"]}).json()
    third = ask("GET", "/v1/records", params={"limit": 2, "cursor": second["next_cursor"]}).json()
    seen = [item["id"] for part in (first, second, third) for item in part["items"]]
    assert seen == ids[::-1]
    assert third["next_cursor"] is None
    assert ask("GET", "/v1/records", params={"cursor": "nonsense"}).status_code == 422


def test_search_pages_do_not_overlap(ask: Asker) -> None:
    for number in range(5):
        edit(ask, f"diaries/n/{number}.md", body=f"tomlkit case {number}")
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        part: dict[str, Any] = ask("POST", "/v1/kb/search", json={"query": "tomlkit", "top_k": 2, "cursor": cursor}).json()
        seen += [each["id"] for each in part["results"]]
        cursor = part["next_cursor"]
    assert len(seen) == len(set(seen)) == 5


def test_a_run_that_a_host_hands_in_has_a_trail_and_a_transcript(ask: Asker) -> None:
    run = {"task_id": "t-1", "transcript": "please repair it\n$ pytest\n1 failed", "project": "example.com/a", "host": {"workflow": "w-1"}}
    made = ask("POST", "/v1/entries", json=run)
    assert made.status_code == 201
    known = made.json()["id"]
    assert [item["id"] for item in ask("GET", "/v1/trails/w-1").json()["items"]] == [known]
    assert ask("GET", f"/v1/entries/{known}").json()["task_id"] == "t-1"
    assert ask("GET", f"/v1/entries/{known}/verify").json()["ok"] is True
    told = ask("GET", f"/v1/entries/{known}/transcript", params={"offset": 1, "limit": 1}).json()
    assert (told["total_lines"], told["lines"]) == (3, ["$ pytest"])
    assert ask("POST", "/v1/feedback", json={"id": known, "verdict": "helped"}).json() == {"id": known, "verdict": "helped"}
    assert ask("GET", "/v1/stats").json()["entries"] == 1
    assert ask("GET", f"/v1/kb/nodes/{known}").json()["neighbours"] == []


@pytest.mark.parametrize("packing", ["", "gzip", "zstd"])
def test_a_transcript_is_uploaded_as_it_is(ask: Asker, tmp_path: Path, packing: str) -> None:
    session = ClaudeSession(3, cwd=str(tmp_path)).prompt("Read the settings").bash("python -m pytest -q", f"E   {ERROR}\n1 failed", 1)
    session.edit("pyproject.toml", "[]", '["tomlkit"]').bash("python -m pytest -q", "3 passed").reply("It was missing.")
    data = session.write(tmp_path / "t").read_bytes()
    body = {"": data, "gzip": gzip.compress(data), "zstd": zstandard.ZstdCompressor().compress(data)}[packing]
    headers = {"content-type": "application/octet-stream", **({"content-encoding": packing} if packing else {})}
    made = ask("POST", "/v1/transcripts", content=body, headers=headers)
    assert made.status_code == 200, made.text
    [known] = made.json()["ids"]
    assert ask("GET", f"/v1/entries/{known}").json()["verified"] is True
    fixes = ask("POST", "/v1/fixes", json={"error": ERROR}).json()["fixes"]
    assert [fix["id"] for fix in fixes] == [known]
    assert ask("POST", "/v1/transcripts", content=body, headers=headers).json()["created"] == 0


@pytest.mark.parametrize("content", [b"", b"\x00\x01\x02 nothing known"])
def test_an_upload_that_is_no_transcript_is_refused(ask: Asker, content: bytes) -> None:
    made = ask("POST", "/v1/transcripts", content=content)
    assert made.status_code == 422
    assert made.json()["detail"]


# --- what a request may be ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"{", 400),
        (b"[]", 422),
        (b'{"path": 1}', 422),
        (b'{"path":"a","title":"t","body":"b","other":1}', 422),
        (b'"\\ud800"', 400),
        (b"", 400),
    ],
)
def test_bad_bodies_are_told_apart(ask: Asker, content: bytes, status: int) -> None:
    answer = ask("POST", "/v1/kb/edit", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert answer.json()["status"] == status


def test_a_form_of_another_page_is_not_taken_for_json(ask: Asker) -> None:
    body = json.dumps({"path": DIARY, "title": "t", "body": "b"})
    assert ask("POST", "/v1/kb/edit", content=body, headers={"content-type": "text/plain"}).status_code == 415


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"host": "localhost:1", "origin": "http://localhost:1"}, 200),
        ({"host": "[::1]:7788"}, 200),
    ],
)
def test_host_and_origin_are_checked(ask: Asker, headers: dict[str, str], status: int) -> None:
    assert edit(ask, headers=headers).status_code == status


def test_every_answer_carries_the_headers_that_keep_a_browser_safe(ask: Asker) -> None:
    for path in ("/healthz", "/nothing", "/v1/stats"):
        headers = ask("GET", path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert len(headers["x-request-id"]) == 16


def test_a_body_that_is_too_large_is_refused_packed_or_not(tmp_path: Path) -> None:
    with open_hub(tmp_path, Options(limits=Limits(body_bytes=10_000, stream_bytes=20_000, per_minute=0))) as hub:
        ask = Asker(hub)
        large = json.dumps({"path": DIARY, "title": "t", "body": "x" * 50_000}).encode()
        kind = {"content-type": "application/json"}
        assert ask("POST", "/v1/kb/edit", content=large, headers=kind).status_code == 413
        for packing, data in (("gzip", gzip.compress(large)), ("zstd", zstandard.ZstdCompressor().compress(large))):
            assert ask("POST", "/v1/kb/edit", content=data, headers={**kind, "content-encoding": packing}).status_code == 413
        assert ask("POST", "/v1/transcripts", content=b"x" * 30_000).status_code == 413
        assert ask("POST", "/v1/kb/edit", content=b"zzz", headers={**kind, "content-encoding": "gzip"}).status_code == 400
        assert ask("POST", "/v1/kb/edit", content=b"zzz", headers={**kind, "content-encoding": "br"}).status_code == 415


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_a_long_answer_is_packed_for_those_who_can_unpack_it(ask: Asker, packing: str) -> None:
    answer = ask("GET", "/v1/openapi.json", headers={"accept-encoding": packing})
    assert answer.headers["content-encoding"] == packing
    body = answer.content
    if body.startswith(zstandard.FRAME_HEADER):  # which this client unpacks on Python 3.14 only
        body = zstandard.ZstdDecompressor().decompress(body)
    assert json.loads(body)["openapi"] == "3.1.0"
    assert "content-encoding" not in ask("GET", "/v1/openapi.json", headers={"accept-encoding": "identity"}).headers


def test_who_asks_too_often_has_to_wait(tmp_path: Path) -> None:
    with open_hub(tmp_path, Options(limits=FREE._replace(per_minute=60, burst=3))) as hub:
        statuses = [Asker(hub)("GET", "/healthz") for _ in range(5)]
    assert [answer.status_code for answer in statuses] == [200, 200, 200, 429, 429]
    assert int(statuses[-1].headers["retry-after"]) >= 1


def test_a_bucket_fills_up_again() -> None:
    now = [0.0]
    rates = Rates(60, 2, lambda: now[0])
    assert [rates.take("a") for _ in range(3)] == [0.0, 0.0, 1.0]
    assert rates.take("b") == 0.0
    now[0] = 1.5
    assert [rates.take("a") > 0 for _ in range(2)] == [False, True]


def test_what_is_not_there_and_what_cannot_be_done_are_told_apart(ask: Asker) -> None:
    assert ask("GET", "/v1/nothing").status_code == 404
    wrong = ask("DELETE", "/v1/kb/edit")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")
    assert ask("GET", "/v1/kb/docs/kh-aaaaaaaaaaaaaaaa").json()["title"] == "Nothing is there"


def test_metrics_count_by_route_and_never_by_id(ask: Asker) -> None:
    known = edit(ask).json()["id"]
    ask("GET", f"/v1/kb/docs/{known}")
    text = ask("GET", "/metrics").text
    assert 'diarist_requests_total{method="GET",route="/v1/kb/docs/{id}",status="200"} 1' in text
    assert known not in text
    assert "diarist_index_behind 0" in text


def test_the_hub_says_whether_it_is_well(ask: Asker) -> None:
    assert ask("GET", "/healthz").json()["status"] == "ok"
    assert ask("GET", "/readyz").json() == {"status": "ready"}


def test_documents_are_files_and_commits_of_the_hub_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess

    folder = tmp_path / "hub"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (tmp_path / "config" / "diarist").mkdir(parents=True)
    (tmp_path / "config" / "diarist" / "config.toml").write_text(f'hub.folder = "{folder.as_posix()}"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with open_hub(tmp_path) as hub:
        edit(Asker(hub))
        edit(Asker(hub), body="Second.", actor="gemini <x>")
        made = edit(Asker(hub), "guides/a.md", body="Reviewed.").json()["review_id"]
        assert not (folder / "guides").exists()
        seen = Asker(hub)("GET", f"/v1/reviews/{made}").json()["digest"]
        Asker(hub)("POST", f"/v1/reviews/{made}/decision", json={"verdict": "accept", "seen": seen})
    assert (folder / "guides" / "a.md").read_text() == "Reviewed.\n"
    assert (folder / DIARY).read_text() == "Second.\n"
    log = subprocess.run(["git", "-C", str(folder), "log", "--format=%an|%s"], check=True, capture_output=True, text=True).stdout
    assert log.splitlines()[1:] == [f"gemini x|{DIARY}: revision 2", f"codex|{DIARY}: revision 1"]


def test_who_writes_stands_in_the_audit_trail(tmp_path: Path) -> None:
    writer, admin = make_key(tmp_path, "ci", "write"), make_key(tmp_path, "boss", "admin")
    with open_hub(tmp_path) as hub:
        edit(Asker(hub, writer))
        Asker(hub, admin)("POST", "/v1/notes", json={"title": "Rules", "body": "Be kind."})
        Asker(hub, writer)("POST", "/v1/entries", json={"task_id": "t", "transcript": "please look\n$ make\nok"})
        events = Asker(hub, admin)("GET", "/v1/audit").json()["events"]
    told = [(event["action"], event["actor"]) for event in events]
    assert told[:2] == [("merge", "ci for codex"), ("create", "boss")]
    assert {actor for _, actor in told[2:]} == {"ci"}


def test_traces_are_made_only_where_they_are_asked_for() -> None:
    from diarist.asgi.tracing import make_trace, span_maker

    assert make_trace({}) is None
    assert make_trace({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"}) is None
    told: list[Any] = []

    class Span:
        def end(self, end_time: int) -> None:
            told.append(end_time)

    class Tracer:
        def start_span(self, name: str, start_time: int, attributes: dict[str, Any]) -> Span:
            told.extend([name, start_time, attributes])
            return Span()

    span_maker(Tracer())("GET", "/v1/kb/docs/{id}", 200, 0.5)
    assert told[0] == "GET /v1/kb/docs/{id}"
    assert told[2] == {"http.request.method": "GET", "http.route": "/v1/kb/docs/{id}", "http.response.status_code": 200}
    assert told[3] - told[1] == 500_000_000


def test_whoever_writes_finds_it_at_once_also_when_many_write_at_once(ask: Asker) -> None:
    missed: list[str] = []

    def work(number: int) -> None:
        for turn in range(4):
            word = f"wombat{number}x{turn}"
            known = edit(ask, f"diaries/{number}/{turn}.md", title=word, body=f"About {word}.").json()["id"]
            found = ask("GET", "/v1/kb/search", params={"q": word}).json()["results"]
            if known not in [each["id"] for each in found]:
                missed.append(word)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert missed == []


def test_facts_are_stored_recalled_and_forgotten(ask: Asker) -> None:
    made = ask("POST", "/v1/memory/items", json={"namespace": "team/rules", "key": "deploy", "value": {"day": "Tuesday"}, "tags": ["ops"]})
    assert made.status_code == 201
    [fact] = ask("GET", "/v1/memory/items", params={"namespace": "team/rules"}).json()["facts"]
    assert (fact["id"], fact["value"]) == (made.json()["id"], {"day": "Tuesday"})
    [hit] = ask("POST", "/v1/memory/recall", json={"namespace": "team/rules", "query": "deploy day"}).json()["hits"]
    assert hit["fact"]["key"] == "deploy"
    assert ask("POST", "/v1/memory/forget", json={"namespace": "team/rules"}).status_code == 422
    assert ask("POST", "/v1/memory/forget", json={"namespace": "team/rules", "tag": "ops"}).json()["ids"] == [fact["id"]]
    assert ask("GET", "/v1/memory/items", params={"namespace": "team/rules"}).json()["facts"] == []


def test_a_correction_marks_what_was_wrong_and_an_erasure_takes_it_out(ask: Asker) -> None:
    known = ask("POST", "/v1/notes", json={"title": "Port of the parcel service", "body": "It listens on 8080."}).json()["id"]
    made = ask("POST", "/v1/corrections", json={"id": known, "shape": "replaced", "text": "It listens on 9090.", "why": "moved"})
    assert made.status_code == 201, made.text
    assert made.json()["target"] == known
    assert [each["kind"] for each in ask("POST", "/v1/erasures", json={"ids": [known]}).json()["reached"]][:1] == ["note"]
    assert ask("GET", f"/v1/kb/docs/{known}").status_code in (200, 404)
    done = ask("POST", "/v1/erasures", json={"ids": [known], "dry_run": False}).json()
    assert known in [each["id"] for each in done["reached"]]
    assert ask("GET", f"/v1/kb/docs/{known}").status_code == 404
    assert known not in [each["id"] for each in ask("GET", "/v1/kb/search", params={"q": "parcel 8080"}).json()["results"]]
