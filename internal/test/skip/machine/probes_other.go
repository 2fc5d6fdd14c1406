//go:build !linux

package main

import (
	"errors"
	"maps"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// Elsewhere the tests that need more are not built.
var probes = func() map[skip.Reason]func() error {
	all := make(map[skip.Reason]func() error)
	for _, r := range skip.Machine() {
		all[r] = func() error { return errors.New("this is not Linux") }
	}
	maps.Copy(all, portable)
	return all
}()
