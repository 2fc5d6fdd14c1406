package mapped

import (
	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// mayAsk reports whether mincore(2) tells the truth about the file. Since Linux 5.2 it calls every
// page resident, unless the caller owns the file or may write to it. The error is an error of
// fstat(2).
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
