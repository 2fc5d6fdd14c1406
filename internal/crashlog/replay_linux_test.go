package crashlog

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/hang"
	"github.com/sluiceio/sluice/internal/places"
	"github.com/sluiceio/sluice/internal/seed"
	"github.com/sluiceio/sluice/internal/sluicetest"
)

var (
	states  = flag.Int("crashlog.states", 12, "how many states of the device TestReplay builds for each file system")
	commits = flag.Int("crashlog.commits", 150, "after how many commits the device of TestReplay fails")
)

// sector is the part of a request that a device writes whole or not at all.
const sector = 512

// TestReplay: what was committed is on the device, whatever it had still in its cache.
func TestReplay(t *testing.T) {
	for name, kind := range fileSystems {
		t.Run(name, func(t *testing.T) {
			hang.Watch(t)
			r := seed.Rand(t)
			p := record(t, name, kind.mkfs, kind.size, r)
			v := verdict{}
			at := 0
			for i := range *states {
				hang.Watch(t)
				// In order, so that the part of the device that is sure to be there grows.
				at += r.IntN(max(1, 2*(len(p.requests)-at)/(*states-i)))
				at = min(at, len(p.requests))
				image, what := p.state(at, r)
				b := p.bookAt(at)
				losses, err := look(t, name, image, b)
				if err != nil {
					t.Fatalf("%s: the file system is damaged: %v", what, err)
				}
				if v.judge(t, b, losses, what); t.Failed() {
					return
				}
			}
			v.report(t, "states")
		})
	}
}

// play is what a device was told to do, and what was acknowledged meanwhile.
type play struct {
	requests []sluicetest.Request
	ends     []int64 // where the requests end in the file that they were read from
	notes    []placed
	book     *book
	told     int // how many of notes are in book

	base  []byte // the device with the first sure requests
	sure  int
	flush int // the requests before this one are on the device in the state that is built
}

// placed is a note, and how long the file of requests was when it was made.
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
	var err error
	if p.base, err = os.ReadFile(image); err != nil {
		t.Fatal(err)
	}
	device := places.LoopOf(t, filepath.Join(sluicetest.MountFUSE(t, served, "records"), "image"))
	dir := filepath.Join(t.TempDir(), "mounted")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	places.MountAs(t, device, dir, fstype)
	requests := filepath.Join(served, sluicetest.RecordName)
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
	w := newWorkload(dir, schedulers, r, tell)
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
	if p.requests, p.ends, err = sluicetest.ReadRequests(requests); err != nil {
		t.Fatal(err)
	}
	// A goroutine may have read the length, and then waited while others noted something later.
	for i := 1; i < len(p.notes); i++ {
		p.notes[i].at = max(p.notes[i].at, p.notes[i-1].at)
	}
	return p
}

// bookAt returns what must be there when the first n requests have been made. It is asked for larger and
// larger n.
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

// state returns a device that fails after n requests. Those before the last flush are on it. Of the others it
// has all, or each with a chance of its own: whole, in part or not at all.
func (p *play) state(n int, r *rand.Rand) (image []byte, what string) {
	for i := p.flush; i < n; i++ {
		if p.requests[i].Flush {
			p.flush = i
		}
	}
	for ; p.sure < p.flush; p.sure++ {
		apply(p.base, p.requests[p.sure])
	}
	image = bytes.Clone(p.base)
	all := r.IntN(3) == 0
	missing := 0
	for _, q := range p.requests[p.sure:n] {
		switch {
		case all || q.Flush || r.IntN(2) == 0:
			apply(image, q)
		case q.Data != nil && r.IntN(2) == 0:
			k := r.IntN(len(q.Data)/sector+1) * sector
			apply(image, sluicetest.Request{Off: q.Off, Len: int64(k), Data: q.Data[:k]})
			missing++
		default:
			missing++
		}
	}
	return image, fmt.Sprintf("after request %d of %d, with %d after the last flush, of which %d are missing or torn",
		n, len(p.requests), n-p.sure, missing)
}

func apply(image []byte, q sluicetest.Request) {
	if q.Data != nil {
		copy(image[q.Off:], q.Data)
		return
	}
	clear(image[q.Off : q.Off+q.Len])
}

// look mounts a device with these bytes and checks the logs on it.
func look(t *testing.T, fstype string, image []byte, b *book) (losses []loss, err error) {
	t.Helper()
	name := filepath.Join(places.Memory(t), "image")
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	defer os.Remove(name)
	const part = 64 << 10 // 64 KiB
	zeros := make([]byte, part)
	for off := 0; off < len(image) && err == nil; off += part {
		if p := image[off:min(off+part, len(image))]; !bytes.Equal(p, zeros[:len(p)]) {
			_, err = f.WriteAt(p, int64(off))
		}
	}
	if err = errors.Join(err, f.Truncate(int64(len(image))), f.Close()); err != nil {
		return nil, err
	}
	device, err := places.Attach(name)
	if err != nil {
		return nil, err
	}
	defer device.Close()
	dir := filepath.Join(filepath.Dir(name), "mounted")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if err := unix.Mount(device.Name(), dir, fstype, 0, ""); err != nil {
		return nil, fmt.Errorf("mount: %w", err)
	}
	defer places.Unmount(t, dir)
	return b.check(dir), nil
}
