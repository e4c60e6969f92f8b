-- What is imported from elsewhere is kept until it is in, so that a restart loses nothing of it.

CREATE TABLE import_job (
  id          uuid PRIMARY KEY,
  tenant_id   text NOT NULL,
  users       text[] NOT NULL DEFAULT '{}',
  options     jsonb NOT NULL,
  source      bytea,
  state       text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'done', 'cancelled', 'failed')),
  attempts    int NOT NULL DEFAULT 0,
  lease_until timestamptz,
  totals      jsonb NOT NULL DEFAULT '{}',
  sent        jsonb NOT NULL DEFAULT '{}',
  errors      jsonb NOT NULL DEFAULT '[]',
  error       text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  ended_at    timestamptz
);
CREATE INDEX import_job_open ON import_job (created_at) WHERE state IN ('pending', 'running');
CREATE INDEX import_job_tenant ON import_job (tenant_id, id);
ALTER TABLE import_job ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_job FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON import_job USING (tenant_id = (SELECT nullif(current_setting('memd.tenant', true), '')));
GRANT SELECT, INSERT, UPDATE, DELETE ON import_job TO memd_app;
CREATE POLICY sweep ON import_job TO CURRENT_USER USING (true);

CREATE FUNCTION memd_import_due(lease interval) RETURNS TABLE (tenant_id text, id uuid, attempts int)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE import_job j SET state = 'running', attempts = j.attempts + 1, lease_until = now() + lease
   WHERE j.id = (SELECT d.id FROM import_job d
                  WHERE d.state = 'pending' OR d.state = 'running' AND d.lease_until <= now()
                  ORDER BY d.created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING j.tenant_id, j.id, j.attempts
$$;
REVOKE ALL ON FUNCTION memd_import_due(interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memd_import_due(interval) TO memd_app;

CREATE OR REPLACE FUNCTION memd_schema_version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 9';
