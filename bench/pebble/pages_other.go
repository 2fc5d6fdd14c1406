//go:build !linux

package main

import "github.com/sluiceio/sluice/bench/internal/load"

// dropPages fails: it needs Linux.
func dropPages(string) error {
	return load.Unsupported("the page cache cannot be dropped on this system")
}
