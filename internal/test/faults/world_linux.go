package faults

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// trouble is the failure of an operation: an error or, if errno is 0, a short count.
type trouble struct {
	errno   syscall.Errno
	forever bool // all later operations fail, too
}

func (w trouble) String() string {
	often := "once"
	if w.forever {
		often = "for ever"
	}
	if w.errno == 0 {
		return "a short count, " + often
	}
	return fmt.Sprintf("%s, %s", errnoName(w.errno), often)
}

func errnoName(e syscall.Errno) string {
	for name, errno := range errnos {
		if errno == e {
			return name
		}
	}
	return e.Error()
}

var errnos = map[string]syscall.Errno{
	"EIO": syscall.EIO, "ENOSPC": syscall.ENOSPC, "EDQUOT": syscall.EDQUOT, "EAGAIN": syscall.EAGAIN,
	"EINTR": syscall.EINTR, "ENOMEM": syscall.ENOMEM, "ECANCELED": syscall.ECANCELED,
}

// interruptions is how often "for ever" interrupts plain calls, because they are repeated until
// they succeed.
const interruptions = 5

// world is a workload's Scheduler and file, and the results that the workload got.
type world struct {
	t    *testing.T
	s    *sluice.Scheduler
	dir  string
	name string // the file

	what trouble
	at   int // the first operation with the trouble

	mu          sync.Mutex
	seen        int // operations so far
	hard        int // operations with an error that a call must return
	fatal       int // operations in hard that were no reads
	interrupted int // plain calls
	synced      int // syncs that did not fail
	// unread has the parts of files in which a read has failed since mark. A later read of the same
	// place removes them: package direct repeats reads that failed with EIO (xfs), and reads that
	// neighbours share.
	unread [][2]int64
	size   int64 // of the file

	// supervised says that another process decides about this process's system calls, and counts
	// them.
	supervised bool

	lossy bool // a sync has returned an error
	calls []string

	want  []byte // content of the file
	known []bool // for each byte, whether its value is certain
}

// sector is the smallest block of a direct file.
const sector = 512

const fileSize = 40*testenv.PageSize + 1000

// newWorld makes the file of a workload.
func newWorld(t *testing.T, dir string) *world {
	w := &world{t: t, dir: dir, name: filepath.Join(dir, "data"), want: testenv.Noise(fileSize), known: make([]bool, fileSize), size: fileSize}
	for i := range w.known {
		w.known[i] = true
	}
	if err := os.WriteFile(w.name, w.want, 0o600); err != nil {
		t.Fatal(err)
	}
	w.drop()
	return w
}

// outside calls do, which is not part of the workload: no operation fails until it returns.
func (w *world) outside(do func() error) {
	w.t.Helper()
	if w.supervised {
		ask(askStop)
		defer ask(askStart)
	}
	if err := do(); err != nil {
		w.t.Fatal(err)
	}
}

// drop removes the file from the page cache, so that operations read its bytes.
func (w *world) drop() {
	w.t.Helper()
	w.outside(func() error { return drop(w.name) })
}

func drop(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), testenv.DropCache(int(f.Fd())), f.Close())
}

// on returns a Scheduler on the driver. The trouble affects its operations and its plain calls.
func (w *world) on(drv driver.Driver) *sluice.Scheduler {
	decide := func(op *driver.Op) fault.Verdict {
		n, errno := w.next(op.Code, op.Off, len(op.Buf), op.Flags&driver.Direct != 0, false)
		return fault.Verdict{Errno: errno, Short: len(op.Buf) - n}
	}
	w.s = testenv.SchedulerOnWrapped(fault.New(drv, decide), func(call iopath.Caller) iopath.Caller {
		return func(code driver.Code, fd int, b []byte, off int64) int32 {
			n, errno := w.next(code, off, len(b), true, true)
			if errno != 0 {
				return -int32(errno)
			}
			return call(code, fd, b[:n], off)
		}
	})
	return w.s
}

// next decides about the next operation on n bytes: its error, or how many bytes it transfers.
func (w *world) next(code driver.Code, off int64, n int, aligned, plain bool) (int, syscall.Errno) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.seen
	w.seen++
	place := [2]int64{off, off + int64(n)}
	hit := at == w.at || w.what.forever && at > w.at
	errno := w.what.errno
	if hit && errno == syscall.EINTR && plain {
		w.interrupted++
		hit = w.interrupted <= interruptions
	}
	if !hit || errno == 0 {
		if code == driver.Fsync || code == driver.Fdatasync {
			w.synced++
		}
		if code == driver.Read {
			w.unread = slices.DeleteFunc(w.unread, func(p [2]int64) bool { return p[0] < place[1] && place[0] < p[1] })
		}
		if hit {
			n = shorter(n, aligned)
		}
		return n, 0
	}
	begun := plain
	if !plain {
		switch errno {
		case syscall.EAGAIN, syscall.ECANCELED: // the driver has not begun the operation
		case syscall.ENOMEM: // a transfer is made again; an fsync might miss a loss
			begun = code == driver.Fsync || code == driver.Fdatasync
		default:
			begun = true
		}
	}
	if errno != syscall.EINTR && begun {
		w.hard++
		switch {
		case code == driver.Read && off == w.size && place[1]%sector == 0 && n < sector:
			// A stream has all bytes of the last sector, and asks for the rest. It takes the file's
			// end from fstat.
		case code == driver.Read:
			w.unread = append(w.unread, place)
		default:
			w.fatal++
		}
	}
	return n, errno
}

// shorter returns a short count for a transfer of n bytes.
func shorter(n int, aligned bool) int {
	switch {
	case !aligned:
		return max(n/2, min(n, 1))
	case n > testenv.PageSize:
		return (n-1)/testenv.PageSize/2*testenv.PageSize + testenv.PageSize*b2i(n <= 2*testenv.PageSize)
	}
	return n
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mark is a moment, with the failures until then.
type mark struct{ hard, fatal, synced int }

func (w *world) mark() mark {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unread = nil
	if w.supervised {
		return mark{hard: ask(askMay), fatal: ask(askMust)}
	}
	return mark{w.hard, w.fatal, w.synced}
}

// since reports the events since m: whether a call may return an error, whether one must, and
// whether a sync was made.
func (w *world) since(m mark) (may, must, synced bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.supervised {
		// The sync of a ring is no system call.
		return ask(askMay) > m.hard, ask(askMust) > m.fatal, true
	}
	return w.hard > m.hard, w.fatal > m.fatal || len(w.unread) > 0, w.synced > m.synced
}

// unanswered returns how many fstats of the workload's files have failed. An open must return the
// error: without fstat the library does not know how to use the file.
func (w *world) unanswered() int {
	if w.supervised {
		return ask(askUnanswered)
	}
	return 0
}

func (w *world) wrong(format string, args ...any) {
	w.t.Helper()
	w.t.Errorf("%s from operation %d on: %s\nthe calls: %q", w.what, w.at, fmt.Sprintf(format, args...), w.calls)
}

// ended judges the error of a call, which may or must have one. It reports whether the call has
// succeeded.
func (w *world) ended(call string, err error, may, must bool) bool {
	w.t.Helper()
	w.calls = append(w.calls, fmt.Sprint(call, ": ", err))
	switch {
	case err != nil && !errors.Is(err, w.what.errno):
		w.wrong("%s = %v", call, err)
	case must && err == nil:
		w.wrong("an operation has failed, and %s = nil", call)
	case !may && err != nil:
		w.wrong("no operation has failed, and %s = %v", call, err)
	}
	return err == nil
}

// call makes a call that only returns errors of its operations.
func (w *world) call(what string, do func() error) bool {
	w.t.Helper()
	before := w.mark()
	err := do()
	may, must, _ := w.since(before)
	return w.ended(what, err, may, must)
}

// asks makes a call that needs an answer from the system.
func (w *world) asks(what string, do func() error) {
	w.t.Helper()
	before := w.mark()
	err := do()
	may, _, _ := w.since(before)
	w.ended(what, err, may, may)
}

// sync makes a call that syncs. After a failed sync all later syncs must fail: data may be lost.
func (w *world) sync(what string, do func() error) {
	w.t.Helper()
	before := w.mark()
	err := do()
	may, must, made := w.since(before)
	w.ended(what, err, may || w.lossy, must || w.lossy)
	if err == nil && !made {
		w.wrong("%s = nil, and has synced nothing", what)
	}
	w.lossy = w.lossy || err != nil
}

// wrote records a write of b at off with n acknowledged bytes.
func (w *world) wrote(b []byte, off int64, n int, err error) {
	w.t.Helper()
	if n < 0 || n > len(b) || n < len(b) && err == nil {
		w.wrong("a write of %d bytes = %d, %v", len(b), n, err)
		return
	}
	w.set(b[:n], off)
	w.forget(off+int64(n), len(b)-n)
}

func (w *world) set(b []byte, off int64) {
	for int64(len(w.want)) < off+int64(len(b)) {
		w.want, w.known = append(w.want, 0), append(w.known, true)
	}
	w.mu.Lock()
	w.size = int64(len(w.want))
	w.mu.Unlock()
	copy(w.want[off:], b)
	for i := range b {
		w.known[off+int64(i)] = true
	}
}

// forget records that n bytes at off may be anything.
func (w *world) forget(off int64, n int) {
	for i := off; i < min(off+int64(n), int64(len(w.known))); i++ {
		w.known[i] = false
	}
}

// same requires that b, which was read at off, is the file's content.
func (w *world) same(what string, b []byte, off int64) {
	w.t.Helper()
	if off+int64(len(b)) > int64(len(w.want)) {
		return // unacknowledged bytes may have made the file longer
	}
	for i, c := range b {
		if at := off + int64(i); w.known[at] && w.want[at] != c {
			w.wrong("%s: byte %d is %#x; want %#x", what, at, c, w.want[at])
			return
		}
	}
}

// read makes a call that reads into b at off. Bytes of b after the counted ones, and bytes after b,
// must be unchanged.
func (w *world) read(what string, size int, off int64, do func(b []byte) (int, error)) bool {
	w.t.Helper()
	b := testenv.AlignedBytes(size + 64)
	tail := b[size:]
	for i := range tail {
		tail[i] = 0xa5
	}
	var n int
	good := w.call(what, func() (err error) {
		n, err = do(b[:size:size])
		return err
	})
	if n < 0 || n > size || good && n != size {
		w.wrong("%s of %d bytes = %d", what, size, n)
		return good
	}
	w.same(what, b[:n], off)
	if bytes.Count(tail, []byte{0xa5}) != len(tail) {
		w.wrong("%s has changed bytes behind its buffer", what)
	}
	return good
}

// write makes a call that writes size bytes at off.
func (w *world) write(what string, size int, off int64, do func(b []byte) (int, error)) {
	w.t.Helper()
	b := testenv.AlignedBytes(size)
	for i := range b {
		b[i] = testenv.Pattern(off+int64(i)) ^ byte(len(w.calls))
	}
	var n int
	var err error
	w.call(what, func() error {
		n, err = do(b)
		return err
	})
	w.wrote(b, off, n, err)
}

// compare reads the file with package os.
func (w *world) compare() {
	w.t.Helper()
	got, err := os.ReadFile(w.name)
	if err != nil {
		w.t.Fatal(err)
	}
	for i := len(got); i < len(w.want); i++ {
		if w.known[i] {
			w.wrong("the file has %d bytes; byte %d was acknowledged", len(got), i)
			return
		}
	}
	w.same("the whole file", got[:min(len(got), len(w.want))], 0)
}

// idle requires that the Scheduler holds nothing.
func (w *world) idle() {
	w.t.Helper()
	core := inside.Scheduler(w.s).Core
	var held string
	w.settles(func() bool {
		st := w.s.Stats()
		permits, wait := core.Devices().InUse()
		named, namedWait := core.Names()
		held = fmt.Sprintf("%d bytes of buffers, %d operations, %d and %d permits; %d and %d wait",
			st.BuffersInUse, st.InFlight, permits, named, wait, namedWait)
		return st.BuffersInUse == 0 && st.InFlight == 0 && permits+named+wait+namedWait == 0
	}, func() string { return "the Scheduler holds " + held })
}

// settles requires that ok soon returns true.
func (w *world) settles(ok func() bool, what func() string) {
	w.t.Helper()
	for range int(hangs / 2 / time.Millisecond) { // before watch ends the process
		if ok() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	w.wrong("in the end %s", what())
}

// hangs is the time after which a run counts as hanging.
const hangs = 5 * time.Second

// watch ends the process with all stacks if the run takes too long. It counts ticks, so that time
// in which the whole process is stopped does not count.
func watch(what string) (stop func()) {
	done := make(chan bool)
	var ended sync.WaitGroup
	ended.Go(func() {
		const tick = 50 * time.Millisecond
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		for range int(hangs / tick) {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
		}
		debug.SetTraceback("all")
		panic(what + " hangs")
	})
	return func() { close(done); ended.Wait() }
}
