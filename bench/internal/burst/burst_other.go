//go:build !linux

package burst

import (
	"context"
	"errors"
	"os"
)

// run is for Linux, where both engines are.
func run(_ context.Context, e Engine, _ *os.File, writes, _ int) (*Result, error) {
	_ = newResult(writes)
	return nil, Unsupported(errors.New(string(e) + " is for Linux"))
}
