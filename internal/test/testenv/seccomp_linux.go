package testenv

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

var (
	uringCalls = []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}
	aioCalls   = []uint32{unix.SYS_IO_SETUP, unix.SYS_IO_SUBMIT, unix.SYS_IO_GETEVENTS, unix.SYS_IO_CANCEL, unix.SYS_IO_DESTROY}

	// Denials are groups of system calls that a test can refuse, by name.
	Denials = map[string][]uint32{
		"uring":          uringCalls,
		"aio":            aioCalls,
		"uring aio":      slices.Concat(uringCalls, aioCalls),
		"uring_setup":    {unix.SYS_IO_URING_SETUP}, // as kernel.io_uring_disabled does
		"uring_enter":    {unix.SYS_IO_URING_ENTER},
		"uring_register": {unix.SYS_IO_URING_REGISTER},
		"fcntl":          {unix.SYS_FCNTL},
		"fstat":          {unix.SYS_FSTAT},
		"io_setup":       {unix.SYS_IO_SETUP},
		"io_submit":      {unix.SYS_IO_SUBMIT},
		"io_getevents":   {unix.SYS_IO_GETEVENTS, unix.SYS_IO_PGETEVENTS},
		"preadv2":        {unix.SYS_PREADV2},
	}

	// DenialErrnos are the errors with which a test can refuse Denials. "success" is none: the call
	// does nothing, and returns 0.
	DenialErrnos = map[string]syscall.Errno{"EPERM": syscall.EPERM, "ENOSYS": syscall.ENOSYS, "ENOMEM": syscall.ENOMEM, "EIO": syscall.EIO, "success": 0}
)

// Deny installs a seccomp filter that answers the calls with errno, as container runtimes do.
func Deny(calls []uint32, errno syscall.Errno) error {
	var prog []unix.SockFilter
	for _, nr := range calls {
		prog = append(prog,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: nr},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)})
	}
	return Filter(prog)
}

// Filter installs a seccomp filter (seccomp(2)) in all threads of the process. prog begins with the
// number of the system call loaded. Calls on which it does not decide are allowed.
func Filter(prog []unix.SockFilter) error {
	_, err := filter(prog, 0)
	return err
}

// filter is Filter with flags of seccomp(2). It returns the result of the system call.
func filter(prog []unix.SockFilter, flags uintptr) (r int, err error) {
	// A filter needs no privilege in a process that cannot gain any. The thread that installs it
	// must declare that.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("PR_SET_NO_NEW_PRIVS: %w", err)
	}
	// The number of the call is the first word of seccomp_data.
	prog = slices.Concat([]unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}}, prog,
		[]unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}})
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	flags |= unix.SECCOMP_FILTER_FLAG_TSYNC
	n, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&fprog)))
	if e != 0 || n != 0 && flags&unix.SECCOMP_FILTER_FLAG_NEW_LISTENER == 0 {
		return 0, fmt.Errorf("seccomp: %d, %w", n, e)
	}
	return int(n), nil
}
