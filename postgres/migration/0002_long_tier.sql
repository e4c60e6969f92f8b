-- The people of a tenant, what callers want of what is learned, what a person
-- overruled, and memories that expire.

ALTER TABLE conversation_context ADD COLUMN learn_as jsonb;
ALTER TABLE memory ADD COLUMN edited text[] NOT NULL DEFAULT '{}';
CREATE INDEX memory_expiring ON memory (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memory_superseded ON memory (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE person (
  no         bigint GENERATED ALWAYS AS IDENTITY,
  tenant_id  text NOT NULL,
  user_id    text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, user_id)
);
CREATE UNIQUE INDEX person_no ON person (tenant_id, no);

-- The owner is held to row-level security as well; what is there already belongs to
-- all tenants. The policies of the tables come back as they were.
ALTER TABLE conversation_session NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_scope NO FORCE ROW LEVEL SECURITY;
INSERT INTO person (tenant_id, user_id, created_at)
SELECT tenant_id, user_id, min(created_at) FROM (
  SELECT tenant_id, user_id, created_at FROM conversation_session WHERE user_id <> ''
  UNION ALL SELECT tenant_id, user_id, now() FROM memory_scope WHERE user_id <> '') known
 GROUP BY tenant_id, user_id ORDER BY min(created_at), tenant_id, user_id;
ALTER TABLE conversation_session FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_scope FORCE ROW LEVEL SECURITY;

CREATE FUNCTION memd_meet_person() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO person (tenant_id, user_id) VALUES (NEW.tenant_id, NEW.user_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER person AFTER INSERT ON conversation_session
  FOR EACH ROW WHEN (NEW.user_id <> '') EXECUTE FUNCTION memd_meet_person();
CREATE TRIGGER person AFTER INSERT ON memory_scope
  FOR EACH ROW WHEN (NEW.user_id <> '') EXECUTE FUNCTION memd_meet_person();

CREATE TABLE memory_overruled (
  tenant_id  text NOT NULL,
  message_id bigint NOT NULL,
  hash       text NOT NULL,
  slot       text,
  at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (message_id, hash)
);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['person', 'memory_overruled'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = (SELECT nullif(current_setting(''memd.tenant'', true), '''')))', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO memd_app', t);
  END LOOP;
END $$;

CREATE POLICY sweep ON memory FOR SELECT TO CURRENT_USER USING (true);

CREATE FUNCTION memd_expired(n int) RETURNS TABLE (tenant_id text, memory_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT m.tenant_id, m.id FROM memory m WHERE m.expires_at <= now() ORDER BY m.expires_at LIMIT n
$$;
REVOKE ALL ON FUNCTION memd_expired(int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memd_expired(int) TO memd_app;

CREATE OR REPLACE FUNCTION memd_schema_version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2';
