package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"
	"github.com/memdhq/memd/app"
	"github.com/memdhq/memd/embedded"
)

type configCheckCommand struct {
	app.Config
}

// Run prints every setting, its value with secrets hidden, and whether it came from
// a flag, the environment or the defaults; then every problem, by name, and what is
// missing of the servers that memd would run itself.
func (c configCheckCommand) Run(k *kong.Context, misread []app.Unreadable) error {
	secrets := map[string]string{}
	fields := reflect.TypeFor[app.Config]()
	for i := range fields.NumField() {
		tag := fields.Field(i).Tag
		secrets[tag.Get("env")] = tag.Get("secret")
	}
	inForce, openErr := c.InForce()
	follows := map[string]string{"MEMD_DATA_DIR": inForce.DataDir, "MEMD_EXTRACTOR": inForce.Extractor}
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	for _, f := range k.Flags() {
		if len(f.Envs) == 0 {
			continue
		}
		env, value, from := f.Envs[0], fmt.Sprint(f.Target.Interface()), source(k, f)
		if value == "" && follows[env] != "" {
			value, from = follows[env], "default"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", env, shown(value, secrets[env]), from)
	}
	variable, cache, cacheErr := embedded.CacheDir()
	from := "default"
	if os.Getenv(variable) != "" {
		from = "environment"
	}
	fmt.Fprintf(w, "%s\t%s\t%s\n", variable, shown(cache, ""), from)
	if err := w.Flush(); err != nil {
		return err
	}
	missing := cacheErr
	if c.DBURL == "" && missing == nil {
		_, missing = embedded.FindPostgres()
	}
	if c.EmbedURL == "" && missing == nil {
		_, missing = embedded.FindModel()
	}
	for _, name := range app.UnknownVariables(os.Environ()) {
		fmt.Fprintf(os.Stderr, "warning: %s is no setting of memd\n", name)
	}
	if err := errors.Join(app.UnreadableError(misread), c.Check(), openErr, missing); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return errSaid
	}
	fmt.Println("ok")
	return nil
}

// source says where a flag's value came from.
func source(k *kong.Context, f *kong.Flag) string {
	for _, p := range k.Path {
		if p.Flag == f {
			return "flag --" + f.Name
		}
	}
	if _, ok := os.LookupEnv(f.Envs[0]); ok {
		return "environment"
	}
	if f.HasDefault {
		return "default"
	}
	return "not set"
}

// shown hides what must not be read over a shoulder or in a log.
func shown(value, secret string) string {
	if value == "" {
		return "-"
	}
	switch secret {
	case "url":
		u, err := url.Parse(value)
		if err != nil || u.Host == "" {
			return "(hidden)"
		}
		if u.User != nil {
			u.User = url.User("hidden")
		}
		u.RawQuery = ""
		return u.String()
	case "key":
		return "(hidden)"
	case "keys":
		keys, err := app.ParseAPIKeys(value)
		if err != nil {
			return "(hidden)"
		}
		var out []string
		for _, key := range keys {
			out = append(out, "(hidden)="+key.Tenant+":"+key.Role)
		}
		return strings.Join(out, ",")
	}
	return value
}
