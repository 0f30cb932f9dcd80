-- The vocabulary of the store, in SQLite's dialect. `-- name:` begins a query; {name} is a slot filled from this file only.
-- Another dialect defines the same names with the same parameters.

-- name: find_workspace
SELECT workspace_id, secret FROM workspaces WHERE tenant = :tenant;

-- name: add_workspace
INSERT INTO workspaces (tenant, workspace_id, secret) VALUES (:tenant, :workspace_id, :secret) ON CONFLICT (tenant) DO NOTHING;

-- Records

-- name: find_head
SELECT digest, status, revision, body_seq FROM records WHERE tenant = :tenant AND id = :id;

-- name: list_heads
SELECT id, digest, status, revision, body_seq FROM records
WHERE tenant = :tenant AND id IN (SELECT value FROM json_each(:ids));

-- name: put_record
INSERT INTO records (
    tenant, id, kind, namespace, project, agent, workflow, task_id, session_id, outcome, verified, title, tags, trust, status,
    created_at, updated_at, revision, digest, seq, body_seq
) VALUES (
    :tenant, :id, :kind, :namespace, :project, :agent, :workflow, :task_id, :session_id, :outcome, :verified, :title, :tags, :trust, :status,
    :created_at, :updated_at, :revision, :digest, :seq, :seq
)
ON CONFLICT (tenant, id) DO UPDATE SET
    kind = excluded.kind, namespace = excluded.namespace, project = excluded.project, agent = excluded.agent,
    workflow = excluded.workflow, task_id = excluded.task_id, session_id = excluded.session_id, outcome = excluded.outcome,
    verified = excluded.verified, title = excluded.title, tags = excluded.tags, trust = excluded.trust, status = excluded.status,
    created_at = excluded.created_at, updated_at = excluded.updated_at, revision = excluded.revision, digest = excluded.digest,
    seq = excluded.seq, body_seq = excluded.body_seq;

-- name: set_status
UPDATE records SET status = :status, updated_at = :updated_at, revision = :revision, seq = :seq WHERE tenant = :tenant AND id = :id;

-- name: delete_record
DELETE FROM records WHERE tenant = :tenant AND id = :id;

-- name: record_columns
r.id, r.kind, r.namespace, r.project, r.agent, r.workflow, r.task_id, r.session_id, r.outcome, r.verified, r.title, r.tags,
r.trust, r.status, r.created_at, r.updated_at, r.revision, r.digest, r.seq

-- name: find_record
SELECT {record_columns}, p.payload
FROM records r LEFT JOIN history_payloads p ON p.tenant = r.tenant AND p.seq = r.body_seq
WHERE r.tenant = :tenant AND r.id = :id;

-- name: list_records_by_seq
SELECT c.seq, {record_columns}, p.payload
FROM history c
JOIN records r ON r.tenant = c.tenant AND r.id = c.record_id
LEFT JOIN history_payloads p ON p.tenant = r.tenant AND p.seq = r.body_seq
WHERE c.tenant = :tenant AND c.seq IN (SELECT value FROM json_each(:seqs));

-- name: list_payloads_by_seq
SELECT seq, payload FROM history_payloads WHERE tenant = :tenant AND seq IN (SELECT value FROM json_each(:seqs));

-- name: find_search_text
SELECT p.search FROM records r JOIN history_payloads p ON p.tenant = r.tenant AND p.seq = r.body_seq
WHERE r.tenant = :tenant AND r.id = :record_id;

-- name: list_indexed
SELECT c.seq, CASE WHEN r.seq = c.seq THEN p.search END, {record_columns},
    CASE WHEN r.kind IN ('entry', 'observation', 'memory') AND p.seq IS NOT NULL THEN x'' ELSE p.payload END
FROM history c
JOIN records r ON r.tenant = c.tenant AND r.id = c.record_id
LEFT JOIN history_payloads p ON p.tenant = r.tenant AND p.seq = r.body_seq
WHERE c.tenant = :tenant AND c.seq IN (SELECT value FROM json_each(:seqs));

-- name: list_hits
SELECT c.seq, r.id, r.kind, r.status, r.trust, r.namespace, r.project, r.agent, r.workflow, r.task_id, r.session_id, r.outcome,
    r.verified, r.title, r.tags, r.created_at, r.updated_at, p.search
FROM history c
JOIN records r ON r.tenant = c.tenant AND r.id = c.record_id
LEFT JOIN history_payloads p ON p.tenant = r.tenant AND p.seq = r.body_seq
WHERE c.tenant = :tenant AND c.seq IN (SELECT value FROM json_each(:seqs)) AND r.status <> 'retracted';

-- name: where_kinds
r.kind IN (SELECT value FROM json_each(:kinds))

-- name: where_rare
r.kind NOT IN ('entry', 'observation', 'memory')

-- name: where_namespace
r.namespace = :namespace

-- name: where_project
r.project = :project

-- name: where_agent
r.agent = :agent

-- name: where_workflow
r.workflow = :workflow

-- name: where_outcome
r.outcome = :outcome

-- name: where_tag
r.id IN (
    SELECT x.id FROM records x
    WHERE x.tenant = :tenant AND instr(x.tags, :tag_json) AND EXISTS (SELECT 1 FROM json_each(x.tags) t WHERE t.value = :tag)
)

-- name: where_session_id
r.session_id = :session_id

-- name: where_task_id
r.task_id = :task_id

-- name: where_since
r.created_at >= :since

-- name: where_before
r.created_at < :before

-- name: where_active
r.status = 'active'

-- name: list_seqs
SELECT r.seq FROM records r WHERE r.tenant = :tenant{where} ORDER BY {order} LIMIT :limit;

-- name: list_places
SELECT r.id, r.digest, r.body_seq FROM records r WHERE r.tenant = :tenant{where} ORDER BY {order} LIMIT :limit;

-- name: count_records
SELECT count(*) FROM records r WHERE r.tenant = :tenant{where};

-- name: list_exact_ids
SELECT id, kind, 1 FROM records WHERE tenant = :tenant AND status = 'active' AND id = :wanted
UNION ALL
SELECT id, kind, 0 FROM records WHERE tenant = :tenant AND status = 'active' AND task_id = :wanted AND id <> :wanted
ORDER BY 1;

-- name: list_ids_with_prefix
SELECT id, kind FROM records WHERE tenant = :tenant AND status = 'active' AND id >= :wanted AND id < :beyond
UNION
SELECT id, kind FROM records WHERE tenant = :tenant AND status = 'active' AND task_id >= :wanted AND task_id < :beyond
ORDER BY 1;

-- History and change log

-- name: find_end
SELECT seq, link FROM history WHERE tenant = :tenant ORDER BY seq DESC LIMIT 1;

-- name: list_changes
SELECT seq, record_id, op FROM history WHERE tenant = :tenant AND seq > :after ORDER BY seq LIMIT :limit;

-- name: add_event
INSERT INTO history (tenant, seq, at, actor, record_id, action, op, revision, commitment, link)
VALUES (:tenant, :seq, :at, :actor, :record_id, :action, :op, :revision, :commitment, :link);

-- name: set_link
UPDATE history SET link = :link WHERE tenant = :tenant AND seq = :seq;

-- name: add_payload
INSERT INTO history_payloads (tenant, seq, salt, payload, search) VALUES (:tenant, :seq, :salt, :payload, :search);

-- What synthesis reads of an entry, derived of its text: kept for the newest text of a record only.

-- name: keep_gist
INSERT INTO gists (tenant, seq, version, gist) VALUES (:tenant, :seq, :version, :gist);

-- name: drop_gist
DELETE FROM gists WHERE tenant = :tenant AND seq = :seq;

-- name: list_gists_by_seq
SELECT seq, gist FROM gists WHERE tenant = :tenant AND version = :version AND seq IN (SELECT value FROM json_each(:seqs));

-- name: drop_search_text
UPDATE history_payloads SET search = NULL WHERE tenant = :tenant AND seq = :seq;

-- name: find_last_payload
SELECT p.payload FROM history h JOIN history_payloads p ON p.tenant = h.tenant AND p.seq = h.seq
WHERE h.tenant = :tenant AND h.record_id = :record_id ORDER BY h.seq DESC LIMIT 1;

-- name: find_seqs
SELECT seq, body_seq FROM records WHERE tenant = :tenant AND id = :id;

-- name: delete_payloads_by_seq
DELETE FROM history_payloads
WHERE tenant = :tenant AND seq IN (
    SELECT h.seq FROM history h
    WHERE h.tenant = :tenant AND h.record_id = :record_id AND h.seq IN (SELECT value FROM json_each(:seqs))
);

-- name: delete_payloads
DELETE FROM history_payloads
WHERE tenant = :tenant AND seq IN (SELECT h.seq FROM history h WHERE h.tenant = :tenant AND h.record_id = :record_id);

-- name: event_columns
h.seq, h.record_id, h.action, h.actor, h.at, h.revision, h.commitment, p.payload

-- name: list_events
SELECT {event_columns}
FROM history h LEFT JOIN history_payloads p ON p.tenant = h.tenant AND p.seq = h.seq
WHERE h.tenant = :tenant AND h.seq > :after ORDER BY h.seq LIMIT :limit;

-- name: list_record_events
SELECT {event_columns}
FROM history h LEFT JOIN history_payloads p ON p.tenant = h.tenant AND p.seq = h.seq
WHERE h.tenant = :tenant AND h.record_id = :record_id AND h.seq > :after ORDER BY h.seq LIMIT :limit;

-- Evidence

-- name: put_part
INSERT INTO parts (tenant, agent, session, part, role, chunks, steps, first_at, info, capture, rules_version)
VALUES (:tenant, :agent, :session, :part, :role, :chunks, :steps, :first_at, :info, :capture, :rules_version)
ON CONFLICT (tenant, agent, session, part) DO UPDATE SET
    role = excluded.role, chunks = excluded.chunks, steps = excluded.steps, first_at = excluded.first_at, info = excluded.info,
    capture = excluded.capture, rules_version = excluded.rules_version;

-- name: delete_part
DELETE FROM parts WHERE tenant = :tenant AND agent = :agent AND session = :session AND part = :part;

-- name: list_parts
SELECT agent, session, part, role, chunks, steps, first_at, info, capture, rules_version
FROM parts WHERE tenant = :tenant AND agent = :agent AND session = :session ORDER BY part;

-- name: list_sessions
SELECT DISTINCT agent, session FROM parts WHERE tenant = :tenant ORDER BY agent, session;

-- name: list_outdated
SELECT DISTINCT agent, session FROM parts WHERE tenant = :tenant AND rules_version <> :rules_version ORDER BY agent, session;

-- name: list_named_chunks
SELECT DISTINCT c.value FROM parts p, json_each(p.chunks) c
WHERE p.tenant = :tenant AND c.value IN (SELECT value FROM json_each(:chunks));

-- name: add_dirty
INSERT INTO dirty_sessions (tenant, agent, session) VALUES (:tenant, :agent, :session) ON CONFLICT DO NOTHING;

-- name: delete_dirty
DELETE FROM dirty_sessions WHERE tenant = :tenant AND agent = :agent AND session = :session;

-- name: list_dirty
SELECT agent, session FROM dirty_sessions WHERE tenant = :tenant ORDER BY agent, session;

-- Sources

-- name: put_source
INSERT INTO sources (tenant, source, path, importer, size, mtime_ns, inode, head, "offset", state, sessions, read_at, problem)
VALUES (:tenant, :source, :path, :importer, :size, :mtime_ns, :inode, :head, :offset, :state, :sessions, :read_at, :problem)
ON CONFLICT (tenant, source) DO UPDATE SET
    path = excluded.path, importer = excluded.importer, size = excluded.size, mtime_ns = excluded.mtime_ns, inode = excluded.inode,
    head = excluded.head, "offset" = excluded."offset", state = excluded.state, sessions = excluded.sessions,
    read_at = excluded.read_at, problem = excluded.problem;

-- name: source_columns
source, path, importer, size, mtime_ns, inode, head, "offset", state, sessions, read_at, problem

-- name: find_source
SELECT {source_columns} FROM sources WHERE tenant = :tenant AND source = :source;

-- name: list_sources
SELECT {source_columns} FROM sources WHERE tenant = :tenant AND source > :after ORDER BY source LIMIT :limit;

-- Tombstones and published names

-- name: add_tombstone
INSERT INTO tombstones (tenant, kind, hash, at, actor, hint, key_id)
VALUES (:tenant, :kind, :hash, :at, :actor, :hint, :key_id) ON CONFLICT DO NOTHING;

-- name: count_tombstones
SELECT count(*), max(at) FROM tombstones WHERE tenant = :tenant;

-- name: list_tombstones
SELECT kind, hash, at, actor, hint, key_id FROM tombstones WHERE tenant = :tenant ORDER BY kind, hash;

-- name: add_tombstone_key
INSERT INTO tombstone_keys (tenant, key_id, secret) VALUES (:tenant, :key_id, :secret) ON CONFLICT DO NOTHING;

-- name: list_tombstone_keys
SELECT key_id, secret FROM tombstone_keys WHERE tenant = :tenant ORDER BY key_id;

-- name: put_erasure
INSERT INTO erasures (tenant, id, at, actor, done, receipt) VALUES (:tenant, :id, :at, :actor, :done, :receipt)
ON CONFLICT (tenant, id) DO UPDATE SET done = excluded.done, receipt = excluded.receipt;

-- name: list_erasures_made
SELECT id, at, actor, done, receipt FROM erasures WHERE tenant = :tenant ORDER BY at, id;

-- name: put_backup
INSERT INTO backups (tenant, path, at, seq) VALUES (:tenant, :path, :at, :seq)
ON CONFLICT (tenant, path) DO UPDATE SET at = excluded.at, seq = excluded.seq;

-- name: list_backups
SELECT path, at, seq FROM backups WHERE tenant = :tenant ORDER BY at, path;

-- name: put_correction
INSERT INTO corrections (tenant, target, record_id, shape, until, at) VALUES (:tenant, :target, :record_id, :shape, :until, :at)
ON CONFLICT (tenant, target, record_id) DO UPDATE SET shape = excluded.shape, until = excluded.until, at = excluded.at;

-- name: delete_corrections
DELETE FROM corrections WHERE tenant = :tenant AND (target = :record_id OR record_id = :record_id);

-- name: count_corrections
SELECT count(*) FROM corrections WHERE tenant = :tenant;

-- name: list_corrections
SELECT target, record_id, shape, until, at FROM corrections WHERE tenant = :tenant ORDER BY at, target, record_id;

-- name: list_corrections_of
SELECT target, record_id, shape, until, at FROM corrections WHERE tenant = :tenant AND target = :target ORDER BY at, record_id;

-- name: find_link
SELECT link, at FROM history WHERE tenant = :tenant AND seq = :seq;

-- name: list_payloads_of_kind
SELECT h.seq, h.record_id, p.payload
FROM records r
JOIN history h ON h.tenant = r.tenant AND h.record_id = r.id
JOIN history_payloads p ON p.tenant = h.tenant AND p.seq = h.seq
WHERE r.tenant = :tenant AND r.kind = :kind AND h.seq > :after ORDER BY h.seq LIMIT :limit;

-- name: add_publication
INSERT INTO publications (tenant, record_id, kind, path) VALUES (:tenant, :record_id, :kind, :path) ON CONFLICT DO NOTHING;

-- name: move_publication
UPDATE publications SET path = :path WHERE tenant = :tenant AND record_id = :record_id AND kind = :kind;

-- name: list_publications
SELECT kind, path FROM publications WHERE tenant = :tenant AND record_id = :record_id ORDER BY kind;

-- name: delete_publications
DELETE FROM publications WHERE tenant = :tenant AND record_id = :record_id;

-- name: find_publication
SELECT path FROM publications WHERE tenant = :tenant AND record_id = :record_id AND kind = :kind;

-- name: find_publication_by_path
SELECT record_id FROM publications WHERE tenant = :tenant AND kind = :kind AND path = :path ORDER BY record_id LIMIT 1;

-- name: list_names_of
SELECT record_id, kind, path FROM publications
WHERE tenant = :tenant AND record_id IN (SELECT value FROM json_each(:ids));

-- name: list_holders
SELECT kind, path, min(record_id) FROM publications
WHERE tenant = :tenant AND kind = :kind AND path IN (SELECT value FROM json_each(:paths))
GROUP BY kind, path;

-- name: delete_usefulness
DELETE FROM usefulness WHERE tenant = :tenant AND record_id = :record_id;

-- Checking

-- name: list_events_to_check
SELECT h.seq, h.at, h.actor, h.record_id, h.action, h.op, h.revision, h.commitment, h.link, p.salt, p.payload
FROM history h LEFT JOIN history_payloads p ON p.tenant = h.tenant AND p.seq = h.seq
WHERE h.tenant = :tenant AND h.seq > :after ORDER BY h.seq LIMIT :limit;

-- name: list_erasures
SELECT record_id, max(seq) FROM history WHERE tenant = :tenant AND action = 'erase' GROUP BY record_id;

-- name: list_rescans
SELECT record_id, max(seq) FROM history WHERE tenant = :tenant AND action = 'rescan' GROUP BY record_id;

-- name: list_records_to_check
SELECT {record_columns}, p.payload, e.payload, p.search
FROM records r
LEFT JOIN history_payloads p ON p.tenant = r.tenant AND p.seq = r.body_seq
LEFT JOIN history_payloads e ON e.tenant = r.tenant AND e.seq = r.seq
WHERE r.tenant = :tenant AND r.id > :after ORDER BY r.id LIMIT :limit;

-- name: list_unsettled
SELECT h.record_id, h.seq, r.seq
FROM history h LEFT JOIN records r ON r.tenant = h.tenant AND r.id = h.record_id
WHERE h.tenant = :tenant
    AND NOT EXISTS (SELECT 1 FROM history l WHERE l.tenant = h.tenant AND l.record_id = h.record_id AND l.seq > h.seq)
    AND ((r.id IS NULL AND h.action <> 'erase') OR r.seq <> h.seq)
UNION ALL
SELECT r.id, 0, r.seq
FROM records r LEFT JOIN history h ON h.tenant = r.tenant AND h.seq = r.seq AND h.record_id = r.id
WHERE r.tenant = :tenant AND h.seq IS NULL
ORDER BY 1, 2;

-- Usefulness and scopes

-- name: use_columns
record_id, session, at, event, surface, place

-- name: add_use
INSERT INTO usefulness (tenant, record_id, session, at, event, surface, place)
SELECT :tenant, :record_id, :session, :at, :event, :surface, :place
WHERE EXISTS (SELECT 1 FROM records r WHERE r.tenant = :tenant AND r.id = :record_id)
ON CONFLICT DO NOTHING;

-- name: list_uses
SELECT {use_columns} FROM usefulness
WHERE tenant = :tenant AND record_id = :record_id ORDER BY at, session, event;

-- name: list_last_uses
SELECT {use_columns} FROM usefulness
WHERE tenant = :tenant ORDER BY at DESC, record_id, session, event LIMIT :limit;

-- name: list_uses_of_sessions
SELECT {use_columns} FROM usefulness
WHERE tenant = :tenant AND session IN (SELECT value FROM json_each(:sessions)) ORDER BY at, place, record_id, event, session;

-- name: list_use_sessions
SELECT DISTINCT session FROM usefulness WHERE tenant = :tenant ORDER BY session;

-- name: copy_uses
INSERT INTO usefulness (tenant, record_id, session, at, event, surface, place)
SELECT tenant, record_id, :new, at, event, surface, place FROM usefulness WHERE tenant = :tenant AND session = :old
ON CONFLICT DO NOTHING;

-- name: delete_uses_of_session
DELETE FROM usefulness WHERE tenant = :tenant AND session = :old;

-- name: delete_uses_read_off
DELETE FROM usefulness
WHERE tenant = :tenant AND session = :session AND (surface LIKE 'mcp:%' OR surface LIKE 'cli:%');

-- name: count_shown
SELECT record_id, count(*), count(DISTINCT session) FROM usefulness
WHERE tenant = :tenant AND record_id = :record_id AND event IN ('shown', 'fetched') GROUP BY record_id;

-- name: count_uses
SELECT event, surface, count(*), count(DISTINCT session), count(DISTINCT record_id) FROM usefulness
WHERE tenant = :tenant GROUP BY event, surface ORDER BY event, surface;

-- name: add_effect
INSERT INTO effects (
    tenant, record_id, session, at, entry_id, cited, followed, error_gone, outcome, verified, verdict, points
)
SELECT :tenant, :record_id, :session, :at, :entry_id, :cited, :followed, :error_gone, :outcome, :verified, :verdict, :points
WHERE EXISTS (SELECT 1 FROM records r WHERE r.tenant = :tenant AND r.id = :record_id)
ON CONFLICT DO NOTHING;

-- name: delete_effects_of_session
DELETE FROM effects WHERE tenant = :tenant AND session = :session;

-- name: delete_effects
DELETE FROM effects WHERE tenant = :tenant AND record_id = :record_id;

-- name: copy_effects
INSERT INTO effects (
    tenant, record_id, session, at, entry_id, cited, followed, error_gone, outcome, verified, verdict, points
)
SELECT tenant, record_id, :new, at, entry_id, cited, followed, error_gone, outcome, verified, verdict, points
FROM effects WHERE tenant = :tenant AND session = :old
ON CONFLICT DO NOTHING;

-- name: list_effects
SELECT record_id, session, at, entry_id, cited, followed, error_gone, outcome, verified, verdict, points FROM effects
WHERE tenant = :tenant AND record_id = :record_id ORDER BY at, session;

-- name: list_effects_of_session
SELECT record_id, session, at, entry_id, cited, followed, error_gone, outcome, verified, verdict, points FROM effects
WHERE tenant = :tenant AND session = :session ORDER BY record_id;

-- name: tally_columns
record_id, count(*), count(CASE WHEN cited = 1 THEN 1 END), count(CASE WHEN followed <> '' THEN 1 END),
count(CASE WHEN error_gone = 1 THEN 1 END), count(CASE WHEN error_gone = 0 THEN 1 END),
count(CASE WHEN points > 0 THEN 1 END), count(CASE WHEN points < 0 THEN 1 END),
CAST(sum(CASE WHEN points > 0 THEN points ELSE 0 END) AS BIGINT), CAST(sum(CASE WHEN points < 0 THEN -points ELSE 0 END) AS BIGINT)

-- name: list_tallies
SELECT {tally_columns} FROM effects
WHERE tenant = :tenant AND record_id IN (SELECT value FROM json_each(:ids)) GROUP BY record_id ORDER BY record_id;

-- name: list_last_tallies
SELECT {tally_columns} FROM effects
WHERE tenant = :tenant GROUP BY record_id ORDER BY sum(points) DESC, record_id LIMIT :limit;

-- Embeddings

-- name: list_unembedded
SELECT r.id, r.body_seq, p.search
FROM records r JOIN history_payloads p ON p.tenant = r.tenant AND p.seq = r.body_seq
WHERE r.tenant = :tenant AND r.status <> 'retracted' AND r.kind NOT IN ('observation', 'state') AND NOT EXISTS (
    SELECT 1 FROM embeddings e
    WHERE e.tenant = r.tenant AND e.model = :model AND e.record_id = r.id AND e.passage = 0 AND e.body_seq = r.body_seq
)
ORDER BY r.body_seq DESC LIMIT :limit;

-- name: count_unembedded
SELECT count(*) FROM records r
WHERE r.tenant = :tenant AND r.status <> 'retracted' AND r.kind NOT IN ('observation', 'state') AND NOT EXISTS (
    SELECT 1 FROM embeddings e
    WHERE e.tenant = r.tenant AND e.model = :model AND e.record_id = r.id AND e.passage = 0 AND e.body_seq = r.body_seq
);

-- name: count_embeddings
SELECT model, count(DISTINCT record_id), count(*) FROM embeddings WHERE tenant = :tenant GROUP BY model ORDER BY model;

-- name: find_vector_end
SELECT count(*), coalesce(max(number), 0) FROM embeddings WHERE tenant = :tenant AND model = :model;

-- name: find_last_number
SELECT coalesce(max(number), 0) FROM embeddings WHERE tenant = :tenant AND model = :model;

-- name: list_vectors
SELECT record_id, vector FROM embeddings WHERE tenant = :tenant AND model = :model;

-- name: list_vectors_after
SELECT record_id, vector FROM embeddings
WHERE tenant = :tenant AND model = :model AND number > :after ORDER BY number;

-- name: find_body_seq
SELECT body_seq FROM records WHERE tenant = :tenant AND id = :record_id;

-- name: add_vector
INSERT INTO embeddings (tenant, model, record_id, passage, body_seq, number, vector)
VALUES (:tenant, :model, :record_id, :passage, :body_seq, :number, :vector);

-- name: delete_vectors
DELETE FROM embeddings WHERE tenant = :tenant AND model = :model AND record_id = :record_id;

-- name: delete_embeddings
DELETE FROM embeddings WHERE tenant = :tenant AND record_id = :record_id;

-- name: delete_other_models
DELETE FROM embeddings WHERE tenant = :tenant AND model <> :model;

-- name: list_seqs_of
SELECT id, seq FROM records WHERE tenant = :tenant AND id IN (SELECT value FROM json_each(:ids));

-- name: list_ids_by_seq
SELECT record_id FROM history WHERE tenant = :tenant AND seq IN (SELECT value FROM json_each(:seqs));

-- name: sum_spending_of
SELECT coalesce(sum(calls), 0), coalesce(sum(tokens), 0), coalesce(sum(micro_usd), 0) FROM spending
WHERE tenant = :tenant AND day = :day AND role = :role;

-- name: list_scopes
SELECT project, kind, agent, count(*) FROM records
WHERE tenant = :tenant AND status = 'active' GROUP BY project, kind, agent ORDER BY project, kind, agent;

-- Spending and deliveries

-- name: add_spending
INSERT INTO spending (tenant, day, role, calls, tokens, micro_usd)
VALUES (:tenant, :day, :role, :calls, :tokens, :micro_usd)
ON CONFLICT (tenant, day, role) DO UPDATE SET
    calls = spending.calls + excluded.calls, tokens = spending.tokens + excluded.tokens,
    micro_usd = spending.micro_usd + excluded.micro_usd;

-- name: sum_spending
SELECT coalesce(sum(calls), 0), coalesce(sum(tokens), 0), coalesce(sum(micro_usd), 0) FROM spending
WHERE tenant = :tenant AND day = :day AND role <> 'embed';

-- name: put_delivery
INSERT INTO deliveries (tenant, record_id, attempts, next_at, problem)
VALUES (:tenant, :record_id, :attempts, :next_at, :problem)
ON CONFLICT (tenant, record_id) DO UPDATE SET
    attempts = excluded.attempts, next_at = excluded.next_at, problem = excluded.problem;

-- name: delete_delivery
DELETE FROM deliveries WHERE tenant = :tenant AND record_id = :record_id;

-- name: list_deliveries
SELECT record_id, attempts, next_at, problem FROM deliveries
WHERE tenant = :tenant AND next_at <= :until ORDER BY next_at, record_id;

-- The hub's keys and kept answers

-- name: api_key_columns
id, hash, name, opens, project, role, created_by, created_at, expires_at, revoked_at, used_at

-- name: add_api_key
INSERT INTO api_keys (tenant, id, hash, name, opens, project, role, created_by, created_at, expires_at, revoked_at, used_at)
VALUES (:tenant, :id, :hash, :label, :opens, :project, :role, :created_by, :created_at, :expires_at, :revoked_at, :used_at);

-- name: find_api_key
SELECT {api_key_columns} FROM api_keys WHERE tenant = :tenant AND hash = :hash;

-- name: list_api_keys
SELECT {api_key_columns} FROM api_keys WHERE tenant = :tenant ORDER BY created_at, id;

-- name: revoke_api_key
UPDATE api_keys SET revoked_at = :at WHERE tenant = :tenant AND id = :id AND revoked_at IS NULL;

-- name: touch_api_key
UPDATE api_keys SET used_at = :at WHERE tenant = :tenant AND id = :id;

-- name: put_answer
INSERT INTO answers (tenant, caller, key, request, status, body, at) VALUES (:tenant, :caller, :key, :request, :status, :body, :at)
ON CONFLICT DO NOTHING;

-- name: find_answer
SELECT request, status, body, at FROM answers WHERE tenant = :tenant AND caller = :caller AND key = :key;

-- name: delete_answers
DELETE FROM answers WHERE tenant = :tenant AND at < :before;

-- name: count_entries
SELECT created_at / :day, project, agent, outcome, count(*) FROM records
WHERE tenant = :tenant AND kind = 'entry' AND status = 'active' AND created_at >= :since AND (:every = 1 OR project = :project)
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4;

-- Moving a whole tenant to another database. Slots are filled from the catalog, never from a user.

-- name: list_columns
SELECT m.name, p.name, p.pk FROM sqlite_master m JOIN pragma_table_info(m.name) p
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\'
ORDER BY m.name, p.cid;

-- name: dump_rows
SELECT {columns} FROM {table} WHERE tenant = :tenant{beyond} ORDER BY {key} LIMIT :limit;

-- name: load_row
INSERT INTO {table} (tenant, {columns}) VALUES (:tenant, {values}) ON CONFLICT DO NOTHING;

-- name: set_workspace
UPDATE workspaces SET workspace_id = :workspace_id, secret = :secret WHERE tenant = :tenant;
