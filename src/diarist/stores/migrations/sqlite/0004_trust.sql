-- Erasing that lasts, and corrections. All machinery: outside the history chain.

-- What it takes to look for an erased value in a text, and the key its hash was made with; empty: this workspace's own.
ALTER TABLE tombstones ADD COLUMN hint TEXT NOT NULL DEFAULT '';
ALTER TABLE tombstones ADD COLUMN key_id TEXT NOT NULL DEFAULT '';

-- Keys of other workspaces, whose tombstones came here with a backup.
CREATE TABLE tombstone_keys (
    tenant TEXT NOT NULL,
    key_id TEXT NOT NULL,
    secret BLOB NOT NULL,
    PRIMARY KEY (tenant, key_id)
) WITHOUT ROWID;

-- Every erasure: what was reached, in counts and ids; while it is under way also what is left to do.
CREATE TABLE erasures (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    done INTEGER NOT NULL,
    receipt BLOB NOT NULL,
    PRIMARY KEY (tenant, id)
) WITHOUT ROWID;

-- Backups that were made: an erasure does not reach them, so it names them.
CREATE TABLE backups (
    tenant TEXT NOT NULL,
    path TEXT NOT NULL,
    at INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (tenant, path)
) WITHOUT ROWID;

-- What a person says of a record that was wrong, or is no longer so. `record_id`: the correction's own record.
CREATE TABLE corrections (
    tenant TEXT NOT NULL,
    target TEXT NOT NULL,
    record_id TEXT NOT NULL,
    shape TEXT NOT NULL,
    until INTEGER,                      -- when the target ceased, or will cease, to hold; null: never held, or at once
    at INTEGER NOT NULL,
    PRIMARY KEY (tenant, target, record_id)
) WITHOUT ROWID;
CREATE INDEX corrections_by_record ON corrections (tenant, record_id);
