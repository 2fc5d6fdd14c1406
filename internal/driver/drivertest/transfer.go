package drivertest

import (
	"bytes"

	"github.com/sluiceio/sluice/internal/driver"
)

var transferTests = []test{
	{"Nop", 4, testNop},
	{"Read", 4, testRead},
	{"Write", 4, testWrite},
	{"Sync", 4, testSync},
	{"Short", 4, testShort},
	{"Zero", 4, testZero},
	{"Large", 4, testLarge},
	{"UnknownCode", 4, testUnknownCode},
}

func testNop(r *rig) {
	buf := pattern(0, 64, 1)
	r.want(op(driver.Nop, -1, 0, nil), 0)
	r.want(op(driver.Nop, 1<<20, -5, buf), 0)
	r.same("buffer of a nop", buf, pattern(0, 64, 1))
}

// testRead reads parts of the file. The bytes before and after each buffer must not change.
func testRead(r *rig) {
	const size = 64 << 10 // 64 KiB
	data := pattern(0, size, 0)
	f := r.create(data)
	for _, p := range []struct{ off, n int }{
		{0, 1}, {0, 512}, {0, size}, {1, 511}, {4095, 2}, {4096, 4096}, {12345, 6789}, {size - 1, 1}, {size - 4096, 4096},
	} {
		buf := pattern(0, p.n+2, 0xff)
		first, last := buf[0], buf[p.n+1]
		r.want(op(driver.Read, f.FD(), int64(p.off), buf[1:p.n+1:p.n+1]), int32(p.n))
		r.same("Read", buf[1:p.n+1], data[p.off:p.off+p.n])
		if buf[0] != first || buf[p.n+1] != last {
			r.Errorf("Read of %d at %d wrote outside of its buffer", p.n, p.off)
		}
	}
	r.same("file after reads", f.Contents(r), data)
}

// testWrite writes inside the file, across its end and beyond it, where a hole results.
func testWrite(r *rig) {
	model := pattern(0, 10000, 0)
	f := r.create(model)
	for i, p := range []struct{ off, n int }{
		{0, 1}, {0, 512}, {4095, 2}, {4096, 4096}, {9999, 1}, {9990, 100}, {10090, 10}, {20000, 4096}, {65536, 1},
	} {
		buf := pattern(int64(p.off), p.n, byte(i+1))
		r.want(op(driver.Write, f.FD(), int64(p.off), buf), int32(p.n))
		r.same("buffer of a write", buf, pattern(int64(p.off), p.n, byte(i+1)))
		model = overwrite(model, p.off, buf)
		r.same("file after Write", f.Contents(r), model)
	}
}

// overwrite returns a file's contents after a write.
func overwrite(file []byte, off int, b []byte) []byte {
	if grow := off + len(b) - len(file); grow > 0 && len(b) > 0 {
		file = append(file, make([]byte, grow)...)
	}
	copy(file[min(off, len(file)):], b)
	return file
}

func testSync(r *rig) {
	f := r.create(nil)
	for i, code := range []driver.Code{driver.Fsync, driver.Fdatasync, driver.Fsync, driver.Fdatasync} {
		r.want(op(code, f.FD(), 0, nil), 0)
		r.want(op(driver.Write, f.FD(), int64(i), []byte{byte(i)}), 1)
		r.want(op(code, f.FD(), 0, nil), 0)
	}
	// A sync affects the whole file, whatever Off and Buf are.
	r.want(op(driver.Fsync, f.FD(), 1, make([]byte, 3)), 0)
	r.same("file after syncs", f.Contents(r), []byte{0, 1, 2, 3})
}

// testShort reads across the end of the file, at it and beyond it.
func testShort(r *rig) {
	data := pattern(0, 1000, 0)
	f := r.create(data)
	for _, p := range []struct{ off, n, want int }{
		{0, 1001, 1000},
		{0, 4096, 1000},
		{999, 2, 1},
		{500, 1 << 20, 500},
		{1000, 1, 0},
		{1000, 4096, 0},
		{1001, 1, 0},
		{1 << 30, 4096, 0},
	} {
		buf := pattern(0, p.n, 0xff)
		r.want(op(driver.Read, f.FD(), int64(p.off), buf), int32(p.want))
		r.same("short Read", buf[:p.want], data[min(p.off, 1000):min(p.off, 1000)+p.want])
		r.same("rest of a short Read's buffer", buf[p.want:], pattern(0, p.n, 0xff)[p.want:])
	}
	r.want(op(driver.Read, r.create(nil).FD(), 0, make([]byte, 16)), 0)
}

func testZero(r *rig) {
	data := pattern(0, 100, 0)
	f := r.create(data)
	for _, buf := range [][]byte{nil, {}, data[:0]} {
		for _, off := range []int64{0, 50, 100, 4096} {
			r.want(op(driver.Read, f.FD(), off, buf), 0)
			r.want(op(driver.Write, f.FD(), off, buf), 0)
		}
	}
	r.same("file after empty transfers", f.Contents(r), data)
}

// testLarge transfers more than a device takes in one request.
func testLarge(r *rig) {
	const size = 5<<20 + 123 // 5 MiB and a bit
	data := pattern(0, size, 3)
	f := r.create(nil)
	r.want(op(driver.Write, f.FD(), 0, bytes.Clone(data)), size)
	r.same("file after a large Write", f.Contents(r), data)
	buf := make([]byte, size-77)
	r.want(op(driver.Read, f.FD(), 77, buf), size-77)
	r.same("large Read", buf, data[77:])
}

func testUnknownCode(r *rig) {
	data := pattern(0, 100, 0)
	f := r.create(data)
	r.want(op(200, f.FD(), 0, make([]byte, 10)), invalid)
	r.same("file after an operation unknown", f.Contents(r), data)
}
