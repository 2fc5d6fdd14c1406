package mapped

import (
	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// mayAsk reports whether mincore(2) tells the truth about the file. To others than its owner, and
// those who may write to it, it says that each page is resident (since Linux 5.2). The error is
// that of fstat(2).
func mayAsk(fd int) (bool, error) {
	var st unix.Stat_t
	if err := sys.Fstat(fd, &st); err != nil {
		return false, err
	}
	if int(st.Uid) == unix.Geteuid() {
		return true, nil
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR, nil
}
