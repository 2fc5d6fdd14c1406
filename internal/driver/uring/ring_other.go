//go:build !linux || !(amd64 || arm64)

package uring

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// Options configures a Ring. See the file for Linux.
type Options struct {
	Depth  int
	Lazy   bool
	Record *record.Hook
}

// New returns an error: this system has no io_uring.
func New(Options) (driver.Driver, error) {
	return nil, fmt.Errorf("io_uring on %s/%s: %w", runtime.GOOS, runtime.GOARCH, errors.ErrUnsupported)
}
