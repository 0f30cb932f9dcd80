-- What synthesis reads of an entry: the words of its texts found, by the change that brought them. Derived: entries that were
-- written before have none, and are taken apart when they are read.
CREATE TABLE gists (
    tenant TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    version BIGINT NOT NULL,
    gist BYTEA NOT NULL,
    PRIMARY KEY (tenant, seq)
);
