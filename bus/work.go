package bus

import (
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Work says that messages of one session are open. It is a hint: what is to be done
// stands in Postgres.
type Work struct {
	Tenant     string
	SessionNo  int64
	MessageIDs []int64
	Backfill   bool
}

// payload is Work as it passes. The tenant stands in the subject as well, so that
// permissions and quotas can be set on it.
type payload struct {
	Version    int     `json:"v"`
	Tenant     string  `json:"tenant"`
	SessionNo  int64   `json:"session"`
	MessageIDs []int64 `json:"messages"`
}

const payloadVersion = 1

// shards is into how many subjects the sessions of a tenant fall.
const shards = 16

// Lanes, the third token from the right of a subject.
const (
	live     = "live"
	backfill = "backfill"
)

func laneOf(w Work) string {
	if w.Backfill {
		return backfill
	}
	return live
}

// tenantToken encodes a tenant so that any characters may stand in it and no two
// share a token.
var tenantToken = base32.StdEncoding.WithPadding(base32.NoPadding)

// noTenant is the token of a tenant without a name; no digit of base32.
const noTenant = "0"

// subject is prefix.lane.tenant.shard.
func subject(prefix string, w Work) string {
	tenant := strings.ToLower(tenantToken.EncodeToString([]byte(w.Tenant)))
	if tenant == "" {
		tenant = noTenant
	}
	return prefix + "." + laneOf(w) + "." + tenant + "." + strconv.FormatUint(uint64(w.SessionNo)%shards, 10)
}

// messageID names a publication, so that the server drops one that comes twice.
func messageID(w Work, publishes int) string {
	if len(w.MessageIDs) == 0 {
		return ""
	}
	return fmt.Sprintf("%s/%d..%d/%d", w.Tenant, w.MessageIDs[0], w.MessageIDs[len(w.MessageIDs)-1], publishes)
}

func encode(w Work) ([]byte, error) {
	return json.Marshal(payload{payloadVersion, w.Tenant, w.SessionNo, w.MessageIDs})
}

// decode reads what encode wrote; the lane comes from the subject.
func decode(subject string, data []byte) (Work, error) {
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		return Work{}, fmt.Errorf("work: %w", err)
	}
	switch {
	case p.Version != payloadVersion:
		return Work{}, fmt.Errorf("work: version %d is unknown", p.Version)
	case p.Tenant == "" || p.SessionNo <= 0:
		return Work{}, fmt.Errorf("work: tenant or session is missing")
	}
	tokens := strings.Split(subject, ".")
	if len(tokens) < 4 {
		return Work{}, fmt.Errorf("work: subject has %d tokens", len(tokens))
	}
	return Work{p.Tenant, p.SessionNo, p.MessageIDs, tokens[len(tokens)-3] == backfill}, nil
}
