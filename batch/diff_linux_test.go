package batch_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/batch"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/aio"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// batchStep is an operation of a random Batch. Each chain has its own directory, so that chains do
// not meet.
type batchStep struct {
	kind        string
	name, other string
	flag        int
	off, n      int
	open        int // the step of the chain that opens its file
}

var batchKindNames = []string{
	"open", "read", "write", "close", "sync", "datasync", "truncate",
	"allocate", "advise", "stat", "lstat", "rename", "link", "symlink", "unlink", "rmdir", "mkdir",
}

// randomChain draws a chain. Half of the chains only open, read and close.
func randomChain(r *rand.Rand) (steps []batchStep) {
	names := []string{"a", "b", "c", "d", "d/e", "no/f"}
	name := func() string { return names[r.IntN(len(names))] }
	if r.IntN(2) == 0 {
		steps = append(steps, batchStep{kind: "open", name: name()})
		for range r.IntN(3) {
			steps = append(steps, batchStep{kind: "read", off: r.IntN(3) * 1000, n: r.IntN(3000)})
		}
		return append(steps, batchStep{kind: "close"})
	}
	opens := []int{}
	for range 1 + r.IntN(8) {
		s := batchStep{kind: batchKindNames[r.IntN(len(batchKindNames))], name: name(), other: name(), off: r.IntN(4000), n: r.IntN(3000)}
		if s.kind == "open" {
			s.flag = []int{os.O_RDONLY, os.O_RDWR, os.O_RDWR | os.O_CREATE, os.O_RDWR | os.O_CREATE | os.O_TRUNC, os.O_WRONLY | os.O_APPEND}[r.IntN(5)]
		} else if opensFile := strings.Contains("read write readv writev close sync datasync truncate allocate advise", s.kind); opensFile {
			if len(opens) == 0 {
				continue
			}
			k := r.IntN(len(opens))
			s.open = opens[k]
			if s.kind == "close" {
				opens = append(opens[:k], opens[k+1:]...)
			}
		}
		if s.kind == "open" {
			opens = append(opens, len(steps))
		}
		steps = append(steps, s)
	}
	return steps
}

// bytesOf returns the bytes that a step writes.
func (s batchStep) bytesOf() []byte {
	b := make([]byte, s.n)
	for i := range b {
		b[i] = byte(i*7 + s.off)
	}
	return b
}

// prepareChain makes the directory of a chain.
func prepareChain(t *testing.T, dir string) {
	t.Helper()
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "d"), 0o700),
		os.WriteFile(filepath.Join(dir, "a"), batchStep{n: 2500}.bytesOf(), 0o600),
		os.WriteFile(filepath.Join(dir, "b"), nil, 0o600),
		os.Symlink("a", filepath.Join(dir, "c")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// addedChain is a random chain in a Batch.
type addedChain struct {
	batch.Chain
	dir   string
	steps []batchStep
	ops   []*batch.Op
	data  [][]byte             // the buffers of each operation that reads
	files map[int]batch.Target // by the steps that open them
}

// addNext adds the next step of the chain. It returns false at the end.
func (c *addedChain) addNext() bool {
	k := len(c.ops)
	if k == len(c.steps) {
		return false
	}
	var op *batch.Op
	var buf []byte
	if s := c.steps[k]; s.kind == "open" {
		c.files[k] = c.OpenFile(filepath.Join(c.dir, s.name), s.flag, 0o600)
		op = c.files[k].Op()
	} else {
		op, buf = s.add(c.Chain, c.dir, c.files[s.open])
	}
	c.ops, c.data = append(c.ops, op), append(c.data, buf)
	return true
}

// add adds a step other than an open to a chain. For a read it returns the buffer as well.
func (s batchStep) add(c batch.Chain, dir string, file batch.Target) (*batch.Op, []byte) {
	name, other, buf := filepath.Join(dir, s.name), filepath.Join(dir, s.other), s.bytesOf()
	switch s.kind {
	case "read":
		clear(buf)
		return c.ReadAt(file, buf, int64(s.off)), buf
	case "write":
		return c.WriteAt(file, buf, int64(s.off)), nil
	case "close":
		return c.Close(file), nil
	case "sync":
		return c.Sync(file), nil
	case "datasync":
		return c.Datasync(file), nil
	case "truncate":
		return c.Truncate(file, int64(s.n)), nil
	case "allocate":
		return c.Allocate(file, int64(s.off), int64(s.n)), nil
	case "advise":
		return c.Advise(file, int64(s.off), int64(s.n), sluice.AdviceWillNeed), nil
	case "stat":
		return c.Stat(name), nil
	case "lstat":
		return c.Lstat(name), nil
	case "rename":
		return c.Rename(name, other), nil
	case "link":
		return c.HardLink(name, other), nil
	case "symlink":
		return c.Symlink(s.other, name), nil
	case "unlink":
		return c.Unlink(name), nil
	case "rmdir":
		return c.Rmdir(name), nil
	}
	return c.Mkdir(name, 0o700), nil
}

// batchOutcome returns a text of how an operation ended.
func batchOutcome(n int, data []byte, info os.FileInfo, err error, dir string) string {
	out := fmt.Sprintf("%d bytes, %08x", n, testenv.Sum(data))
	if info != nil {
		out += fmt.Sprintf(", %s %v", info.Name(), info.Mode())
		if info.Mode().IsRegular() {
			out += fmt.Sprintf(" of %d bytes", info.Size())
		}
	}
	if err != nil {
		out += ", " + testenv.Describe(err, dir)
	}
	return out
}

// TestBatchDifferential performs random Batches, and compares each result, each error and the
// resulting tree with package os. It uses every driver, also with operations that are cut short and
// refused for a moment. One disk has parts that cannot be read, written or synced, and names that
// cannot be used. In every second round the chains are filled in turns.
func TestBatchDifferential(t *testing.T) {
	start := seed.Of(t)
	for _, name := range testenv.Drivers {
		t.Run(name, func(t *testing.T) {
			batchDiff(t, testenv.Scheduler(t, sluice.Options{Driver: name}), start, soundDisk{})
		})
		t.Run(name+" with faults", func(t *testing.T) { batchDiff(t, faultyScheduler(t, name, start), start, soundDisk{}) })
		t.Run(name+" on a faulty disk", func(t *testing.T) { batchDiff(t, onFaultyDisk(t, name, start), start, faultyDisk{}) })
	}
}

// transients are faults that pass when the request is made again.
var transients = []fault.Verdict{{Short: 700}, {Errno: syscall.EINTR}, {Errno: syscall.EAGAIN}, {Late: 3}}

// faultyScheduler makes a Scheduler whose driver cuts transfers short and asks for them to be tried
// again.
func faultyScheduler(t *testing.T, name string, seed uint64) *sluice.Scheduler {
	t.Helper()
	decide := fault.Random(seed, 0.4, transients...)
	s := testenv.SchedulerOn(fault.New(bareDriver(t, name), decide))
	t.Cleanup(func() { s.Close() })
	return s
}

// bareDriver makes a driver.
func bareDriver(t *testing.T, name string) driver.Driver {
	t.Helper()
	drv, err := map[string]func() (driver.Driver, error){
		"uring": func() (driver.Driver, error) { return uring.New(uring.Options{Depth: 64}) },
		"aio":   func() (driver.Driver, error) { return aio.New(aio.Options{Depth: 64}) },
		"pool":  func() (driver.Driver, error) { return pool.New(pool.Options{Depth: 64}) },
	}[name]()
	if err != nil {
		skip.ForDriver(t, name, err)
	}
	return drv
}

func batchDiff(t *testing.T, s *sluice.Scheduler, seed uint64, disk referenceDisk) {
	r, rounds := rand.New(rand.NewPCG(seed, 1)), 4
	if sys.RaceEnabled {
		rounds = 2
	}
	for round := range rounds {
		// Most of it is in memory, where a sync costs nothing.
		root, chains := testenv.MemoryDir(t), make([][]batchStep, 20+r.IntN(400))
		if round == 0 && disk == (soundDisk{}) {
			root, chains = t.TempDir(), chains[:20]
		}
		b := batch.New(s)
		if disk == (faultyDisk{}) {
			b.PlayCalls(func(op *batch.Op) error { return nameFault(op.Kind(), op.Subject()) })
		}
		added := make([]*addedChain, len(chains))
		for i := range chains {
			chains[i] = randomChain(r)
			for _, side := range []string{"ours", "theirs"} {
				prepareChain(t, filepath.Join(root, side, fmt.Sprint(i)))
			}
			added[i] = &addedChain{
				Chain: b.Chain(), dir: filepath.Join(root, "ours", fmt.Sprint(i)), steps: chains[i], files: map[int]batch.Target{},
			}
		}
		addAll(r, added, round%2 == 1)
		before := tempDescriptors(t)
		if err := b.Do(t.Context()); err != nil && errors.Is(err, batch.ErrNotBegun) {
			t.Fatal(err)
		}
		for i, chain := range chains {
			compareChain(t, added[i],
				plainChain(chain, filepath.Join(root, "theirs", fmt.Sprint(i)), disk))
		}
		if after := tempDescriptors(t); after > before {
			t.Errorf("%d descriptors are open; there were %d", after, before)
		}
		sameTrees(t, filepath.Join(root, "ours"), filepath.Join(root, "theirs"))
		if t.Failed() {
			return
		}
	}
}

// addAll adds the steps of all chains: one chain after the other, or in turns.
func addAll(r *rand.Rand, chains []*addedChain, turns bool) {
	for left := slices.Clone(chains); len(left) > 0; {
		i := 0
		if turns {
			i = r.IntN(len(left))
		}
		if !left[i].addNext() {
			left = slices.Delete(left, i, i+1)
		}
	}
}

// compareChain compares the outcomes of a chain, and closes the files that it has opened.
func compareChain(t *testing.T, c *addedChain, want []string) {
	t.Helper()
	for k, op := range c.ops {
		got := batchOutcome(op.N(), c.data[k], op.Info(), op.Err(), c.dir)
		if op.State() == batch.NotBegun {
			got = "not begun"
		}
		if got != want[k] {
			t.Errorf("%+v\nas number %d of %+v\n= %s; want\n  %s", c.steps[k], k, c.steps, got, want[k])
		}
		if f := op.File(); f != nil {
			if err := f.Close(); err != nil {
				t.Errorf("Close = %v", err)
			}
		}
	}
}

// sameTrees compares names, kinds, targets of links and contents.
func sameTrees(t *testing.T, ours, theirs string) {
	t.Helper()
	a, b := allIn(t, ours), allIn(t, theirs)
	for name, want := range b {
		if a[name] != want {
			t.Errorf("%s is %s; want %s", name, a[name], want)
		}
		delete(a, name)
	}
	for name, got := range a {
		t.Errorf("%s is %s; want nothing", name, got)
	}
}

func allIn(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		all[rel] = d.Type().String()
		switch d.Type() {
		case 0:
			data, err := os.ReadFile(path)
			all[rel] += fmt.Sprintf(" %d bytes %08x %v", len(data), testenv.Sum(data), err)
		case fs.ModeSymlink:
			to, err := os.Readlink(path)
			all[rel] += fmt.Sprint(" ", to, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return all
}
