//go:build amd64 || arm64

package at

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
)

// Umask returns the process's umask (proc_pid_status(5), Linux 4.7), or 022 if it is unknown.
// umask(2) would change the umask of all threads.
func Umask() uint32 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0o022
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if value, ok := bytes.CutPrefix(s.Bytes(), []byte("Umask:")); ok {
			if u, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 8, 32); err == nil {
				return uint32(u)
			}
		}
	}
	return 0o022
}
