package program

import (
	"bytes"
	"os"
	"strconv"
)

// Look returns the present number of threads of a process, and its peak of memory; zeroes if the
// process has ended. See proc_pid_status(5).
func Look(pid int) Peak {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return Peak{}
	}
	return Peak{Threads: int(field(text, "Threads")), RSS: field(text, "VmHWM") << 10}
}

func field(text []byte, name string) int64 {
	_, rest, _ := bytes.Cut(text, []byte("\n"+name+":"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(line), []byte(" kB"))), 10, 64)
	return n
}
