package sched

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// async says that it performs everything without a thread, so that the
// scheduler queues it.
type async struct{ driver.Driver }

func (async) Async(*driver.Op) bool { return true }

// faulty makes a Scheduler of a pool whose operations meet with what decide
// says, and a file for it.
func faulty(t *testing.T, depth int, decide fault.Decider) (*Scheduler, *File) {
	hang.Watch(t)
	p, err := pool.New(pool.Options{Depth: depth, Threads: 4})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	s := newOn(async{fault.New(p, decide)}, Options{Threads: 4})
	t.Cleanup(func() { s.Close() })
	// The file is not direct, but no read looks for it in the page cache.
	return s, iopath.NewFile(int(f.Fd()), true, false)
}

// Whatever a driver does with a transfer short of failing it, the caller gets
// all of it: many goroutines, each with its part of the file and a model.
func TestTransfersSurviveWhatPasses(t *testing.T) {
	passes := []fault.Verdict{
		{Short: 1},
		{Short: 100},
		{Short: 1 << 30},
		{Late: 1},
		{Late: 7},
		{Full: true},
		{Errno: syscall.EAGAIN},
		{Errno: syscall.EINTR},
		{Errno: syscall.ECANCELED},
		{Errno: syscall.EFAULT},
	}
	for _, depth := range []int{1, 4, 64} {
		t.Run(fmt.Sprintf("Depth%d", depth), func(t *testing.T) {
			start := seed.Of(t)
			s, f := faulty(t, depth, fault.Random(start, 0.5, passes...))
			var all sync.WaitGroup
			for g := range 16 {
				all.Go(func() { model(t, s, f, rand.New(rand.NewPCG(start, uint64(g))), int64(g)<<16) })
			}
			all.Wait()
		})
	}
}

// model writes and reads random pieces of the 64 KiB at base.
func model(t *testing.T, s *Scheduler, f *File, rnd *rand.Rand, base int64) {
	data := make([]byte, 64<<10)
	if n, err := s.WriteAt(t.Context(), f, data, base); n != len(data) || err != nil {
		t.Errorf("WriteAt = %d, %v; want %d, nil", n, err, len(data))
	}
	for range 60 {
		off := rnd.IntN(len(data))
		b := make([]byte, 1+rnd.IntN(len(data)-off))
		if rnd.IntN(2) == 0 {
			for i := range b {
				b[i] = byte(rnd.Uint32())
			}
			copy(data[off:], b)
			if n, err := s.WriteAt(t.Context(), f, b, base+int64(off)); n != len(b) || err != nil {
				t.Errorf("WriteAt = %d, %v; want %d, nil", n, err, len(b))
			}
		} else if n, err := s.ReadAt(t.Context(), f, b, base+int64(off)); n != len(b) || err != nil || !bytes.Equal(b, data[off:off+n]) {
			t.Errorf("ReadAt of %d at %d = %d, %v; the bytes are right: %t", len(b), off, n, err, bytes.Equal(b, data[off:off+n]))
		}
	}
}

// Each operation of a transfer fails once: the error reaches the caller with the count of the bytes
// before it, and that many are in the file.
func TestEveryErrorSurfaces(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		for at := 0; ; at++ {
			// Transfers of 10 bytes, so that one of 100 takes ten of them.
			count := fault.NewCounter(at, fault.Verdict{Errno: errno})
			s, f := faulty(t, 4, func(op *driver.Op) fault.Verdict {
				if v := count.Decide(op); v.Errno != 0 {
					return v
				}
				return fault.Verdict{Short: max(0, len(op.Buf)-10)}
			})
			b := bytes.Repeat([]byte("x"), 100)
			n, err := s.WriteAt(t.Context(), f, b, 0)
			if !count.Fired() {
				if n != 100 || err != nil || at != 10 {
					t.Errorf("WriteAt without a fault, after %d with one = %d, %v", at, n, err)
				}
				break
			}
			if n != 10*at || err != errno {
				t.Errorf("WriteAt whose operation %d fails = %d, %v; want %d, %v", at, n, err, 10*at, errno)
			}
			if n, err := s.ReadAt(t.Context(), f, b, 0); n != 10*at || err != io.EOF {
				t.Errorf("ReadAt of what was written = %d, %v; want %d, io.EOF", n, err, 10*at)
			}
		}
	}
}

// Operations that a full driver did not take are not counted as in flight, nor as
// a TransferSet's. Otherwise the leader would leave while others need it.
func TestFullDriverAndGroup(t *testing.T) {
	s, f := faulty(t, 4, fault.Random(seed.Of(t), 0.5, fault.Verdict{Full: true}))
	if _, err := s.WriteAt(t.Context(), f, make([]byte, 100), 0); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		g := s.NewTransferSet(t.Context(), f)
		const n = 8
		for range n {
			g.StartRead(new(Transfer), f, make([]byte, 10), 0, 0)
		}
		for range n {
			tr, err := g.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n, err := tr.Result(t.Context()); n != 10 || err != nil {
				t.Errorf("Result = %d, %v", n, err)
			}
		}
		g.Close()
		// Hangs without a leader.
		if n, err := s.ReadAt(t.Context(), f, make([]byte, 10), 0); n != 10 || err != nil {
			t.Errorf("ReadAt = %d, %v; want 10", n, err)
		}
	}
}
