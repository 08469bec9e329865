//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// errNoLandlock says that the kernel cannot confine a process to folders.
var errNoLandlock = errors.New("the kernel has no Landlock (Linux 6.2)")

// rights are what Landlock allows below a path; what it may execute is not
// restricted.
const (
	rightsOfFiles = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	rightsToRead  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsAll     = rightsOfFiles | rightsToRead | rightsToChange
	// rightsToChange are those on what a folder holds.
	rightsToChange = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
)

// oldestLandlock is the version of Landlock that knows all of rights.
const oldestLandlock = 3

// allowance is a path and what may be done below it.
type allowance struct {
	path   string
	rights uint64
}

// allowances are what the server needs. The folder of the data and the
// configuration holds the passwords of its users too: there it writes its log,
// and reads nothing.
func allowances(s settings) []allowance {
	list := []allowance{
		{s.data, rightsAll}, {s.config, rightsAll},
		{filepath.Dir(s.config), rightsAll &^ rightsToRead},
		{s.library, rightsToRead},
	}
	for _, p := range []string{
		"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/nix/store", "/sys",
		"/etc/ld.so.cache", "/etc/localtime", "/etc/timezone", "/etc/nsswitch.conf", "/etc/hosts", "/etc/resolv.conf",
		"/proc/self", "/proc/sys", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version", "/proc/filesystems",
	} {
		list = append(list, allowance{p, rightsToRead})
	}
	for _, p := range []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"} {
		list = append(list, allowance{p, rightsOfFiles | rightsToRead})
	}
	return list
}

// confine begins this program again, as the same process, with files out of its
// reach that the server has no business with: in local mode ClickHouse's
// function file() reads whatever its user may. It returns only where that
// cannot be done.
func confine(s settings) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 || version < oldestLandlock {
		return errNoLandlock
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.data, 0o700); err != nil { // what is not there cannot be allowed
		return err
	}
	// A thread confines itself and what it begins: other threads of this process
	// end where the program begins again.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attr := unix.LandlockRulesetAttr{Handled_access_fs: rightsAll}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr.Handled_access_fs), 0)
	if errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	defer unix.Close(int(ruleset))
	for _, a := range append(allowances(s), allowance{self, rightsToRead}) {
		if err := allow(int(ruleset), a); err != nil {
			return fmt.Errorf("landlock: %s: %w", a.path, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return unix.Exec(self, append(slices.Clone(os.Args), "-confined"), environment())
}

// allow adds a path to a ruleset; one that is not there needs no allowance.
func allow(ruleset int, a allowance) error {
	fd, err := unix.Open(a.path, unix.O_PATH|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR):
		return nil
	case err != nil:
		return err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		a.rights &= rightsOfFiles // others are refused
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: a.rights, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// environment is what the server needs of the environment: keys of other
// programs stand there too, which /proc/self/environ shows.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return !slices.Contains([]string{"HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ", "GODEBUG", "GOMAXPROCS", "GOCOVERDIR"}, name)
	})
}
