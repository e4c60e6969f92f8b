-- Where memories come from, what erasures took away, and which messages were deleted that an
-- import may still have, each in a table of its own; and what is open is counted by indexes.

CREATE TABLE memory_origin (
  tenant_id text NOT NULL,
  scope_id  bigint NOT NULL,
  origin    text NOT NULL,
  memory_id uuid NOT NULL,
  PRIMARY KEY (scope_id, origin, memory_id)
);
CREATE INDEX memory_origin_memory ON memory_origin (memory_id);

-- Moves what is there, a tenant at a time, since the owner too is held to one.
CREATE FUNCTION memd_move_origins() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  tenant text;
  ids uuid[];
BEGIN
  FOR tenant, ids IN
    WITH moved AS (
      INSERT INTO memory_origin AS o (tenant_id, scope_id, origin, memory_id)
      SELECT m.tenant_id, m.scope_id, substr(m.slot, 6), m.id FROM memory m WHERE m.verbatim AND starts_with(m.slot, 'from:')
      ON CONFLICT DO NOTHING RETURNING o.tenant_id, o.memory_id)
    SELECT moved.tenant_id, array_agg(moved.memory_id) FROM moved GROUP BY moved.tenant_id LOOP
    PERFORM set_config('memd.tenant', tenant, true);
    UPDATE memory SET slot = NULL WHERE tenant_id = tenant AND id = ANY (ids);
  END LOOP;
  FOR tenant IN SELECT DISTINCT tenant_id FROM memory_scope LOOP
    PERFORM set_config('memd.tenant', tenant, true);
    -- What was taken away: its memory is gone, or was rewritten.
    WITH gone AS (
      DELETE FROM memory_overruled WHERE tenant_id = tenant AND message_id < 0 RETURNING -message_id AS scope_id, hash, slot)
    INSERT INTO memory_origin (tenant_id, scope_id, origin, memory_id)
    SELECT tenant, g.scope_id, substr(g.hash, 6), g.slot::uuid FROM gone g JOIN memory_scope s ON s.id = g.scope_id AND s.tenant_id = tenant
    ON CONFLICT DO NOTHING;
  END LOOP;
  PERFORM set_config('memd.tenant', '', true);
END $$;

SELECT memd_move_origins();
-- Who changes memories waits from here on, for what came meanwhile; in the order in which they
-- take these locks.
LOCK TABLE memory_scope, memory, memory_overruled IN SHARE ROW EXCLUSIVE MODE;
SELECT memd_move_origins();
DROP FUNCTION memd_move_origins();
ALTER TABLE memory_origin ADD FOREIGN KEY (scope_id) REFERENCES memory_scope (id) ON DELETE CASCADE;
ALTER TABLE memory_origin ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory_origin FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON memory_origin USING (tenant_id = (SELECT nullif(current_setting('memd.tenant', true), '')));
GRANT SELECT, INSERT, UPDATE, DELETE ON memory_origin TO memd_app;

CREATE FUNCTION memd_origin_of_slot() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  name text := substr(NEW.slot, 6);
  theirs uuid[] := ARRAY(SELECT memory_id FROM memory_origin WHERE tenant_id = NEW.tenant_id AND scope_id = NEW.scope_id AND origin = name);
BEGIN
  IF TG_OP = 'INSERT' AND cardinality(theirs) > 0 AND NEW.id <> ALL (theirs) THEN
    RAISE EXCEPTION 'what comes from there is known' USING ERRCODE = 'serialization_failure';
  END IF;
  INSERT INTO memory_origin (tenant_id, scope_id, origin, memory_id) VALUES (NEW.tenant_id, NEW.scope_id, name, NEW.id)
  ON CONFLICT DO NOTHING;
  NEW.slot := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER origin BEFORE INSERT OR UPDATE OF slot ON memory
  FOR EACH ROW WHEN (NEW.verbatim AND starts_with(NEW.slot, 'from:')) EXECUTE FUNCTION memd_origin_of_slot();

CREATE FUNCTION memd_origin_overruled() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  RETURN NULL;
END $$;
CREATE TRIGGER origin BEFORE INSERT ON memory_overruled
  FOR EACH ROW WHEN (NEW.message_id < 0) EXECUTE FUNCTION memd_origin_overruled();

CREATE TABLE erasure_receipt (
  id        uuid PRIMARY KEY,
  tenant_id text NOT NULL,
  user_key  bytea NOT NULL,
  erased_at timestamptz NOT NULL,
  counts    jsonb
);
CREATE INDEX erasure_receipt_user ON erasure_receipt (tenant_id, user_key, id);
CREATE INDEX erasure_receipt_tenant ON erasure_receipt (tenant_id, id);
INSERT INTO erasure_receipt (id, tenant_id, user_key, erased_at) SELECT receipt_id, tenant_id, user_key, erased_at FROM erasure;
ALTER TABLE erasure_receipt ENABLE ROW LEVEL SECURITY;
ALTER TABLE erasure_receipt FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON erasure_receipt USING (tenant_id = (SELECT nullif(current_setting('memd.tenant', true), '')));
GRANT SELECT, INSERT, UPDATE, DELETE ON erasure_receipt TO memd_app;

CREATE FUNCTION memd_erasure_noted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO erasure_receipt (id, tenant_id, user_key, erased_at) VALUES (NEW.receipt_id, NEW.tenant_id, NEW.user_key, NEW.erased_at)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER receipt AFTER INSERT OR UPDATE OF receipt_id ON erasure
  FOR EACH ROW EXECUTE FUNCTION memd_erasure_noted();

CREATE TABLE message_removed (
  tenant_id  text NOT NULL,
  user_id    text NOT NULL,
  origin     bytea NOT NULL,
  message_id bigint NOT NULL,
  removed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, user_id, origin),
  FOREIGN KEY (tenant_id, user_id) REFERENCES person (tenant_id, user_id) ON DELETE CASCADE
);
ALTER TABLE message_removed ENABLE ROW LEVEL SECURITY;
ALTER TABLE message_removed FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON message_removed USING (tenant_id = (SELECT nullif(current_setting('memd.tenant', true), '')));
GRANT SELECT, INSERT, UPDATE, DELETE ON message_removed TO memd_app;

CREATE OR REPLACE FUNCTION memd_backlog() RETURNS TABLE (state text, n bigint, oldest_s double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT 'pending', count(*), greatest(extract(epoch FROM now() - min(o.opened_at)), 0)::double precision
    FROM ingest_open o WHERE o.state = 'pending' HAVING count(*) > 0
  UNION ALL
  SELECT o.state, count(*), greatest(extract(epoch FROM now() - min(o.opened_at)), 0)::double precision
    FROM ingest_open o WHERE o.state || '' <> 'pending' GROUP BY o.state
  UNION ALL
  SELECT e.state, count(*), greatest(extract(epoch FROM now() - min(e.settled_at)), 0)::double precision
    FROM ingest_settled e WHERE e.state = 'dead' GROUP BY e.state
$$;

-- Last, since what is said waits for it: a second for each million that are open.
CREATE INDEX ingest_open_pending ON ingest_open (tenant_id, opened_at) WHERE state = 'pending';
CREATE INDEX ingest_open_begun ON ingest_open (tenant_id, state, opened_at) WHERE state || '' <> 'pending';

CREATE OR REPLACE FUNCTION memd_schema_version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 10';
