package longterm

import (
	"strconv"
	"strings"
	"time"

	"github.com/memdhq/memd"
)

// statement is SQL that is put together from parts. Values only ever stand beside
// it, as arguments; the same parts give the same text, so that it is prepared once.
type statement struct {
	sql  strings.Builder
	args []any
}

func (s *statement) write(parts ...string) *statement {
	for _, p := range parts {
		s.sql.WriteString(p)
	}
	return s
}

// bind gives the placeholder of a value. Its type is named, since where it stands
// does not always tell.
func (s *statement) bind(value any, sqlType string) string {
	s.args = append(s.args, value)
	return "$" + strconv.Itoa(len(s.args)) + "::" + sqlType
}

// pinPlans makes the statements that follow in the transaction keep one plan, made
// without looking at the arguments and without scans of whole tables. Left to itself
// the planner would choose by how large the tables are when a connection first runs
// a statement, or by the first five users.
const pinPlans = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true),
	set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`

// unpinPlans puts that back, for who goes on in the same transaction.
const unpinPlans = `SELECT set_config('plan_cache_mode', 'auto', true),
	set_config('enable_seqscan', 'on', true), set_config('enable_bitmapscan', 'on', true)`

// selection says which memories a query is about.
type selection struct {
	tenant string
	scope  memd.Scope
	reach  reach
	// values are those of the id that the reach is by.
	values []string
	// ownAgent also takes in this agent's memories that have no user; "" for none. It
	// goes with reachUser alone.
	ownAgent string
	filters  Filter
	// user and assistant choose by role; neither means both.
	user, assistant   bool
	asOf              *time.Time
	includeSuperseded bool
	// everything also takes what is superseded or expired.
	everything bool
	// without leaves out what one of these messages states.
	without []int64
	// pinned takes only what is pinned, of each scope so many, those made last; 0 takes all.
	pinned int
	// scopesThat is a further condition on rows of memory_scope, with AND before it.
	scopesThat string
}

// plain says that all live memories of the scopes are meant, whatever they carry.
func (s selection) plain() bool {
	return s.reach == reachUser && s.scope.AgentID == "" && s.scope.RunID == "" && s.filters.root == nil &&
		s.user == s.assistant && s.asOf == nil && !s.includeSuperseded
}

// scopes writes a query that gives the ids of the memory scopes that hold what is
// selected.
func (s selection) scopes(st *statement) string {
	tenant := st.bind(s.tenant, "text")
	app := ""
	if s.scope.AppID != "" {
		app = " AND app_id = " + st.bind(s.scope.AppID, "text")
	}
	that := app + s.scopesThat
	switch s.reach {
	case reachUser:
		q := "SELECT id FROM memory_scope WHERE tenant_id = " + tenant + " AND user_id = ANY (" + st.bind(s.values, "text[]") + ")" + that
		if s.ownAgent != "" {
			q += " UNION ALL SELECT id FROM memory_scope WHERE tenant_id = " + tenant + " AND user_id = '' AND agent_id = " + st.bind(s.ownAgent, "text") + that
		}
		return q
	case reachTenant:
		return "SELECT id FROM memory_scope WHERE tenant_id = " + tenant + that
	}
	return "SELECT DISTINCT m.scope_id AS id FROM (" + s.carriers(st, tenant) + ") c CROSS JOIN LATERAL" +
		" (SELECT scope_id FROM memory WHERE id = c.memory_id AND tenant_id = " + tenant + app + " OFFSET 0) m"
}

// carriers writes a query that gives the ids of the memories that carry the agent or
// run that the reach is by.
func (s selection) carriers(st *statement, tenant string) string {
	kind := "run"
	if s.reach == reachAgent {
		kind = "agent"
	}
	// The inner query knows nothing of DISTINCT, which could make the planner walk the
	// index by memory.
	return "SELECT DISTINCT memory_id FROM (SELECT memory_id FROM memory_provenance WHERE tenant_id = " + tenant + " AND kind = '" + kind +
		"' AND value = ANY (" + st.bind(s.values, "text[]") + ") OFFSET 0) p"
}

// memories writes the FROM item m: the rows of memory that are selected. Each is found
// through its scope or its provenance, never through a scan of what others have; OFFSET 0
// keeps the planner from taking that apart.
func (s selection) memories(st *statement) string {
	tenant := st.bind(s.tenant, "text")
	where := s.conditions(st)
	switch s.reach {
	case reachUser, reachTenant:
		most := " OFFSET 0"
		if s.pinned > 0 {
			// In the order of its index, which is taken then even where nothing is known of the table.
			most = " ORDER BY m.created_at DESC, m.id DESC LIMIT " + st.bind(s.pinned, "int")
		}
		return "(" + s.scopes(st) + ") s CROSS JOIN LATERAL (SELECT m.* FROM memory m WHERE m.scope_id = s.id AND m.tenant_id = " + tenant + where + most + ") m"
	}
	return "(" + s.carriers(st, tenant) + ") c CROSS JOIN LATERAL (SELECT m.* FROM memory m WHERE m.id = c.memory_id AND m.tenant_id = " + tenant + where + " OFFSET 0) m"
}

// conditions writes what a row m of memory must fulfil, each with AND before it.
func (s selection) conditions(st *statement) string {
	var c strings.Builder
	and := func(parts ...string) {
		c.WriteString(" AND ")
		for _, p := range parts {
			c.WriteString(p)
		}
	}
	// The scopes of a user, of the agent beside it and of the tenant are themselves the
	// condition on user and app.
	if s.scope.AppID != "" && s.reach != reachUser && s.reach != reachTenant {
		and("m.app_id = ", st.bind(s.scope.AppID, "text"))
	}
	if s.scope.AgentID != "" {
		and(st.bind(s.scope.AgentID, "text"), " = ANY (m.agent_ids)")
	}
	if s.scope.RunID != "" {
		and(st.bind(s.scope.RunID, "text"), " = ANY (m.run_ids)")
	}
	at := "now()"
	if s.asOf != nil {
		at = st.bind(*s.asOf, "timestamptz")
		and("m.valid_from <= ", at)
	}
	switch {
	case s.includeSuperseded || s.everything:
	case s.asOf != nil:
		and("(m.valid_to IS NULL OR m.valid_to > ", at, ")")
	default:
		and("m.valid_to IS NULL")
	}
	if !s.everything {
		and("(m.expires_at IS NULL OR m.expires_at > ", at, ")")
	}
	switch {
	case s.assistant && !s.user:
		and("m.role = 'assistant'")
	case s.user && !s.assistant:
		and("m.role <> 'assistant'")
	}
	if s.pinned > 0 {
		and("m.pinned")
	}
	if len(s.without) > 0 {
		// As a list, which is made once: what the planner can join it would join from any side.
		and("m.id <> ALL (ARRAY(SELECT memory_id FROM memory_source x WHERE x.message_id = ANY (", st.bind(s.without, "bigint[]"), ") AND x.tenant_id = ", st.bind(s.tenant, "text"), "))")
	}
	if s.filters.root != nil {
		and("(", s.filters.root.sql(st), ")")
	}
	return c.String()
}
