// Command memd is the conversation-memory daemon and its tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/app"
)

// commands is the whole command line. Settings come from the environment or from
// flags, for every command that uses them.
type commands struct {
	Serve       serveCommand        `cmd:"" help:"Run the daemon."`
	Worker      workerCommand       `cmd:"" help:"Learn from what other memds take, and serve nothing."`
	Config      configCommands      `cmd:"" help:"Look at the configuration."`
	Health      healthCommand       `cmd:"" help:"Ask a running memd whether it is ready; exit status 0 if so."`
	Import      importCommand       `cmd:"" help:"Bring conversations and memories from elsewhere into a running memd."`
	Export      exportCommand       `cmd:"" help:"Write what a running memd knows, to be imported or as chat lines."`
	Reextract   reextractCommand    `cmd:"" help:"Have a running memd learn again from messages."`
	DeadLetters deadLettersCommands `cmd:"" help:"See to messages that a running memd has given up."`
	Tail        tailCommand         `cmd:"" help:"Print the messages of a running memd as they come."`
	Backup      backupCommand       `cmd:"" help:"Write a backup of the embedded Postgres, also while memd runs."`
	Restore     restoreCommand      `cmd:"" help:"Make a new data directory from a backup."`
	Version     versionCommand      `cmd:"" help:"Print the version."`
}

type configCommands struct {
	Check configCheckCommand `cmd:"" help:"Print what is in force and where it came from; exit status 1 if it is wrong."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:]))
}

// run runs one command and gives its exit status. Problems go to standard error.
func run(ctx context.Context, args []string) int {
	var c commands
	if len(args) == 0 {
		args = []string{"--help"}
	}
	misread := app.TakeUnreadable(os.LookupEnv, os.Unsetenv)
	parser, err := kong.New(&c, kong.Name("memd"),
		kong.Description("Conversation memory: every message logged, learned from, and recalled."),
		kong.UsageOnError(), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		fmt.Fprintln(os.Stderr, "memd:", err)
		return 1
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "memd:", err)
		return 2
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	if err := parsed.Run(parsed, misread); err != nil {
		if !errors.Is(err, errSaid) {
			fmt.Fprintln(os.Stderr, "memd:", plain(err))
		}
		return 1
	}
	return 0
}

// plain tells an error in words for whoever runs memd: without the names that the code
// gives to operations and kinds, where there are words for people.
func plain(err error) string {
	var e *memd.Error
	if !errors.As(err, &e) || e.Msg == "" {
		return err.Error()
	}
	words := e.Msg
	if e.Field != "" {
		words = e.Field + ": " + words
	}
	if e.Err != nil {
		words += ": " + e.Err.Error()
	}
	return strings.Replace(err.Error(), e.Error(), words, 1)
}

// errSaid is an error that has been told already.
var errSaid = errors.New("failed")
