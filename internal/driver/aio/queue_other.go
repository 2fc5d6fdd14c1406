//go:build !linux || !(amd64 || arm64)

package aio

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// Options configures a Queue. See the file for Linux.
type Options struct {
	Depth, Threads int
	Record         *record.Hook
}

// New returns an error: this system has no Linux AIO.
func New(Options) (driver.Driver, error) {
	return nil, fmt.Errorf("aio on %s/%s: %w", runtime.GOOS, runtime.GOARCH, errors.ErrUnsupported)
}
