package program

import (
	"bytes"
	"strconv"
)

// PeakOf returns the values in the text of /proc/PID/status (proc_pid_status(5)): the current
// number of threads, and the peak of memory. A missing value is 0.
func PeakOf(status []byte) Peak {
	return Peak{Threads: int(field(status, "Threads")), RSS: field(status, "VmHWM") << 10}
}

func field(text []byte, name string) int64 {
	_, rest, _ := bytes.Cut(text, []byte("\n"+name+":"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(line), []byte(" kB"))), 10, 64)
	return n
}
