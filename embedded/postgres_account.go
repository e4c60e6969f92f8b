package embedded

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/memdhq/memd"
)

// account is the system's user that the server runs as. Postgres refuses to run
// as root.
type account struct {
	uid, gid uint32
	// drop says that memd is root and has to change to the account.
	drop bool
}

// chooseAccount gives the account for a data directory: memd's own, unless it is
// root; then the directory's owner, or nobody for one that is still to be made.
func chooseAccount(dir string) (account, error) {
	self := account{uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}
	info, err := os.Stat(dir)
	exists := err == nil
	var owner account
	if exists {
		st := info.Sys().(*syscall.Stat_t)
		owner = account{uid: st.Uid, gid: st.Gid, drop: true}
		// An empty one of root's is as good as none: ours takes its place.
		exists = owner.uid != 0 || !isEmptyDir(dir)
	}
	switch {
	case self.uid != 0 && exists && owner.uid != self.uid:
		return account{}, invalid("%s belongs to uid %d and memd runs as uid %d; run it as the owner, or use another MEMD_DATA_DIR", dir, owner.uid, self.uid)
	case self.uid != 0:
		return self, nil
	case exists && owner.uid == 0:
		return account{}, invalid("%s belongs to root, as which Postgres does not run; give it to an ordinary user: chown -R nobody %s", dir, dir)
	case exists:
		return owner, nil
	}
	return nobody()
}

func nobody() (account, error) {
	u, err := user.Lookup("nobody")
	if err != nil {
		return account{}, invalid("Postgres does not run as root, and there is no user nobody to run it as; run memd as an ordinary user")
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err1 != nil || err2 != nil {
		return account{}, invalid("the user nobody has no numeric id")
	}
	return account{uid: uint32(uid), gid: uint32(gid), drop: true}, nil
}

// canReach says whether the account can get into dir, by the permissions of dir
// and of all above it.
func (a account) canReach(dir string) error {
	if !a.drop {
		return nil
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	var closed []string
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return invalid("%v", err)
		}
		st := info.Sys().(*syscall.Stat_t)
		bit := os.FileMode(0o001)
		switch {
		case st.Uid == a.uid:
			bit = 0o100
		case st.Gid == a.gid:
			bit = 0o010
		}
		if info.Mode()&bit == 0 {
			closed = append([]string{at}, closed...)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if len(closed) > 0 {
		return invalid("Postgres runs as uid %d and cannot get through %s; use another folder than %s, or open the way: chmod a+x %s",
			a.uid, strings.Join(closed, ", "), dir, strings.Join(closed, " "))
	}
	return nil
}

// attributes makes a child process run as the account, in a process group of its
// own: an interrupt typed at a terminal is memd's to handle, in its order.
func (a account) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if a.drop {
		attr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	return attr
}

// own gives a path that memd has just made to the account.
func (a account) own(path string) error {
	if !a.drop {
		return nil
	}
	return os.Lchown(path, int(a.uid), int(a.gid))
}

func invalid(format string, args ...any) *memd.Error {
	return &memd.Error{Kind: memd.Invalid, Op: "embedded.postgres", Msg: fmt.Sprintf(format, args...)}
}

func isEmptyDir(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	names, _ := f.Readdirnames(1)
	return len(names) == 0
}
