//go:build unix

package program

import (
	"os"
	"runtime"
	"syscall"
)

// maxRSS returns the peak resident memory of a process that has ended, in bytes.
func maxRSS(s *os.ProcessState) int64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // ru_maxrss is in bytes there, in KiB elsewhere
		return int64(u.Maxrss) //nolint:unconvert // the types differ between systems
	}
	return int64(u.Maxrss) << 10 //nolint:unconvert // likewise
}
