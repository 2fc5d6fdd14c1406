package crowd

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const openDirect = unix.O_DIRECT

// memory returns n bytes, all resident, aligned for O_DIRECT.
func memory(n int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_POPULATE)
	return b, os.NewSyscallError("mmap", err)
}

// stolenTime returns how long the host took the machine's cores for other guests: the eighth
// number of /proc/stat, in hundredths of a second.
func stolenTime() time.Duration {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat))
	if len(fields) < 9 {
		return 0
	}
	n, _ := strconv.Atoi(fields[8])
	return time.Duration(n) * 10 * time.Millisecond
}
