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
	return append(all, limits(m.Kernel)...)
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
