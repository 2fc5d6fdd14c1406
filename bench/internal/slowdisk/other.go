//go:build !linux || !(amd64 || arm64)

package slowdisk

import "errors"

// simulated is a file system in user space, which this system lacks.
type simulated struct{ path string }

func simulate(string, int64, int) (*simulated, error) {
	return nil, errors.New("a file system in user space needs Linux on amd64 or arm64")
}

func (*simulated) close() error { return nil }
