-- Memories follow from what was said when: each time that something was stated, what a
-- speaker asked to be forgotten, what a person made current again, and what undoing needs.

ALTER TABLE memory ADD COLUMN subject text NOT NULL DEFAULT '';
ALTER TABLE memory ADD COLUMN value text NOT NULL DEFAULT '';
CREATE INDEX memory_by_slot ON memory (scope_id, slot) WHERE slot IS NOT NULL;
ALTER TABLE memory_history ADD COLUMN before jsonb;

CREATE TABLE memory_mention (
  memory_id   uuid NOT NULL,
  message_id  bigint NOT NULL,
  part        int NOT NULL,
  tenant_id   text NOT NULL,
  scope_id    bigint NOT NULL,
  actor_id    text,
  role        text NOT NULL,
  sources     bigint[] NOT NULL,
  said_at     timestamptz NOT NULL,
  session_id  text NOT NULL,
  position    int NOT NULL,
  memory      text NOT NULL,
  hash        text NOT NULL,
  slot        text,
  subject     text NOT NULL DEFAULT '',
  value       text NOT NULL DEFAULT '',
  negated     boolean NOT NULL DEFAULT false,
  occurred_at timestamptz,
  categories  text[] NOT NULL DEFAULT '{}',
  extractor   text,
  gone        text CHECK (gone IN ('forgotten', 'deleted')),
  PRIMARY KEY (memory_id, message_id, part)
);
CREATE INDEX memory_mention_gone_hash ON memory_mention (scope_id, hash) WHERE gone IS NOT NULL;
CREATE INDEX memory_mention_gone_slot ON memory_mention (scope_id, slot) WHERE gone IS NOT NULL AND slot IS NOT NULL;

CREATE TABLE memory_forgotten (
  message_id bigint NOT NULL,
  part       int NOT NULL,
  tenant_id  text NOT NULL,
  scope_id   bigint NOT NULL,
  actor_id   text NOT NULL DEFAULT '',
  role       text NOT NULL,
  sources    bigint[] NOT NULL,
  said_at    timestamptz NOT NULL,
  session_id text NOT NULL,
  position   int NOT NULL,
  hash       text NOT NULL,
  slot       text,
  subject    text NOT NULL DEFAULT '',
  value      text NOT NULL DEFAULT '',
  memories   uuid[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (message_id, part, role, actor_id)
);
CREATE INDEX memory_forgotten_scope ON memory_forgotten (scope_id);

CREATE TABLE memory_retained (
  scope_id   bigint NOT NULL,
  hash       text NOT NULL,
  message_id bigint NOT NULL,
  tenant_id  text NOT NULL,
  at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (scope_id, hash, message_id)
);
CREATE INDEX memory_retained_message ON memory_retained (message_id);

-- What is remembered already was said by each of its messages, as far as the log has them:
-- those of who says it, the first of them together with the others.
ALTER TABLE memory NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_source NO FORCE ROW LEVEL SECURITY;
ALTER TABLE conversation_context NO FORCE ROW LEVEL SECURITY;
INSERT INTO memory_mention (memory_id, message_id, part, tenant_id, scope_id, actor_id, role, sources, said_at, session_id, position,
       memory, hash, slot, negated, occurred_at, categories, extractor)
SELECT m.id, x.message_id, 0, m.tenant_id, m.scope_id, m.actor_id, m.role,
       CASE WHEN x.n = 1 THEN x.message_id || ARRAY(SELECT y.message_id FROM memory_source y JOIN conversation_context d ON d.id = y.message_id
              WHERE y.memory_id = m.id AND d.role <> m.role) ELSE ARRAY[x.message_id] END,
       x.said_at, x.session_id, x.position, m.memory, m.hash, m.slot, m.negated, m.occurred_at, m.categories, m.extractor
  FROM memory m
 CROSS JOIN LATERAL (
   SELECT s.message_id, coalesce(c.session_id, '') AS session_id, s.position, coalesce(c.created_at, m.valid_from) AS said_at,
          row_number() OVER (ORDER BY coalesce(c.created_at, m.valid_from), c.session_id, s.position) AS n
     FROM memory_source s LEFT JOIN conversation_context c ON c.id = s.message_id
    WHERE s.memory_id = m.id AND (c.role IS NULL OR c.role = m.role)) x
 WHERE NOT m.verbatim;
ALTER TABLE memory FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_source FORCE ROW LEVEL SECURITY;
ALTER TABLE conversation_context FORCE ROW LEVEL SECURITY;

ALTER TABLE ingest_open ADD COLUMN again boolean NOT NULL DEFAULT false;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['memory_mention', 'memory_forgotten', 'memory_retained'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = (SELECT nullif(current_setting(''memd.tenant'', true), '''')))', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO memd_app', t);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION memd_schema_version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 3';
