package positions

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

const recordSize = 16 << 10

// recordFile makes a file of records on a disk. A record is one byte many times.
func recordFile(t *testing.T, dir string, records int) (name string) {
	t.Helper()
	b := make([]byte, records*recordSize)
	for i := range b {
		b[i] = byte(i / recordSize)
	}
	name = filepath.Join(dir, "file")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	return name
}

// torn reports whether b is not a whole record.
func torn(b []byte) bool {
	for i := range b {
		if b[i] != b[0] {
			return true
		}
	}
	return false
}

// evictSome removes some clean pages from the page cache, here and there.
func evictSome(t *testing.T, fd int, r *rand.Rand, size int64) {
	t.Helper()
	for range 16 {
		if err := unix.Fadvise(fd, r.Int64N(size)&^4095, 4096*(1+r.Int64N(3)), unix.FADV_DONTNEED); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSharedPosition checks Files and an *os.File that share a position. Together they must read
// each record once and whole, with O_DIRECT too.
func TestSharedPosition(t *testing.T) {
	testenv.EachDriverIn(t, places.Disk(t), func(t *testing.T, s *sluice.Scheduler, dir string) {
		const records = 256
		name := recordFile(t, dir, records)
		start := seed.Of(t)
		for _, direct := range []int{0, unix.O_DIRECT} {
			first, err := s.OpenFile(name, os.O_RDONLY|direct, 0)
			if err != nil {
				continue // no O_DIRECT here
			}
			defer first.Close()
			fd := int(first.Fd())
			unix.Fadvise(fd, 0, 0, unix.FADV_RANDOM)
			evictSome(t, fd, rand.New(rand.NewPCG(start, 0)), records*recordSize)
			readers := []io.Reader{first, first.OSFile()}
			for range 6 {
				other, err := unix.Dup(fd)
				if err != nil {
					t.Fatal(err)
				}
				f := testenv.Must1(s.FromOS(os.NewFile(uintptr(other), name)))
				defer f.Close()
				readers = append(readers, f)
			}
			var seen [256]atomic.Int64
			var group sync.WaitGroup
			for _, r := range readers {
				b := testenv.AlignedBytes(recordSize)
				group.Go(func() {
					for {
						n, err := r.Read(b)
						if err == io.EOF {
							return
						}
						if err != nil || n != recordSize || torn(b) {
							t.Errorf("Read = %d, %v, torn %v", n, err, torn(b))
							return
						}
						seen[b[0]].Add(1)
					}
				})
			}
			group.Wait()
			for i := range seen {
				if n := seen[i].Load(); n != records/256 {
					t.Errorf("with flag %#x record %d was read %d times", direct, i, n)
				}
			}
			if pos, err := first.Seek(0, io.SeekCurrent); pos != records*recordSize || err != nil {
				t.Errorf("with flag %#x the position is %d at the end, %v; want %d", direct, pos, err, records*recordSize)
			}
		}
	})
}

// TestSharedPositionOfWriters checks that no writer overwrites another's record.
func TestSharedPositionOfWriters(t *testing.T) {
	testenv.EachDriverIn(t, places.Disk(t), func(t *testing.T, s *sluice.Scheduler, dir string) {
		const writers, each = 8, 16
		for _, direct := range []int{0, unix.O_DIRECT} {
			name := filepath.Join(dir, "written")
			first, err := s.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC|direct, 0o600)
			if err != nil {
				continue // no O_DIRECT here
			}
			defer first.Close()
			var group sync.WaitGroup
			for w := range writers {
				other, err := unix.Dup(int(first.Fd()))
				if err != nil {
					t.Fatal(err)
				}
				f := testenv.Must1(s.FromOS(os.NewFile(uintptr(other), name)))
				defer f.Close()
				b := testenv.AlignedBytes(4096)
				for i := range b {
					b[i] = byte(w)
				}
				group.Go(func() {
					for range each {
						if n, err := f.Write(b); n != len(b) || err != nil {
							t.Errorf("Write = %d, %v", n, err)
						}
					}
				})
			}
			group.Wait()
			b, err := os.ReadFile(name)
			if len(b) != writers*each*4096 || err != nil {
				t.Fatalf("with flag %#x there are %d bytes, %v; want %d", direct, len(b), err, writers*each*4096)
			}
			var wrote [writers]int
			for ; len(b) > 0; b = b[4096:] {
				if wrote[b[0]]++; torn(b[:4096]) {
					t.Errorf("with flag %#x a record is torn", direct)
				}
			}
			for w, n := range wrote {
				if n != each {
					t.Errorf("with flag %#x there are %d records of writer %d; want %d", direct, n, w, each)
				}
			}
		}
	})
}

// TestReadAtIsWholeOnXFS checks that on xfs a write comes before or after a read, not in between.
// The read bytes are partly cached. Under uring the kernel reads uncached bytes in parts, so some
// reads may be torn there. With the other drivers none may.
func TestReadAtIsWholeOnXFS(t *testing.T) {
	dir := places.FileSystems["xfs"](t, 0)
	const records = 16
	const rounds = 300
	count := func(t *testing.T, open testenv.Opener) (n int64) {
		name := recordFile(t, dir, records)
		f := testenv.Must(t, open, name, os.O_RDWR)
		defer f.Close()
		start := seed.Of(t)
		evictor, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer evictor.Close()
		fd := int(evictor.Fd())
		unix.Fadvise(fd, 0, 0, unix.FADV_RANDOM)
		var bad atomic.Int64
		var group sync.WaitGroup
		for w := range 4 {
			group.Go(func() {
				r := rand.New(rand.NewPCG(start, uint64(w)))
				b := make([]byte, recordSize)
				for range rounds {
					b[0] = byte(r.Uint32())
					for i := range b {
						b[i] = b[0]
					}
					if n, err := f.WriteAt(b, r.Int64N(records)*recordSize); n != len(b) || err != nil {
						t.Errorf("WriteAt = %d, %v", n, err)
					}
				}
			})
			group.Go(func() {
				r := rand.New(rand.NewPCG(start, uint64(w)+100))
				b := make([]byte, recordSize)
				for range rounds {
					if n, err := f.ReadAt(b, r.Int64N(records)*recordSize); n != len(b) || err != nil {
						t.Errorf("ReadAt = %d, %v", n, err)
					}
					if torn(b) {
						bad.Add(1)
					}
				}
			})
		}
		group.Go(func() {
			r := rand.New(rand.NewPCG(start, 1000))
			for range rounds / 4 {
				unix.SyncFileRange(fd, 0, 0, unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
				evictSome(t, fd, r, records*recordSize)
			}
		})
		group.Wait()
		return bad.Load()
	}
	if n := count(t, testenv.OSOpen); n != 0 {
		t.Errorf("by os.File %d of %d reads are torn; want 0", n, 4*rounds)
	}
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{Driver: driver})
			n := count(t, testenv.OpenOn(s))
			if n != 0 && driver != "uring" {
				t.Errorf("%d of %d reads are torn; want 0", n, 4*rounds)
			}
			t.Logf("%d of %d reads are torn", n, 4*rounds)
		})
	}
}
