package main

import (
	"os"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/rules"
)

// plant tells rules which traps a file of claims says were planted.
func plant(set *rules.Set, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	of, err := evidence.ReadPlanted(path, file)
	if err != nil {
		return err
	}
	set.Planted(of)
	return nil
}
