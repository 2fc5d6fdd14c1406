package drivertest

import (
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// chainTests are for drivers that have files for chains.
var chainTests = []test{
	{"ChainRead", 64, testChainRead},
	{"ChainBreaks", 64, testChainBreaks},
	{"ChainAlways", 64, testChainAlways},
	{"ChainRoom", 64, testChainRoom},
	{"ChainCancel", 64, testChainCancel},
}

// linker returns the driver as a Linker, or skips the test.
func (r *rig) linker() driver.Linker {
	l, ok := r.d.(driver.Linker)
	if !ok || l.Files() == 0 {
		skip.For(r, skip.Driver, "the driver performs no chains")
	}
	return l
}

// chained links ops and returns the first.
func chained(ops ...*driver.Op) *driver.Op {
	for i := range ops[1:] {
		ops[i].Then = ops[i+1]
	}
	return ops[0]
}

func openOp(name string, file uint32) *driver.Op {
	o := op(driver.Open, unix.AT_FDCWD, 0, nil)
	o.Path = &driver.Path{Name: append([]byte(name), 0), File: file}
	return o
}

// own returns an operation on one of the driver's own files.
func own(code driver.Code, file uint32, off int64, buf []byte) *driver.Op {
	o := op(code, int32(file), off, buf)
	o.Flags = driver.OwnFile
	return o
}

// results performs a chain alone, and checks the results of its operations.
func (r *rig) results(what string, ops []*driver.Op, want ...int32) {
	r.Helper()
	r.do(chained(ops...))
	for i, o := range ops {
		if o.Res != want[i] {
			r.Errorf("%s: operation %d (%v) = %s; want %s", what, i, o.Code, show(o.Res), show(want[i]))
		}
	}
}

// chainFile makes a file and returns its name.
func (r *rig) chainFile(data []byte) string {
	r.Helper()
	name := filepath.Join(r.TempDir(), "chained")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		r.Fatal(err)
	}
	return name
}

// testChainRead performs chains that open, read and close, many at a time, and many times with the
// same numbers of files.
func testChainRead(r *rig) {
	files := r.linker().Files()
	data := pattern(0, 5000, 0)
	name := r.chainFile(data)
	for range 50 {
		var heads, reads []*driver.Op
		for file := range min(files, 16) {
			a := own(driver.Read, uint32(file), 0, make([]byte, 1000))
			b := own(driver.Read, uint32(file), 1000, make([]byte, 4000))
			heads = append(heads, chained(openOp(name, uint32(file)), a, b, own(driver.Close, uint32(file), 0, nil)))
			reads = append(reads, a, b)
		}
		r.all(heads)
		for _, o := range reads {
			if o.Res != int32(len(o.Buf)) {
				r.Fatalf("Read of %d at %d in a chain = %s", len(o.Buf), o.Off, show(o.Res))
			}
			r.same("Read in a chain", o.Buf, data[o.Off:int(o.Off)+len(o.Buf)])
		}
	}
}

// testChainBreaks checks that the operations after a failed one do not begin.
func testChainBreaks(r *rig) {
	r.linker()
	name := r.chainFile(pattern(0, 100, 0))
	buf := func(n int) []byte { return make([]byte, n) }
	noent := -int32(syscall.ENOENT)
	r.results("no file", []*driver.Op{openOp(name+".no", 0), own(driver.Read, 0, 0, buf(10)), own(driver.Close, 0, 0, nil)}, noent, canceled, canceled)
	r.results("a short read", []*driver.Op{openOp(name, 0), own(driver.Read, 0, 90, buf(11)), own(driver.Close, 0, 0, nil)}, 0, 10, canceled)
	r.results("the file that was left", []*driver.Op{own(driver.Read, 0, 0, buf(100)), own(driver.Close, 0, 0, nil)}, 100, 0)
	r.results("nothing there", []*driver.Op{own(driver.Read, 0, 0, buf(1)), own(driver.Read, 0, 0, buf(1))}, badFD, canceled)
}

// testChainAlways checks that the operation after a failed one with the flag Always begins.
func testChainAlways(r *rig) {
	r.linker()
	name := r.chainFile(pattern(0, 100, 0))
	read := own(driver.Read, 0, 90, make([]byte, 11))
	read.Flags |= driver.Always
	r.results("a short read", []*driver.Op{openOp(name, 0), read, own(driver.Close, 0, 0, nil)}, 0, 10, 0)
	r.want(own(driver.Read, 0, 0, make([]byte, 1)), badFD)
}

// testChainRoom submits more chains than fit into the driver.
func testChainRoom(r *rig) {
	r.linker()
	var heads []*driver.Op
	for range 3 * r.depth() {
		heads = append(heads, chained(nops(5)...))
	}
	taken := r.take(heads)
	if taken == 0 || 5*taken > r.depth() {
		r.Fatalf("Submit of chains of 5 = %d with Depth = %d", taken, r.depth())
	}
	r.must(taken)
	r.all(heads[taken:])
}

// testChainCancel cancels a chain whose read waits for data in a pipe.
func testChainCancel(r *rig) {
	r.linker()
	name := filepath.Join(r.TempDir(), "fifo")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		skip.For(r, skip.Special, err)
	}
	open(r, name, os.O_RDWR) // a writer, or the chain's open would wait
	read, end := own(driver.Read, 0, 0, make([]byte, 1)), own(driver.Close, 0, 0, nil)
	head := chained(openOp(name, 0), read, end)
	r.submit(head)
	r.d.Cancel(head)
	for len(r.reap(1, 0)) == 0 {
		r.d.Cancel(head) // the read may not have begun to wait
	}
	if read.Res != canceled || end.Res != canceled {
		r.Errorf("a canceled chain = %s, %s, %s; want ECANCELED from the read on", show(head.Res), show(read.Res), show(end.Res))
	}
}
