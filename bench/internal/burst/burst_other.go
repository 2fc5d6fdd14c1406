//go:build !linux

package burst

import (
	"context"
	"errors"
	"os"
)

// run fails: only Linux has the engines.
func run(_ context.Context, e Engine, _ *os.File, writes, _ int) (*Result, error) {
	_ = newResult(writes)
	return nil, Unsupported(errors.New(string(e) + " needs Linux"))
}
