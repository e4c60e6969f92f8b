package app

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/assemble"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/shortterm"
)

// Config is all that can be set, from the environment or by flags. The tags are read
// by the command line; env names what the contract fixes.
type Config struct {
	Listen  string `env:"MEMD_LISTEN" default:"127.0.0.1:7411" help:"Address to serve HTTP on; not loopback only with API keys."`
	DataDir string `env:"MEMD_DATA_DIR" placeholder:"DIR" help:"Where the embedded Postgres and JetStream keep their data (default: /var/lib/memd as root, else memd under the user's data directory)."`

	DBURL      string `name:"db-url" env:"DB_URL" secret:"url" placeholder:"URL" help:"Postgres with pgvector; unset: memd runs its own."`
	DBAdminURL string `name:"db-admin-url" env:"MEMD_DB_ADMIN_URL" secret:"url" placeholder:"URL" help:"Login that owns the schema and migrates it; unset: DB_URL's."`
	DBPoolMin  int32  `name:"db-pool-min" env:"MEMD_DB_POOL_MIN" default:"1" help:"Least connections for requests."`
	DBPoolMax  int32  `name:"db-pool-max" env:"MEMD_DB_POOL_MAX" default:"10" help:"Most connections for requests; workers have their own."`

	NATSURL      string `name:"nats-url" env:"NATS_URL" secret:"url" placeholder:"URL" help:"NATS with JetStream; unset: memd runs its own in the process."`
	NATSReplicas int    `name:"nats-replicas" env:"MEMD_NATS_REPLICAS" default:"1" help:"Copies of the stream on a NATS cluster."`
	NATSListen   string `name:"nats-listen" env:"MEMD_NATS_LISTEN" placeholder:"ADDR" help:"Address on which the embedded NATS also takes TCP connections; unset: none."`

	Workers      int           `env:"MEMD_WORKERS" default:"4" help:"Messages' batches worked on at once; 0: this process only serves."`
	DrainTimeout time.Duration `env:"MEMD_DRAIN_TIMEOUT" default:"10s" help:"How long a stop may take."`

	Extractor string `env:"MEMD_EXTRACTOR" placeholder:"rules|llm" help:"How facts are extracted (default: llm when MEMD_LLM_URL is set, else rules)."`
	LLMURL    string `name:"llm-url" env:"MEMD_LLM_URL" secret:"url" placeholder:"URL" help:"OpenAI-compatible base URL ending in /v1."`
	LLMModel  string `name:"llm-model" env:"MEMD_LLM_MODEL" placeholder:"NAME" help:"Chat model for the llm extractor."`

	LLMContext         int     `name:"llm-context" env:"MEMD_LLM_CONTEXT" default:"0" help:"The chat model's window in tokens; 0: what its server says, else 8192."`
	LLMPromptPrice     float64 `name:"llm-prompt-price" env:"MEMD_LLM_PROMPT_PRICE" default:"0" help:"What a million tokens sent cost, for the metrics."`
	LLMCompletionPrice float64 `name:"llm-completion-price" env:"MEMD_LLM_COMPLETION_PRICE" default:"0" help:"What a million tokens answered cost, for the metrics."`
	Summaries          bool    `env:"MEMD_SUMMARIES" default:"true" help:"Have the chat model sum up what has left a session's window, and closed sessions."`
	KeepSecrets        bool    `env:"MEMD_KEEP_SECRETS" default:"false" help:"Leave passwords, keys and card numbers in what is learned."`

	EmbedURL        string `name:"embed-url" env:"MEMD_EMBED_URL" secret:"url" placeholder:"URL" help:"OpenAI-compatible base URL ending in /v1; unset: the local model."`
	EmbedModel      string `name:"embed-model" env:"MEMD_EMBED_MODEL" placeholder:"NAME" help:"Embedding model of the server at MEMD_EMBED_URL."`
	EmbedDimensions int    `name:"embed-dimensions" env:"MEMD_EMBED_DIMENSIONS" default:"0" help:"Width to ask for and to insist on; 0: whatever the model has."`
	OpenAIKey       string `name:"openai-api-key" env:"OPENAI_API_KEY" secret:"key" placeholder:"KEY" help:"Key for the servers above; switches nothing on by itself."`

	APIKeys string `name:"api-keys" env:"MEMD_API_KEYS" secret:"keys" placeholder:"KEY=TENANT[:ROLE],…" help:"Static keys; roles admin, writer (default), reader. Unset: no key is asked for, loopback only."`

	RotateIdle    string `env:"MEMD_ROTATE_IDLE" placeholder:"SPAN" help:"A session in which nothing came for so long (30m, 7d) is followed by a new one with the next user message; unset: never."`
	RotateTurns   int    `env:"MEMD_ROTATE_TURNS" default:"0" help:"The same of one with so many user messages; 0: never."`
	RotateTokens  int    `env:"MEMD_ROTATE_TOKENS" default:"0" help:"The same of one whose messages have so many tokens, at four bytes each; 0: never."`
	RotateAge     string `env:"MEMD_ROTATE_AGE" placeholder:"SPAN" help:"The same of one that is so old; unset: never."`
	KeepMessages  string `env:"MEMD_KEEP_MESSAGES" placeholder:"SPAN" help:"How long the log keeps messages that have settled (90d); unset: for ever. What was learned stays."`
	IncognitoIdle string `env:"MEMD_INCOGNITO_IDLE" default:"24h" placeholder:"SPAN" help:"How long an incognito session lives after its last message."`

	RecallHeader string `env:"MEMD_RECALL_HEADER" default:"retrieved memories:" help:"First line of a context's system message."`
	RecallLine   string `env:"MEMD_RECALL_LINE" default:"{speaker}: {text}" help:"Form of each recalled line."`

	// NoAPI serves nothing but whether it is well: it only works.
	NoAPI bool `kong:"-"`

	LogLevel  string `env:"MEMD_LOG_LEVEL" default:"info" placeholder:"LEVEL" help:"trace, debug, info, warn, error."`
	LogFormat string `env:"MEMD_LOG_FORMAT" default:"auto" placeholder:"FORMAT" help:"json, console, or auto: console on a terminal."`
}

// APIKey is one entry of MEMD_API_KEYS.
type APIKey struct{ Token, Tenant, Role string }

// maxTenantLength keeps index rows of long ids within Postgres's bounds.
const maxTenantLength = 64

var roles = []string{"admin", "writer", "reader"}

// ParseAPIKeys reads comma-separated key=tenant[:role]. The key ends at the last =,
// so that keys in base64 work. Errors never quote a key.
func ParseAPIKeys(s string) ([]APIKey, error) {
	var keys []APIKey
	var problems []error
	seen := map[string]bool{}
	n := 0
	for entry := range strings.SplitSeq(s, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		n++
		bad := func(why string) {
			problems = append(problems, fmt.Errorf("MEMD_API_KEYS: entry %d %s", n, why))
		}
		i := strings.LastIndexByte(entry, '=')
		if i < 1 {
			bad("is not key=tenant or key=tenant:role")
			continue
		}
		k := APIKey{Token: entry[:i], Tenant: entry[i+1:], Role: "writer"}
		if j := strings.LastIndexByte(k.Tenant, ':'); j >= 0 {
			k.Tenant, k.Role = k.Tenant[:j], k.Tenant[j+1:]
		}
		switch {
		case !slices.Contains(roles, k.Role):
			bad("has a role that is none of admin, writer, reader")
		case memd.CheckID("tenant", k.Tenant) != nil || len(k.Tenant) > maxTenantLength:
			bad(fmt.Sprintf("needs a tenant of 1 to %d bytes without control characters", maxTenantLength))
		case strings.ContainsFunc(k.Token, func(r rune) bool { return r <= ' ' || r == 0x7f }):
			bad("has a key with blanks or control characters")
		case seen[k.Token]:
			bad("repeats a key")
		default:
			seen[k.Token] = true
			keys = append(keys, k)
		}
	}
	return keys, errors.Join(problems...)
}

// placeholders are values that people leave in from examples; they are no secret.
var placeholders = []string{"changeme", "change-me", "secret", "password", "your-api-key", "your_api_key", "key", "test", "example", "xxx"}

// InForce fills in what follows from other settings or from the machine: what a setting
// that was left open comes to. The error names a variable that must be set here.
func (c Config) InForce() (Config, error) {
	if c.Extractor == "" {
		c.Extractor = "rules"
		if c.LLMURL != "" {
			c.Extractor = "llm"
		}
	}
	var err error
	c.DataDir, err = dataDir(c.DataDir)
	return c, err
}

// dataDir gives where data lies. By default it is below the user's data directory, and
// for root not in root's home, where the unprivileged Postgres could not reach it.
func dataDir(set string) (string, error) {
	home, homeErr := os.UserHomeDir()
	switch {
	case set == "~" || strings.HasPrefix(set, "~/"):
		if homeErr != nil {
			return "", errors.New("MEMD_DATA_DIR: there is no home directory for ~")
		}
		set = filepath.Join(home, strings.TrimPrefix(set, "~"))
	case set != "":
	case os.Geteuid() == 0:
		set = "/var/lib/memd"
	case os.Getenv("XDG_DATA_HOME") != "":
		set = filepath.Join(os.Getenv("XDG_DATA_HOME"), "memd")
	case homeErr != nil:
		return "", errors.New("MEMD_DATA_DIR: must be set where there is no home directory")
	default:
		set = filepath.Join(home, ".local", "share", "memd")
	}
	abs, err := filepath.Abs(set)
	if err != nil {
		return "", fmt.Errorf("MEMD_DATA_DIR: %w", err)
	}
	return abs, nil
}

// logConfig gives how the log works by these settings.
func (c Config) logConfig() (shortterm.Config, error) {
	var problems []error
	span := func(name, text string) *time.Duration {
		if text == "" {
			return nil
		}
		d, err := memd.ParseSpan(name, text)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: must be a duration like 30m or 7d", name))
		}
		return &d
	}
	count := func(name string, n int) *int {
		switch {
		case n < 0:
			problems = append(problems, fmt.Errorf("%s: must not be negative", name))
		case n > 0:
			return &n
		}
		return nil
	}
	out := shortterm.Config{Summaries: c.SumsUp(), Limits: shortterm.Limits{
		Idle: span("MEMD_ROTATE_IDLE", c.RotateIdle), Age: span("MEMD_ROTATE_AGE", c.RotateAge), Turns: count("MEMD_ROTATE_TURNS", c.RotateTurns)}}
	if n := count("MEMD_ROTATE_TOKENS", c.RotateTokens); n != nil {
		tokens := int64(*n)
		out.Limits.Tokens = &tokens
	}
	if d := span("MEMD_KEEP_MESSAGES", c.KeepMessages); d != nil {
		out.KeepMessages = *d
	}
	if d := span("MEMD_INCOGNITO_IDLE", c.IncognitoIdle); d != nil {
		out.IncognitoIdle = *d
		if *d == 0 {
			problems = append(problems, errors.New("MEMD_INCOGNITO_IDLE: must be more than nothing"))
		}
	}
	return out, errors.Join(problems...)
}

// SumsUp says whether sessions are summed up by a model, which needs no model to extract facts.
func (c Config) SumsUp() bool { return c.Summaries && c.LLMURL != "" && c.LLMModel != "" }

// UsesLLM says whether facts are extracted by a model.
func (c Config) UsesLLM() bool {
	return c.Extractor == "llm" || c.Extractor == "" && c.LLMURL != ""
}

// Check names every problem there is, by the name of the variable.
func (c Config) Check() error {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }

	keys, err := ParseAPIKeys(c.APIKeys)
	if err != nil {
		problems = append(problems, err)
	}
	host, port, err := net.SplitHostPort(c.Listen)
	switch {
	case err != nil:
		problem("MEMD_LISTEN: must be host:port")
	case !validPort(port):
		problem("MEMD_LISTEN: the port must be 0 to 65535")
	case !loopback(host):
		if len(keys) == 0 {
			problem("MEMD_LISTEN: %s is not a loopback address, and without MEMD_API_KEYS anyone could read everything: set keys, or listen on 127.0.0.1", c.Listen)
		}
		for _, k := range keys {
			if slices.Contains(placeholders, strings.ToLower(k.Token)) {
				problem("MEMD_API_KEYS: the key of tenant %s is a placeholder: choose a secret before serving %s", k.Tenant, c.Listen)
			}
		}
	}
	for _, v := range []struct{ name, value string }{{"DB_URL", c.DBURL}, {"MEMD_DB_ADMIN_URL", c.DBAdminURL}} {
		if v.value == "" {
			continue
		}
		if !validURL(v.value, "postgres", "postgresql") && !strings.Contains(v.value, "=") {
			problem("%s: must be a postgres:// URL or key=value pairs", v.name)
		} else if err := postgres.CheckURL(v.value); err != nil {
			problem("%s: %w", v.name, err)
		}
	}
	if c.DBAdminURL != "" && c.DBURL == "" {
		problem("MEMD_DB_ADMIN_URL: means nothing without DB_URL")
	}
	if c.NATSURL != "" {
		for u := range strings.SplitSeq(c.NATSURL, ",") {
			if !validURL(strings.TrimSpace(u), "nats", "tls", "ws", "wss") {
				problem("NATS_URL: must be nats:// URLs, comma-separated")
				break
			}
		}
	}
	if c.NATSURL != "" && c.NATSListen != "" {
		problem("MEMD_NATS_LISTEN: is for the embedded NATS, and NATS_URL names another")
	}
	if c.NATSListen != "" {
		if _, port, err := net.SplitHostPort(c.NATSListen); err != nil || !validPort(port) {
			problem("MEMD_NATS_LISTEN: must be host:port")
		}
	}
	if c.NATSReplicas < 1 || c.NATSReplicas > 5 {
		problem("MEMD_NATS_REPLICAS: must be 1 to 5")
	}
	for _, v := range []struct{ name, value string }{{"MEMD_LLM_URL", c.LLMURL}, {"MEMD_EMBED_URL", c.EmbedURL}} {
		if v.value != "" && !validURL(v.value, "http", "https") {
			problem("%s: must be an http:// or https:// URL", v.name)
		} else if v.value != "" && !strings.HasSuffix(strings.TrimRight(v.value, "/"), "/v1") {
			problem("%s: must be a base URL ending in /v1", v.name)
		}
	}
	switch c.Extractor {
	case "", "rules":
	case "llm":
		if c.LLMURL == "" {
			problem("MEMD_EXTRACTOR: llm needs MEMD_LLM_URL")
		}
	default:
		problem("MEMD_EXTRACTOR: must be rules or llm")
	}
	if c.UsesLLM() && c.LLMModel == "" {
		problem("MEMD_LLM_MODEL: is needed with MEMD_LLM_URL")
	}
	if c.LLMContext != 0 && (c.LLMContext < 1024 || c.LLMContext > 1<<24) {
		problem("MEMD_LLM_CONTEXT: must be 0, or 1024 to 16777216")
	}
	if c.LLMPromptPrice < 0 || c.LLMCompletionPrice < 0 {
		problem("MEMD_LLM_PROMPT_PRICE, MEMD_LLM_COMPLETION_PRICE: must not be negative")
	}
	if _, err := c.logConfig(); err != nil {
		problems = append(problems, err)
	}
	if err := assemble.CheckHeader(c.RecallHeader); err != nil {
		problem("MEMD_RECALL_HEADER: %v", err)
	}
	if c.RecallLine != "" {
		if err := assemble.CheckLine(c.RecallLine); err != nil {
			problem("MEMD_RECALL_LINE: %v", err)
		}
	}
	if c.EmbedURL != "" && c.EmbedModel == "" {
		problem("MEMD_EMBED_MODEL: is needed with MEMD_EMBED_URL")
	}
	if c.EmbedURL == "" && (c.EmbedModel != "" || c.EmbedDimensions != 0) {
		problem("MEMD_EMBED_URL: is needed with MEMD_EMBED_MODEL and MEMD_EMBED_DIMENSIONS")
	}
	if c.EmbedDimensions < 0 || c.EmbedDimensions > 4000 {
		problem("MEMD_EMBED_DIMENSIONS: must be 0 to 4000")
	}
	if c.Workers < 0 || c.Workers > 256 {
		problem("MEMD_WORKERS: must be 0 to 256")
	}
	if c.NoAPI && c.Workers == 0 {
		problem("MEMD_WORKERS: 0 leaves a worker nothing to do")
	}
	if c.NoAPI && (c.DBURL == "" || c.NATSURL == "") {
		problem("DB_URL, NATS_URL: a worker works for other memds and needs their Postgres and NATS")
	}
	if c.DBPoolMin < 0 || c.DBPoolMax < 1 || c.DBPoolMin > c.DBPoolMax || c.DBPoolMax > 1000 {
		problem("MEMD_DB_POOL_MAX: must be 1 to 1000 and not below MEMD_DB_POOL_MIN")
	}
	if c.DrainTimeout <= 0 || c.DrainTimeout > 10*time.Minute {
		problem("MEMD_DRAIN_TIMEOUT: must be above 0 and at most 10m")
	}
	if !slices.Contains([]string{"trace", "debug", "info", "warn", "error"}, c.LogLevel) {
		problem("MEMD_LOG_LEVEL: must be trace, debug, info, warn or error")
	}
	if !slices.Contains([]string{"auto", "json", "console"}, c.LogFormat) {
		problem("MEMD_LOG_FORMAT: must be auto, json or console")
	}
	return errors.Join(problems...)
}

func validPort(port string) bool {
	n, err := net.LookupPort("tcp", port)
	return err == nil && n >= 0
}

func validURL(s string, schemes ...string) bool {
	u, err := url.Parse(s)
	return err == nil && slices.Contains(schemes, u.Scheme) && u.Host != ""
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
