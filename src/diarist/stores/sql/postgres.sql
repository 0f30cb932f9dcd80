-- What PostgreSQL has to be told otherwise than SQLite; every other query is that of sqlite.sql, word for word.

-- name: list_records_by_seq
SELECT c.seq, {record_columns}, p.payload
FROM history c
JOIN records r ON r.tenant = c.tenant AND r.id = c.record_id
LEFT JOIN history_payloads p ON p.tenant = r.tenant AND p.seq = r.body_seq
WHERE c.tenant = :tenant AND c.seq = ANY (translate(:seqs, '[]', '{}')::bigint[]);

-- name: list_bodies_by_seq
SELECT c.seq, r.id, r.digest, p.payload
FROM history c
JOIN records r ON r.tenant = c.tenant AND r.id = c.record_id
LEFT JOIN history_payloads p ON p.tenant = r.tenant AND p.seq = r.body_seq
WHERE c.tenant = :tenant AND c.seq = ANY (translate(:seqs, '[]', '{}')::bigint[]);

-- name: list_hits
SELECT c.seq, r.id, r.kind, r.status, r.trust, r.namespace, r.project, r.agent, r.workflow, r.task_id, r.session_id, r.outcome,
    r.verified, r.title, r.tags, r.created_at, r.updated_at, p.search
FROM history c
JOIN records r ON r.tenant = c.tenant AND r.id = c.record_id
LEFT JOIN history_payloads p ON p.tenant = r.tenant AND p.seq = r.body_seq
WHERE c.tenant = :tenant AND c.seq = ANY (translate(:seqs, '[]', '{}')::bigint[])
    AND r.status <> 'retracted';

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
SELECT id, seq FROM records WHERE tenant = :tenant AND id IN (SELECT value FROM jsonb_array_elements_text(:ids::jsonb) value);

-- name: list_ids_by_seq
SELECT record_id FROM history
WHERE tenant = :tenant AND seq = ANY (translate(:seqs, '[]', '{}')::bigint[]);

-- The evidence vault, which lies in a folder beside SQLite and in the database here: server nodes share nothing else.

-- name: add_chunk
INSERT INTO chunks (tenant, id, packed) VALUES (:tenant, :id, :packed) ON CONFLICT (tenant, id) DO UPDATE SET packed = excluded.packed;

-- name: find_chunk
SELECT packed FROM chunks WHERE tenant = :tenant AND id = :id;

-- name: delete_chunk
DELETE FROM chunks WHERE tenant = :tenant AND id = :id;

-- name: list_chunks
SELECT id FROM chunks WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit;

-- name: list_columns
SELECT c.table_name::text, c.column_name::text, coalesce(k.ordinal_position, 0)::bigint
FROM information_schema.columns c
JOIN pg_class t ON t.oid = to_regclass(quote_ident(c.table_schema) || '.' || quote_ident(c.table_name)) AND NOT t.relispartition
LEFT JOIN (
    SELECT u.table_name, u.column_name, u.ordinal_position FROM information_schema.key_column_usage u
    JOIN information_schema.table_constraints n ON n.constraint_name = u.constraint_name AND n.constraint_schema = u.constraint_schema
    WHERE n.constraint_type = 'PRIMARY KEY' AND u.table_schema = current_schema()
) k ON k.table_name = c.table_name AND k.column_name = c.column_name
WHERE c.table_schema = current_schema() AND c.table_name NOT IN ('chunks', 'diarist_schema')
ORDER BY c.table_name COLLATE "C", c.ordinal_position;
