-- What is pinned is always recalled: it is found without a look at the rest of its scope.

CREATE INDEX memory_pinned ON memory (scope_id, created_at, id) WHERE pinned;

CREATE OR REPLACE FUNCTION memd_schema_version() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 8';
