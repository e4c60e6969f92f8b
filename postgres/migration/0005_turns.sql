-- From schema 4 to 5: tenants, and the people of a tenant, take turns at being learned from.

ALTER TABLE ingest_open ADD COLUMN lot bigint NOT NULL DEFAULT 0;
CREATE INDEX ingest_open_turn ON ingest_open (priority, tenant_id, lot, publish_at);

-- Takes open messages of a priority whose time to be published again has come, and sets
-- their next time by what each has been through: up to n, and up to room for a tenant, less
-- what it has in the queue (held, of tenants in order); each tenant's first before any one's
-- second, and within a tenant each person's. People beyond the first few dozen take turns at
-- random; so that nobody depends on luck, some are taken because they are due the longest.
CREATE FUNCTION memd_due_in_turn(n int, prio int, room int, tenants text[], held int[])
RETURNS TABLE (tenant_id text, session_no bigint, message_id bigint, priority smallint, publishes int)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH RECURSIVE tenant (id) AS (
    (SELECT o.tenant_id FROM ingest_open o WHERE o.priority = prio ORDER BY o.tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT o.tenant_id FROM ingest_open o WHERE o.priority = prio AND o.tenant_id > t.id ORDER BY o.tenant_id LIMIT 1)
      FROM tenant t WHERE t.id IS NOT NULL
  ), roomy AS MATERIALIZED (
    SELECT t.id, room - coalesce(h.n, 0) AS room, greatest(4, 2000 / count(*) OVER ()) AS people
      FROM tenant t LEFT JOIN unnest(tenants, held) AS h (id, n) ON h.id = t.id
     WHERE t.id IS NOT NULL AND coalesce(h.n, 0) < room
  ), start AS MATERIALIZED (
    SELECT ((random() - 0.5) * 18446744073709549568)::bigint AS lot
  ), part (low, high) AS (
    SELECT lot, 9223372036854775807 FROM start UNION ALL SELECT -9223372036854775808, lot - 1 FROM start
  ), person (tenant_id, lot, high, nth, most, room) AS (
    SELECT r.id, (SELECT o.lot FROM ingest_open o WHERE o.priority = prio AND o.tenant_id = r.id AND o.lot >= p.low ORDER BY o.lot LIMIT 1), p.high, 1, least(r.people, 64), r.room
      FROM roomy r CROSS JOIN part p
    UNION ALL
    SELECT p.tenant_id, (SELECT o.lot FROM ingest_open o WHERE o.priority = prio AND o.tenant_id = p.tenant_id AND o.lot > p.lot ORDER BY o.lot LIMIT 1), p.high, p.nth + 1, p.most, p.room
      FROM person p WHERE p.lot <= p.high AND p.nth < p.most
  ), offered AS (
    SELECT p.tenant_id, p.room, d.message_id, d.nth
      FROM person p CROSS JOIN LATERAL (
        SELECT o.message_id, row_number() OVER (ORDER BY o.publish_at) AS nth FROM ingest_open o
         WHERE o.priority = prio AND o.tenant_id = p.tenant_id AND o.lot = p.lot AND o.publish_at <= now()
           AND (o.state = 'pending' OR o.state = 'failed' AND o.next_attempt_at <= now() OR o.state = 'running' AND o.lease_until <= now())
         ORDER BY o.publish_at LIMIT p.room) d
     WHERE p.lot <= p.high
    UNION ALL
    SELECT oldest.tenant_id, r.room, oldest.message_id, 1
      FROM (SELECT o.tenant_id, o.message_id FROM ingest_open o
             WHERE o.priority = prio AND o.publish_at <= now()
               AND (o.state = 'pending' OR o.state = 'failed' AND o.next_attempt_at <= now() OR o.state = 'running' AND o.lease_until <= now())
             ORDER BY o.publish_at LIMIT 8) oldest JOIN roomy r ON r.id = oldest.tenant_id
  ), ranked AS (
    SELECT o.message_id, o.room, row_number() OVER (PARTITION BY o.tenant_id ORDER BY min(o.nth), random()) AS nth
      FROM offered o GROUP BY o.tenant_id, o.message_id, o.room
  ), due AS (
    SELECT d.message_id FROM ingest_open d
     WHERE d.message_id = ANY (ARRAY(SELECT k.message_id FROM ranked k WHERE k.nth <= k.room ORDER BY k.nth, random() LIMIT n))
       AND d.publish_at <= now()
       FOR UPDATE SKIP LOCKED
  )
  UPDATE ingest_open o
     SET publishes = o.publishes + 1,
         publish_at = now() + least(interval '30 s' * (1 + o.publishes), interval '5 min')
    FROM due WHERE o.message_id = due.message_id
  RETURNING o.tenant_id, o.session_no, o.message_id, o.priority, o.publishes
$$;

CREATE INDEX ingest_settled_dead ON ingest_settled (settled_at) WHERE state = 'dead';

-- Sums over all tenants, for the metrics: of what is open by state, and of what is dead.
CREATE OR REPLACE FUNCTION memd_backlog() RETURNS TABLE (state text, n bigint, oldest_s double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT o.state, count(*), extract(epoch FROM now() - min(o.opened_at))::double precision
    FROM ingest_open o GROUP BY o.state
  UNION ALL
  SELECT e.state, count(*), extract(epoch FROM now() - min(e.settled_at))::double precision
    FROM ingest_settled e WHERE e.state = 'dead' GROUP BY e.state
$$;

REVOKE ALL ON FUNCTION memd_due_in_turn(int, int, int, text[], int[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memd_due_in_turn(int, int, int, text[], int[]) TO memd_app;

CREATE OR REPLACE FUNCTION memd_schema_version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 5';
