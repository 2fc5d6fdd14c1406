package differential

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestDifferential performs the same random operations with os and with sluice. Results, errors and
// contents must be equal after each.
func TestDifferential(t *testing.T) {
	start := seed.Of(t)
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		d := newDiffer(t, s, dir)
		d.run(t, randomOps(rand.New(rand.NewPCG(start, 0)), *testenv.DiffN))
	})
}

// FuzzFile is TestDifferential with the fuzzer's choice of operations. The first byte chooses the
// driver. A scheduler behaves differently from run to run, so coverage cannot minimize inputs: use
// -fuzzminimizetime=1x.
func FuzzFile(f *testing.F) {
	ds := fuzzDiffers(f)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 6 {
		f.Add(append([]byte{byte(i)}, randomOps(r, 60)...))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 0 {
			ds[int(b[0])%len(ds)].run(t, b[1:])
		}
	})
}

func fuzzDiffers(f *testing.F) (ds []*differ) {
	for _, name := range testenv.Drivers {
		s, err := sluice.NewScheduler(sluice.Options{Driver: name})
		if err != nil {
			f.Log(err)
			continue
		}
		f.Cleanup(func() { s.Close() })
		ds = append(ds, newDiffer(f, s, f.TempDir()))
	}
	return ds
}

// differ performs operations in two worlds.
type differ struct {
	theirs, ours *world
}

func newDiffer(t testing.TB, s *sluice.Scheduler, dir string) *differ {
	d := &differ{
		theirs: newWorld(filepath.Join(dir, "theirs"), testenv.OSOpen),
		ours:   newWorld(filepath.Join(dir, "ours"), testenv.OpenOn(s)),
	}
	for _, w := range []*world{d.theirs, d.ours} {
		if err := os.Mkdir(w.dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// run performs a stream of operations. All handles are open at its start.
func (d *differ) run(t *testing.T, stream []byte) {
	defer d.theirs.reset()
	defer d.ours.reset()
	done := []op{}
	for h := range byte(len(d.theirs.handles)) {
		// O_RDWR|O_CREATE at first.
		done = append(done, op{kind: opOpen, handle: h, file: h, size: 0xfff0})
	}
	for _, o := range done {
		d.step(t, o, done)
	}
	for o, rest, ok := decode(stream); ok && !t.Failed(); o, rest, ok = decode(rest) {
		done = append(done, o)
		d.step(t, o, done)
	}
}

// step performs an operation in both worlds, and compares them.
func (d *differ) step(t *testing.T, o op, done []op) {
	want := d.theirs.do(o)
	if got := d.ours.do(o); got != want {
		t.Errorf("%s\n= %s; want\n  %s\nafter\n%s", o, got, want, history(done))
		return
	}
	a, err := d.theirs.contents()
	b, err1 := d.ours.contents()
	if err != nil || err1 != nil {
		t.Error(err, err1)
		return
	}
	if !equal(a, b) {
		t.Errorf("after %s the files differ: %s; want %s, after\n%s", o, sizes(b), sizes(a), history(done))
	}
}

func sizes(c [worldFiles][]byte) (s string) {
	for _, b := range c {
		s += fmt.Sprintf("%d bytes (%08x) ", len(b), testenv.Sum(b))
	}
	return s
}

// history prints the last operations.
func history(done []op) string {
	var b strings.Builder
	for _, o := range done[max(0, len(done)-25):] {
		fmt.Fprintln(&b, " ", o)
	}
	return b.String()
}

// randomOps returns a stream of n operations. Opening and closing are as frequent as any other
// kind: a handle lives for a dozen operations.
func randomOps(r *rand.Rand, n int) []byte {
	b := make([]byte, n*opBytes)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
