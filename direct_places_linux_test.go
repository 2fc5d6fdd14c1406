package sluice_test

import "github.com/sluiceio/sluice/internal/places"

// The names that this package's tests have for them.
var (
	fileSystems = places.FileSystems
	loop        = places.Loop
	mount       = places.Mount
)
