package main

import (
	"os"

	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/rules"
)

// plant tells rules which traps a file of claims says were planted.
func plant(set *rules.Set, path string) (*funnel.PlantedFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	claims, err := funnel.ReadPlanted(path, file)
	if err != nil {
		return nil, err
	}
	set.Planted(claims.Of)
	return claims, nil
}
