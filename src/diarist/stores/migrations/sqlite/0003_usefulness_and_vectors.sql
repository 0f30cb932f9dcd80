-- Usefulness of what was shown, and embeddings. Both are outside the history chain.

-- Where it was shown ("hook:prompt", "mcp:recall", "cli:search") and at which place of the list, from 1; 0: not told.
ALTER TABLE usefulness ADD COLUMN surface TEXT NOT NULL DEFAULT '';
ALTER TABLE usefulness ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
CREATE INDEX usefulness_by_session ON usefulness (tenant, session);

-- What came of a record in a session that was shown it: read off that session's own transcript, or said by somebody.
CREATE TABLE effects (
    tenant TEXT NOT NULL,
    record_id TEXT NOT NULL,
    session TEXT NOT NULL,
    at INTEGER NOT NULL,
    entry_id TEXT NOT NULL,             -- the diary entry of that session; empty before it was imported
    cited INTEGER NOT NULL,
    followed TEXT NOT NULL,
    error_gone INTEGER,                 -- null: it did not meet an error that the record tells of
    outcome TEXT NOT NULL,
    verified INTEGER,
    verdict TEXT NOT NULL,              -- explicit feedback; empty: none
    points INTEGER NOT NULL,            -- the session's vote, -2 to 2
    PRIMARY KEY (tenant, record_id, session)
) WITHOUT ROWID;
CREATE INDEX effects_by_session ON effects (tenant, session);

-- Vectors of a record's passages, by the model that made them; derived, and erased with the record.
CREATE TABLE embeddings (
    tenant TEXT NOT NULL,
    model TEXT NOT NULL,
    record_id TEXT NOT NULL,
    passage INTEGER NOT NULL,
    body_seq INTEGER NOT NULL,          -- the change whose text it was made of
    number INTEGER NOT NULL,            -- grows with each vector of a model: readers ask for what is new
    vector BLOB NOT NULL,               -- a length and 8-bit numbers, see `stages.vectors`; empty: a record without text
    PRIMARY KEY (tenant, model, record_id, passage)
) WITHOUT ROWID;
CREATE UNIQUE INDEX embeddings_by_number ON embeddings (tenant, model, number);
CREATE INDEX embeddings_by_record ON embeddings (tenant, record_id);
