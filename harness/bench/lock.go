package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// LockFile is held by the process that makes runs in a benchmark's folder.
const LockFile = "lock"

// ErrBusy is that another process makes runs in the folder.
var ErrBusy = errors.New("another bench run is at work in this folder: wait for it, or take another folder")

// lock keeps others from making runs in the folder until it is closed. The system
// holds it for the process, so that one which died has none; the file stays.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, LockFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the benchmark's folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := io.ReadAll(io.LimitReader(f, 20)) // who it is helps, and is not needed
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s (process %s): %w", dir, strings.TrimSpace(string(holder)), ErrBusy)
		}
		return nil, fmt.Errorf("lock the benchmark's folder: %w", err)
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(fmt.Errorf("lock the benchmark's folder: %w", err), f.Close())
	}
	if _, err := fmt.Fprintln(f, os.Getpid()); err != nil {
		return nil, errors.Join(fmt.Errorf("lock the benchmark's folder: %w", err), f.Close())
	}
	return f, nil
}
