"""What only PostgreSQL can get wrong: roles, row-level security, partitions, lost connections, several nodes that migrate."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from diarist.errors import InvalidInputError, ReadOnlyError, SchemaTooNewError, StoreAwayError, StoreError
from diarist.model.record import Record, RecordFilter, SearchText
from diarist.stores import open_server, open_server_vault, open_store
from diarist.stores.postgres import CHANNEL, PostgresDatabase, describe
from diarist.stores.postgres_bulk import spell
from diarist.stores.postgres_schema import SCHEMA
from postgres_server import OWNER, Server

Put = Callable[..., Record]


def query(url: str, statement: str, tenant: str | None = None) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        if tenant is not None:
            connection.execute("SELECT set_config('diarist.tenant', %s, false)", (tenant,))
        done = connection.execute(statement)
        return done.fetchall() if done.description else []


@pytest.fixture
def url(postgres: Server) -> str:
    return postgres.make_database()


def test_a_query_without_a_filter_sees_one_tenant_only(url: str, put: Put) -> None:
    with closing(open_server(url, tenant="them")) as them, closing(open_server(url, tenant="us")) as us:
        put(them, 1)
        put(us, 2)
        tables = [str(name) for (name,) in query(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        for table in tables:
            if table != "diarist_schema":
                seen = {row[0] for row in query(url, f"SELECT tenant FROM {table}", "us")}
                assert seen <= {"us"}, table
                assert query(url, f"SELECT * FROM {table}") == [], f"{table} shows rows to a connection of no tenant"
        assert query(url, "SELECT id FROM records", "us") == [("kh-0000000000000002",)]


def test_no_row_can_be_written_for_another_tenant(url: str) -> None:
    with closing(open_server(url, tenant="us")):
        for statement in (
            "INSERT INTO tombstones VALUES ('them', 'value', 'ab', 0, 'x')",
            "UPDATE workspaces SET tenant = 'them'",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
                query(url, statement, "us")


def test_a_role_of_few_rights_can_work_and_cannot_change_the_schema(postgres: Server, url: str, put: Put) -> None:
    postgres.run("DO $$ BEGIN CREATE ROLE diarist_app LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$")
    theirs = url.replace(OWNER, "diarist_app")
    with pytest.raises(StoreError):
        open_server(theirs)
    open_server(url).close()
    with closing(open_server(theirs)) as store:
        put(store, 1)
        assert store.count_records(RecordFilter()) == 1
        assert store.check_history() == store.check_storage() == []
    for statement in ("DROP TABLE records", "DELETE FROM history", "UPDATE history SET actor = 'x'", "CREATE TABLE x (y int)"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            query(theirs, statement, "local")


def test_a_role_that_goes_round_row_security_is_told_of(postgres: Server, url: str) -> None:
    with closing(open_server(url.replace(OWNER, "postgres"))) as store:
        (line,) = store.check_storage()
        assert "row-level security" in line


def test_processes_that_open_a_new_database_at_once_agree(url: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda number: open_server(url, tenant=f"t{number % 2}"), range(6)))
    assert len({store.workspace_id() for store in stores}) == 2
    for store in stores:
        store.close()
    assert query(url, "SELECT version FROM diarist_schema ORDER BY 1") == [(number,) for number in range(1, SCHEMA + 1)]


def test_a_newer_schema_is_refused_even_under_an_open_store(url: str, put: Put) -> None:
    with closing(open_server(url)) as store:
        put(store, 1)
        query(url, f"INSERT INTO diarist_schema VALUES ({SCHEMA + 1})")
        with pytest.raises(SchemaTooNewError, match="Upgrade Diarist"):
            put(store, 2)
    with pytest.raises(SchemaTooNewError):
        open_server(url)
    with pytest.raises(SchemaTooNewError):
        open_server(url, read_only=True)


def test_another_programs_database_is_left_alone(url: str) -> None:
    query(url, "CREATE TABLE theirs (x int)")
    with pytest.raises(StoreError, match="another program"):
        open_server(url)
    assert query(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'") == [("theirs",)]


def test_reading_only_writes_nothing(url: str, put: Put) -> None:
    with pytest.raises(StoreError, match="schema 0"):
        open_server(url, read_only=True)
    with closing(open_server(url)) as store:
        record = put(store, 1)
    with closing(open_server(url, read_only=True)) as reader:
        assert reader.get_record(record.id) is not None
        with pytest.raises(ReadOnlyError):
            put(reader, 2)
    with closing(open_server_vault(url, read_only=True)) as vault, pytest.raises(ReadOnlyError):
        vault.put(b"x")


@pytest.mark.parametrize("url", ["postgresql://", "host=/nowhere dbname=x", "postgresql://[", "nonsense"])
def test_a_server_that_is_not_there_is_named(url: str) -> None:
    with pytest.raises(StoreError) as told:
        open_server(url)
    assert "DIARIST_DATABASE_URL" in str(told.value)


def test_messages_hold_no_password() -> None:
    told = describe("postgresql://role:open-sesame@db.example/diary?sslmode=require")
    assert told == "PostgreSQL database diary on db.example"


def test_a_connection_that_died_is_made_anew(url: str, put: Put) -> None:
    with closing(open_server(url)) as store:
        put(store, 1)
        end_all = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{OWNER}' AND pid <> pg_backend_pid()"
        query(url, end_all)
        assert store.count_records(RecordFilter()) == 1
        query(url, end_all)
        put(store, 2)
        assert store.count_records(RecordFilter()) == 2
        assert store.check_history() == []


def test_a_server_that_is_back_is_used_by_the_next_that_asks(postgres: Server, url: str) -> None:
    """However long it was away: pauses between tries to connect do not grow beyond what one waits for."""
    name = url.partition("@/")[2].partition("?")[0]
    with closing(PostgresDatabase(url, tenant="local", wait=0.5)) as database:
        postgres.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        for _ in range(8):
            with pytest.raises(StoreAwayError):
                database.fetch("SELECT 1", {})
        postgres.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        found: list[object] = []
        for _ in range(2):  # the first may come in the midst of a try
            with suppress(StoreAwayError):
                found += database.fetch("SELECT 1", {})
        assert found


def test_writers_take_turns_and_numbers_have_no_gaps(url: str, make_record: Put, make_search: Callable[..., SearchText]) -> None:
    noon = datetime(2026, 3, 4, 12, tzinfo=UTC)

    def write(node: int) -> None:
        with closing(open_server(url)) as store:
            for number in range(10):
                with store.transaction(actor=f"node{node}", at=noon) as transaction:
                    transaction.put_record(make_record(node * 100 + number), make_search())

    threads = [threading.Thread(target=write, args=(node,)) for node in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with closing(open_server(url)) as store:
        assert [change.seq for change in store.get_changes(0)] == list(range(1, 41))
        assert store.check_history() == []


def test_a_commit_tells_who_listens_whose_log_grew(url: str, put: Put) -> None:
    with closing(open_server(url, tenant="us")) as store, psycopg.connect(url, autocommit=True) as listener:
        listener.execute(f"LISTEN {CHANNEL}")
        put(store, 1)
        (told,) = listener.notifies(timeout=10, stop_after=1)
        assert told.payload == "us"


def test_a_month_has_a_partition_and_the_rest_finds_room(url: str, make_record: Put, make_search: Callable[..., SearchText]) -> None:
    with closing(open_server(url)) as store:
        (now,) = query(url, "SELECT now() AT TIME ZONE 'UTC'")[0]
        assert isinstance(now, datetime)
        for number, at in enumerate((now.replace(tzinfo=UTC), datetime(2001, 1, 1, tzinfo=UTC))):
            with store.transaction(actor="mate", at=at) as transaction:
                transaction.put_record(make_record(number), make_search())
        assert query(url, f"SELECT seq FROM history_{now:%Y_%m}", "local") == [(1,)]
        assert query(url, "SELECT seq FROM history_rest", "local") == [(2,)]
        assert [event.seq for event in store.get_history()] == [1, 2]


def test_a_month_of_which_the_rest_holds_rows_stays_there(url: str, put: Put) -> None:
    with closing(open_server(url)) as store:
        now = datetime.now(UTC)
        query(url, f"DROP TABLE history_{now:%Y_%m}")
        put(store, 1)
        query(url, f"UPDATE history SET at = {int(now.timestamp() * 1e6)}", "local")
    with closing(open_server(url)) as store:
        assert store.last_seq() == 1
        assert store.count_records(RecordFilter()) == 1


def test_both_databases_have_the_same_tables(url: str, tmp_path: Path) -> None:
    open_server(url).close()
    open_store(tmp_path).close()
    theirs: dict[str, set[str]] = {}
    for table, column in query(
        url, "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2"
    ):
        theirs.setdefault(str(table), set()).add(str(column))
    theirs = {name: columns for name, columns in theirs.items() if not name.startswith(("history_2", "history_rest", "diarist_schema"))}
    del theirs["chunks"]
    with closing(sqlite3.connect(tmp_path / "diarist.db")) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        ours = {name: {row[1] for row in connection.execute(f"PRAGMA table_info({name})")} for name in names}
    assert theirs == ours


def test_parameters_are_spelled_and_casts_are_not() -> None:
    assert spell("SELECT :a::jsonb, '50%' WHERE x = :b_c") == "SELECT %(a)s::jsonb, '50%%' WHERE x = %(b_c)s"
    assert spell("SELECT unnest(:a::bytea[]), unnest(:b::text[])") == "SELECT unnest(%(a)b::bytea[]), unnest(%(b)s::text[])"


def test_halves_of_characters_are_refused_and_nul_comes_back(url: str, put: Put) -> None:
    with closing(open_server(url)) as store:
        record = put(store, 1, title="a\0b", tags=("x\0y",))
        kept = store.get_record(record.id)
        assert kept is not None
        assert (kept.title, kept.tags) == ("a\0b", ("x\0y",))
        assert store.check_history() == []
        with pytest.raises(InvalidInputError, match="Unicode"):
            store.find_ids("\udcff")


def test_a_damaged_chunk_is_told_of(url: str) -> None:
    with closing(open_server_vault(url)) as vault:
        chunk = vault.put(b"mended sail")
        vault.flush()
        query(url, "UPDATE chunks SET packed = 'torn'", "local")
        with pytest.raises(StoreError, match="damaged"):
            vault.get(chunk)
        assert vault.put(b"mended sail") == chunk
        vault.flush()
        assert vault.get(chunk) == b"mended sail"


def test_a_store_is_not_used_after_it_was_closed(url: str) -> None:
    database = PostgresDatabase(url, tenant="local")
    database.close()
    with pytest.raises(RuntimeError, match="closed"):
        database.fetch("SELECT 1", {})


def test_a_process_shares_one_pool_and_the_last_one_closes_it(url: str, put: Put) -> None:
    first, second, vault = open_server(url), open_server(url), open_server_vault(url)
    put(first, 1)
    first.close()
    assert second.count_records(RecordFilter()) == 1
    chunk = vault.put(b"sail")
    vault.flush()
    second.close()
    with pytest.raises(RuntimeError, match="closed"):
        vault.get(chunk)
    with closing(open_server_vault(url)) as vault:
        assert vault.get(chunk) == b"sail"


def test_a_node_hears_of_what_another_wrote(url: str, put: Put) -> None:
    ear = PostgresDatabase(url, tenant="us")
    assert ear.listen(0) == set()
    with closing(open_server(url, tenant="us")) as us, closing(open_server(url, tenant="them")) as them:
        while ear.listen(0.5):  # that they were opened
            pass
        put(us, 1)
        assert ear.listen(10) == {"us"}
        put(them, 1)
        put(us, 2)
        assert ear.listen(10) | ear.listen(1) == {"us", "them"}
    ear.close()


def test_chunks_come_along_with_the_next_commit_and_stay_waiting_where_it_fails(url: str, put: Put) -> None:
    with closing(open_server(url)) as store:
        vault = open_server_vault(url)
        chunk = vault.put(b"mended sail")
        vault.flush()
        assert query(url, "SELECT id FROM chunks", "local") == []
        with pytest.raises(InvalidInputError):
            put(store, 1, title="\udcff")
        assert vault.get(chunk) == b"mended sail"
        assert query(url, "SELECT id FROM chunks", "local") == []
        put(store, 1)
        assert query(url, "SELECT id FROM chunks", "local") == [(chunk,)]
        assert vault.get(chunk) == b"mended sail"
        other = vault.put(b"torn sail")
        assert sorted(vault.ids()) == sorted([chunk, other])


BY_KEY = ["list_records_by_seq", "list_hits", "list_indexed", "list_payloads_by_seq", "list_ids_by_seq", "list_heads", "list_seqs_of"]


@pytest.mark.parametrize("name", BY_KEY)
def test_rows_are_looked_up_by_their_keys_from_the_first_large_write_on(
    url: str, name: str, make_record: Put, make_search: Callable[..., SearchText], noon: datetime
) -> None:
    with closing(open_server(url)) as store:
        with store.transaction(actor="mate", at=noon) as transaction:
            transaction.put_records([(make_record(number), make_search(number), "") for number in range(1, 501)])
        ids = json.dumps([make_record(number).id for number in range(1, 300)])
        parameters = {"tenant": "local", "seqs": json.dumps(list(range(1, 300))).replace(" ", ""), "ids": ids}
        lines = store._database.fetch("EXPLAIN ANALYZE " + store._queries[name], parameters)
    plan = "\n".join(line for (line,) in lines)
    assert "rows=299" in plan
    assert "Rows Removed" not in plan
