-- The first schema. The tenant leads every primary key, so that one database can serve many and be distributed by it.
-- Times are whole microseconds since 1970-01-01 UTC. Lists are JSON arrays.

-- One row per tenant: who it is, its secret, and how far its history has come.
CREATE TABLE workspaces (
    tenant TEXT NOT NULL PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    secret BLOB NOT NULL,
    seq INTEGER NOT NULL,               -- last number given to a change
    link INTEGER NOT NULL,              -- last link of the history chain
    head TEXT NOT NULL                  -- its hash
) WITHOUT ROWID;

-- What lists filter and sort by; the body is the payload of the history event `body_seq`, kept once.
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

CREATE TABLE record_tags (
    tenant TEXT NOT NULL,
    tag TEXT NOT NULL,
    record_id TEXT NOT NULL,
    PRIMARY KEY (tenant, tag, record_id),
    FOREIGN KEY (tenant, record_id) REFERENCES records (tenant, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX record_tags_by_record ON record_tags (tenant, record_id);

-- What the search index is fed; enough to rebuild it.
CREATE TABLE search_texts (
    tenant TEXT NOT NULL,
    record_id TEXT NOT NULL,
    title TEXT NOT NULL,
    errors TEXT NOT NULL,
    fixes TEXT NOT NULL,
    tags TEXT NOT NULL,
    body TEXT NOT NULL,
    files TEXT NOT NULL,
    tools TEXT NOT NULL,
    fingerprints TEXT NOT NULL,
    fixed_fingerprints TEXT NOT NULL,
    PRIMARY KEY (tenant, record_id),
    FOREIGN KEY (tenant, record_id) REFERENCES records (tenant, id) ON DELETE CASCADE
);

-- What derived data has to catch up with. May be compacted: the newest row of a record counts.
CREATE TABLE changes (
    tenant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    record_id TEXT NOT NULL,
    op TEXT NOT NULL CHECK (op IN ('put', 'remove')),
    PRIMARY KEY (tenant, seq)
) WITHOUT ROWID;

-- Append-only. One link per transaction, over its events' commitments and the link before.
CREATE TABLE history_links (
    tenant TEXT NOT NULL,
    link INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    events INTEGER NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (tenant, link)
) WITHOUT ROWID;

CREATE TABLE history (
    tenant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    link INTEGER NOT NULL,
    record_id TEXT NOT NULL,
    action TEXT NOT NULL,
    revision INTEGER NOT NULL,
    commitment TEXT NOT NULL,
    PRIMARY KEY (tenant, seq),
    FOREIGN KEY (tenant, link) REFERENCES history_links (tenant, link) DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;
CREATE INDEX history_by_record ON history (tenant, record_id, seq);

-- Apart, so that erasing a text with its salt leaves a commitment that tells nothing.
CREATE TABLE history_payloads (
    tenant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    salt BLOB NOT NULL,
    payload BLOB NOT NULL,
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
