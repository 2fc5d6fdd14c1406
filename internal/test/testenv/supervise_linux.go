package testenv

import (
	"errors"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Syscall is a system call that a process is about to make.
type Syscall struct {
	TID  int
	Nr   int
	Func string // the calling function, if both processes run the same program
	Args [6]uint64
}

// Answer decides about a Syscall: the kernel makes it, or it returns Value or Errno at once.
type Answer struct {
	Make  bool
	Value int64
	Errno syscall.Errno
}

// Supervised lets the process at the other end of conn decide about this process's calls, by a
// seccomp filter for all threads (seccomp_unotify(2), Linux 5.19). Each call waits for the answer.
func Supervised(conn *os.File, calls []uint32) error {
	var prog []unix.SockFilter
	for _, nr := range calls {
		prog = append(prog,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: nr},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	}
	// No process answers before the listener is sent. A garbage collection in that time could stop
	// this goroutine until another thread's call is answered.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	rights := unix.UnixRights(0)
	to := int(conn.Fd())
	listener, err := filter(prog, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_TSYNC_ESRCH|waitKillable)
	if err != nil {
		return err
	}
	*(*int32)(unsafe.Pointer(&rights[unix.CmsgLen(0)])) = int32(listener)
	if err := unix.Sendmsg(to, []byte{0}, rights, nil, 0); err != nil {
		return os.NewSyscallError("sendmsg", err)
	}
	return nil
}

// waitKillable is SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV: no signal restarts a call, which would be
// asked about twice.
const waitKillable = 1 << 5

// Supervise decides about the calls of the process that has called Supervised with the other end of
// conn, until that process ends.
func Supervise(conn *os.File, decide func(Syscall) Answer) error {
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(int(conn.Fd()), make([]byte, 1), oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("recvmsg", err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil {
		return os.NewSyscallError("recvmsg", err)
	}
	if len(messages) == 0 {
		return errors.New("the process has ended before it was supervised")
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	defer unix.Close(fds[0])
	for {
		ready := []unix.PollFd{{Fd: int32(fds[0]), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); err != nil && err != unix.EINTR {
			return os.NewSyscallError("poll", err)
		}
		if ready[0].Revents&unix.POLLHUP != 0 {
			return nil
		}
		if ready[0].Revents&unix.POLLIN == 0 {
			continue
		}
		// ENOENT means that the thread has ended.
		if err := superviseOne(fds[0], decide); err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// notification is struct seccomp_notif.
type notification struct {
	id    uint64
	tid   uint32
	flags uint32
	nr    int32
	arch  uint32
	pc    uint64
	args  [6]uint64
}

// response is struct seccomp_notif_resp.
type response struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

const (
	notifyReceive  = 0xc0502100 // SECCOMP_IOCTL_NOTIF_RECV
	notifySend     = 0xc0182101 // SECCOMP_IOCTL_NOTIF_SEND
	notifyContinue = 1          // SECCOMP_USER_NOTIF_FLAG_CONTINUE
)

func superviseOne(listener int, decide func(Syscall) Answer) error {
	var n notification
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), notifyReceive, uintptr(unsafe.Pointer(&n))); e != 0 {
		return os.NewSyscallError("SECCOMP_IOCTL_NOTIF_RECV", e)
	}
	call := Syscall{TID: int(n.tid), Nr: int(n.nr), Args: n.args}
	if f := runtime.FuncForPC(uintptr(n.pc)); f != nil {
		call.Func = f.Name()
	}
	a := decide(call)
	r := response{id: n.id, value: a.Value, errno: -int32(a.Errno)}
	if a.Make {
		r = response{id: n.id, flags: notifyContinue}
	}
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), notifySend, uintptr(unsafe.Pointer(&r))); e != 0 {
		return os.NewSyscallError("SECCOMP_IOCTL_NOTIF_SEND", e)
	}
	return nil
}
