//go:build amd64 || arm64

package at

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
)

// Umask returns the process's umask (proc_pid_status(5), Linux 4.7), or 022 if
// it cannot be known: umask(2) could only ask by changing it for everybody.
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
