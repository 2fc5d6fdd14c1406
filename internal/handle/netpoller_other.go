//go:build unix && !linux

package handle

import (
	"os"
	"time"
)

// usesNetpoller reports whether f, a regular file, is in the netpoller, as it may be if the program
// has opened the descriptor. It ends a deadline of f.
func usesNetpoller(f *os.File, _ int) bool { return f.SetDeadline(time.Time{}) == nil }
