package trace

import (
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

// cpuModel returns the model of the first processor, or "" if the kernel does not name it (arm64).
// It makes the system calls directly: package os would make the Go runtime open descriptors for the
// netpoller, and a program that closes all its descriptors may be about to close them.
func cpuModel() string {
	fd, err := unix.Open("/proc/cpuinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer unix.Close(fd)
	first := make([]byte, 4096) // the entry of the first processor is shorter
	n, _ := unix.Read(fd, first)
	for line := range strings.Lines(string(first[:max(0, n)])) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
