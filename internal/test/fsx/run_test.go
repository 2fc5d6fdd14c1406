package fsx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/cache"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

const (
	mostSize = 256 << 10 // 256 KiB: the longest file
	// smallSize is the file's size in a small round: three pages and a part of one.
	smallSize = 3*testenv.PageSize + 1000
	guard     = 64 // bytes on each side of a buffer that must not change
	slots     = 3  // handles without the one that appends
)

// round is a file, its handles, and the operations on it.
type round struct {
	t       *testing.T
	s       *sluice.Scheduler
	kind    string
	name    string
	model   *model
	cache   *cache.Cache
	handles [slots]*handle
	appends *handle // nil if the kind has none
	small   bool    // many short writes in few blocks, concurrent in one block
	history history
	left    atomic.Int64 // operations that have not begun
	failed  atomic.Bool
	fatal   sync.Once // guards the report: only the first counts
}

// handle is a place for an open file, which is sometimes closed and opened again.
type handle struct {
	mu   sync.RWMutex // held for writing by reopen until the new file is in place
	face face
}

// kinds are ways to use a file. In a mixed round one goroutine uses all of them: ways that bypass
// each other's caches cannot be used concurrently.
var kinds = []string{"file", "direct", "stream", "cache", "mapped", "mixed"}

func newRound(t *testing.T, s *sluice.Scheduler, kind, name string, r *rand.Rand) *round {
	w := &round{t: t, s: s, kind: kind, name: name, model: newModel(mostSize)}
	if kind == "cache" || kind == "mixed" {
		c, err := cache.New(cache.Options{Bytes: 64<<10 + r.Int64N(512<<10), Block: 4096 << r.IntN(3)})
		if err != nil {
			t.Fatal(err)
		}
		w.cache = c
	}
	for i := range w.handles {
		w.handles[i] = &handle{face: w.open(r, i)}
	}
	if kind == "file" || kind == "mapped" {
		w.appends = &handle{face: w.open(r, slots)}
	}
	return w
}

// open opens the file for slot i.
func (w *round) open(r *rand.Rand, i int) face {
	kind := w.kind
	if kind == "mixed" {
		kind = []string{"file", "direct", "cache"}[i]
		if i == 0 && r.IntN(2) == 0 {
			kind = "mapped"
		}
		if i == 1 && r.IntN(2) == 0 {
			kind = "stream"
		}
	}
	flag := os.O_CREATE
	if r.IntN(16) == 0 {
		flag |= os.O_SYNC
	}
	var f face
	var err error
	switch {
	case i == slots:
		f, err = openFile(w.s, w.name, flag|os.O_APPEND)
	case kind == "file":
		f, err = openFile(w.s, w.name, flag)
	case kind == "mapped":
		f, err = openMapped(w.s, w.name)
	case kind == "cache":
		f, err = openCache(w.s, w.cache, w.name)
	default:
		f, err = openDirect(w.s, w.name, kind == "stream")
	}
	if err != nil {
		w.fail("open as %s: %v", kind, err)
	}
	return f
}

// run performs n operations with some goroutines. At the end it compares the file with the model.
func (w *round) run(n int, rands []*rand.Rand) {
	w.left.Store(int64(n))
	var running sync.WaitGroup
	for g, r := range rands {
		running.Go(func() {
			// A fault in mapped memory ends the round, not the process.
			defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
			defer func() {
				if p := recover(); p != nil {
					w.fail("panic: %v\n%s", p, debug.Stack())
				}
			}()
			u := &user{round: w, r: r, g: g, mem: testenv.AlignedBytes(mostSize + 3*testenv.PageSize)}
			for !w.failed.Load() && w.left.Add(-1) >= 0 {
				u.step()
			}
		})
	}
	running.Wait()
	if !w.failed.Load() {
		w.compare()
	}
	for _, h := range append(w.handles[:], w.appends) {
		if h != nil && h.face != nil {
			if err := h.face.Close(); err != nil {
				w.fail("Close = %v", err)
			}
		}
	}
	if w.cache != nil {
		if err := w.cache.Close(); err != nil {
			w.fail("Close of the cache = %v", err)
		}
	}
	if !w.failed.Load() {
		w.compare()
	}
	os.Remove(w.name)
}

// compare compares the file, read by package os, with the model.
func (w *round) compare() {
	s, size := w.model.lock(true, all)
	defer w.model.unlock(s, -1)
	got, err := os.ReadFile(w.name)
	if err != nil {
		w.fail("reading the whole file with package os: %v", err)
		return
	}
	if int64(len(got)) != size {
		w.wrong(min(size, int64(len(got))), "the file has %d bytes; want %d", len(got), size)
		return
	}
	w.same(got, 0, "the whole file, read with package os")
}

// same compares b, which was read at off, with the model.
func (w *round) same(b []byte, off int64, what string) {
	want := w.model.data[off:][:len(b)]
	if bytes.Equal(b, want) {
		return
	}
	first, last, n := -1, 0, 0
	for i := range b {
		if b[i] != want[i] {
			if first < 0 {
				first = i
			}
			last = i
			n++
		}
	}
	at := off + int64(first)
	w.wrong(at, "%s: %d of %d bytes at %d are wrong, from %d (%#x) to %d; got % x, want % x\n%s", what, n, len(b), off,
		at, at, off+int64(last), b[first:min(first+8, len(b))], want[first:min(first+8, len(b))],
		w.history.origin(b, off, at))
}

// fail reports an error of an operation, and ends the round.
func (w *round) fail(format string, args ...any) { w.wrong(-1, format, args...) }

// wrong is fail with the operations on the byte at at.
func (w *round) wrong(at int64, format string, args ...any) {
	w.failed.Store(true)
	w.fatal.Do(func() {
		text := fmt.Sprintf(format, args...)
		if at >= 0 {
			text += fmt.Sprintf("\nthe last operations on byte %d:\n%s", at, w.history.on(at))
		}
		w.t.Errorf("%s\nthe last operations:\n%s", text, w.history.last(20))
	})
}

// user is a goroutine that uses the file.
type user struct {
	*round
	r   *rand.Rand
	g   int
	mem []byte // for data, at a page's start
}

// number returns a random number up to most, often near whole sectors and pages.
func (u *user) number(most int64) int64 {
	n := u.r.Int64N(most + 1)
	if u.r.IntN(4) > 0 {
		n = u.r.Int64N(min(most, 32<<10) + 1) // 32 KiB
	}
	switch unit := int64(512) << (3 * u.r.IntN(2)); u.r.IntN(4) {
	case 0:
		n = n / unit * unit
	case 1:
		n = n/unit*unit + u.r.Int64N(5) - 2
	}
	return min(max(n, 0), most)
}

// place returns a random part of the longest file, often of aligned blocks.
func (u *user) place() (off, n int64) {
	if u.small {
		off = u.r.Int64N(smallSize)
		return off, u.r.Int64N(min(smallSize-off, 300) + 1)
	}
	off = u.r.Int64N(mostSize)
	if u.r.IntN(2) == 0 {
		unit := int64(512) << (3 * u.r.IntN(2))
		off = off / unit * unit
	}
	return off, u.number(min(mostSize-off, 96<<10)) // 96 KiB
}

// buffer returns n bytes of memory, aligned or not, between two guards.
func (u *user) buffer(n int64) []byte {
	at := int64(testenv.PageSize)
	switch u.r.IntN(4) {
	case 0:
		at += u.r.Int64N(testenv.PageSize)
	case 1:
		at += 512 * u.r.Int64N(8)
	}
	u.poison(u.mem[at-guard : at])
	u.poison(u.mem[at+n : at+n+guard])
	return u.mem[at : at+n : at+n]
}

const poison = 0xa5

func (u *user) poison(b []byte) {
	for i := range b {
		b[i] = poison
	}
}

// guarded reports whether the bytes around b are as buffer left them.
func (u *user) guarded(b []byte) bool {
	if len(b) > 0 {
		at := int(uintptr(unsafe.Pointer(&b[0])) - uintptr(unsafe.Pointer(&u.mem[0])))
		return clean(u.mem[at-guard:at]) && clean(u.mem[at+len(b):at+len(b)+guard])
	}
	return true
}

func clean(b []byte) bool { return bytes.Count(b, []byte{poison}) == len(b) }

// step performs one operation.
func (u *user) step() {
	i := u.r.IntN(slots)
	h := u.handles[i]
	k := u.r.IntN(64)
	if u.small && k >= 44 && u.r.IntN(8) > 0 {
		k = 26 // operations that lock the end or the whole file are rare
	}
	switch {
	case k < 26:
		u.read(h, i)
	case k < 44:
		u.write(h, i)
	case k < 48:
		u.append(i)
	case k < 51:
		u.truncate(h, i)
	case k < 53:
		u.punch(h, i)
	case k < 55:
		u.allocate(h, i)
	case k < 57:
		u.sync(h, i)
	case k < 59:
		u.hint(h, i)
	case k < 60:
		u.reopen(i)
	case k < 62:
		u.sizes(h, i)
	case k < 63:
		u.beside(h, i)
	default:
		if u.r.IntN(16) == 0 {
			u.compare()
		}
	}
}

// with calls do with the handle's open file. If the file was closed during the call, it calls do
// again with the new one.
func (h *handle) with(do func(f face) error) error {
	for {
		f := h.open()
		err := do(f)
		if !errors.Is(err, os.ErrClosed) || h.open() == f {
			return err
		}
	}
}

func (h *handle) open() face {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.face
}

func (u *user) read(h *handle, i int) {
	off, n := u.place()
	b := u.buffer(n)
	u.poison(b)
	s, size := u.model.lock(false, reading(off, n))
	defer u.model.unlock(s, -1)
	e := u.history.begin(u.g, i, "read", off, n)
	var got int
	err := h.with(func(f face) (err error) {
		if m, ok := f.(*mappedFace); ok && n > 0 && off+n <= size && u.r.IntN(4) > 0 {
			got, err = m.readMapped(u.r, b, off)
		} else {
			got, err = f.read(u.r, b, off)
		}
		return err
	})
	u.judge(e, b, got, err, off, size)
}

// judge compares the result of a read.
func (u *user) judge(e *event, b []byte, n int, err error, off, size int64) {
	e.end(n, err)
	want := min(len(b), int(max(0, size-off)))
	var wantErr error
	if want < len(b) {
		wantErr = io.EOF
	}
	switch {
	case n != want, err != wantErr && len(b) > 0:
		u.wrong(off, "%s = %d, %v; want %d, %v; the size is %d", e, n, err, want, wantErr, size)
	case !u.guarded(b):
		u.wrong(off, "%s has changed bytes outside of its buffer", e)
	default:
		u.same(b[:n], off, e.String())
	}
}

func (u *user) write(h *handle, i int) {
	off, n := u.place()
	b := u.buffer(n)
	s, size := u.model.lock(true, writing(off, n))
	e := u.history.begin(u.g, i, "write", off, n)
	testenv.Fill(b, off, e.id)
	var got int
	err := h.with(func(f face) (err error) {
		got, err = f.write(u.r, b, off)
		return err
	})
	u.written(e, b, got, err, off)
	after := int64(-1)
	if n > 0 && off+n > size {
		clear(u.model.data[size:max(size, off)])
		after = off + n
	}
	testenv.Fill(u.model.data[off:off+n], off, e.id)
	u.unchanged(e, b, off)
	u.model.unlock(s, after)
}

// written judges the result of a write.
func (u *user) written(e *event, b []byte, n int, err error, off int64) {
	e.end(n, err)
	if n != len(b) || err != nil {
		u.wrong(off, "%s = %d, %v; want %d", e, n, err, len(b))
	}
	u.others(e)
}

// unchanged checks that a write has not changed its buffer. model has the bytes.
func (u *user) unchanged(e *event, b []byte, off int64) {
	if !bytes.Equal(b, u.model.data[off:][:len(b)]) || !u.guarded(b) {
		u.wrong(off, "%s has changed the caller's memory", e)
	}
}

// append writes at the end: with O_APPEND, or with WriteAt at the size.
func (u *user) append(i int) {
	n := 1 + u.number(16<<10) // 16 KiB
	b := u.buffer(n)
	s, size := u.model.lock(true, appending)
	if size+n > mostSize {
		u.model.unlock(s, -1)
		return
	}
	h := u.handles[i]
	if u.appends != nil && u.r.IntN(4) > 0 {
		h, i = u.appends, slots
	}
	e := u.history.begin(u.g, i, "append", size, n)
	testenv.Fill(b, size, e.id)
	var got int
	var failed error // a partly successful append must not be repeated
	err := h.with(func(f face) (err error) {
		if i == slots {
			got, err = f.(appender).appendTo(u.r, b)
		} else {
			got, err = f.write(u.r, b, size)
		}
		if got > 0 {
			failed, err = err, nil
		}
		return err
	})
	u.written(e, b, got, errors.Join(err, failed), size)
	testenv.Fill(u.model.data[size:size+n], size, e.id)
	u.unchanged(e, b, size)
	u.model.unlock(s, size+n)
}

func (u *user) truncate(h *handle, i int) {
	to := u.number(mostSize)
	s, size := u.model.lock(true, resizing(to))
	e := u.history.begin(u.g, i, "truncate", min(to, size), max(to, size)-min(to, size))
	u.must(e, h.with(func(f face) error { return f.Truncate(to) }))
	if to > size {
		clear(u.model.data[size:to])
	}
	u.model.unlock(s, to)
}

func (u *user) punch(h *handle, i int) {
	off, n := u.place()
	n = max(n, 1)
	s, size := u.model.lock(true, reading(off, n))
	defer u.model.unlock(s, -1)
	e := u.history.begin(u.g, i, "punch", off, n)
	done := u.can(e, h.with(func(f face) error { return f.PunchHole(off, n) }))
	if end := min(off+n, size); done && off < end {
		clear(u.model.data[off:end])
	}
}

func (u *user) allocate(h *handle, i int) {
	off, n := u.place()
	n = max(n, 1)
	s, _ := u.model.lock(false, reading(off, n))
	defer u.model.unlock(s, -1)
	e := u.history.begin(u.g, i, "allocate", off, n)
	u.can(e, h.with(func(f face) error { return f.Allocate(off, n) }))
}

func (u *user) sync(h *handle, i int) {
	if u.r.IntN(2) == 0 {
		e := u.history.begin(u.g, i, "sync", 0, 0)
		u.must(e, h.with(face.Sync))
		return
	}
	e := u.history.begin(u.g, i, "datasync", 0, 0)
	u.must(e, h.with(face.Datasync))
}

func (u *user) hint(h *handle, i int) {
	off, n := u.place()
	e := u.history.begin(u.g, i, "hint", off, n)
	u.can(e, h.with(func(f face) error { return f.hint(u.r, off, n) }))
}

// can is must for an operation that some file systems lack. It reports whether this one has it.
func (u *user) can(e *event, err error) bool {
	if errors.Is(err, errors.ErrUnsupported) {
		e.end(0, err)
		return false
	}
	u.must(e, err)
	return true
}

// must reports an error of an operation that has to succeed.
func (u *user) must(e *event, err error) {
	e.end(0, err)
	if err != nil {
		u.wrong(e.off, "%s: %v", e, err)
	}
	u.others(e)
}

// others tells the files of a cache about changes by another handle. A file that only became longer
// needs no such call.
func (u *user) others(e *event) {
	if u.cache == nil || e.what == "append" {
		return
	}
	for i, h := range u.handles {
		if i != e.slot {
			h.open().changed(e.off, max(e.n, 1))
		}
	}
}

// reopen closes a handle's file and opens it again, in either order. Operations in progress must
// end as if there were no Close.
func (u *user) reopen(i int) {
	h := u.handles[i]
	if u.appends != nil && u.r.IntN(slots+1) == 0 {
		h, i = u.appends, slots
	}
	e := u.history.begin(u.g, i, "reopen", 0, 0)
	h.mu.Lock()
	old := h.face
	var err error
	if u.r.IntN(2) == 0 {
		h.face = u.open(u.r, i)
		err = old.Close()
	} else {
		err = old.Close()
		h.face = u.open(u.r, i)
	}
	h.mu.Unlock()
	u.must(e, err)
}

// sizes compares the file's size with the model's.
func (u *user) sizes(h *handle, i int) {
	s, size := u.model.lock(false, appending)
	defer u.model.unlock(s, -1)
	e := u.history.begin(u.g, i, "size", size, 0)
	var got int64
	err := h.with(func(f face) (err error) {
		got, err = f.length()
		return err
	})
	e.end(0, err)
	if got != size || err != nil {
		u.wrong(size, "%s: the size is %d, %v; want %d", e, got, err, size)
	}
}

// beside reads without a lock, while the bytes may change. It only compares the memory around the
// buffer.
func (u *user) beside(h *handle, i int) {
	off, n := u.place()
	b := u.buffer(n)
	e := u.history.begin(u.g, i, "read beside others", off, n)
	var got int
	err := h.with(func(f face) (err error) {
		got, err = f.read(u.r, b, off)
		return err
	})
	e.end(got, err)
	if err != nil && err != io.EOF || got > len(b) {
		u.wrong(off, "%s = %d, %v", e, got, err)
	}
	if !u.guarded(b) {
		u.wrong(off, "%s has changed bytes outside of its buffer", e)
	}
}
