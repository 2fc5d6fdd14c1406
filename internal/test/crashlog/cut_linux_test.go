package crashlog

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var cuts = flag.Int("crashlog.cuts", 20, "how often TestCut cuts off each file system")

func TestMain(m *testing.M) { testenv.Main(m) }

// fileSystems has the file systems with a journal that a mount replays, with the commands that make
// them.
var fileSystems = map[string]struct {
	mkfs string
	size int64
}{
	"ext4": {"mkfs.ext4 -q -F", 64 << 20},
	"xfs":  {"mkfs.xfs -q -f", 300 << 20},
}

// TestCut checks that commits are there after the file system was cut off.
func TestCut(t *testing.T) {
	for name, kind := range fileSystems {
		t.Run(name, func(t *testing.T) {
			c := &cutter{t: t, fstype: name, device: places.Loop(t, kind.size), book: newBook()}
			places.Tool(t, kind.mkfs, c.device)
			c.dir = filepath.Join(t.TempDir(), "mounted")
			if err := os.Mkdir(c.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			start := seed.Of(t)
			c.schedulers = openSchedulers()
			for _, s := range c.schedulers {
				defer s.Close()
			}
			places.MountAs(t, c.device, c.dir, name)
			for i := range *cuts {
				hang.During(t, func() { c.cycle(i, rand.New(rand.NewPCG(start, uint64(i)))) })
				if t.Failed() {
					break
				}
			}
			places.Unmount(t, c.dir)
			c.report(t, "cuts")
		})
	}
}

// cutter is a file system that is cut off again and again.
type cutter struct {
	verdict
	t                   *testing.T
	fstype, device, dir string
	schedulers          []*sluice.Scheduler
	work                *workload // the last one

	mu      sync.Mutex
	book    *book
	cutting bool // later acknowledgements do not count
	left    int  // acknowledgements until the cut
	enough  chan struct{}
	cut     func() // closes enough, once: enough acknowledgements, or a failed call
}

// note is called by the goroutines that write. A commit that returned before cutting was set had
// ended before the cut. Later notes may be wrong: an fdatasync of ext4 during the cut can succeed
// and keep nothing, with package os as well.
func (c *cutter) note(n note) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n.Kind == synced {
		if c.cutting {
			return
		}
		if c.left--; c.left == 0 {
			c.cut()
		}
	}
	c.book.add(n, synced)
}

func (c *cutter) isCutting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cutting
}

// cycle has all logs written, cuts the file system off, mounts it again and checks the logs.
func (c *cutter) cycle(i int, r *rand.Rand) {
	t := c.t
	c.cutting, c.left, c.enough = false, 1+r.IntN(400), make(chan struct{})
	c.cut = sync.OnceFunc(func() { close(c.enough) })
	before := c.work
	c.work = newWorkload(c.dir, c.schedulers, longLog, r, c.note)
	c.work.stopped = c.isCutting
	c.work.fail = func(l *log, err error) {
		if !c.isCutting() {
			t.Errorf("cut %d, %s: %v", i, l.name, err)
			c.cut()
		}
	}
	if err := c.begin(before, r); err != nil {
		t.Errorf("cut %d: %v", i, err)
		return
	}
	var running sync.WaitGroup
	running.Go(func() { c.work.run(r) })
	<-c.enough
	c.mu.Lock()
	c.cutting = true
	c.mu.Unlock()
	places.Shutdown(t, c.dir)
	running.Wait()
	_ = c.work.close() // the file system is gone
	places.UnmountAll(t, c.device, c.dir)
	places.MountAs(t, c.device, c.dir, c.fstype)
	c.judge(t, c.book, c.book.check(c.dir), fmt.Sprint("cut ", i))
}

// begin continues some logs of the previous workload, and begins the rest anew.
func (c *cutter) begin(before *workload, r *rand.Rand) error {
	for i, l := range c.work.logs {
		if before != nil {
			l.id = before.logs[i].id
			e := c.book.logs[l.id]
			last := -1
			if e != nil {
				for n, acked := range e.acked {
					if acked {
						last = n
					}
				}
			}
			if last >= 0 && r.IntN(2) == 0 {
				e.acked = slices.Clip(e.acked[:last+1])
				if err := l.resume(r, last+1); err != nil {
					return fmt.Errorf("%s: %w", l.name, err)
				}
				continue
			}
			if e != nil {
				l.tell(ended, 0)
			}
			if err := os.Remove(l.path()); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
		if err := l.begin(r, ""); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	return nil
}
