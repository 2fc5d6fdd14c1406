package doctor

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// aio tries to set up a context.
func aio() Check {
	inUse, most := readText("/proc/sys/fs/aio-nr"), readText("/proc/sys/fs/aio-max-nr")
	var id uintptr
	_, _, errno := unix.Syscall(unix.SYS_IO_SETUP, 1, uintptr(unsafe.Pointer(&id)), 0)
	if errno == 0 {
		_, _, _ = unix.Syscall(unix.SYS_IO_DESTROY, id, 0, 0)
		return Check{
			Name: "Linux AIO", Status: OK,
			Found: fmt.Sprintf("available; %s of fs.aio-max-nr=%s requests taken", inUse, most),
		}
	}
	return aioRefused(errno, inUse, most)
}

// aioRefused explains why there is no context.
func aioRefused(err error, inUse, most string) Check {
	c := Check{Name: "Linux AIO", Status: Note}
	switch {
	case errors.Is(err, unix.EAGAIN):
		c.Found = fmt.Sprintf("EAGAIN: fs.aio-max-nr=%s is used up (%s)", most, inUse)
		c.Advice = "sysctl fs.aio-max-nr=1048576"
	case errors.Is(err, unix.ENOSYS):
		c.Found = "ENOSYS: this kernel lacks it"
		c.Advice = "matters only without io_uring; needs a kernel with CONFIG_AIO"
	default:
		c.Found = fmt.Sprintf("io_setup: %v", err)
		c.Advice = "matters only without io_uring"
	}
	return c
}
