package doctor

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// aio checks whether sluice can use Linux AIO.
func aio(filter seccomp) Check {
	inUse, most := readText("/proc/sys/fs/aio-nr"), readText("/proc/sys/fs/aio-max-nr")
	if err := opens("aio"); err != nil {
		return aioRefused(err, inUse, most, filter)
	}
	return Check{
		Name: "Linux AIO", Status: OK,
		Found: fmt.Sprintf("available; %s of fs.aio-max-nr=%s requests are in use", inUse, most),
	}
}

// aioRefused explains the error of a Linux AIO driver.
func aioRefused(err error, inUse, most string, filter seccomp) Check {
	const profile = "run with a seccomp profile that allows io_setup, io_submit, io_getevents and io_destroy"
	c := Check{Name: "Linux AIO", Status: Note}
	switch {
	case errors.Is(err, unix.EAGAIN):
		c.Found = fmt.Sprintf("EAGAIN: fs.aio-max-nr=%s is used up (%s)", most, inUse)
		c.Advice = "sysctl fs.aio-max-nr=1048576"
	case errors.Is(err, unix.EPERM) && filter.filtered():
		c.Found = "EPERM: the seccomp filter refuses it"
		c.Advice = profile
	case errors.Is(err, unix.ENOSYS) && filter.filtered():
		c.Found = "ENOSYS: the kernel lacks it, or the seccomp filter refuses it"
		c.Advice = profile
	case errors.Is(err, unix.ENOSYS):
		c.Found = "ENOSYS: this kernel lacks it"
		c.Advice = "use a kernel with CONFIG_AIO"
	default:
		c.Found = reason(err)
		c.Advice = "sluice uses its next driver"
	}
	c.Advice += " (matters only without io_uring)"
	return c
}
