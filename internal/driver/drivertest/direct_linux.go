package drivertest

import (
	"bytes"
	"errors"
	"os"
	"syscall"
	"unsafe"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// page is an alignment that O_DIRECT accepts everywhere.
const page = 4096

// direct makes a file and opens it with O_DIRECT, or skips the test.
func (r *rig) direct(data []byte) (File, int32) {
	r.Helper()
	f := r.create(data)
	d, err := os.OpenFile(f.(systemFile).f.Name(), os.O_RDWR|syscall.O_DIRECT, 0)
	if errors.Is(err, syscall.EINVAL) {
		skip.For(r, skip.Direct, "the file system of TMPDIR has no O_DIRECT")
	}
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { d.Close() })
	if err := d.Sync(); err != nil { // reads then go to the disk, and meet no dirty pages
		r.Fatal(err)
	}
	return f, int32(d.Fd())
}

// directOp returns an operation on a file opened with O_DIRECT, with an aligned copy
// of buf.
func directOp(code driver.Code, fd int32, off int64, buf []byte) *driver.Op {
	o := op(code, fd, off, aligned(len(buf)))
	copy(o.Buf, buf)
	o.Flags = driver.Direct
	return o
}

// aligned returns a buffer of n bytes that starts on a page.
func aligned(n int) []byte {
	b := make([]byte, n+page)
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (page - 1)
	return b[skip : skip+n : skip+n]
}

// testDirect overwrites and reads blocks with O_DIRECT, many at a time, also across
// the end of the file, which is inside a block.
func testDirect(r *rig) {
	const blocks, tail = 64, 100
	data := pattern(0, blocks*page+tail, 0)
	f, fd := r.direct(data)
	var ops []*driver.Op
	for i := 0; i < blocks; i += 2 {
		off := int64(i) * page
		ops = append(ops, directOp(driver.Write, fd, off, pattern(off, page, 5)))
		overwrite(data, i*page, ops[i/2].Buf)
	}
	r.all(ops)
	r.finished(ops, nil)
	r.want(directOp(driver.Fsync, fd, 0, nil), 0)
	r.want(directOp(driver.Fdatasync, fd, 0, nil), 0)
	r.same("file after direct writes", f.Contents(r), data)

	ops = nil
	for i := range blocks {
		ops = append(ops, directOp(driver.Read, fd, int64(i)*page, make([]byte, page)))
	}
	r.all(ops)
	r.finished(ops, data)
	for _, p := range []struct{ at, n, want int }{
		{0, blocks + 1, blocks*page + tail}, {blocks - 1, 2, page + tail}, {blocks, 1, tail}, {blocks + 1, 1, 0}, {3, 0, 0},
	} {
		o := directOp(driver.Read, fd, int64(p.at)*page, make([]byte, p.n*page))
		r.want(o, int32(p.want))
		r.same("direct Read", o.Buf[:p.want], data[min(p.at*page, len(data)):min(p.at*page+p.want, len(data))])
	}
}

func testDirectErrno(r *rig) {
	_, fd := r.direct(pattern(0, 4*page, 0))
	for _, code := range []driver.Code{driver.Read, driver.Write} {
		r.refused("offset not aligned", directOp(code, fd, 1, make([]byte, page)), syscall.EINVAL)
		r.refused("length not aligned", directOp(code, fd, 0, make([]byte, 100)), syscall.EINVAL)
		o := directOp(code, fd, 0, make([]byte, 2*page))
		o.Buf = o.Buf[1 : page+1]
		r.refused("buffer not aligned", o, syscall.EINVAL)
		r.refused("negative offset", directOp(code, fd, -page, make([]byte, page)), syscall.EINVAL)
		r.refused("offset of -1", directOp(code, fd, -1, make([]byte, page)), syscall.EINVAL)
		r.refused("descriptor never open", directOp(code, 1<<20, 0, make([]byte, page)), syscall.EBADF)
		r.refused("closed descriptor", directOp(code, closed(r), 0, make([]byte, page)), syscall.EBADF)
	}
	r.refused("offset past what the file system has", directOp(driver.Write, fd, 1<<62, make([]byte, page)), syscall.EFBIG)
}

// testDirectExtend appends with O_DIRECT, many writes at a time, and leaves a hole.
// Then it reads the whole file, buffered and direct.
func testDirectExtend(r *rig) {
	const blocks = 40
	f, fd := r.direct(nil)
	data := make([]byte, blocks*page)
	var ops []*driver.Op
	for i := range blocks {
		if i >= 20 && i < 25 {
			continue // the hole
		}
		off := int64(i) * page
		ops = append(ops, directOp(driver.Write, fd, off, pattern(off, page, 6)))
		copy(data[off:], ops[len(ops)-1].Buf)
	}
	r.all(ops)
	r.finished(ops, nil)
	r.same("file after appends", f.Contents(r), data)
	o := directOp(driver.Read, fd, 0, make([]byte, blocks*page))
	r.want(o, blocks*page)
	if !bytes.Equal(o.Buf, data) {
		r.Error("direct Read after direct appends gives other bytes")
	}
}
