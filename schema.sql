-- The whole current schema of memd, made for reading. Names are unqualified: they
-- land in the first schema of search_path. The pgvector extension must be there
-- already (CREATE EXTENSION vector WITH SCHEMA public). Applied by memd itself
-- under an advisory lock; numbered steps in postgres/migration lead here from every
-- released version.
--
-- Every row of every table has its tenant, and row-level security is forced on every
-- table: without memd.tenant set in the transaction a query sees nothing. memd works
-- as memd_app, which owns nothing, is no superuser and cannot bypass the policies.

DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'memd_app') THEN
    CREATE ROLE memd_app NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another memd was first
END $$;

-- ---------------------------------------------------------------- short tier

-- A session is a run of messages of one user. Its row is the lock under which its
-- messages arrive: ids of one session ascend in order of commit, and positions have
-- no gaps.
CREATE TABLE conversation_session (
  no                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id           text NOT NULL DEFAULT 'default',
  user_id             text NOT NULL,                 -- '' for a session of kind direct without a user
  session_id          text NOT NULL,
  kind                text NOT NULL DEFAULT 'chat' CHECK (kind IN ('chat', 'direct')), -- direct: messages given to POST /v1/memories
  agent_id            text,
  title               text,                          -- first words of the first user message
  metadata            jsonb NOT NULL DEFAULT '{}',
  previous_session_id text,
  messages            int NOT NULL DEFAULT 0,        -- how many positions were given out
  removed             int NOT NULL DEFAULT 0,        -- of those, how many messages were taken back
  last_message_id     bigint,
  last_message_at     timestamptz,                   -- when the last message was said
  created_at          timestamptz NOT NULL DEFAULT now(),
  closed_at           timestamptz,
  next_session_id     text,                          -- the one that was opened by rotating this one
  forwards_to         text,                          -- rotated by a limit: where what is posted to it lands
  turns               int NOT NULL DEFAULT 0,        -- how many user messages came
  bytes               bigint NOT NULL DEFAULT 0,     -- how long all messages were
  heard_at            timestamptz,                   -- when the last message came
  learn               boolean NOT NULL DEFAULT true, -- false: what comes is skipped
  incognito           boolean NOT NULL DEFAULT false, -- its messages go when it ends
  rotate_idle         interval,                      -- its limits: null is the tenant's, 0 never
  rotate_turns        int,
  rotate_tokens       bigint,                        -- at four bytes each
  rotate_age          interval,
  UNIQUE (tenant_id, user_id, session_id)
) WITH (fillfactor = 70);                            -- room for HOT updates: one per append
CREATE INDEX conversation_session_incognito ON conversation_session (no) WHERE incognito;

-- The log. Append-only; a session in order is
--   SELECT role, message FROM conversation_context WHERE user_id=… AND session_id=… ORDER BY id
-- and message is the whole message as JSON text, always with role and content.
CREATE TABLE conversation_context (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id     text NOT NULL,
  session_id  text NOT NULL,
  role        text NOT NULL,
  message     text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),    -- when it was said
  received_at timestamptz NOT NULL DEFAULT now(),    -- when it came
  tenant_id   text NOT NULL DEFAULT 'default',
  session_no  bigint NOT NULL,                       -- conversation_session.no
  position    int NOT NULL,                          -- place in the session, from 0
  learn       boolean NOT NULL,                      -- false: ingest state skipped, for ever
  agent_id    text,
  app_id      text,
  actor_id    text,                                  -- the message's name
  client_id   text,                                  -- the caller's id, unique per session
  timezone    text,                                  -- IANA name; null: UTC
  metadata    jsonb,                                 -- passes to what is learned
  learn_as    jsonb                                  -- what the caller wants of what is learned: memd.LearnAs
);
CREATE INDEX conversation_context_session ON conversation_context (tenant_id, user_id, session_id, id);
CREATE UNIQUE INDEX conversation_context_client_id ON conversation_context (session_no, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX conversation_context_skipped ON conversation_context (tenant_id, user_id, session_id) WHERE NOT learn; -- to count them
CREATE INDEX conversation_context_received ON conversation_context USING brin (received_at); -- to find what is too old to keep

-- The people of a tenant, in the order in which they first came up: with a session
-- or with a memory. A row is made by the trigger below and goes when they are erased.
CREATE TABLE person (
  no         bigint GENERATED ALWAYS AS IDENTITY,
  tenant_id  text NOT NULL,
  user_id    text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  learn      boolean NOT NULL DEFAULT true,          -- false: nothing they or others say in their sessions is learned
  PRIMARY KEY (tenant_id, user_id)
);
CREATE UNIQUE INDEX person_no ON person (tenant_id, no);

-- Whoever makes a session or a scope of theirs holds the row until it is there to be seen, so
-- that who erases them, and takes the row first, finds either all of it or nothing.
CREATE FUNCTION memd_meet_person() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  LOOP
    INSERT INTO person (tenant_id, user_id) VALUES (NEW.tenant_id, NEW.user_id) ON CONFLICT DO NOTHING;
    PERFORM FROM person WHERE tenant_id = NEW.tenant_id AND user_id = NEW.user_id FOR KEY SHARE;
    EXIT WHEN FOUND;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER person AFTER INSERT ON conversation_session
  FOR EACH ROW WHEN (NEW.user_id <> '') EXECUTE FUNCTION memd_meet_person();

-- Messages with an id of their caller's that were deleted by request, not by that id: an import
-- that has them still does not bring them back. Goes with the person.
CREATE TABLE message_removed (
  tenant_id  text NOT NULL,
  user_id    text NOT NULL,
  origin     bytea NOT NULL,                         -- SHA-256 of the session's id and the caller's
  message_id bigint NOT NULL,
  removed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, user_id, origin),
  FOREIGN KEY (tenant_id, user_id) REFERENCES person (tenant_id, user_id) ON DELETE CASCADE
);

-- What is open: one row for each message that may be learned from and has not
-- settled, written with the message and deleted by the transaction that settles it.
CREATE TABLE ingest_open (
  message_id      bigint PRIMARY KEY,
  tenant_id       text NOT NULL,
  session_no      bigint NOT NULL,
  priority        smallint NOT NULL DEFAULT 0,       -- 0 live, 1 backfill
  state           text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'failed')),
  attempts        smallint NOT NULL DEFAULT 0,       -- claims so far, less those given back unburnt; also the claim's fencing token
  opened_at       timestamptz NOT NULL DEFAULT now(),
  next_attempt_at timestamptz,                       -- of a failed one
  lease_until     timestamptz,                       -- of a running one; past it another worker may claim
  publish_at      timestamptz NOT NULL DEFAULT now() + interval '5 s', -- when the sweeper publishes it again
  publishes       int NOT NULL DEFAULT 0,
  error           text,                              -- class and code of the last failure
  again           boolean NOT NULL DEFAULT false,    -- learned from before: what it brings takes the place of what it brought
  lot             bigint NOT NULL DEFAULT 0          -- whose it is, as a number, so that people take turns
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX ingest_open_session ON ingest_open (session_no, message_id);
CREATE INDEX ingest_open_due ON ingest_open (priority, publish_at);
CREATE INDEX ingest_open_turn ON ingest_open (priority, tenant_id, lot, publish_at);
-- How many, and since when. The second stands on words that only those who count use: whoever
-- works on what has begun would by it read all that others have.
CREATE INDEX ingest_open_pending ON ingest_open (tenant_id, opened_at) WHERE state = 'pending';
CREATE INDEX ingest_open_begun ON ingest_open (tenant_id, state, opened_at) WHERE state || '' <> 'pending';

-- How each message ended. Skipped ones have no row: conversation_context.learn says so.
CREATE TABLE ingest_settled (
  message_id bigint PRIMARY KEY,
  tenant_id  text NOT NULL,
  state      text NOT NULL CHECK (state IN ('done', 'dead', 'skipped')), -- skipped here: a discarded dead letter
  attempts   smallint NOT NULL,
  extractor  text,
  error      text,
  settled_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ingest_settled_at ON ingest_settled (tenant_id, settled_at); -- how many, and how many of late
CREATE INDEX ingest_settled_state ON ingest_settled (tenant_id, state, message_id) WHERE state <> 'done';
CREATE INDEX ingest_settled_dead ON ingest_settled (settled_at) WHERE state = 'dead'; -- to count them over all tenants
CREATE INDEX ingest_settled_marked ON ingest_settled (settled_at) WHERE extractor LIKE '%(llm: %'; -- where the rules stood in for a model

-- What a tenant has set for itself; null is the daemon's.
CREATE TABLE tenant_setting (
  tenant_id     text PRIMARY KEY,
  rotate_idle   interval,                            -- limits of its sessions, 0 never
  rotate_turns  int,
  rotate_tokens bigint,
  rotate_age    interval,
  keep_messages interval,                            -- how long the log keeps what has settled, 0 for ever
  updated_at    timestamptz NOT NULL DEFAULT now()
);

-- A model's summary of a session's messages, from the first to upto.
CREATE TABLE session_summary (
  session_no bigint PRIMARY KEY,
  tenant_id  text NOT NULL,
  upto       bigint NOT NULL,                        -- a message's id
  summary    text NOT NULL,
  model      text NOT NULL,
  made_at    timestamptz NOT NULL DEFAULT now()
);

-- Sessions to be summed up anew. Who takes one moves its time: that is the lease.
CREATE TABLE summary_due (
  session_no  bigint PRIMARY KEY,
  tenant_id   text NOT NULL,
  attempts    smallint NOT NULL DEFAULT 0,
  due_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX summary_due_at ON summary_due (due_at);

-- Answers to writes that came with an Idempotency-Key, kept for 24 hours. A write to
-- the log puts its row here in its own transaction (message_ids); other writes claim
-- the row first and leave their answer in it.
CREATE TABLE idempotency (
  tenant_id     text NOT NULL,
  key           bytea NOT NULL,                      -- SHA-256 of method, path and key
  body          bytea NOT NULL,                      -- SHA-256 of the request's body
  message_ids   bigint[],                            -- of a write to the log: its messages in the order given
  duplicates    bool[],                              -- which of them stood there before
  states        text[],                              -- null, or what was said of their ingest: needed if some stood there before
  status        smallint,                            -- of another write: null while the first one is at work
  content_type  text,
  answer        bytea,
  claimed_until timestamptz,
  created_at    timestamptz NOT NULL DEFAULT now(),
  users         text[],                              -- whom the answer is about; null of a write to the log
  PRIMARY KEY (tenant_id, key)
);
CREATE INDEX idempotency_created ON idempotency (created_at);

-- Who was erased of late, not by their name: an answer about them that is still on its way is
-- then not kept. A row stays as long as answers do.
CREATE TABLE erasure (
  tenant_id  text NOT NULL,
  user_key   bytea NOT NULL,                         -- SHA-256 of the tenant's and the user's id
  receipt_id uuid NOT NULL,
  erased_at  timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_key)
);
CREATE INDEX erasure_erased ON erasure (erased_at);

-- What each erasure took away, for good. Who it was of can only be asked for by their name.
CREATE TABLE erasure_receipt (
  id        uuid PRIMARY KEY,                        -- UUIDv7
  tenant_id text NOT NULL,
  user_key  bytea NOT NULL,                          -- as in erasure
  erased_at timestamptz NOT NULL,
  counts    jsonb                                    -- how much, by what it was; null: a memd of schema 9 or before did not keep it
);
CREATE INDEX erasure_receipt_user ON erasure_receipt (tenant_id, user_key, id);
CREATE INDEX erasure_receipt_tenant ON erasure_receipt (tenant_id, id);

-- What a memd of schema 9 notes has a receipt too.
CREATE FUNCTION memd_erasure_noted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO erasure_receipt (id, tenant_id, user_key, erased_at) VALUES (NEW.receipt_id, NEW.tenant_id, NEW.user_key, NEW.erased_at)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER receipt AFTER INSERT OR UPDATE OF receipt_id ON erasure
  FOR EACH ROW EXECUTE FUNCTION memd_erasure_noted();

-- What is imported from elsewhere, until it is in: whoever holds the lease works on it, and a
-- restart begins it anew, which doubles nothing.
CREATE TABLE import_job (
  id          uuid PRIMARY KEY,                      -- UUIDv7
  tenant_id   text NOT NULL,
  users       text[] NOT NULL DEFAULT '{}',          -- whom it is about: it goes with them
  options     jsonb NOT NULL,                        -- how it is read and whose it is
  source      bytea,                                 -- what was given, compressed; null once it has ended
  state       text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'done', 'cancelled', 'failed')),
  attempts    int NOT NULL DEFAULT 0,                -- how often it was begun; also the fencing token
  lease_until timestamptz,
  totals      jsonb NOT NULL DEFAULT '{}',           -- what is in it
  sent        jsonb NOT NULL DEFAULT '{}',           -- how far it is
  errors      jsonb NOT NULL DEFAULT '[]',           -- what was set aside: file, line and reason, never the text
  error       text,                                  -- why it failed
  created_at  timestamptz NOT NULL DEFAULT now(),
  ended_at    timestamptz
);
CREATE INDEX import_job_open ON import_job (created_at) WHERE state IN ('pending', 'running');
CREATE INDEX import_job_tenant ON import_job (tenant_id, id);

-- ----------------------------------------------------------------- long tier

-- The identity of memories: they merge, and their words are counted, within one row
-- of this table: (tenant, app, user), or (tenant, app, agent) where there is no user,
-- or (tenant, app, run) where there is neither.
CREATE TABLE memory_scope (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id     text NOT NULL,
  key           bytea NOT NULL,                      -- SHA-256 of the ids below
  app_id        text NOT NULL DEFAULT '',
  user_id       text NOT NULL DEFAULT '',
  agent_id      text NOT NULL DEFAULT '',
  run_id        text NOT NULL DEFAULT '',
  memories      int NOT NULL DEFAULT 0,              -- documents in memory_posting …
  memory_terms  bigint NOT NULL DEFAULT 0,           -- … and the sum of their lengths
  messages      int NOT NULL DEFAULT 0,              -- the same of message_posting
  message_terms bigint NOT NULL DEFAULT 0,
  magnitude     smallint GENERATED ALWAYS AS (floor(ln(greatest(memories, 1)) / ln(2))) STORED, -- of memories, so that its index seldom changes
  neighbour_model      text,                         -- whose vectors memory_neighbour holds of this scope; null: none
  neighbour_dimensions int,
  neighbours_upto      uuid,                         -- how far they are known to be right
  neighbours_ready     boolean NOT NULL DEFAULT false, -- they are right and all there
  UNIQUE (tenant_id, key)
) WITH (fillfactor = 70);
CREATE INDEX memory_scope_user ON memory_scope (tenant_id, user_id, agent_id);
CREATE INDEX memory_scope_magnitude ON memory_scope (magnitude) WHERE magnitude >= 8;
CREATE INDEX memory_scope_neighbours ON memory_scope (tenant_id, user_id) WHERE neighbour_model IS NOT NULL;
CREATE TRIGGER person AFTER INSERT ON memory_scope
  FOR EACH ROW WHEN (NEW.user_id <> '') EXECUTE FUNCTION memd_meet_person();

-- One remembered statement.
CREATE TABLE memory (
  id            uuid PRIMARY KEY,                    -- UUIDv7
  tenant_id     text NOT NULL,
  scope_id      bigint NOT NULL REFERENCES memory_scope (id),
  app_id        text,
  user_id       text,
  agent_ids     text[] NOT NULL DEFAULT '{}',        -- of all its sources, earliest said first
  run_ids       text[] NOT NULL DEFAULT '{}',
  actor_id      text,
  role          text NOT NULL,
  scope         text,
  memory_type   text,
  categories    text[] NOT NULL DEFAULT '{}',
  metadata      jsonb NOT NULL DEFAULT '{}',
  memory        text NOT NULL,
  hash          text NOT NULL,                       -- of the normalised text
  verbatim      boolean NOT NULL DEFAULT false,      -- stored with infer: false
  slot          text,                                -- what it is about, if that can be updated
  negated       boolean NOT NULL DEFAULT false,      -- it denies that the slot holds the value
  extractor     text,
  pinned        boolean NOT NULL DEFAULT false,
  created_at    timestamptz NOT NULL DEFAULT now(),  -- when the row was made
  updated_at    timestamptz NOT NULL DEFAULT now(),
  valid_from    timestamptz NOT NULL,                -- when it was said
  valid_to      timestamptz,                         -- when a later statement took its place
  superseded_by uuid,
  occurred_at   timestamptz,                         -- when what it speaks of happened
  expires_at    timestamptz,
  edited        text[] NOT NULL DEFAULT '{}',        -- what a person set and sources do not change: memory, metadata, categories, expires_at
  subject       text NOT NULL DEFAULT '',            -- whose slot it is, '' for the speaker's
  value         text NOT NULL DEFAULT ''             -- what the slot holds by it, as it was said
);
CREATE INDEX memory_by_scope ON memory (scope_id, created_at, id);
CREATE INDEX memory_by_slot ON memory (scope_id, slot) WHERE slot IS NOT NULL;
CREATE INDEX memory_pinned ON memory (scope_id, created_at, id) WHERE pinned;
CREATE INDEX memory_by_hash ON memory (scope_id, hash);
CREATE INDEX memory_expiring ON memory (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memory_superseded ON memory (superseded_by) WHERE superseded_by IS NOT NULL;

-- By what memories that were stored as they are, and come from elsewhere, are known there. A row
-- outlives its memory: what was taken away, or has expired, does not come back by its origin.
CREATE TABLE memory_origin (
  tenant_id text NOT NULL,
  scope_id  bigint NOT NULL,
  origin    text NOT NULL,
  memory_id uuid NOT NULL,
  PRIMARY KEY (scope_id, origin, memory_id),
  FOREIGN KEY (scope_id) REFERENCES memory_scope (id) ON DELETE CASCADE
);
CREATE INDEX memory_origin_memory ON memory_origin (memory_id);

-- A memd of schema 9 has the origin in the slot, as 'from:…', and sees none of these rows: it
-- is refused, and its caller told to try again, where it would store anew what is known.
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

-- Which agents and runs a memory carries: the index behind memory.agent_ids and run_ids.
CREATE TABLE memory_provenance (
  tenant_id text NOT NULL,
  kind      text NOT NULL CHECK (kind IN ('agent', 'run')),
  value     text NOT NULL,
  memory_id uuid NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
  PRIMARY KEY (tenant_id, kind, value, memory_id)
);
CREATE INDEX memory_provenance_memory ON memory_provenance (memory_id);

-- Which messages state a memory.
CREATE TABLE memory_source (
  memory_id  uuid NOT NULL REFERENCES memory (id) ON DELETE CASCADE,
  message_id bigint NOT NULL,
  tenant_id  text NOT NULL,
  session_no bigint NOT NULL,                        -- with position: its neighbours in message_posting
  position   int NOT NULL,
  PRIMARY KEY (memory_id, message_id)
);
CREATE INDEX memory_source_message ON memory_source (message_id);
CREATE INDEX memory_source_place ON memory_source (session_no, position);

-- Each time that something was stated. Memories follow from their mentions: those of one
-- normal form are one memory, and about one slot of one subject of one speaker a later
-- one takes the place of an earlier. Some are not remembered and still take others'
-- places; these keep the id of the memory they were part of.
CREATE TABLE memory_mention (
  memory_id   uuid NOT NULL,
  message_id  bigint NOT NULL,                       -- where it was said …
  part        int NOT NULL,                          -- … and its place in that message
  tenant_id   text NOT NULL,
  scope_id    bigint NOT NULL,
  actor_id    text,
  role        text NOT NULL,
  sources     bigint[] NOT NULL,                     -- all messages that make it, message_id first
  said_at     timestamptz NOT NULL,
  session_id  text NOT NULL,
  position    int NOT NULL,
  memory      text NOT NULL,                         -- its words
  hash        text NOT NULL,
  slot        text,
  subject     text NOT NULL DEFAULT '',
  value       text NOT NULL DEFAULT '',
  negated     boolean NOT NULL DEFAULT false,
  occurred_at timestamptz,
  categories  text[] NOT NULL DEFAULT '{}',
  extractor   text,
  gone        text CHECK (gone IN ('forgotten', 'deleted')), -- why it is not remembered: on request of a speaker, or of a caller
  PRIMARY KEY (memory_id, message_id, part)
);
CREATE INDEX memory_mention_gone_hash ON memory_mention (scope_id, hash) WHERE gone IS NOT NULL;
CREATE INDEX memory_mention_gone_slot ON memory_mention (scope_id, slot) WHERE gone IS NOT NULL AND slot IS NOT NULL;

-- What a speaker asked to be forgotten: a statement, or what is known of a slot. It goes as
-- far as it was said before, whenever that is learned.
CREATE TABLE memory_forgotten (
  message_id bigint NOT NULL,                        -- where it was asked, and the place in that
  part       int NOT NULL,
  tenant_id  text NOT NULL,
  scope_id   bigint NOT NULL,
  actor_id   text NOT NULL DEFAULT '',
  role       text NOT NULL,
  sources    bigint[] NOT NULL,
  said_at    timestamptz NOT NULL,
  session_id text NOT NULL,
  position   int NOT NULL,
  hash       text NOT NULL,                          -- of the statement, if there is no slot
  slot       text,
  subject    text NOT NULL DEFAULT '',
  value      text NOT NULL DEFAULT '',               -- '' for any
  memories   uuid[] NOT NULL DEFAULT '{}',           -- those that went
  negated    boolean NOT NULL DEFAULT false,         -- it is what denies of the slot
  slip       boolean NOT NULL DEFAULT false,         -- it was never so, and ended nothing
  PRIMARY KEY (message_id, part, role, actor_id)
);
CREATE INDEX memory_forgotten_scope ON memory_forgotten (scope_id);

-- What a person made current again: the message does not end a statement of that normal
-- form, nor ask for it to be forgotten.
CREATE TABLE memory_retained (
  scope_id   bigint NOT NULL,
  hash       text NOT NULL,
  message_id bigint NOT NULL,
  tenant_id  text NOT NULL,
  at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (scope_id, hash, message_id)
);
CREATE INDEX memory_retained_message ON memory_retained (message_id);

-- What a person took away or rewrote: the message no longer brings that statement
-- about, however often it is learned from. The same said in another message is new.
CREATE TABLE memory_overruled (
  tenant_id  text NOT NULL,
  message_id bigint NOT NULL,
  hash       text NOT NULL,                          -- of the statement as it was; '': nothing at all is learned from the message any more
  slot       text,                                   -- nor anything else about the same, if it had a slot
  at         timestamptz NOT NULL DEFAULT now(),
  alone      boolean NOT NULL DEFAULT false,         -- the message stated nothing else: nothing is learned from it any more
  terms      int[] NOT NULL DEFAULT '{}',            -- of the statement: what has them in other words is the same
  PRIMARY KEY (message_id, hash)
);

-- A memd of schema 9 may still have rows of what has an origin, under the negative number of its
-- identity: memory_origin says so already.
CREATE FUNCTION memd_origin_overruled() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  RETURN NULL;
END $$;
CREATE TRIGGER origin BEFORE INSERT ON memory_overruled
  FOR EACH ROW WHEN (NEW.message_id < 0) EXECUTE FUNCTION memd_origin_overruled();

-- What happened to a memory, when, why and by whom. Outlives the memory.
CREATE TABLE memory_history (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id       text NOT NULL,
  memory_id       uuid NOT NULL,
  scope_id        bigint NOT NULL,
  event           text NOT NULL CHECK (event IN ('ADD', 'UPDATE', 'DELETE', 'NONE')), -- NONE: said again
  previous_memory text,
  memory          text,
  hash            text,
  reason          text NOT NULL,
  by              text NOT NULL,                     -- extractor, or "api"
  message_ids     bigint[] NOT NULL DEFAULT '{}',    -- the messages that brought it about
  at              timestamptz NOT NULL DEFAULT now(),
  before          jsonb                              -- what undoing it needs; null if it cannot be undone, or has been
);
CREATE INDEX memory_history_memory ON memory_history (memory_id, id);
CREATE INDEX memory_history_scope ON memory_history (scope_id, id);

-- Vectors, apart from the memories so that a scan reads nothing else, keyed by model
-- so that two can live side by side. Partitioned so that scopes stay grouped on disk.
-- STORAGE PLAIN: a vector is never pushed out to TOAST.
CREATE TABLE memory_embedding (
  memory_id uuid NOT NULL,
  tenant_id text NOT NULL,
  scope_id  bigint NOT NULL,
  model     text NOT NULL,                           -- with its runtime's version
  live      boolean NOT NULL DEFAULT true,           -- false: superseded
  embedding public.halfvec NOT NULL,
  PRIMARY KEY (scope_id, model, memory_id)
) PARTITION BY HASH (scope_id);
ALTER TABLE memory_embedding ALTER COLUMN embedding SET STORAGE PLAIN;
DO $$ BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format('CREATE TABLE memory_embedding_p%s PARTITION OF memory_embedding FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i);
  END LOOP;
END $$;

-- A copy of the live vectors of one model of each large scope, whose nearest are found
-- by a graph instead of by reading all. Each such scope has a partition and a graph of
-- its own, made by memd_neighbours_build: what others have is not in the way, and scopes
-- of ordinary size have nothing here.
CREATE TABLE memory_neighbour (
  scope_id  bigint NOT NULL,
  memory_id uuid NOT NULL,
  tenant_id text NOT NULL,
  embedding public.halfvec NOT NULL,
  PRIMARY KEY (scope_id, memory_id)
) PARTITION BY LIST (scope_id);
ALTER TABLE memory_neighbour ALTER COLUMN embedding SET STORAGE PLAIN;

-- Keeps the copy as the vectors are, in the same transaction. Whoever changes vectors
-- holds the lock of the scope's identity, as does who puts a copy among the others or
-- brings it up to date: what passed before that is made good, what comes after passes here.
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

-- Memories that wait for their vector because the embedder was away.
CREATE TABLE embedding_open (
  memory_id       uuid PRIMARY KEY REFERENCES memory (id) ON DELETE CASCADE,
  tenant_id       text NOT NULL,
  attempts        smallint NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX embedding_open_due ON embedding_open (next_attempt_at);

-- What is known of each embedding model a tenant's vectors were made with.
CREATE TABLE embedding_model (
  tenant_id   text NOT NULL,
  name        text NOT NULL,
  dimensions  int NOT NULL,
  calibration jsonb NOT NULL,                        -- from a cosine to a relevance
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, name)
);

-- Lexical index: for each term of a scope the documents that hold it, in a covering
-- b-tree that row-level security leaves usable. term is lexical.Term.Hash. BM25 is
-- scored in Go, with the scope's own document frequencies.
CREATE TABLE memory_posting (
  scope_id  bigint NOT NULL,
  term      int NOT NULL,
  memory_id uuid NOT NULL,
  tf        smallint NOT NULL,
  length    smallint NOT NULL,                       -- terms in the whole memory
  tenant_id text NOT NULL
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE UNIQUE INDEX memory_posting_term ON memory_posting (scope_id, term, memory_id) INCLUDE (tf, length, tenant_id);

-- The same of messages, by their place in the session: a memory is also found by the
-- words of the messages around its sources, which may come after it.
CREATE TABLE message_posting (
  scope_id   bigint NOT NULL,
  term       int NOT NULL,
  session_no bigint NOT NULL,
  position   int NOT NULL,
  tf         smallint NOT NULL,
  length     smallint NOT NULL,
  tenant_id  text NOT NULL
) WITH (autovacuum_vacuum_insert_scale_factor = 0.02);
CREATE UNIQUE INDEX message_posting_term ON message_posting (scope_id, term, session_no, position) INCLUDE (tf, length, tenant_id);

-- --------------------------------------------------- tenants apart, by force

DO $$
DECLARE t text;
BEGIN
  FOR t IN SELECT c.relname FROM pg_class c
           WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    -- the sub-select runs once per query; after a transaction the setting is '', not null
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = (SELECT nullif(current_setting(''memd.tenant'', true), '''')))', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO memd_app', t);
  END LOOP;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO memd_app', current_schema());
END $$;

-- The sweeper serves all tenants. It sees no more of them than these functions give:
-- tenant, session and message ids of what is due, and sums.
CREATE POLICY sweep ON ingest_open TO CURRENT_USER USING (true);
CREATE POLICY sweep ON import_job TO CURRENT_USER USING (true);
CREATE POLICY sweep ON embedding_open TO CURRENT_USER USING (true);
CREATE POLICY sweep ON memory FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep ON memory_scope FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep ON idempotency FOR DELETE TO CURRENT_USER USING (true);
CREATE POLICY sweep_read ON idempotency FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep ON erasure FOR DELETE TO CURRENT_USER USING (true);
CREATE POLICY sweep_read ON erasure FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep ON summary_due TO CURRENT_USER USING (true);
CREATE POLICY sweep ON conversation_session FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep ON conversation_context FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep ON tenant_setting FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep ON ingest_settled FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep ON person FOR SELECT TO CURRENT_USER USING (true);
CREATE POLICY sweep_ahead ON idempotency FOR UPDATE TO CURRENT_USER USING (true);
CREATE POLICY sweep_ahead ON erasure FOR UPDATE TO CURRENT_USER USING (true);
CREATE POLICY sweep_ahead ON conversation_session FOR UPDATE TO CURRENT_USER USING (true);
CREATE POLICY sweep_ahead ON conversation_context FOR UPDATE TO CURRENT_USER USING (true);

-- As memd_due_in_turn, whoever's they are, longest due first: what a memd before it asks.
CREATE FUNCTION memd_due(n int, prio int)
RETURNS TABLE (tenant_id text, session_no bigint, message_id bigint, priority smallint, publishes int)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE ingest_open o
     SET publishes = o.publishes + 1,
         publish_at = now() + least(interval '30 s' * (1 + o.publishes), interval '5 min')
    FROM (SELECT d.message_id FROM ingest_open d
           WHERE d.priority = prio AND d.publish_at <= now()
             AND (d.state = 'pending'
               OR d.state = 'failed' AND d.next_attempt_at <= now()
               OR d.state = 'running' AND d.lease_until <= now())
           ORDER BY d.publish_at LIMIT n FOR UPDATE SKIP LOCKED) due
   WHERE o.message_id = due.message_id
  RETURNING o.tenant_id, o.session_no, o.message_id, o.priority, o.publishes
$$;

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

-- To be called when the queue is known to have lost what it held: makes due at once
-- whatever is ready to be worked on, save what was opened a moment ago and may be on
-- its way. Returns how many.
CREATE FUNCTION memd_lost() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH lost AS (
    UPDATE ingest_open o SET publish_at = now()
      FROM (SELECT d.message_id FROM ingest_open d
             WHERE d.publish_at > now() AND d.opened_at <= now() - interval '2 s'
               AND (d.state = 'pending'
                 OR d.state = 'failed' AND d.next_attempt_at <= now()
                 OR d.state = 'running' AND d.lease_until <= now())
             FOR UPDATE SKIP LOCKED) l
     WHERE o.message_id = l.message_id RETURNING 1)
  SELECT count(*) FROM lost
$$;

-- To be called often. What is open, waits for its vector or is to be summed up, and has been
-- put off for longer than anything ever is: the clock was put back since. What somebody is at
-- work on keeps a lease from now on, so that they can go on with it; all else is due. Returns
-- of how many messages that was.
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

-- To be called now and then: what is kept for a time was kept since now, if it is from a time
-- that has yet to come, by a clock that was put back since.
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

-- Tenants with memories that wait for their vector.
CREATE FUNCTION memd_embedding_due(n int) RETURNS TABLE (tenant_id text, memory_id uuid)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE embedding_open o
     SET attempts = least(o.attempts + 1, 1000),
         next_attempt_at = now() + least(interval '2 s' * (1 + o.attempts) * (1 + o.attempts), interval '1 hour')
    FROM (SELECT d.memory_id FROM embedding_open d WHERE d.next_attempt_at <= now()
           ORDER BY d.next_attempt_at LIMIT n FOR UPDATE SKIP LOCKED) due
   WHERE o.memory_id = due.memory_id
  RETURNING o.tenant_id, o.memory_id
$$;

-- Sums over all tenants, for the metrics: of what is open by state, and of what is dead.
CREATE FUNCTION memd_backlog() RETURNS TABLE (state text, n bigint, oldest_s double precision)
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

-- Memories of any tenant that have expired, longest first.
CREATE FUNCTION memd_expired(n int) RETURNS TABLE (tenant_id text, memory_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT m.tenant_id, m.id FROM memory m WHERE m.expires_at <= now() ORDER BY m.expires_at LIMIT n
$$;

-- Scopes of any tenant that have something to do about their neighbours, by vectors of
-- this model: those with at least so many memories that have none yet; those whose copy
-- is not complete; those of another model; those that have shrunk to less than half.
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

-- Holds the others to the tenant that is set, and to one caller at a time for each scope.
CREATE FUNCTION memd_neighbours_mine(scope bigint) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM FROM memory_scope s WHERE s.id = scope AND s.tenant_id = nullif(current_setting('memd.tenant', true), '');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the tenant has no such scope' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('memory_neighbour', scope));
END $$;

-- Drops the neighbours of a scope.
CREATE FUNCTION memd_neighbours_close(scope bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
BEGIN
  PERFORM memd_neighbours_mine(scope);
  EXECUTE format('DROP TABLE IF EXISTS %I', 'memory_neighbour_' || scope);
END $$;

-- Makes the neighbours of a scope of the tenant that is set, of up to n of its vectors,
-- in a table of their own, which nobody sees before memd_neighbours_attach.
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

-- Puts the neighbours that memd_neighbours_build made among the others. It waits for those
-- who do the same, and keeps nobody from reading or writing.
CREATE FUNCTION memd_neighbours_attach(scope bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '30s' AS $$
BEGIN
  PERFORM memd_neighbours_mine(scope);
  EXECUTE format('ALTER TABLE memory_neighbour ATTACH PARTITION %I FOR VALUES IN (%s)', 'memory_neighbour_' || scope, scope);
END $$;

-- Drops neighbours whose scope is gone with the person it was of; returns of how many scopes.
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

-- Takes up to n sessions of any tenant that are to be summed up, for as long as the lease.
CREATE FUNCTION memd_summary_due(n int, lease interval) RETURNS TABLE (tenant_id text, session_no bigint, attempts smallint)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE summary_due d SET due_at = now() + lease, attempts = d.attempts + 1
    FROM (SELECT session_no FROM summary_due WHERE due_at <= now() ORDER BY due_at LIMIT n FOR UPDATE SKIP LOCKED) due
   WHERE d.session_no = due.session_no
  RETURNING d.tenant_id, d.session_no, d.attempts
$$;

-- Incognito sessions of any tenant in which nothing was said for so long.
CREATE FUNCTION memd_incognito_over(idle interval, n int) RETURNS TABLE (tenant_id text, user_id text, session_id text)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT s.tenant_id, s.user_id, s.session_id FROM conversation_session s
   WHERE s.incognito AND s.closed_at IS NULL AND coalesce(s.heard_at, s.created_at) < now() - idle
   ORDER BY s.no LIMIT n
$$;

-- Settled messages of any tenant that came longer ago than it keeps them, or than keep, null
-- for ever, where it does not say.
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

-- Messages of any tenant that the rules learned from since the model was away, and that are
-- to be learned from again: after as long as it took them to come to that, a minute at least.
CREATE FUNCTION memd_marked(n int) RETURNS TABLE (tenant_id text, session_no bigint, message_ids bigint[])
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

-- Drops idempotency rows, and what is kept of erasures, past their day; returns how many of
-- the former.
CREATE FUNCTION memd_expire_idempotency(n int) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH gone AS (
    DELETE FROM idempotency i USING (
      SELECT ctid AS at FROM idempotency WHERE created_at < now() - interval '24 hours' LIMIT n) old
     WHERE i.ctid = old.at RETURNING 1
  ), erased AS (
    DELETE FROM erasure WHERE erased_at < now() - interval '24 hours')
  SELECT count(*) FROM gone
$$;

-- Takes an import of any tenant that nobody works on.
CREATE FUNCTION memd_import_due(lease interval) RETURNS TABLE (tenant_id text, id uuid, attempts int)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE import_job j SET state = 'running', attempts = j.attempts + 1, lease_until = now() + lease
   WHERE j.id = (SELECT d.id FROM import_job d
                  WHERE d.state = 'pending' OR d.state = 'running' AND d.lease_until <= now()
                  ORDER BY d.created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING j.tenant_id, j.id, j.attempts
$$;

REVOKE ALL ON FUNCTION memd_import_due(interval), memd_due(int, int), memd_due_in_turn(int, int, int, text[], int[]), memd_lost(), memd_due_ahead(interval), memd_kept_ahead(), memd_embedding_due(int), memd_backlog(), memd_expired(int), memd_expire_idempotency(int),
  memd_summary_due(int, interval), memd_incognito_over(interval, int), memd_messages_over(interval, int), memd_marked(int),
  memd_neighbours_due(text, int, int, int), memd_neighbours_mine(bigint), memd_neighbours_close(bigint),
  memd_neighbours_build(bigint, text, int, int), memd_neighbours_attach(bigint), memd_neighbours_tidy() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memd_import_due(interval), memd_due(int, int), memd_due_in_turn(int, int, int, text[], int[]), memd_lost(), memd_due_ahead(interval), memd_kept_ahead(), memd_embedding_due(int), memd_backlog(), memd_expired(int), memd_expire_idempotency(int),
  memd_summary_due(int, interval), memd_incognito_over(interval, int), memd_messages_over(interval, int), memd_marked(int),
  memd_neighbours_due(text, int, int, int), memd_neighbours_close(bigint),
  memd_neighbours_build(bigint, text, int, int), memd_neighbours_attach(bigint), memd_neighbours_tidy() TO memd_app;

-- The version of this schema. Each migration replaces it as its last step.
CREATE FUNCTION memd_schema_version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 10';
