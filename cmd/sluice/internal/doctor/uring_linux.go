package doctor

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// uring tries to set up a ring.
func uring(filter seccomp) Check {
	var params [120]byte // struct io_uring_params
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(&params)), 0)
	if errno == 0 {
		_ = unix.Close(int(fd))
		return Check{Name: "io_uring", Status: OK, Found: "available"}
	}
	return uringRefused(errno, uringSysctl{
		disabled: readText("/proc/sys/kernel/io_uring_disabled"),
		group:    readText("/proc/sys/kernel/io_uring_group"),
	}, filter)
}

// uringSysctl are the settings of Linux 6.6 that can turn io_uring off, ""
// where there are none.
type uringSysctl struct{ disabled, group string }

// uringRefused explains why there is no ring.
func uringRefused(err error, sysctl uringSysctl, filter seccomp) Check {
	c := Check{Name: "io_uring", Status: Warn}
	switch {
	case errors.Is(err, unix.EPERM) && sysctl.disabled == "2":
		c.Found = "EPERM: sysctl kernel.io_uring_disabled=2 turns it off"
		c.Advice = "sysctl kernel.io_uring_disabled=0, if the administrator agrees"
	case errors.Is(err, unix.EPERM) && sysctl.disabled == "1":
		c.Found = "EPERM: sysctl kernel.io_uring_disabled=1 keeps it for CAP_SYS_ADMIN and group " + sysctl.group
		c.Advice = "add this user to the group of sysctl kernel.io_uring_group, or set io_uring_disabled=0"
	case errors.Is(err, unix.EPERM) && filter.filtered():
		c.Found = "EPERM: the seccomp filter refuses it, as the default profiles of container runtimes do"
		c.Advice = "run with a seccomp profile that allows io_uring_setup, io_uring_enter and io_uring_register"
	case errors.Is(err, unix.EPERM):
		c.Found = "EPERM: refused, perhaps by a security module"
		c.Advice = "ask the administrator which policy (SELinux, AppArmor, BPF) refuses io_uring"
	case errors.Is(err, unix.ENOSYS) && filter.filtered():
		c.Found = "ENOSYS: the kernel lacks it, or the seccomp filter says so"
		c.Advice = "run with a seccomp profile that allows io_uring, on Linux 5.6 or later"
	case errors.Is(err, unix.ENOSYS):
		c.Found = "ENOSYS: this kernel lacks it"
		c.Advice = "use Linux 5.6 or later, built with CONFIG_IO_URING"
	case errors.Is(err, unix.ENOMEM):
		c.Found = "ENOMEM: no memory for a ring"
		c.Advice = "raise the limit of locked memory (ulimit -l), which kernels before 5.12 charge rings to"
	default:
		c.Found = fmt.Sprintf("io_uring_setup: %v", err)
	}
	return c
}
