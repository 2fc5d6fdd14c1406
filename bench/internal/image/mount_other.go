//go:build !linux

package image

import "errors"

var (
	errLinux = errors.New("images of file systems are for Linux")
	errBusy  = errors.New("busy")
)

func privileged() error { return errLinux }

func mount(string, string, string) error { return errLinux }

func unmount(string) error { return errLinux }
