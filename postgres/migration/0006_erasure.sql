-- People who can be erased: whoever brings one up holds their row, answers that are kept
-- know whom they are about, and what happened is found by its scope.

CREATE OR REPLACE FUNCTION memd_meet_person() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  LOOP
    INSERT INTO person (tenant_id, user_id) VALUES (NEW.tenant_id, NEW.user_id) ON CONFLICT DO NOTHING;
    PERFORM FROM person WHERE tenant_id = NEW.tenant_id AND user_id = NEW.user_id FOR KEY SHARE;
    EXIT WHEN FOUND;
  END LOOP;
  RETURN NULL;
END $$;

ALTER TABLE idempotency ADD COLUMN users text[];

CREATE TABLE erasure (
  tenant_id  text NOT NULL,
  user_key   bytea NOT NULL,
  receipt_id uuid NOT NULL,
  erased_at  timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_key)
);
CREATE INDEX erasure_erased ON erasure (erased_at);
ALTER TABLE erasure ENABLE ROW LEVEL SECURITY;
ALTER TABLE erasure FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON erasure USING (tenant_id = (SELECT nullif(current_setting('memd.tenant', true), '')));
GRANT SELECT, INSERT, UPDATE, DELETE ON erasure TO memd_app;
CREATE POLICY sweep ON erasure FOR DELETE TO CURRENT_USER USING (true);
CREATE POLICY sweep_read ON erasure FOR SELECT TO CURRENT_USER USING (true);

CREATE INDEX memory_history_scope ON memory_history (scope_id, id);

CREATE FUNCTION memd_neighbours_tidy() RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
  name text;
  n int := 0;
BEGIN
  FOR name IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
               WHERE i.inhparent = 'memory_neighbour'::regclass
                 AND NOT EXISTS (SELECT FROM memory_scope s WHERE s.id = substring(c.relname FROM '[0-9]+$')::bigint) LOOP
    EXECUTE format('DROP TABLE IF EXISTS %I', name);
    n := n + 1;
  END LOOP;
  RETURN n;
END $$;

CREATE OR REPLACE FUNCTION memd_expire_idempotency(n int) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH gone AS (
    DELETE FROM idempotency i USING (
      SELECT ctid AS at FROM idempotency WHERE created_at < now() - interval '24 hours' LIMIT n) old
     WHERE i.ctid = old.at RETURNING 1
  ), erased AS (
    DELETE FROM erasure WHERE erased_at < now() - interval '24 hours')
  SELECT count(*) FROM gone
$$;

REVOKE ALL ON FUNCTION memd_neighbours_tidy() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memd_neighbours_tidy() TO memd_app;

CREATE OR REPLACE FUNCTION memd_schema_version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 6';
