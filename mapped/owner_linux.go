package mapped

import "golang.org/x/sys/unix"

// mayAsk reports whether mincore(2) tells the truth about the file. To others than its owner, and
// those who may write to it, it says that each page is resident (since Linux 5.2).
func mayAsk(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return false
	}
	if int(st.Uid) == unix.Geteuid() {
		return true
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
