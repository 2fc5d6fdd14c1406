package crashlog

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

var (
	states  = flag.Int("crashlog.states", 12, "how many states of the device TestReplay builds for each file system")
	commits = flag.Int("crashlog.commits", 150, "after how many commits the device of TestReplay fails")
)

// sector is the unit that a device writes whole or not at all.
const sector = 512

// superblocks is the end of ext4's and xfs's superblocks. ext4's has two sectors with one checksum,
// and ext4 cannot be mounted if it is torn.
const superblocks = 4096

// TestReplay checks that commits are on the device, whatever was still in its cache.
func TestReplay(t *testing.T) {
	for name, kind := range fileSystems {
		t.Run(name, func(t *testing.T) {
			r := seed.Rand(t)
			var p *play
			hang.During(t, func() { p = record(t, name, kind.mkfs, kind.size, r) })
			v := verdict{}
			for _, st := range p.choose(*states, r) {
				hang.During(t, func() {
					what := p.build(st, r)
					losses, err := p.look(t, name, p.bookAt(st.n))
					if err != nil {
						t.Fatalf("%s: the file system is damaged: %v", what, err)
					}
					v.judge(t, p.book, losses, what)
				})
				if t.Failed() {
					return
				}
			}
			t.Logf("the device was told %d requests", len(p.requests))
			v.report(t, "states")
		})
	}
}

// play is the requests that a device received, with the acknowledgements between them.
type play struct {
	requests []testenv.Request
	ends     []int64 // the ends of the requests in their file
	notes    []placed
	// moments has, for each acknowledgement, the number of requests before it. It only has those
	// whose last request was not a flush: after a flush nothing can be missing.
	moments []int
	book    *book
	told    int // the number of notes in book

	base *os.File // the device with the first durable requests
	sure int

	state  *os.File // the device in the tested state
	device *os.File // a loop device of state
	dir    string   // its mount point
}

// placed is a note, with the length of the file of requests at that time.
type placed struct {
	note
	at int64
}

// record has logs written on a device that records its requests.
func record(t *testing.T, fstype, mkfs string, size int64, r *rand.Rand) *play {
	served := places.Memory(t)
	image := filepath.Join(served, "image")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, size)); err != nil {
		t.Fatal(err)
	}
	places.Tool(t, mkfs, image)
	p := &play{book: newBook()}
	p.prepare(t, image, size)
	device := places.LoopOf(t, filepath.Join(testenv.MountFUSE(t, served, "records"), "image"))
	dir := filepath.Join(t.TempDir(), "mounted")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	places.MountAs(t, device, dir, fstype)
	requests := filepath.Join(served, testenv.RecordName)
	left, enough := *commits, make(chan struct{})
	var mu sync.Mutex
	tell := func(n note) {
		var st unix.Stat_t
		if err := unix.Stat(requests, &st); err != nil {
			panic(err)
		}
		mu.Lock()
		defer mu.Unlock()
		p.notes = append(p.notes, placed{n, st.Size})
		if n.Kind == synced {
			if left--; left == 0 {
				close(enough)
			}
		}
	}
	schedulers := openSchedulers()
	defer func() {
		for _, s := range schedulers {
			s.Close()
		}
	}()
	w := newWorkload(dir, schedulers, shortLog, r, tell)
	w.stopped = func() bool {
		select {
		case <-enough:
			return true
		default:
			return false
		}
	}
	w.fail = func(l *log, err error) { t.Errorf("%s: %v", l.name, err) }
	if err := w.begin(r); err != nil {
		t.Error(err)
	} else {
		w.run(r)
	}
	if err := w.close(); err != nil {
		t.Error(err)
	}
	places.Unmount(t, dir)
	if t.Failed() {
		t.FailNow()
	}
	var err error
	if p.requests, p.ends, err = testenv.ReadRequests(requests); err != nil {
		t.Fatal(err)
	}
	// A goroutine may have read the length, and then waited while other goroutines made notes.
	for i := 1; i < len(p.notes); i++ {
		p.notes[i].at = max(p.notes[i].at, p.notes[i-1].at)
	}
	for _, note := range p.notes {
		n, _ := slices.BinarySearch(p.ends, note.at+1)
		if note.Kind == synced && n > 0 && !p.requests[n-1].Flush {
			p.moments = append(p.moments, n)
		}
	}
	return p
}

// bookAt returns the required content after the first n requests. n must not decrease from call to
// call.
func (p *play) bookAt(n int) *book {
	at := int64(0)
	if n > 0 {
		at = p.ends[n-1]
	}
	for ; p.told < len(p.notes) && p.notes[p.told].at <= at; p.told++ {
		p.book.add(p.notes[p.told].note, synced)
	}
	return p.book
}

// prepare makes the files of the states. They begin with the content of image, the device before
// the first request.
func (p *play) prepare(t *testing.T, image string, size int64) {
	dir := places.Memory(t)
	p.dir = filepath.Join(t.TempDir(), "state")
	from, err := os.Open(image)
	if err == nil {
		p.base, err = os.Create(filepath.Join(dir, "base"))
	}
	if err == nil {
		p.state, err = os.Create(filepath.Join(dir, "state"))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	t.Cleanup(func() { p.base.Close(); p.state.Close() })
	if err := errors.Join(p.base.Truncate(size), p.state.Truncate(size), copyData(p.base, from), os.Mkdir(p.dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	if p.device, err = places.Attach(p.state.Name()); err != nil {
		skip.For(t, skip.Loop, err)
	}
	t.Cleanup(func() { p.device.Close() })
}

// copyData copies from's data without holes and zeros. The file to is empty.
func copyData(to, from *os.File) error {
	const part = 64 << 10 // 64 KiB
	b, zeros := make([]byte, part), make([]byte, part)
	for off := int64(0); ; {
		var err error
		off, err = unix.Seek(int(from.Fd()), off, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			return nil
		}
		var n int
		if err == nil {
			n, err = from.ReadAt(b[:part-off%part], off)
		}
		if err != nil && err != io.EOF {
			return err
		}
		if !bytes.Equal(b[:n], zeros[:n]) {
			if _, err := to.WriteAt(b[:n], off); err != nil {
				return err
			}
		}
		off += int64(n)
	}
}

// choice is a possible state of a failed device.
type choice struct {
	n       int  // the number of requests that were made
	sampled bool // some requests after the last flush are missing or torn
}

// choose returns count states in the order of n: each prefix of the requests, and sampled states
// for the rest. If count is too small for all prefixes, half of the states are random prefixes.
// Half of the sampled states are at an acknowledgement: the next flush hides that a commit had
// none.
func (p *play) choose(count int, r *rand.Rand) (all []choice) {
	prefixes := len(p.requests) + 1
	if prefixes > count {
		prefixes = (count + 1) / 2
	}
	for i, n := range r.Perm(len(p.requests) + 1) {
		if i == prefixes {
			break
		}
		all = append(all, choice{n: n})
	}
	for len(all) < count {
		n := r.IntN(len(p.requests) + 1)
		if len(p.moments) > 0 && r.IntN(2) == 0 {
			n = p.moments[r.IntN(len(p.moments))]
		}
		all = append(all, choice{n, true})
	}
	slices.SortFunc(all, func(a, b choice) int { return cmp.Compare(a.n, b.n) })
	return all
}

// build makes the state of a device that failed after c.n requests. All requests before the last
// flush are on the device. An unsampled state also has all later requests. A sampled state has each
// later request whole with some probability, or else a part of it or nothing.
func (p *play) build(c choice, r *rand.Rand) (what string) {
	for i := c.n - 1; i >= p.sure; i-- {
		if p.requests[i].Flush {
			for ; p.sure < i; p.sure++ {
				apply(p.base, p.requests[p.sure])
			}
			break
		}
	}
	clearAll(p.state)
	if err := copyData(p.state, p.base); err != nil {
		panic(err)
	}
	chance, missing := r.Float64(), 0
	for _, q := range p.requests[p.sure:c.n] {
		switch {
		case !c.sampled || q.Flush || r.Float64() < chance:
			apply(p.state, q)
			continue
		case q.Data != nil && q.Off >= superblocks && r.IntN(2) == 0:
			k := r.IntN(len(q.Data)/sector+1) * sector
			if r.IntN(2) == 0 { // its end instead of its front
				q.Off += int64(len(q.Data) - k)
				q.Data = q.Data[len(q.Data)-k:]
			}
			apply(p.state, testenv.Request{Off: q.Off, Len: int64(k), Data: q.Data[:k]})
		}
		missing++
	}
	return fmt.Sprintf("after request %d of %d, with %d after the last flush, of which %d are missing or torn",
		c.n, len(p.requests), c.n-p.sure, missing)
}

// clearAll makes all of a file a hole.
func clearAll(f *os.File) {
	info, err := f.Stat()
	if err == nil {
		err = errors.Join(f.Truncate(0), f.Truncate(info.Size()))
	}
	if err != nil {
		panic(err)
	}
}

// apply performs a request. The files are in memory, where no request fails.
func apply(f *os.File, q testenv.Request) {
	var err error
	switch {
	case q.Flush:
	case q.Data != nil:
		_, err = f.WriteAt(q.Data, q.Off)
	default:
		err = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, q.Off, q.Len)
	}
	if err != nil {
		panic(err)
	}
}

// blkFlushBuf is BLKFLSBUF: the kernel drops its cache of the device.
const blkFlushBuf = 0x1261

// look mounts the device and checks the logs on it.
func (p *play) look(t *testing.T, fstype string, b *book) (losses []loss, err error) {
	t.Helper()
	if err := unix.IoctlSetInt(int(p.device.Fd()), blkFlushBuf, 0); err != nil {
		return nil, fmt.Errorf("BLKFLSBUF: %w", err)
	}
	options := ""
	if fstype == "xfs" {
		// The recorded device has the same UUID. It may still be mounted in a newer mount
		// namespace.
		options = "nouuid"
	}
	if err := unix.Mount(p.device.Name(), p.dir, fstype, 0, options); err != nil {
		return nil, fmt.Errorf("mount: %w", err)
	}
	defer places.UnmountAll(t, p.device.Name(), p.dir)
	return b.check(p.dir), nil
}
