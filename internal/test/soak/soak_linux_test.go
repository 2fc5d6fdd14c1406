package soak

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var (
	length  = flag.Duration("soak.for", 3*time.Second, "how long it runs")
	place   = flag.String("soak.place", "disk", "where the files are: memory, disk, or a file system of its own (ext4, xfs, btrfs, …)")
	drivers = flag.String("soak.driver", strings.Join(testenv.Drivers, ","), "the drivers, which run side by side")
	planted = flag.String("soak.plant", "", "what goes wrong on purpose: memory (100 bytes an operation), descriptor or goroutine (one a minute), or byte")
)

func TestMain(m *testing.M) { testenv.Main(m) }

// points is the number of samples of a run.
const points = 240

// TestSoak runs for the time of -soak.for. A short run has no meaningful drift, so only its reads
// are judged.
func TestSoak(t *testing.T) {
	dir := testenv.PlaceDir(t, "soak.place", *place, 1<<30) // 1 GiB
	r := newRun(t, dir, *length, *planted)
	r.soak(t, seed.Of(t))
	for _, err := range r.wrong {
		t.Error(err)
	}
	t.Logf("figure: %d operations", r.operations.Load())
	r.report(t, *length >= judgedFrom)
}

// judgedFrom is the shortest run whose drift is judged. In the first minutes, pools fill and
// threads are made.
const judgedFrom = 5 * time.Minute

// run is a soak.
type run struct {
	dir        string
	length     time.Duration
	plant      plant
	operations atomic.Int64
	turn       sync.RWMutex // a step of a goroutine holds it for reading, a sample for writing
	stop       atomic.Bool
	samples    []sample

	mu    sync.Mutex
	wrong []error // guarded by mu
}

func newRun(t *testing.T, dir string, length time.Duration, defect string) *run {
	if !slices.Contains(plants, defect) {
		t.Fatalf("-soak.plant=%s: there are %q", defect, plants)
	}
	return &run{dir: dir, length: length, plant: plant{kind: defect}}
}

// fail records an error, and ends the run.
func (r *run) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong = append(r.wrong, err)
	r.stop.Store(true)
}

// soak runs all goroutines of all drivers, and takes the samples.
func (r *run) soak(t *testing.T, start uint64) {
	var all []*worker
	shared, err := newShared(filepath.Join(r.dir, "shared"))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range strings.Split(*drivers, ",") {
		s, err := sluice.NewScheduler(sluice.Options{Driver: name})
		if testenv.Missing(err) {
			t.Logf("without %s: %v", name, err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Close(); err != nil {
				t.Errorf("%s: Close of the scheduler: %v", name, err)
			}
		}()
		h, err := newHouse(s, name, filepath.Join(r.dir, name), shared)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := h.close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}()
		for g, kind := range h.kinds() {
			all = append(all, &worker{
				house: h, step: kind.step, close: kind.close, name: fmt.Sprintf("%s, goroutine %d (%s)", name, g, kind.name),
				rand: rand.New(rand.NewPCG(start, uint64(i)<<32|uint64(g))),
			})
		}
	}
	var running sync.WaitGroup
	for _, w := range all {
		running.Go(func() { r.work(w) })
	}
	r.sampleAll(t)
	r.stop.Store(true)
	running.Wait()
}

// worker is a goroutine that uses files.
type worker struct {
	*house
	name  string
	rand  *rand.Rand
	step  func(w *worker) (operations int, err error)
	close func() error
}

// work takes steps until the run ends.
func (r *run) work(w *worker) {
	defer func() {
		if err := w.close(); err != nil {
			r.fail(fmt.Errorf("%s: Close: %w", w.name, err))
		}
	}()
	for !r.stop.Load() {
		r.turn.RLock()
		n, err := w.step(w)
		r.turn.RUnlock()
		r.operations.Add(int64(n))
		if err != nil {
			r.fail(fmt.Errorf("%s: %w", w.name, err))
			return
		}
	}
}

// sampleAll takes the samples until the time is over. It also plants the defect.
func (r *run) sampleAll(t *testing.T) {
	start := time.Now()
	goroutines := runtime.NumGoroutine()
	for i := 1; i <= points && !r.stop.Load(); i++ {
		r.wait(start.Add(r.length * time.Duration(i) / points))
		hangs := time.AfterFunc(halt, func() {
			debug.SetTraceback("all")
			panic("an operation has not ended in " + halt.String())
		})
		r.turn.Lock()
		hangs.Stop()
		s := look(t, start, goroutines)
		s.operations = r.operations.Load()
		r.turn.Unlock()
		r.samples = append(r.samples, s)
		if i%(points/24) == 0 && r.length >= time.Minute {
			t.Logf("after %s: %d operations, %s", s.at.Round(time.Second), r.operations.Load(), s)
		}
	}
}

// halt is how long operations may take to end. A machine may stop the whole process in that time.
const halt = 30 * time.Minute

// wait waits until a time, or until the end of the run. It leaks on request.
func (r *run) wait(until time.Time) {
	for left := time.Until(until); left > 0 && !r.stop.Load(); left = time.Until(until) {
		time.Sleep(min(left, 100*time.Millisecond))
		r.plant.grow(r)
	}
}

func (s sample) String() string {
	var parts []string
	for kind, name := range kindNames {
		parts = append(parts, fmt.Sprintf("%s %s", name, amount(kind, s.holds[kind])))
	}
	return strings.Join(parts, ", ")
}

// report logs each drift. If drifts are judged, it fails the test for things that grow.
func (r *run) report(t *testing.T, judged bool) {
	if len(r.samples) < points {
		return
	}
	for kind, name := range kindNames {
		d := driftOf(r.samples, kind)
		text := fmt.Sprintf("%s: %s at the first sample, in the second half %s to %s (%+.2f %%, more at %d samples)", name,
			amount(kind, r.samples[0].holds[kind]), amount(kind, d.from), amount(kind, d.to), 100*(d.to-d.from)/d.mean, d.steps)
		if judged && d.grows(kind) {
			t.Error("grows: " + text)
		} else {
			t.Log(text)
		}
	}
}

// grown returns the names of the things that grow.
func (r *run) grown() (names []string) {
	for kind, name := range kindNames {
		if driftOf(r.samples, kind).grows(kind) {
			names = append(names, name)
		}
	}
	return names
}

func amount(kind int, n float64) string {
	if kind == resident {
		return fmt.Sprintf("%.2f MiB", n/(1<<20))
	}
	return fmt.Sprintf("%.1f", n)
}

// plant is a defect on purpose.
type plant struct {
	kind string
	next time.Time // the next time of a defect that comes once a minute
	ops  int64     // operations for which memory was leaked
	kept []any
}

// plants are the kinds of defects.
var plants = []string{"", "memory", "descriptor", "goroutine", "byte"}

// grow makes the defect larger. It is called several times a second.
func (p *plant) grow(r *run) {
	if p.kind == "memory" {
		for now := r.operations.Load(); p.ops < now; p.ops++ {
			p.kept = append(p.kept, make([]byte, 100))
		}
		return
	}
	if time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(time.Minute)
	switch p.kind {
	case "descriptor":
		f, err := os.Open(os.DevNull)
		if err != nil {
			r.fail(err)
		}
		p.kept = append(p.kept, f)
	case "goroutine":
		go func() { select {} }()
	case "byte":
		if err := wrongByte(filepath.Join(r.dir, "shared")); err != nil {
			r.fail(err)
		}
	}
}

// wrongByte changes a byte in the middle of the shared file.
func wrongByte(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	b := make([]byte, 1)
	_, err = f.ReadAt(b, sharedSize/2)
	b[0]++
	_, wrong := f.WriteAt(b, sharedSize/2)
	return errors.Join(err, wrong, f.Close())
}

// TestFindsWrongByte checks that a wrong byte is found.
func TestFindsWrongByte(t *testing.T) {
	r := newRun(t, t.TempDir(), 10*time.Minute, "byte") // the first wrong byte ends it
	r.soak(t, seed.Of(t))
	if len(r.wrong) == 0 || !strings.Contains(r.wrong[0].Error(), "wrong from byte") {
		t.Errorf("a soak with a wrong byte has found %v", r.wrong)
	}
}

// TestFindsLeak checks that each kind of leak is found.
func TestFindsLeak(t *testing.T) {
	start := time.Now()
	var memory [][]byte
	var files []*os.File
	end := make(chan struct{})
	var running sync.WaitGroup
	takeThread := func() {
		there := make(chan struct{})
		running.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			close(there)
			<-end
		})
		<-there
	}
	earlier, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for range len(earlier) + 20 { // threads of earlier tests would be used first
		takeThread()
	}
	r := &run{}
	for i := range 20 {
		r.samples = append(r.samples, look(t, start, 1000))
		r.samples[i].operations = int64(i)
		memory = append(memory, bytes.Repeat([]byte{1}, 1<<20))
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		takeThread()
	}
	if got := r.grown(); !slices.Equal(got, kindNames[:]) {
		t.Errorf("of what has grown, the samples show %q", got)
	}
	close(end)
	running.Wait()
	for _, f := range files {
		f.Close()
	}
	runtime.KeepAlive(memory)
}
