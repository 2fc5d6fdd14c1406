package load

import (
	"time"

	"golang.org/x/sys/windows"
)

// cpuTime returns the processor time this process has used.
func cpuTime() time.Duration {
	var created, exited, kernel, user windows.Filetime
	err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user)
	if err != nil {
		return 0
	}
	return span(kernel) + span(user)
}

// span converts a duration counted in units of 100 ns.
func span(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
