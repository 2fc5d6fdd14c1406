package threads

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestCallsTakePermits checks that calls which may wait for the device take a permit first, with
// O_DIRECT and without. So the number of waiting threads is bounded.
func TestCallsTakePermits(t *testing.T) {
	hang.Watch(t)
	s := testenv.Scheduler(t, sluice.Options{Driver: "pool", Threads: 1})
	file := filepath.Join(t.TempDir(), "file")
	testenv.Write(t, file, "text")
	for _, name := range []string{file, "/proc/self/comm"} { // the second one refuses O_DIRECT
		f, err := s.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		d, err := direct.OpenOn(s, name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		for call, do := range map[string]func(){
			"Truncate":         func() { f.Truncate(4096) },
			"Chmod":            func() { f.Chmod(0o600) },
			"Chown":            func() { f.Chown(-1, -1) },
			"Allocate":         func() { f.Allocate(0, 4096) },
			"PunchHole":        func() { f.PunchHole(0, 4096) },
			"Advise":           func() { f.Advise(0, 0, sluice.AdviceDontNeed) },
			"SyncRange":        func() { f.SyncRange(0, 0) },
			"Seek":             func() { f.Seek(0, unix.SEEK_DATA) },
			"direct.Truncate":  func() { d.Truncate(4096) },
			"direct.Allocate":  func() { d.Allocate(0, 4096) },
			"direct.PunchHole": func() { d.PunchHole(0, 4096) },
		} {
			release := testenv.Occupy(s)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				do()
			}()
			hang.Eventually(func() bool {
				select {
				case <-ended:
					t.Errorf("%s of a file with %q has taken no permit", call, d.Explain())
					return true
				default:
					return testenv.Waiting(s) > 0
				}
			})
			release()
			<-ended
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestPermitsWhereReadsNeedThreads reads while all permits are taken. From then on more threads may
// wait if the file system has a disk and cannot say whether a read would wait.
func TestPermitsWhereReadsNeedThreads(t *testing.T) {
	for _, test := range []struct {
		name    string
		dir     func(t *testing.T) string
		threads int // Threads
		want    int
	}{
		{"fuse", func(t *testing.T) string { return testenv.MountFUSE(t, t.TempDir(), "") }, 0, 64},
		{"fuse, as many as the caller wants", func(t *testing.T) string { return testenv.MountFUSE(t, t.TempDir(), "") }, 5, 5},
		{"in memory", func(t *testing.T) string { return testenv.MemoryDir(t) }, 0, 16},
		{"on a disk", func(t *testing.T) string { return places.Disk(t) }, 0, 16},
	} {
		for way, read := range map[string]func(f *sluice.File, d *direct.File) error{
			"ReadAt": func(f *sluice.File, _ *direct.File) error {
				_, err := f.ReadAt(make([]byte, 10), 0)
				return err
			},
			"ReadAtContext": func(f *sluice.File, _ *direct.File) error {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				_, err := f.ReadAtContext(ctx, make([]byte, 10), 0)
				return err
			},
			"ReadMany": func(_ *sluice.File, d *direct.File) error {
				for r, err := range d.ReadMany(context.Background(), slices.Values([]direct.Range{{Off: 0, Len: 10}}), direct.ReadManyOptions{}) {
					if err != nil {
						return err
					}
					r.Buffer.Release()
				}
				return nil
			},
		} {
			t.Run(test.name+"/"+way, func(t *testing.T) {
				hang.Watch(t)
				s := testenv.Scheduler(t, sluice.Options{Driver: "uring", Threads: test.threads})
				f := testenv.TextOn(t, s, test.dir(t))
				d, err := direct.OpenOn(s, f.Name(), os.O_RDONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				if err := read(f, d); err != nil { // finds out the file system's abilities
					t.Fatal(err)
				}
				threads := &testenv.CoreOf(s).DeviceOf(testenv.FileCore(f)).Budget
				var taken []budget.Permit
				for range threads.Limit() {
					p, _ := threads.TryAcquire(budget.Reads)
					taken = append(taken, p)
				}
				ended := make(chan error, 1)
				go func() { ended <- read(f, d) }()
				if test.want == 64 {
					err = <-ended
				} else {
					testenv.WaitFor(t, "the read", func() bool { return len(ended) > 0 || testenv.Waiting(s) > 0 })
				}
				if got := threads.Limit(); int(got) != test.want {
					t.Errorf("%d threads may wait; want %d", got, test.want)
				}
				for _, p := range taken {
					p.Release()
				}
				if test.want != 64 {
					err = <-ended
				}
				if err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}
