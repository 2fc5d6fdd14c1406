package drivertest

import (
	"math"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// systemTests need files of the operating system.
var systemTests = []test{
	{"Errno", 4, testErrno},
	{"FullDevice", 4, testFullDevice},
	{"SizeLimit", 4, testSizeLimit},
	{"Pipe", 4, testPipe},
	{"PipeStuck", 4, testPipeStuck},
	{"Direct", 16, testDirect},
	{"DirectErrno", 4, testDirectErrno},
	{"DirectExtend", 16, testDirectExtend},
	{"CloseLeavesNothing", 64, testCloseLeavesNothing},
}

// kernel returns the result of the plain system call for op.
func kernel(op *driver.Op) int32 {
	var n int
	var err error
	switch fd := int(op.FD); op.Code {
	case driver.Read:
		n, err = unix.Pread(fd, op.Buf, op.Off)
	case driver.Write:
		n, err = unix.Pwrite(fd, op.Buf, op.Off)
	case driver.Fsync:
		err = unix.Fsync(fd)
	case driver.Fdatasync:
		err = unix.Fdatasync(fd)
	}
	return sys.Result(n, err)
}

// refused performs an operation that fails with errno, alone and between other operations. If this
// kernel or file system returns another result, the driver must return it, too.
func (r *rig) refused(what string, op *driver.Op, errno syscall.Errno) {
	r.Helper()
	want := kernel(op)
	if want != -int32(errno) {
		r.Logf("%s: the system answers %s, not %v", what, show(want), errno)
	}
	nop := nops(2)
	r.submit(nop[0], op, nop[1])
	r.must(3)
	if op.Res != want {
		r.Errorf("%s: %v = %s; want %s", what, op.Code, show(op.Res), show(want))
	}
}

func testErrno(r *rig) {
	f := r.create(pattern(0, 8192, 0)).(systemFile).f
	rd, wr := open(r, f.Name(), os.O_RDONLY), open(r, f.Name(), os.O_WRONLY)
	dir := open(r, r.TempDir(), os.O_RDONLY)
	fd := func(f *os.File) int32 { return int32(f.Fd()) }
	buf := func() []byte { return make([]byte, 512) }

	for _, code := range []driver.Code{driver.Read, driver.Write, driver.Fsync, driver.Fdatasync} {
		for _, never := range []int32{-1, 1 << 20, math.MaxInt32, math.MinInt32} {
			r.refused("descriptor never open", op(code, never, 0, buf()), syscall.EBADF)
			r.refused("descriptor never open, nothing to do", op(code, never, 0, nil), syscall.EBADF)
		}
		r.refused("closed descriptor", op(code, closed(r), 0, buf()), syscall.EBADF)
	}
	r.refused("write-only file", op(driver.Read, fd(wr), 0, buf()), syscall.EBADF)
	r.refused("read-only file", op(driver.Write, fd(rd), 0, buf()), syscall.EBADF)
	r.refused("directory", op(driver.Read, fd(dir), 0, buf()), syscall.EISDIR)
	r.refused("directory", op(driver.Write, fd(dir), 0, buf()), syscall.EBADF)
	for _, off := range []int64{-1, -2, -512, math.MinInt64} {
		r.refused("negative offset", op(driver.Read, fd(f), off, buf()), syscall.EINVAL)
		r.refused("negative offset", op(driver.Write, fd(f), off, buf()), syscall.EINVAL)
	}
	r.refused("offset past what the file system has", op(driver.Write, fd(f), 1<<62, buf()), syscall.EFBIG)
	r.refused("offset that overflows", op(driver.Read, fd(f), math.MaxInt64-100, buf()), syscall.EINVAL)
	r.refused("offset that overflows", op(driver.Write, fd(f), math.MaxInt64-100, buf()), syscall.EINVAL)

	// A sync works with any open file.
	for _, f := range []*os.File{rd, wr, dir} {
		r.want(op(driver.Fsync, fd(f), 0, nil), 0)
		r.want(op(driver.Fdatasync, fd(f), 0, nil), 0)
	}
}

// closed returns a descriptor that was just closed.
func closed(r *rig) int32 {
	f, err := os.Open(os.DevNull)
	if err != nil {
		r.Fatal(err)
	}
	defer f.Close()
	return int32(f.Fd())
}

func testFullDevice(r *rig) {
	f, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		skip.For(r, skip.Dev, err)
	}
	defer f.Close()
	r.refused("full device", op(driver.Write, int32(f.Fd()), 0, make([]byte, 512)), syscall.ENOSPC)
	buf := pattern(0, 512, 0)
	r.want(op(driver.Read, int32(f.Fd()), 0, buf), 512)
	r.same("/dev/full", buf, make([]byte, 512))
}

// testSizeLimit writes across RLIMIT_FSIZE and beyond it. The kernel makes the first write short.
func testSizeLimit(r *rig) {
	const limit = 1 << 20 // 1 MiB
	f := r.create(nil)
	signal.Ignore(syscall.SIGXFSZ) // otherwise it ends the process
	defer signal.Reset(syscall.SIGXFSZ)
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		r.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: before.Max}); err != nil {
		skip.For(r, skip.Limits, err)
	}
	defer unix.Setrlimit(unix.RLIMIT_FSIZE, &before)

	buf := pattern(0, 8192, 0)
	r.want(op(driver.Write, f.FD(), limit-4096, buf), 4096)
	r.refused("file as large as may be", op(driver.Write, f.FD(), limit, buf), syscall.EFBIG)
	r.want(op(driver.Write, f.FD(), limit-8192, buf), 8192)
	r.same("end of the file", f.Contents(r)[limit-8192:], buf)
}
