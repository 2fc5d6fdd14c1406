package classes

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestClassByName: Class returns the class that has the name, or adds one.
func TestClassByName(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{Driver: "pool"})
	first, err := s.Class("shared", sluice.ClassOptions{Weight: 7})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Class("shared", sluice.ClassOptions{Weight: 9}); again != first || err != nil {
		t.Errorf("Class = %p, %v; want the first class, %p", again, err, first)
	}
	if text := s.Explain(); !strings.Contains(text, "shared: weight 7") {
		t.Errorf("Explain says\n%s\nwant the weight that the class was made with", text)
	}
	if c, err := s.Class("default", sluice.ClassOptions{}); c != s.Classes()[0] || err != nil {
		t.Errorf("Class of the default class = %v, %v", c, err)
	}
	for name, o := range map[string]sluice.ClassOptions{"": {}, "shared": {Weight: -1}, "new": {IOPS: -1}} {
		if c, err := s.Class(name, o); c != nil || err == nil {
			t.Errorf("Class(%q, %+v) = %v, %v; want an error", name, o, c, err)
		}
	}
	if n := len(s.Classes()); n != 2 {
		t.Errorf("%d classes; want 2", n)
	}
	s.Close()
	if _, err := s.Class("late", sluice.ClassOptions{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Class of a closed Scheduler: %v", err)
	}
}

// TestClassRemove checks that a removed class's name is free, and that later operations of its
// views and contexts are in the default class.
func TestClassRemove(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f, noise := testenv.DirectNoise(t, s, 1<<20)
	c := testenv.Class(t, s, "temporary", sluice.ClassOptions{Depth: 100})
	view, err := f.WithClass(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx := sluice.WithClass(t.Context(), c)
	if err := sameAt(ctx, f, noise, 0, 4096); err != nil {
		t.Fatal(err)
	}
	if err := c.Remove(); err != nil {
		t.Fatal(err)
	}
	before := c.Stats()
	for way, do := range waysToRead {
		for how, try := range map[string]func() error{
			"context": func() error { return do(ctx, f, noise) },
			"view":    func() error { return do(t.Context(), view, noise) },
		} {
			n := s.Classes()[0].Stats().Operations
			if err := try(); err != nil {
				t.Errorf("%s by %s: %v", way, how, err)
			}
			if s.Classes()[0].Stats().Operations == n {
				t.Errorf("%s by %s: no operation of the default class", way, how)
			}
		}
	}
	if after := c.Stats(); after != before || after.Operations != 1 {
		t.Errorf("Stats = %+v; want those at the time of Remove, %+v", after, before)
	}
	if err := c.Remove(); err == nil || !strings.Contains(err.Error(), "already removed") {
		t.Errorf("second Remove = %v; want an error", err)
	}
	if err := c.Configure(sluice.ClassOptions{}); err == nil || !strings.Contains(err.Error(), "already removed") {
		t.Errorf("Configure of a removed class = %v; want an error", err)
	}
	if err := s.Classes()[0].Remove(); err == nil || !strings.Contains(err.Error(), "default class") {
		t.Errorf("Remove of the default class = %v; want an error", err)
	}
	if again := testenv.Class(t, s, "temporary", sluice.ClassOptions{}); again == c || len(s.Classes()) != 2 {
		t.Errorf("%d classes, a new one with the name of the removed one: %v; want 2, true", len(s.Classes()), again != c)
	}
	wantNoTickets(t, s)
}

// TestClassRemoveLimited removes a class while its limit holds operations. They must end without
// the limit.
func TestClassRemoveLimited(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, _ := testenv.DirectNoise(t, s, 1<<20)
		c, ctx := stuck(t, s, f)
		ended := make(chan error, len(attempts))
		for _, attempt := range attempts {
			go func() { ended <- attempt(ctx, f) }()
		}
		testenv.WaitFor(t, "operations to wait", func() bool { return c.Stats().Waiting >= len(attempts) })
		if err := c.Remove(); err != nil {
			t.Fatal(err)
		}
		for range attempts {
			if err := <-ended; err != nil {
				t.Errorf("an operation that has waited: %v", err)
			}
		}
		if st := c.Stats(); st.Waiting != 0 || st.InFlight != 0 {
			t.Errorf("%d queued, %d in flight of the removed class; want none", st.Waiting, st.InFlight)
		}
		wantNoTickets(t, s)
		testenv.WantIdle(t, s)
	})
}

// TestClassRemoveStorm has goroutines make, share, use and remove classes at once.
func TestClassRemoveStorm(t *testing.T) {
	start := seed.Of(t)
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, noise := testenv.DirectNoise(t, s, 1<<20)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				r := rand.New(rand.NewPCG(start, uint64(i)))
				for range 20 {
					o := sluice.ClassOptions{Weight: 1 + r.IntN(100), Depth: r.IntN(3), IOPS: int64(r.IntN(2)) * 1000}
					c, err := s.Class(fmt.Sprint("shared", r.IntN(3)), o)
					if err != nil {
						t.Errorf("seed %d: %v", start, err)
						return
					}
					var using sync.WaitGroup
					using.Go(func() {
						if err := sameAt(sluice.WithClass(t.Context(), c), f, noise, 100, 5000); err != nil {
							t.Errorf("seed %d: ReadAt: %v", start, err)
						}
					})
					using.Go(func() {
						if err := sameMany(sluice.WithClass(t.Context(), c), f, noise); err != nil {
							t.Errorf("seed %d: ReadMany: %v", start, err)
						}
					})
					if r.IntN(2) == 0 {
						_ = c.Remove() // another goroutine may be first
					}
					using.Wait()
					c.Stats()
				}
			})
		}
		all.Wait()
		for _, c := range s.Classes()[1:] {
			if err := c.Remove(); err != nil {
				t.Error(err)
			}
		}
		if n := len(s.Classes()); n != 1 {
			t.Errorf("%d classes at the end; want 1", n)
		}
		wantNoTickets(t, s)
		testenv.WantIdle(t, s)
	})
}

// TestClassRemoveMany makes, uses and removes 10,000 classes. No memory may be left behind.
func TestClassRemoveMany(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{Driver: "pool"})
	f := testenv.TextOn(t, s, t.TempDir())
	use := func(n int) {
		for i := range n {
			c := testenv.Class(t, s, fmt.Sprint("class ", i), sluice.ClassOptions{Depth: 1})
			if _, err := f.ReadAtContext(sluice.WithClass(context.Background(), c), make([]byte, 4), 0); err != nil {
				t.Fatal(err)
			}
			if n := c.Stats().Operations; n != 1 {
				t.Fatalf("%d operations of class %d; want 1", n, i)
			}
			if err := c.Remove(); err != nil {
				t.Fatal(err)
			}
		}
	}
	use(200) // more than the most at once, to allocate all that is kept
	before := heap()
	use(10_000)
	if after := heap(); after > before+256<<10 {
		t.Errorf("%d KiB of the heap in use after 10,000 classes, %d before; want as much", after>>10, before>>10)
	}
	if n := len(s.Classes()); n != 1 {
		t.Errorf("%d classes; want the default one", n)
	}
	wantNoTickets(t, s)
}

// heap returns the bytes of the heap in use after a garbage collection.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // frees the sync.Pools' memory of the first collection
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
