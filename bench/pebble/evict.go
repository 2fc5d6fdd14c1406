package main

import (
	"errors"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/tree"
)

// evict drops the files of a directory from the page cache.
func evict(dir string) error {
	err := tree.Evict(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return load.Unsupported("the page cache cannot be dropped on this system")
	}
	return err
}
