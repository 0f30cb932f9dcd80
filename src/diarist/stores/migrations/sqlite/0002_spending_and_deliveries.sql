-- What models cost, by day and purpose, so that a cap holds across processes; and documents that a hub has yet to take.
-- Both are machinery: outside the history chain.

CREATE TABLE spending (
    tenant TEXT NOT NULL,
    day TEXT NOT NULL,                  -- UTC date
    role TEXT NOT NULL,
    calls INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    micro_usd INTEGER NOT NULL,
    PRIMARY KEY (tenant, day, role)
) WITHOUT ROWID;

CREATE TABLE deliveries (
    tenant TEXT NOT NULL,
    record_id TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    problem TEXT NOT NULL,
    PRIMARY KEY (tenant, record_id)
) WITHOUT ROWID;
