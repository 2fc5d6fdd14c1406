package fault_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// onLinks returns a faulty driver over a ring that has files for chains.
func onLinks(t testing.TB, depth int, decide fault.Decider) driver.Driver {
	t.Helper()
	ring, err := uring.New(uring.Options{Depth: max(depth, 16), Files: 8})
	if err != nil {
		skip.ForDriver(t, "uring", err)
	}
	if ring.Files() == 0 {
		ring.Close()
		skip.For(t, skip.Kernel, "the kernel performs no chains")
	}
	return fault.New(ring, decide)
}

// TestChain makes each operation of a chain fail in turn: open, read, read, close. The
// second read has the flag Always, so that the close begins however the read ends.
func TestChain(t *testing.T) {
	const canceled, failed = -int32(syscall.ECANCELED), -int32(syscall.EIO)
	for _, c := range []struct {
		what string
		at   int
		v    fault.Verdict
		want [4]int32
	}{
		{"nothing", 9, fault.Verdict{}, [4]int32{0, 4, 6, 0}},
		{"the open", 0, fault.Verdict{Errno: syscall.EIO}, [4]int32{failed, canceled, canceled, canceled}},
		{"the first read", 1, fault.Verdict{Errno: syscall.EIO}, [4]int32{0, failed, canceled, canceled}},
		{"the first read, short", 1, fault.Verdict{Short: 3}, [4]int32{0, 1, canceled, canceled}},
		{"the last read", 2, fault.Verdict{Errno: syscall.EIO}, [4]int32{0, 4, failed, 0}},
		{"the last read, short", 2, fault.Verdict{Short: 2}, [4]int32{0, 4, 4, 0}},
		{"the close", 3, fault.Verdict{Errno: syscall.EIO}, [4]int32{0, 4, 6, failed}},
		{"the open, late", 0, fault.Verdict{Late: 3}, [4]int32{0, 4, 6, 0}},
	} {
		t.Run(c.what, func(t *testing.T) {
			d := onLinks(t, 16, fault.NewCounter(c.at, c.v).Decide)
			defer d.Close()
			ops := chain(t)
			submit(t, d, ops[0])
			if got := reap(t, d); got != ops[0] {
				t.Fatalf("Reap gave %+v; want the first of the chain", got)
			}
			for i, op := range ops {
				if op.Res != c.want[i] {
					t.Errorf("operation %d (%v) = %d; want %d", i, op.Code, op.Res, c.want[i])
				}
			}
			if ops[0].Code != driver.Open || ops[1].Code != driver.Read || len(ops[1].Buf) != 4 || ops[3].Code != driver.Close {
				t.Errorf("the chain came back changed")
			}
		})
	}
}

func chain(t *testing.T) []*driver.Op {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	const workingDir = -100 // AT_FDCWD
	ops := []*driver.Op{
		{Code: driver.Open, FD: workingDir, Path: &driver.Path{Name: append([]byte(name), 0), File: 2}},
		{Code: driver.Read, Flags: driver.OwnFile, FD: 2, Buf: make([]byte, 4)},
		{Code: driver.Read, Flags: driver.OwnFile | driver.Always, FD: 2, Off: 4, Buf: make([]byte, 6)},
		{Code: driver.Close, Flags: driver.OwnFile, FD: 2},
	}
	for i, op := range ops[1:] {
		ops[i].Then = op
	}
	return ops
}
