//go:build !linux || !(amd64 || arm64)

package slowdisk

import "errors"

// simulated is a file system in user space: there is none here.
type simulated struct{ path string }

func simulate(string, int64, int) (*simulated, error) {
	return nil, errors.New("file systems in user space are mounted on Linux alone, by amd64 and arm64")
}

func (*simulated) close() error { return nil }
