//go:build !linux

package debugserver

import "errors"

// Listen returns errors.ErrUnsupported: "sluice build" builds for Linux alone.
func Listen(string) (string, error) { return "", errors.ErrUnsupported }
