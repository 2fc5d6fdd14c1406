//go:build !linux

package sluice_test

import "github.com/sluiceio/sluice/internal/places"

var fileSystems = places.FileSystems
