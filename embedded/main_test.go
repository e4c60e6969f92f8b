package embedded_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/rs/zerolog"

	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/internal/memdtest"
)

// helperDir, when set, makes the test binary a process that runs a Postgres on
// this data directory until it is killed: a memd that can be harmed.
const helperDir = "MEMD_TEST_HELPER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		runHelper(dir)
	}
	memdtest.Main(m)
}

func runHelper(dir string) {
	bin, err := embedded.FindPostgres()
	if err == nil {
		var pg *embedded.Postgres
		pg, err = embedded.StartPostgres(context.Background(), embedded.PostgresConfig{BinDir: bin, DataDir: dir, Log: zerolog.Nop()})
		if err == nil {
			end := make(chan os.Signal, 1)
			signal.Notify(end, syscall.SIGTERM)
			fmt.Println("up " + pg.OwnerURL())
			<-end
			err = pg.Stop(context.Background())
		}
	}
	fmt.Println("failed", err)
	os.Exit(1)
}
