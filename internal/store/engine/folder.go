package engine

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// State is what state.json says of an engine.
type State struct {
	// Owner names what runs the engine, and PID is its process.
	Owner string `json:"owner"`
	PID   int    `json:"pid"`
	// Detached is true where the owner runs for nothing but the engine.
	Detached bool `json:"detached"`
	// WhileUsed is true where the owner goes with the engine's last user.
	WhileUsed bool `json:"while_used,omitempty"`
	// Ready is true while the engine answers. A killed owner leaves it true.
	Ready bool `json:"ready"`
	// EnginePID is the engine's own process.
	EnginePID  int       `json:"engine_pid"`
	NativePort int       `json:"native_port"`
	HTTPPort   int       `json:"http_port"`
	StartedAt  time.Time `json:"started_at"`
	// Restarts counts the crashes that the engine was brought back from.
	Restarts int `json:"restarts"`
}

// folder is a data folder.
type folder string

// HasData reports whether an engine has ever kept data in the folder.
func HasData(data string) bool {
	f, err := openFolder(data)
	if err != nil {
		return false
	}
	_, err = os.Stat(f.path("data"))
	return err == nil
}

// makeFolder is openFolder for who is to run an engine there: the folder is made
// where there is none.
func makeFolder(dir string) (folder, error) {
	f, err := openFolder(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(f.path("config"), 0o700); err != nil {
		return "", fmt.Errorf("data folder: %w", err)
	}
	return f, nil
}

func openFolder(dir string) (folder, error) {
	if dir == "" {
		var err error
		if dir, err = DefaultData(); err != nil {
			return "", err
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("data folder: %w", err)
	}
	return folder(dir), nil
}

func (f folder) path(names ...string) string {
	return filepath.Join(append([]string{string(f)}, names...)...)
}

// errDamaged says that state.json cannot be read: a disk that was full, or power
// that failed, cut it. Nothing is in it that a start does not find anew, but for
// the ports of before.
var errDamaged = errors.New("is damaged: the next start writes it anew")

func (f folder) readState() (State, error) {
	var s State
	b, err := os.ReadFile(f.path("state.json"))
	if err != nil {
		return s, fmt.Errorf("read the engine's state: %w", err)
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return State{}, fmt.Errorf("%s %w", f.path("state.json"), errDamaged)
	}
	return s, nil
}

func (f folder) writeState(s State) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(f.path("state.json"), append(b, '\n'))
}

// secret returns the password in the named file, making one the first time.
// Only the holder of the owner's lock may call it.
func (f folder) secret(name string) (string, error) {
	s, err := f.readSecret(name)
	if !errors.Is(err, os.ErrNotExist) {
		return s, err
	}
	b := make([]byte, 24)
	rand.Read(b)
	s = hex.EncodeToString(b)
	if err := writeFile(f.path(name), []byte(s+"\n")); err != nil {
		return "", err
	}
	return s, nil
}

func (f folder) readSecret(name string) (string, error) {
	b, err := os.ReadFile(f.path(name))
	if err != nil {
		return "", fmt.Errorf("read the engine's password: %w", err)
	}
	s := strings.TrimSpace(string(b))
	if s == "" {
		return "", fmt.Errorf("read the engine's password: %s is empty; delete it to get a new one", f.path(name))
	}
	return s, nil
}

// writeFile replaces the file in one step, readable by its owner only.
func writeFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(tmp.Name(), path)
}

// errLocked says that another process holds a lock.
var errLocked = errors.New("locked by another process")

// lockFile takes the lock that the file stands for. It is released when every
// process that has the returned file open has closed it or died.
func lockFile(path string) (*os.File, error) { return flock(path, syscall.LOCK_EX) }

// shareFile is like lockFile, for one of several that hold the lock together.
func shareFile(path string) (*os.File, error) { return flock(path, syscall.LOCK_SH) }

func flock(path string, how int) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return file, nil
	}
	file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%s: %w", path, errLocked)
	}
	return nil, fmt.Errorf("lock %s: %w", path, err)
}

// HeldError says that another process holds a claim.
type HeldError struct {
	Path string
	PID  int // 0 where it is not known
}

// Error names the file and the process.
func (e *HeldError) Error() string { return fmt.Sprintf("%s is held by process %d", e.Path, e.PID) }

// Claim takes a lock of a data folder, by the name of its file, which tells
// others who has it. It is held until it is closed or the process is gone. The
// error is a [*HeldError] where another process holds it.
func Claim(data, name string) (io.Closer, error) {
	path := filepath.Join(data, name)
	file, err := lockFile(path)
	if errors.Is(err, errLocked) {
		held := &HeldError{Path: path}
		if b, err := os.ReadFile(path); err == nil {
			held.PID, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		}
		return nil, held
	}
	if err != nil {
		return nil, err
	}
	err = file.Truncate(0)
	if err == nil {
		_, err = file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", path, err), file.Close())
	}
	return file, nil
}

// locked reports whether any process holds the lock.
func locked(path string) bool {
	file, err := lockFile(path)
	if err == nil {
		file.Close()
	}
	return errors.Is(err, errLocked)
}

// openLog opens a log file for appending, after moving one that has grown to
// its ".1".
func openLog(path string) (*os.File, error) {
	const limit = 8 << 20
	if info, err := os.Stat(path); err == nil && info.Size() > limit {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}
