package memd

import _ "embed"

// Schema is schema.sql: the whole current schema, in unqualified names.
//
//go:embed schema.sql
var Schema string
