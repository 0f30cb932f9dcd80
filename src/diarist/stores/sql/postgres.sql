-- What PostgreSQL has to be told otherwise than SQLite; every other query is that of sqlite.sql, word for word.

-- Looked up one by one, each by its key: a planner that has no statistics yet would compare every row with every number.

-- name: list_records_by_seq
SELECT c.seq, {record_columns}, p.payload
FROM unnest(translate(:seqs, '[]', '{}')::bigint[]) w(seq)
JOIN LATERAL (SELECT c.seq, c.record_id FROM history c WHERE c.tenant = :tenant AND c.seq = w.seq OFFSET 0) c ON true
JOIN LATERAL (SELECT x.* FROM records x WHERE x.tenant = :tenant AND x.id = c.record_id OFFSET 0) r ON true
LEFT JOIN LATERAL (SELECT x.* FROM history_payloads x WHERE x.tenant = :tenant AND x.seq = r.body_seq OFFSET 0) p ON true;

-- name: list_payloads_by_seq
SELECT p.seq, p.payload
FROM unnest(translate(:seqs, '[]', '{}')::bigint[]) w(seq)
JOIN LATERAL (SELECT x.seq, x.payload FROM history_payloads x WHERE x.tenant = :tenant AND x.seq = w.seq OFFSET 0) p ON true;

-- name: list_gists_by_seq
SELECT g.seq, g.gist
FROM unnest(translate(:seqs, '[]', '{}')::bigint[]) w(seq)
JOIN LATERAL (
    SELECT x.seq, x.gist FROM gists x WHERE x.tenant = :tenant AND x.seq = w.seq AND x.version = :version OFFSET 0
) g ON true;

-- name: list_hits
SELECT c.seq, r.id, r.kind, r.status, r.trust, r.namespace, r.project, r.agent, r.workflow, r.task_id, r.session_id, r.outcome,
    r.verified, r.title, r.tags, r.created_at, r.updated_at, p.search
FROM unnest(translate(:seqs, '[]', '{}')::bigint[]) w(seq)
JOIN LATERAL (SELECT c.seq, c.record_id FROM history c WHERE c.tenant = :tenant AND c.seq = w.seq OFFSET 0) c ON true
JOIN LATERAL (SELECT x.* FROM records x WHERE x.tenant = :tenant AND x.id = c.record_id OFFSET 0) r ON true
LEFT JOIN LATERAL (SELECT x.* FROM history_payloads x WHERE x.tenant = :tenant AND x.seq = r.body_seq OFFSET 0) p ON true
WHERE r.status <> 'retracted';

-- name: where_kinds
r.kind IN (SELECT value FROM jsonb_array_elements_text(:kinds::jsonb) value)

-- name: where_tag
r.id IN (
    SELECT x.id FROM records x
    WHERE x.tenant = :tenant AND strpos(x.tags, :tag_json) > 0
        AND EXISTS (SELECT 1 FROM jsonb_array_elements_text(x.tags::jsonb) value WHERE value = :tag)
)

-- name: delete_payloads_by_seq
DELETE FROM history_payloads
WHERE tenant = :tenant AND seq IN (
    SELECT h.seq FROM history h
    WHERE h.tenant = :tenant AND h.record_id = :record_id
        AND h.seq = ANY (translate(:seqs, '[]', '{}')::bigint[])
);

-- name: list_named_chunks
SELECT DISTINCT c.value FROM parts p, jsonb_array_elements_text(p.chunks::jsonb) c(value)
WHERE p.tenant = :tenant AND c.value IN (SELECT value FROM jsonb_array_elements_text(:chunks::jsonb) value);

-- name: list_uses_of_sessions
SELECT {use_columns} FROM usefulness
WHERE tenant = :tenant AND session IN (SELECT value FROM jsonb_array_elements_text(:sessions::jsonb) value)
ORDER BY at, place, record_id, event, session;

-- name: list_tallies
SELECT {tally_columns} FROM effects
WHERE tenant = :tenant AND record_id IN (SELECT value FROM jsonb_array_elements_text(:ids::jsonb) value)
GROUP BY record_id ORDER BY record_id;

-- name: sum_spending
SELECT coalesce(sum(calls), 0)::bigint, coalesce(sum(tokens), 0)::bigint, coalesce(sum(micro_usd), 0)::bigint FROM spending
WHERE tenant = :tenant AND day = :day AND role <> 'embed';

-- name: sum_spending_of
SELECT coalesce(sum(calls), 0)::bigint, coalesce(sum(tokens), 0)::bigint, coalesce(sum(micro_usd), 0)::bigint FROM spending
WHERE tenant = :tenant AND day = :day AND role = :role;

-- name: list_seqs_of
SELECT r.id, r.seq FROM jsonb_array_elements_text(:ids::jsonb) w(id)
JOIN LATERAL (SELECT x.id, x.seq FROM records x WHERE x.tenant = :tenant AND x.id = w.id OFFSET 0) r ON true;

-- name: list_ids_by_seq
SELECT c.record_id
FROM unnest(translate(:seqs, '[]', '{}')::bigint[]) w(seq)
JOIN LATERAL (SELECT c.seq, c.record_id FROM history c WHERE c.tenant = :tenant AND c.seq = w.seq OFFSET 0) c ON true;

-- The evidence vault, which lies in a folder beside SQLite and in the database here: server nodes share nothing else.

-- name: add_chunk
INSERT INTO chunks (tenant, id, packed) VALUES (:tenant, :id, :packed) ON CONFLICT (tenant, id) DO UPDATE SET packed = excluded.packed;

-- name: find_chunk
SELECT packed FROM chunks WHERE tenant = :tenant AND id = :id;

-- name: delete_chunk
DELETE FROM chunks WHERE tenant = :tenant AND id = :id;

-- name: list_chunks
SELECT id FROM chunks WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit;

-- The same for many rows at a time, their columns arrays: COPY would be quicker by a little, and may not be used where row-level
-- security is.

-- name: add_event_many
INSERT INTO history (tenant, seq, at, actor, record_id, action, op, revision, commitment, link)
SELECT :tenant, * FROM unnest(
    :seq::bigint[], :at::bigint[], :actor::text[], :record_id::text[], :action::text[], :op::text[], :revision::bigint[],
    :commitment::text[], :link::text[]
);

-- name: add_payload_many
INSERT INTO history_payloads (tenant, seq, salt, payload, search)
SELECT :tenant, * FROM unnest(:seq::bigint[], :salt::bytea[], :payload::bytea[], :search::bytea[]);

-- name: keep_gist_many
INSERT INTO gists (tenant, seq, version, gist) SELECT :tenant, * FROM unnest(:seq::bigint[], :version::bigint[], :gist::bytea[]);

-- name: put_record_many
INSERT INTO records (
    tenant, id, kind, namespace, project, agent, workflow, task_id, session_id, outcome, verified, title, tags, trust, status,
    created_at, updated_at, revision, digest, seq, body_seq
)
SELECT :tenant, w.*, w.seq FROM unnest(
    :id::text[], :kind::text[], :namespace::text[], :project::text[], :agent::text[],
    :workflow::text[], :task_id::text[], :session_id::text[], :outcome::text[], :verified::bigint[],
    :title::text[], :tags::text[], :trust::text[], :status::text[], :created_at::bigint[],
    :updated_at::bigint[], :revision::bigint[], :digest::text[], :seq::bigint[]
) AS w(
    id, kind, namespace, project, agent, workflow, task_id, session_id, outcome, verified, title, tags, trust, status,
    created_at, updated_at, revision, digest, seq
)
ON CONFLICT (tenant, id) DO UPDATE SET
    kind = excluded.kind, namespace = excluded.namespace, project = excluded.project, agent = excluded.agent,
    workflow = excluded.workflow, task_id = excluded.task_id, session_id = excluded.session_id, outcome = excluded.outcome,
    verified = excluded.verified, title = excluded.title, tags = excluded.tags, trust = excluded.trust, status = excluded.status,
    created_at = excluded.created_at, updated_at = excluded.updated_at, revision = excluded.revision, digest = excluded.digest,
    seq = excluded.seq, body_seq = excluded.body_seq;

-- name: put_part_many
INSERT INTO parts (tenant, agent, session, part, role, chunks, steps, first_at, info, capture, rules_version)
SELECT :tenant, * FROM unnest(
    :agent::text[], :session::text[], :part::text[], :role::text[], :chunks::text[], :steps::bigint[], :first_at::bigint[],
    :info::bytea[], :capture::bytea[], :rules_version::text[]
)
ON CONFLICT (tenant, agent, session, part) DO UPDATE SET
    role = excluded.role, chunks = excluded.chunks, steps = excluded.steps, first_at = excluded.first_at, info = excluded.info,
    capture = excluded.capture, rules_version = excluded.rules_version;

-- name: load_row_many
INSERT INTO {table} (tenant, {columns}) SELECT :tenant, u.* FROM unnest({arrays}) AS u ON CONFLICT DO NOTHING;

-- name: delete_dirty_many
DELETE FROM dirty_sessions d USING unnest(:agent::text[], :session::text[]) AS w(agent, session)
WHERE d.tenant = :tenant AND d.agent = w.agent AND d.session = w.session;

-- name: add_publication_many
INSERT INTO publications (tenant, record_id, kind, path)
SELECT :tenant, * FROM unnest(:record_id::text[], :kind::text[], :path::text[]) ON CONFLICT DO NOTHING;

-- name: add_chunk_many
INSERT INTO chunks (tenant, id, packed) SELECT :tenant, * FROM unnest(:id::text[], :packed::bytea[])
ON CONFLICT (tenant, id) DO UPDATE SET packed = excluded.packed;

-- name: list_heads
SELECT r.id, r.digest, r.status, r.revision, r.body_seq FROM jsonb_array_elements_text(:ids::jsonb) w(id)
JOIN LATERAL (SELECT x.* FROM records x WHERE x.tenant = :tenant AND x.id = w.id OFFSET 0) r ON true;

-- name: list_names_of
SELECT p.record_id, p.kind, p.path FROM jsonb_array_elements_text(:ids::jsonb) w(id)
JOIN LATERAL (SELECT x.* FROM publications x WHERE x.tenant = :tenant AND x.record_id = w.id OFFSET 0) p ON true;

-- name: list_holders
SELECT p.kind, p.path, min(p.record_id) FROM jsonb_array_elements_text(:paths::jsonb) w(path)
JOIN LATERAL (SELECT x.* FROM publications x WHERE x.tenant = :tenant AND x.kind = :kind AND x.path = w.path OFFSET 0) p ON true
GROUP BY p.kind, p.path;

-- name: list_indexed
SELECT c.seq, CASE WHEN r.seq = c.seq THEN p.search END, {record_columns},
    CASE WHEN r.kind IN ('entry', 'observation', 'memory') AND p.seq IS NOT NULL THEN ''::bytea ELSE p.payload END
FROM unnest(translate(:seqs, '[]', '{}')::bigint[]) w(seq)
JOIN LATERAL (SELECT c.seq, c.record_id FROM history c WHERE c.tenant = :tenant AND c.seq = w.seq OFFSET 0) c ON true
JOIN LATERAL (SELECT x.* FROM records x WHERE x.tenant = :tenant AND x.id = c.record_id OFFSET 0) r ON true
LEFT JOIN LATERAL (SELECT x.* FROM history_payloads x WHERE x.tenant = :tenant AND x.seq = r.body_seq OFFSET 0) p ON true;

-- Vectors compared by pgvector, where it is: `meaning` is made of `vector` by the database itself.

-- name: find_meanings
SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('embeddings') AND attname = 'meaning' AND NOT attisdropped;

-- name: list_nearest
WITH q AS MATERIALIZED (SELECT :asked::halfvec AS asked)
SELECT record_id, max(cosine) AS best FROM (
    SELECT record_id, 1 - (meaning <=> q.asked) AS cosine FROM q, embeddings
    WHERE tenant = :tenant AND model = :model AND octet_length(vector) = :size
        AND (:every OR record_id IN (SELECT value FROM jsonb_array_elements_text(:ids::jsonb) value))
    OFFSET 0  -- so that vectors are not sorted along
) passages
GROUP BY record_id ORDER BY best DESC, record_id LIMIT :limit;

-- name: set_near
SELECT set_config('hnsw.ef_search', :reach, true), set_config('plan_cache_mode', 'force_custom_plan', true),
    set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true);

-- name: list_near
SELECT record_id, 1 - (meaning::halfvec({dimensions}) <=> :asked::halfvec({dimensions})) FROM embeddings
WHERE tenant = {tenant} AND model = {model} AND octet_length(vector) = {size}
ORDER BY meaning::halfvec({dimensions}) <=> :asked::halfvec({dimensions}) LIMIT :limit;

-- name: list_near_indexes
SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = 'embeddings'::regclass AND starts_with(c.relname, :prefix);

-- name: make_near_index
CREATE INDEX CONCURRENTLY IF NOT EXISTS {index} ON embeddings USING hnsw ((meaning::halfvec({dimensions})) halfvec_cosine_ops)
WHERE tenant = {tenant} AND model = {model} AND octet_length(vector) = {size};

-- name: drop_near_index
DROP INDEX CONCURRENTLY IF EXISTS {index};

-- name: list_columns
SELECT c.table_name::text, c.column_name::text, coalesce(k.ordinal_position, 0)::bigint
FROM information_schema.columns c
JOIN pg_class t ON t.oid = to_regclass(quote_ident(c.table_schema) || '.' || quote_ident(c.table_name)) AND NOT t.relispartition
LEFT JOIN (
    SELECT u.table_name, u.column_name, u.ordinal_position FROM information_schema.key_column_usage u
    JOIN information_schema.table_constraints n ON n.constraint_name = u.constraint_name AND n.constraint_schema = u.constraint_schema
    WHERE n.constraint_type = 'PRIMARY KEY' AND u.table_schema = current_schema()
) k ON k.table_name = c.table_name AND k.column_name = c.column_name
WHERE c.table_schema = current_schema() AND c.table_name NOT IN ('chunks', 'diarist_schema') AND c.is_generated = 'NEVER'
ORDER BY c.table_name COLLATE "C", c.ordinal_position;
