-- The people of a tenant, what callers want of what is learned, what a person
-- overruled, and memories that expire.

ALTER TABLE conversation_context ADD COLUMN learn_as jsonb;
ALTER TABLE conversation_session ADD COLUMN removed int NOT NULL DEFAULT 0;
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

ALTER TABLE memory_scope
  ADD magnitude smallint GENERATED ALWAYS AS (floor(ln(greatest(memories, 1)) / ln(2))) STORED,
  ADD neighbour_model text,
  ADD neighbour_dimensions int,
  ADD neighbours_upto uuid,
  ADD neighbours_ready boolean NOT NULL DEFAULT false;
CREATE INDEX memory_scope_magnitude ON memory_scope (magnitude) WHERE magnitude >= 8;
CREATE INDEX memory_scope_neighbours ON memory_scope (tenant_id, user_id) WHERE neighbour_model IS NOT NULL;

CREATE TABLE memory_neighbour (
  scope_id  bigint NOT NULL,
  memory_id uuid NOT NULL,
  tenant_id text NOT NULL,
  embedding public.halfvec NOT NULL,
  PRIMARY KEY (scope_id, memory_id)
) PARTITION BY LIST (scope_id);
ALTER TABLE memory_neighbour ALTER COLUMN embedding SET STORAGE PLAIN;

CREATE FUNCTION memd_keep_neighbours() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE s record;
BEGIN
  FOR s IN SELECT id, neighbour_model AS model, neighbour_dimensions AS dimensions FROM memory_scope
            WHERE neighbour_model IS NOT NULL AND id IN (SELECT scope_id FROM changed) LOOP
    IF TG_OP <> 'INSERT' THEN
      DELETE FROM memory_neighbour WHERE scope_id = s.id AND memory_id = ANY (ARRAY(
        SELECT c.memory_id FROM changed c WHERE c.scope_id = s.id AND c.model = s.model AND (TG_OP = 'DELETE' OR NOT c.live)));
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO memory_neighbour (scope_id, memory_id, tenant_id, embedding)
      SELECT c.scope_id, c.memory_id, c.tenant_id, c.embedding FROM changed c
       WHERE c.scope_id = s.id AND c.model = s.model AND c.live AND public.vector_dims(c.embedding) = s.dimensions
      ON CONFLICT (scope_id, memory_id) DO UPDATE SET embedding = excluded.embedding;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER neighbours_insert AFTER INSERT ON memory_embedding
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memd_keep_neighbours();
CREATE TRIGGER neighbours_update AFTER UPDATE ON memory_embedding
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memd_keep_neighbours();
CREATE TRIGGER neighbours_delete AFTER DELETE ON memory_embedding
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memd_keep_neighbours();

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['person', 'memory_overruled', 'memory_neighbour'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = (SELECT nullif(current_setting(''memd.tenant'', true), '''')))', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO memd_app', t);
  END LOOP;
END $$;

CREATE POLICY sweep ON memory FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep ON memory_scope FOR SELECT TO CURRENT_USER USING (true);

-- What cannot be embedded is tried ever more rarely.
CREATE OR REPLACE FUNCTION memd_embedding_due(n int) RETURNS TABLE (tenant_id text, memory_id uuid)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE embedding_open o
     SET attempts = least(o.attempts + 1, 1000),
         next_attempt_at = now() + least(interval '2 s' * (1 + o.attempts) * (1 + o.attempts), interval '1 hour')
    FROM (SELECT d.memory_id FROM embedding_open d WHERE d.next_attempt_at <= now()
           ORDER BY d.next_attempt_at LIMIT n FOR UPDATE SKIP LOCKED) due
   WHERE o.memory_id = due.memory_id
  RETURNING o.tenant_id, o.memory_id
$$;

CREATE FUNCTION memd_expired(n int) RETURNS TABLE (tenant_id text, memory_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT m.tenant_id, m.id FROM memory m WHERE m.expires_at <= now() ORDER BY m.expires_at LIMIT n
$$;
REVOKE ALL ON FUNCTION memd_expired(int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memd_expired(int) TO memd_app;

CREATE FUNCTION memd_neighbours_due(model text, dimensions int, large int, n int) RETURNS TABLE (tenant_id text, scope_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  (SELECT s.tenant_id, s.id FROM memory_scope s
    WHERE s.neighbour_model IS NOT NULL
      AND (s.neighbour_model <> model OR s.neighbour_dimensions <> dimensions OR NOT s.neighbours_ready OR s.memories < large / 2)
    ORDER BY s.id LIMIT n)
  UNION ALL
  (SELECT s.tenant_id, s.id FROM memory_scope s
    WHERE s.neighbour_model IS NULL AND s.magnitude >= 8 AND s.magnitude >= floor(ln(large) / ln(2)) AND s.memories >= large
    ORDER BY s.id LIMIT n)
$$;

CREATE FUNCTION memd_neighbours_mine(scope bigint) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM FROM memory_scope s WHERE s.id = scope AND s.tenant_id = nullif(current_setting('memd.tenant', true), '');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the tenant has no such scope' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('memory_neighbour', scope));
END $$;

CREATE FUNCTION memd_neighbours_close(scope bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
BEGIN
  PERFORM memd_neighbours_mine(scope);
  EXECUTE format('DROP TABLE IF EXISTS %I', 'memory_neighbour_' || scope);
END $$;

CREATE FUNCTION memd_neighbours_build(scope bigint, of_model text, dimensions int, n int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET maintenance_work_mem = '512MB' SET max_parallel_maintenance_workers = 0 AS $$
DECLARE
  name text := 'memory_neighbour_' || scope;
  tenant text := current_setting('memd.tenant', true);
BEGIN
  PERFORM memd_neighbours_close(scope);
  EXECUTE format('CREATE TABLE %I (LIKE memory_neighbour INCLUDING STORAGE)', name);
  EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
  EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = (SELECT nullif(current_setting(''memd.tenant'', true), '''')))', name);
  EXECUTE format('INSERT INTO %I (scope_id, memory_id, tenant_id, embedding)
    SELECT scope_id, memory_id, tenant_id, embedding FROM memory_embedding
     WHERE scope_id = $1 AND model = $2 AND tenant_id = $3 AND live AND public.vector_dims(embedding) = $4 LIMIT $5', name)
    USING scope, of_model, tenant, dimensions, n;
  EXECUTE format('ALTER TABLE %I ADD PRIMARY KEY (scope_id, memory_id)', name);
  EXECUTE format('CREATE INDEX %I ON %I USING hnsw ((embedding::public.halfvec(%s)) public.halfvec_cosine_ops)', name || '_near', name, dimensions);
END $$;

CREATE FUNCTION memd_neighbours_attach(scope bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '30s' AS $$
BEGIN
  PERFORM memd_neighbours_mine(scope);
  EXECUTE format('ALTER TABLE memory_neighbour ATTACH PARTITION %I FOR VALUES IN (%s)', 'memory_neighbour_' || scope, scope);
END $$;
REVOKE ALL ON FUNCTION memd_neighbours_due(text, int, int, int), memd_neighbours_mine(bigint), memd_neighbours_close(bigint),
  memd_neighbours_build(bigint, text, int, int), memd_neighbours_attach(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memd_neighbours_due(text, int, int, int), memd_neighbours_close(bigint),
  memd_neighbours_build(bigint, text, int, int), memd_neighbours_attach(bigint) TO memd_app;

CREATE OR REPLACE FUNCTION memd_schema_version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2';
