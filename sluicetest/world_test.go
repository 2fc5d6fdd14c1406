package sluicetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/batch"
	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/driver/sim"
	"github.com/sluiceio/sluice/internal/inside"
)

// world is a disk with a Scheduler, files, and actors that use them. A seed decides everything.
type world struct {
	t     *testing.T
	r     *rand.Rand // for the setup; each actor has its own
	disk  *Disk
	start time.Time
	files []*worldFile
	// punctual is set if a read must return soon when its context ends. No operation is a plain
	// call then, because the driver is uring and nothing fails.
	punctual bool
	static   *cache.File // its contents are known; actors read it through a cache
	cache    *cache.Cache
	actors   int
	// narrow: contexts end at any step, and unless roomy is true there is room for few operations
	// and threads.
	narrow bool
	roomy  bool // a frozen device must not hold up calls to others
	hasty  bool // most contexts end, and there are one or two threads

	mu      sync.Mutex // guards the rest; held for moments
	events  int        // counts events
	ops     int
	log     io.Writer // the events, in a form that can be compared
	lines   []string  // the same, if keep is true
	keep    bool
	failure string
	classes []*sluice.Class
}

// diskFile has the methods that a world needs of File and direct.File.
type diskFile interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Name() string
	Stat() (os.FileInfo, error)
	ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error)
	WriteAtContext(ctx context.Context, b []byte, off int64) (n int, err error)
	Truncate(size int64) error
	Allocate(off, n int64) error
	PunchHole(off, n int64) error
	Sync() error
	SyncContext(ctx context.Context) error
	Datasync() error
	DatasyncContext(ctx context.Context) error
}

// worldFile is a file of a world. Its handle is replaced when an actor reopens it.
type worldFile struct {
	name   string
	direct bool
	mu     sync.Mutex // guards the rest; held for moments
	handle diskFile
	model  *fileModel
	// reopening counts the handles that are being closed. A sync of theirs may fail yet, and the
	// next handle does not know it.
	reopening int
}

// regionCells is how many cells an actor has in each file. Regions do not begin at block
// boundaries.
const regionCells = 70

// spacing is the distance of instants; see sim. Each goroutine of a world has its own instants.
const (
	spacing      = 64
	atActor      = 1  // the first actor; the next numbers follow
	atDeadline   = 32 // deadlines of the first actor
	atChaos      = 62
	atMain       = 63
	mostActors   = 6
	mostInBurst  = 16
	mostWait     = 30 * time.Minute // of the bubble's time; all operations must end in it
	mostLatency  = 5 * time.Millisecond
	smallLatency = 50 * time.Microsecond
)

// sleep sleeps for about d, until an instant of that residue.
func (w *world) sleep(d time.Duration, residue int) {
	time.Sleep(w.instant(d, residue))
}

// instant returns the time until an instant of that residue, about d from now.
func (w *world) instant(d time.Duration, residue int) time.Duration {
	now := time.Since(w.start)
	at := (now+d)/spacing*spacing + time.Duration(residue)
	for at <= now {
		at += spacing
	}
	return at - now
}

// note adds to the log.
func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	line := fmt.Sprintf("%v ", time.Since(w.start)) + fmt.Sprintf(format, args...)
	fmt.Fprintln(w.log, line)
	if w.keep {
		w.lines = append(w.lines, line)
	}
}

// fail notes the first failure.
func (w *world) fail(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failure == "" {
		w.failure = fmt.Sprintf(format, args...)
	}
}

// tick counts an event, and returns the count.
func (w *world) tick() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events++
	return w.events
}

// outcome is the result of a world's run.
type outcome struct {
	failure string
	hash    uint64
	lines   []string
	ops     int
}

// runWorld runs the world of a seed in a bubble. With keep the world keeps its log.
func runWorld(t *testing.T, seed uint64, keep bool, run func(w *world, seed uint64)) (o outcome) {
	// A goroutine that waits otherwise than a bubble knows, as for a mutex, keeps it from ever
	// ending.
	hangs := time.AfterFunc(20*time.Minute, func() { panic(fmt.Sprintf("the world of seed %d hangs", seed)) })
	defer hangs.Stop()
	defer func() {
		if p := recover(); p != nil { // synctest panics where goroutines wait for ever
			o.failure = fmt.Sprintf("%s panic: %v", o.failure, p)
		}
	}()
	synctest.Test(t, func(t *testing.T) {
		h := fnv.New64a()
		w := &world{t: t, r: rand.New(rand.NewPCG(seed, 7)), start: time.Now(), log: h, keep: keep}
		run(w, seed)
		o = outcome{w.failure, h.Sum64(), w.lines, w.ops}
	})
	return o
}

func (w *world) run(seed uint64) {
	r := w.r
	w.build(seed)
	var all sync.WaitGroup
	ended := make(chan struct{})
	for a := range w.actors {
		r := rand.New(rand.NewPCG(seed, 100+uint64(a)))
		all.Go(func() { (&actor{w, r, a}).act() })
	}
	chaos, stop := make(chan struct{}), make(chan struct{})
	go func() { defer close(chaos); w.disturb(rand.New(rand.NewPCG(seed, 99)), stop) }()
	go func() { defer close(ended); all.Wait() }()

	w.sleep(time.Duration(r.Int64N(int64(200*time.Millisecond))), atMain)
	synctest.Wait()
	close(stop)
	<-chaos
	crash := r.IntN(2) == 0
	if crash {
		w.note("crash")
		w.crash()
	}
	w.disk.disk.Well() // from here on all operations must end
	limit := time.NewTimer(mostWait)
	defer limit.Stop()
	select {
	case <-ended:
	case <-limit.C:
		w.fail("the disk answers, and after %v not all calls have ended", mostWait)
		w.disk.disk.Crash()
		<-ended
	}
	w.end(crash)
}

// build makes the disk, the Scheduler and the files.
func (w *world) build(seed uint64) {
	r := w.r
	pick := func(of ...float64) float64 { return of[r.IntN(len(of))] }
	o := sim.Options{
		Seed: seed, Timed: true, Devices: 1 + r.IntN(3), Cached: pick(0, 0.5, 0.9), Short: pick(0, 0, 0.2),
		Latency: []time.Duration{smallLatency, mostLatency}[r.IntN(2)],
		Errnos:  []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EAGAIN, syscall.EINTR, syscall.ECANCELED},
	}
	fail := pick(0, 0.01, 0.05)
	driver := []string{"uring", "aio", "pool"}[r.IntN(3)]
	w.punctual = driver == "uring" && fail == 0
	so := sluice.Options{
		Driver: driver, Depth: 1 << r.IntN(6), Rings: 1 + r.IntN(3),
		Threads: r.IntN(9), BufferMemory: 8 << 20,
	}
	w.actors = 1 + r.IntN(mostActors)
	if w.narrow {
		so.Depth, so.Threads = 1<<r.IntN(3), 1+r.IntN(6)
		if w.hasty = r.IntN(3) == 0; w.hasty {
			so.Threads = 1 + r.IntN(2)
		} else if w.roomy = r.IntN(2) == 0; w.roomy {
			so.Depth, so.Threads, so.Rings, o.Devices = 64, 0, 1, 3
		}
		w.actors = 2 + r.IntN(mostInBurst-1)
		o.Latency = []time.Duration{0, smallLatency, mostLatency}[r.IntN(3)]
	}
	w.disk = newDisk(o, so)
	for i := range 1 + r.IntN(4) {
		f := &worldFile{name: fmt.Sprint("f", i), direct: r.IntN(2) == 0, model: newFileModel(w.actors * regionCells)}
		w.files = append(w.files, f)
		w.reopen(f)
	}
	w.buildStatic()
	if err := w.disk.SyncNames(); err != nil {
		w.fail("SyncNames = %v", err)
	}
	w.disk.disk.SetFail(fail)
}

// TestRingsOfDisk checks that a disk of several devices has as many rings as Options.Rings allows,
// and none under the pool.
func TestRingsOfDisk(t *testing.T) {
	for _, c := range []struct {
		driver      string
		rings, want int
	}{{"uring", 3, 3}, {"uring", 2, 2}, {"uring", 1, 1}, {"pool", 3, 1}} {
		synctest.Test(t, func(t *testing.T) {
			d := newDisk(sim.Options{Devices: 3}, sluice.Options{Driver: c.driver, Rings: c.rings})
			// A read whose context can end is no plain call by choice.
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for i := range 3 {
				f, err := d.Scheduler().OpenFile(fmt.Sprint("f", i), os.O_RDWR|os.O_CREATE, 0o666)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := f.WriteAt([]byte("x"), 0); err != nil {
					t.Fatal(err)
				}
				if _, err := f.ReadAtContext(ctx, make([]byte, 1), 0); err != nil {
					t.Fatal(err)
				}
			}
			if n := d.Scheduler().Stats().Rings; n != c.want {
				t.Errorf("%s with %d rings has %d for 3 devices; want %d", c.driver, c.rings, n, c.want)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

const staticSize = 40_000

func staticByte(i int) byte { return byte(i*7 + i/251) }

// buildStatic makes the file whose contents never change.
func (w *world) buildStatic() {
	f, err := direct.OpenOn(w.disk.Scheduler(), "static", os.O_RDWR|os.O_CREATE, 0o666)
	if err == nil {
		b := make([]byte, staticSize)
		for i := range b {
			b[i] = staticByte(i)
		}
		_, err = f.WriteAt(b, 0)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		w.cache, err = cache.New(cache.Options{Bytes: 64 << 10, Block: 4096})
	}
	if err != nil {
		w.t.Fatalf("the static file: %v", err)
	}
	w.static = w.cache.File(f)
}

// reopen replaces the handle of f.
func (w *world) reopen(f *worldFile) {
	var opened diskFile
	var err error
	if f.direct {
		opened, err = direct.OpenOn(w.disk.Scheduler(), f.name, os.O_RDWR|os.O_CREATE, 0o666)
	} else {
		opened, err = w.disk.Scheduler().OpenFile(f.name, os.O_RDWR|os.O_CREATE, 0o666)
	}
	if err != nil {
		w.note("open %s: %v", f.name, err)
		return // as after a crash; the old handle stays
	}
	f.mu.Lock()
	old := f.handle
	f.handle = opened
	if old == nil {
		f.mu.Unlock()
		return
	}
	f.reopening++
	f.mu.Unlock()
	err = old.Close()
	w.taint(f)
	w.note("reopened %s: %v", f.name, err)
}

// disturb freezes devices now and then, until stop is closed.
func (w *world) disturb(r *rand.Rand, stop chan struct{}) {
	for range 1 + r.IntN(10) {
		pause := time.NewTimer(w.instant(time.Duration(r.Int64N(int64(50*time.Millisecond))), atChaos))
		select {
		case <-stop:
			pause.Stop()
			return
		case <-pause.C:
		}
		switch r.IntN(5) {
		case 0:
			w.note("freeze all")
			w.disk.disk.Freeze()
		case 1, 2:
			w.note("freeze")
			w.disk.disk.Freeze(sim.FirstDevice + uint64(r.IntN(3)))
		default:
			w.note("thaw")
			w.disk.disk.Thaw()
		}
	}
	<-stop
}

// crash cuts the power, and checks the disk.
func (w *world) crash() {
	after := w.disk.disk.Crash()
	defer after.CloseImages()
	for _, f := range w.files {
		fd := after.Open(f.name)
		if fd < 0 {
			w.fail("%s is not there after a crash", f.name)
			continue
		}
		b := after.Contents(fd)
		after.CloseFile(fd)
		w.note("left of %s: %x", f.name, b)
		f.mu.Lock()
		err := f.model.onDisk(b)
		f.mu.Unlock()
		if err != nil {
			w.fail("%s after a crash: %v", f.name, err)
		}
	}
}

// end closes everything, and checks for leaks.
func (w *world) end(crashed bool) {
	if !crashed {
		for i, f := range w.files {
			for a := range w.actors {
				(&actor{w, w.r, a}).check(f, i)
			}
		}
	}
	for _, f := range w.files {
		if err := f.handle.Close(); err != nil {
			w.fail("Close of %s = %v", f.name, err)
		}
	}
	if err := errors.Join(w.static.Close(), w.cache.Close()); err != nil {
		w.fail("Close of the cache: %v", err)
	}
	// A goroutine that has helped a Batch may give its permit back after the Batch has returned.
	synctest.Wait()
	core := inside.Scheduler(w.disk.Scheduler()).Core
	st := core.Stats()
	if st.InFlight != 0 || st.Blocked != 0 {
		w.fail("at the end %d operations are in flight, and %d threads wait", st.InFlight, st.Blocked)
	}
	permits, _ := core.Devices().InUse()
	if named, _ := core.Names(); permits != 0 || named != 0 {
		w.fail("at the end %d permits are taken, and %d for names", permits, named)
	}
	for _, d := range core.Devices().All() {
		if queued, syncing := d.Queued.Load(), d.Syncing.Load(); queued != 0 || syncing != 0 {
			w.fail("at the end %d operations count as queued, and %d fsyncs as in progress", queued, syncing)
		}
	}
	if err := w.disk.Close(); err != nil {
		w.fail("Close of the Scheduler = %v", err)
	}
}

// actor is a goroutine that uses the files of a world.
type actor struct {
	*world
	r  *rand.Rand
	me int
}

// act makes some operations.
func (a *actor) act() {
	for range 5 + a.r.IntN(20) {
		a.sleep(time.Duration(a.r.Int64N(int64(20*time.Millisecond))), atActor+a.me)
		i := a.r.IntN(len(a.files))
		a.step(a.files[i], i)
		a.mu.Lock()
		a.ops++
		a.mu.Unlock()
	}
}

// context returns a context that may end.
func (a *actor) context() (context.Context, context.CancelFunc) {
	ctx := context.Background()
	a.mu.Lock()
	if n := len(a.classes); n > 0 && a.r.IntN(2) == 0 {
		ctx = sluice.WithClass(ctx, a.classes[a.r.IntN(n)])
	}
	a.mu.Unlock()
	if a.hasty && a.r.IntN(3) > 0 {
		return a.canceled(ctx)
	}
	if a.r.IntN(3) > 0 {
		return ctx, func() {}
	}
	if a.narrow && a.r.IntN(2) == 0 {
		return a.canceled(ctx)
	}
	return context.WithDeadline(ctx, time.Now().Add(a.instant(time.Duration(a.r.Int64N(int64(10*time.Millisecond))), atDeadline+a.me)))
}

// step makes one operation on f.
func (a *actor) step(f *worldFile, i int) {
	f.mu.Lock()
	h := f.handle
	f.mu.Unlock()
	switch k := a.r.IntN(20); {
	case k < 6:
		a.write(f, func(ctx context.Context, b []byte, off int64) (int, error) { return h.WriteAtContext(ctx, b, off) })
	case k < 7:
		a.write(f, func(_ context.Context, b []byte, off int64) (int, error) { return h.WriteAt(b, off) })
	case k < 10:
		a.check(f, i)
	case k < 13:
		a.commit(f, h)
	case k < 14:
		a.note("%d reopens %s", a.me, f.name)
		a.reopen(f)
	case k < 16:
		a.stream(f, h)
	case k < 18:
		a.readStatic()
	case k < 19:
		a.batch(f, h)
	default:
		a.class()
	}
}

// region returns a random part of the actor's region, in cells.
func (a *actor) region() (first, n int) {
	first = a.r.IntN(regionCells)
	n = 1 + a.r.IntN(regionCells-first)
	if a.r.IntN(2) == 0 {
		n = min(n, 3)
	}
	return a.me*regionCells + first, n
}

// write writes to a part of the actor's region.
func (a *actor) write(f *worldFile, write func(ctx context.Context, b []byte, off int64) (int, error)) {
	first, n := a.region()
	value := byte(1 + a.r.IntN(255))
	ctx, cancel := a.context()
	defer cancel()
	f.mu.Lock()
	f.model.begin(first, n, value)
	f.mu.Unlock()
	m, err := write(ctx, bytes.Repeat([]byte{value}, n*cellSize), int64(first*cellSize))
	now := a.tick()
	f.mu.Lock()
	f.model.end(first, n, m, now)
	f.mu.Unlock()
	a.note("%d writes %d to %s, cells %d+%d: %d, %v", a.me, value, f.name, first, n, m, err)
	if err == nil && m != n*cellSize {
		a.fail("a write of %d bytes = %d, nil", n*cellSize, m)
	}
	a.expected("write", err)
}

// expected checks that an error is one of the allowed ones.
func (a *actor) expected(what string, err error) {
	for _, e := range []error{
		nil, syscall.EIO, syscall.ENOSPC, syscall.EAGAIN, context.DeadlineExceeded, context.Canceled, os.ErrClosed, io.EOF,
	} {
		if errors.Is(err, e) {
			return
		}
	}
	a.fail("%s: %v", what, err)
}

// check reads the actor's region, and compares it.
func (a *actor) check(f *worldFile, _ int) {
	f.mu.Lock()
	h := f.handle
	f.mu.Unlock()
	ctx, cancel := a.context()
	defer cancel()
	first, n := a.region()
	b := make([]byte, n*cellSize)
	m, err := h.ReadAtContext(ctx, b, int64(first*cellSize))
	a.note("%d reads %s, cells %d+%d: %d, %v", a.me, f.name, first, n, m, err)
	if at, ok := ctx.Deadline(); ok && a.punctual && time.Since(at) > 2*mostLatency {
		a.fail("a read has returned %v after its deadline", time.Since(at))
	}
	a.expected("read", err)
	a.compare(f, b[:m], first*cellSize, "read")
	if errors.Is(err, io.EOF) {
		a.compare(f, make([]byte, len(b)-m), first*cellSize+m, "end of file")
	}
}

func (a *actor) compare(f *worldFile, b []byte, off int, what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.model.read(b, off); err != nil {
		a.fail("%s of %s by actor %d: %v", what, f.name, a.me, err)
	}
}

// commit syncs f. When it returns nil, the synced writes must be on the disk.
func (a *actor) commit(f *worldFile, h diskFile) {
	ctx, cancel := a.context()
	defer cancel()
	f.mu.Lock()
	same := f.handle == h
	f.mu.Unlock()
	begun := a.tick()
	sync := h.SyncContext
	if a.r.IntN(3) == 0 {
		sync = h.DatasyncContext
	}
	err := sync(ctx)
	a.note("%d syncs %s: %v", a.me, f.name, err)
	a.expected("sync", err)
	if err == nil && same {
		a.synced(f, begun)
	}
}

// synced notes that a sync of f has returned nil, and asks the disk.
func (a *actor) synced(f *worldFile, begun int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reopening > 0 {
		return
	}
	f.model.sync(begun)
	fd := a.disk.disk.Open(f.name)
	defer a.disk.disk.CloseFile(fd)
	if err := f.model.onDisk(a.disk.disk.Durable(fd)); err != nil {
		a.fail("%s after a sync by actor %d has returned nil: %v", f.name, a.me, err)
	}
}

// taint notes that a handle of f was closed. If a sync has failed, the next handle does not know
// it.
func (w *world) taint(f *worldFile) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reopening--
	fd := w.disk.disk.Open(f.name)
	defer w.disk.disk.CloseFile(fd)
	f.model.tainted = f.model.tainted || w.disk.disk.FailedSyncs(fd) > 0
}

// stream reads or writes the actor's region by a stream.
func (a *actor) stream(f *worldFile, h diskFile) {
	d, ok := h.(*direct.File)
	if !ok {
		a.batch(f, h)
		return
	}
	size := 4096 << a.r.IntN(3)
	if a.r.IntN(2) == 0 {
		a.write(f, func(ctx context.Context, b []byte, off int64) (int, error) {
			s, err := d.NewWriter(ctx, direct.WriterOptions{BufferSize: size, WriteBehind: 1 + a.r.IntN(4), Start: off})
			if err != nil {
				return 0, err
			}
			_, err = s.Write(b)
			if err = errors.Join(err, s.Close()); err != nil {
				return 0, err
			}
			return len(b), nil
		})
		return
	}
	ctx, cancel := a.context()
	defer cancel()
	s, err := d.NewReader(ctx, direct.ReaderOptions{BufferSize: size, ReadAhead: 1 + a.r.IntN(4)})
	if err != nil {
		a.expected("NewReader", err)
		return
	}
	b, err := io.ReadAll(s)
	a.note("%d streams %s: %d, %v", a.me, f.name, len(b), err)
	a.expected("stream", err)
	from := a.me * regionCells * cellSize
	if len(b) > from {
		a.compare(f, b[from:min(len(b), from+regionCells*cellSize)], from, "stream")
	}
	if err := s.Close(); err != nil {
		a.expected("Close of a stream", err)
	}
}

// readStatic reads through the cache.
func (a *actor) readStatic() {
	ctx, cancel := a.context()
	defer cancel()
	off := a.r.IntN(staticSize)
	b := make([]byte, 1+a.r.IntN(10_000))
	m, err := a.static.ReadAtContext(ctx, b, int64(off))
	a.note("%d reads static at %d: %d of %d, %v", a.me, off, m, len(b), err)
	a.expected("read through the cache", err)
	for i, got := range b[:m] {
		if got != staticByte(off+i) {
			a.fail("byte %d of the static file = %d", off+i, got)
			return
		}
	}
	if err == nil && m != len(b) || errors.Is(err, io.EOF) && off+m != staticSize {
		a.fail("a read of %d bytes at %d through the cache = %d, %v", len(b), off, m, err)
	}
}

// batch writes, syncs and reads in one Batch.
func (a *actor) batch(f *worldFile, h diskFile) {
	file, ok := h.(*sluice.File)
	if !ok {
		a.readStatic()
		return
	}
	b, on := batch.New(a.disk.Scheduler()), batch.On(file)
	others := make([]byte, 300)
	for range a.r.IntN(4) {
		b.Chain().ReadAt(on, others, int64(a.r.IntN(len(f.model.cells)*cellSize))).AllowShort()
		others = make([]byte, 300)
	}
	var wrote, synced *batch.Op
	var begun int
	a.write(f, func(ctx context.Context, p []byte, off int64) (int, error) {
		c := b.Chain()
		wrote = c.WriteAt(on, p, off)
		if a.r.IntN(2) == 0 {
			c = b.Chain()
		}
		synced = c.Datasync(on)
		begun = a.tick()
		_ = b.Do(ctx) // each Op has its error
		return wrote.N(), wrote.Err()
	})
	a.note("%d syncs %s in a Batch: %v", a.me, f.name, synced.Err())
	f.mu.Lock()
	same := f.handle == h
	f.mu.Unlock()
	if synced.Err() == nil && same {
		a.synced(f, begun)
	}
}

// class adds a class, or removes one.
func (a *actor) class() {
	a.mu.Lock()
	n := len(a.classes)
	a.mu.Unlock()
	if n > 0 && a.r.IntN(3) == 0 {
		a.mu.Lock()
		k := a.r.IntN(n)
		c := a.classes[k]
		a.mu.Unlock()
		err := c.Remove()
		a.note("%d removes class %d: %v", a.me, k, err)
		return
	}
	o := sluice.ClassOptions{Weight: 1 + a.r.IntN(1000)}
	switch a.r.IntN(4) {
	case 0:
		o.IOPS = 100 + a.r.Int64N(1000)
	case 1:
		o.BytesPerSecond = 1<<20 + a.r.Int64N(1<<24)
	case 2:
		o.Depth = 1 + a.r.IntN(4)
	}
	c, err := a.disk.Scheduler().Class(fmt.Sprint("class", a.r.IntN(8)), o)
	a.note("%d adds a class: %v", a.me, err)
	if err == nil {
		a.mu.Lock()
		a.classes = append(a.classes, c)
		a.mu.Unlock()
	}
}
