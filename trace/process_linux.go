package trace

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

func (m *Meta) machine() {
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		m.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	var si unix.Sysinfo_t
	if unix.Sysinfo(&si) == nil {
		m.Memory = int64(si.Totalram) * int64(si.Unit)
	}
	m.CPU = cpuModel()
}

// cpuModel is the first processor's model; arm64 does not tell it here.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	first := make([]byte, 4096) // it has an entry for each processor
	n, _ := f.Read(first)
	for line := range strings.Lines(string(first[:n])) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
