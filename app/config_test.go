package app

import (
	"strings"
	"testing"
	"time"
)

func valid() Config {
	return Config{Listen: "127.0.0.1:7411", DBPoolMin: 1, DBPoolMax: 10, NATSReplicas: 1, Workers: 4,
		DrainTimeout: 10 * time.Second, LogLevel: "info", LogFormat: "auto"}
}

func TestTheDefaultsAreValid(t *testing.T) {
	if err := valid().Check(); err != nil {
		t.Error(err)
	}
}

func TestCheckNamesEachProblem(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*Config)
		want string
	}{
		"public without keys":     {func(c *Config) { c.Listen = "0.0.0.0:7411" }, "MEMD_LISTEN"},
		"all addresses":           {func(c *Config) { c.Listen = ":7411" }, "MEMD_LISTEN"},
		"public ipv6":             {func(c *Config) { c.Listen = "[::]:7411" }, "MEMD_LISTEN"},
		"no port":                 {func(c *Config) { c.Listen = "127.0.0.1" }, "MEMD_LISTEN"},
		"port out of range":       {func(c *Config) { c.Listen = "127.0.0.1:70000" }, "MEMD_LISTEN"},
		"placeholder key":         {func(c *Config) { c.Listen, c.APIKeys = "0.0.0.0:1", "changeme=acme" }, "MEMD_API_KEYS"},
		"keys without tenant":     {func(c *Config) { c.APIKeys = "abc" }, "MEMD_API_KEYS"},
		"unknown role":            {func(c *Config) { c.APIKeys = "abc=acme:root" }, "MEMD_API_KEYS"},
		"repeated key":            {func(c *Config) { c.APIKeys = "abc=acme,abc=globex" }, "MEMD_API_KEYS"},
		"line without its text":   {func(c *Config) { c.RecallLine = "{speaker}" }, "MEMD_RECALL_LINE"},
		"line with what is not":   {func(c *Config) { c.RecallLine = "{date} {speaker}: {text}" }, "MEMD_RECALL_LINE"},
		"db url":                  {func(c *Config) { c.DBURL = "mysql://x/y" }, "DB_URL"},
		"db url's mode":           {func(c *Config) { c.DBURL = "postgres://joe:sesame@db/memd?sslmode=bogus" }, "DB_URL: sslmode"},
		"admin's db url":          {func(c *Config) { c.DBURL, c.DBAdminURL = "postgres://db/memd", "postgres://db:port/memd" }, "MEMD_DB_ADMIN_URL"},
		"nats url":                {func(c *Config) { c.NATSURL = "localhost" }, "NATS_URL"},
		"llm url":                 {func(c *Config) { c.LLMURL, c.LLMModel = "http://x/api", "m" }, "MEMD_LLM_URL"},
		"llm without a model":     {func(c *Config) { c.LLMURL = "http://x/v1" }, "MEMD_LLM_MODEL"},
		"llm extractor alone":     {func(c *Config) { c.Extractor = "llm" }, "MEMD_EXTRACTOR"},
		"embed without a model":   {func(c *Config) { c.EmbedURL = "http://x/v1" }, "MEMD_EMBED_MODEL"},
		"dimensions without url":  {func(c *Config) { c.EmbedDimensions = 384 }, "MEMD_EMBED_URL"},
		"pool the wrong way":      {func(c *Config) { c.DBPoolMin = 20 }, "MEMD_DB_POOL"},
		"workers":                 {func(c *Config) { c.Workers = -1 }, "MEMD_WORKERS"},
		"log level":               {func(c *Config) { c.LogLevel = "loud" }, "MEMD_LOG_LEVEL"},
		"drain":                   {func(c *Config) { c.DrainTimeout = 0 }, "MEMD_DRAIN_TIMEOUT"},
		"embedded nats elsewhere": {func(c *Config) { c.NATSURL, c.NATSListen = "nats://x:4222", "127.0.0.1:4222" }, "MEMD_NATS_LISTEN"},
	} {
		cfg := valid()
		c.set(&cfg)
		err := cfg.Check()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want it to name %s", name, err, c.want)
		}
	}
	cfg := valid()
	cfg.Listen, cfg.Workers, cfg.LogLevel = "0.0.0.0:1", -1, "loud"
	for _, name := range []string{"MEMD_LISTEN", "MEMD_WORKERS", "MEMD_LOG_LEVEL"} {
		if err := cfg.Check(); !strings.Contains(err.Error(), name) {
			t.Errorf("all problems at once: %v misses %s", err, name)
		}
	}
}

func TestParseAPIKeys(t *testing.T) {
	keys, err := ParseAPIKeys("abc=acme, def==globex:reader ,g:h=a:b:admin")
	if err != nil {
		t.Fatal(err)
	}
	want := []APIKey{{"abc", "acme", "writer"}, {"def=", "globex", "reader"}, {"g:h", "a:b", "admin"}}
	if len(keys) != len(want) {
		t.Fatalf("keys = %v", keys)
	}
	for i := range want {
		if keys[i] != want[i] {
			t.Errorf("key %d = %v, want %v", i, keys[i], want[i])
		}
	}
	if _, err := ParseAPIKeys("sesame-7731"); err == nil || strings.Contains(err.Error(), "sesame") {
		t.Errorf("a bad entry must be refused without being quoted: %v", err)
	}
}

func FuzzParseAPIKeys(f *testing.F) {
	f.Add("abc=acme:admin,def=globex")
	f.Add("=,:=:,a=b:c:d")
	f.Fuzz(func(t *testing.T, s string) {
		keys, err := ParseAPIKeys(s)
		if err != nil {
			return
		}
		for _, k := range keys {
			if k.Token == "" || k.Tenant == "" || (k.Role != "admin" && k.Role != "writer" && k.Role != "reader") {
				t.Fatalf("accepted %+v", k)
			}
		}
	})
}
