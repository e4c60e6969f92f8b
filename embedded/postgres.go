package embedded

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"github.com/memdhq/memd"
)

// The roles and the database of an embedded Postgres. The superuser never
// leaves this package.
const (
	superuser = "memd"
	ownerRole = "memd_owner"
	appRole   = "memd_app"
	database  = "memd"
)

// PostgresConfig says how to run a Postgres.
type PostgresConfig struct {
	// BinDir is the root of the installation, as FindPostgres gives it.
	BinDir string
	// DataDir is the data directory. It is made if it does not exist, refused if
	// it holds anything but the data of this very major version.
	DataDir string
	// Log gets what happens to the server. What the server itself has to say is
	// in postgres.log in the data directory.
	Log zerolog.Logger
}

// Postgres is a running server. It is started again whenever it dies, on the
// same socket, so that pools reconnect by themselves, until Stop.
type Postgres struct {
	cfg     PostgresConfig
	account account
	lock    *os.File
	socket  string
	// byHand says that the account cannot get to the data directory by its path;
	// it is then handed over open.
	byHand bool

	stop     chan struct{} // closed by Stop: no more restarts
	stopOnce sync.Once
	done     chan struct{} // closed when the server is gone for good

	mu      sync.Mutex
	err     error
	process *os.Process // nil while none runs
}

// StartPostgres starts a Postgres on cfg.DataDir and waits until it answers:
// it makes the data directory at the first start, stops a server that a killed
// memd left behind, and sees to the roles, the database and the extension. ctx
// bounds the start only. A running memd on the same directory, a directory that
// cannot be used and one of another version are errors of kind Conflict or
// Invalid that say in one line what to do.
func StartPostgres(ctx context.Context, cfg PostgresConfig) (_ *Postgres, err error) {
	p, err := takeDataDir(cfg)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.release()
		}
	}()
	if err := p.clearLeftovers(ctx); err != nil {
		return nil, err
	}
	if err := p.initialize(ctx); err != nil {
		return nil, err
	}
	if p.socket, err = p.makeSocketDir(); err != nil {
		return nil, err
	}
	if err := p.run(ctx); err != nil {
		return nil, err
	}
	if err := p.ensureDatabase(ctx); err != nil {
		return nil, errors.Join(err, p.Stop(context.WithoutCancel(ctx)))
	}
	return p, nil
}

// takeDataDir chooses whom to run as, and locks the data directory, which need not
// exist.
func takeDataDir(cfg PostgresConfig) (*Postgres, error) {
	dir, err := resolveDataDir(cfg.DataDir)
	if err != nil {
		return nil, err
	}
	cfg.DataDir = dir
	p := newPostgres(cfg)
	if err := makeParents(filepath.Dir(dir)); err != nil {
		return nil, &memd.Error{Kind: memd.Invalid, Op: "embedded.postgres", Msg: "cannot make the data folder (MEMD_DATA_DIR)", Err: err}
	}
	if p.account, err = chooseAccount(dir); err != nil {
		return nil, err
	}
	if err := p.account.canReach(filepath.Dir(dir)); err != nil {
		if !handsOverFolders {
			return nil, err
		}
		p.byHand = true
	}
	if err := p.account.canReach(filepath.Join(cfg.BinDir, "bin")); err != nil {
		return nil, err
	}
	if p.lock, err = lockDataDir(dir); err != nil {
		return nil, err
	}
	return p, nil
}

func newPostgres(cfg PostgresConfig) *Postgres {
	return &Postgres{cfg: cfg, stop: make(chan struct{}), done: make(chan struct{})}
}

func resolveDataDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", &memd.Error{Kind: memd.Invalid, Op: "embedded.postgres", Err: err}
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return dir, nil
}

// OwnerURL is the connection string of the role that owns the database memd and
// all in it: for migrations.
func (p *Postgres) OwnerURL() string { return p.url(ownerRole, database) }

// AppURL is the connection string of the role that works: it owns nothing, is
// no superuser and cannot bypass row-level security.
func (p *Postgres) AppURL() string { return p.url(appRole, database) }

func (p *Postgres) url(role, db string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(role),
		Path:     "/" + db,
		RawQuery: url.Values{"host": {p.socket}, "sslmode": {"disable"}}.Encode(),
	}
	return u.String()
}

// Done is closed when the server is gone and will not be started again: after
// Stop, or when it would not come up any more; Err says which.
func (p *Postgres) Done() <-chan struct{} { return p.done }

// Err is nil while the server is kept running and after Stop, else why it is gone.
func (p *Postgres) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Stop stops the server as Postgres calls fast: transactions in progress are
// rolled back, what is committed is on disk. If it has not gone when ctx ends it
// is stopped the hard way, which costs the next start a recovery and no data.
// Stopping again is harmless.
func (p *Postgres) Stop(ctx context.Context) error {
	p.stopOnce.Do(func() { close(p.stop) })
	p.signal(unix.SIGINT)
	hard := []unix.Signal{unix.SIGQUIT, unix.SIGKILL}
	for {
		select {
		case <-p.done:
			return nil
		case <-ctx.Done():
		}
		if len(hard) == 0 {
			return &memd.Error{Kind: memd.Internal, Op: "embedded.postgres.stop", Msg: "Postgres does not end", Err: ctx.Err()}
		}
		p.signal(hard[0])
		hard = hard[1:]
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), 500*time.Millisecond)
		defer cancel()
		ctx = patience
	}
}

func (p *Postgres) signal(s unix.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process != nil {
		// An error means that it has ended already.
		_ = p.process.Signal(s)
	}
}

// release gives back what was taken for the server.
func (p *Postgres) release() {
	if p.socket != "" {
		removeSocketDir(p.socket)
	}
	if p.lock != nil {
		_ = p.lock.Truncate(0)
		_ = p.lock.Close()
	}
}

// lockDataDir takes the lock that keeps two memds from one data directory. It is
// a file beside the directory, since at a first start there is no directory yet,
// and goes with the process, however that ends.
func lockDataDir(dir string) (*os.File, error) {
	path := lockPath(dir)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, &memd.Error{Kind: memd.Invalid, Op: "embedded.postgres", Msg: "cannot lock the data folder (MEMD_DATA_DIR)", Err: err}
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil && isAt(f, path) {
			return f, nil
		}
		_ = f.Close()
		switch {
		case err == nil: // removed since, by a restore that failed
		case errors.Is(err, unix.EWOULDBLOCK):
			return nil, &memd.Error{
				Kind: memd.Conflict, Op: "embedded.postgres",
				Msg: fmt.Sprintf("another memd is running on %s; stop it, or use another MEMD_DATA_DIR", dir),
			}
		default:
			return nil, &memd.Error{Kind: memd.Invalid, Op: "embedded.postgres", Msg: "cannot lock " + path, Err: err}
		}
	}
}

func lockPath(dir string) string {
	return filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".lock")
}

// isAt says whether the open file is the one that the path names.
func isAt(f *os.File, path string) bool {
	opened, err1 := f.Stat()
	named, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(opened, named)
}

// makeParents makes dir and what is missing above it, traversable by everyone
// whatever the umask: the server's account has to get through.
func makeParents(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := makeParents(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if os.Geteuid() != 0 {
		return nil
	}
	return os.Chmod(dir, 0o755)
}
