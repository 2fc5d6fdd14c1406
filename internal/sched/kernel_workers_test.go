package sched

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/sys"
)

// A direct write that would have to wait is made as a plain call. The file's next ones are left to
// the threads of the kernel, if the driver has such, the file system lets several write to the
// file, and there is only one device.
func TestDirectWritesThatWait(t *testing.T) {
	for _, c := range []struct {
		name    string
		workers int
		others  bool // there is another device
		want    bool // whether the kernel may have a thread wait
	}{
		{"workers", 1, false, true},
		{"no workers", 0, false, false},
		{"two devices", 1, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newSeveral(t, 2, func(_ int, d *script.Driver) driver.Driver {
				d.Workers = c.workers
				d.Rule = func(op *driver.Op) (int32, bool) {
					if op.Code == driver.Write && op.Flags&driver.NoWait != 0 {
						return eagain, true
					}
					return int32(len(op.Buf)), true
				}
				return d.Staging()
			})
			plain := 0
			p.paths.Call = func(_ driver.Code, _ int, b []byte, _ int64) int32 {
				plain++
				return int32(len(b))
			}
			file, err := os.Create(filepath.Join(t.TempDir(), "file"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			f := on(int(file.Fd()))
			want := c.want && sys.WritesInParallel(f.FD)
			<-p.begin(f)
			if c.others {
				<-p.begin(on(1))
			}
			canEnd, cancel := context.WithCancel(t.Context())
			defer cancel()
			ctx := context.Background()
			for i, w := range []struct {
				ctx  context.Context
				want bool
			}{{ctx, false}, {ctx, want}, {canEnd, false}} {
				before := plain
				if n, err := p.WriteAt(w.ctx, f, make([]byte, 512), 0); n != 512 || err != nil {
					t.Errorf("WriteAt = %d, %v", n, err)
				}
				if left := plain == before; left != w.want {
					t.Errorf("write %d was left to the kernel: %v", i, left)
				}
			}
			if got, err := p.ReadAt(ctx, f, make([]byte, 512), 0); got != 512 || err != nil {
				t.Errorf("ReadAt = %d, %v", got, err)
			}
			seen := p.drv[p.ringOf(f)].Seen
			if last := seen[len(seen)-1]; last.Code != driver.Read || last.Flags&driver.NoWait == 0 {
				t.Errorf("the last operation is %v with flags %b; want a read with NoWait", last.Code, last.Flags)
			}
		})
	}
}

// After 16 direct writes in a row that would have had to wait, the file's writes are plain calls at
// once, with as many permits as where threads are all the parallelism. Now and then one tries the
// driver again, and its success ends that.
func TestDirectWritesThatAlwaysWait(t *testing.T) {
	refuse, tries := true, 0
	p := newSeveral(t, 1, func(_ int, d *script.Driver) driver.Driver {
		d.Rule = func(op *driver.Op) (int32, bool) {
			if op.Code == driver.Write {
				tries++
				if refuse {
					return eagain, true
				}
			}
			return int32(len(op.Buf)), true
		}
		return d.Staging()
	})
	p.unbound()
	p.paths.Call = func(_ driver.Code, _ int, b []byte, _ int64) int32 { return int32(len(b)) }
	f := on(0)
	<-p.begin(f)
	write := func(n int) {
		for range n {
			if n, err := p.WriteAt(context.Background(), f, make([]byte, 512), 0); n != 512 || err != nil {
				t.Fatalf("WriteAt = %d, %v", n, err)
			}
		}
	}
	for _, step := range []struct{ writes, want int }{{16, 16}, {1023, 16}, {1, 17}, {1023, 17}, {1, 18}} {
		if write(step.writes); tries != step.want {
			t.Fatalf("after %d more refused writes the driver was tried %d times; want %d", step.writes, tries, step.want)
		}
	}
	b := &p.paths.DeviceOf(f).Budget
	few := b.Limit()
	for permit, ok := b.TryAcquire(budget.Writes); ok; permit, ok = b.TryAcquire(budget.Writes) {
		defer permit.Release()
	}
	write(1) // hangs if there are no more permits now
	if n := b.Limit(); n <= few && few < budget.Parallel {
		t.Errorf("there are %d permits, as before; want more", n)
	}
	write(1022)
	refuse = false
	write(10)
	if tries != 28 {
		t.Errorf("after refusals ended the driver was tried %d times; want 28", tries)
	}
}
