package pool

import (
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

const (
	canceled = -int32(syscall.ECANCELED)
	invalid  = -int32(syscall.EINVAL)
)

// perform performs op and sets its result. It returns short transfers, EINTR and EAGAIN as they
// are: the scheduler continues and retries.
func perform(op *driver.Op) {
	fd := int(op.FD)
	switch op.Code {
	case driver.Nop:
		op.Res = 0
	case driver.Read:
		op.Res = sys.Pread(fd, op.Buf, op.Off)
	case driver.Write:
		op.Res = sys.Pwrite(fd, op.Buf, op.Off)
	case driver.Fsync:
		op.Res = sys.Fsync(fd)
	case driver.Fdatasync:
		op.Res = sys.Fdatasync(fd)
	default:
		op.Res = invalid
	}
}
