package batch_test

import (
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// The faulty disk decides by the request alone whether it fails. So a request fails alike for the
// reference and for a Batch, however the Batch is performed.
const (
	badByte  = 3300 // this byte cannot be read: EIO
	diskFull = 4500 // no byte from here on can be written: ENOSPC
)

// nameFault returns the error of a plain call of a kind (as package os names it) with a name. One
// name in eight has one.
func nameFault(kind, name string) error {
	h := fnv.New32a()
	io.WriteString(h, kind+filepath.Base(filepath.Dir(name))+"/"+filepath.Base(name))
	switch h.Sum32() % 24 {
	case 0:
		return syscall.EIO
	case 1:
		return syscall.ENOSPC
	case 2:
		return syscall.ENOMEM
	}
	return nil
}

// syncFault fails syncs of files of some sizes. It never fails a directory: the scheduler does not
// sync it.
func syncFault(fd int) syscall.Errno {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size%3 == 1 {
		return syscall.EIO
	}
	return 0
}

// dataFault returns how many of the n bytes at off can be transferred, and the error of the next
// one.
func dataFault(code driver.Code, off int64, n int) (int, syscall.Errno) {
	switch end := off + int64(n); {
	case code == driver.Read && off <= badByte && badByte < end:
		return int(badByte - off), syscall.EIO
	case code == driver.Write && diskFull < end:
		return int(max(diskFull-off, 0)), syscall.ENOSPC
	}
	return n, 0
}

// driverOnFaults is the faulty disk below a driver.
func driverOnFaults(op *driver.Op) fault.Verdict {
	switch op.Code {
	case driver.Read, driver.Write:
		switch n, e := dataFault(op.Code, op.Off, len(op.Buf)); {
		case e == 0:
		case n == 0:
			return fault.Verdict{Errno: e}
		default:
			return fault.Verdict{Short: len(op.Buf) - n}
		}
	case driver.Fsync, driver.Fdatasync:
		return fault.Verdict{Errno: syncFault(int(op.FD))}
	}
	return fault.Verdict{}
}

// callsOnFaults is the faulty disk below plain calls.
func callsOnFaults(call iopath.Caller) iopath.Caller {
	return func(code driver.Code, fd int, b []byte, off int64) int32 {
		switch code {
		case driver.Read, driver.Write:
			n, e := dataFault(code, off, len(b))
			if e != 0 && n == 0 {
				return -int32(e)
			}
			b = b[:n]
		case driver.Fsync, driver.Fdatasync:
			if e := syncFault(fd); e != 0 {
				return -int32(e)
			}
		}
		return call(code, fd, b, off)
	}
}

// onFaultyDisk makes a Scheduler whose Batches use the faulty disk. Operations through a driver
// have transient faults as well.
func onFaultyDisk(t *testing.T, name string, seed uint64) *sluice.Scheduler {
	t.Helper()
	transient := fault.Random(seed, 0.3, transients...)
	decide := func(op *driver.Op) fault.Verdict {
		v := driverOnFaults(op)
		if v == (fault.Verdict{}) && (op.Code == driver.Read || op.Code == driver.Write) {
			v = transient(op)
		}
		return v
	}
	s := testenv.SchedulerOnWrapped(fault.New(bareDriver(t, name), decide), callsOnFaults)
	t.Cleanup(func() {
		if n := s.Stats().Cached; n != 0 {
			t.Errorf("%d reads were served by the page cache, of which the faulty disk knows nothing", n)
		}
		s.Close()
	})
	return s
}

// referenceDisk is the disk of the reference.
type referenceDisk interface {
	readAt(f *os.File, b []byte, off int64) (int, error)
	writeAt(f *os.File, b []byte, off int64) (int, error)
	sync(f *os.File) error
	// refuses returns the error of a plain call that is not made. f is its file, if it has one.
	refuses(s batchStep, dir string, f *os.File) error
}

// soundDisk is package os.
type soundDisk struct{}

func (soundDisk) readAt(f *os.File, b []byte, off int64) (int, error)  { return f.ReadAt(b, off) }
func (soundDisk) writeAt(f *os.File, b []byte, off int64) (int, error) { return f.WriteAt(b, off) }
func (soundDisk) sync(f *os.File) error                                { return f.Sync() }
func (soundDisk) refuses(batchStep, string, *os.File) error            { return nil }

// faultyDisk is package os on the faulty disk.
type faultyDisk struct{}

func (faultyDisk) readAt(f *os.File, b []byte, off int64) (n int, err error) {
	good, e := dataFault(driver.Read, off, len(b))
	if e == 0 || good > 0 {
		n, err = f.ReadAt(b[:good], off)
	}
	if err == nil && e != 0 {
		err = pathError("read", f.Name(), e)
	}
	return n, err
}

func (faultyDisk) writeAt(f *os.File, b []byte, off int64) (n int, err error) {
	good, e := dataFault(driver.Write, off, len(b))
	if flags, _ := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0); flags&unix.O_APPEND != 0 {
		good, e = len(b), 0 // package os refuses it on any disk
	}
	if e == 0 || good > 0 {
		n, err = f.WriteAt(b[:good], off)
	}
	if err == nil && e != 0 {
		err = pathError("write", f.Name(), e)
	}
	return n, err
}

func (faultyDisk) sync(f *os.File) error {
	if e := syncFault(int(f.Fd())); e != 0 {
		return pathError("sync", f.Name(), e)
	}
	return f.Sync()
}

func (faultyDisk) refuses(s batchStep, dir string, f *os.File) error {
	name, other := filepath.Join(dir, s.name), filepath.Join(dir, s.other)
	kind := s.kind
	switch s.kind {
	case "truncate", "allocate", "advise":
		name = f.Name()
	case "unlink", "rmdir":
		kind = "remove"
	case "symlink":
		name, other = s.other, name
	}
	err := nameFault(kind, name)
	switch kind {
	case "rename", "link", "symlink":
		if err != nil {
			return &os.LinkError{Op: kind, Old: name, New: other, Err: err}
		}
	}
	return pathError(kind, name, err)
}
