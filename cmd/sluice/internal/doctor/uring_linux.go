package doctor

import (
	"errors"

	"golang.org/x/sys/unix"
)

// uring checks whether sluice can use io_uring. It uses a ring, because a filter may
// allow io_uring_setup and refuse io_uring_enter.
func uring(filter seccomp) Check {
	err := opens("uring")
	if err == nil {
		return Check{Name: "io_uring", Status: OK, Found: "available"}
	}
	return uringRefused(err, uringSysctl{
		disabled: readText("/proc/sys/kernel/io_uring_disabled"),
		group:    readText("/proc/sys/kernel/io_uring_group"),
	}, filter)
}

// uringSysctl holds the settings of Linux 6.6 that can turn io_uring off; "" on older
// kernels.
type uringSysctl struct{ disabled, group string }

// restricted explains kernel.io_uring_disabled=1.
func (s uringSysctl) restricted() (found, advice string) {
	found = "EPERM: sysctl kernel.io_uring_disabled=1 allows it only with CAP_SYS_ADMIN"
	if s.group == "-1" { // no group, the default
		return found, "set sysctl kernel.io_uring_group to a group of this user, or io_uring_disabled=0"
	}
	return found + " or for group " + s.group,
		"add this user to the group of sysctl kernel.io_uring_group, or set io_uring_disabled=0"
}

// uringRefused explains the error of a uring driver.
func uringRefused(err error, sysctl uringSysctl, filter seccomp) Check {
	c := Check{Name: "io_uring", Status: Warn}
	switch {
	case errors.Is(err, unix.EPERM) && sysctl.disabled == "2":
		c.Found = "EPERM: sysctl kernel.io_uring_disabled=2 turns it off"
		c.Advice = "sysctl kernel.io_uring_disabled=0, if the administrator agrees"
	case errors.Is(err, unix.EPERM) && sysctl.disabled == "1":
		c.Found, c.Advice = sysctl.restricted()
	case errors.Is(err, unix.EPERM) && filter.filtered():
		c.Found = "EPERM: the seccomp filter refuses it, as the default profiles of container runtimes do"
		c.Advice = "run with a seccomp profile that allows io_uring_setup, io_uring_enter and io_uring_register"
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		c.Found = reason(err) + ", perhaps by a security module"
		c.Advice = "ask the administrator which policy (SELinux, AppArmor, BPF, seccomp) refuses io_uring"
	case errors.Is(err, unix.ENOSYS) && filter.filtered():
		c.Found = "ENOSYS: the kernel lacks it, or the seccomp filter refuses it"
		c.Advice = "run with a seccomp profile that allows io_uring, on Linux 5.6 or later"
	case errors.Is(err, unix.ENOSYS):
		c.Found = "ENOSYS: this kernel lacks it"
		c.Advice = "use Linux 5.6 or later, built with CONFIG_IO_URING"
	case errors.Is(err, errors.ErrUnsupported):
		c.Found = reason(err)
		c.Advice = "use Linux 5.6 or later"
	case errors.Is(err, unix.ENOMEM):
		c.Found = "ENOMEM: no memory for a ring"
		c.Advice = "raise the limit of locked memory (ulimit -l) to 8 MiB: Linux before 5.12, and from 6.14 on, charges rings to it"
	default:
		c.Found = reason(err)
		c.Advice = "sluice uses its next driver; the kernel's log may say more"
	}
	return c
}
