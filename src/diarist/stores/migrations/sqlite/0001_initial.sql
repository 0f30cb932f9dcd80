-- The first schema. The tenant leads every primary key, so that one database can serve many and be distributed by it.
-- Times are whole microseconds since 1970-01-01 UTC. Lists are JSON arrays.

CREATE TABLE workspaces (
    tenant TEXT NOT NULL PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    secret BLOB NOT NULL
) WITHOUT ROWID;

-- What lists filter and sort by; the body is in the payload of the history event `body_seq`, kept once.
CREATE TABLE records (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    namespace TEXT NOT NULL,
    project TEXT NOT NULL,
    agent TEXT NOT NULL,
    workflow TEXT NOT NULL,
    task_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    outcome TEXT NOT NULL,
    verified INTEGER,
    title TEXT NOT NULL,
    tags TEXT NOT NULL,
    trust TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    digest TEXT NOT NULL,
    seq INTEGER NOT NULL,               -- its last change
    body_seq INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX records_by_time ON records (tenant, created_at);
CREATE INDEX records_by_task ON records (tenant, task_id);
CREATE INDEX records_by_session ON records (tenant, session_id);

-- Append-only, and the change log at the same time: `op` says what derived data must do. The last event of a transaction
-- carries the link of the chain: a hash over the transaction's events and the link before.
CREATE TABLE history (
    tenant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    record_id TEXT NOT NULL,
    action TEXT NOT NULL,
    op TEXT NOT NULL,
    revision INTEGER NOT NULL,
    commitment TEXT NOT NULL,
    link TEXT,
    PRIMARY KEY (tenant, seq)
) WITHOUT ROWID;
CREATE INDEX history_by_record ON history (tenant, record_id, seq);

-- Apart, so that erasing a text with its salt leaves a commitment that tells nothing. `search` is what the search index
-- is fed, kept for the newest text of a record only.
CREATE TABLE history_payloads (
    tenant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    salt BLOB NOT NULL,
    payload BLOB NOT NULL,
    search BLOB,
    PRIMARY KEY (tenant, seq),
    FOREIGN KEY (tenant, seq) REFERENCES history (tenant, seq)
);

-- What the evidence vault holds of a session, by source.
CREATE TABLE parts (
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    part TEXT NOT NULL,
    role TEXT NOT NULL,
    chunks TEXT NOT NULL,
    steps INTEGER NOT NULL,
    first_at INTEGER,
    info BLOB NOT NULL,
    capture BLOB NOT NULL,
    rules_version TEXT NOT NULL,
    PRIMARY KEY (tenant, agent, session, part)
) WITHOUT ROWID;

-- Sessions whose parts changed since they were distilled.
CREATE TABLE dirty_sessions (
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    PRIMARY KEY (tenant, agent, session)
) WITHOUT ROWID;

CREATE TABLE sources (
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    path TEXT NOT NULL,
    importer TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    inode TEXT NOT NULL,                -- a 128-bit number on some file systems
    head TEXT NOT NULL,
    "offset" INTEGER NOT NULL,
    state BLOB NOT NULL,
    sessions TEXT NOT NULL,
    read_at INTEGER NOT NULL,
    problem TEXT NOT NULL,
    PRIMARY KEY (tenant, source)
) WITHOUT ROWID;

CREATE TABLE tombstones (
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('source', 'value')),
    hash TEXT NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    PRIMARY KEY (tenant, kind, hash)
) WITHOUT ROWID;

CREATE TABLE publications (
    tenant TEXT NOT NULL,
    record_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (tenant, record_id, kind)
) WITHOUT ROWID;
CREATE INDEX publications_by_path ON publications (tenant, kind, path);

-- Another name of a project (a clone's address, a folder before it had a remote).
CREATE TABLE project_aliases (
    tenant TEXT NOT NULL,
    alias TEXT NOT NULL,
    project TEXT NOT NULL,
    PRIMARY KEY (tenant, alias)
) WITHOUT ROWID;

-- What was shown to whom and whether it helped; outside the history chain.
CREATE TABLE usefulness (
    tenant TEXT NOT NULL,
    record_id TEXT NOT NULL,
    session TEXT NOT NULL,
    at INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (tenant, record_id, session, at, event)
) WITHOUT ROWID;

-- What the query planner cannot guess: one tenant is nearly everything, so an index helps only beyond that column.
ANALYZE sqlite_master;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('records', 'records', '100000 100000 1'),
    ('records', 'records_by_time', '200000 200000 1'),
    ('records', 'records_by_task', '200000 200000 1'),
    ('records', 'records_by_session', '200000 200000 1'),
    ('history', 'history', '300000 300000 1'),
    ('history', 'history_by_record', '300000 300000 3 1'),
    ('history_payloads', 'sqlite_autoindex_history_payloads_1', '300000 300000 1');
ANALYZE sqlite_master;
