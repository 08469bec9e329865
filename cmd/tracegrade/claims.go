package main

import (
	"os"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/rules"
)

// plant tells rules which traps a file of claims says were planted.
func plant(set *rules.Set, path string) (*evidence.PlantedFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	claims, err := evidence.ReadPlanted(path, file)
	if err != nil {
		return nil, err
	}
	set.Planted(claims.Of)
	return claims, nil
}
