//go:build !linux

package blockdev

import (
	"errors"
	"os"
)

var errLinux = errors.New("raw writes are for Linux")

// Loop is a loop device, which only Linux has.
type Loop struct{ Path, Note string }

// Attach fails: there are no loop devices here.
func Attach(string) (*Loop, error) { return nil, errLinux }

// Detach does nothing.
func (*Loop) Detach() error { return nil }

func openLoop(string) (*Disk, error) { return nil, errLinux }

func openExclusive(string) (*os.File, error) { return nil, errLinux }

func openDirect(string) (*os.File, error) { return nil, errLinux }

func alignedBlock(n int) []byte { return make([]byte, n) }
