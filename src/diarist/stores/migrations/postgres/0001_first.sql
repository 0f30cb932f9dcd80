-- The same tables as SQLite's, and the evidence vault. The tenant leads every primary key and no key goes across tenants, so that
-- the database can be distributed by it; row-level security is put on every table with a tenant after the last migration.
-- Texts compare by their bytes ("C"), as in SQLite, whatever the database's own collation. Times are whole microseconds
-- since 1970-01-01 UTC. Lists are JSON arrays.

CREATE TABLE workspaces (
    tenant TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    workspace_id TEXT COLLATE "C" NOT NULL,
    secret BYTEA NOT NULL
);

-- What lists filter and sort by; the body is in the payload of the history event `body_seq`, kept once.
CREATE TABLE records (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    namespace TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    workflow TEXT COLLATE "C" NOT NULL,
    task_id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    verified BIGINT,
    title TEXT COLLATE "C" NOT NULL,
    tags TEXT COLLATE "C" NOT NULL,
    trust TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    digest TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,               -- its last change
    body_seq BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX records_by_time ON records (tenant, created_at);
CREATE INDEX records_by_task ON records (tenant, task_id);
CREATE INDEX records_by_session ON records (tenant, session_id);
CREATE INDEX records_rare ON records (tenant, kind, created_at) WHERE kind NOT IN ('entry', 'observation', 'memory');

-- A month a partition, made as the months come; the writer's lock keeps `seq` unique within a tenant, which no index across
-- partitions could.
-- Append-only, and the change log at the same time: `op` says what derived data must do. The last event of a transaction
-- carries the link of the chain: a hash over the transaction's events and the link before.
CREATE TABLE history (
    tenant TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor TEXT COLLATE "C" NOT NULL,
    record_id TEXT COLLATE "C" NOT NULL,
    action TEXT COLLATE "C" NOT NULL,
    op TEXT COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL,
    commitment TEXT COLLATE "C" NOT NULL,
    link TEXT COLLATE "C",
    PRIMARY KEY (tenant, seq, at)
) PARTITION BY RANGE (at);
CREATE TABLE history_rest PARTITION OF history DEFAULT;
CREATE INDEX history_by_record ON history (tenant, record_id, seq);

-- Apart, so that erasing a text with its salt leaves a commitment that tells nothing. `search` is what the search index
-- is fed, kept for the newest text of a record only.
CREATE TABLE history_payloads (
    tenant TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    salt BYTEA NOT NULL,
    payload BYTEA NOT NULL,
    search BYTEA,
    PRIMARY KEY (tenant, seq)
);

-- What the evidence vault holds of a session, by source.
CREATE TABLE parts (
    tenant TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    part TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    chunks TEXT COLLATE "C" NOT NULL,
    steps BIGINT NOT NULL,
    first_at BIGINT,
    info BYTEA NOT NULL,
    capture BYTEA NOT NULL,
    rules_version TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, agent, session, part)
);

-- Sessions whose parts changed since they were distilled.
CREATE TABLE dirty_sessions (
    tenant TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, agent, session)
);

CREATE TABLE sources (
    tenant TEXT COLLATE "C" NOT NULL,
    source TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    importer TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    mtime_ns BIGINT NOT NULL,
    inode TEXT COLLATE "C" NOT NULL,                -- a 128-bit number on some file systems
    head TEXT COLLATE "C" NOT NULL,
    "offset" BIGINT NOT NULL,
    state BYTEA NOT NULL,
    sessions TEXT COLLATE "C" NOT NULL,
    read_at BIGINT NOT NULL,
    problem TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, source)
);

CREATE TABLE tombstones (
    tenant TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('source', 'value')),
    hash TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    actor TEXT COLLATE "C" NOT NULL,
    hint TEXT COLLATE "C" NOT NULL DEFAULT '',
    key_id TEXT COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (tenant, kind, hash)
);

CREATE TABLE tombstone_keys (
    tenant TEXT COLLATE "C" NOT NULL,
    key_id TEXT COLLATE "C" NOT NULL,
    secret BYTEA NOT NULL,
    PRIMARY KEY (tenant, key_id)
);

CREATE TABLE erasures (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    actor TEXT COLLATE "C" NOT NULL,
    done BIGINT NOT NULL,
    receipt BYTEA NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE TABLE backups (
    tenant TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (tenant, path)
);

CREATE TABLE corrections (
    tenant TEXT COLLATE "C" NOT NULL,
    target TEXT COLLATE "C" NOT NULL,
    record_id TEXT COLLATE "C" NOT NULL,
    shape TEXT COLLATE "C" NOT NULL,
    until BIGINT,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant, target, record_id)
);
CREATE INDEX corrections_by_record ON corrections (tenant, record_id);

CREATE TABLE publications (
    tenant TEXT COLLATE "C" NOT NULL,
    record_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, record_id, kind)
);
CREATE INDEX publications_by_path ON publications (tenant, kind, path);

-- Another name of a project (a clone's address, a folder before it had a remote).
CREATE TABLE project_aliases (
    tenant TEXT COLLATE "C" NOT NULL,
    alias TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, alias)
);

-- What was shown to whom and whether it helped; outside the history chain.
CREATE TABLE usefulness (
    tenant TEXT COLLATE "C" NOT NULL,
    record_id TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    event TEXT COLLATE "C" NOT NULL,
    surface TEXT COLLATE "C" NOT NULL DEFAULT '',   -- where it was shown: "hook:prompt", "mcp:recall", "cli:search"
    place INTEGER NOT NULL DEFAULT 0,               -- in the list that was shown, from 1; 0: not told
    PRIMARY KEY (tenant, record_id, session, at, event)
);
CREATE INDEX usefulness_by_session ON usefulness (tenant, session);

-- What came of a record in a session that was shown it: read off that session's own transcript, or said by somebody.
CREATE TABLE effects (
    tenant TEXT COLLATE "C" NOT NULL,
    record_id TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    entry_id TEXT COLLATE "C" NOT NULL,
    cited INTEGER NOT NULL,
    followed TEXT COLLATE "C" NOT NULL,
    error_gone INTEGER,
    outcome TEXT COLLATE "C" NOT NULL,
    verified INTEGER,
    verdict TEXT COLLATE "C" NOT NULL,
    points INTEGER NOT NULL,
    PRIMARY KEY (tenant, record_id, session)
);
CREATE INDEX effects_by_session ON effects (tenant, session);

-- Vectors of a record's passages, by the model that made them; derived, and erased with the record.
CREATE TABLE embeddings (
    tenant TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    record_id TEXT COLLATE "C" NOT NULL,
    passage INTEGER NOT NULL,
    body_seq BIGINT NOT NULL,
    number BIGINT NOT NULL,
    vector BYTEA NOT NULL,
    PRIMARY KEY (tenant, model, record_id, passage)
);
CREATE UNIQUE INDEX embeddings_by_number ON embeddings (tenant, model, number);
CREATE INDEX embeddings_by_record ON embeddings (tenant, record_id);

-- What models cost, by day and purpose, so that a cap holds across processes; and documents that a hub has yet to take.
-- Both are machinery: outside the history chain.

CREATE TABLE spending (
    tenant TEXT COLLATE "C" NOT NULL,
    day TEXT COLLATE "C" NOT NULL,                  -- UTC date
    role TEXT COLLATE "C" NOT NULL,
    calls BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    micro_usd BIGINT NOT NULL,
    PRIMARY KEY (tenant, day, role)
);

CREATE TABLE deliveries (
    tenant TEXT COLLATE "C" NOT NULL,
    record_id TEXT COLLATE "C" NOT NULL,
    attempts BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    problem TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, record_id)
);

CREATE TABLE api_keys (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    opens TEXT COLLATE "C" NOT NULL,
    project TEXT COLLATE "C",
    role TEXT COLLATE "C" NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    used_at BIGINT,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (tenant, hash);

CREATE TABLE answers (
    tenant TEXT COLLATE "C" NOT NULL,
    caller TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    request TEXT COLLATE "C" NOT NULL,
    status BIGINT NOT NULL,
    body BYTEA NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant, caller, key)
);
CREATE INDEX answers_by_time ON answers (tenant, at);


-- Redacted transcripts, one zstd frame a chunk, named by the SHA-256 of what it unpacks to.
CREATE TABLE chunks (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    packed BYTEA NOT NULL,
    PRIMARY KEY (tenant, id)
);
ALTER TABLE chunks ALTER COLUMN packed SET STORAGE EXTERNAL;
