//go:build !unix

package cp

import (
	"io/fs"
	"os"
	"time"
)

// writable says whether this process may write to a file.
func writable(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().Perm()&0o200 != 0
}

// umask is of Unix.
func umask() fs.FileMode { return 0 }

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
