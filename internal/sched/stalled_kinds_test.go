package sched

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// kindCalls are the ways to have a plain call of a kind made.
var kindCalls = map[string]func(s *Scheduler, f *File) error{
	"ReadAt": func(s *Scheduler, f *File) error {
		_, err := s.ReadAt(context.Background(), f, make([]byte, 8), 0)
		return err
	},
	"StartRead": func(s *Scheduler, f *File) error {
		var t Transfer
		s.StartRead(&t, f, make([]byte, 8), 0, 0)
		_, err := t.Wait(context.Background())
		return err
	},
	"WithPermit to read": func(s *Scheduler, f *File) error {
		s.WithPermit(Reads, f, func() { s.paths.Call(driver.Read, f.FD, nil, 0) })
		return nil
	},
	"WriteAt": func(s *Scheduler, f *File) error {
		_, err := s.WriteAt(context.Background(), f, make([]byte, 8), 0)
		return err
	},
	"StartWrite that extends": func(s *Scheduler, f *File) error {
		var t Transfer
		s.StartWrite(&t, f, make([]byte, 8), 0, 0, true)
		_, err := t.Wait(context.Background())
		return err
	},
	"Sync": func(s *Scheduler, _ *File) error {
		// Another file, as Syncs of one file would share a call.
		return s.Sync(context.Background(), iopath.NewFile(1, true, false))
	},
	"WithPermit": func(s *Scheduler, f *File) error {
		s.WithPermit(Changes, f, func() { s.paths.Call(driver.Nop, f.FD, nil, 0) })
		return nil
	},
}

// Plain calls of one kind that hang hold up none of another kind to the same device.
func TestStalledKindsOfCalls(t *testing.T) {
	for _, stuck := range []struct {
		name string
		code driver.Code
	}{
		{"WriteAt", driver.Write},
		{"StartWrite that extends", driver.Write},
		{"Sync", driver.Fsync},
		{"WithPermit", driver.Nop},
	} {
		for _, permits := range []int{budget.Least, budget.Parallel} {
			t.Run(fmt.Sprint(stuck.name, "/", permits), func(t *testing.T) {
				hang.Watch(t)
				release := make(chan struct{})
				s := newOn(script.New(8), Options{Plain: 2})
				if permits == budget.Parallel {
					s.paths.Devices.Budgets().Widen()
				}
				s.paths.AsyncDirect = [driver.NumCodes]bool{}
				s.paths.Call = func(code driver.Code, _ int, b []byte, _ int64) int32 {
					if code == stuck.code {
						<-release
					}
					return int32(len(b))
				}
				s.paths.Device = func(int) (uint64, bool) { return 1, true }
				f := iopath.NewFile(1, true, false)
				var all sync.WaitGroup
				for range 4 * permits {
					all.Go(func() {
						if err := kindCalls[stuck.name](s, f); err != nil {
							t.Error(err)
						}
					})
				}
				// The rest of the permits is left to other kinds of calls.
				hang.Eventually(func() bool { return s.permits() >= permits-3*permits/16 })
				for name, call := range kindCalls {
					for range 20 { // hangs if the stuck ones are in the way
						if kindOfCall(name) == iopath.KindOf(stuck.code) {
							break
						}
						if err := call(s, f); err != nil {
							t.Errorf("%s: %v", name, err)
						}
					}
				}
				close(release)
				all.Wait()
				s.Close()
				wantAllReleased(t, s)
			})
		}
	}
}

// kindOfCall returns the kind of call that a kindCall makes.
func kindOfCall(name string) budget.Kind {
	switch name {
	case "ReadAt", "StartRead", "WithPermit to read":
		return budget.Reads
	case "WriteAt", "StartWrite that extends":
		return budget.Writes
	case "Sync":
		return budget.Syncs
	}
	return budget.Changes
}
