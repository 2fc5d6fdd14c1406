//go:build !linux

package blockdev

import (
	"errors"
	"os"
)

var errLinux = errors.New("raw writes are for Linux")

// loop is Linux's.
type loop struct{}

func (loop) remove() error { return nil }

func openLoop(string) (*Disk, error) { return nil, errLinux }

func openExclusive(string) (*os.File, error) { return nil, errLinux }

func openDirect(string) (*os.File, error) { return nil, errLinux }

func alignedBlock(n int) []byte { return make([]byte, n) }
