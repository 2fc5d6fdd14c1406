//go:build !linux

package blockdev

// Loop is Linux's.
type Loop struct{ Path, Note string }

// Attach is not to be had here.
func Attach(string) (*Loop, error) { return nil, errLinux }

// Detach does nothing: there is none.
func (*Loop) Detach() error { return nil }
