-- The vocabulary of the store, in SQLite's dialect. `-- name:` begins a query; {name} is a slot filled from this file only.
-- Another dialect defines the same names with the same parameters.

-- name: find_workspace
SELECT workspace_id, secret, seq, link, head FROM workspaces WHERE tenant = :tenant;

-- name: add_workspace
INSERT INTO workspaces (tenant, workspace_id, secret, seq, link, head)
VALUES (:tenant, :workspace_id, :secret, 0, 0, '')
ON CONFLICT (tenant) DO NOTHING;

-- name: advance_workspace
UPDATE workspaces SET seq = :seq, link = :link, head = :head WHERE tenant = :tenant;

-- Records

-- name: find_head
SELECT digest, status, revision FROM records WHERE tenant = :tenant AND id = :id;

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

-- name: add_tag
INSERT INTO record_tags (tenant, tag, record_id) VALUES (:tenant, :tag, :record_id) ON CONFLICT DO NOTHING;

-- name: delete_tags
DELETE FROM record_tags WHERE tenant = :tenant AND record_id = :record_id;

-- name: put_search_text
INSERT INTO search_texts (tenant, record_id, title, errors, fixes, tags, body, files, tools, fingerprints, fixed_fingerprints)
VALUES (:tenant, :record_id, :title, :errors, :fixes, :tags, :body, :files, :tools, :fingerprints, :fixed_fingerprints)
ON CONFLICT (tenant, record_id) DO UPDATE SET
    title = excluded.title, errors = excluded.errors, fixes = excluded.fixes, tags = excluded.tags, body = excluded.body,
    files = excluded.files, tools = excluded.tools, fingerprints = excluded.fingerprints,
    fixed_fingerprints = excluded.fixed_fingerprints;

-- name: find_search_text
SELECT title, errors, fixes, tags, body, files, tools, fingerprints, fixed_fingerprints
FROM search_texts WHERE tenant = :tenant AND record_id = :record_id;

-- name: record_columns
r.id, r.kind, r.namespace, r.project, r.agent, r.workflow, r.task_id, r.session_id, r.outcome, r.verified, r.title, r.tags,
r.trust, r.status, r.created_at, r.updated_at, r.revision, r.digest, r.seq, p.payload

-- name: find_record
SELECT {record_columns}
FROM records r LEFT JOIN history_payloads p ON p.tenant = r.tenant AND p.seq = r.body_seq
WHERE r.tenant = :tenant AND r.id = :id;

-- name: list_records_by_seq
SELECT c.seq, {record_columns}
FROM changes c
JOIN records r ON r.tenant = c.tenant AND r.id = c.record_id
LEFT JOIN history_payloads p ON p.tenant = r.tenant AND p.seq = r.body_seq
WHERE c.tenant = :tenant AND c.seq IN (SELECT value FROM json_each(:seqs));

-- name: list_hits
SELECT c.seq, r.id, r.kind, r.status, r.trust, r.namespace, r.project, r.agent, r.workflow, r.task_id, r.session_id, r.outcome,
    r.verified, r.title, r.tags, r.created_at, r.updated_at, s.errors, s.fixes, s.body
FROM changes c
JOIN records r ON r.tenant = c.tenant AND r.id = c.record_id
LEFT JOIN search_texts s ON s.tenant = r.tenant AND s.record_id = r.id
WHERE c.tenant = :tenant AND c.seq IN (SELECT value FROM json_each(:seqs)) AND r.status <> 'retracted';

-- name: where_kinds
r.kind IN (SELECT value FROM json_each(:kinds))

-- name: where_project
r.project = :project

-- name: where_agent
r.agent = :agent

-- name: where_workflow
r.workflow = :workflow

-- name: where_outcome
r.outcome = :outcome

-- name: where_tag
r.id IN (SELECT t.record_id FROM record_tags t WHERE t.tenant = :tenant AND t.tag = :tag)

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

-- name: count_records
SELECT count(*) FROM records r WHERE r.tenant = :tenant{where};

-- name: list_exact_ids
SELECT r.id, r.kind, r.id = :wanted FROM records r
WHERE r.tenant = :tenant AND r.status = 'active' AND (r.id = :wanted OR r.task_id = :wanted)
ORDER BY r.id;

-- name: list_ids_with_prefix
SELECT r.id, r.kind FROM records r
WHERE r.tenant = :tenant AND r.status = 'active'
    AND ((r.id >= :wanted AND r.id < :beyond) OR (r.task_id >= :wanted AND r.task_id < :beyond))
ORDER BY r.id;

-- Change log and history

-- name: add_change
INSERT INTO changes (tenant, seq, record_id, op) VALUES (:tenant, :seq, :record_id, :op);

-- name: list_changes
SELECT seq, record_id, op FROM changes WHERE tenant = :tenant AND seq > :after ORDER BY seq LIMIT :limit;

-- name: add_link
INSERT INTO history_links (tenant, link, at, actor, events, hash) VALUES (:tenant, :link, :at, :actor, :events, :hash);

-- name: add_event
INSERT INTO history (tenant, seq, link, record_id, action, revision, commitment)
VALUES (:tenant, :seq, :link, :record_id, :action, :revision, :commitment);

-- name: add_payload
INSERT INTO history_payloads (tenant, seq, salt, payload) VALUES (:tenant, :seq, :salt, :payload);

-- name: find_last_payload
SELECT p.payload FROM history h JOIN history_payloads p ON p.tenant = h.tenant AND p.seq = h.seq
WHERE h.tenant = :tenant AND h.record_id = :record_id ORDER BY h.seq DESC LIMIT 1;

-- name: delete_payloads
DELETE FROM history_payloads
WHERE tenant = :tenant AND seq IN (SELECT h.seq FROM history h WHERE h.tenant = :tenant AND h.record_id = :record_id);

-- name: list_events
SELECT h.seq, h.record_id, h.action, l.actor, l.at, h.revision, h.commitment, p.payload
FROM history h
JOIN history_links l ON l.tenant = h.tenant AND l.link = h.link
LEFT JOIN history_payloads p ON p.tenant = h.tenant AND p.seq = h.seq
WHERE h.tenant = :tenant AND h.seq > :after ORDER BY h.seq LIMIT :limit;

-- name: list_record_events
SELECT h.seq, h.record_id, h.action, l.actor, l.at, h.revision, h.commitment, p.payload
FROM history h
JOIN history_links l ON l.tenant = h.tenant AND l.link = h.link
LEFT JOIN history_payloads p ON p.tenant = h.tenant AND p.seq = h.seq
WHERE h.tenant = :tenant AND h.record_id = :record_id AND h.seq > :after ORDER BY h.seq LIMIT :limit;

-- name: list_links
SELECT link, at, actor, events, hash FROM history_links WHERE tenant = :tenant AND link > :after ORDER BY link LIMIT :limit;

-- name: list_raw_events
SELECT h.seq, h.link, h.record_id, h.action, h.revision, h.commitment, p.salt, p.payload
FROM history h LEFT JOIN history_payloads p ON p.tenant = h.tenant AND p.seq = h.seq
WHERE h.tenant = :tenant AND h.seq > :after ORDER BY h.seq LIMIT :limit;

-- name: list_erasures
SELECT record_id, max(seq) FROM history WHERE tenant = :tenant AND action = 'erase' GROUP BY record_id;

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
INSERT INTO tombstones (tenant, kind, hash, at, actor) VALUES (:tenant, :kind, :hash, :at, :actor) ON CONFLICT DO NOTHING;

-- name: find_tombstone
SELECT 1 FROM tombstones WHERE tenant = :tenant AND kind = :kind AND hash = :hash;

-- name: add_publication
INSERT INTO publications (tenant, record_id, kind, path) VALUES (:tenant, :record_id, :kind, :path) ON CONFLICT DO NOTHING;

-- name: delete_publications
DELETE FROM publications WHERE tenant = :tenant AND record_id = :record_id;

-- name: find_publication
SELECT path FROM publications WHERE tenant = :tenant AND record_id = :record_id AND kind = :kind;

-- name: find_publication_by_path
SELECT record_id FROM publications WHERE tenant = :tenant AND kind = :kind AND path = :path ORDER BY record_id LIMIT 1;

-- name: delete_usefulness
DELETE FROM usefulness WHERE tenant = :tenant AND record_id = :record_id;

-- Checking

-- name: list_records_to_check
SELECT {record_columns}, e.payload, s.title, s.errors, s.fixes, s.tags, s.body, s.files, s.tools, s.fingerprints, s.fixed_fingerprints
FROM records r
LEFT JOIN history_payloads p ON p.tenant = r.tenant AND p.seq = r.body_seq
LEFT JOIN history_payloads e ON e.tenant = r.tenant AND e.seq = r.seq
LEFT JOIN search_texts s ON s.tenant = r.tenant AND s.record_id = r.id
WHERE r.tenant = :tenant AND r.id > :after ORDER BY r.id LIMIT :limit;

-- name: list_tags
SELECT tag FROM record_tags WHERE tenant = :tenant AND record_id = :record_id ORDER BY tag;

-- name: list_unsettled
SELECT h.record_id, h.seq, r.seq
FROM history h LEFT JOIN records r ON r.tenant = h.tenant AND r.id = h.record_id
WHERE h.tenant = :tenant
    AND NOT EXISTS (SELECT 1 FROM history l WHERE l.tenant = h.tenant AND l.record_id = h.record_id AND l.seq > h.seq)
    AND ((r.id IS NULL AND h.action <> 'erase') OR r.seq <> h.seq)
ORDER BY h.record_id;

-- name: list_wrong_changes
SELECT c.seq, c.record_id
FROM changes c
LEFT JOIN history h ON h.tenant = c.tenant AND h.seq = c.seq AND h.record_id = c.record_id
LEFT JOIN records r ON r.tenant = c.tenant AND r.id = c.record_id AND r.seq = c.seq
WHERE c.tenant = :tenant
    AND (h.seq IS NULL OR (r.seq IS NOT NULL AND (r.status = 'retracted') <> (c.op = 'remove')) OR (h.action = 'erase' AND c.op <> 'remove'))
UNION ALL
SELECT r.seq, r.id
FROM records r LEFT JOIN changes c ON c.tenant = r.tenant AND c.seq = r.seq
WHERE r.tenant = :tenant AND c.seq IS NULL
ORDER BY 1;
