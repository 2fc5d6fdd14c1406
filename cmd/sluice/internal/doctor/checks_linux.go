package doctor

import (
	"errors"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/bench/machine"
)

func checks(m machine.Info, dir string) []Check {
	seccomp := seccompMode()
	all := []Check{
		{Name: "kernel", Status: OK, Found: m.Kernel + ", " + m.OS + "/" + m.Arch},
		container(),
		seccomp.check(),
		uring(seccomp),
		aio(seccomp),
		{Name: "file system", Status: OK, Found: m.Disk()},
	}
	all = append(all, fileChecks(dir)...)
	onlyPool(all, m.Arch)
	return append(all, limits(m.Kernel)...)
}

// onlyPool replaces, on architectures for which the library has the pool driver alone, the
// checks of what the library does not use there.
func onlyPool(all []Check, arch string) {
	if arch == "amd64" || arch == "arm64" {
		return
	}
	for i, c := range all {
		switch c.Name {
		case "io_uring", "Linux AIO":
			all[i] = Check{
				Name: c.Name, Status: Note,
				Found:  "not used on " + arch + ": each waiting operation holds a thread, of a bounded number",
				Advice: "build for amd64 or arm64, if the machine runs such programs",
			}
		case "cached reads":
			all[i] = Check{
				Name: c.Name, Status: Note,
				Found:  "RWF_NOWAIT is not used on " + arch,
				Advice: "reads of cached data are ordinary calls here, on a bounded number of threads",
			}
		}
	}
}

// readText returns a small file of /proc or /sys without the white space at its ends,
// "" if it cannot be read.
func readText(name string) string {
	text, _ := os.ReadFile(name)
	return strings.TrimSpace(string(text))
}

// opens returns the error of a Scheduler with the driver, nil if sluice can use it.
func opens(driver string) error {
	s, err := sluice.NewScheduler(sluice.Options{Driver: driver})
	if err != nil {
		return err
	}
	return s.Close()
}

// reason returns err without what package sluice has added to it.
func reason(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return unix.ErrnoName(errno) + ": " + errno.Error()
	}
	for errors.Unwrap(err) != nil && strings.HasPrefix(err.Error(), "sluice: ") {
		err = errors.Unwrap(err)
	}
	return err.Error()
}
