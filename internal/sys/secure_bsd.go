//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package sys

import "golang.org/x/sys/unix"

// SecureMode reports whether this process has rights that the user who started it does not
// have: its program is set-user-ID or set-group-ID. That user has chosen the environment,
// which must not name files then.
func SecureMode() bool { return unix.Issetugid() }
