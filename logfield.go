package memd

// Names of log fields, so that one thing is called the same everywhere.
const (
	LogComponent = "component"
	LogTenant    = "tenant"
	LogMessage   = "message_id"
	LogMessages  = "message_ids"
	LogMemory    = "memory_id"
	LogRequest   = "request_id"
	LogAttempts  = "attempts"
	LogDuration  = "duration_ms"
)
