-- Sessions that turn over: what follows a session and when it is to be followed, whether
-- it is learned from and outlives its end, a tenant's own settings, and summaries of what
-- has left a session's window.

ALTER TABLE conversation_session ADD COLUMN next_session_id text;
ALTER TABLE conversation_session ADD COLUMN forwards_to text;
ALTER TABLE conversation_session ADD COLUMN turns int NOT NULL DEFAULT 0;
ALTER TABLE conversation_session ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE conversation_session ADD COLUMN heard_at timestamptz;
ALTER TABLE conversation_session ADD COLUMN learn boolean NOT NULL DEFAULT true;
ALTER TABLE conversation_session ADD COLUMN incognito boolean NOT NULL DEFAULT false;
ALTER TABLE conversation_session ADD COLUMN rotate_idle interval;
ALTER TABLE conversation_session ADD COLUMN rotate_turns int;
ALTER TABLE conversation_session ADD COLUMN rotate_tokens bigint;
ALTER TABLE conversation_session ADD COLUMN rotate_age interval;
CREATE INDEX conversation_session_incognito ON conversation_session (no) WHERE incognito;
ALTER TABLE conversation_session NO FORCE ROW LEVEL SECURITY;
ALTER TABLE conversation_context NO FORCE ROW LEVEL SECURITY;
UPDATE conversation_session s SET turns = said.turns, bytes = said.bytes, heard_at = said.heard_at
  FROM (SELECT session_no, count(*) FILTER (WHERE role = 'user') AS turns, sum(octet_length(message)) AS bytes, max(received_at) AS heard_at
          FROM conversation_context GROUP BY session_no) said
 WHERE said.session_no = s.no;
ALTER TABLE conversation_session FORCE ROW LEVEL SECURITY;
ALTER TABLE conversation_context FORCE ROW LEVEL SECURITY;

CREATE INDEX conversation_context_received ON conversation_context USING brin (received_at);

ALTER TABLE person ADD COLUMN learn boolean NOT NULL DEFAULT true;

CREATE INDEX ingest_settled_marked ON ingest_settled (settled_at) WHERE extractor LIKE '%(llm: %';

CREATE TABLE tenant_setting (
  tenant_id     text PRIMARY KEY,
  rotate_idle   interval,
  rotate_turns  int,
  rotate_tokens bigint,
  rotate_age    interval,
  keep_messages interval,
  updated_at    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE session_summary (
  session_no bigint PRIMARY KEY,
  tenant_id  text NOT NULL,
  upto       bigint NOT NULL,
  summary    text NOT NULL,
  model      text NOT NULL,
  made_at    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE summary_due (
  session_no  bigint PRIMARY KEY,
  tenant_id   text NOT NULL,
  attempts    smallint NOT NULL DEFAULT 0,
  due_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX summary_due_at ON summary_due (due_at);

CREATE FUNCTION memd_summary_due(n int, lease interval) RETURNS TABLE (tenant_id text, session_no bigint, attempts smallint)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE summary_due d SET due_at = now() + lease, attempts = d.attempts + 1
    FROM (SELECT session_no FROM summary_due WHERE due_at <= now() ORDER BY due_at LIMIT n FOR UPDATE SKIP LOCKED) due
   WHERE d.session_no = due.session_no
  RETURNING d.tenant_id, d.session_no, d.attempts
$$;

CREATE FUNCTION memd_incognito_over(idle interval, n int) RETURNS TABLE (tenant_id text, user_id text, session_id text)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT s.tenant_id, s.user_id, s.session_id FROM conversation_session s
   WHERE s.incognito AND s.closed_at IS NULL AND coalesce(s.heard_at, s.created_at) < now() - idle
   ORDER BY s.no LIMIT n
$$;

CREATE FUNCTION memd_messages_over(keep interval, n int) RETURNS TABLE (tenant_id text, session_no bigint, message_ids bigint[])
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT old.tenant_id, old.session_no, array_agg(old.id ORDER BY old.id)
    FROM (SELECT c.tenant_id, c.session_no, c.id
            FROM conversation_context c LEFT JOIN tenant_setting t ON t.tenant_id = c.tenant_id
           WHERE c.received_at < now() - (SELECT least(nullif(keep, interval '0'), min(nullif(keep_messages, interval '0'))) FROM tenant_setting)
             AND c.received_at < now() - nullif(coalesce(t.keep_messages, keep), interval '0')
             AND NOT EXISTS (SELECT FROM ingest_open o WHERE o.message_id = c.id)
           LIMIT n) old
   GROUP BY old.tenant_id, old.session_no ORDER BY old.session_no
$$;

CREATE FUNCTION memd_marked(n int) RETURNS TABLE (tenant_id text, session_no bigint, message_ids bigint[])
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT due.tenant_id, due.session_no, array_agg(due.id ORDER BY due.id)
    FROM (SELECT c.tenant_id, c.session_no, c.id
            FROM ingest_settled e JOIN conversation_context c ON c.id = e.message_id AND c.learn
            JOIN conversation_session s ON s.no = c.session_no AND s.learn
           WHERE e.extractor LIKE '%(llm: %' AND e.state = 'done'
             AND NOT EXISTS (SELECT FROM person p WHERE p.tenant_id = c.tenant_id AND p.user_id = c.user_id AND NOT p.learn)
             AND e.extractor ~ '\(llm: (unavailable|timeout|rate_limited|unauthorized)\)'
             AND e.settled_at < now() - least(greatest(e.settled_at - c.received_at, interval '1 min'), interval '1 day')
           ORDER BY e.settled_at LIMIT n) due
   GROUP BY due.tenant_id, due.session_no ORDER BY due.session_no
$$;

ALTER TABLE memory_forgotten ADD COLUMN negated boolean NOT NULL DEFAULT false;
ALTER TABLE memory_forgotten ADD COLUMN slip boolean NOT NULL DEFAULT false;
ALTER TABLE memory_overruled ADD COLUMN alone boolean NOT NULL DEFAULT false;
ALTER TABLE memory_overruled ADD COLUMN terms int[] NOT NULL DEFAULT '{}';

-- What a person wrote is about what its words say, not about what those before said.
ALTER TABLE memory NO FORCE ROW LEVEL SECURITY;
UPDATE memory SET slot = NULL, subject = '', value = '', negated = false WHERE 'memory' = ANY (edited) AND slot IS NOT NULL AND valid_to IS NULL;
UPDATE memory SET value = '', edited = edited || '{about}' WHERE 'memory' = ANY (edited) AND slot IS NOT NULL;
ALTER TABLE memory FORCE ROW LEVEL SECURITY;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['tenant_setting', 'session_summary', 'summary_due'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = (SELECT nullif(current_setting(''memd.tenant'', true), '''')))', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO memd_app', t);
  END LOOP;
END $$;

CREATE POLICY sweep ON summary_due TO CURRENT_USER USING (true);
CREATE POLICY sweep ON conversation_session FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep ON conversation_context FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep ON tenant_setting FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep ON ingest_settled FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep ON person FOR SELECT TO CURRENT_USER USING (true);

REVOKE ALL ON FUNCTION memd_summary_due(int, interval), memd_incognito_over(interval, int), memd_messages_over(interval, int), memd_marked(int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memd_summary_due(int, interval), memd_incognito_over(interval, int), memd_messages_over(interval, int), memd_marked(int) TO memd_app;

CREATE OR REPLACE FUNCTION memd_schema_version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 4';
