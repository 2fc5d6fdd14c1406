package duel

import (
	"bytes"
	"os"
	"strconv"
)

// threads returns the number of OS threads of a process, the kernel's workers
// for its rings included, or 0 if it has ended.
func threads(pid int) int {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("\nThreads:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.Atoi(string(bytes.TrimSpace(line)))
	return n
}
