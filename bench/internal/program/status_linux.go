package program

import (
	"os"
	"strconv"
)

// Look returns a process's current number of threads and its peak of memory; zeros if the process
// has ended.
func Look(pid int) Peak {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return Peak{}
	}
	return PeakOf(text)
}
