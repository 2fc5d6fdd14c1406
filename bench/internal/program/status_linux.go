package program

import (
	"os"
	"strconv"
)

// Look returns the present number of threads of a process, and its peak of memory; zeroes if the
// process has ended.
func Look(pid int) Peak {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return Peak{}
	}
	return PeakOf(text)
}
