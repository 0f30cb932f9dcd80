-- The hub: who may call it, and answers kept for repeated requests. Machinery, outside the history chain.

-- `opens` is the tenant a key is for; keys stand with the hub that checks them, which knows no tenant before. The key itself is
-- not kept. `project`: NULL for all.
CREATE TABLE api_keys (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    hash TEXT NOT NULL,
    name TEXT NOT NULL,
    opens TEXT NOT NULL,
    project TEXT,
    role TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    used_at INTEGER,
    PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (tenant, hash);

-- Answers hold ids, states and numbers, never texts. `request`: digest of what was asked under the key.
CREATE TABLE answers (
    tenant TEXT NOT NULL,
    caller TEXT NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    status INTEGER NOT NULL,
    body BLOB NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (tenant, caller, key)
) WITHOUT ROWID;
CREATE INDEX answers_by_time ON answers (tenant, at);

-- What waits for review, documents, lessons, skills and state are few beside the entries: a list of them must not look at those.
CREATE INDEX records_rare ON records (tenant, kind, created_at) WHERE kind NOT IN ('entry', 'observation', 'memory');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('records', 'records_rare', '2000 2000 200 1');
ANALYZE sqlite_master;
