package sluice

import "github.com/sluiceio/sluice/internal/driver"

// WithFiles returns l if it performs chains.
func WithFiles(l driver.Linker) driver.Linker { return withFiles(l) }
