-- A clock that is put back: what was put off by it is due, what is kept is so from now on.

CREATE POLICY sweep_ahead ON idempotency FOR UPDATE TO CURRENT_USER USING (true);
CREATE POLICY sweep_ahead ON erasure FOR UPDATE TO CURRENT_USER USING (true);
CREATE POLICY sweep_ahead ON conversation_session FOR UPDATE TO CURRENT_USER USING (true);
CREATE POLICY sweep_ahead ON conversation_context FOR UPDATE TO CURRENT_USER USING (true);

CREATE FUNCTION memd_due_ahead(lease interval) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH vectors AS (
    UPDATE embedding_open o SET next_attempt_at = now()
      FROM (SELECT d.memory_id FROM embedding_open d WHERE d.next_attempt_at > now() + interval '1 hour' LIMIT 1000 FOR UPDATE SKIP LOCKED) a
     WHERE o.memory_id = a.memory_id
  ), summaries AS (
    UPDATE summary_due o SET due_at = now()
      FROM (SELECT d.session_no FROM summary_due d WHERE d.due_at > now() + interval '1 hour' LIMIT 1000 FOR UPDATE SKIP LOCKED) a
     WHERE o.session_no = a.session_no
  ), mended AS (
    UPDATE ingest_open o
       SET opened_at = least(o.opened_at, now()),
           lease_until = CASE o.state WHEN 'running' THEN now() + lease END,
           next_attempt_at = CASE o.state WHEN 'failed' THEN now() END,
           publish_at = CASE o.state WHEN 'running' THEN now() + lease ELSE now() END
      FROM (SELECT d.message_id FROM ingest_open d
             WHERE d.priority IN (0, 1) AND d.publish_at > now() + interval '6 min'
               AND (d.state <> 'failed' OR d.publish_at > now() + interval '20 min') -- as long as a model may ask to be left alone
             LIMIT 1000 FOR UPDATE SKIP LOCKED) a
     WHERE o.message_id = a.message_id RETURNING 1)
  SELECT count(*) FROM mended
$$;

CREATE FUNCTION memd_kept_ahead() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE idempotency SET created_at = now() WHERE created_at > now() + interval '1 hour';
  UPDATE erasure SET erased_at = now() WHERE erased_at > now() + interval '1 hour';
  UPDATE conversation_session o SET heard_at = now()
    FROM (SELECT no FROM conversation_session
           WHERE incognito AND closed_at IS NULL AND coalesce(heard_at, created_at) > now() + interval '1 hour' LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED) a
   WHERE o.no = a.no;
  UPDATE conversation_context o SET received_at = now()
    FROM (SELECT id FROM conversation_context WHERE received_at > now() + interval '1 hour' LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED) a
   WHERE o.id = a.id;
$$;

CREATE OR REPLACE FUNCTION memd_backlog() RETURNS TABLE (state text, n bigint, oldest_s double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT o.state, count(*), greatest(extract(epoch FROM now() - min(o.opened_at)), 0)::double precision
    FROM ingest_open o GROUP BY o.state
  UNION ALL
  SELECT e.state, count(*), greatest(extract(epoch FROM now() - min(e.settled_at)), 0)::double precision
    FROM ingest_settled e WHERE e.state = 'dead' GROUP BY e.state
$$;

CREATE OR REPLACE FUNCTION memd_marked(n int) RETURNS TABLE (tenant_id text, session_no bigint, message_ids bigint[])
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT due.tenant_id, due.session_no, array_agg(due.id ORDER BY due.id)
    FROM (SELECT c.tenant_id, c.session_no, c.id
            FROM ingest_settled e JOIN conversation_context c ON c.id = e.message_id AND c.learn
            JOIN conversation_session s ON s.no = c.session_no AND s.learn
           WHERE e.extractor LIKE '%(llm: %' AND e.state = 'done'
             AND NOT EXISTS (SELECT FROM person p WHERE p.tenant_id = c.tenant_id AND p.user_id = c.user_id AND NOT p.learn)
             AND e.extractor ~ '\(llm: (unavailable|timeout|rate_limited|unauthorized)\)'
             AND (e.settled_at < now() - least(greatest(e.settled_at - c.received_at, interval '1 min'), interval '1 day')
               OR e.settled_at > now() + interval '1 hour') -- by a clock that was put back since
           ORDER BY e.settled_at LIMIT n) due
   GROUP BY due.tenant_id, due.session_no ORDER BY due.session_no
$$;

REVOKE ALL ON FUNCTION memd_due_ahead(interval), memd_kept_ahead() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memd_due_ahead(interval), memd_kept_ahead() TO memd_app;

CREATE OR REPLACE FUNCTION memd_schema_version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 7';
