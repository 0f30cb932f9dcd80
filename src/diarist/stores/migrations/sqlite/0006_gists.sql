-- What synthesis reads of an entry: the words of its texts found, by the change that brought them. Derived: entries that were
-- written before have none, and are taken apart when they are read.
CREATE TABLE gists (
    tenant TEXT NOT NULL,
    seq INTEGER NOT NULL,
    version INTEGER NOT NULL,
    gist BLOB NOT NULL,
    PRIMARY KEY (tenant, seq)
);
