package cases

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
)

// LoadDir reads every *.json file of a folder as a case, in the order of the
// names. All mistakes are reported at once; a folder without cases is one.
func LoadDir(dir string) ([]*Case, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	var list []*Case
	var errs []error
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c, err := Load(name, f)
		errs = append(errs, err, f.Close())
		if c != nil {
			list = append(list, c)
		}
	}
	if len(names) == 0 {
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("read cases: %w", err)
		}
		errs = append(errs, fmt.Errorf("%s: no case (*.json)", dir))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return list, nil
}

// SaveDir writes each case as a file of a folder, which is made.
func SaveDir(dir string, list []*Case) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write cases: %w", err)
	}
	for _, c := range list {
		f, err := os.Create(filepath.Join(dir, c.ID+".json"))
		if err != nil {
			return fmt.Errorf("write cases: %w", err)
		}
		if err := errors.Join(c.Encode(f), f.Close()); err != nil {
			return fmt.Errorf("write case %s: %w", c.ID, err)
		}
	}
	return nil
}
