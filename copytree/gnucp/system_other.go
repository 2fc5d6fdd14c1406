//go:build !unix

package gnucp

import (
	"io/fs"
	"os"
	"time"
)

// writable reports whether this process may write to a file.
func writable(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().Perm()&0o200 != 0
}

// umask returns 0: only Unix has a umask.
func umask() fs.FileMode { return 0 }

// cpuTime returns 0: the time is unknown on this system.
func cpuTime() time.Duration { return 0 }
