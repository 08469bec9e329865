package pool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// spentFile keeps what was spent on a day, by budget class, over a restart. Any
// number of processes may share it: each change is made under its lock.
type spentFile struct {
	file   *os.File
	broken error // why it could not be opened; file is nil then
}

// day is the content of the file.
type day struct {
	// Day is a date of UTC. What stands under another one is spent no longer.
	Day     string            `json:"day"`
	Classes map[string]Amount `json:"classes"` // "" is all classes together
}

// spentBytesMax is the most that is read: a few hundred classes.
const spentBytesMax = 64 << 10

// openSpent opens the file. With an error, what it returns refuses every change
// for as long as the file cannot be used.
func openSpent(path string) (*spentFile, error) {
	fail := func(err error) (*spentFile, error) {
		err = fmt.Errorf("open the file of what was spent: %w", err)
		return &spentFile{broken: err}, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fail(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fail(err)
	}
	s := &spentFile{file: file}
	return s, s.change(time.Now(), func(map[string]Amount) bool { return false })
}

func (s *spentFile) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// change lets f see, and change where it returns true, what was spent on the
// day of now.
func (s *spentFile) change(now time.Time, f func(map[string]Amount) bool) error {
	if s.broken != nil {
		return s.broken
	}
	fail := func(err error) error { return fmt.Errorf("what was spent, in %s: %w", s.file.Name(), err) }
	if err := flock(s.file, syscall.LOCK_EX); err != nil {
		return fail(err)
	}
	defer flock(s.file, syscall.LOCK_UN)
	b, err := io.ReadAll(io.NewSectionReader(s.file, 0, spentBytesMax))
	if err != nil {
		return fail(err)
	}
	var d day
	if len(b) > 0 {
		if err := json.Unmarshal(b, &d); err != nil {
			return fail(fmt.Errorf("not understood: %w; remove the file to begin the day anew", err))
		}
	}
	if today := now.UTC().Format(time.DateOnly); d.Day != today || d.Classes == nil {
		d = day{Day: today, Classes: map[string]Amount{}}
	}
	if !f(d.Classes) {
		return nil
	}
	out, err := json.Marshal(d)
	if err != nil {
		return fail(err)
	}
	// One write and then the new length: a reader finds all of it, since it comes
	// after under the lock.
	if _, err := s.file.WriteAt(out, 0); err != nil {
		return fail(err)
	}
	if err := s.file.Truncate(int64(len(out))); err != nil {
		return fail(err)
	}
	return nil
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
