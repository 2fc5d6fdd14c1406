package starved

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var (
	goroutines = flag.Int("starved.goroutines", 400, "goroutines of TestManyGoroutines and TestQueueOfOne, which make ten calls each")
	stops      = flag.Int("starved.stops", 8, "how often TestStopped stops a process")
)

const (
	pages = 1024
	size  = pages * testenv.PageSize // 4 MiB
)

// makePages makes a file of the Pattern.
func makePages(dir string) (name string, err error) {
	b := make([]byte, size)
	for i := range b {
		b[i] = testenv.Pattern(int64(i))
	}
	name = filepath.Join(dir, "pages")
	f, err := os.Create(name)
	if err != nil {
		return "", err
	}
	_, err = f.Write(b)
	return name, errors.Join(err, f.Sync(), testenv.DropCache(int(f.Fd())), f.Close())
}

// worker makes calls on the file of makePages, in all ways.
type worker struct {
	s      *sluice.Scheduler
	file   *sluice.File
	direct *direct.File
}

func newWorker(s *sluice.Scheduler, name string) (w worker, err error) {
	var errs [2]error
	w.s = s
	w.file, errs[0] = s.OpenFile(name, os.O_RDWR, 0)
	w.direct, errs[1] = direct.OpenOn(s, name, os.O_RDWR, 0)
	return w, errors.Join(errs[:]...)
}

func (w worker) close() error { return errors.Join(w.file.Close(), w.direct.Close()) }

// call makes a call of a random kind. Writes do not change the content.
func (w worker) call(r *rand.Rand) error {
	off := r.Int64N(pages-4) * testenv.PageSize
	n := testenv.PageSize * (1 + r.IntN(2))
	if r.IntN(2) == 0 {
		off, n = off+r.Int64N(testenv.PageSize), 1+r.IntN(2*testenv.PageSize)
	}
	b := testenv.AlignedBytes(n)
	var err error
	got := n
	switch k := r.IntN(32); {
	case k < 12:
		got, err = w.file.ReadAt(b, off)
	case k < 26:
		got, err = w.direct.ReadAt(b, off)
	case k < 28:
		ops := batch.New(w.s)
		op := ops.Chain().ReadAt(batch.On(w.file), b, off)
		err = ops.Do(context.Background())
		got = op.N()
	case k < 30:
		var buf direct.Buffer
		buf, err = w.direct.ReadBuffer(context.Background(), off, n)
		copy(b, buf.Bytes())
		buf.Release()
	case k == 30:
		fillPattern(b, off)
		got, err = w.direct.WriteAt(b, off)
	default:
		fillPattern(b, off)
		err = w.direct.Datasync()
	}
	if got != n || err != nil {
		return fmt.Errorf("%d bytes at %d: %d, %w", n, off, got, err)
	}
	want := make([]byte, n)
	fillPattern(want, off)
	if !bytes.Equal(b, want) {
		return fmt.Errorf("%d bytes at %d: not the file's", n, off)
	}
	return nil
}

func fillPattern(b []byte, off int64) {
	for i := range b {
		b[i] = testenv.Pattern(off + int64(i))
	}
}

// TestManyGoroutines has many goroutines make ten calls each, all at once.
func TestManyGoroutines(t *testing.T) {
	var made atomic.Int64
	defer func() { t.Logf("figure: %d operations", made.Load()) }()
	testenv.EachDriverIn(t, places.Disk(t), func(t *testing.T, s *sluice.Scheduler, dir string) {
		made.Add(crowd(t, s, dir, *goroutines))
	})
}

// TestQueueOfOne is TestManyGoroutines with a queue of one, and one thread that may wait.
func TestQueueOfOne(t *testing.T) {
	var made atomic.Int64
	defer func() { t.Logf("figure: %d operations", made.Load()) }()
	dir := places.Disk(t)
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			for _, o := range []sluice.Options{{Depth: 1, Threads: 1}, {Depth: 1, Threads: 1, Rings: 1, BufferMemory: 2 << 20}} {
				o.Driver = driver
				made.Add(crowd(t, testenv.Scheduler(t, o), dir, *goroutines/8))
			}
		})
	}
}

// crowd has n goroutines make ten calls each. They begin together.
func crowd(t *testing.T, s *sluice.Scheduler, dir string, n int) int64 {
	hang.Watch(t)
	start := seed.Of(t)
	name, err := makePages(dir)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWorker(s, name)
	if err != nil {
		t.Fatal(err)
	}
	before := testenv.HeldNow(t)
	begin := make(chan struct{})
	var all sync.WaitGroup
	var made atomic.Int64
	for g := range n {
		all.Go(func() {
			<-begin
			for r := rand.New(rand.NewPCG(start, uint64(g))); made.Add(1) <= int64(n)*10 && !t.Failed(); {
				if err := w.call(r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	close(begin)
	all.Wait()
	if st := s.Stats(); st.InFlight != 0 || st.WaitingThreads != 0 || st.BuffersInUse != 0 || st.LostRings != 0 {
		t.Errorf("at the end: %+v; want nothing in flight or in use", st)
	}
	var more []string
	testenv.WaitOr(func() bool { more = before.More(testenv.HeldNow(t)); return len(more) == 0 || onlyRings(more) },
		func() { t.Errorf("left behind: %s", strings.Join(more, ", ")) })
	if err := w.close(); err != nil {
		t.Error(err)
	}
	return int64(n) * 10
}

// onlyRings reports whether a Scheduler keeps all of these until it is closed.
func onlyRings(held []string) bool {
	for _, h := range held {
		if strings.HasSuffix(h, "goroutines") {
			return false
		}
	}
	return true
}

func init() {
	testenv.Children["few descriptors"] = fewDescriptors
	testenv.Children["stopped"] = stopped
}

const nofileEnv = "SLUICE_TEST_NOFILE" // the child's number of free descriptors, at first

// TestFewDescriptors checks that a process with at most 40 descriptors gets EMFILE when package os
// would, and continues.
func TestFewDescriptors(t *testing.T) {
	var made int
	defer func() { t.Logf("figure: %d processes", made) }()
	for _, driver := range append([]string{""}, testenv.Drivers...) {
		for _, limit := range []int{40, 12} {
			t.Run(fmt.Sprint(driver, " ", limit), func(t *testing.T) {
				if driver != "" {
					// Skips without the driver.
					testenv.Scheduler(t, sluice.Options{Driver: driver}).Close()
				}
				out, ok := testenv.Child(t, "few descriptors", "SLUICE_DRIVER="+driver, testenv.DirEnv+"="+t.TempDir(), fmt.Sprint(nofileEnv, "=", limit))
				if !ok {
					t.Error(out)
				} else {
					t.Log(out)
				}
				made++
			})
		}
	}
}

// fewDescriptors opens files until that fails, uses the open ones, and closes them, three times.
func fewDescriptors() error {
	limit, err := strconv.ParseUint(os.Getenv(nofileEnv), 10, 64)
	if err != nil {
		return err
	}
	name, err := makePages(os.Getenv(testenv.DirEnv))
	if err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	s, err := sluice.NewScheduler(sluice.Options{Driver: os.Getenv("SLUICE_DRIVER")})
	if errors.Is(err, syscall.EMFILE) {
		fmt.Println("no descriptor for the driver") // a named driver is an error of NewScheduler
		return nil
	}
	if err != nil {
		return err
	}
	most := 0
	for round := range 3 {
		var open []worker
		for {
			w, err := newWorker(s, name)
			if err != nil {
				if !errors.Is(err, syscall.EMFILE) {
					return fmt.Errorf("open without descriptors = %w; want EMFILE", err)
				}
				if w.file != nil {
					w.file.Close()
				}
				if w.direct != nil {
					w.direct.Close()
				}
				break
			}
			open = append(open, w)
		}
		if round > 0 && len(open) < most {
			return fmt.Errorf("only %d files could be opened; before %d", len(open), most)
		}
		most = len(open)
		if most == 0 {
			return errors.New("not one file could be opened")
		}
		if err := callAll(open, round); err != nil {
			return err
		}
		for _, w := range open {
			if err := w.close(); err != nil {
				return err
			}
		}
	}
	st := s.Stats()
	driver, _, _ := strings.Cut(s.Explain(), "\n")
	fmt.Printf("%d pairs of files at once, %d lost drivers, %s\n", most, st.LostRings, driver)
	return s.Close()
}

// callAll makes calls on all workers at once.
func callAll(all []worker, seed int) error {
	errs := make(chan error, 64)
	for g := range cap(errs) {
		go func() {
			r := rand.New(rand.NewPCG(uint64(seed), uint64(g)))
			var err error
			for i := 0; i < 10 && err == nil; i++ {
				err = all[r.IntN(len(all))].call(r)
			}
			errs <- err
		}()
	}
	var wrong []error
	for range cap(errs) {
		wrong = append(wrong, <-errs)
	}
	return errors.Join(wrong...)
}

// TestStopped stops a process under load with SIGSTOP, and continues it with SIGCONT, many times.
func TestStopped(t *testing.T) {
	var made atomic.Int64
	defer func() { t.Logf("figure: %d stops", made.Load()) }()
	dir := places.Slow(t, 4000, 64<<20)
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			testenv.Scheduler(t, sluice.Options{Driver: driver}).Close() // skips without the driver
			r := seed.Rand(t)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), self, "-test.run=^$")
			cmd.Env = append(os.Environ(), testenv.ChildEnv+"=stopped", "SLUICE_DRIVER="+driver, testenv.DirEnv+"="+dir)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			input, err := cmd.StdinPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			for range *stops {
				time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
				cmd.Process.Signal(syscall.SIGSTOP)
				pause := r.IntN(20)
				if r.IntN(8) == 0 {
					pause = r.IntN(400)
				}
				time.Sleep(time.Duration(pause) * time.Millisecond)
				cmd.Process.Signal(syscall.SIGCONT)
				made.Add(1)
			}
			input.Close() // ends its load
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v: %s", err, out.String())
			}
			t.Log(strings.TrimSpace(out.String()))
		})
	}
}

// stopped is under load until its standard input ends.
func stopped() error {
	name, err := makePages(os.Getenv(testenv.DirEnv))
	if err != nil {
		return err
	}
	s, err := sluice.NewScheduler(sluice.Options{Driver: os.Getenv("SLUICE_DRIVER")})
	if err != nil {
		return err
	}
	w, err := newWorker(s, name)
	if err != nil {
		return err
	}
	var over atomic.Bool
	var made atomic.Int64
	errs := make(chan error, 64)
	for g := range cap(errs) {
		go func() {
			r := rand.New(rand.NewPCG(1, uint64(g)))
			var err error
			for err == nil && !over.Load() {
				err = w.call(r)
				made.Add(1)
			}
			errs <- err
		}()
	}
	os.Stdin.Read(make([]byte, 1))
	over.Store(true)
	var wrong []error
	for range cap(errs) {
		wrong = append(wrong, <-errs)
	}
	if n := s.Stats().LostRings; n > 0 {
		wrong = append(wrong, fmt.Errorf("%d drivers were lost: %s", n, s.Explain()))
	}
	fmt.Printf("%d calls\n", made.Load())
	return errors.Join(append(wrong, w.close(), s.Close())...)
}
