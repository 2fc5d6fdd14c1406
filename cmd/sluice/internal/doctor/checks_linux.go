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

// readText returns a small file of /proc or /sys without the white space at
// its ends, "" if there is none.
func readText(name string) string {
	text, _ := os.ReadFile(name)
	return strings.TrimSpace(string(text))
}

// opens tells why sluice cannot have a driver, nil if it can.
func opens(driver string) error {
	s, err := sluice.NewScheduler(sluice.Options{Driver: driver})
	if err != nil {
		return err
	}
	return s.Close()
}

// reason is err without the words of those who passed it on.
func reason(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return unix.ErrnoName(errno) + ": " + errno.Error()
	}
	for errors.Unwrap(err) != nil && strings.HasPrefix(err.Error(), "sluice: ") {
		err = errors.Unwrap(err)
	}
	return err.Error()
}
