package sys

import (
	"os"

	"golang.org/x/sys/unix"
)

// Memory is how much memory this process may use, in bytes: the machine's, or
// the least that a control group which it is in allows; 0 if that is not known.
func Memory() int64 {
	least := cgroupMemory(os.DirFS("/"))
	var si unix.Sysinfo_t
	if unix.Sysinfo(&si) == nil {
		least = min(least, int64(si.Totalram)*int64(si.Unit))
	}
	if least == unlimited {
		return 0
	}
	return least
}
